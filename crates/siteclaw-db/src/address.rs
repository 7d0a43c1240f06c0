//! The grammar of a MySQL host as PHP applications write it.
//!
//! WordPress' `DB_HOST`, Joomla's `$host` and their relatives hold a host, a port, a socket or a mixture
//! of them in one text. [`mysql_candidates`] turns it into the addresses to try, in order.

use std::path::PathBuf;

use crate::MySqlAddress;

const DEFAULT_PORT: u16 = 3306;

/// Where distributions and panels put the server's socket.
const USUAL_SOCKETS: [&str; 5] = [
    "/run/mysqld/mysqld.sock",
    "/var/run/mysqld/mysqld.sock",
    "/tmp/mysql.sock",
    "/var/lib/mysql/mysql.sock",
    "/var/mysql/mysql.sock",
];

/// Turns a `DB_HOST` text into the addresses to try, in order.
///
/// PHP's client means the default Unix socket by the name `localhost`, whatever port follows; so the usual
/// sockets come first there and 127.0.0.1 on that port last. A socket begins at the first `:/`. More than
/// one colon without that is IPv6, whose port needs brackets. A leading `p:` asked PHP for a persistent
/// connection and means nothing here.
///
/// ```
/// use siteclaw_db::{MySqlAddress, mysql_candidates};
/// assert_eq!(
///     mysql_candidates("db.example.org:3307"),
///     [MySqlAddress::Tcp { host: "db.example.org".into(), port: 3307 }]
/// );
/// assert_eq!(
///     mysql_candidates("localhost:/tmp/mysql.sock"),
///     [MySqlAddress::Socket { path: "/tmp/mysql.sock".into() }]
/// );
/// ```
pub fn mysql_candidates(db_host: &str) -> Vec<MySqlAddress> {
    let text = db_host.trim();
    let text = text.strip_prefix("p:").unwrap_or(text);
    if text.starts_with('/') {
        return vec![socket(text)];
    }
    if let Some((_, path)) = text.split_once(":/") {
        return vec![socket(&format!("/{path}"))];
    }
    let (host, port) = split_port(text);
    if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
        let mut all: Vec<MySqlAddress> = USUAL_SOCKETS.iter().map(|path| socket(path)).collect();
        all.push(MySqlAddress::Tcp { host: "127.0.0.1".to_owned(), port });
        return all;
    }
    vec![MySqlAddress::Tcp { host: host.to_owned(), port }]
}

fn socket(path: &str) -> MySqlAddress {
    MySqlAddress::Socket { path: PathBuf::from(path) }
}

/// A port that is no number stays part of the host, so that the failure names the whole text.
fn split_port(text: &str) -> (&str, u16) {
    if let Some(rest) = text.strip_prefix('[')
        && let Some((host, tail)) = rest.split_once(']')
    {
        let port = tail.strip_prefix(':').and_then(|port| port.parse().ok());
        return (host, port.unwrap_or(DEFAULT_PORT));
    }
    match text.split_once(':') {
        Some((host, "")) => (host, DEFAULT_PORT),
        Some((host, port)) if !port.contains(':') => match port.parse() {
            Ok(port) => (host, port),
            Err(_) => (text, DEFAULT_PORT),
        },
        _ => (text, DEFAULT_PORT),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tcp(host: &str, port: u16) -> Vec<MySqlAddress> {
        vec![MySqlAddress::Tcp { host: host.into(), port }]
    }

    fn local(port: u16) -> Vec<MySqlAddress> {
        let mut all: Vec<_> = [
            "/run/mysqld/mysqld.sock",
            "/var/run/mysqld/mysqld.sock",
            "/tmp/mysql.sock",
            "/var/lib/mysql/mysql.sock",
            "/var/mysql/mysql.sock",
        ]
        .iter()
        .map(|path| MySqlAddress::Socket { path: path.into() })
        .collect();
        all.extend(tcp("127.0.0.1", port));
        all
    }

    #[test]
    fn every_form_that_applications_write() {
        let sock = |path: &str| vec![MySqlAddress::Socket { path: path.into() }];
        let table = [
            ("db.example.org", tcp("db.example.org", 3306)),
            ("db.example.org:3307", tcp("db.example.org", 3307)),
            ("127.0.0.1", tcp("127.0.0.1", 3306)),
            ("mysql", tcp("mysql", 3306)),
            ("localhost", local(3306)),
            ("LocalHost", local(3306)),
            ("", local(3306)),
            ("localhost:3307", local(3307)),
            (":3307", local(3307)),
            ("localhost:", local(3306)),
            ("localhost:/tmp/mysql.sock", sock("/tmp/mysql.sock")),
            (":/tmp/mysql.sock", sock("/tmp/mysql.sock")),
            ("db:3306:/run/x.sock", sock("/run/x.sock")),
            ("/run/x.sock", sock("/run/x.sock")),
            ("[::1]:3307", tcp("::1", 3307)),
            ("[::1]", tcp("::1", 3306)),
            ("::1", tcp("::1", 3306)),
            ("fe80::1", tcp("fe80::1", 3306)),
            ("p:db.example.org:3307", tcp("db.example.org", 3307)),
            ("p:localhost", local(3306)),
            ("p:[::1]:3307", tcp("::1", 3307)),
            (" db.example.org ", tcp("db.example.org", 3306)),
            ("db:port", tcp("db:port", 3306)),
            ("db:70000", tcp("db:70000", 3306)),
        ];
        for (text, expected) in table {
            assert_eq!(mysql_candidates(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn some_address_comes_of_every_text(text in "\\PC{0,40}") {
            prop_assert!(!mysql_candidates(&text).is_empty());
        }
    }
}
