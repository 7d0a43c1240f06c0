//! PostgreSQL.

use std::time::{Duration, Instant};

use siteclaw_core::Secret;
use siteclaw_db::{DbError, Flavour, Limits, Param, Prefixes, Statement, TableKind, Value};

use crate::servers::{Postgres, hasty, limits, rows, text, values};

const ENDLESS: &str =
    "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a + b = 0";

#[tokio::test]
async fn every_type_comes_back_exactly() {
    let mut server = Postgres::new("types").await;
    server
        .run(
            "CREATE TYPE mood AS ENUM ('sad', 'ök');
             CREATE DOMAIN price AS numeric(12, 2);
             CREATE TABLE t (b bool, i2 int2, i4 int4, i8 int8, o oid, n numeric(30, 8), p price, f4 real, f8 float8, nan float8,
               c char(5), v varchar(20), t text, nm name, by bytea, day date, tm time, at timestamp, atz timestamptz, inf timestamp,
               span interval, u uuid, j json, jb jsonb, arr int[], words text[], m mood, r int4range, ip inet, money money, nothing text);
             INSERT INTO t VALUES (true, -32768, 2147483647, -9223372036854775808, 4294967295, 1234567890.10000000, 9.5, 0.1, 0.1, 'NaN',
               'ab', 'größe', '😀', 'name', '\\x00ff10', '2026-11-30', '23:59:58.12', '2026-11-30 23:59:58', '2026-06-01 02:00:00+02',
               'infinity', '1 mon 2 days 03:04:05', '550e8400-e29b-41d4-a716-446655440000', '{\"k\": 1}', '{\"k\": [1]}', '{1,NULL,3}',
               '{\"a b\",c}', 'ök', '[1,5)', '10.0.0.1/8', 12.5, NULL)",
        )
        .await;
    let database = server.database();
    let expected = [
        Value::Bool(true),
        Value::Int(-32768),
        Value::Int(2_147_483_647),
        Value::Int(i64::MIN),
        Value::Int(4_294_967_295),
        text("1234567890.10000000"),
        text("9.50"),
        Value::Float(0.1),
        Value::Float(0.1),
        text("NaN"),
        text("ab   "),
        text("größe"),
        text("😀"),
        text("name"),
        Value::Bytes(vec![0, 0xFF, 0x10]),
        text("2026-11-30"),
        text("23:59:58.12"),
        text("2026-11-30 23:59:58"),
        text("2026-06-01 00:00:00+00"),
        text("infinity"),
        text("1 mon 2 days 03:04:05"),
        text("550e8400-e29b-41d4-a716-446655440000"),
        text("{\"k\": 1}"),
        text("{\"k\": [1]}"),
        text("{1,NULL,3}"),
        text("{\"a b\",c}"),
        text("ök"),
        text("[1,5)"),
        text("10.0.0.1/8"),
        text("$12.50"),
        Value::Null,
    ];
    let found = rows(&database, "SELECT * FROM t").await.unwrap();
    let row = found.iter().next().unwrap();
    for ((column, value), expected) in found.columns.iter().zip(row.values()).zip(&expected) {
        match (column.name.as_str(), value) {
            ("nan", Value::Float(value)) => assert!(value.is_nan()),
            _ => assert_eq!(value, expected, "{}", column.name),
        }
    }
    assert_eq!(row.values().len(), expected.len());
    let origin = found.columns.iter().find(|column| column.name == "n").unwrap().origin.clone().unwrap();
    assert_eq!((origin.table.as_str(), origin.column.as_str()), ("t", "n"));
}

