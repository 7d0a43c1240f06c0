//! Statements that must never reach a server.

use super::{RefusalCode as Code, refused, sent, site};
use crate::Engine::{MySql, Postgres, Sqlite};
use crate::guard::{Guard, SqlPolicy};

const ENGINES: [crate::Engine; 3] = [MySql, Postgres, Sqlite];

#[test]
fn more_than_one_statement() {
    for engine in ENGINES {
        for sql in [
            "COMMIT; DROP TABLE wp_users",
            "SELECT 1; SELECT 2",
            "SELECT 1;SELECT 2",
            "SELECT 1 ;\n\t; DELETE FROM t",
            "SELECT 1; -- x\nSELECT 2",
            "SELECT ';'; SELECT 2",
        ] {
            assert_eq!(refused(engine, sql), Code::Multiple, "{sql}");
        }
    }
}

#[test]
fn writes_inside_queries() {
    assert_eq!(
        refused(Postgres, "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x"),
        Code::NotSelect
    );
    assert_eq!(
        refused(
            Postgres,
            "WITH a AS (SELECT 1), x AS (INSERT INTO orders(id) VALUES (1) RETURNING id) SELECT * FROM x"
        ),
        Code::NotSelect
    );
    assert_eq!(
        refused(
            Postgres,
            "SELECT * FROM (WITH x AS (UPDATE orders SET id=1 RETURNING id) SELECT * FROM x) y"
        ),
        Code::NotSelect
    );
    assert_eq!(refused(MySql, "WITH x AS (SELECT 1) DELETE FROM wp_posts"), Code::NotSelect);
    assert_eq!(refused(MySql, "WITH x AS (SELECT 1) UPDATE wp_posts SET post_title = ''"), Code::NotSelect);
    assert_eq!(refused(Sqlite, "WITH x AS (SELECT 1) INSERT INTO posts(id) SELECT 1"), Code::NotSelect);
}

#[test]
fn two_dashes_without_a_space_are_arithmetic_in_mysql() {
    assert_eq!(refused(MySql, "SELECT 1--1;DROP TABLE t"), Code::Multiple);
    assert_eq!(sent(MySql, "SELECT 5--3"), "SELECT 5 - -3 AS `5 - -3` LIMIT 101");
    assert_eq!(sent(MySql, "SELECT 5 -- 3"), "SELECT 5 LIMIT 101");
    assert_eq!(sent(Postgres, "SELECT 5--3"), "SELECT 5 LIMIT 101");
}

#[test]
fn comments_that_run() {
    for sql in [
        "SELECT 1 /*!50000 UNION SELECT user_pass FROM wp_users */",
        "SELECT 1 /*! UNION SELECT 2 */",
        "SELECT 1 /*M! UNION SELECT user_pass FROM wp_users */",
        "SELECT 1 /*M!100100 UNION SELECT 2 */",
        "SELECT 1 /* a */ /*!UNION SELECT 2*/",
    ] {
        assert_eq!(refused(MySql, sql), Code::Comment, "{sql}");
    }
    assert_eq!(sent(MySql, "SELECT '/*! not a comment */'"), "SELECT '/*! not a comment */' LIMIT 101");
}

#[test]
fn hints_are_comments_that_act_and_are_dropped() {
    for sql in ["SELECT /*+ SET_VAR(max_statement_time=0) */ 1", "SELECT /*+ MAX_EXECUTION_TIME(0) */ 1"] {
        assert!(!sent(MySql, sql).contains('+'), "{sql}");
    }
    assert_eq!(sent(Postgres, "SELECT /*+ SeqScan(t) */ 1"), "SELECT 1 LIMIT 101");
}

#[test]
fn files_in_and_out() {
    for sql in [
        "SELECT '<?php' INTO OUTFILE '/var/www/html/x.php'",
        "SELECT post_title FROM wp_posts INTO OUTFILE '/tmp/x'",
        "SELECT post_title INTO DUMPFILE '/tmp/x' FROM wp_posts",
        "SELECT 1 UNION SELECT 2 INTO OUTFILE '/tmp/x'",
        "SELECT 1 INTO @a",
        "SELECT post_title INTO @a FROM wp_posts",
    ] {
        assert!(matches!(refused(MySql, sql), Code::Syntax | Code::BlockedClause), "{sql}");
    }
    assert_eq!(refused(MySql, "SELECT LOAD_FILE('/etc/passwd')"), Code::Function);
    for sql in [
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_read_binary_file('/etc/passwd')",
        "SELECT lo_export(1,'/tmp/x')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT pg_ls_dir('.')",
        "SELECT * FROM pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_ls_dir('/') AS x",
        "SELECT readfile('/etc/passwd')",
    ] {
        assert_eq!(refused(Postgres, sql), Code::Function, "{sql}");
    }
    for sql in
        ["SELECT readfile('/etc/passwd')", "SELECT writefile('/tmp/x','y')", "SELECT load_extension('x')"]
    {
        assert_eq!(refused(Sqlite, sql), Code::Function, "{sql}");
    }
}

