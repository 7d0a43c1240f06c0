//! Writes the rows into a new SQLite database, in one transaction.

use std::path::Path;

use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use super::{
    DemoError,
    schema::{self, PREFIX, Table},
    store::{Row, Tables, Value},
};

/// Parameters of one INSERT: far below SQLite's limit, enough to make the cost of a statement vanish.
const PARAMETERS: usize = 900;

/// Creates the database at `path`, which must not exist, and closes it; no journal is left beside it.
pub(crate) async fn database(path: &Path, tables: &Tables) -> Result<(), DemoError> {
    let declared = schema::tables();
    if let Some(unknown) = tables.names().find(|name| !declared.iter().any(|t| t.name == *name)) {
        return Err(DemoError::Column { column: unknown.to_owned() });
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        // Nothing is to be saved when the machine stops now: the folder does not yet have its final name.
        .synchronous(SqliteSynchronous::Off)
        .journal_mode(SqliteJournalMode::Memory)
        .pragma("temp_store", "MEMORY");
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let mut transaction = connection.begin().await?;
    for table in &declared {
        execute(&mut transaction, table.create()).await?;
        insert(&mut transaction, table, tables.rows(table.name)).await?;
    }
    // A key made over finished rows is packed and quick to make.
    for table in &declared {
        for key in table.create_keys() {
            execute(&mut transaction, key).await?;
        }
    }
    execute(&mut transaction, schema::TYPE_CACHE.to_owned()).await?;
    for (table, name, mysql_type) in declared.iter().flat_map(Table::types) {
        sqlx::query("INSERT INTO _mysql_data_types_cache VALUES (?, ?, ?)")
            .bind(table)
            .bind(name)
            .bind(mysql_type)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    execute(&mut connection, "PRAGMA journal_mode = DELETE".to_owned()).await?;
    connection.close().await?;
    Ok(())
}

async fn execute(connection: &mut SqliteConnection, sql: String) -> Result<(), DemoError> {
    // The text comes from this module and from tables.txt alone.
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await?;
    Ok(())
}

async fn insert(connection: &mut SqliteConnection, table: &Table, rows: &[Row]) -> Result<(), DemoError> {
    let names: Vec<&str> = table.columns.iter().map(|c| c.name).collect();
    let tuple = format!("({})", vec!["?"; names.len()].join(","));
    let height = (PARAMETERS / names.len().max(1)).max(1);
    for chunk in rows.chunks(height) {
        let tuples = vec![tuple.as_str(); chunk.len()].join(",");
        let sql =
            format!("INSERT INTO \"{PREFIX}{}\" (\"{}\") VALUES {tuples}", table.name, names.join("\",\""));
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for row in chunk {
            query = bind(query, table, row)?;
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

fn bind<'q>(
    mut query: Query<'q, Sqlite, SqliteArguments>,
    table: &Table,
    row: &Row,
) -> Result<Query<'q, Sqlite, SqliteArguments>, DemoError> {
    if let Some((unknown, _)) = row.iter().find(|(name, _)| !table.columns.iter().any(|c| c.name == *name)) {
        return Err(DemoError::Column { column: format!("{}.{unknown}", table.name) });
    }
    for column in &table.columns {
        query = match row.iter().find(|(name, _)| *name == column.name).map(|(_, value)| value) {
            Some(Value::Null) => query.bind(None::<String>),
            Some(Value::Int(n)) => query.bind(*n),
            Some(Value::Real(d)) => query.bind(*d),
            Some(Value::Text(t)) => query.bind(t.clone()),
            None => query.bind(column.default()),
        };
    }
    Ok(query)
}
