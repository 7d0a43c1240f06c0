//! One huge value of an honest server is refused before it is received.

use siteclaw_db::{ConnectSettings, Database, DbError, SqliteFile};

use super::apart;
use crate::servers::{MySql, Postgres, limits, rows};

fn is_too_large(result: Result<siteclaw_db::Rows, DbError>, begins: &str) {
    match result {
        Err(DbError::TooLarge { statement }) => assert!(begins.starts_with(&statement), "{statement}"),
        other => panic!("{:?}", other.map(|rows| rows.len())),
    }
}

#[tokio::test]
async fn a_huge_value_of_mysql_is_not_received() {
    let Some(_peak) = apart(module_path!(), "a_huge_value_of_mysql_is_not_received", 150) else { return };
    let mut server = MySql::new("huge_value").await;
    server.run("SET GLOBAL max_allowed_packet = 1073741824").await;
    let database = server.database();
    let sql = "SELECT REPEAT('x', 100000000)";
    is_too_large(rows(&database, sql).await, sql);
    // Many of them make the longest row that is received.
    let found = rows(&database, "SELECT REPEAT('x', 4000000) AS x FROM seq_1_to_3").await.unwrap();
    assert_eq!(found.rows[2].text("x").unwrap().len(), 4_000_000);
}

#[tokio::test]
async fn a_huge_value_of_postgres_is_not_received() {
    let Some(_peak) = apart(module_path!(), "a_huge_value_of_postgres_is_not_received", 150) else { return };
    let server = Postgres::new("huge_value").await;
    let database = server.database();
    let sql = "SELECT repeat('x', 100000000)";
    is_too_large(rows(&database, sql).await, sql);
    let found = rows(&database, "SELECT repeat('x', 4000000) AS x FROM generate_series(1, 3)").await.unwrap();
    assert_eq!(found.rows[2].text("x").unwrap().len(), 4_000_000);
}

#[tokio::test]
async fn a_huge_value_of_sqlite_is_not_read() {
    let Some(_peak) = apart(module_path!(), "a_huge_value_of_sqlite_is_not_read", 250) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let mut site = crate::sqlite::site(&path).await;
    crate::sqlite::run(
        &mut site,
        "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(20000000)), (zeroblob(300000000))",
    )
    .await;
    let database = Database::new(ConnectSettings::Sqlite(SqliteFile::at(&path)), limits());
    for sql in [
        "SELECT hex(zeroblob(200000000))",
        "SELECT x FROM t LIMIT 1",
        "SELECT x FROM t ORDER BY length(x) DESC",
    ] {
        is_too_large(rows(&database, sql).await, sql);
    }
    let sql = "SELECT hex(zeroblob(2000000)) AS x FROM (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)";
    let found = rows(&database, sql).await.unwrap();
    assert_eq!(found.rows[2].text("x").unwrap().len(), 4_000_000);
}