#[test]
fn select_into() {
    assert_eq!(refused(Postgres, "SELECT * INTO copy_of_users FROM users"), Code::BlockedClause);
    assert_eq!(refused(Postgres, "SELECT id INTO TEMP x FROM orders"), Code::BlockedClause);
    assert_eq!(refused(Postgres, "SELECT * FROM (SELECT id INTO x FROM orders) y"), Code::BlockedClause);
}

#[test]
fn explain_of_a_query_but_not_its_run() {
    assert_eq!(refused(MySql, "EXPLAIN ANALYZE SELECT 1"), Code::BlockedClause);
    assert_eq!(refused(Postgres, "EXPLAIN ANALYZE DELETE FROM orders"), Code::BlockedClause);
    assert_eq!(refused(Postgres, "EXPLAIN (ANALYZE) SELECT 1"), Code::BlockedClause);
    assert_eq!(refused(Postgres, "EXPLAIN (ANALYZE TRUE, FORMAT JSON) SELECT 1"), Code::BlockedClause);
    assert_eq!(refused(Postgres, "EXPLAIN DELETE FROM orders"), Code::NotSelect);
    assert_eq!(refused(MySql, "EXPLAIN UPDATE wp_posts SET post_title=''"), Code::NotSelect);
    assert_eq!(refused(MySql, "EXPLAIN SELECT * FROM mysql.user"), Code::Schema);
    assert!(sent(Postgres, "EXPLAIN SELECT * FROM users").contains("[masked]"));
    // On MariaDB 10.11 this shows the value of a row that is found by its key.
    assert_eq!(refused(MySql, "EXPLAIN FORMAT=JSON SELECT ID FROM wp_posts"), Code::BlockedClause);
    assert_eq!(refused(MySql, "EXPLAIN SELECT * FROM wp_options WHERE option_id = 1"), Code::BlockedClause);
    for (engine, sql) in [
        (MySql, "EXPLAIN SELECT 1"),
        (MySql, "DESCRIBE SELECT 1"),
        (Postgres, "EXPLAIN (FORMAT JSON, VERBOSE) SELECT 1"),
        (Postgres, "EXPLAIN VERBOSE SELECT 1"),
        (Sqlite, "EXPLAIN QUERY PLAN SELECT * FROM posts"),
    ] {
        assert!(sent(engine, sql).starts_with("EXPLAIN "), "{sql}");
    }
}

#[test]
fn functions_that_wait_lock_or_tell() {
    for sql in [
        "SELECT SLEEP(600)",
        "SELECT BENCHMARK(1e9,SHA2('x',512))",
        "SELECT GET_LOCK('a',10)",
        "SELECT RELEASE_LOCK('a')",
        "SELECT USER()",
        "SELECT CURRENT_USER()",
        "SELECT LAST_INSERT_ID(5)",
        "SELECT UUID_SHORT()",
        "SELECT sys_exec('id')",
        "SELECT shop.f(1)",
        "SELECT mysql.sleep(1)",
        "SELECT 1 WHERE SLEEP(1)",
        "SELECT * FROM wp_posts ORDER BY SLEEP(1)",
        "SELECT COUNT(*) FROM wp_posts GROUP BY SLEEP(1)",
        "SELECT CASE WHEN 1 THEN SLEEP(9) END",
        "SELECT (SELECT SLEEP(1))",
        "SELECT * FROM wp_posts LIMIT 5 OFFSET SLEEP(1)",
        "SELECT ROW_NUMBER() OVER (ORDER BY SLEEP(1)) FROM wp_posts",
        "SELECT GROUP_CONCAT(ID ORDER BY SLEEP(1)) FROM wp_posts",
        "SELECT * FROM wp_posts p JOIN wp_users u ON SLEEP(1)",
        "SELECT ID FROM wp_posts WHERE ID IN (1, SLEEP(1))",
        "SELECT ID FROM wp_posts HAVING SLEEP(1)",
        "VALUES ROW(SLEEP(1))",
    ] {
        assert_eq!(refused(MySql, sql), Code::Function, "{sql}");
    }
    for sql in [
        "SELECT pg_sleep(600)",
        "SELECT pg_catalog.pg_sleep(600)",
        "SELECT public.f(1)",
        "SELECT nextval('orders_id_seq')",
        "SELECT setval('orders_id_seq', 1)",
        "SELECT set_config('transaction_read_only','off',false)",
        "SELECT current_setting('data_directory')",
        "SELECT dblink('host=x', 'select 1')",
        "SELECT query_to_xml('select * from users', true, true, '')",
        "SELECT pg_terminate_backend(1)",
        "SELECT ts_stat('select search from products')",
        "SELECT current_user",
        "SELECT session_user",
        "SELECT user",
        "SELECT * FROM dblink('x','y') AS t(a int)",
        "SELECT * FROM ts_stat('select 1')",
    ] {
        assert_eq!(refused(Postgres, sql), Code::Function, "{sql}");
    }
}