#[tokio::test]
async fn parameters_take_the_type_of_their_place() {
    let mut server = Postgres::new("params").await;
    server
        .run(
            "CREATE TYPE mood AS ENUM ('sad', 'ok');
             CREATE TABLE t (id int, name varchar(20), price numeric, at timestamptz, u uuid, m mood, ok bool, doc jsonb, tags text[]);
             INSERT INTO t VALUES (1, 'it''s', 9.50, '2026-01-01 00:00:00+00', '550e8400-e29b-41d4-a716-446655440000', 'ok', true,
               '{\"k\": 1}', '{a,b}'), (2, '42', 1, '2020-01-01', NULL, 'sad', false, '{}', '{}')",
        )
        .await;
    let database = server.database();
    let prefixes = Prefixes::default();
    let cases: Vec<(&'static str, Param)> = vec![
        ("id = ?", Param::Int(1)),
        ("id = ?", Param::Text("1".into())),
        ("id = ?", Param::Float(1.0)),
        ("name = ?", Param::Text("it's".into())),
        ("price = ?", Param::Text("9.5".into())),
        ("price > ?", Param::Int(5)),
        ("at >= ?", Param::Text("2025-12-31 23:00:00".into())),
        ("u = ?", Param::Text("550e8400-e29b-41d4-a716-446655440000".into())),
        ("m = ?", Param::Text("ok".into())),
        ("ok = ?", Param::Int(1)),
        ("ok = ?", Param::Bool(true)),
        ("doc = ?", Param::Text("{\"k\":1}".into())),
        ("tags = ?", Param::Text("{a,b}".into())),
        ("doc ?? 'k' AND ? = '?'", Param::Text("?".into())),
    ];
    for (condition, param) in cases {
        let statement = Statement::new(format!("SELECT id FROM t WHERE {condition}")).bind(param.clone());
        let found = database.rows(&prefixes, &statement).await;
        let ids: Vec<i64> = found.unwrap().iter().map(|row| row.i64("id").unwrap()).collect();
        assert_eq!(ids, [1], "{condition} {param:?}");
    }
    let two = Statement::new("SELECT id FROM t WHERE name = ?").bind(42);
    assert_eq!(database.scalar_i64(&prefixes, &two).await.unwrap(), 2, "a number finds the text");
    let list = Statement::new("SELECT count(*) FROM t WHERE id IN (?*) AND price NOT IN (?*)")
        .bind_list([1, 2])
        .bind_list(Vec::<i64>::new());
    assert_eq!(database.scalar_i64(&prefixes, &list).await.unwrap(), 2);
    let wrong = database.rows(&prefixes, &Statement::new("SELECT 1 FROM t WHERE id = ?").bind("abc")).await;
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "The parameters do not fit the statement: number 1 is not a value of type int4."
    );
}

#[tokio::test]
async fn the_order_survives_the_servers_casts() {
    let server = Postgres::new("order").await;
    let sql = "SELECT i::numeric AS n, i AS n FROM generate_series(1, 3) i ORDER BY i DESC -- last words";
    let found = rows(&server.database(), sql).await.unwrap();
    let values: Vec<_> = found.iter().map(|row| row.values().to_vec()).collect();
    assert_eq!(values, [[text("3"), Value::Int(3)], [text("2"), Value::Int(2)], [text("1"), Value::Int(1)]]);
    assert_eq!(found.columns[0].data_type, "numeric");
}

#[tokio::test]
async fn no_write_gets_through_although_the_role_may() {
    let mut server = Postgres::new("writes").await;
    server.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE SEQUENCE s; GRANT ALL ON SEQUENCE s TO public").await;
    let database = server.database();
    for sql in [
        "INSERT INTO t VALUES (2)",
        "UPDATE t SET id = 3",
        "DELETE FROM t",
        "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
        "CREATE TABLE t2 (id int)",
        "SELECT * INTO t3 FROM t",
        "SELECT nextval('s')",
        "SELECT * FROM t FOR UPDATE",
    ] {
        let result = rows(&database, sql).await;
        assert!(matches!(result, Err(DbError::ReadOnly { .. })), "{sql}: {result:?}");
        let snapshot = database.snapshot().await.unwrap();
        let result = snapshot.rows(&Prefixes::default(), &Statement::new(sql)).await;
        assert!(matches!(result, Err(DbError::ReadOnly { .. })), "in a snapshot: {sql}: {result:?}");
    }
    let two = rows(&database, "SELECT 1; DELETE FROM t").await;
    assert!(two.is_err(), "{two:?}");
    assert_eq!(values(&database, "SELECT count(*), max(id) FROM t").await, [Value::Int(1), Value::Int(1)]);
}

