//! The catalogue of a SQLite file.
//!
//! WordPress' SQLite integration keeps the MySQL types of its columns in a table of its own; they are shown
//! in place of SQLite's, and the integration's bookkeeping tables are not shown at all.

use std::collections::BTreeMap;

use sqlparser::ast;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use super::{add_column, ask, count};
use crate::database::Database;
use crate::{Column, DbError, Engine, Param, Row, Schema, Table, TableKind};

/// Up to this size the pages are counted, which reads the whole file.
const MAX_COUNTED: i64 = 64 * 1024 * 1024;
const MAX_VIEW: usize = 16 * 1024;
const MYSQL_TYPES: &str = "_mysql_data_types_cache";

const COLUMNS: &str = "SELECT m.name AS table_name, p.name AS name, p.type AS data_type, \
                       p.\"notnull\" = 0 AND p.pk = 0 AS nullable \
                       FROM sqlite_master m JOIN pragma_table_xinfo(m.name) p \
                       WHERE p.hidden <> 1 AND m.type = 'table' ORDER BY m.name, p.cid";
const COLUMNS_OF_ONE: &str = "SELECT ?1 AS table_name, p.name AS name, p.type AS data_type, \
                              p.\"notnull\" = 0 AND p.pk = 0 AS nullable \
                              FROM pragma_table_xinfo(?1) p WHERE p.hidden <> 1 ORDER BY p.cid";

pub(super) async fn load(database: &Database) -> Result<Schema, DbError> {
    let mut tables = BTreeMap::new();
    let mut bookkeeping = Vec::new();
    let sql =
        "SELECT name, type AS kind, sql AS definition FROM sqlite_master WHERE type IN ('table', 'view')";
    for row in &ask(database, sql, Vec::new()).await? {
        let name = row.text("name")?;
        if is_hidden(&name) {
            bookkeeping.push(name);
            continue;
        }
        let kind = match row.text("kind")?.as_str() {
            "view" => TableKind::View(row.opt_text("definition")?.and_then(|sql| select_of(&sql))),
            _ => TableKind::Base,
        };
        let table = Table { name: name.clone(), kind, columns: Vec::new(), row_estimate: None, bytes: None };
        tables.insert(name, table);
    }
    let has = |name: &str| bookkeeping.iter().any(|known| known == name);
    columns(database, &mut tables).await?;
    if has(MYSQL_TYPES) {
        mysql_types(database, &mut tables).await?;
    }
    if has("sqlite_stat1") {
        estimates(database, &mut tables).await?;
    }
    sizes(database, &mut tables).await?;
    Ok(Schema { engine: Engine::Sqlite, current: "main".to_owned(), tables })
}

fn is_hidden(name: &str) -> bool {
    name.starts_with("sqlite_") || name == MYSQL_TYPES || name.starts_with("_wp_sqlite_")
}

