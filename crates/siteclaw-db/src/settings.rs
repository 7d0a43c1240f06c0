//! Where a database is and how to log in, as a site's configuration says it.
//!
//! Nothing here connects. `Debug` of every type is safe to log: passwords are [`Secret`]s.
//!
//! ```
//! use siteclaw_core::Secret;
//! use siteclaw_db::{ConnectSettings, MySqlSettings, Tls, mysql_candidates};
//!
//! let settings = ConnectSettings::MySql(MySqlSettings {
//!     hosts: mysql_candidates("db.example.org:3307"),
//!     user: "shop".to_owned(),
//!     password: Secret::new("p'a\"ss"),
//!     database: "shop_live".to_owned(),
//!     tls: Tls::Preferred,
//! });
//! assert!(!format!("{settings:?}").contains("p'a"));
//! ```

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use siteclaw_core::Secret;

use crate::{Engine, SqliteFile};

/// Where the database of a site is and how to log in.
#[derive(Clone, Debug)]
pub enum ConnectSettings {
    /// MySQL or MariaDB.
    MySql(MySqlSettings),
    /// PostgreSQL.
    Postgres(PostgresSettings),
    /// A SQLite file. It is never written, and nothing is ever left beside it.
    Sqlite(SqliteFile),
}

impl ConnectSettings {
    /// The family that these settings lead to.
    pub const fn engine(&self) -> Engine {
        match self {
            Self::MySql(_) => Engine::MySql,
            Self::Postgres(_) => Engine::Postgres,
            Self::Sqlite(_) => Engine::Sqlite,
        }
    }
}

/// Login to MySQL or MariaDB. The connection always speaks utf8mb4.
#[derive(Clone, Debug)]
pub struct MySqlSettings {
    /// The addresses in the order in which they are tried; see [`mysql_candidates`](crate::mysql_candidates).
    pub hosts: Vec<MySqlAddress>,
    /// The account.
    pub user: String,
    /// Its password; empty for an account without one.
    pub password: Secret,
    /// The database (schema) of the site.
    pub database: String,
    /// Whether the connection is encrypted.
    pub tls: Tls,
}

/// One way to a MySQL server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MySqlAddress {
    /// A TCP port. IPv6 addresses stand without brackets.
    Tcp {
        /// Name or address.
        host: String,
        /// Port, 3306 where the configuration names none.
        port: u16,
    },
    /// A Unix socket.
    Socket {
        /// The socket's file.
        path: PathBuf,
    },
}

impl fmt::Display for MySqlAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } => write_host_port(f, host, *port),
            Self::Socket { path } => write!(f, "{}", path.display()),
        }
    }
}

/// Login to PostgreSQL.
#[derive(Clone, Debug)]
pub struct PostgresSettings {
    /// The server.
    pub host: PostgresHost,
    /// Port, 5432 where the configuration names none. It is part of the socket's file name too.
    pub port: u16,
    /// The role.
    pub user: String,
    /// Its password; empty for a role without one.
    pub password: Secret,
    /// The database.
    pub database: String,
    /// The schema that holds the site's tables, nearly always `public`.
    pub schema: String,
    /// Whether the connection is encrypted.
    pub tls: Tls,
}

/// Where a PostgreSQL server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PostgresHost {
    /// A host name or address.
    Tcp(String),
    /// The folder that holds the server's socket, such as `/var/run/postgresql`.
    SocketFolder(PathBuf),
}

impl PostgresSettings {
    pub(crate) fn address(&self) -> String {
        match &self.host {
            PostgresHost::Tcp(host) => HostPort(host, self.port).to_string(),
            PostgresHost::SocketFolder(folder) => {
                folder.join(format!(".s.PGSQL.{}", self.port)).display().to_string()
            }
        }
    }
}

/// Whether a connection is encrypted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tls {
    /// Encrypted where the server can, else plain; no certificate is checked.
    #[default]
    Preferred,
    /// Encrypted, or there is no connection.
    Required {
        /// A PEM file of authorities. With it the server's certificate and name are verified (public
        /// authorities count too); without it nothing is, which is what a bare "use SSL" flag means in PHP.
        ca: Option<PathBuf>,
    },
    /// Never encrypted.
    Off,
}

/// What a database may take of time, memory and connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long the server works on one statement, at most a day. The client gives up two seconds later and has
    /// the server drop the statement.
    pub statement_time: Duration,
    /// How many connections are open at once, at least 1. Some shared hosts allow an account only two.
    pub connections: u32,
    /// How many rows [`Database::rows`](crate::Database::rows) keeps.
    pub max_rows: usize,
    /// How many bytes of values are kept; the first row always is.
    pub max_bytes: usize,
    /// How long one attempt to connect and log in may take, at most a day.
    pub connect_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            statement_time: Duration::from_secs(20),
            connections: 2,
            max_rows: 50_000,
            max_bytes: 32 * 1024 * 1024,
            connect_timeout: Duration::from_secs(10),
        }
    }
}

/// Writes `host:port`, with brackets round an IPv6 address.
pub(crate) struct HostPort<'a>(pub &'a str, pub u16);

impl fmt::Display for HostPort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_host_port(f, self.0, self.1)
    }
}

fn write_host_port(f: &mut fmt::Formatter<'_>, host: &str, port: u16) -> fmt::Result {
    if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_neither_password() {
        let mysql = ConnectSettings::MySql(MySqlSettings {
            hosts: vec![MySqlAddress::Tcp { host: "db".into(), port: 3306 }],
            user: "shop".into(),
            password: Secret::new("hunter2"),
            database: "d".into(),
            tls: Tls::Off,
        });
        let postgres = ConnectSettings::Postgres(PostgresSettings {
            host: PostgresHost::Tcp("db".into()),
            port: 5432,
            user: "shop".into(),
            password: Secret::new("hunter2"),
            database: "d".into(),
            schema: "public".into(),
            tls: Tls::Off,
        });
        let text = format!("{mysql:?} {postgres:?}");
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("shop"), "{text}");
    }

    #[test]
    fn addresses_read_as_people_write_them() {
        let tcp = |host: &str| MySqlAddress::Tcp { host: host.into(), port: 3307 }.to_string();
        assert_eq!(tcp("db.example.org"), "db.example.org:3307");
        assert_eq!(tcp("::1"), "[::1]:3307");
        assert_eq!(MySqlAddress::Socket { path: "/run/m.sock".into() }.to_string(), "/run/m.sock");
    }
}
