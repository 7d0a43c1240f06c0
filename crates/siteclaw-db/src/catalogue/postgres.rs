//! The catalogue of PostgreSQL's current schema, from `pg_class` and `pg_attribute`.
//!
//! A materialised view counts as a view: its rows are those of other tables, so whoever guards columns must
//! look at its definition.

use std::collections::BTreeMap;

use super::{add_column, ask, count};
use crate::database::Database;
use crate::{Column, DbError, Engine, Schema, Table, TableKind};

pub(super) async fn load(database: &Database) -> Result<Schema, DbError> {
    let current = ask(database, "SELECT current_schema()::text AS name", Vec::new()).await?;
    let current =
        current.iter().next().map(|row| row.opt_text("name")).transpose()?.flatten().unwrap_or_default();
    let mut tables = BTreeMap::new();
    let sql = "SELECT c.relname::text AS name, c.relkind::text AS kind, c.reltuples::float8 AS estimate, \
               pg_total_relation_size(c.oid) AS bytes, \
               CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END AS definition \
               FROM pg_class c WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) \
               AND c.relkind IN ('r', 'p', 'v', 'm', 'f')";
    for row in &ask(database, sql, Vec::new()).await? {
        let name = row.text("name")?;
        let is_view = matches!(row.text("kind")?.as_str(), "v" | "m");
        let definition = row.opt_text("definition")?.map(|text| text.trim().trim_end_matches(';').to_owned());
        let estimate = row.decimal("estimate")?.parse::<f64>().unwrap_or(-1.0);
        let table = Table {
            name: name.clone(),
            kind: if is_view { TableKind::View(definition) } else { TableKind::Base },
            columns: Vec::new(),
            // Below zero: never analysed.
            row_estimate: (!is_view && estimate >= 0.0)
                .then(|| format!("{estimate:.0}").parse().ok())
                .flatten(),
            bytes: if is_view { None } else { count(row.opt_i64("bytes")?) },
        };
        tables.insert(name, table);
    }
    let sql = "SELECT c.relname::text AS table_name, a.attname::text AS name, \
               format_type(a.atttypid, a.atttypmod) AS data_type, NOT a.attnotnull AS nullable \
               FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
               WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
               AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname, a.attnum";
    for row in &ask(database, sql, Vec::new()).await? {
        let column = Column {
            name: row.text("name")?,
            data_type: row.text("data_type")?,
            nullable: row.bool("nullable")?,
        };
        add_column(&mut tables, &row.text("table_name")?, column);
    }
    Ok(Schema { engine: Engine::Postgres, current, tables })
}
