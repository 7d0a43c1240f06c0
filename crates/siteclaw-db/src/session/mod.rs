//! One connection: read-only and time-limited from the moment it is open.
//!
//! A session sends three kinds of text: constants of its own, rendered templates, and statements that the
//! guard printed. The latter two travel by the prepared protocol only, because both MySQL drivers of the
//! Rust world negotiate multi-statement text queries.

mod collect;
pub(crate) mod mysql;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::future::Future;
use std::io::{self, Read};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::timeout;

pub(crate) use collect::{Collector, Outcome};
pub(crate) use sqlite::SqliteSource;

use crate::error::{Place, classify, reason_of};
use crate::settings::Tls;
use crate::wire::{Encryption, Peer, Refusal, Report};
use crate::{DbError, Param, ServerInfo};

/// How much longer the client waits than the server works, so that the server's own limit comes first.
const GRACE: Duration = Duration::from_secs(2);
/// How long a goodbye may take.
const FAREWELL: Duration = Duration::from_secs(2);
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
    fn new(error: sqlx::Error, report: &Report, place: &Place) -> Self {
        match (report.refusal(), error) {
            (Some(refusal), _) => Self::Refused(refused(refusal, place, None)),
            (None, error @ sqlx::Error::Io(_)) => Self::NoAnswer(error),
            (None, error) => Self::Refused(classify(error, place)),
        }
    }
}

/// Names why a connection was broken off on this side.
fn refused(refusal: Refusal, place: &Place, sql: Option<&str>) -> DbError {
    match refusal {
        Refusal::Tls(reason) => DbError::TlsFailed {
            address: place.address.clone(),
            reason: siteclaw_core::sanitise_fragment(&reason, 160),
        },
        Refusal::TooLong => DbError::too_large(sql.unwrap_or_default()),
        Refusal::Broken(problem) => DbError::protocol(problem),
    }
}

/// Names a driver's error; what ended the connection on this side comes first.
fn failed(error: sqlx::Error, report: &Report, place: &Place, sql: &str) -> DbError {
    match report.refusal() {
        Some(refusal) => refused(refusal, place, Some(sql)),
        None => classify(error, place),
    }
}

/// Has a driver work. It takes a well-formed answer for granted in places, and a panic of its own is an answer that
/// was not understood: the connection is of no use after it.
async fn guarded<T>(work: impl Future<Output = Result<T, DbError>>) -> Result<T, DbError> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| Err(DbError::protocol(NOT_UNDERSTOOD)))
}

/// As [`guarded`], for a connection that is being opened.
pub(crate) async fn guarded_open<T>(
    work: impl Future<Output = Result<T, OpenError>>,
) -> Result<T, OpenError> {
    let result = AssertUnwindSafe(work).catch_unwind().await;
    result.unwrap_or_else(|_| Err(OpenError::Refused(DbError::protocol(NOT_UNDERSTOOD))))
}

const NOT_UNDERSTOOD: &str = "the server's answer was not understood";

/// The longest file of certificate authorities; a whole system's bundle has a quarter of a megabyte.
const MAX_AUTHORITY_BYTES: u64 = 4 * 1024 * 1024;

/// How a connection is to be encrypted, with the authorities read.
async fn encryption(tls: &Tls, host: &str, place: &Place) -> Result<Encryption, OpenError> {
    let ca = match tls {
        Tls::Off => return Ok(Encryption::Off),
        Tls::Preferred => return Ok(Encryption::Preferred(Peer::Anybody)),
        Tls::Required { ca: None } => return Ok(Encryption::Required(Peer::Anybody)),
        Tls::Required { ca: Some(ca) } => ca.clone(),
    };
    let path = ca.clone();
    let read = tokio::task::spawn_blocking(move || authorities(&path)).await;
    match read.unwrap_or_else(|_| Err("the program is shutting down".to_owned())) {
        Ok(authorities) => Ok(Encryption::Required(Peer::Named { host: host.to_owned(), authorities })),
        Err(refused) => {
            let reason = format!("the certificate authorities in {} cannot be read, {refused}", ca.display());
            Err(OpenError::Refused(DbError::TlsFailed { address: place.address.clone(), reason }))
        }
    }
}

fn authorities(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: io::Error| reason_of(&error);
    // Looked at first: a FIFO or device would hang or fill the memory of whoever opens it.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_AUTHORITY_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_AUTHORITY_BYTES {
        return Err("it is longer than 4 MiB".to_owned());
    }
    Ok(bytes)
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
        let result = guarded(async {
            match self {
                Self::MySql(kill) => kill.run().await,
                Self::Postgres(kill) => kill.run().await,
            }
            .map_err(|_| DbError::protocol("nobody takes the order"))
        });
        if let Err(error) = result.await {
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
        guarded(async {
            match self {
                Self::MySql(session) => session.fetch(sql, params, into).await,
                Self::Postgres(session) => session.fetch(sql, params, into).await,
                Self::Sqlite(session) => session.fetch(sql, params, into).await,
            }
        })
        .await
    }

    /// Begins an explicit read-only transaction that sees one state of the data.
    pub(crate) async fn begin(&mut self) -> Result<(), DbError> {
        guarded(async {
            match self {
                Self::MySql(session) => session.begin().await,
                Self::Postgres(session) => session.begin().await,
                Self::Sqlite(session) => session.begin().await,
            }
        })
        .await
    }

    /// Makes a transaction usable again in which a statement failed.
    pub(crate) async fn recover(&mut self) -> Result<(), DbError> {
        match self {
            Self::Postgres(session) => guarded(session.recover()).await,
            Self::MySql(_) | Self::Sqlite(_) => Ok(()),
        }
    }

    pub(crate) async fn rollback(&mut self) -> Result<(), DbError> {
        guarded(async {
            match self {
                Self::MySql(session) => session.rollback().await,
                Self::Postgres(session) => session.rollback().await,
                Self::Sqlite(session) => session.rollback().await,
            }
        })
        .await
    }

    /// Whether an idle session may be used again.
    pub(crate) async fn is_usable(&mut self, idle: Duration) -> bool {
        const UNTESTED: Duration = Duration::from_secs(1);
        match self {
            Self::Sqlite(session) => session.is_current().await,
            _ if idle < UNTESTED => true,
            Self::MySql(session) => guarded(async { Ok(session.ping().await) }).await.unwrap_or(false),
            Self::Postgres(session) => guarded(async { Ok(session.ping().await) }).await.unwrap_or(false),
        }
    }

    /// How long a session is kept without use.
    pub(crate) fn keep_idle(&self) -> Duration {
        match self {
            // While it is open, the site's last connection cannot tidy its `-wal` and `-shm` away.
            Self::Sqlite(session) if session.holds_wal() => Duration::ZERO,
            Self::MySql(session) if session.is_full() => Duration::ZERO,
            Self::Postgres(session) if session.is_worn() => Duration::ZERO,
            Self::Sqlite(_) => Duration::from_secs(2),
            Self::MySql(_) | Self::Postgres(_) => Duration::from_secs(30),
        }
    }

    /// Takes leave of the server.
    pub(crate) async fn close(self) {
        let closed = guarded(async {
            match self {
                Self::MySql(session) => session.close().await,
                Self::Postgres(session) => session.close().await,
                Self::Sqlite(session) => session.close().await,
            }
            Ok(())
        });
        // A server that takes nothing more must not hold anybody up.
        if !matches!(timeout(FAREWELL, closed).await, Ok(Ok(()))) {
            tracing::debug!("a connection did not close cleanly");
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