#[tokio::test]
async fn a_snapshot_is_read_only_whatever_the_session_is_told() {
    let mut server = Postgres::new("undo").await;
    server.run("CREATE TABLE t (id int)").await;
    let database = server.database();
    let snapshot = database.snapshot().await.unwrap();
    let prefixes = Prefixes::default();
    let undo = Statement::new("SELECT set_config('default_transaction_read_only', 'off', false)");
    snapshot.rows(&prefixes, &undo).await.unwrap();
    let result = snapshot.rows(&prefixes, &Statement::new("INSERT INTO t VALUES (1)")).await;
    assert!(matches!(result, Err(DbError::ReadOnly { .. })), "{result:?}");
    snapshot.finish().await.unwrap();
    assert_eq!(
        values(&database, "SELECT current_setting('default_transaction_read_only')").await,
        [text("on")]
    );
}

#[tokio::test]
async fn a_snapshot_sees_one_state_and_survives_a_mistake() {
    let mut server = Postgres::new("snapshot").await;
    server.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1)").await;
    let database = server.database();
    let prefixes = Prefixes::default();
    let count = Statement::new("SELECT count(*) FROM t");
    let snapshot = database.snapshot().await.unwrap();
    assert_eq!(snapshot.scalar_i64(&prefixes, &count).await.unwrap(), 1);
    server.run("INSERT INTO t VALUES (2)").await;
    let missing = snapshot.rows(&prefixes, &Statement::new("SELECT 1 FROM nowhere")).await;
    assert!(matches!(missing, Err(DbError::TableMissing { .. })), "{missing:?}");
    assert_eq!(snapshot.scalar_i64(&prefixes, &count).await.unwrap(), 1);
    assert_eq!(database.scalar_i64(&prefixes, &count).await.unwrap(), 2);
}

#[tokio::test]
async fn the_server_ends_what_runs_too_long() {
    let mut server = Postgres::new("slow").await;
    let database = server.limited(hasty());
    for sql in [ENDLESS, "SELECT pg_sleep(30) AS needle"] {
        let started = Instant::now();
        let result = rows(&database, sql).await;
        assert!(matches!(result, Err(DbError::TimedOut { .. })), "{sql}: {result:?}");
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        server.wait_running("generate_series", 0).await;
        server.wait_running("needle", 0).await;
    }
    assert_eq!(values(&database, "SELECT 1").await, [Value::Int(1)]);
}

#[tokio::test]
async fn a_dropped_call_takes_its_statement_with_it() {
    let mut server = Postgres::new("dropped").await;
    let database = server.database();
    let call = tokio::spawn(async move { rows(&database, ENDLESS).await });
    server.wait_running("generate_series", 1).await;
    call.abort();
    server.wait_running("generate_series", 0).await;
}

#[tokio::test]
async fn a_server_that_forgot_its_limit_is_told_to_stop() {
    let mut server = Postgres::new("forgot").await;
    let database = server.limited(hasty());
    let snapshot = database.snapshot().await.unwrap();
    let prefixes = Prefixes::default();
    snapshot
        .rows(&prefixes, &Statement::new("SELECT set_config('statement_timeout', '0', true)"))
        .await
        .unwrap();
    let result = snapshot.rows(&prefixes, &Statement::new(ENDLESS)).await;
    assert!(matches!(result, Err(DbError::TimedOut { .. })), "{result:?}");
    drop(snapshot);
    server.wait_running("generate_series", 0).await;
}

#[tokio::test]
async fn a_huge_result_is_cut_and_never_held() {
    let mut server = Postgres::new("huge").await;
    let database = server.limited(Limits { max_rows: 100, ..limits() });
    let huge = "SELECT n, repeat('x', 1000) FROM generate_series(1, 1000000) n";
    let found = rows(&database, huge).await.unwrap();
    assert_eq!((found.len(), found.cut), (100, true));
    server.wait_running("generate_series", 0).await;
    let snapshot = database.snapshot().await.unwrap();
    let found = snapshot.rows(&Prefixes::default(), &Statement::new(huge)).await.unwrap();
    assert_eq!((found.len(), found.cut), (100, true));
    let one = Statement::new("SELECT 1");
    assert_eq!(snapshot.scalar_i64(&Prefixes::default(), &one).await.unwrap(), 1);
}

#[tokio::test]
async fn a_table_that_changed_is_read_as_it_is_now() {
    let mut server = Postgres::new("altered").await;
    server.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1)").await;
    let database = server.database();
    assert_eq!(values(&database, "SELECT * FROM t").await, [Value::Int(1)]);
    server.run("ALTER TABLE t ADD name text DEFAULT 'x'").await;
    assert_eq!(values(&database, "SELECT * FROM t").await, [Value::Int(1), text("x")]);
}

