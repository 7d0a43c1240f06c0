//! Several statements over one state of the data.

use std::future::Future;

use tokio::sync::Mutex;

use crate::database::{fetch_on, scalar};
use crate::lease::Lease;
use crate::session::Collector;
use crate::{DbError, Engine, Prefixes, Row, Rows, Statement};

/// What reads: a [`Database`](crate::Database), or a [`Snapshot`] of it. Code that several tools share takes
/// `&impl Queries`.
pub trait Queries: Sync {
    /// The rows of a statement, at most [`Limits::max_rows`](crate::Limits::max_rows) of them.
    fn rows(
        &self,
        prefixes: &Prefixes,
        statement: &Statement,
    ) -> impl Future<Output = Result<Rows, DbError>> + Send;

    /// The first row of a statement.
    fn row(
        &self,
        prefixes: &Prefixes,
        statement: &Statement,
    ) -> impl Future<Output = Result<Option<Row>, DbError>> + Send;

    /// The first column of the first row as a whole number.
    fn scalar_i64(
        &self,
        prefixes: &Prefixes,
        statement: &Statement,
    ) -> impl Future<Output = Result<i64, DbError>> + Send;

    /// The family of the database.
    fn engine(&self) -> Engine;
}

/// A read-only transaction that sees one state of the data. Statements run one after another. It is rolled
/// back by [`finish`](Self::finish) or by its drop, never committed.
///
/// It keeps one of the [connections](crate::Limits::connections) for itself: whoever holds a snapshot asks
/// through it and not beside it, and never takes a second one.
pub struct Snapshot {
    engine: Engine,
    max_rows: usize,
    max_bytes: usize,
    lease: Mutex<Lease>,
}

impl Snapshot {
    pub(crate) fn new(lease: Lease) -> Self {
        let limits = *lease.limits();
        Self {
            engine: lease.engine(),
            max_rows: limits.max_rows,
            max_bytes: limits.max_bytes,
            lease: Mutex::new(lease),
        }
    }

    /// The rows of a statement, at most [`Limits::max_rows`](crate::Limits::max_rows) of them.
    ///
    /// # Errors
    /// Whatever the database refuses. The snapshot stays usable after a statement that the server refused,
    /// and ends with one that ran out of time.
    pub async fn rows(&self, prefixes: &Prefixes, statement: &Statement) -> Result<Rows, DbError> {
        self.fetch(prefixes, statement, self.max_rows).await
    }

    /// The first row of a statement.
    ///
    /// # Errors
    /// As [`rows`](Self::rows).
    pub async fn row(&self, prefixes: &Prefixes, statement: &Statement) -> Result<Option<Row>, DbError> {
        Ok(self.fetch(prefixes, statement, 1).await?.into_iter().next())
    }

    /// The first column of the first row as a whole number, such as a count.
    ///
    /// # Errors
    /// As [`rows`](Self::rows); [`DbError::BadValue`] when there is no row or no whole number.
    pub async fn scalar_i64(&self, prefixes: &Prefixes, statement: &Statement) -> Result<i64, DbError> {
        scalar(self.row(prefixes, statement).await?)
    }

    /// Rolls back and gives the connection free.
    ///
    /// # Errors
    /// When the server does not answer; the connection is dropped then.
    pub async fn finish(self) -> Result<(), DbError> {
        let mut lease = self.lease.into_inner();
        let result = lease.run(async |session| session.rollback().await).await;
        match result {
            Ok(()) => lease.ended_transaction(),
            Err(_) => lease.spend(),
        }
        lease.release().await;
        result
    }

    async fn fetch(
        &self,
        prefixes: &Prefixes,
        statement: &Statement,
        max_rows: usize,
    ) -> Result<Rows, DbError> {
        let rendered = statement.render(self.engine, prefixes)?;
        let mut lease = self.lease.lock().await;
        // Rows beyond the bound are read and dropped, because the connection must serve on.
        let into = Collector::new(max_rows, self.max_bytes).draining();
        let result = fetch_on(&mut lease, &rendered, into).await;
        if result.is_err() {
            // Its own failure, if the connection is gone, matters less than the statement's.
            let _ = lease.run(async |session| session.recover().await).await;
        }
        result
    }
}

impl Queries for Snapshot {
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
        self.engine
    }
}