#[test]
fn quoting_a_name_changes_nothing() {
    for sql in [
        "SELECT \"pg_sleep\"(9)",
        "SELECT \"pg_read_file\"('/etc/passwd')",
        "SELECT \"Pg_Sleep\"(9)",
        "SELECT \"pg_catalog\".\"pg_sleep\"(1)",
    ] {
        assert_eq!(refused(Postgres, sql), Code::Function, "{sql}");
    }
    assert_eq!(refused(Postgres, "SELECT * FROM \"information_schema\".\"tables\""), Code::Schema);
    assert_eq!(refused(Postgres, "SELECT * FROM \"pg_catalog\".\"pg_authid\""), Code::Schema);
    assert_eq!(refused(MySql, "SELECT `sleep`(9)"), Code::Function);
    assert_eq!(refused(MySql, "SELECT `SLEEP` (9)"), Code::Function);
    assert_eq!(refused(MySql, "SELECT * FROM `mysql`.`user`"), Code::Schema);
    assert_eq!(refused(Sqlite, "SELECT \"load_extension\"('x')"), Code::Function);
    assert_eq!(sent(Postgres, "SELECT \"lower\"('A')"), "SELECT lower('A') LIMIT 101");
}

#[test]
fn a_backslash_before_a_quote_hides_nothing() {
    // Read with backslash escapes the string goes on to the end; read without, a UNION follows it.
    let sql = r"SELECT 'a\' UNION SELECT user_pass FROM wp_users -- '";
    assert_eq!(sent(MySql, sql), "SELECT 'a'' UNION SELECT user_pass FROM wp_users -- ' LIMIT 101");
    assert!(matches!(
        refused(MySql, r"SELECT 'a\\' UNION SELECT user_pass FROM wp_users -- '"),
        Code::RestrictedIdentifier
    ));
    assert_eq!(
        sent(MySql, r"SELECT 'x\' , LOAD_FILE('/etc/passwd') , '"),
        "SELECT 'x'' , LOAD_FILE(' / `etc` / `passwd` AS `) , ` LIMIT 101",
    );
    assert_eq!(refused(Postgres, r"SELECT E'\'' || pg_read_file('/etc/passwd') --'"), Code::Function);
    assert_eq!(refused(Postgres, r"SELECT '\' || pg_read_file('/etc/passwd') --'"), Code::Function);
    assert_eq!(sent(Postgres, r"SELECT 'a\b'"), r"SELECT E'a\\b' LIMIT 101");
    assert_eq!(refused(MySql, "SELECT `a\\` FROM wp_posts"), Code::Syntax);
    assert_eq!(refused(MySql, "SELECT `a\\`, SLEEP(9), `b` FROM wp_posts"), Code::Syntax);
}

#[test]
fn dollar_quotes_hide_nothing() {
    let sql = "WITH x AS (SELECT $$'$$), d AS (DELETE FROM users RETURNING 1) SELECT $$'$$";
    assert_eq!(refused(Postgres, sql), Code::NotSelect);
    assert_eq!(sent(Postgres, "SELECT $a$it's$a$"), "SELECT 'it''s' LIMIT 101");
}

