//! Statements that a model wrote and the guard printed.
//!
//! Besides the read-only session they get an explicit read-only transaction, because PostgreSQL's session
//! default can be undone by a mere `SELECT set_config(…)`. It is always rolled back, and the connection is
//! closed afterwards: whatever such a statement may leave in a session is gone with it.

use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::database::{Database, fetch_on};
use crate::guard::ReadOnlyQuery;
use crate::session::Collector;
use crate::statement::Rendered;
use crate::{DbError, Param, ResultColumn, Value};

/// The result of a statement that a model wrote.
#[derive(Clone, Debug)]
pub struct ModelRows {
    /// The columns, also of an empty result.
    pub columns: Vec<ResultColumn>,
    /// The values of each row in the order of the columns; see [`Value::to_json`] for their form.
    pub rows: Vec<Vec<Json>>,
    /// Whether there were more rows than asked for, or more bytes.
    pub has_more: bool,
    /// How long the server took, connecting not counted.
    pub elapsed: Duration,
}

impl Database {
    /// Runs a statement that the guard let through, in a read-only transaction that is always rolled back.
    ///
    /// At most `max_rows` rows and about `max_bytes` bytes are kept; one row more is looked at, to tell
    /// whether there are others.
    ///
    /// # Errors
    /// [`DbError::BadParameters`] when the parameters do not fit the statement; whatever the database refuses.
    pub async fn model_rows(
        &self,
        query: &ReadOnlyQuery,
        params: &[Param],
        max_rows: usize,
        max_bytes: usize,
    ) -> Result<ModelRows, DbError> {
        let rendered = Rendered { sql: query.sql().to_owned(), params: params.to_vec() };
        let mut lease = self.begin().await?;
        let started = Instant::now();
        let result = fetch_on(&mut lease, &rendered, Collector::new(max_rows, max_bytes)).await;
        let elapsed = started.elapsed();
        if lease.run(async |session| session.rollback().await).await.is_ok() {
            lease.ended_transaction();
        }
        lease.spend();
        lease.release().await;
        let rows = result?;
        Ok(ModelRows {
            columns: rows.columns.to_vec(),
            has_more: rows.cut,
            rows: rows.iter().map(|row| row.values().iter().map(Value::to_json).collect()).collect(),
            elapsed,
        })
    }
}
