//! Few connections, shared fairly, closed soon when idle.
//!
//! A pool of our own and not the driver's, for three reasons: a site may name several addresses of which one
//! works; an account may be allowed fewer connections than we would take, and then the ones we have must
//! serve; and a connection that is dropped in the middle of a statement must take the statement with it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{sleep, timeout};

use crate::error::reason_of;
use crate::lease::Lease;
use crate::session::mysql::MySqlSession;
use crate::session::postgres::PostgresSession;
use crate::session::sqlite::SqliteSession;
use crate::session::{OpenError, Session, SqliteSource, guarded_open};
use crate::settings::{ConnectSettings, HostPort, Limits, MySqlAddress, MySqlSettings, PostgresHost};
use crate::{DbError, Engine, ServerInfo};

pub(crate) struct Pool {
    settings: ConnectSettings,
    limits: Limits,
    permits: Arc<Semaphore>,
    shelf: Mutex<Shelf>,
    returned: Notify,
    /// Which of several addresses answered last.
    working: AtomicUsize,
    file: Option<SqliteSource>,
}

#[derive(Default)]
struct Shelf {
    idle: Vec<Idle>,
    /// Whether a task waits to close what lies here too long.
    swept: bool,
    server: Option<ServerInfo>,
}

struct Idle {
    session: Session,
    since: Instant,
}

/// Longer than anybody waits, and short enough for the clock and for every server's own limit.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

