//! SQLite files: values, read-only sessions, time limits, snapshots, catalogue.

use std::path::Path;
use std::time::{Duration, Instant};

use siteclaw_db::{
    ConnectSettings, Database, DbError, Flavour, Limits, Param, Prefixes, SqliteFile, Statement, TableKind,
    Value,
};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use crate::servers::{hasty, limits, rows, text, values};

/// Opens a file as the site would.
pub(crate) async fn site(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.unwrap()
}

pub(crate) async fn run(site: &mut SqliteConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(site).await.unwrap();
}

pub(crate) fn open(path: &Path, limits: Limits) -> Database {
    Database::new(ConnectSettings::Sqlite(SqliteFile::at(path)), limits)
}

/// A file in rollback mode that the site has closed.
async fn closed(path: &Path, sql: &str) {
    let mut site = site(path).await;
    run(&mut site, sql).await;
    site.close().await.unwrap();
}

#[tokio::test]
async fn every_type_comes_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ü ?#%.sqlite");
    closed(
        &path,
        "CREATE TABLE t (i INTEGER, r REAL, t TEXT, b BLOB, n, mixed INTEGER, flag BOOLEAN, at DATETIME);
         INSERT INTO t VALUES (-9223372036854775808, 0.1, 'größe 😀', x'00FF', NULL, 'text', 1, '0000-00-00 00:00:00');
         INSERT INTO t VALUES (1, 9e999, CAST(x'FF61' AS TEXT), x'C3B6', NULL, '', 0, '')",
    )
    .await;
    let database = open(&path, limits());
    let found = rows(&database, "SELECT * FROM t ORDER BY rowid").await.unwrap();
    assert_eq!(
        found.rows[0].values(),
        [
            Value::Int(i64::MIN),
            Value::Float(0.1),
            text("größe 😀"),
            Value::Bytes(vec![0, 255]),
            Value::Null,
            text("text"),
            Value::Int(1),
            text("0000-00-00 00:00:00"),
        ]
    );
    assert_eq!(
        found.rows[1].values(),
        [
            Value::Int(1),
            Value::Float(f64::INFINITY),
            Value::Bytes(vec![0xFF, b'a']),
            text("ö"),
            Value::Null,
            text(""),
            Value::Int(0),
            text(""),
        ]
    );
    assert_eq!(
        values(&database, "SELECT count(*), sum(i) IS NULL, avg(2), 'a' || 1 FROM t").await,
        [Value::Int(2), Value::Int(0), Value::Float(2.0), text("a1")]
    );
    let info = database.server().await.unwrap();
    assert_eq!((info.flavour, info.address.as_str()), (Flavour::Sqlite, path.to_str().unwrap()));
}

#[tokio::test]
async fn parameters_and_lists_reach_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE wp_posts (id INTEGER, title TEXT); INSERT INTO wp_posts VALUES (1, 'it''s'), (2, '?'), (3, NULL)").await;
    let database = open(&path, limits());
    let prefixes = Prefixes::single("wp_");
    let ids = async |statement: Statement| {
        let rows = database.rows(&prefixes, &statement).await.unwrap();
        rows.iter().map(|row| row.i64("id").unwrap()).collect::<Vec<_>>()
    };
    let sql = "SELECT id FROM {posts} WHERE id IN (?*) AND title <> '?' AND title = ?";
    assert_eq!(ids(Statement::new(sql).bind_list([1, 2]).bind("it's")).await, [1]);
    let none = Statement::new("SELECT id FROM {posts} WHERE id NOT IN (?*) ORDER BY id")
        .bind_list(Vec::<i64>::new());
    assert_eq!(ids(none).await, [1, 2, 3]);
    assert_eq!(ids(Statement::new("SELECT id FROM {posts} WHERE title IS ?").bind(Param::Null)).await, [3]);
    let few = database.rows(&prefixes, &Statement::new("SELECT ?")).await;
    assert!(matches!(few, Err(DbError::BadParameters { .. })), "{few:?}");
}

