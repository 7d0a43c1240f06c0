//! The demo as others see it: its folder, and plain SQL on its database.

mod counts;
mod folder;
mod money;
mod relations;
mod texts;

use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use super::{DemoOptions, Summary, create, files::DATABASE};

/// A demo in a folder of its own, and its database.
struct Demo {
    _parent: TempDir,
    summary: Summary,
    database: SqliteConnection,
}

impl Demo {
    async fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        let summary = create(&parent.path().join("shop"), &DemoOptions::default()).await.unwrap();
        let options =
            SqliteConnectOptions::new().filename(summary.dir.join(DATABASE)).read_only(true).immutable(true);
        let database = SqliteConnection::connect_with(&options).await.unwrap();
        Demo { _parent: parent, summary, database }
    }

    /// The single number a query gives.
    async fn number(&mut self, sql: &str) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(&mut self.database).await.expect(sql)
    }

    /// The rows of a query, each as its columns' texts joined by `|`.
    async fn rows(&mut self, sql: &str) -> Vec<String> {
        let rows = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(&mut self.database).await.expect(sql);
        rows.iter()
            .map(|row| {
                let texts: Vec<String> = (0..row.len())
                    .map(|i| row.try_get_unchecked::<Option<String>, _>(i).unwrap().unwrap_or_default())
                    .collect();
                texts.join("|")
            })
            .collect()
    }

    /// Fails with the first rows of a query that should give none.
    async fn none(&mut self, sql: &str) {
        let rows = self.rows(sql).await;
        assert!(rows.is_empty(), "{} rows, such as {:?}\nof: {sql}", rows.len(), &rows[..rows.len().min(5)]);
    }
}
