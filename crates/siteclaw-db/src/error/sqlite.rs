//! Result codes of SQLite. The lower byte is the class; the upper ones tell variants apart.

use super::classify::{between, name, reason_of};
use super::{Cause, DbError, Place};

const ERROR: u32 = 1;
const BUSY: u32 = 5;
const LOCKED: u32 = 6;
const READONLY: u32 = 8;
const INTERRUPT: u32 = 9;
const CORRUPT: u32 = 11;
const CANTOPEN: u32 = 14;
const NOTADB: u32 = 26;

pub(super) fn classify(code: u32, message: &str, place: &Place, source: Cause) -> DbError {
    match code & 0xff {
        ERROR => statement(message, source),
        BUSY | LOCKED => DbError::Busy { what: "the site is writing to its database", source: Some(source) },
        READONLY => DbError::ReadOnly { source: Some(source) },
        INTERRUPT => DbError::TimedOut { limit: place.statement_time },
        CORRUPT | NOTADB => DbError::NotADatabase { path: place.path() },
        // Looked at and not opened: what lies there now may be anything.
        CANTOPEN => match std::fs::metadata(place.path()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                DbError::FileMissing { path: place.path() }
            }
            Err(error) => DbError::FileUnreadable { path: place.path(), reason: reason_of(&error) },
            Ok(_) => {
                DbError::FileUnreadable { path: place.path(), reason: "SQLite cannot open it".to_owned() }
            }
        },
        _ => DbError::Other { class: code.to_string(), meaning: meaning(code & 0xff), source: Some(source) },
    }
}

fn statement(message: &str, source: Cause) -> DbError {
    let source = Some(source);
    if let Some(table) = message.strip_prefix("no such table: ") {
        let table = table.strip_prefix("main.").unwrap_or(table);
        DbError::TableMissing { table: name(table), source }
    } else if let Some(column) = message.strip_prefix("no such column: ") {
        let column = column.split(" - should this be").next().unwrap_or_default();
        DbError::ColumnMissing { column: name(column.trim_matches('"')), source }
    } else if message.contains("syntax error") {
        let near = between(message, '"', '"').unwrap_or_else(|| "the end".to_owned());
        DbError::SyntaxNear { near, source }
    } else if message == "incomplete input" {
        DbError::SyntaxNear { near: "the end".to_owned(), source }
    } else {
        let rest = |prefix: &str| message.strip_prefix(prefix).map(name);
        let meaning = if let Some(function) = rest("no such function: ") {
            format!("SQLite has no function `{function}`")
        } else if let Some(column) = rest("ambiguous column name: ") {
            format!("column `{column}` is ambiguous, name its table")
        } else if message.starts_with("misuse of aggregate") {
            "an aggregate function stands where none may".to_owned()
        } else if message.starts_with("wrong number of arguments") {
            "a function got the wrong number of parameters".to_owned()
        } else if message.contains("number of result columns") {
            "the SELECTs of a UNION have different numbers of columns".to_owned()
        } else if message.starts_with("malformed JSON") || message.starts_with("bad JSON path") {
            "a JSON text or path is invalid".to_owned()
        } else {
            "SQLite does not accept it".to_owned()
        };
        DbError::Other { class: ERROR.to_string(), meaning, source }
    }
}

fn meaning(class: u32) -> String {
    match class {
        7 => "SQLite ran out of memory",
        10 => "the file could not be read from the disk",
        13 => "there is no space for SQLite's temporary files",
        18 => "a value is too long",
        20 => "a value has the wrong type",
        25 => "a parameter's number is out of range",
        _ => "SQLite reports this result code",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::classify::test_place;
    use super::*;
    use crate::Engine;

    #[test]
    fn the_librarys_messages_are_understood() {
        let table = [
            (1, "no such table: main.wp_post", "There is no table `wp_post`."),
            (1, "no such column: titel", "There is no column `titel`."),
            (1, "near \"FORM\": syntax error", "The statement has a syntax error near `FORM`."),
            (1, "incomplete input", "The statement has a syntax error near `the end`."),
            (
                1,
                "no such function: CONCAT_WS2",
                "The database refused the statement: SQLite has no function `CONCAT_WS2` (1).",
            ),
            (9, "interrupted", "The statement ran longer than 20 s and was stopped."),
            (
                8,
                "attempt to write a readonly database",
                "The statement would change data; the connection is read-only.",
            ),
            (14, "unable to open database file", "There is no database file db.example.org:3306."),
            (261, "database is locked", "The database is busy: the site is writing to its database."),
        ];
        for (code, message, expected) in table {
            let cause = std::io::Error::other(message);
            let error = classify(code, message, &test_place(Engine::Sqlite), Box::new(cause));
            assert_eq!(error.to_string(), expected);
        }
    }
}
