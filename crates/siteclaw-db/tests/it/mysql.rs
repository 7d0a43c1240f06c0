//! MySQL and MariaDB: values, parameters, read-only sessions, snapshots, catalogue.

use siteclaw_db::{DbError, Flavour, Param, Prefixes, Statement, TableKind, Value};

use crate::servers::{MySql, rows, text, values};

#[tokio::test]
async fn every_type_comes_back_exactly() {
    let mut server = MySql::new("types").await;
    server
        .run(
            "CREATE TABLE t (
               i8 TINYINT, u8 TINYINT UNSIGNED, flag TINYINT(1), flag_u TINYINT(1) UNSIGNED, i64 BIGINT, u64 BIGINT UNSIGNED, y YEAR,
               bits BIT(10), d DECIMAL(26,8), f FLOAT, g DOUBLE,
               day DATE, at DATETIME, at3 DATETIME(3), stamp TIMESTAMP NULL, span TIME, zero_day DATE, zero_at DATETIME,
               half_day DATE, c CHAR(5), v VARCHAR(20), bin_coll VARCHAR(20) COLLATE utf8mb4_bin, t TEXT, b BLOB, vb VARBINARY(8),
               blob_text LONGBLOB, latin VARCHAR(20) CHARACTER SET latin1, e ENUM('a','ö'), s SET('x','y'), j JSON, n INT);
             SET time_zone = '+02:00';
             INSERT INTO t VALUES (-128, 255, 2, 200, -9223372036854775808, 18446744073709551615, 2026,
               b'1000000001', 1234567890.10000000, 0.1, 0.1,
               '2026-11-30', '2026-11-30 23:59:58', '2026-11-30 23:59:58.120', '2026-06-01 02:00:00', '-838:59:58', '0000-00-00',
               '0000-00-00 00:00:00', '2026-00-00', 'ab', 'größe 😀', 'ß', 'text', x'00FF10', x'C3B6',
               'a:1:{s:1:\"k\";i:1;}', 'größe', 'ö', 'x,y', '{\"k\": [1]}', NULL)",
        )
        .await;
    let database = server.database();
    let expected = vec![
        Value::Int(-128),
        Value::Int(255),
        Value::Int(2),
        Value::Int(200),
        Value::Int(i64::MIN),
        Value::Unsigned(u64::MAX),
        Value::Int(2026),
        Value::Int(513),
        text("1234567890.10000000"),
        Value::Float(0.1),
        Value::Float(0.1),
        text("2026-11-30"),
        text("2026-11-30 23:59:58"),
        text("2026-11-30 23:59:58.12"),
        text("2026-06-01 00:00:00"),
        text("-838:59:58"),
        text("0000-00-00"),
        text("0000-00-00 00:00:00"),
        text("2026-00-00"),
        text("ab"),
        text("größe 😀"),
        text("ß"),
        text("text"),
        Value::Bytes(vec![0, 0xFF, 0x10]),
        text("ö"),
        text("a:1:{s:1:\"k\";i:1;}"),
        text("größe"),
        text("ö"),
        text("x,y"),
        text("{\"k\": [1]}"),
        Value::Null,
    ];
    let found = rows(&database, "SELECT * FROM t").await.unwrap();
    let row = found.iter().next().unwrap();
    for ((column, value), expected) in found.columns.iter().zip(row.values()).zip(&expected) {
        assert_eq!(value, expected, "{}", column.name);
    }
    assert_eq!(row.values().len(), expected.len());
    assert_eq!(row.json("j").unwrap()["k"][0], 1);
    assert_eq!(row.decimal("d").unwrap(), "1234567890.10000000");
    let type_of = |name: &str| &found.columns.iter().find(|column| column.name == name).unwrap().data_type;
    assert_eq!((type_of("bin_coll").as_str(), type_of("vb").as_str()), ("varchar", "varbinary"));
}

#[tokio::test]
async fn expressions_over_text_stay_text() {
    let server = MySql::new("expressions").await;
    let database = server.database();
    let sql = "SELECT CONCAT('a', 1), GROUP_CONCAT('ö'), CAST('ö' AS BINARY), IFNULL(NULL, 'x'), SUM(2), COUNT(*), AVG(3), \
               MAX('2026-01-01 00:00:00'), NULL, 1 = 1, CAST(2.5 AS DOUBLE), HEX('a')";
    assert_eq!(
        values(&database, sql).await,
        [
            text("a1"),
            text("ö"),
            text("ö"),
            text("x"),
            text("2"),
            Value::Int(1),
            text("3.0000"),
            text("2026-01-01 00:00:00"),
            Value::Null,
            Value::Int(1),
            Value::Float(2.5),
            text("61"),
        ]
    );
}

