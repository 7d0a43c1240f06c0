//! The sub-query that stands in for a table with secrets.
//!
//! `wp_users AS u` becomes `(SELECT ID, user_login, '[masked]' AS user_pass, … FROM wp_users) AS u`. What
//! comes after can only see what that sub-query gives, whatever it does with it. In key-value tables the
//! value of a secret key is masked and others are left: `CASE WHEN … THEN '[masked]' ELSE meta_value END`.

use sqlparser::ast::{Query, SetExpr, TableFactor};

use super::literal::text_literal;
use super::names;
use super::parse;
use super::pattern::fold;
use super::policy::{MASK, SecretRows, SqlPolicy};
use super::refusal::{Refusal, RefusalCode};
use crate::{Column, Engine, Table};

/// What a table's columns become.
pub(super) struct Plan<'a> {
    columns: Vec<(&'a Column, Fate)>,
}

enum Fate {
    /// Shown as it is.
    Shown,
    /// Masked in each row.
    Hidden,
    /// Masked in rows where the condition (SQL text) holds.
    HiddenWhere(String),
}

impl Plan<'_> {
    /// Whether nothing is masked.
    pub(super) fn is_empty(&self) -> bool {
        self.columns.iter().all(|(_, fate)| matches!(fate, Fate::Shown))
    }

    /// Columns masked in some or all rows.
    pub(super) fn masked(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .filter(|(_, fate)| !matches!(fate, Fate::Shown))
            .map(|(column, _)| column.name.as_str())
    }

    /// Whether some values are masked in some rows.
    pub(super) fn by_row(&self) -> bool {
        self.columns.iter().any(|(_, fate)| matches!(fate, Fate::HiddenWhere(_)))
    }

    /// Columns masked in all rows.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .filter(|(_, fate)| matches!(fate, Fate::Hidden))
            .map(|(column, _)| column.name.as_str())
    }
}

/// Decides what to mask in a table.
pub(super) fn plan<'a>(engine: Engine, policy: &SqlPolicy, table: &'a Table) -> Result<Plan<'a>, Refusal> {
    let mut columns = Vec::with_capacity(table.columns.len());
    for column in &table.columns {
        if !names::is_plain(engine, &column.name) {
            let shown = names::shown(&table.name);
            return Err(Refusal::new(
                RefusalCode::Table,
                format!("The table {shown} has a column whose name cannot be sent."),
            ));
        }
        let mut fate = Fate::Shown;
        if policy.is_secret_column(&table.name, &column.name, &column.data_type) {
            fate = Fate::Hidden;
        } else {
            let mut conditions = Vec::new();
            for rows in policy.row_rules(&table.name) {
                if rows.values.iter().any(|value| fold(value) == fold(&column.name)) {
                    match table.columns.iter().find(|key| fold(&key.name) == fold(&rows.key)) {
                        Some(key) => conditions.extend(condition(engine, rows, &key.name)),
                        // A rule that does not fit the table masks too much rather than too little.
                        None => fate = Fate::Hidden,
                    }
                }
            }
            if !conditions.is_empty() && matches!(fate, Fate::Shown) {
                fate = Fate::HiddenWhere(conditions.join(" OR "));
            }
        }
        columns.push((column, fate));
    }
    Ok(Plan { columns })
}

/// The SQL text that holds for secret keys. No LIKE: its wildcards would need escapes, whose meaning
/// depends on the server's settings.
fn condition(engine: Engine, rows: &SecretRows, key: &str) -> Option<String> {
    let name = names::quoted(engine, key);
    // MySQL's LOWER leaves binary strings alone, so the key is made text first.
    let key = match engine {
        Engine::MySql => format!("lower(CONVERT({name} USING utf8mb4))"),
        Engine::Postgres | Engine::Sqlite => format!("lower(CAST({name} AS TEXT))"),
    };
    let mut tests = Vec::new();
    if !rows.exact.is_empty() {
        let keys: Vec<_> = rows.exact.iter().map(|text| text_literal(engine, text)).collect();
        tests.push(format!("{key} IN ({})", keys.join(", ")));
    }
    tests.extend(rows.prefixes.iter().map(|text| edge(engine, &key, text, false)));
    let within = |key: &str| {
        let ends = rows.suffixes.iter().map(|text| edge(engine, key, text, true));
        ends.chain(rows.parts.iter().map(|text| part(engine, key, text))).collect::<Vec<_>>().join(" OR ")
    };
    let found = within(&key);
    if found.is_empty() || rows.harmless.is_empty() {
        tests.extend((!found.is_empty()).then_some(found));
    } else {
        // Few keys pass the first test, so the harmless words are taken out of few.
        let rest = rows
            .harmless
            .iter()
            .fold(key.clone(), |key, text| format!("replace({key}, {}, '.')", text_literal(engine, text)));
        tests.push(format!("({found}) AND ({})", within(&rest)));
    }
    (!tests.is_empty()).then(|| tests.join(" OR "))
}