#[test]
fn other_schemas() {
    for sql in [
        "SELECT * FROM mysql.user",
        "SELECT * FROM performance_schema.threads",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM INFORMATION_SCHEMA.PROCESSLIST",
        "SELECT * FROM sys.version",
        "SELECT mysql.user.User FROM wp_posts",
        "SELECT ID FROM wp_posts WHERE ID IN (SELECT 1 FROM mysql.user)",
        "SELECT other.wp_posts.ID FROM wp_posts",
    ] {
        assert_eq!(refused(MySql, sql), Code::Schema, "{sql}");
    }
    for sql in [
        "SELECT * FROM pg_catalog.pg_authid",
        "SELECT * FROM information_schema.columns",
        "SELECT * FROM app.public.users",
    ] {
        assert_eq!(refused(Postgres, sql), Code::Schema, "{sql}");
    }
    // Without a qualifier they are simply not tables of the site.
    for sql in [
        "SELECT * FROM pg_authid",
        "SELECT * FROM pg_stats",
        "SELECT * FROM pg_settings",
        "SELECT * FROM pg_shadow",
    ] {
        assert_eq!(refused(Postgres, sql), Code::Table, "{sql}");
    }
    for sql in [
        "SELECT * FROM sqlite_master",
        "SELECT * FROM main.sqlite_schema",
        "SELECT * FROM sqlite_temp_master",
        "SELECT * FROM dbstat",
    ] {
        assert_eq!(refused(Sqlite, sql), Code::Table, "{sql}");
    }
    assert_eq!(refused(Sqlite, "SELECT * FROM temp.x"), Code::Schema);
    assert_eq!(refused(Sqlite, "SELECT * FROM pragma_table_info('users')"), Code::Function);
    assert_eq!(refused(Sqlite, "SELECT * FROM pragma_database_list"), Code::Table);
}

#[test]
fn statements_that_are_no_queries() {
    for (engine, sql) in [
        (Sqlite, "ATTACH DATABASE '/etc/passwd' AS x"),
        (Sqlite, "PRAGMA writable_schema=1"),
        (Sqlite, "PRAGMA query_only(0)"),
        (Sqlite, "VACUUM INTO '/tmp/x'"),
        (MySql, "SET GLOBAL x = 1"),
        (MySql, "CALL p()"),
        (MySql, "DO SLEEP(1)"),
        (MySql, "HANDLER wp_users OPEN"),
        (MySql, "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE wp_posts"),
        (MySql, "SHOW GRANTS"),
        (MySql, "DESCRIBE wp_users"),
        (MySql, "CREATE TABLE x (a int)"),
        (MySql, "CREATE VIEW v AS SELECT 1"),
        (Postgres, "COPY users TO '/tmp/x'"),
        (Postgres, "DO $$ BEGIN END $$"),
        (Postgres, "BEGIN"),
        (Postgres, "EXECUTE p"),
        (Postgres, "TABLE users"),
        (Postgres, "delete from users"),
        (Postgres, "LISTEN x"),
    ] {
        assert_eq!(refused(engine, sql), Code::NotSelect, "{sql}");
    }
}

#[test]
fn variables_and_assignments() {
    for sql in [
        "SELECT @a := 1",
        "SELECT @a",
        "SELECT @@version",
        "SELECT @@global.sql_mode",
        "SELECT ID FROM wp_posts WHERE ID = @a",
        "SELECT @@datadir FROM wp_posts",
    ] {
        assert_eq!(refused(MySql, sql), Code::BlockedClause, "{sql}");
    }
    for sql in ["SELECT @`a`", "SELECT @'a'"] {
        assert_eq!(refused(MySql, sql), Code::Syntax, "{sql}");
    }
}

#[test]
fn locks() {
    for sql in [
        "SELECT ID FROM wp_posts FOR UPDATE",
        "SELECT ID FROM wp_posts FOR SHARE",
        "SELECT * FROM (SELECT ID FROM wp_posts FOR UPDATE) x",
    ] {
        assert_eq!(refused(MySql, sql), Code::BlockedClause, "{sql}");
    }
    for sql in [
        "SELECT id FROM orders FOR UPDATE OF orders NOWAIT",
        "WITH x AS (SELECT id FROM orders FOR SHARE) SELECT * FROM x",
    ] {
        assert_eq!(refused(Postgres, sql), Code::BlockedClause, "{sql}");
    }
    for (engine, sql) in [
        (Postgres, "SELECT id FROM orders FOR KEY SHARE"),
        (Postgres, "SELECT id FROM orders FOR NO KEY UPDATE"),
        (MySql, "SELECT ID FROM wp_posts LOCK IN SHARE MODE"),
        (MySql, "SELECT ID FROM wp_posts PROCEDURE ANALYSE()"),
        (MySql, "SELECT .wp_users.user_pass FROM wp_users"),
    ] {
        assert_eq!(refused(engine, sql), Code::Syntax, "{sql}");
    }
}