#[tokio::test]
async fn no_write_gets_through() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1)").await;
    let before = std::fs::read(&path).unwrap();
    let database = open(&path, limits());
    for sql in [
        "INSERT INTO t VALUES (2)",
        "DELETE FROM t",
        "CREATE TABLE t2 (id)",
        "DROP TABLE t",
        "CREATE TEMP TABLE x (id)",
    ] {
        let result = rows(&database, sql).await;
        assert!(matches!(result, Err(DbError::ReadOnly { .. })), "{sql}: {result:?}");
        let snapshot = database.snapshot().await.unwrap();
        let result = snapshot.rows(&Prefixes::default(), &Statement::new(sql)).await;
        assert!(matches!(result, Err(DbError::ReadOnly { .. })), "in a snapshot: {sql}: {result:?}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn what_runs_too_long_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE t (id INTEGER)").await;
    let database = open(&path, hasty());
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let started = Instant::now();
    let result = rows(&database, endless).await;
    assert!(matches!(result, Err(DbError::TimedOut { .. })), "{result:?}");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(values(&database, "SELECT 1").await, [Value::Int(1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_gives_the_file_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1)").await;
    let database = open(&path, Limits { statement_time: Duration::from_secs(600), ..limits() });
    let impatient = SqliteConnectOptions::new().filename(&path).busy_timeout(Duration::ZERO);
    let mut site = impatient.connect().await.unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM t, n";
    let call = tokio::spawn(async move { rows(&database, endless).await });
    wait_until_locked(&mut site, true).await;
    call.abort();
    wait_until_locked(&mut site, false).await;
}

/// A running statement holds a lock that the site cannot write beside.
async fn wait_until_locked(site: &mut SqliteConnection, expected: bool) {
    let wait = async {
        while sqlx::raw_sql("BEGIN EXCLUSIVE; ROLLBACK").execute(&mut *site).await.is_err() != expected {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(10), wait).await;
    assert!(waited.is_ok(), "the file should be locked: {expected}");
}

#[tokio::test]
async fn a_large_result_is_cut_and_the_connection_serves_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE t (id INTEGER)").await;
    let database = open(&path, Limits { max_rows: 10, connections: 1, ..limits() });
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT i FROM n";
    for _ in 0..3 {
        let found = rows(&database, sql).await.unwrap();
        assert_eq!((found.len(), found.cut), (10, true));
    }
    let snapshot = database.snapshot().await.unwrap();
    let found = snapshot.rows(&Prefixes::default(), &Statement::new(sql)).await.unwrap();
    assert_eq!((found.len(), found.cut), (10, true));
}

#[tokio::test]
async fn one_value_cannot_fill_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE t (id INTEGER)").await;
    let database = open(&path, limits());
    let error = rows(&database, "SELECT hex(zeroblob(400000000))").await.unwrap_err();
    assert!(matches!(error, DbError::TooLarge { .. }), "{error}");
    assert_eq!(values(&database, "SELECT 1").await, [Value::Int(1)]);
}

#[tokio::test]
async fn limits_beyond_any_clock_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE t (id INTEGER)").await;
    let forever = Limits { statement_time: Duration::MAX, connect_timeout: Duration::MAX, ..limits() };
    assert_eq!(values(&open(&path, forever), "SELECT 1").await, [Value::Int(1)]);
}

#[tokio::test]
async fn mistakes_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(&path, "CREATE TABLE t (id INTEGER)").await;
    let database = open(&path, limits());
    let message = async |sql: &str| rows(&database, sql).await.unwrap_err().to_string();
    assert_eq!(message("SELECT * FROM nowhere").await, "There is no table `nowhere`.");
    assert_eq!(message("SELECT titel FROM t").await, "There is no column `titel`.");
    assert_eq!(message("SELECT id FORM t").await, "The statement has a syntax error near `t`.");
    assert_eq!(
        message("SELECT CONCAT_WHATEVER(1)").await,
        "The database refused the statement: SQLite has no function `CONCAT_WHATEVER` (1)."
    );
    let none = open(&folder.path().join("none.sqlite"), limits());
    let error = rows(&none, "SELECT 1").await.unwrap_err();
    assert!(matches!(error, DbError::FileMissing { .. }), "{error:?}");
    assert!(!folder.path().join("none.sqlite").exists());
    std::fs::write(folder.path().join("page.html"), "<html>".repeat(100)).unwrap();
    let page = open(&folder.path().join("page.html"), limits());
    let error = rows(&page, "SELECT 1").await.unwrap_err();
    assert!(matches!(error, DbError::NotADatabase { .. }), "{error:?}");
}

#[tokio::test]
async fn the_catalogue_hides_bookkeeping_and_shows_mysql_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    closed(
        &path,
        "CREATE TABLE wp_users (ID integer NOT NULL PRIMARY KEY AUTOINCREMENT, user_login text NOT NULL COLLATE NOCASE, bio text);
         INSERT INTO wp_users (user_login) VALUES ('a'), ('b');
         CREATE INDEX wp_users__login ON wp_users (user_login);
         CREATE TABLE _mysql_data_types_cache (\"table\" TEXT, column_or_index TEXT, mysql_type TEXT);
         INSERT INTO _mysql_data_types_cache VALUES ('wp_users', 'user_login', 'varchar(60)'), ('wp_users', 'wp_users__login', 'KEY');
         CREATE TABLE _wp_sqlite_global_variables (name TEXT);
         CREATE VIEW logins (login) AS SELECT user_login FROM wp_users;
         CREATE VIEW broken AS SELECT x FROM gone;
         ANALYZE",
    )
    .await;
    let schema = open(&path, limits()).schema().await.unwrap();
    assert_eq!(schema.tables.keys().collect::<Vec<_>>(), ["broken", "logins", "wp_users"]);
    let users = &schema.tables["wp_users"];
    let columns: Vec<_> =
        users.columns.iter().map(|c| (c.name.as_str(), c.data_type.as_str(), c.nullable)).collect();
    assert_eq!(
        columns,
        [("ID", "INTEGER", false), ("user_login", "varchar(60)", false), ("bio", "TEXT", true)]
    );
    assert_eq!(users.row_estimate, Some(2));
    assert!(users.bytes.unwrap() >= 8192, "{:?}", users.bytes);
    let expected =
        "WITH renamed_columns (login) AS (SELECT user_login FROM wp_users) SELECT * FROM renamed_columns";
    assert_eq!(schema.tables["logins"].kind, TableKind::View(Some(expected.to_owned())));
    assert_eq!(schema.tables["logins"].columns[0].name, "login");
    assert!(schema.tables["broken"].columns.is_empty());
}