#[tokio::test]
async fn a_long_group_concat_is_not_cut() {
    let server = MySql::new("group_concat").await;
    let sql = "SELECT LENGTH(GROUP_CONCAT(REPEAT('x', 100))) FROM information_schema.COLLATIONS";
    let database = server.database();
    let length = database.scalar_i64(&Prefixes::default(), &Statement::new(sql)).await.unwrap();
    assert!(length > 10_000, "{length}");
}

#[tokio::test]
async fn the_sessions_quotes_are_those_the_guard_parses_by() {
    let mut server = MySql::new("modes").await;
    let before: String =
        sqlx::query_scalar("SELECT @@GLOBAL.sql_mode").fetch_one(&mut server.admin).await.unwrap();
    let database = server.database();
    // "x" a string, backslash an escape, || a logical or: under any mode that the server's owner prefers.
    assert_eq!(
        values(&database, r#"SELECT "x", 'a\'b', 1 || 0"#).await,
        [text("x"), text("a'b"), Value::Int(1)]
    );
    assert_eq!(values(&database, "SELECT @@SESSION.sql_mode").await, [text("NO_ENGINE_SUBSTITUTION")]);
    let after: String =
        sqlx::query_scalar("SELECT @@GLOBAL.sql_mode").fetch_one(&mut server.admin).await.unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn parameters_and_lists_reach_their_places() {
    let mut server = MySql::new("params").await;
    server.run("CREATE TABLE wp_2_posts (id INT, title VARCHAR(50)); INSERT INTO wp_2_posts VALUES (1, 'it''s'), (2, 'ö?'), (3, NULL)").await;
    let database = server.database();
    let prefixes = Prefixes::new("wp_2_", "wp_");
    let ids = async |statement: Statement| {
        let rows = database.rows(&prefixes, &statement).await.unwrap();
        rows.iter().map(|row| row.i64("id").unwrap()).collect::<Vec<_>>()
    };
    let by_list = |list: Vec<i64>| {
        Statement::new("SELECT id FROM {posts} WHERE id IN (?*) ORDER BY id").bind_list(list)
    };
    assert_eq!(ids(by_list(vec![3, 1, 9])).await, [1, 3]);
    assert_eq!(ids(by_list(vec![])).await, [0; 0]);
    let not = Statement::new("SELECT id FROM {posts} WHERE id NOT IN (?*) ORDER BY id");
    assert_eq!(ids(not.clone().bind_list([2])).await, [1, 3]);
    assert_eq!(ids(not.bind_list(Vec::<i64>::new())).await, [1, 2, 3]);
    assert_eq!(ids(Statement::new("SELECT id FROM {posts} WHERE title = ?").bind("it's")).await, [1]);
    assert_eq!(ids(Statement::new("SELECT id FROM {posts} WHERE title <=> ?").bind(Param::Null)).await, [3]);
    let echo = Statement::new("SELECT ?, ?, ?, ?, ?").binds([
        Param::Bool(true),
        Param::Float(0.5),
        Param::Text("\u{1F600}'".into()),
        Param::Bytes(vec![0, 255]),
        Param::Null,
    ]);
    let row = database.row(&prefixes, &echo).await.unwrap().unwrap();
    assert_eq!(
        row.values(),
        [Value::Int(1), Value::Float(0.5), text("\u{1F600}'"), Value::Bytes(vec![0, 255]), Value::Null]
    );
    let few = database.rows(&prefixes, &Statement::new("SELECT ?")).await;
    assert!(matches!(few, Err(DbError::BadParameters { .. })), "{few:?}");
}

#[tokio::test]
async fn an_empty_result_still_has_its_columns() {
    let server = MySql::new("empty").await;
    let found = rows(&server.database(), "SELECT 1 AS one, 'x' AS word FROM DUAL WHERE 1 = 0").await.unwrap();
    let names: Vec<_> = found.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((names, found.len(), found.cut), (vec!["one", "word"], 0, false));
}

#[tokio::test]
async fn a_table_that_changed_is_read_as_it_is_now() {
    let mut server = MySql::new("altered").await;
    server.run("CREATE TABLE t (id INT); INSERT INTO t VALUES (1)").await;
    let database = server.database();
    assert_eq!(values(&database, "SELECT * FROM t").await, [Value::Int(1)]);
    server.run("ALTER TABLE t ADD name VARCHAR(5) DEFAULT 'x'").await;
    let found = rows(&database, "SELECT * FROM t").await.unwrap();
    assert_eq!(found.rows[0].i64("id").unwrap(), 1);
    assert_eq!(found.rows[0].text("name").unwrap(), "x");
}

#[tokio::test]
async fn no_write_gets_through_although_the_account_may() {
    let mut server = MySql::new("writes").await;
    server.run("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)").await;
    let database = server.database();
    for sql in [
        "INSERT INTO t VALUES (2)",
        "UPDATE t SET id = 3",
        "DELETE FROM t",
        "REPLACE INTO t VALUES (1)",
        "CREATE TABLE t2 (id INT)",
        "DROP TABLE t",
        "TRUNCATE TABLE t",
        "ALTER TABLE t ADD x INT",
    ] {
        let result = rows(&database, sql).await;
        assert!(matches!(result, Err(DbError::ReadOnly { .. })), "{sql}: {result:?}");
        let snapshot = database.snapshot().await.unwrap();
        let result = snapshot.rows(&Prefixes::default(), &Statement::new(sql)).await;
        assert!(matches!(result, Err(DbError::ReadOnly { .. })), "in a snapshot: {sql}: {result:?}");
        snapshot.finish().await.unwrap();
    }
    let two = rows(&database, "SELECT 1; DELETE FROM t").await;
    assert!(matches!(two, Err(DbError::SyntaxNear { .. })), "{two:?}");
    assert_eq!(values(&database, "SELECT COUNT(*), MAX(id) FROM t").await, [Value::Int(1), Value::Int(1)]);
}

#[tokio::test]
async fn a_snapshot_sees_one_state_whatever_happens_beside_it() {
    let mut server = MySql::new("snapshot").await;
    server.run("CREATE TABLE t (id INT); INSERT INTO t VALUES (1)").await;
    let database = server.database();
    let count = Statement::new("SELECT COUNT(*) FROM t");
    let prefixes = Prefixes::default();
    let snapshot = database.snapshot().await.unwrap();
    server.run("INSERT INTO t VALUES (2)").await;
    assert_eq!(snapshot.scalar_i64(&prefixes, &count).await.unwrap(), 1);
    assert_eq!(database.scalar_i64(&prefixes, &count).await.unwrap(), 2);
    let missing = snapshot.rows(&prefixes, &Statement::new("SELECT 1 FROM nowhere")).await;
    assert!(matches!(missing, Err(DbError::TableMissing { .. })), "{missing:?}");
    assert_eq!(snapshot.scalar_i64(&prefixes, &count).await.unwrap(), 1);
    snapshot.finish().await.unwrap();
    drop(database.snapshot().await.unwrap());
    assert_eq!(database.scalar_i64(&prefixes, &count).await.unwrap(), 2);
}

#[tokio::test]
async fn the_catalogue_lists_tables_views_and_columns() {
    let mut server = MySql::new("schema").await;
    server
        .run(
            "CREATE TABLE wp_users (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, login VARCHAR(60) NOT NULL, bio TEXT);
             INSERT INTO wp_users VALUES (1, 'a', NULL), (2, 'b', NULL);
             CREATE VIEW logins AS SELECT login FROM wp_users",
        )
        .await;
    let database = server.database();
    let schema = database.schema().await.unwrap();
    assert_eq!(schema.current, server.name);
    assert_eq!(schema.tables.keys().collect::<Vec<_>>(), ["logins", "wp_users"]);
    let users = &schema.tables["wp_users"];
    assert_eq!(users.kind, TableKind::Base);
    let columns: Vec<_> =
        users.columns.iter().map(|c| (c.name.as_str(), c.data_type.as_str(), c.nullable)).collect();
    assert_eq!(
        columns,
        [("id", "bigint(20) unsigned", false), ("login", "varchar(60)", false), ("bio", "text", true)]
    );
    assert!(users.bytes.unwrap() > 0);
    assert!(users.row_estimate.is_some());
    let TableKind::View(Some(definition)) = &schema.tables["logins"].kind else { panic!("{schema:?}") };
    assert!(definition.starts_with("select ") && definition.contains("`login`"), "{definition}");
    assert!(std::sync::Arc::ptr_eq(&schema, &database.schema().await.unwrap()));
    server.run("CREATE TABLE later (id INT)").await;
    database.forget_schema().await;
    assert!(database.schema().await.unwrap().tables.contains_key("later"));
}

#[tokio::test]
async fn the_server_is_named_with_the_address_that_worked() {
    let mut server = MySql::new("server").await;
    let socket: String = sqlx::query_scalar("SELECT @@socket").fetch_one(&mut server.admin).await.unwrap();
    let nowhere = siteclaw_db::MySqlAddress::Socket { path: "/nowhere/mysql.sock".into() };
    let there = siteclaw_db::MySqlAddress::Socket { path: socket.clone().into() };
    server.settings.hosts = vec![nowhere, there, server.settings.hosts[0].clone()];
    let info = server.database().server().await.unwrap();
    assert_eq!(info.address, socket);
    let version: String = sqlx::query_scalar("SELECT VERSION()").fetch_one(&mut server.admin).await.unwrap();
    let flavour = if version.contains("MariaDB") { Flavour::MariaDb } else { Flavour::MySql };
    assert_eq!((info.version, info.flavour), (version, flavour));
}
