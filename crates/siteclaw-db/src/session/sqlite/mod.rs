//! SQLite files of a site.

mod copy;
mod descriptors;
mod file;
mod source;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use copy::PrivateCopy;
use descriptors::{Descriptors, FileId};
use file::{FileState, Mode, Pinned};
use futures_util::TryStreamExt;
use source::Opening;
pub(crate) use source::SqliteSource;
use sqlx::sqlite::{
    Sqlite, SqliteArguments, SqliteColumn, SqliteConnectOptions, SqliteConnection, SqliteOwnedBuf, SqliteRow,
};
use sqlx::{
    Arguments, AssertSqlSafe, Column, ColumnOrigin, ConnectOptions, Connection, Decode, Either, Executor,
    Row as _, SqlSafeStr, Statement, TypeInfo, ValueRef,
};

use super::{Collector, LOCK_WAIT, Outcome};
use crate::error::{Place, classify};
use crate::settings::Limits;
use crate::wire::MAX_MESSAGE;
use crate::{DbError, Engine, Flavour, Origin, Param, ResultColumn, ServerInfo, Value};

/// Bytes that SQLite may allocate; what it sorts beyond its cache goes to temporary files. A value is there twice,
/// and some rows wait to be taken.
const HEAP: &str = "201326592";
/// Rows that wait to be taken.
const WAITING: usize = 16;
/// SQLite's result codes for more memory than it may have, and for a value beyond its own limit.
const NO_MEMORY: &str = "7";
const TOO_BIG: &str = "18";
/// How often a file is opened that seems to be swapped for another.
const ATTEMPTS: usize = 8;

pub(crate) struct SqliteSession {
    connection: SqliteConnection,
    clock: Arc<Clock>,
    /// The file, held at least as long as the connection.
    pinned: Arc<Pinned>,
    state: FileState,
    mode: Mode,
    server: ServerInfo,
    place: Place,
    /// Holds the folder of a private copy as long as the connection.
    copy: Option<Arc<PrivateCopy>>,
    /// What the process had open before this connection.
    before: Option<Descriptors>,
}

/// Shared with the progress handler, which SQLite calls every few thousand steps.
struct Clock {
    started: Instant,
    /// Milliseconds after `started` at which the running statement must end.
    deadline: AtomicU64,
    abandoned: AtomicBool,
}

impl Clock {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn allow(&self, time: Duration) {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.deadline.store(self.now().saturating_add(time), Ordering::Relaxed);
    }

    fn goes_on(&self) -> bool {
        !self.abandoned.load(Ordering::Relaxed) && self.now() <= self.deadline.load(Ordering::Relaxed)
    }
}

impl SqliteSession {
    /// Opens the file as its state asks for, and makes sure that it is the file that was judged.
    pub(crate) async fn open(source: &SqliteSource, limits: &Limits) -> Result<Self, DbError> {
        let Opening { pinned, state, before } = source.opening().await?;
        // A changed file would be noticed by its state only if what SQLite has open can be seen.
        let mode = if before.is_some() { state.mode() } else { Mode::Copy };
        match Self::open_as(source, &pinned, state.clone(), mode, limits).await {
            // A hot journal, a `-shm` that this user may not use, names that lead elsewhere: a copy can be put
            // right, the file not.
            Err(DbError::ReadOnly { .. } | DbError::FileUnreadable { .. }) if mode != Mode::Copy => {
                Self::open_as(source, &pinned, state, Mode::Copy, limits).await
            }
            result => result,
        }
    }

    async fn open_as(
        source: &SqliteSource,
        pinned: &Arc<Pinned>,
        state: FileState,
        mode: Mode,
        limits: &Limits,
    ) -> Result<Self, DbError> {
        let place = Place {
            engine: Engine::Sqlite,
            address: source.file.path().display().to_string(),
            user: String::new(),
            database: String::new(),
            statement_time: limits.statement_time,
        };
        let mut session = match mode {
            Mode::Copy => Self::connect(source, Arc::clone(pinned), state, mode, place).await?,
            Mode::Locked | Mode::Immutable => Self::connect_seen(source, pinned, state, mode, place).await?,
        };
        let clock = Arc::clone(&session.clock);
        let mut handle =
            session.connection.lock_handle().await.map_err(|error| classify(error, &session.place))?;
        handle.set_progress_handler(4096, move || clock.goes_on());
        drop(handle);
        Ok(session)
    }

    /// Connects until what SQLite opened is the file that was judged and nothing else.
    async fn connect_seen(
        source: &SqliteSource,
        pinned: &Arc<Pinned>,
        state: FileState,
        mode: Mode,
        place: Place,
    ) -> Result<Self, DbError> {
        for _ in 0..ATTEMPTS {
            let id = pinned.id;
            let Some(before) = blocking(move || Ok(Descriptors::now(id))).await? else { break };
            let session =
                Self::connect(source, Arc::clone(pinned), state.clone(), mode, place.clone()).await?;
            let (seen, file) = (before.clone(), Arc::clone(pinned));
            if !blocking(move || Ok(seen.has_stranger(|| file.ids()))).await? {
                return Ok(Self { before: Some(before), ..session });
            }
            session.close().await;
        }
        Err(pinned.unreadable("SQLite came upon another file in its place, as if somebody swapped them"))
    }

