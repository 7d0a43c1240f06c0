//! What can go wrong with a database, in words that say what, where and how to fix it.
//!
//! The driver's own error is kept as the source, for the operator's log. It stays out of the messages,
//! because servers put host names, account names and pieces of statements into their texts. No message
//! holds a password or a connection string.

mod classify;
mod mysql;
mod postgres;
mod sqlite;
mod tool;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use classify::{Place, classify, reason_of};

/// The class of errors of a server that does not keep to its protocol.
const PROTOCOL: &str = "protocol";

/// The driver's error behind a [`DbError`].
pub type Cause = Box<dyn Error + Send + Sync + 'static>;

/// Why a database gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DbError {
    /// Nothing answers at any of the addresses.
    #[error("No database server answers at {address}: {reason}.")]
    Unreachable {
        /// The addresses that were tried.
        address: String,
        /// Why the connection failed, in a few words.
        reason: String,
        /// What to do about it, where that can be told.
        hint: Option<String>,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The server answers and does not let this account in.
    #[error("The database server at {address} refused the login of user `{user}`.")]
    LoginRefused {
        /// The account.
        user: String,
        /// The server.
        address: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The account logs in by a method that is not built in.
    #[error("User `{user}` logs in by the authentication plugin `{plugin}`, which is not supported.")]
    AuthPluginUnsupported {
        /// The server's name of the method.
        plugin: String,
        /// The account.
        user: String,
    },
    /// The connection could not be encrypted as the settings demand.
    #[error("The connection to {address} could not be encrypted: {reason}.")]
    TlsFailed {
        /// The server.
        address: String,
        /// Why.
        reason: String,
    },
    /// The server has no database of this name, or the account may not use it.
    #[error("The database `{database}` does not exist on {address}, or user `{user}` may not use it.")]
    UnknownDatabase {
        /// The database.
        database: String,
        /// The account.
        user: String,
        /// The server.
        address: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The server, or the account, has no connection to spare.
    #[error("The database server at {address} has no connection to spare.")]
    TooManyConnections {
        /// The server.
        address: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The server is too old for read-only sessions.
    #[error("The database server is version {version}, which knows no read-only sessions.")]
    ServerTooOld {
        /// The version as the server says it.
        version: String,
    },
    /// The connection broke while the server worked.
    #[error("The connection to the database at {address} was lost.")]
    ConnectionLost {
        /// The server.
        address: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The statement ran longer than allowed; it has been stopped.
    #[error("The statement ran longer than {} s and was stopped.", limit.as_secs_f32())]
    TimedOut {
        /// The time allowed.
        limit: Duration,
    },
    /// A lock, a busy database or a full pool stood in the way.
    #[error("The database is busy: {what}.")]
    Busy {
        /// What was waited for.
        what: &'static str,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// No table of this name.
    #[error("There is no table `{table}`.")]
    TableMissing {
        /// The name as the server gives it, without the database.
        table: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// No column of this name.
    #[error("There is no column `{column}`.")]
    ColumnMissing {
        /// The name as the server gives it.
        column: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The account may not read this.
    #[error("The database account may not read {what}.")]
    PermissionDenied {
        /// The table or column, or "this".
        what: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The server does not understand the statement.
    #[error("The statement has a syntax error near `{near}`.")]
    SyntaxNear {
        /// The piece of the statement that the server points at.
        near: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// The statement would have written, and the session is read-only.
    #[error("The statement would change data; the connection is read-only.")]
    ReadOnly {
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
    /// Parameters that do not fit the statement in number or type.
    #[error("The parameters do not fit the statement: {problem}.")]
    BadParameters {
        /// What does not fit.
        problem: String,
    },
    /// A template of the program's own is malformed.
    #[error("The statement is malformed: {problem}, near `{near}`.")]
    BadStatement {
        /// What is wrong.
        problem: &'static str,
        /// Where.
        near: String,
    },
    /// A value of a result is absent or not what the reader of the row expects.
    #[error("Column `{column}` of the result {problem}.")]
    BadValue {
        /// The column.
        column: String,
        /// What is wrong, such as "is not a whole number".
        problem: &'static str,
    },
    /// A row or a value is longer than is received.
    #[error(
        "A row of the result is longer than 16 MiB, which is not received. The statement begins: {statement}"
    )]
    TooLarge {
        /// The beginning of the statement.
        statement: String,
    },
    /// The database file is not there.
    #[error("There is no database file {}.", path.display())]
    FileMissing {
        /// The file.
        path: PathBuf,
    },
    /// The database file is there and cannot be read.
    #[error("The database file {} cannot be read: {reason}.", path.display())]
    FileUnreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is not an SQLite database, or a damaged or encrypted one.
    #[error("{} is not an SQLite database, or it is damaged or encrypted.", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// Anything else that the server refuses.
    #[error("The database refused the statement: {meaning} ({class}).")]
    Other {
        /// The server's error number or SQLSTATE.
        class: String,
        /// What that class means, in words of our own.
        meaning: String,
        /// The driver's error.
        #[source]
        source: Option<Cause>,
    },
}

impl DbError {
    pub(crate) fn too_large(sql: &str) -> Self {
        Self::TooLarge { statement: siteclaw_core::sanitise_fragment(sql.trim(), 120) }
    }

    /// The server does not keep to its protocol.
    pub(crate) fn protocol(problem: &str) -> Self {
        Self::Other { class: PROTOCOL.to_owned(), meaning: problem.to_owned(), source: None }
    }

    /// Whether the connection is of no use after this.
    pub(crate) fn ends_connection(&self) -> bool {
        match self {
            Self::ConnectionLost { .. } | Self::TooLarge { .. } => true,
            Self::Other { class, .. } => class == PROTOCOL,
            _ => false,
        }
    }

    /// Whether the same statement may succeed when it is sent again.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::TooManyConnections { .. } | Self::ConnectionLost { .. } | Self::Busy { .. })
    }

    /// What to do next, for the person or model that reads the message.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Unreachable { hint, .. } => return hint.clone(),
            Self::LoginRefused { .. } => {
                "Check user and password in the site's configuration; if they are right there, the \
                 server may allow this account only from another host."
            }
            Self::AuthPluginUnsupported { .. } => {
                "Give Siteclaw an account that logs in with mysql_native_password or caching_sha2_password."
            }
            Self::TlsFailed { .. } => {
                "Check the certificate authority in the settings, or whether the server has TLS switched on."
            }
            Self::UnknownDatabase { .. } => "Check the database's name in the site's configuration.",
            Self::TooManyConnections { .. } => {
                "Try again in a moment; if it stays so, the account's or server's connection limit is too low."
            }
            Self::ServerTooOld { .. } => "MySQL 5.6, MariaDB 10.0 or newer is needed.",
            Self::TimedOut { .. } => {
                "Ask for less: a narrower condition, fewer joins, or columns that have an index."
            }
            Self::Busy { .. } | Self::ConnectionLost { .. } => "Try again in a moment.",
            Self::TooLarge { .. } => {
                "Leave the long columns out, or cut them in the statement: LEFT(column, 1000), on SQLite \
                 SUBSTR(column, 1, 1000)."
            }
            Self::TableMissing { .. } => "List the tables to see their exact names, prefix included.",
            Self::ColumnMissing { .. } => "Look at the table's columns for the exact name.",
            Self::PermissionDenied { .. } => "The account needs the SELECT privilege there.",
            Self::ReadOnly { .. } => "Only statements that read are possible.",
            Self::FileMissing { .. } => "Check the path in the site's configuration.",
            Self::NotADatabase { .. } => {
                "Check that the path in the configuration leads to the site's database file."
            }
            Self::FileUnreadable { .. } => {
                "Give the user that runs Siteclaw the right to read the file and its folder."
            }
            Self::SyntaxNear { .. }
            | Self::BadParameters { .. }
            | Self::BadStatement { .. }
            | Self::BadValue { .. }
            | Self::Other { .. } => {
                return None;
            }
        };
        Some(text.to_owned())
    }
}
