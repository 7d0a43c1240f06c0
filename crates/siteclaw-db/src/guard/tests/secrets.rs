//! Secrets are masked where they are read and may not be named.

use super::{RefusalCode as Code, check, refused, sent, site};
use crate::Engine::{MySql, Postgres, Sqlite};
use crate::guard::{Guard, RefusalCode, SecretRows, SqlPolicy};

const USERS: &str = "(SELECT `ID`, `user_login`, '[masked]' AS `user_pass`, `user_nicename`, `user_email`, `user_url`, \
                     `user_registered`, '[masked]' AS `user_activation_key`, `user_status`, `display_name` FROM `shop`.`wp_users`)";

#[test]
fn every_way_to_a_table_leads_through_the_mask() {
    for (sql, expected) in [
        ("SELECT * FROM wp_users", format!("SELECT * FROM {USERS} AS `wp_users` LIMIT 101")),
        ("SELECT * FROM wp_users u", format!("SELECT * FROM {USERS} AS `u` LIMIT 101")),
        ("SELECT u.* FROM `shop`.`wp_users` AS u", format!("SELECT `u`.* FROM {USERS} AS `u` LIMIT 101")),
        (
            "SELECT * FROM (SELECT * FROM wp_users) x",
            format!("SELECT * FROM (SELECT * FROM {USERS} AS `wp_users`) AS `x` LIMIT 101"),
        ),
        (
            "WITH x AS (SELECT * FROM wp_users) SELECT * FROM x",
            format!("WITH `x` AS (SELECT * FROM {USERS} AS `wp_users`) SELECT * FROM `x` LIMIT 101"),
        ),
        (
            "SELECT ID FROM wp_posts WHERE ID IN (SELECT ID FROM wp_users)",
            format!(
                "SELECT `ID` FROM `shop`.`wp_posts` AS `wp_posts` WHERE `ID` IN (SELECT `ID` FROM {USERS} AS `wp_users`) LIMIT 101"
            ),
        ),
        (
            "SELECT 1 UNION SELECT COUNT(*) FROM wp_users",
            format!("SELECT 1 UNION SELECT count(*) AS `COUNT(*)` FROM {USERS} AS `wp_users` LIMIT 101"),
        ),
        (
            "SELECT (SELECT MAX(display_name) FROM wp_users) AS m",
            format!(
                "SELECT (SELECT max(`display_name`) AS `MAX(display_name)` FROM {USERS} AS `wp_users`) AS `m` LIMIT 101"
            ),
        ),
        (
            "SELECT p.ID FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author",
            format!(
                "SELECT `p`.`ID` FROM `shop`.`wp_posts` AS `p` LEFT JOIN {USERS} AS `u` ON `u`.`ID` = `p`.`post_author` LIMIT 101"
            ),
        ),
        (
            "SELECT 1 FROM wp_posts p JOIN (wp_users u JOIN wp_comments c ON c.user_id = u.ID) ON p.post_author = u.ID",
            format!(
                "SELECT 1 FROM `shop`.`wp_posts` AS `p` JOIN ({USERS} AS `u` JOIN `shop`.`wp_comments` AS `c` ON `c`.`user_id` = `u`.`ID`) \
                 ON `p`.`post_author` = `u`.`ID` LIMIT 101"
            ),
        ),
    ] {
        assert_eq!(sent(MySql, sql), expected, "{sql}");
    }
    let query = check(MySql, "SELECT * FROM wp_users u JOIN wp_posts p ON p.post_author = u.ID").unwrap();
    assert_eq!(query.tables(), ["wp_posts", "wp_users"]);
    assert_eq!(query.masked_columns(), ["wp_users.user_activation_key", "wp_users.user_pass"]);
}

#[test]
fn index_hints_and_samples_stay_with_the_table() {
    let text = sent(MySql, "SELECT ID FROM wp_users u FORCE INDEX (PRIMARY) WHERE u.ID = 1");
    assert!(text.contains("FROM `shop`.`wp_users` FORCE INDEX (`PRIMARY`)) AS `u` WHERE"), "{text}");
    let text = sent(Postgres, "SELECT id FROM ONLY users TABLESAMPLE SYSTEM (5)");
    assert!(text.contains("FROM ONLY \"public\".\"users\" TABLESAMPLE SYSTEM (5)) AS \"users\""), "{text}");
    let text = sent(Sqlite, "SELECT id FROM users INDEXED BY i");
    assert!(text.contains("FROM `main`.`users` INDEXED BY `i`) AS `users`"), "{text}");
}

