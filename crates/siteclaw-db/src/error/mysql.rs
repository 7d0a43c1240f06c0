//! Error numbers of MySQL and MariaDB.
//!
//! Numbers: MySQL's and MariaDB's error references. 1969 is MariaDB's and 3024 MySQL's time limit.

use super::classify::{between, name};
use super::{Cause, DbError, Place};

pub(super) fn classify(number: u16, message: &str, place: &Place, source: Cause) -> DbError {
    let address = place.address.clone();
    let user = place.user.clone();
    let source = Some(source);
    match number {
        1045 | 1130 | 1698 | 1524 | 1820 | 1862 | 3118 | 4151 => {
            DbError::LoginRefused { user, address, source }
        }
        1044 | 1049 => DbError::UnknownDatabase { database: place.database.clone(), user, address, source },
        1251 | 2059 => DbError::AuthPluginUnsupported {
            plugin: between(message, '\'', '\'').unwrap_or_else(|| "unknown".to_owned()),
            user,
        },
        1040 | 1203 | 1226 => DbError::TooManyConnections { address, source },
        1053 | 1152 | 1158..=1161 | 1184 | 1927 | 2006 | 2013 | 4031 => {
            DbError::ConnectionLost { address, source }
        }
        // A table changed under a prepared statement, again and again.
        1615 => DbError::Busy { what: "a table is being changed", source },
        1969 | 3024 | 1317 | 1028 => DbError::TimedOut { limit: place.statement_time },
        1205 => DbError::Busy { what: "a row or table is locked", source },
        1213 => DbError::Busy { what: "a deadlock was broken up", source },
        1129 => DbError::Unreachable {
            address,
            reason: "the server blocks this host after too many failed connections".to_owned(),
            hint: Some("Have the server's administrator run `FLUSH HOSTS`.".to_owned()),
            source,
        },
        1146 | 1109 | 1051 => {
            let full = between(message, '\'', '\'').unwrap_or_default();
            let table = full.rsplit_once('.').map_or(full.as_str(), |(_, table)| table).to_owned();
            DbError::TableMissing { table, source }
        }
        1054 => DbError::ColumnMissing { column: between(message, '\'', '\'').unwrap_or_default(), source },
        1142 | 1143 | 1227 | 1370 | 1356 => {
            let what = message.split_once(" for ").map_or("this", |(_, what)| what);
            DbError::PermissionDenied { what: name(what), source }
        }
        1064 | 1149 => {
            let near = message.split_once("near '").and_then(|(_, rest)| rest.rsplit_once("' at line"));
            DbError::SyntaxNear { near: name(near.map_or("the end", |(near, _)| near)), source }
        }
        1792 | 1290 | 1836 => DbError::ReadOnly { source },
        1210 | 1390 | 1835 => DbError::BadParameters { problem: "their number or type is wrong".to_owned() },
        _ => DbError::Other { class: number.to_string(), meaning: meaning(number, message), source },
    }
}

fn meaning(number: u16, message: &str) -> String {
    let quoted = || between(message, '\'', '\'').unwrap_or_default();
    match number {
        1052 => format!("column `{}` is ambiguous, name its table", quoted()),
        1055 | 1140 => "a column is neither grouped nor aggregated".to_owned(),
        1056 | 1111 => "an aggregate function stands where none may".to_owned(),
        1066 => format!("`{}` is used for two tables", quoted()),
        1104 => "it would examine more rows than the server allows".to_owned(),
        1139 | 3685..=3700 => "the regular expression is invalid".to_owned(),
        1222 => "the SELECTs of a UNION have different numbers of columns".to_owned(),
        1241 => "a sub-query or row has the wrong number of columns".to_owned(),
        1242 => "a sub-query gives more than one row".to_owned(),
        1247 => format!("`{}` refers to something defined later", quoted()),
        1267 | 1271 => "texts of different collations are mixed".to_owned(),
        1305 => "a function does not exist on this server".to_owned(),
        1365 => "a division by zero".to_owned(),
        1462 | 1690 => "a number is out of range".to_owned(),
        1582 | 1583 => "a function got the wrong number or kind of parameters".to_owned(),
        1295 => "this kind of statement cannot be prepared".to_owned(),
        3141 | 3143 | 4036..=4044 => "a JSON text or path is invalid".to_owned(),
        3636 => "a recursive query went too deep".to_owned(),
        1038 | 1037 | 1041 => "the server ran out of memory for it".to_owned(),
        1021 | 1114 => "the server ran out of space for it".to_owned(),
        _ => "the server reports this error number".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::classify::test_place;
    use super::*;
    use crate::Engine;

    fn text(number: u16, message: &str) -> String {
        let cause = std::io::Error::other(message.to_owned());
        classify(number, message, &test_place(Engine::MySql), Box::new(cause)).to_string()
    }

    #[test]
    fn the_messages_of_both_servers_are_understood() {
        let table = [
            (1146, "Table 'shop_live.wp_post' doesn't exist", "There is no table `wp_post`."),
            (1054, "Unknown column 'p.titel' in 'field list'", "There is no column `p.titel`."),
            (1054, "Unknown column 'titel' in 'SELECT'", "There is no column `titel`."),
            (
                1064,
                "You have an error in your SQL syntax; check the manual … near 'FORM `wp_posts`' at line 1",
                "The statement has a syntax error near `FORM `wp_posts``.",
            ),
            (
                1142,
                "SELECT command denied to user 'shop'@'localhost' for table `mysql`.`user`",
                "The database account may not read table `mysql`.`user`.",
            ),
            (
                1052,
                "Column 'ID' in field list is ambiguous",
                "The database refused the statement: column `ID` is ambiguous, name its table (1052).",
            ),
            (
                1969,
                "Query execution was interrupted (max_statement_time exceeded)",
                "The statement ran longer than 20 s and was stopped.",
            ),
            (
                1792,
                "Cannot execute statement in a READ ONLY transaction",
                "The statement would change data; the connection is read-only.",
            ),
            (
                1045,
                "Access denied for user 'shop'@'10.0.0.1' (using password: YES)",
                "The database server at db.example.org:3306 refused the login of user `shop`.",
            ),
            (
                9999,
                "secret words",
                "The database refused the statement: the server reports this error number (9999).",
            ),
        ];
        for (number, message, expected) in table {
            assert_eq!(text(number, message), expected);
        }
    }

    #[test]
    fn full_servers_are_worth_another_try() {
        for number in [1040, 1203, 1226] {
            let cause = std::io::Error::other("x");
            assert!(classify(number, "x", &test_place(Engine::MySql), Box::new(cause)).retryable());
        }
    }
}
