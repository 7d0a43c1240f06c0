//! The way to a database server, and what is let through on it.
//!
//! The drivers believe what a server says of lengths and counts: a number of columns is reserved before the first
//! one has come, a row is received whole however long it is. One packet of a hostile server, or of an honest one
//! that was asked for a huge value, could end the process. So no driver speaks to a server: it speaks to this
//! process itself, over a local socket, and a task passes on what it has looked at. Encryption ends here too,
//! because what is encrypted cannot be looked at.
//!
//! Refused, and the connection with it: messages longer than [`MAX_MESSAGE`], more columns than a table can have,
//! descriptions and settings without end, answers to nothing. What the drivers stumble over in a message that was
//! let through is a panic of theirs, which [`crate::session`] catches; nothing that passes here can abort.

mod dial;
mod frames;
mod local;
mod mysql;
mod mysql_login;
mod postgres;
mod relay;
mod tls;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

pub(crate) use dial::Address;
pub(crate) use local::{Endpoint, PORT};
pub(crate) use tls::{Encryption, Peer};

/// The longest message that is received: a row, or one value. MySQL splits what is longer, so this is one byte less
/// than its longest packet. MariaDB's default lets nobody store more at once.
pub(crate) const MAX_MESSAGE: usize = 0xFF_FF_FE;
/// The longest message before a login, where nobody has shown who he is.
const MAX_LOGIN: usize = 64 * 1024;
/// Columns of a result; MySQL's limit, and more than PostgreSQL's.
const MAX_COLUMNS: u64 = 4096;
/// Descriptions of columns and parameters, for one statement.
const MAX_DESCRIPTION: u64 = 2 * 1024 * 1024;
/// Descriptions over the life of a connection, which drivers keep with the statements they prepared. A connection
/// that has seen half of it is worn.
const MAX_DESCRIPTIONS: u64 = 64 * 1024 * 1024;

/// Why a connection was broken off here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A row is longer than is received.
    TooLong,
    /// The server does not keep to the protocol, in a few words.
    Broken(&'static str),
    /// The connection could not be encrypted.
    Tls(String),
}

/// What became of a connection, as its task tells it.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    told: Arc<Told>,
    task: watch::Receiver<()>,
}

#[derive(Debug, Default)]
struct Told {
    refusal: Mutex<Option<Refusal>>,
    worn: AtomicBool,
}

/// Held by a connection's task until it ends.
type Alive = watch::Sender<()>;

impl Default for Report {
    /// That of a connection that never was.
    fn default() -> Self {
        Self::new().1
    }
}

impl Report {
    fn new() -> (Alive, Self) {
        let (alive, task) = watch::channel(());
        (alive, Self { told: Arc::default(), task })
    }

    /// Waits until the task has passed the driver's last words on and ended.
    pub(crate) async fn ended(&self) {
        let mut task = self.task.clone();
        while task.changed().await.is_ok() {}
    }

    /// Why it was broken off, if it was.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.told.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the connection should be replaced when it is free, because its driver has kept much.
    pub(crate) fn is_worn(&self) -> bool {
        self.told.worn.load(Ordering::Relaxed)
    }

    /// Tells why, while the driver still waits: it must not see the end before the reason is known.
    fn end(&self, end: Result<(), End>) {
        if let Err(End::Refused(refusal)) = end {
            tracing::debug!(?refusal, "a connection to a database server was broken off");
            *self.told.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
        }
    }

    fn wear(&self) {
        self.told.worn.store(true, Ordering::Relaxed);
    }
}

/// Why a connection ends before its time.
#[derive(Debug)]
enum End {
    Refused(Refusal),
    /// One of the two sides is gone.
    Gone,
}

impl From<Refusal> for End {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// A connection to a server, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

type Server = Box<dyn Stream>;

/// Connects to a MySQL server, so that a driver may log in at the endpoint with `password`.
///
/// # Errors
/// When nothing answers. What is wrong with an answer is in the report once the driver has failed.
pub(crate) async fn mysql(
    address: &Address,
    encryption: Encryption,
    password: siteclaw_core::Secret,
) -> io::Result<(Endpoint, Report)> {
    let server = dial::connect(address).await?;
    let login = mysql_login::Login { encryption, password, is_local: address.is_local() };
    let (alive, report) = Report::new();
    let told = report.clone();
    let endpoint = Endpoint::open(move |mut driver| async move {
        let _alive = alive;
        let end = mysql_login::run(login, server, &mut driver, told.clone()).await;
        told.end(end);
    })?;
    Ok((endpoint, report))
}

/// Connects to a PostgreSQL server, as [`mysql`] does.
pub(crate) async fn postgres(address: &Address, encryption: Encryption) -> io::Result<(Endpoint, Report)> {
    let server = dial::connect(address).await?;
    let (alive, report) = Report::new();
    let told = report.clone();
    let endpoint = Endpoint::open(move |mut driver| async move {
        let _alive = alive;
        let end = postgres::run(encryption, server, &mut driver, told.clone()).await;
        told.end(end);
    })?;
    Ok((endpoint, report))
}
