//! Statements that a model wrote, from the guard to the rows.

use std::path::Path;

use serde_json::json;
use siteclaw_db::guard::{Guard, SqlPolicy};
use siteclaw_db::{Database, DbError, ModelRows, Param};

use crate::servers::{MySql, Postgres, limits};
use crate::sqlite::{open, run, site};

const TABLE: &str = "CREATE TABLE t (id INTEGER, price DECIMAL(8,2), name VARCHAR(20));
                     INSERT INTO t VALUES (1, 9.50, 'a'), (2, 0.10, 'ö'), (3, NULL, NULL)";

async fn ask(database: &Database, sql: &str, params: &[Param], max_rows: u32) -> Result<ModelRows, DbError> {
    let guard = Guard::new(database.engine(), SqlPolicy::new()).with_max_rows(max_rows);
    let query = guard.check(sql, &database.schema().await.unwrap()).unwrap();
    database.model_rows(&query, params, max_rows as usize, 1_000_000).await
}

/// What all three databases must do alike.
async fn asks_like_a_model(database: &Database, placeholder: &str) {
    let sql = format!("SELECT id, name FROM t WHERE id >= {placeholder} ORDER BY id");
    let found = ask(database, &sql, &[Param::Int(1)], 2).await.unwrap();
    assert_eq!(found.rows, [[json!(1), json!("a")], [json!(2), json!("ö")]]);
    assert!(found.has_more);
    let found = ask(database, &sql, &[Param::Int(3)], 2).await.unwrap();
    assert_eq!(found.rows, [[json!(3), json!(null)]]);
    assert!(!found.has_more);
    let found = ask(database, "SELECT id, name FROM t WHERE 1 = 0", &[], 2).await.unwrap();
    let names: Vec<_> = found.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((names, found.rows.len()), (vec!["id", "name"], 0));
    let missing = ask(database, &sql, &[], 2).await;
    assert!(matches!(missing, Err(DbError::BadParameters { .. })), "{missing:?}");
    let again = ask(database, "SELECT COUNT(*) FROM t", &[], 2).await.unwrap();
    assert_eq!(again.rows, [[json!(3)]]);
}

#[tokio::test]
async fn mysql_answers_a_model() {
    let mut server = MySql::new("model").await;
    server.run(TABLE).await;
    let database = server.database();
    asks_like_a_model(&database, "?").await;
    let found =
        ask(&database, "SELECT price, SUM(price) OVER () AS total FROM t ORDER BY id", &[], 1).await.unwrap();
    assert_eq!(found.rows, [[json!("9.50"), json!("9.60")]]);
    let types: Vec<_> = found.columns.iter().map(|column| column.data_type.as_str()).collect();
    assert_eq!(types, ["decimal", "decimal"]);
}

#[tokio::test]
async fn postgres_answers_a_model() {
    let mut server = Postgres::new("model").await;
    server.run(TABLE).await;
    let database = server.database();
    asks_like_a_model(&database, "$1").await;
    let found =
        ask(&database, "SELECT price, sum(price) OVER () AS total FROM t ORDER BY id", &[], 1).await.unwrap();
    assert_eq!(found.rows, [[json!("9.50"), json!("9.60")]]);
    let explained = ask(&database, "EXPLAIN SELECT * FROM t", &[], 10).await.unwrap();
    let mut lines = explained.rows.iter().filter_map(|row| row[0].as_str());
    assert!(lines.any(|line| line.contains("Seq Scan on t")), "{explained:?}");
}

#[tokio::test]
async fn sqlite_answers_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let path: &Path = &folder.path().join("site.sqlite");
    let mut site = site(path).await;
    run(&mut site, TABLE).await;
    asks_like_a_model(&open(path, limits()), "?").await;
}