    async fn connect(
        source: &SqliteSource,
        pinned: Arc<Pinned>,
        state: FileState,
        mode: Mode,
        place: Place,
    ) -> Result<Self, DbError> {
        let copy = if mode == Mode::Copy { Some(source.copy(&pinned).await?) } else { None };
        let state = copy.as_ref().map_or(state, |copy| copy.of.clone());
        let failed = |error| classify(error, &place);
        let options = SqliteConnectOptions::new()
            .create_if_missing(false)
            .busy_timeout(LOCK_WAIT)
            .statement_cache_capacity(50)
            .row_buffer_size(WAITING)
            // Views and triggers of the site must not reach functions with effects.
            .pragma("trusted_schema", "OFF")
            .pragma("cell_size_check", "ON")
            // Of the whole process, and it can only be lowered: a gigabyte in one value is an attack.
            .pragma("hard_heap_limit", HEAP)
            .disable_statement_logging();
        let options = match &copy {
            None => options.filename(&pinned.path).read_only(true).immutable(mode == Mode::Immutable),
            Some(copy) => match copy.path() {
                Some(path) => options.filename(path),
                None => options.in_memory(true).filename(":memory:"),
            },
        };
        let mut connection = options.connect().await.map_err(failed)?;
        if let Some(image) = copy.as_ref().and_then(|copy| copy.image()) {
            let image = SqliteOwnedBuf::try_from(image).map_err(failed)?;
            connection.deserialize(None, image, true).await.map_err(failed)?;
        }
        let version: (String,) =
            sqlx::query_as("SELECT sqlite_version() FROM (SELECT count(*) FROM sqlite_master)")
                .fetch_one(&mut connection)
                .await
                .map_err(failed)?;
        // After the first read, which is what rolls a copy's journal back or recovers its WAL.
        sqlx::raw_sql("PRAGMA query_only = ON").execute(&mut connection).await.map_err(failed)?;
        let clock = Arc::new(Clock {
            started: Instant::now(),
            deadline: AtomicU64::new(u64::MAX),
            abandoned: AtomicBool::new(false),
        });
        let server = ServerInfo {
            engine: Engine::Sqlite,
            flavour: Flavour::Sqlite,
            version: version.0,
            address: place.address.clone(),
        };
        Ok(Self { connection, clock, pinned, state, mode, server, place, copy, before: None })
    }

    pub(crate) const fn server(&self) -> &ServerInfo {
        &self.server
    }

    pub(super) async fn fetch(
        &mut self,
        sql: &str,
        params: &[Param],
        into: &mut Collector,
    ) -> Result<Outcome, DbError> {
        self.clock.allow(self.place.statement_time);
        let outcome = self.stream(sql, params, into).await?;
        if self.was_swapped().await? {
            return Err(DbError::Busy { what: "the site is writing to its database", source: None });
        }
        Ok(outcome)
    }

    /// Whether the result may be made of pages of two states, or of another database.
    async fn was_swapped(&self) -> Result<bool, DbError> {
        let (pinned, before) = (Arc::clone(&self.pinned), self.before.clone());
        match self.mode {
            Mode::Copy => Ok(false),
            Mode::Immutable => {
                let state = self.state.clone();
                blocking(move || Ok(!state.same_content(&pinned.state()?))).await
            }
            // Its `-wal` and `-shm` were opened with the file, and stay.
            Mode::Locked if self.state.is_wal_mode => Ok(false),
            // Had the file been put into WAL mode since, SQLite would have looked for a `-wal` by its name.
            Mode::Locked => {
                let newer = move || before.map(|before| before.newer()).unwrap_or_default();
                blocking(move || {
                    let ids = pinned.ids();
                    let foreign = |(path, id): &(PathBuf, FileId)| {
                        pinned.is_named_like_companion(path) && !ids.contains(id)
                    };
                    Ok(newer().iter().any(foreign))
                })
                .await
            }
        }
    }