#[tokio::test]
async fn mistakes_are_told_apart() {
    let mut server = Postgres::new("mistakes").await;
    server.run("CREATE TABLE t (id int); CREATE TABLE hidden (id int)").await;
    let revoke = format!("REVOKE ALL ON hidden FROM {}", server.name);
    server.run(&revoke).await;
    let database = server.database();
    let message = async |sql: &str| rows(&database, sql).await.unwrap_err().to_string();
    assert_eq!(message("SELECT * FROM nowhere").await, "There is no table `nowhere`.");
    assert_eq!(message("SELECT titel FROM t").await, "There is no column `titel`.");
    assert_eq!(message("SELECT t.titel FROM t").await, "There is no column `t.titel`.");
    assert_eq!(message("SELECT id FORM t").await, "The statement has a syntax error near `t`.");
    assert_eq!(message("SELECT * FROM hidden").await, "The database account may not read table hidden.");
    assert_eq!(
        message("SELECT 1 / 0").await,
        "The database refused the statement: a division by zero (22012)."
    );
}

#[tokio::test]
async fn logins_that_fail_say_why() {
    let mut server = Postgres::new("login").await;
    let right = server.settings.clone();
    server.settings.database = "sc_no_such".into();
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert!(matches!(error, DbError::UnknownDatabase { .. }), "{error:?}");
    server.settings = right.clone();
    server.settings.user = "sc_no_such_role".into();
    server.settings.password = Secret::new("hunter2");
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert!(matches!(error, DbError::LoginRefused { .. }), "{error:?}");
    assert!(!format!("{error:?}").contains("hunter2"));
    server.settings = right;
    server.settings.port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert!(matches!(error, DbError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn the_catalogue_lists_tables_views_and_columns() {
    let mut server = Postgres::new("schema").await;
    server
        .run(
            "CREATE TABLE users (id bigint PRIMARY KEY, login varchar(60) NOT NULL, bio text);
             INSERT INTO users VALUES (1, 'a', NULL), (2, 'b', NULL); ANALYZE users;
             CREATE VIEW logins AS SELECT login FROM users;
             CREATE MATERIALIZED VIEW frozen AS SELECT login FROM users;
             CREATE SCHEMA other; CREATE TABLE other.elsewhere (id int)",
        )
        .await;
    let database = server.database();
    let schema = database.schema().await.unwrap();
    assert_eq!(schema.current, "public");
    assert_eq!(schema.tables.keys().collect::<Vec<_>>(), ["frozen", "logins", "users"]);
    let users = &schema.tables["users"];
    let columns: Vec<_> =
        users.columns.iter().map(|c| (c.name.as_str(), c.data_type.as_str(), c.nullable)).collect();
    assert_eq!(
        columns,
        [("id", "bigint", false), ("login", "character varying(60)", false), ("bio", "text", true)]
    );
    assert_eq!((users.row_estimate, users.kind.clone()), (Some(2), TableKind::Base));
    assert!(users.bytes.unwrap() > 0);
    for view in ["logins", "frozen"] {
        let TableKind::View(Some(definition)) = &schema.tables[view].kind else { panic!("{schema:?}") };
        assert!(definition.starts_with("SELECT") && !definition.ends_with(';'), "{definition}");
        assert_eq!(schema.tables[view].columns.len(), 1);
    }
    let info = database.server().await.unwrap();
    assert_eq!(info.flavour, Flavour::Postgres);
    assert!(info.address.ends_with(&server.settings.port.to_string()), "{info:?}");
}

#[tokio::test]
async fn another_schema_is_used_where_the_site_names_it() {
    let mut server = Postgres::new("namespace").await;
    let sql = format!(
        "CREATE SCHEMA \"My Site\" AUTHORIZATION {}; CREATE TABLE \"My Site\".posts (id int); INSERT INTO \"My Site\".posts VALUES (7); GRANT ALL ON ALL TABLES IN SCHEMA \"My Site\" TO {}",
        server.name, server.name
    );
    server.run(&sql).await;
    server.settings.schema = "My Site".into();
    let database = server.database();
    let statement = Statement::new("SELECT id FROM {posts}");
    assert_eq!(database.scalar_i64(&Prefixes::single(""), &statement).await.unwrap(), 7);
    assert_eq!(database.schema().await.unwrap().current, "My Site");
}