/// The SQL text that holds for keys which begin, or end, with a text.
fn edge(engine: Engine, key: &str, text: &str, at_end: bool) -> String {
    let (length, literal) = (text.chars().count(), text_literal(engine, text));
    let piece = match (engine, at_end) {
        (Engine::Sqlite, false) => format!("SUBSTR({key}, 1, {length})"),
        (Engine::Sqlite, true) => format!("SUBSTR({key}, -{length})"),
        (_, false) => format!("left({key}, {length})"),
        (_, true) => format!("right({key}, {length})"),
    };
    format!("{piece} = {literal}")
}

/// The SQL text that holds for keys in which a text stands.
fn part(engine: Engine, key: &str, text: &str) -> String {
    let literal = text_literal(engine, text);
    match engine {
        Engine::MySql => format!("locate({literal}, {key}) > 0"),
        Engine::Postgres => format!("strpos({key}, {literal}) > 0"),
        Engine::Sqlite => format!("instr({key}, {literal}) > 0"),
    }
}

/// Puts the sub-query in the place of the table, keeping its alias, or in the place of a view, reading
/// from `source` then.
pub(super) fn replace(
    engine: Engine,
    plan: &Plan<'_>,
    factor: &mut TableFactor,
    source: Option<Box<Query>>,
) -> Result<(), Refusal> {
    let columns: Vec<String> =
        plan.columns.iter().map(|(column, fate)| select_item(engine, column, fate)).collect();
    let masked = parse::query(engine, &format!("SELECT {} FROM x", columns.join(", ")))?;
    let TableFactor::Table { alias, .. } = factor else { return Err(parse::unprintable()) };
    let outer = TableFactor::Derived { lateral: false, subquery: masked, alias: alias.take(), sample: None };
    let table = std::mem::replace(factor, outer);
    let inner = match source {
        None => table,
        Some(subquery) => TableFactor::Derived {
            lateral: false,
            subquery,
            alias: Some(parse::alias(engine, "v")),
            sample: None,
        },
    };
    if let TableFactor::Derived { subquery, .. } = factor
        && let SetExpr::Select(select) = subquery.body.as_mut()
        && let Some(from) = select.from.first_mut()
    {
        from.relation = inner;
    }
    Ok(())
}

fn select_item(engine: Engine, column: &Column, fate: &Fate) -> String {
    let name = names::quoted(engine, &column.name);
    match fate {
        Fate::Shown => name.to_string(),
        Fate::Hidden => format!("'{MASK}' AS {name}"),
        Fate::HiddenWhere(condition) => {
            let mask = mask_like(engine, &column.data_type);
            format!("CASE WHEN {condition} THEN {mask} ELSE {name} END AS {name}")
        }
    }
}

/// A mask of the column's type: PostgreSQL wants both branches of a CASE alike.
fn mask_like(engine: Engine, data_type: &str) -> String {
    let data_type = data_type.to_ascii_lowercase();
    let text =
        ["text", "char", "bpchar", "name", "citext", "bytea"].iter().any(|name| data_type.contains(name));
    match engine {
        Engine::Postgres if data_type.starts_with("json") => format!("'\"{MASK}\"'"),
        Engine::Postgres if !text || data_type.ends_with("[]") => "NULL".to_owned(),
        _ => format!("'{MASK}'"),
    }
}
