//! What the connections to one file share.

use std::sync::{Arc, Weak};

use tokio::sync::Mutex;

use super::blocking;
use super::copy::PrivateCopy;
use super::descriptors::Descriptors;
use super::file::{FileState, Pinned};
use crate::DbError;
use crate::file::SqliteFile;

/// The file, its handle, and the private copy that its connections may share.
pub(crate) struct SqliteSource {
    pub(super) file: SqliteFile,
    pinned: Mutex<Weak<Pinned>>,
    copy: Mutex<Weak<PrivateCopy>>,
}

/// A file that is about to be opened by SQLite.
pub(super) struct Opening {
    pub(super) pinned: Arc<Pinned>,
    pub(super) state: FileState,
    /// What the process has open, if the system shows it.
    pub(super) before: Option<Descriptors>,
}

impl SqliteSource {
    pub(crate) fn new(file: SqliteFile) -> Self {
        Self { file, pinned: Mutex::default(), copy: Mutex::default() }
    }

    /// The file that the name leads to now: the one that other connections use, else one that is opened anew.
    pub(super) async fn opening(&self) -> Result<Opening, DbError> {
        let mut shared = self.pinned.lock().await;
        let (file, earlier) = (self.file.clone(), shared.upgrade());
        let opening = blocking(move || {
            let pinned = match earlier {
                Some(earlier) if earlier.is_current() => earlier,
                earlier => Pinned::open(&file, earlier.as_deref())?,
            };
            let state = pinned.state()?;
            let before = Descriptors::now(pinned.id);
            Ok(Opening { pinned, state, before })
        })
        .await?;
        *shared = Arc::downgrade(&opening.pinned);
        Ok(opening)
    }

    /// The copy that other connections use, if it is of the file as it is now; else a new one.
    pub(super) async fn copy(&self, of: &Arc<Pinned>) -> Result<Arc<PrivateCopy>, DbError> {
        let mut shared = self.copy.lock().await;
        let (of, earlier) = (Arc::clone(of), shared.upgrade());
        let copy = blocking(move || {
            let state = of.state()?;
            match earlier.filter(|copy| copy.of == state) {
                Some(copy) => Ok(copy),
                None => PrivateCopy::make(&of),
            }
        })
        .await?;
        *shared = Arc::downgrade(&copy);
        Ok(copy)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

    use super::*;
    use crate::session::sqlite::SqliteSession;
    use crate::session::sqlite::file::Mode;
    use crate::{Limits, Value};

    async fn site(path: &Path, sql: &str) -> sqlx::SqliteConnection {
        let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
        let mut site = options.connect().await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut site).await.unwrap();
        site
    }

    /// As in a bare chroot: no `/proc` to see what SQLite opens, and no folder for a copy.
    #[tokio::test]
    async fn without_a_folder_for_a_copy_a_small_file_is_read_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site.sqlite");
        let sql = "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (7)";
        let open = site(&path, sql).await;
        let source = SqliteSource::new(SqliteFile::at(&path));
        let Opening { pinned, state, .. } = source.opening().await.unwrap();
        let nowhere = folder.path().join("none");
        let error = PrivateCopy::make_in(&pinned, &nowhere).unwrap_err().to_string();
        assert!(
            error.contains("it was not closed cleanly, and there is no folder for temporary files"),
            "{error}"
        );
        open.close().await.unwrap();

        let copy = PrivateCopy::make_in(&pinned, &nowhere).unwrap();
        *source.copy.lock().await = Arc::downgrade(&copy);
        let mut session =
            SqliteSession::open_as(&source, &pinned, state, Mode::Copy, &Limits::default()).await.unwrap();
        let mut rows = crate::session::Collector::new(10, 1000);
        session.fetch("SELECT id FROM t", &[], &mut rows).await.unwrap();
        assert_eq!(rows.finish().rows[0].values(), [Value::Int(7)]);
        let mut none = crate::session::Collector::new(10, 1000);
        let write = session.fetch("INSERT INTO t VALUES (8)", &[], &mut none).await;
        assert!(matches!(write, Err(DbError::ReadOnly { .. })));
    }
}
