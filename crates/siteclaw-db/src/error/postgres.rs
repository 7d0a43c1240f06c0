//! SQLSTATEs of PostgreSQL.

use super::classify::{between, name};
use super::{Cause, DbError, Place};

pub(super) fn classify(state: &str, message: &str, place: &Place, source: Cause) -> DbError {
    let address = place.address.clone();
    let user = place.user.clone();
    let source = Some(source);
    let quoted = || between(message, '"', '"');
    match state {
        "28P01" | "28000" => DbError::LoginRefused { user, address, source },
        "3D000" => DbError::UnknownDatabase { database: place.database.clone(), user, address, source },
        "53300" => DbError::TooManyConnections { address, source },
        "57P03" => DbError::Busy { what: "the server is starting or stopping", source },
        "57P01" | "57P02" | "57P05" | "08000" | "08003" | "08006" => {
            DbError::ConnectionLost { address, source }
        }
        // A table changed under a prepared statement: a new connection prepares it anew.
        "0A000" if message.starts_with("cached plan") => DbError::ConnectionLost { address, source },
        "57014" => DbError::TimedOut { limit: place.statement_time },
        "55P03" => DbError::Busy { what: "a row or table is locked", source },
        "40001" | "40P01" => DbError::Busy { what: "other transactions stood in the way", source },
        "42P01" => DbError::TableMissing { table: quoted().unwrap_or_default(), source },
        "42703" => DbError::ColumnMissing { column: column(message), source },
        "42501" => {
            let what = message.split_once(" for ").map_or("this", |(_, what)| what);
            DbError::PermissionDenied { what: name(what), source }
        }
        "42601" => DbError::SyntaxNear { near: quoted().unwrap_or_else(|| "the end".to_owned()), source },
        "25006" => DbError::ReadOnly { source },
        "42P02" | "08P01" | "22P03" => {
            DbError::BadParameters { problem: "their number or type is wrong".to_owned() }
        }
        _ => DbError::Other { class: name(state), meaning: meaning(state, message), source },
    }
}

/// `column "x" does not exist`, or `column p.x does not exist` where a table was named.
fn column(message: &str) -> String {
    between(message, '"', '"').unwrap_or_else(|| {
        let rest = message.strip_prefix("column ").unwrap_or_default();
        name(rest.split(' ').next().unwrap_or_default())
    })
}

fn meaning(state: &str, message: &str) -> String {
    match state {
        "42702" => format!(
            "column `{}` is ambiguous, name its table",
            between(message, '"', '"').unwrap_or_default()
        ),
        "42803" => {
            "a column is neither grouped nor aggregated, or an aggregate stands where none may".to_owned()
        }
        "42883" => "no function or operator takes these types; a cast may be needed".to_owned(),
        "42804" | "42846" => "types do not match; a cast may be needed".to_owned(),
        "42P18" => "the type of a parameter cannot be told; add a cast".to_owned(),
        "42712" => "a name is used for two tables".to_owned(),
        "42P10" => "an ORDER BY or GROUP BY position is wrong".to_owned(),
        "21000" => "a sub-query gives more than one row".to_owned(),
        "22012" => "a division by zero".to_owned(),
        "22003" => "a number is out of range".to_owned(),
        "22P02" | "22007" | "22008" => "a text is no valid value of the type it is read as".to_owned(),
        "2201B" => "the regular expression is invalid".to_owned(),
        "22021" => "a text holds bytes that the database's encoding lacks".to_owned(),
        "25P02" => "an earlier statement of the transaction failed".to_owned(),
        "3F000" => "the schema does not exist".to_owned(),
        "53100" => "the server ran out of space for it".to_owned(),
        "53200" => "the server ran out of memory for it".to_owned(),
        "54001" => "the statement is too deeply nested".to_owned(),
        _ => "the server reports this SQLSTATE".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::classify::test_place;
    use super::*;
    use crate::Engine;

    #[test]
    fn the_servers_messages_are_understood() {
        let table = [
            ("42P01", "relation \"posts\" does not exist", "There is no table `posts`."),
            ("42703", "column \"titel\" does not exist", "There is no column `titel`."),
            ("42703", "column p.titel does not exist", "There is no column `p.titel`."),
            ("42601", "syntax error at or near \"FORM\"", "The statement has a syntax error near `FORM`."),
            ("42601", "syntax error at end of input", "The statement has a syntax error near `the end`."),
            (
                "42501",
                "permission denied for table secrets",
                "The database account may not read table secrets.",
            ),
            (
                "25006",
                "cannot execute DELETE in a read-only transaction",
                "The statement would change data; the connection is read-only.",
            ),
            (
                "57014",
                "canceling statement due to statement timeout",
                "The statement ran longer than 20 s and was stopped.",
            ),
            (
                "22P02",
                "invalid input syntax for type integer: \"s3cret\"",
                "The database refused the statement: a text is no valid value of the type it is read as (22P02).",
            ),
        ];
        for (state, message, expected) in table {
            let cause = std::io::Error::other(message);
            let error = classify(state, message, &test_place(Engine::Postgres), Box::new(cause));
            assert_eq!(error.to_string(), expected);
        }
    }
}