#[test]
fn whole_rows_of_postgres_are_rows_of_the_mask() {
    for sql in [
        "SELECT u FROM users u",
        "SELECT row_to_json(u) FROM users u",
        "SELECT count(u.*) FROM users u",
        "SELECT u::text FROM users u",
        "SELECT to_jsonb(users) FROM users",
    ] {
        let text = sent(Postgres, sql);
        assert!(
            text.contains("'[masked]' AS \"password_hash\", '[masked]' AS \"totp\", \"roles\""),
            "{text}"
        );
    }
    assert!(
        sent(Postgres, "SELECT * FROM users AS u(a, b, c, d, e)")
            .contains("AS \"u\" (\"a\", \"b\", \"c\", \"d\", \"e\")")
    );
}

#[test]
fn a_secret_column_may_not_be_named() {
    for sql in [
        "SELECT user_pass FROM wp_users",
        "SELECT USER_PASS FROM wp_users",
        "SELECT `user_pass` FROM wp_users",
        "SELECT user_pass AS x FROM wp_users",
        "SELECT u.user_pass FROM wp_users u",
        "SELECT shop.wp_users.user_pass FROM shop.wp_users",
        "SELECT MD5(user_pass) FROM wp_users",
        "SELECT ID FROM wp_users WHERE user_pass LIKE 'a%'",
        "SELECT ID FROM wp_users ORDER BY user_pass",
        "SELECT COUNT(*) FROM wp_users GROUP BY user_pass",
        "SELECT COUNT(*) FROM wp_users HAVING MAX(user_pass) > 'a'",
        "SELECT ID FROM wp_users a JOIN wp_users b USING (user_pass)",
        "SELECT a.ID FROM wp_users a JOIN wp_users b ON a.user_pass = b.ID",
        "SELECT x.user_pass FROM (SELECT * FROM wp_users) x",
        "WITH x AS (SELECT * FROM wp_users) SELECT user_pass FROM x",
        "SELECT (SELECT user_pass) FROM wp_users",
        "SELECT ID FROM wp_posts WHERE EXISTS (SELECT 1 FROM wp_users WHERE user_pass = post_title)",
        "SELECT ROW_NUMBER() OVER (ORDER BY user_pass) FROM wp_users",
        "SELECT ID FROM wp_users WHERE MATCH(user_pass) AGAINST ('x')",
        "SELECT user_activation_key FROM wp_users",
        "SELECT secret FROM wp_wc_webhooks",
    ] {
        assert_eq!(refused(MySql, sql), Code::RestrictedIdentifier, "{sql}");
    }
    for sql in [
        "SELECT password_hash FROM users",
        "SELECT \"totp\" FROM users",
        "SELECT PASSWORD_HASH FROM Users",
        "SELECT api_key FROM \"User\"",
    ] {
        assert_eq!(refused(Postgres, sql), Code::RestrictedIdentifier, "{sql}");
    }
    for sql in [
        "SELECT remember_token FROM users",
        "SELECT [password] FROM users",
        "SELECT u.'password' FROM users u",
    ] {
        assert_eq!(refused(Sqlite, sql), Code::RestrictedIdentifier, "{sql}");
    }
    assert_eq!(refused(MySql, "SELECT user_pa\u{17F}s FROM wp_users"), Code::RestrictedIdentifier);
    let refusal = check(MySql, "SELECT user_pass FROM wp_users").unwrap_err();
    assert_eq!(refusal.message, "The column user_pass holds secrets and may not be named in a query.");
    assert_eq!(refusal.hint.as_deref(), Some("Leave it out; in SELECT * it appears masked."));
}

#[test]
fn a_name_is_secret_only_where_it_stands_for_the_secret() {
    // The posts' password is free by policy, and no other table in these has a column of a secret's name.
    sent(MySql, "SELECT post_password FROM wp_posts");
    sent(
        MySql,
        "SELECT LEFT(guid, 5) AS token, COUNT(*) AS user_pass FROM wp_posts GROUP BY token ORDER BY user_pass",
    );
    sent(Postgres, "SELECT kind AS password_hash FROM events ORDER BY password_hash");
    let schema = site::of(
        MySql,
        "shop",
        vec![site::table("a", "id int, token text"), site::table("b", "id int, token text")],
    );
    let guard = Guard::new(MySql, SqlPolicy::new().allow_column("b", "token"));
    guard.check("SELECT b.token FROM a JOIN b USING (id)", &schema).unwrap();
    guard.check("SELECT (SELECT token FROM b WHERE b.id = a.id) FROM a", &schema).unwrap();
    for sql in [
        "SELECT token FROM a JOIN b USING (id)",
        "SELECT a.token FROM a JOIN b USING (id)",
        "SELECT (SELECT token FROM a WHERE b.id = a.id) FROM b",
    ] {
        assert_eq!(guard.check(sql, &schema).unwrap_err().code, RefusalCode::RestrictedIdentifier, "{sql}");
    }
}

