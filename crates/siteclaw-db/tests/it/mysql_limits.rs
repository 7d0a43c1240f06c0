//! MySQL and MariaDB: what runs too long, is too large, or wants too many connections.

use std::time::{Duration, Instant};

use siteclaw_db::{DbError, Limits, Prefixes, Statement, Value};
use sqlx::AssertSqlSafe;

use crate::servers::{MySql, hasty, limits, rows, values};

/// Work without end and without rows.
const ENDLESS: &str = "SELECT COUNT(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq = 0";

#[tokio::test]
async fn the_server_ends_what_runs_too_long() {
    let mut server = MySql::new("slow").await;
    let database = server.limited(hasty());
    for sql in
        [ENDLESS, "SELECT SLEEP(30), 'needle' FROM DUAL WHERE BENCHMARK(1000000000, SHA2('x', 512)) = 0"]
    {
        let started = Instant::now();
        let result = rows(&database, sql).await;
        assert!(matches!(result, Err(DbError::TimedOut { .. })), "{sql}: {result:?}");
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        server.wait_running("seq_1_to", 0).await;
        server.wait_running("needle", 0).await;
    }
    assert_eq!(values(&database, "SELECT 1").await, [Value::Int(1)]);
}

#[tokio::test]
async fn a_dropped_call_takes_its_statement_with_it() {
    let mut server = MySql::new("dropped").await;
    let database = server.database();
    let call = tokio::spawn(async move { rows(&database, ENDLESS).await });
    server.wait_running("seq_1_to", 1).await;
    call.abort();
    // Twenty seconds before the server's own limit would end it.
    server.wait_running("seq_1_to", 0).await;
}

#[tokio::test]
async fn a_server_that_forgot_its_limit_is_told_to_stop() {
    let mut server = MySql::new("forgot").await;
    let database = server.limited(hasty());
    let snapshot = database.snapshot().await.unwrap();
    // As a server without time limits would behave.
    let off = Statement::new("SET SESSION max_statement_time = 0");
    snapshot.rows(&Prefixes::default(), &off).await.unwrap();
    let result = snapshot.rows(&Prefixes::default(), &Statement::new(ENDLESS)).await;
    assert!(matches!(result, Err(DbError::TimedOut { .. })), "{result:?}");
    let after = snapshot.rows(&Prefixes::default(), &Statement::new("SELECT 1")).await;
    assert!(after.is_err(), "{after:?}");
    drop(snapshot);
    server.wait_running("seq_1_to", 0).await;
    assert_eq!(values(&database, "SELECT 1").await, [Value::Int(1)]);
}

#[tokio::test]
async fn a_huge_result_is_cut_and_never_held() {
    let mut server = MySql::new("huge").await;
    let database = server.limited(Limits { max_rows: 100, ..limits() });
    // A gigabyte of rows.
    let huge = "SELECT seq, REPEAT('x', 1000) AS filler FROM seq_1_to_1000000";
    let found = rows(&database, huge).await.unwrap();
    assert_eq!((found.len(), found.cut), (100, true));
    assert_eq!(found.rows[99].i64("seq").unwrap(), 100);
    server.wait_running("seq_1_to", 0).await;

    let few = server.limited(Limits { max_bytes: 10_000, ..limits() });
    let found = rows(&few, huge).await.unwrap();
    assert!(found.cut && (8..=10).contains(&found.len()), "{}", found.len());

    let snapshot = database.snapshot().await.unwrap();
    let found = snapshot.rows(&Prefixes::default(), &Statement::new(huge)).await.unwrap();
    assert_eq!((found.len(), found.cut), (100, true));
    let one = Statement::new("SELECT 1");
    assert_eq!(snapshot.scalar_i64(&Prefixes::default(), &one).await.unwrap(), 1);

    assert!(peak_memory() < 400 * 1024, "{} KiB at most", peak_memory());
    let exact = rows(&database, "SELECT seq FROM seq_1_to_100").await.unwrap();
    assert_eq!((exact.len(), exact.cut), (100, false));
}

/// In KiB, of the whole process.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn many_different_statements_are_as_quick_as_few() {
    let server = MySql::new("many").await;
    let database = server.limited(Limits { connections: 1, ..limits() });
    let started = Instant::now();
    for number in 0..450 {
        assert_eq!(values(&database, &format!("SELECT {number}")).await, [Value::Int(number)]);
    }
    // 250 delayed acknowledgements alone would take ten seconds.
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
}

#[tokio::test]
async fn two_connections_serve_six_queries() {
    let mut server = MySql::new("two").await;
    for host in ["%", "localhost"] {
        let sql = format!("ALTER USER '{}'@'{host}' WITH MAX_USER_CONNECTIONS 2", server.name);
        server.run(&sql).await;
    }
    for connections in [2, 6] {
        let database = server.limited(Limits { connections, ..limits() });
        let calls: Vec<_> = (0..6)
            .map(|number| {
                let database = database.clone();
                tokio::spawn(async move {
                    let statement = Statement::new("SELECT ? + SLEEP(0.1)").bind(number);
                    database.scalar_i64(&Prefixes::default(), &statement).await
                })
            })
            .collect();
        for (number, call) in (0..).zip(calls) {
            assert_eq!(call.await.unwrap().unwrap(), number, "of {connections}");
        }
        database.close().await;
    }
}

#[tokio::test]
async fn a_full_server_is_an_error_that_may_pass() {
    let mut server = MySql::new("full").await;
    for host in ["%", "localhost"] {
        let sql = format!("ALTER USER '{}'@'{host}' WITH MAX_USER_CONNECTIONS 1", server.name);
        server.run(&sql).await;
    }
    let other = server.database();
    let held = other.snapshot().await.unwrap();
    let impatient = Limits {
        statement_time: Duration::from_millis(100),
        connect_timeout: Duration::from_millis(400),
        ..limits()
    };
    let result = rows(&server.limited(impatient), "SELECT 1").await;
    let Err(error @ DbError::TooManyConnections { .. }) = result else { panic!("{result:?}") };
    assert!(error.retryable());
    held.finish().await.unwrap();
}

#[tokio::test]
async fn a_connection_that_died_while_idle_is_replaced() {
    let mut server = MySql::new("idle").await;
    let database = server.database();
    let first = values(&database, "SELECT CONNECTION_ID()").await;
    let Value::Int(id) = first[0] else { panic!("{first:?}") };
    assert_eq!(values(&database, "SELECT CONNECTION_ID()").await, first, "an idle connection is used again");
    sqlx::raw_sql(AssertSqlSafe(format!("KILL {id}"))).execute(&mut server.admin).await.unwrap();
    assert_ne!(values(&database, "SELECT CONNECTION_ID()").await, first);
}

#[tokio::test]
async fn a_locked_table_is_busy_and_not_forever() {
    let mut server = MySql::new("locked").await;
    server.run("CREATE TABLE t (id INT); LOCK TABLES t WRITE").await;
    let started = Instant::now();
    let result = rows(&server.database(), "SELECT * FROM t").await;
    assert!(matches!(result, Err(DbError::Busy { .. })), "{result:?}");
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
}
