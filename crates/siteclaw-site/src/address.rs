//! Hosts of database servers where the port may stand beside them or within.

use std::path::PathBuf;

use siteclaw_db::{MySqlAddress, PostgresHost, mysql_candidates};

const POSTGRES_PORT: u16 = 5432;

/// Where PostgreSQL's client looks when no host is named.
const POSTGRES_FOLDER: &str = "/var/run/postgresql";

/// The addresses to try for a host and a port that is set apart from it. A port or socket within the host
/// wins, as it does in PHP's client.
pub(crate) fn mysql_addresses(host: &str, port: Option<u16>) -> Vec<MySqlAddress> {
    let text = host.trim();
    let Some(port) = port else { return mysql_candidates(text) };
    let own = text.starts_with('/') || text.contains(":/") || has_port(text);
    if own {
        return mysql_candidates(text);
    }
    if text.contains(':') && !text.starts_with('[') {
        return mysql_candidates(&format!("[{text}]:{port}"));
    }
    mysql_candidates(&format!("{text}:{port}"))
}

/// A bracketed address or a name that a port follows.
fn has_port(text: &str) -> bool {
    let after = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(_, tail)| tail.strip_prefix(':').unwrap_or("")),
        None => match text.split_once(':') {
            Some((_, port)) if !port.contains(':') => port,
            _ => "",
        },
    };
    after.parse::<u16>().is_ok()
}

/// The server of a host text: a folder of sockets, a name or an address, with or without its port.
pub(crate) fn postgres_address(host: &str, port: Option<u16>) -> (PostgresHost, u16) {
    let text = host.trim();
    let usual = port.unwrap_or(POSTGRES_PORT);
    if text.is_empty() {
        return (PostgresHost::SocketFolder(PathBuf::from(POSTGRES_FOLDER)), usual);
    }
    if text.starts_with('/') {
        return (PostgresHost::SocketFolder(PathBuf::from(text)), usual);
    }
    let bare = |text: &str| text.trim_start_matches('[').trim_end_matches(']').to_owned();
    if has_port(text)
        && let Some((name, own)) = text.rsplit_once(':')
    {
        return (PostgresHost::Tcp(bare(name)), own.parse().unwrap_or(usual));
    }
    (PostgresHost::Tcp(bare(text)), usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_beside_the_host_is_put_to_it() {
        let tcp = |host: &str, port| vec![MySqlAddress::Tcp { host: host.into(), port }];
        assert_eq!(mysql_addresses("db", Some(3307)), tcp("db", 3307));
        assert_eq!(mysql_addresses("db", None), tcp("db", 3306));
        assert_eq!(mysql_addresses("db:3308", Some(3307)), tcp("db", 3308));
        assert_eq!(mysql_addresses("::1", Some(3307)), tcp("::1", 3307));
        assert_eq!(mysql_addresses("[::1]", Some(3307)), tcp("::1", 3307));
        assert_eq!(mysql_addresses("[::1]:3308", Some(3307)), tcp("::1", 3308));
        let socket = vec![MySqlAddress::Socket { path: "/run/my.sock".into() }];
        for host in ["/run/my.sock", "localhost:/run/my.sock", "unix:/run/my.sock"] {
            assert_eq!(mysql_addresses(host, Some(3307)), socket, "{host}");
        }
        assert_eq!(mysql_addresses("localhost", Some(3307)).last(), tcp("127.0.0.1", 3307).last());
    }

    #[test]
    fn postgres_has_folders_of_sockets() {
        let tcp = |host: &str| PostgresHost::Tcp(host.into());
        let folder = |path: &str| PostgresHost::SocketFolder(path.into());
        let table = [
            ("db", None, tcp("db"), 5432),
            ("db", Some(5433), tcp("db"), 5433),
            ("db:5434", Some(5433), tcp("db"), 5434),
            ("::1", Some(5433), tcp("::1"), 5433),
            ("[::1]:5434", None, tcp("::1"), 5434),
            ("/tmp/pg", Some(5433), folder("/tmp/pg"), 5433),
            ("", None, folder("/var/run/postgresql"), 5432),
        ];
        for (text, port, host, expected) in table {
            assert_eq!(postgres_address(text, port), (host, expected), "{text:?}");
        }
    }
}
