//! Which database speaks at the other end.

/// The wire protocol and SQL family of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// MySQL and MariaDB.
    MySql,
    /// PostgreSQL.
    Postgres,
    /// SQLite, embedded.
    Sqlite,
}

impl Engine {
    /// The name used in answers: `mysql`, `postgres` or `sqlite`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }
}