#[test]
fn rows_of_key_value_tables_are_masked_by_their_key() {
    assert_eq!(
        sent(MySql, "SELECT option_value FROM wp_options WHERE option_name = 'blogname'"),
        "SELECT `option_value` FROM (SELECT `option_id`, `option_name`, CASE WHEN \
         lower(CONVERT(`option_name` USING utf8mb4)) IN ('mailserver_pass') OR \
         left(lower(CONVERT(`option_name` USING utf8mb4)), 16) = '_transient_feed_' OR \
         right(lower(CONVERT(`option_name` USING utf8mb4)), 5) = '_salt' OR \
         right(lower(CONVERT(`option_name` USING utf8mb4)), 4) = '_key' OR \
         locate('password', lower(CONVERT(`option_name` USING utf8mb4))) > 0 OR \
         locate('secret', lower(CONVERT(`option_name` USING utf8mb4))) > 0 OR \
         locate('token', lower(CONVERT(`option_name` USING utf8mb4))) > 0 \
         THEN '[masked]' ELSE `option_value` END AS `option_value`, `autoload` FROM `shop`.`wp_options`) AS `wp_options` \
         WHERE `option_name` = 'blogname' LIMIT 101"
    );
    let query = check(MySql, "SELECT * FROM wp_usermeta").unwrap();
    assert_eq!(query.masked_columns(), ["wp_usermeta.meta_value"]);
}

#[test]
fn a_row_rule_that_does_not_fit_its_table_masks_the_whole_column() {
    let schema = site::of(Postgres, "public", vec![site::table("meta", "id bigint, k text, v text")]);
    let policy = SqlPolicy::new().secret_rows(SecretRows::new("meta", "no_such_key", &["v"]).exact(&["x"]));
    let query = Guard::new(Postgres, policy).check("SELECT * FROM meta", &schema).unwrap();
    assert_eq!(
        query.sql(),
        "SELECT * FROM (SELECT \"id\", \"k\", '[masked]' AS \"v\" FROM \"public\".\"meta\") AS \"meta\" LIMIT 101"
    );
}

#[test]
fn harmless_words_are_taken_out_of_keys_that_look_secret() {
    let schema = site::of(Sqlite, "main", vec![site::table("o", "k text, v text")]);
    let rows = SecretRows::new("o", "k", &["v"]).containing(&["key"]).disregarding(&["monkey", "keyword"]);
    let query =
        Guard::new(Sqlite, SqlPolicy::new().secret_rows(rows)).check("SELECT v FROM o", &schema).unwrap();
    let expected = "CASE WHEN (instr(lower(CAST(`k` AS TEXT)), 'key') > 0) AND \
        (instr(replace(replace(lower(CAST(`k` AS TEXT)), 'monkey', '.'), 'keyword', '.'), 'key') > 0) THEN";
    assert!(query.sql().contains(expected), "{}", query.sql());
}

