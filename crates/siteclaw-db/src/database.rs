//! The door to a site's database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::catalogue;
use crate::lease::Lease;
use crate::pool::Pool;
use crate::session::{Collector, Outcome};
use crate::settings::{ConnectSettings, Limits};
use crate::snapshot::Snapshot;
use crate::statement::Rendered;
use crate::{DbError, Engine, Param, Prefixes, Queries, Row, Rows, Schema, ServerInfo, Statement};

/// How long a catalogue is believed.
const SCHEMA_AGE: Duration = Duration::from_secs(60);

/// A site's database: read-only, time-limited, bounded. Cheap to clone; nothing connects before the first
/// query.
///
/// ```no_run
/// # async fn example(settings: siteclaw_db::ConnectSettings) -> Result<(), siteclaw_db::DbError> {
/// use siteclaw_db::{Database, Limits, Prefixes, Statement};
/// let database = Database::new(settings, Limits::default());
/// let prefixes = Prefixes::single("wp_");
/// let recent = Statement::new(
///     "SELECT ID, post_title FROM {posts} WHERE post_status = ? ORDER BY post_date DESC, ID DESC LIMIT 10",
/// )
/// .bind("publish");
/// for row in database.rows(&prefixes, &recent).await? {
///     println!("{} {}", row.i64("ID")?, row.text("post_title")?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Database {
    pool: Arc<Pool>,
    schema: Arc<Mutex<Option<Known>>>,
}

struct Known {
    schema: Arc<Schema>,
    at: Instant,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("engine", &self.engine()).finish_non_exhaustive()
    }
}

impl Database {
    /// Takes the settings; connects to nothing.
    pub fn new(settings: ConnectSettings, limits: Limits) -> Self {
        Self { pool: Pool::new(settings, limits), schema: Arc::default() }
    }

    /// The family of the database.
    pub fn engine(&self) -> Engine {
        self.pool.engine()
    }

    /// Who answers, and at which of the configured addresses.
    ///
    /// # Errors
    /// Whatever keeps a connection from being opened.
    pub async fn server(&self) -> Result<ServerInfo, DbError> {
        if let Some(server) = self.pool.server() {
            return Ok(server);
        }
        self.pool.lease().await?.release().await;
        self.pool.server().ok_or(DbError::Busy { what: "the server has not introduced itself", source: None })
    }

    /// The rows of a statement, at most [`Limits::max_rows`] of them.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn rows(&self, prefixes: &Prefixes, statement: &Statement) -> Result<Rows, DbError> {
        let limits = self.pool.limits();
        self.fetch(prefixes, statement, limits.max_rows).await
    }

    /// The first row of a statement.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn row(&self, prefixes: &Prefixes, statement: &Statement) -> Result<Option<Row>, DbError> {
        Ok(self.fetch(prefixes, statement, 1).await?.into_iter().next())
    }

    /// The first column of the first row as a whole number, such as a count.
    ///
    /// # Errors
    /// Whatever the database refuses; [`DbError::BadValue`] when there is no row or no whole number.
    pub async fn scalar_i64(&self, prefixes: &Prefixes, statement: &Statement) -> Result<i64, DbError> {
        scalar(self.row(prefixes, statement).await?)
    }

    /// Begins one read-only transaction that sees one state of the data, for a tool that needs several
    /// statements. It is rolled back when it is finished or dropped.
    ///
    /// # Errors
    /// Whatever keeps a connection or transaction from being opened.
    pub async fn snapshot(&self) -> Result<Snapshot, DbError> {
        Ok(Snapshot::new(self.begin().await?))
    }

    /// A connection in a read-only transaction that the lease's drop rolls back.
    pub(crate) async fn begin(&self) -> Result<Lease, DbError> {
        let mut attempt = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            match lease.run(async |session| session.begin().await).await {
                Ok(()) => {
                    lease.opened_transaction();
                    return Ok(lease);
                }
                Err(error) if attempt == 0 && worth_another(&error, &lease) => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The tables, views and columns of the database, read again when older than a minute.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn schema(&self) -> Result<Arc<Schema>, DbError> {
        let mut known = self.schema.lock().await;
        if let Some(known) = &*known
            && known.at.elapsed() < SCHEMA_AGE
        {
            return Ok(Arc::clone(&known.schema));
        }
        let schema = Arc::new(catalogue::load(self).await?);
        *known = Some(Known { schema: Arc::clone(&schema), at: Instant::now() });
        Ok(schema)
    }

    /// Forgets the catalogue, so that the next [`schema`](Self::schema) reads it anew.
    pub async fn forget_schema(&self) {
        *self.schema.lock().await = None;
    }

    /// Closes the idle connections. Others close when their use ends.
    pub async fn close(&self) {
        self.pool.close_idle().await;
    }

    async fn fetch(
        &self,
        prefixes: &Prefixes,
        statement: &Statement,
        max_rows: usize,
    ) -> Result<Rows, DbError> {
        let rendered = statement.render(self.engine(), prefixes)?;
        self.fetch_rendered(&rendered, max_rows, self.pool.limits().max_bytes).await
    }

    /// Runs a statement outside a transaction, and once more where a connection turned out to be dead.
    pub(crate) async fn fetch_rendered(
        &self,
        rendered: &Rendered,
        max_rows: usize,
        max_bytes: usize,
    ) -> Result<Rows, DbError> {
        let mut attempt = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            let result = fetch_on(&mut lease, rendered, Collector::new(max_rows, max_bytes)).await;
            let again = attempt == 0 && result.as_ref().is_err_and(|error| worth_another(error, &lease));
            lease.release().await;
            if !again {
                return result;
            }
            attempt += 1;
        }
    }
}

