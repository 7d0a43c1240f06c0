//! Reads what tables, views and columns a database has.

mod mysql;
mod postgres;
mod sqlite;

use std::collections::BTreeMap;

use crate::database::{Database, plain};
use crate::{Column, DbError, Engine, Param, Rows, Schema, Table};

/// A large shop has some thousands of columns; far beyond that something is wrong.
const MAX_ROWS: usize = 500_000;
const MAX_BYTES: usize = 128 * 1024 * 1024;

pub(crate) async fn load(database: &Database) -> Result<Schema, DbError> {
    match database.engine() {
        Engine::MySql => mysql::load(database).await,
        Engine::Postgres => postgres::load(database).await,
        Engine::Sqlite => sqlite::load(database).await,
    }
}

async fn ask(database: &Database, sql: &'static str, params: Vec<Param>) -> Result<Rows, DbError> {
    let rows = database.fetch_rendered(&plain(sql, params), MAX_ROWS, MAX_BYTES).await?;
    if rows.cut {
        return Err(DbError::Other {
            class: "catalogue".to_owned(),
            meaning: "the database has too many tables and columns".to_owned(),
            source: None,
        });
    }
    Ok(rows)
}

fn add_column(tables: &mut BTreeMap<String, Table>, table: &str, column: Column) {
    if let Some(table) = tables.get_mut(table) {
        table.columns.push(column);
    }
}

fn count(number: Option<i64>) -> Option<u64> {
    number.and_then(|number| u64::try_from(number).ok())
}
