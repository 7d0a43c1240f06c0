//! SQLite files that a site is using: what is seen, and that nothing is left beside them.

use std::path::Path;

use siteclaw_db::{Database, DbError, Prefixes, Statement};
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use crate::servers::{limits, rows};
use crate::sqlite::{open, run, site};

fn listing(folder: &Path) -> Vec<(String, u64)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()))
        .collect();
    all.sort();
    all
}

async fn count(database: &Database) -> i64 {
    database.scalar_i64(&Prefixes::default(), &Statement::new("SELECT count(*) FROM t")).await.unwrap()
}

async fn wal_site(path: &Path) -> SqliteConnection {
    let mut site = site(path).await;
    run(&mut site, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1)").await;
    site
}

#[tokio::test]
async fn a_closed_wal_file_is_read_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    wal_site(&path).await.close().await.unwrap();
    let before = listing(folder.path());
    assert_eq!(before.len(), 1, "the site's last connection removes its -wal");
    let database = open(&path, limits());
    assert_eq!(count(&database).await, 1);
    assert_eq!(listing(folder.path()), before);
    database.close().await;
    assert_eq!(listing(folder.path()), before);
}

#[tokio::test]
async fn live_changes_in_the_wal_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let mut site = wal_site(&path).await;
    let before = listing(folder.path());
    assert_eq!(before.len(), 3, "{before:?}");
    let database = open(&path, limits());
    assert_eq!(count(&database).await, 1);
    let snapshot = database.snapshot().await.unwrap();
    run(&mut site, "INSERT INTO t VALUES (2)").await;
    assert_eq!(count(&database).await, 2);
    let statement = Statement::new("SELECT count(*) FROM t");
    assert_eq!(snapshot.scalar_i64(&Prefixes::default(), &statement).await.unwrap(), 1);
    snapshot.finish().await.unwrap();
    let names = |listing: Vec<(String, u64)>| listing.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(listing(folder.path())), names(before));
    database.close().await;
    site.close().await.unwrap();
    assert_eq!(listing(folder.path()).len(), 1);
}

#[tokio::test]
async fn a_wal_that_appears_later_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    wal_site(&path).await.close().await.unwrap();
    let database = open(&path, limits());
    assert_eq!(count(&database).await, 1);
    let mut site = site(&path).await;
    run(&mut site, "INSERT INTO t VALUES (2)").await;
    assert_eq!(count(&database).await, 2);
    site.close().await.unwrap();
    assert_eq!(count(&database).await, 2);
    database.close().await;
    assert_eq!(listing(folder.path()).len(), 1);
}

/// As a copied or crashed site: the `-wal` is there, no process and no `-shm` is.
#[tokio::test]
async fn a_wal_without_its_index_is_read_from_a_private_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let site = wal_site(&path).await;
    let copied = tempfile::tempdir().unwrap();
    for name in ["site.sqlite", "site.sqlite-wal"] {
        std::fs::copy(folder.path().join(name), copied.path().join(name)).unwrap();
    }
    site.close().await.unwrap();
    let before = listing(copied.path());
    let database = open(&copied.path().join("site.sqlite"), limits());
    assert_eq!(count(&database).await, 1);
    let write = rows(&database, "INSERT INTO t VALUES (2)").await;
    assert!(matches!(write, Err(DbError::ReadOnly { .. })), "{write:?}");
    assert_eq!(listing(copied.path()), before);
    database.close().await;
    assert_eq!(listing(copied.path()), before);
}

/// As a crash in the middle of a transaction: the journal must be rolled back before the file is right.
#[tokio::test]
async fn a_hot_journal_is_rolled_back_in_a_private_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let mut site = site(&path).await;
    run(
        &mut site,
        "PRAGMA cache_size = 1; PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER, filler TEXT)",
    )
    .await;
    run(&mut site, "INSERT INTO t VALUES (1, 'a'); BEGIN").await;
    let many = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 500) INSERT INTO t SELECT i, hex(zeroblob(500)) FROM n";
    run(&mut site, many).await;
    let crashed = tempfile::tempdir().unwrap();
    for name in ["site.sqlite", "site.sqlite-journal"] {
        std::fs::copy(folder.path().join(name), crashed.path().join(name)).unwrap();
    }
    drop(site);
    let before = listing(crashed.path());
    let database = open(&crashed.path().join("site.sqlite"), limits());
    assert_eq!(count(&database).await, 1);
    database.close().await;
    assert_eq!(listing(crashed.path()), before);
}

#[tokio::test]
async fn a_site_in_rollback_mode_is_read_between_its_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let mut site = site(&path).await;
    run(&mut site, "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1)").await;
    let database = open(&path, limits());
    assert_eq!(count(&database).await, 1);
    run(&mut site, "BEGIN IMMEDIATE; INSERT INTO t VALUES (2)").await;
    assert_eq!(count(&database).await, 1, "not committed yet");
    run(&mut site, "COMMIT").await;
    assert_eq!(count(&database).await, 2);
    run(&mut site, "INSERT INTO t VALUES (3)").await;
    assert_eq!(count(&database).await, 3);
    database.close().await;
    assert_eq!(listing(folder.path()).len(), 1);
}

#[tokio::test]
async fn a_locked_file_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let mut site = site(&path).await;
    run(&mut site, "CREATE TABLE t (id INTEGER); BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)").await;
    let error = rows(&open(&path, limits()), "SELECT * FROM t").await.unwrap_err();
    assert!(matches!(error, DbError::Busy { .. }) && error.retryable(), "{error:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_read_only_folder_is_no_obstacle() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    for wal in [false, true] {
        let inner = folder.path().join(if wal { "wal" } else { "rollback" });
        std::fs::create_dir(&inner).unwrap();
        let path = inner.join("site.sqlite");
        if wal {
            wal_site(&path).await.close().await.unwrap();
        } else {
            let mut site = site(&path).await;
            run(&mut site, "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1)").await;
            site.close().await.unwrap();
        }
        let before = listing(&inner);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
        std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o555)).unwrap();
        let database = open(&path, limits());
        assert_eq!(count(&database).await, 1);
        database.close().await;
        assert_eq!(listing(&inner), before);
        std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[tokio::test]
async fn a_replaced_file_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let other = folder.path().join("other.sqlite");
    for (path, rows) in [(&path, "(1)"), (&other, "(1), (2)")] {
        let mut site = site(path).await;
        run(&mut site, &format!("CREATE TABLE t (id INTEGER); INSERT INTO t VALUES {rows}")).await;
        site.close().await.unwrap();
    }
    let database = open(&path, limits());
    assert_eq!(count(&database).await, 1);
    std::fs::rename(&other, &path).unwrap();
    assert_eq!(count(&database).await, 2);
}