#[test]
fn postgres_reads_a_dot_as_a_call() {
    // All of these run the function on PostgreSQL 15.
    for sql in [
        "SELECT (9.0::float8).pg_sleep",
        "SELECT ('/etc/passwd'::text).pg_read_file",
        "SELECT (email).pg_read_file FROM users",
        "SELECT (ARRAY['/etc/passwd'])[1].pg_read_file",
        "SELECT (u.email).upper FROM users u",
    ] {
        assert!(matches!(refused(Postgres, sql), Code::BlockedClause | Code::Syntax), "{sql}");
    }
    for sql in [
        "SELECT x.pg_read_file FROM unnest(ARRAY['/etc/passwd']) x",
        "SELECT g.pg_sleep FROM generate_series(9,9) g",
        "SELECT generate_series.pg_sleep FROM generate_series(9,9)",
        "SELECT pg_sleep.pg_sleep FROM jsonb_array_elements('[9]') AS pg_sleep",
        "SELECT x.pg_sleep FROM generate_series(9,9) AS x(n)",
        "SELECT (SELECT x.pg_read_file) FROM unnest(ARRAY['/etc/passwd']) x",
        "SELECT x.pg_read_file FROM orders o, LATERAL unnest(ARRAY[o.status]) x",
        "SELECT o.row_to_json FROM orders o",
        "SELECT nobody.pg_sleep FROM orders o",
    ] {
        assert_eq!(refused(Postgres, sql), Code::Table, "{sql}");
    }
}

#[test]
fn types_that_look_things_up() {
    for sql in [
        "SELECT 'pg_authid'::regclass",
        "SELECT CAST('users' AS regclass)",
        "SELECT regclass 'users'",
        "SELECT NULL::users",
        "SELECT ROW(1,'a')::public.users",
        "SELECT * FROM json_to_recordset('[]') AS x(a regclass)",
    ] {
        assert_eq!(refused(Postgres, sql), Code::BlockedClause, "{sql}");
    }
}

#[test]
fn operators_by_schema_and_odd_clauses() {
    assert_eq!(refused(Postgres, "SELECT 5 OPERATOR(pg_catalog.+) 3"), Code::BlockedClause);
    assert_eq!(refused(Postgres, "SELECT id FROM orders ORDER BY id USING <"), Code::BlockedClause);
    assert_eq!(refused(Sqlite, "SELECT id FROM posts WHERE id IN json_each('[1]')"), Code::BlockedClause);
    assert_eq!(refused(Sqlite, "SELECT RAISE(ABORT, 'x')"), Code::Function);
    assert_eq!(refused(MySql, "SELECT {d '2020-01-01'}"), Code::BlockedClause);
    assert_eq!(refused(MySql, "SELECT DEFAULT(user_pass) FROM wp_users"), Code::Function);
    assert_eq!(refused(MySql, "SELECT VALUES(ID) FROM wp_posts"), Code::Function);
}

#[test]
fn words_are_judged_by_what_they_are_not_by_how_they_look() {
    assert_eq!(
        sent(
            MySql,
            "SELECT start, `end`, `release`, `lock` FROM wp_events WHERE title = 'password; DROP TABLE x' AND REPLACE(title, 'set', 'do') <> 'grant'"
        ),
        "SELECT `start`, `end`, `release`, `lock` FROM `shop`.`wp_events` AS `wp_events` WHERE `title` = 'password; DROP TABLE x' AND replace(`title`, 'set', 'do') <> 'grant' LIMIT 101"
    );
    sent(Postgres, "SELECT start, release, payload #>> '{a,b}' FROM events WHERE kind = 'secret'");
    sent(Sqlite, "SELECT 5--3\n");
}

#[test]
fn the_internal_tables_of_sqlite_hold_samples_of_columns() {
    let schema = site::of(Sqlite, "main", vec![site::table("sqlite_stat4", "tbl text, sample blob")]);
    let refusal =
        Guard::new(Sqlite, SqlPolicy::new()).check("SELECT * FROM sqlite_stat4", &schema).unwrap_err();
    assert_eq!(refusal.code, Code::Table);
}

#[test]
fn with_inside_with_ends_before_it_costs_the_server() {
    let nested =
        |depth: usize| format!("{}SELECT 1{}", "WITH a AS (".repeat(depth), ") SELECT 1".repeat(depth));
    for engine in ENGINES {
        sent(engine, &nested(3));
        assert_eq!(refused(engine, &nested(4)), Code::TooDeep);
        assert_eq!(refused(engine, &nested(40)), Code::TooDeep);
        // Side by side there may be many.
        let list: Vec<String> = (0..20).map(|n| format!("c{n} AS (SELECT {n} AS n)")).collect();
        sent(engine, &format!("WITH {} SELECT n FROM c7", list.join(", ")));
    }
}