/// One query for all tables; table by table where that fails, because a virtual table of an unknown module
/// or a view over a table that is gone is an error of its own.
async fn columns(database: &Database, tables: &mut BTreeMap<String, Table>) -> Result<(), DbError> {
    let together = ask(database, COLUMNS, Vec::new()).await;
    let is_view = |table: &Table| matches!(table.kind, TableKind::View(_));
    let alone: Vec<String> = tables
        .values()
        .filter(|table| together.is_err() || is_view(table))
        .map(|table| table.name.clone())
        .collect();
    if let Ok(rows) = together {
        for row in &rows {
            add_column(tables, &row.text("table_name")?, column(row)?);
        }
    }
    for name in alone {
        match ask(database, COLUMNS_OF_ONE, vec![Param::Text(name.clone())]).await {
            Ok(rows) => {
                for row in &rows {
                    add_column(tables, &name, column(row)?);
                }
            }
            Err(DbError::Other { .. } | DbError::TableMissing { .. } | DbError::ColumnMissing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn column(row: &Row) -> Result<Column, DbError> {
    Ok(Column {
        name: row.text("name")?,
        data_type: row.opt_text("data_type")?.unwrap_or_default(),
        nullable: row.bool("nullable")?,
    })
}

async fn mysql_types(database: &Database, tables: &mut BTreeMap<String, Table>) -> Result<(), DbError> {
    let sql = "SELECT \"table\" AS table_name, column_or_index AS name, mysql_type AS data_type \
               FROM _mysql_data_types_cache";
    // Another version of the integration may have other columns; SQLite's own types are good enough then.
    let Ok(rows) = ask(database, sql, Vec::new()).await else { return Ok(()) };
    for row in &rows {
        let (name, data_type) = (row.text("name")?, row.opt_text("data_type")?.unwrap_or_default());
        let table = tables.get_mut(&row.text("table_name")?);
        let column = table.and_then(|table| table.columns.iter_mut().find(|column| column.name == name));
        if let Some(column) = column
            && !data_type.is_empty()
        {
            column.data_type = data_type;
        }
    }
    Ok(())
}

/// What ANALYZE counted: the first number of each statistic.
async fn estimates(database: &Database, tables: &mut BTreeMap<String, Table>) -> Result<(), DbError> {
    for row in &ask(database, "SELECT tbl AS name, stat FROM sqlite_stat1", Vec::new()).await? {
        let stat = row.opt_text("stat")?.unwrap_or_default();
        let rows = stat.split(' ').next().and_then(|number| number.parse().ok());
        if let (Some(table), Some(rows)) = (tables.get_mut(&row.text("name")?), rows) {
            table.row_estimate = Some(rows);
        }
    }
    Ok(())
}

async fn sizes(database: &Database, tables: &mut BTreeMap<String, Table>) -> Result<(), DbError> {
    let sql = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
    let total = ask(database, sql, Vec::new()).await?;
    let total = total.iter().next().map(|row| row.i64("bytes")).transpose()?;
    if total.is_none_or(|total| total > MAX_COUNTED) {
        return Ok(());
    }
    let sql = "SELECT m.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d \
               JOIN sqlite_master m ON m.name = d.name WHERE d.aggregate = TRUE GROUP BY m.tbl_name";
    for row in &ask(database, sql, Vec::new()).await? {
        if let Some(table) = tables.get_mut(&row.text("name")?) {
            table.bytes = count(row.opt_i64("bytes")?);
        }
    }
    Ok(())
}

/// The SELECT of a `CREATE VIEW`. Columns that the view renames become those of a common table expression.
fn select_of(create: &str) -> Option<String> {
    if create.len() > MAX_VIEW {
        return None;
    }
    let mut statements = Parser::parse_sql(&SQLiteDialect {}, create).ok()?;
    let (Some(ast::Statement::CreateView(view)), true) = (statements.pop(), statements.is_empty()) else {
        return None;
    };
    if view.columns.is_empty() {
        return Some(view.query.to_string());
    }
    let names: Vec<String> = view.columns.iter().map(|column| column.name.to_string()).collect();
    let query = view.query;
    Some(format!("WITH renamed_columns ({}) AS ({query}) SELECT * FROM renamed_columns", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_told_by_its_select() {
        let table = [
            ("CREATE VIEW v AS SELECT a, b FROM t", Some("SELECT a, b FROM t")),
            (
                "CREATE VIEW IF NOT EXISTS \"v\" AS SELECT a FROM t WHERE x = 'y'",
                Some("SELECT a FROM t WHERE x = 'y'"),
            ),
            (
                "CREATE VIEW v (x, \"y z\") AS SELECT a, b FROM t",
                Some(
                    "WITH renamed_columns (x, \"y z\") AS (SELECT a, b FROM t) SELECT * FROM renamed_columns",
                ),
            ),
            ("CREATE TABLE t (a)", None),
            ("CREATE VIEW v AS SELEC", None),
        ];
        for (create, expected) in table {
            assert_eq!(select_of(create).as_deref(), expected, "{create}");
        }
        assert_eq!(select_of(&format!("CREATE VIEW v AS SELECT {}1", "(".repeat(20_000))), None);
    }
}
