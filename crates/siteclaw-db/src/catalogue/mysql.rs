//! The catalogue of MySQL and MariaDB, from `information_schema`.

use std::collections::BTreeMap;

use super::{add_column, ask, count};
use crate::database::Database;
use crate::{Column, DbError, Engine, Schema, Table, TableKind};

pub(super) async fn load(database: &Database) -> Result<Schema, DbError> {
    let current = ask(database, "SELECT DATABASE() AS name", Vec::new()).await?;
    let current =
        current.iter().next().map(|row| row.opt_text("name")).transpose()?.flatten().unwrap_or_default();
    let mut tables = BTreeMap::new();
    let sql = "SELECT TABLE_NAME AS name, TABLE_TYPE AS kind, TABLE_ROWS AS estimate, \
               DATA_LENGTH + INDEX_LENGTH AS bytes FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()";
    for row in &ask(database, sql, Vec::new()).await? {
        let name = row.text("name")?;
        let kind = if row.opt_text("kind")?.is_some_and(|kind| kind.contains("VIEW")) {
            TableKind::View(None)
        } else {
            TableKind::Base
        };
        let table = Table {
            name: name.clone(),
            kind,
            columns: Vec::new(),
            row_estimate: count(row.opt_i64("estimate")?),
            bytes: count(row.opt_i64("bytes")?),
        };
        tables.insert(name, table);
    }
    let sql = "SELECT TABLE_NAME AS name, VIEW_DEFINITION AS definition FROM information_schema.VIEWS \
               WHERE TABLE_SCHEMA = DATABASE()";
    for row in &ask(database, sql, Vec::new()).await? {
        // An account without SHOW VIEW is shown an empty text.
        let definition = row.opt_text("definition")?.filter(|text| !text.is_empty());
        if let Some(table) = tables.get_mut(&row.text("name")?) {
            table.kind = TableKind::View(definition);
            table.row_estimate = None;
            table.bytes = None;
        }
    }
    let sql = "SELECT TABLE_NAME AS table_name, COLUMN_NAME AS name, COLUMN_TYPE AS data_type, \
               IS_NULLABLE AS nullable FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() \
               ORDER BY TABLE_NAME, ORDINAL_POSITION";
    for row in &ask(database, sql, Vec::new()).await? {
        let column = Column {
            name: row.text("name")?,
            data_type: row.text("data_type")?,
            nullable: row.bool("nullable")?,
        };
        add_column(&mut tables, &row.text("table_name")?, column);
    }
    Ok(Schema { engine: Engine::MySql, current, tables })
}