    async fn stream(
        &mut self,
        sql: &str,
        params: &[Param],
        into: &mut Collector,
    ) -> Result<Outcome, DbError> {
        let place = &self.place;
        let failed = |error| match classify(error, place) {
            DbError::Other { class, .. } if class == NO_MEMORY || class == TOO_BIG => DbError::too_large(sql),
            error => error,
        };
        let prepared = (&mut self.connection).prepare(AssertSqlSafe(sql).into_sql_str()).await;
        let statement = prepared.map_err(failed)?;
        if let Some(Either::Right(expected)) = statement.parameters()
            && expected != params.len()
        {
            let problem = format!("{expected} are needed and {} were given", params.len());
            return Err(DbError::BadParameters { problem });
        }
        into.columns(statement.columns().iter().map(describe).collect());
        let mut stream = statement.query_with(arguments(params).map_err(failed)?).fetch(&mut self.connection);
        while let Some(row) = stream.try_next().await.map_err(failed)? {
            if into.is_cut() {
                continue;
            }
            let Some(values) = values(&row).map_err(failed)? else { return Err(DbError::too_large(sql)) };
            if !into.offer(values) {
                // The worker notices that nobody reads on: the connection stays usable.
                break;
            }
        }
        Ok(Outcome::Complete)
    }

    pub(super) async fn begin(&mut self) -> Result<(), DbError> {
        // A deferred transaction sees the state at its first read.
        self.constant("BEGIN; SELECT count(*) FROM sqlite_master").await
    }

    pub(super) async fn rollback(&mut self) -> Result<(), DbError> {
        self.constant("ROLLBACK").await
    }

    async fn constant(&mut self, sql: &'static str) -> Result<(), DbError> {
        self.clock.allow(LOCK_WAIT * 2);
        let result = sqlx::raw_sql(sql).execute(&mut self.connection).await;
        result.map(drop).map_err(|error| classify(error, &self.place))
    }

    /// Whether the site's own `-wal` and `-shm` are in use by this connection.
    pub(super) fn holds_wal(&self) -> bool {
        self.mode == Mode::Locked && self.state.is_wal_mode
    }

    /// Whether the file is still what was opened.
    pub(super) async fn is_current(&mut self) -> bool {
        let (pinned, state, mode) = (Arc::clone(&self.pinned), self.state.clone(), self.mode);
        blocking(move || Ok(pinned.is_current() && state.allows(&pinned.state()?, mode)))
            .await
            .unwrap_or(false)
    }

    pub(super) async fn close(self) {
        let Self { connection, copy, pinned, .. } = self;
        if let Err(error) = connection.close().await {
            tracing::debug!(%error, "the database file did not close cleanly");
        }
        drop((copy, pinned));
    }

    pub(super) fn abandon(self) {
        self.clock.abandoned.store(true, Ordering::Relaxed);
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DbError> + Send + 'static,
) -> Result<T, DbError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => {
            Err(DbError::Busy { what: "the program is shutting down", source: Some(Box::new(error)) })
        }
    }
}

fn describe(column: &SqliteColumn) -> ResultColumn {
    let origin = match column.origin() {
        ColumnOrigin::Table(origin) => {
            Some(Origin { table: origin.table.to_string(), column: origin.name.to_string() })
        }
        ColumnOrigin::Expression | ColumnOrigin::Unknown => None,
    };
    let data_type = match column.type_info().name() {
        // An expression has no declared type.
        "NULL" => String::new(),
        name => name.to_ascii_lowercase(),
    };
    ResultColumn { name: column.name().to_owned(), data_type, origin }
}

/// SQLite types values, not columns. Nothing for a row that is longer than any is received.
fn values(row: &SqliteRow) -> Result<Option<Vec<Value>>, sqlx::Error> {
    let mut values = Vec::with_capacity(row.len());
    let mut left = MAX_MESSAGE;
    for index in 0..row.len() {
        let raw = row.try_get_raw(index)?;
        let value = if raw.is_null() {
            Value::Null
        } else {
            let info = raw.type_info().into_owned();
            match info.name() {
                "INTEGER" => {
                    Value::Int(<i64 as Decode<'_, Sqlite>>::decode(raw).map_err(sqlx::Error::Decode)?)
                }
                "REAL" => {
                    Value::Float(<f64 as Decode<'_, Sqlite>>::decode(raw).map_err(sqlx::Error::Decode)?)
                }
                name => {
                    let bytes = <&[u8] as Decode<'_, Sqlite>>::decode(raw).map_err(sqlx::Error::Decode)?;
                    let Some(rest) = left.checked_sub(bytes.len()) else { return Ok(None) };
                    left = rest;
                    if name == "TEXT" { Value::text(bytes) } else { Value::binary(bytes) }
                }
            }
        };
        values.push(value);
    }
    Ok(Some(values))
}

fn arguments(params: &[Param]) -> Result<SqliteArguments, sqlx::Error> {
    let mut arguments = SqliteArguments::default();
    for param in params {
        match param {
            Param::Null => arguments.add(None::<String>),
            Param::Bool(value) => arguments.add(i64::from(*value)),
            Param::Int(value) => arguments.add(*value),
            Param::Float(value) => arguments.add(*value),
            Param::Text(text) => arguments.add(text.as_str()),
            Param::Bytes(bytes) => arguments.add(bytes.as_slice()),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}
