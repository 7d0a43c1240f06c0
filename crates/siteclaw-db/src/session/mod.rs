//! One connection: read-only and time-limited from the moment it is open.
//!
//! A session sends three kinds of text: constants of its own, rendered templates, and statements that the
//! guard printed. The latter two travel by the prepared protocol only, because both MySQL drivers of the
//! Rust world negotiate multi-statement text queries.

mod collect;
pub(crate) mod mysql;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::io;
use std::time::Duration;

pub(crate) use collect::{Collector, Outcome};
pub(crate) use sqlite::SqliteSource;

use crate::error::{Place, classify, reason_of};
use crate::settings::Tls;
use crate::{DbError, Param, ServerInfo};

/// How much longer the client waits than the server works, so that the server's own limit comes first.
const GRACE: Duration = Duration::from_secs(2);
/// SQLite waits this long for a lock, outside the time limit of the statement.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Why a session did not come about.
pub(crate) enum OpenError {
    /// Nothing answers there: the next address may.
    NoAnswer(sqlx::Error),
    /// Somebody answers and says no.
    Refused(DbError),
}

impl OpenError {
    fn new(error: sqlx::Error, place: &Place) -> Self {
        match error {
            // A certificate that does not verify comes as an error of the socket.
            sqlx::Error::Io(io) if io.kind() == io::ErrorKind::InvalidData => {
                Self::Refused(DbError::TlsFailed { address: place.address.clone(), reason: reason_of(&io) })
            }
            sqlx::Error::Io(_) => Self::NoAnswer(error),
            error => Self::Refused(classify(error, place)),
        }
    }
}

/// Says so when the file of authorities is the trouble; the driver would report the server.
/// The longest file of certificate authorities; a whole system's bundle has a quarter of a megabyte.
const MAX_AUTHORITY_BYTES: u64 = 4 * 1024 * 1024;

async fn check_authority(tls: &Tls, place: &Place) -> Result<(), OpenError> {
    let Tls::Required { ca: Some(ca) } = tls else { return Ok(()) };
    let refused = match tokio::fs::metadata(ca).await {
        // A FIFO or device would hang or fill the memory of whoever reads it whole.
        Ok(file) if !file.is_file() => "it is no regular file".to_owned(),
        Ok(file) if file.len() > MAX_AUTHORITY_BYTES => "it is longer than 4 MiB".to_owned(),
        Ok(_) => match tokio::fs::File::open(ca).await {
            Ok(_) => return Ok(()),
            Err(error) => reason_of(&error),
        },
        Err(error) => reason_of(&error),
    };
    let reason = format!("the certificate authorities in {} cannot be read, {refused}", ca.display());
    Err(OpenError::Refused(DbError::TlsFailed { address: place.address.clone(), reason }))
}

/// An open connection.
pub(crate) enum Session {
    MySql(Box<mysql::MySqlSession>),
    Postgres(Box<postgres::PostgresSession>),
    Sqlite(Box<sqlite::SqliteSession>),
}

/// What to tell the server so that a statement whose connection was dropped ends too.
pub(crate) enum Kill {
    MySql(mysql::MySqlKill),
    Postgres(postgres::PostgresKill),
}

impl Kill {
    /// Opens a connection for the purpose; failures are the server's time limit's business.
    pub(crate) async fn run(self) {
        let result = match self {
            Self::MySql(kill) => kill.run().await,
            Self::Postgres(kill) => kill.run().await,
        };
        if let Err(error) = result {
            tracing::debug!(%error, "could not stop an abandoned statement; the server's time limit will");
        }
    }
}

impl Session {
    pub(crate) fn server(&self) -> &ServerInfo {
        match self {
            Self::MySql(session) => session.server(),
            Self::Postgres(session) => session.server(),
            Self::Sqlite(session) => session.server(),
        }
    }

    /// How long the client waits for one statement.
    pub(crate) fn patience(&self, statement_time: Duration) -> Duration {
        match self {
            Self::MySql(session) if !session.limits_time() => statement_time,
            Self::MySql(_) | Self::Postgres(_) => statement_time + GRACE,
            Self::Sqlite(_) => statement_time + GRACE + LOCK_WAIT,
        }
    }

    /// Runs one statement by the prepared protocol and hands its rows to the collector.
    pub(crate) async fn fetch(
        &mut self,
        sql: &str,
        params: &[Param],
        into: &mut Collector,
    ) -> Result<Outcome, DbError> {
        match self {
            Self::MySql(session) => session.fetch(sql, params, into).await,
            Self::Postgres(session) => session.fetch(sql, params, into).await,
            Self::Sqlite(session) => session.fetch(sql, params, into).await,
        }
    }

    /// Begins an explicit read-only transaction that sees one state of the data.
    pub(crate) async fn begin(&mut self) -> Result<(), DbError> {
        match self {
            Self::MySql(session) => session.begin().await,
            Self::Postgres(session) => session.begin().await,
            Self::Sqlite(session) => session.begin().await,
        }
    }

    /// Makes a transaction usable again in which a statement failed.
    pub(crate) async fn recover(&mut self) -> Result<(), DbError> {
        match self {
            Self::Postgres(session) => session.recover().await,
            Self::MySql(_) | Self::Sqlite(_) => Ok(()),
        }
    }

    pub(crate) async fn rollback(&mut self) -> Result<(), DbError> {
        match self {
            Self::MySql(session) => session.rollback().await,
            Self::Postgres(session) => session.rollback().await,
            Self::Sqlite(session) => session.rollback().await,
        }
    }

    /// Whether an idle session may be used again.
    pub(crate) async fn is_usable(&mut self, idle: Duration) -> bool {
        const UNTESTED: Duration = Duration::from_secs(1);
        match self {
            Self::Sqlite(session) => session.is_current().await,
            _ if idle < UNTESTED => true,
            Self::MySql(session) => session.ping().await,
            Self::Postgres(session) => session.ping().await,
        }
    }

    /// How long a session is kept without use.
    pub(crate) fn keep_idle(&self) -> Duration {
        match self {
            // While it is open, the site's last connection cannot tidy its `-wal` and `-shm` away.
            Self::Sqlite(session) if session.holds_wal() => Duration::ZERO,
            Self::MySql(session) if session.is_full() => Duration::ZERO,
            Self::Sqlite(_) => Duration::from_secs(2),
            Self::MySql(_) | Self::Postgres(_) => Duration::from_secs(30),
        }
    }

    /// Takes leave of the server.
    pub(crate) async fn close(self) {
        match self {
            Self::MySql(session) => session.close().await,
            Self::Postgres(session) => session.close().await,
            Self::Sqlite(session) => session.close().await,
        }
    }

    /// Drops the connection in the middle of a statement. What is returned, if anything, must be run.
    pub(crate) fn abandon(self) -> Option<Kill> {
        match self {
            Self::MySql(session) => Some(Kill::MySql(session.abandon())),
            Self::Postgres(session) => Some(Kill::Postgres(session.abandon())),
            Self::Sqlite(session) => {
                session.abandon();
                None
            }
        }
    }
}