#[test]
fn masks_have_the_type_of_the_value_in_postgres() {
    let schema = site::of(
        Postgres,
        "public",
        vec![site::table("meta", "k text, a text, b jsonb, c integer, d character varying(10), e text[]")],
    );
    let policy =
        SqlPolicy::new().secret_rows(SecretRows::new("meta", "k", &["a", "b", "c", "d", "e"]).exact(&["x"]));
    let text = Guard::new(Postgres, policy).check("SELECT * FROM meta", &schema).unwrap().sql().to_owned();
    for part in [
        "THEN '[masked]' ELSE \"a\" END",
        "THEN '\"[masked]\"' ELSE \"b\" END",
        "THEN NULL ELSE \"c\" END",
        "THEN '[masked]' ELSE \"d\" END",
        "THEN NULL ELSE \"e\" END",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn quotation_marks_in_keys_of_a_policy_stay_inside_their_literal() {
    for engine in [MySql, Postgres, Sqlite] {
        let schema = site::of(engine, "main", vec![site::table("o", "k text, v text")]);
        let policy = SqlPolicy::new().secret_rows(
            SecretRows::new("o", "k", &["v"]).exact(&["it's", "a\\'b", "''"]).starting(&["x''\\"]),
        );
        Guard::new(engine, policy).check("SELECT * FROM o", &schema).unwrap();
    }
}

#[test]
fn closed_tables() {
    for sql in [
        "SELECT * FROM wp_woocommerce_api_keys",
        "SELECT * FROM WP_WOOCOMMERCE_API_KEYS",
        "SELECT 1 FROM wp_posts WHERE EXISTS (SELECT 1 FROM shop.`wp_woocommerce_sessions`)",
        "SELECT * FROM wp_phpclaw_messages",
        "WITH wp_users AS (SELECT 1 AS a) SELECT * FROM wp_users",
        "WITH WP_Users AS (SELECT 1 AS a) SELECT 1",
        "WITH wp_options AS (SELECT 1 AS a) SELECT 1",
        "WITH wp_staff AS (SELECT 1 AS a) SELECT 1",
        "WITH wp_woocommerce_api_keys AS (SELECT 1 AS a) SELECT 1",
        "SELECT * FROM (WITH wp_users AS (SELECT 1 AS a) SELECT * FROM wp_users) x",
    ] {
        assert_eq!(refused(MySql, sql), Code::Policy, "{sql}");
    }
    assert_eq!(refused(Postgres, "SELECT * FROM messenger_messages"), Code::Policy);
    // Closed and not there: the policy speaks.
    assert_eq!(refused(MySql, "SELECT * FROM wp_phpclaw_zzzzzzzz"), Code::Policy);
}

#[test]
fn expressions_are_seen_where_the_server_sees_them() {
    // Without RECURSIVE the table inside is the table, so the name outside must not hide it from the walk.
    let schema =
        site::of(MySql, "shop", vec![site::table("t", "a int"), site::table("u", "a int, token text")]);
    let guard = Guard::new(MySql, SqlPolicy::new());
    let check = |sql: &str| guard.check(sql, &schema).map(|query| query.sql().to_owned());
    assert_eq!(
        check("WITH t AS (SELECT * FROM t) SELECT * FROM t").unwrap(),
        "WITH `t` AS (SELECT * FROM `shop`.`t` AS `t`) SELECT * FROM `t` LIMIT 101"
    );
    assert_eq!(
        check("WITH x AS (SELECT * FROM y), y AS (SELECT 1 AS a) SELECT * FROM x").unwrap_err().code,
        RefusalCode::Table,
        "an expression does not see a later one"
    );
    assert_eq!(
        check("SELECT * FROM (WITH x AS (SELECT 1 AS a) SELECT * FROM x) d, x").unwrap_err().code,
        RefusalCode::Table,
        "nor does the outside see it"
    );
}

#[test]
fn views_are_unfolded_to_what_they_read() {
    assert_eq!(
        sent(MySql, "SELECT * FROM wp_staff s"),
        format!(
            "SELECT * FROM (SELECT `id`, `login`, `mail`, `p` FROM (SELECT `u`.`ID` AS `id`, `u`.`user_login` AS `login`, \
             `u`.`user_email` AS `mail`, `u`.`user_pass` AS `p` FROM {USERS} AS `u`) AS `v`) AS `s` LIMIT 101"
        )
    );
    assert!(sent(MySql, "SELECT q FROM wp_staff_names").contains("'[masked]' AS `user_pass`"));
    assert_eq!(
        sent(MySql, "SELECT * FROM wp_published"),
        "SELECT * FROM `shop`.`wp_published` AS `wp_published` LIMIT 101",
        "a view over nothing secret stands as it is"
    );
    assert!(sent(Postgres, "SELECT h FROM user_list").contains("'[masked]' AS \"password_hash\""));
    let text = sent(Sqlite, "SELECT pw FROM authors");
    assert!(
        text.contains("(WITH `v` (`id`, `who`, `pw`) AS (SELECT `id`, `name`, `password` FROM (SELECT "),
        "{text}"
    );
    assert!(text.contains("'[masked]' AS `password`"), "{text}");
    let query = check(MySql, "SELECT * FROM wp_staff_names").unwrap();
    assert_eq!(query.tables(), ["wp_staff", "wp_staff_names", "wp_users"]);
}

#[test]
fn views_that_cannot_be_unfolded_are_refused() {
    for (sql, code) in [
        ("SELECT * FROM wp_hidden", Code::View),
        ("SELECT * FROM wp_accounts", Code::View),
        ("SELECT * FROM wp_slow", Code::View),
        ("SELECT * FROM wp_loop", Code::TooDeep),
    ] {
        assert_eq!(refused(MySql, sql), code, "{sql}");
    }
    assert_eq!(refused(Postgres, "SELECT * FROM roles"), Code::View);
    let mut tables = vec![
        site::table("t", "a int, password text"),
        site::view("v0", "a int, b text", "SELECT a, password AS b FROM t"),
    ];
    for n in 1..8 {
        let below = format!("v{}", n - 1);
        tables.push(site::view(
            &format!("v{n}"),
            "a int, b text",
            &format!("SELECT x.a, y.b FROM {below} x JOIN {below} y USING (a)"),
        ));
    }
    let schema = site::of(Sqlite, "main", tables);
    let guard = Guard::new(Sqlite, SqlPolicy::new());
    guard.check("SELECT * FROM v4", &schema).unwrap();
    assert_eq!(guard.check("SELECT * FROM v7", &schema).unwrap_err().code, RefusalCode::TooDeep);
}

#[test]
fn tables_without_known_columns_or_with_hostile_names_are_refused() {
    let mut unknown = site::table("t", "a int");
    unknown.columns.clear();
    let tables = vec![unknown, site::table("a`b", "a int"), site::table("c", "x\"`y int, z int")];
    let schema = site::of(MySql, "shop", tables);
    let guard = Guard::new(MySql, SqlPolicy::new());
    for sql in ["SELECT * FROM t", "SELECT * FROM `a``b`", "SELECT z FROM c"] {
        guard.check(sql, &schema).unwrap_err();
    }
}

#[test]
fn sqlite_takes_an_unknown_name_in_double_quotes_for_a_text_and_must_not_for_others() {
    assert_eq!(
        sent(Sqlite, "SELECT \"nothing\", nowhere FROM posts"),
        "SELECT \"nothing\", `nowhere` FROM `main`.`posts` AS `posts` LIMIT 101"
    );
}

#[test]
fn full_text_search_of_sqlite_looks_through_a_mask() {
    let schema =
        site::of(Sqlite, "main", vec![site::table("f", "title, password"), site::table("g", "title, body")]);
    let guard = Guard::new(Sqlite, SqlPolicy::new());
    // On SQLite 3 this finds the rows by their password.
    let refusal = guard.check("SELECT * FROM f WHERE title MATCH 'password:a*'", &schema).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::BlockedClause);
    guard.check("SELECT * FROM g WHERE g MATCH 'body:a*' ORDER BY rank", &schema).unwrap();
}

#[test]
fn views_as_mariadb_prints_their_joins() {
    let definition = "select distinct `u`.`ID` AS `id`,`p`.`post_title` AS `title`,concat(`u`.`user_pass`,'x') AS `c` from \
                      (`shop`.`wp_users` `u` join `shop`.`wp_posts` `p` on(`u`.`ID` = `p`.`post_author`)) where `u`.`ID` > 0";
    let mut schema = site::schema(MySql);
    let view = site::view("wp_joined", "id bigint, title text, c text", definition);
    schema.tables.insert(view.name.clone(), view);
    let query = Guard::new(MySql, site::policy(MySql)).check("SELECT c FROM wp_joined", &schema).unwrap();
    let expected = format!(
        "FROM ({USERS} AS `u` JOIN `shop`.`wp_posts` AS `p` ON (`u`.`ID` = `p`.`post_author`)) WHERE"
    );
    assert!(query.sql().contains(&expected), "{}", query.sql());
}

#[test]
fn views_of_sqlite_keep_the_names_of_their_columns() {
    let mut view =
        site::view("v", "id, n", "CREATE VIEW v AS SELECT id, count( * ) FROM users GROUP BY password");
    "count( * )".clone_into(&mut view.columns[1].name);
    let schema = site::of(Sqlite, "main", vec![site::table("users", "id INTEGER, password TEXT"), view]);
    let query = Guard::new(Sqlite, SqlPolicy::new()).check("SELECT * FROM v", &schema).unwrap();
    assert!(
        query.sql().contains("WITH `v` (`id`, `count( * )`) AS (SELECT `id`, count(*) AS `count(*)`"),
        "{}",
        query.sql()
    );
}
