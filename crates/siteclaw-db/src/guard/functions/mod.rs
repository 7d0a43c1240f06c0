//! Functions that a query may call: a list for each database, of what computes and does nothing else.
//!
//! Left out on purpose: whatever waits, locks, reads files or settings, runs SQL given as text, moves a
//! sequence, tells who is logged in, or speaks to another server.

mod mysql;
mod postgres;
mod sqlite;

use sqlparser::ast::{Ident, ObjectName};

use super::names;
use super::refusal::{Refusal, RefusalCode};
use crate::Engine;

/// Functions written without brackets.
const BARE: &[&str] = &["current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"];
/// The database's name in PostgreSQL.
const BARE_POSTGRES: &[&str] = &["current_catalog"];

/// Constants that MySQL computes and the grammar takes for columns.
const MYSQL_CONSTANTS: &[&str] = &["utc_date", "utc_time", "utc_timestamp"];
const POSTGRES_CONSTANTS: &[&str] = &["current_schema"];

/// Functions that may stand in FROM.
const TABLES_POSTGRES: &[&str] = &[
    "generate_series",
    "generate_subscripts",
    "json_array_elements",
    "json_array_elements_text",
    "json_each",
    "json_each_text",
    "json_object_keys",
    "json_to_record",
    "json_to_recordset",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "jsonb_each",
    "jsonb_each_text",
    "jsonb_object_keys",
    "jsonb_path_query",
    "jsonb_to_record",
    "jsonb_to_recordset",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "unnest",
];
const TABLES_SQLITE: &[&str] = &["generate_series", "json_each", "json_tree"];

/// Units that MySQL wants as bare words.
const UNITS: &[&str] =
    &["microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"];

fn list(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::MySql => mysql::FUNCTIONS,
        Engine::Postgres => postgres::FUNCTIONS,
        Engine::Sqlite => sqlite::FUNCTIONS,
    }
}

/// Checks a function's name and writes it as the list does; gives that name. `brackets` says whether the
/// call has them.
pub(super) fn check(engine: Engine, name: &mut ObjectName, brackets: bool) -> Result<&'static str, Refusal> {
    let listed =
        if brackets { find(engine, name, &[list(engine)])? } else { find(engine, name, bare(engine))? };
    *name = ObjectName::from(Ident::new(listed));
    Ok(listed)
}

/// Checks the name of a function in FROM.
pub(super) fn check_table(engine: Engine, name: &mut ObjectName) -> Result<&'static str, Refusal> {
    let lists: &[&[&str]] = match engine {
        Engine::MySql => &[],
        Engine::Postgres => &[TABLES_POSTGRES],
        Engine::Sqlite => &[TABLES_SQLITE],
    };
    let listed = find(engine, name, lists)?;
    *name = ObjectName::from(Ident::new(listed));
    Ok(listed)
}

/// The columns of a function in FROM under an alias.
pub(super) fn columns_of(function: &str, alias: &str) -> Vec<String> {
    let columns: &[&str] = match function {
        "json_array_elements"
        | "json_array_elements_text"
        | "jsonb_array_elements"
        | "jsonb_array_elements_text" => &["value"],
        "json_each" | "json_each_text" | "jsonb_each" | "jsonb_each_text" => &["key", "value"],
        "json_to_record" | "json_to_recordset" | "jsonb_to_record" | "jsonb_to_recordset" => &[],
        _ => &[alias],
    };
    columns.iter().map(|column| (*column).to_owned()).collect()
}

const fn bare(engine: Engine) -> &'static [&'static [&'static str]] {
    match engine {
        Engine::Postgres => &[BARE, BARE_POSTGRES],
        Engine::MySql | Engine::Sqlite => &[BARE],
    }
}

/// The function that a bare word stands for, if it stands for one.
pub(super) fn constant(engine: Engine, word: &str) -> Option<&'static str> {
    let constants = match engine {
        Engine::MySql => MYSQL_CONSTANTS,
        Engine::Postgres => POSTGRES_CONSTANTS,
        Engine::Sqlite => &[],
    };
    constants.iter().find(|constant| constant.eq_ignore_ascii_case(word)).copied()
}

/// Whether the first argument of this function is a unit of time, written as a bare word.
pub(super) fn takes_unit(engine: Engine, function: &str) -> bool {
    engine == Engine::MySql && matches!(function, "timestampdiff" | "timestampadd")
}

/// Whether a word is a unit of time.
pub(super) fn is_unit(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    UNITS.contains(&word.strip_prefix("sql_tsi_").unwrap_or(&word))
}

fn find(engine: Engine, name: &ObjectName, lists: &[&[&'static str]]) -> Result<&'static str, Refusal> {
    let parts = names::parts(name)?;
    let written = name.to_string();
    let ident = match parts.as_slice() {
        [ident] => ident,
        [schema, ident] if engine == Engine::Postgres && names::read(engine, schema)? == "pg_catalog" => {
            ident
        }
        _ => return Err(refused(engine, &written, "")),
    };
    // A quoted name keeps its case in PostgreSQL, where every function here has a name in lower case.
    let read = names::read(engine, ident)?;
    let wanted = if engine == Engine::Postgres { read } else { read.to_ascii_lowercase() };
    lists
        .iter()
        .flat_map(|list| list.iter())
        .find(|listed| **listed == wanted)
        .copied()
        .ok_or_else(|| refused(engine, &written, &wanted))
}

fn refused(engine: Engine, written: &str, wanted: &str) -> Refusal {
    let near = names::nearest(wanted, list(engine).iter().copied());
    let shown = names::shown(written);
    let mut refusal = Refusal::new(
        RefusalCode::Function,
        format!("The function {shown} is not among those a query may call."),
    )
    .with("function", shown);
    if let Some(hint) = names::did_you_mean(&near) {
        refusal = refusal.hint(hint).with("suggestions", near);
    }
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_lower_case_and_free_of_the_dangerous() {
        let dangerous = [
            "sleep",
            "benchmark",
            "get_lock",
            "release_lock",
            "is_free_lock",
            "load_file",
            "user",
            "current_user",
            "session_user",
            "system_user",
            "last_insert_id",
            "uuid_short",
            "master_pos_wait",
            "nextval",
            "setval",
            "lastval",
            "currval",
            "set_config",
            "current_setting",
            "query_to_xml",
            "table_to_xml",
            "database_to_xml",
            "schema_to_xml",
            "cursor_to_xml",
            "dblink",
            "lo_export",
            "lo_import",
            "lo_get",
            "ts_stat",
            "load_extension",
            "readfile",
            "writefile",
            "edit",
            "fts3_tokenizer",
            "txid_current",
            "crosstab",
            "xpath_table",
            "inet_server_addr",
            "to_regclass",
            "sys_eval",
            "sys_exec",
            "raise",
        ];
        for engine in [Engine::MySql, Engine::Postgres, Engine::Sqlite] {
            let list = list(engine);
            for pair in list.windows(2) {
                assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
            }
            for name in list {
                assert_eq!(*name, name.to_ascii_lowercase());
                assert!(!dangerous.contains(name), "{name}");
                assert!(
                    !name.starts_with("pg_") && !name.starts_with("lo_") && !name.starts_with("dblink"),
                    "{name}"
                );
            }
        }
    }
}