/// A connection that lay idle may have died; a file may have changed under an unlocked read.
fn worth_another(error: &DbError, lease: &Lease) -> bool {
    match error {
        DbError::ConnectionLost { .. } => lease.reused,
        DbError::Busy { source: None, .. } => lease.engine() == Engine::Sqlite,
        _ => false,
    }
}

pub(crate) async fn fetch_on(
    lease: &mut Lease,
    rendered: &Rendered,
    mut into: Collector,
) -> Result<Rows, DbError> {
    let Rendered { sql, params } = rendered;
    let outcome = lease.run(async |session| session.fetch(sql, params, &mut into).await).await?;
    if outcome == Outcome::Stopped {
        lease.spend();
    }
    Ok(into.finish())
}

pub(crate) fn scalar(row: Option<Row>) -> Result<i64, DbError> {
    let column = row.as_ref().and_then(|row| row.columns.first()).map(|column| column.name.clone());
    match (row, column) {
        (Some(row), Some(column)) => row.i64(&column),
        _ => Err(DbError::BadValue { column: "1".to_owned(), problem: "has no row" }),
    }
}

impl Queries for Database {
    async fn rows(&self, prefixes: &Prefixes, statement: &Statement) -> Result<Rows, DbError> {
        Self::rows(self, prefixes, statement).await
    }

    async fn row(&self, prefixes: &Prefixes, statement: &Statement) -> Result<Option<Row>, DbError> {
        Self::row(self, prefixes, statement).await
    }

    async fn scalar_i64(&self, prefixes: &Prefixes, statement: &Statement) -> Result<i64, DbError> {
        Self::scalar_i64(self, prefixes, statement).await
    }

    fn engine(&self) -> Engine {
        Self::engine(self)
    }
}

/// A statement of the catalogue, which has no tables of the site and so no prefixes.
pub(crate) fn plain(sql: &'static str, params: Vec<Param>) -> Rendered {
    Rendered { sql: sql.to_owned(), params }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tools run on a runtime of several threads.
    #[test]
    fn every_call_may_move_between_threads() {
        fn moves<T: Send>(_: &T) {}
        let database =
            Database::new(ConnectSettings::Sqlite(crate::SqliteFile::at("/nowhere")), Limits::default());
        let (prefixes, statement) = (Prefixes::default(), Statement::new("SELECT 1"));
        moves(&database.rows(&prefixes, &statement));
        moves(&database.row(&prefixes, &statement));
        moves(&database.scalar_i64(&prefixes, &statement));
        moves(&database.snapshot());
        moves(&database.schema());
        moves(&database.server());
        moves(&async { database.snapshot().await?.rows(&prefixes, &statement).await });
    }
}
