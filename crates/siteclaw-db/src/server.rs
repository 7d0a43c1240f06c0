//! Who answers at the other end.

use crate::Engine;

/// The product behind a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// MySQL, Percona Server, Aurora.
    MySql,
    /// MariaDB.
    MariaDb,
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
}

impl Flavour {
    /// The name used in answers: `mysql`, `mariadb`, `postgres` or `sqlite`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }
}

/// What a server says about itself, and the address at which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// The family.
    pub engine: Engine,
    /// The product.
    pub flavour: Flavour,
    /// The version in the server's own words, such as `10.11.6-MariaDB-0+deb12u1`.
    pub version: String,
    /// Host and port, socket or file that was used.
    pub address: String,
}