impl Pool {
    pub(crate) fn new(settings: ConnectSettings, limits: Limits) -> Arc<Self> {
        let limits = Limits {
            statement_time: limits.statement_time.min(LONGEST),
            connect_timeout: limits.connect_timeout.min(LONGEST),
            ..limits
        };
        let file = match &settings {
            ConnectSettings::Sqlite(file) => Some(SqliteSource::new(file.clone())),
            ConnectSettings::MySql(_) | ConnectSettings::Postgres(_) => None,
        };
        let permits = usize::try_from(limits.connections.max(1)).unwrap_or(1);
        Arc::new(Self {
            settings,
            limits,
            permits: Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS))),
            shelf: Mutex::default(),
            returned: Notify::new(),
            working: AtomicUsize::new(0),
            file,
        })
    }

    pub(crate) const fn engine(&self) -> Engine {
        self.settings.engine()
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What the server said when a connection was opened last.
    pub(crate) fn server(&self) -> Option<ServerInfo> {
        self.shelf().server.clone()
    }

    /// A connection for one use: an idle one, else a new one.
    ///
    /// Where the server refuses one more connection, it waits for one of ours to come back and asks again.
    pub(crate) async fn lease(self: &Arc<Self>) -> Result<Lease, DbError> {
        let patience = self.limits.statement_time + self.limits.connect_timeout;
        let deadline = Instant::now() + patience;
        let permit = match timeout(patience, Arc::clone(&self.permits).acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) | Err(_) => {
                return Err(DbError::Busy { what: "all connections of this site are in use", source: None });
            }
        };
        let mut pause = Duration::from_millis(50);
        loop {
            if let Some(session) = self.take_idle().await {
                return Ok(Lease::new(self, session, permit, true));
            }
            let error = match self.open().await {
                Ok(session) => {
                    self.shelf().server = Some(session.server().clone());
                    return Ok(Lease::new(self, session, permit, false));
                }
                Err(error) => error,
            };
            let refused = matches!(error, DbError::TooManyConnections { .. });
            if !refused || Instant::now() + pause > deadline {
                return Err(error);
            }
            // A connection that came back wakes this early.
            let _ = timeout(pause, self.returned.notified()).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    async fn take_idle(&self) -> Option<Session> {
        loop {
            let Idle { mut session, since } = self.shelf().idle.pop()?;
            let idle = since.elapsed();
            if idle < session.keep_idle()
                && timeout(self.limits.connect_timeout, session.is_usable(idle)).await.unwrap_or(false)
            {
                return Some(session);
            }
            session.close().await;
        }
    }

    async fn open(&self) -> Result<Session, DbError> {
        match &self.settings {
            ConnectSettings::MySql(settings) => self.open_mysql(settings).await,
            ConnectSettings::Postgres(settings) => {
                let opening = guarded_open(PostgresSession::open(settings, &self.limits));
                match timeout(self.limits.connect_timeout, opening).await {
                    Ok(Ok(session)) => Ok(Session::Postgres(Box::new(session))),
                    Ok(Err(OpenError::Refused(error))) => Err(error),
                    Ok(Err(OpenError::NoAnswer(error))) => {
                        let host = match &settings.host {
                            PostgresHost::Tcp(host) => Some((host.as_str(), settings.port)),
                            PostgresHost::SocketFolder(_) => None,
                        };
                        Err(unreachable(settings.address(), host, Some(error)).await)
                    }
                    Err(_) => Err(unreachable(settings.address(), None, None).await),
                }
            }
            ConnectSettings::Sqlite(file) => {
                let Some(file) = &self.file else {
                    return Err(DbError::FileMissing { path: file.path().to_owned() });
                };
                Ok(Session::Sqlite(Box::new(SqliteSession::open(file, &self.limits).await?)))
            }
        }
    }

    /// Tries the addresses in order, the one that worked last first. A server that answers and refuses is
    /// reported only when no other address lets us in.
    async fn open_mysql(&self, settings: &MySqlSettings) -> Result<Session, DbError> {
        let working = self.working.load(Ordering::Relaxed);
        let order =
            std::iter::once(working).chain((0..settings.hosts.len()).filter(|index| *index != working));
        let mut refused = None;
        let mut silent = None;
        for index in order {
            let Some(address) = settings.hosts.get(index) else { continue };
            let opening = guarded_open(MySqlSession::open(settings, address, &self.limits));
            match timeout(self.limits.connect_timeout, opening).await {
                Ok(Ok(session)) => {
                    self.working.store(index, Ordering::Relaxed);
                    return Ok(Session::MySql(Box::new(session)));
                }
                Ok(Err(OpenError::Refused(error))) => {
                    if refused.is_none() {
                        refused = Some(error);
                    }
                }
                Ok(Err(OpenError::NoAnswer(error))) => silent = Some((address, Some(error))),
                Err(_) => silent = Some((address, None)),
            }
        }
        if let Some(error) = refused {
            return Err(error);
        }
        let tried = match settings.hosts.as_slice() {
            [MySqlAddress::Socket { .. }, .., MySqlAddress::Tcp { host, port }] => {
                format!("the usual sockets or {}", HostPort(host, *port))
            }
            hosts => hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
        };
        let (address, error) = silent.map_or((None, None), |(address, error)| (Some(address), error));
        let host = match address {
            Some(MySqlAddress::Tcp { host, port }) => Some((host.as_str(), *port)),
            _ => None,
        };
        Err(unreachable(tried, host, error).await)
    }

    pub(crate) fn put_back(self: &Arc<Self>, session: Session) {
        let mut shelf = self.shelf();
        shelf.idle.push(Idle { session, since: Instant::now() });
        let start = !shelf.swept;
        if start && let Ok(runtime) = Handle::try_current() {
            shelf.swept = true;
            runtime.spawn(sweep(Arc::downgrade(self)));
        }
        drop(shelf);
        self.returned.notify_one();
    }

    /// Takes out what lay idle too long, and says when to look again.
    fn expired(&self) -> (Vec<Session>, Option<Duration>) {
        let mut shelf = self.shelf();
        let (old, young): (Vec<Idle>, Vec<Idle>) =
            shelf.idle.drain(..).partition(|idle| idle.since.elapsed() >= idle.session.keep_idle());
        let next =
            young.iter().map(|idle| idle.session.keep_idle().saturating_sub(idle.since.elapsed())).min();
        shelf.idle = young;
        shelf.swept = next.is_some();
        (old.into_iter().map(|idle| idle.session).collect(), next)
    }

    /// Closes every idle connection.
    pub(crate) async fn close_idle(&self) {
        let idle = std::mem::take(&mut self.shelf().idle);
        for idle in idle {
            idle.session.close().await;
        }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sweep(pool: Weak<Pool>) {
    let mut pause = Duration::from_secs(1);
    loop {
        sleep(pause).await;
        let Some(pool) = pool.upgrade() else { return };
        let (old, next) = pool.expired();
        for session in old {
            session.close().await;
        }
        match next {
            // A little later than due, so that one round suffices.
            Some(next) => pause = next + Duration::from_millis(20),
            None => return,
        }
    }
}

async fn unreachable(address: String, host: Option<(&str, u16)>, error: Option<sqlx::Error>) -> DbError {
    let mut reason = match &error {
        Some(sqlx::Error::Io(io)) => reason_of(io),
        Some(_) => "the connection failed".to_owned(),
        None => "no answer in time".to_owned(),
    };
    let mut hint =
        "Check host and port in the site's configuration, and that the database server runs.".to_owned();
    if let Some((host, port)) = host
        && tokio::net::lookup_host((host, port)).await.map_or(0, Iterator::count) == 0
    {
        reason = format!("the host name `{}` is not known here", siteclaw_core::sanitise_fragment(host, 64));
        if !host.contains('.') {
            hint = format!(
                "`{host}` looks like the name of a container: run Siteclaw in the same network, or set the host \
                 and port under which the database is reachable from here."
            );
        }
    }
    DbError::Unreachable { address, reason, hint: Some(hint), source: error.map(Into::into) }
}
