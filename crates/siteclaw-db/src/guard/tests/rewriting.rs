//! What a statement becomes: limits, names, literals, parameters; and that it passes again.

use super::honest::{APPLICATION, SHOP, SMALL};
use super::{RefusalCode as Code, check, refused, sent, site};
use crate::Engine::{MySql, Postgres, Sqlite};
use crate::guard::{Guard, SqlPolicy};

#[test]
fn the_outer_limit_is_capped_and_the_rest_is_left() {
    for (sql, expected) in [
        ("SELECT ID FROM wp_posts", "LIMIT 101"),
        ("SELECT ID FROM wp_posts LIMIT 5", "LIMIT 5"),
        ("SELECT ID FROM wp_posts LIMIT 101", "LIMIT 101"),
        ("SELECT ID FROM wp_posts LIMIT 102", "LIMIT 101"),
        ("SELECT ID FROM wp_posts LIMIT 99999999999999999999999", "LIMIT 101"),
        ("SELECT ID FROM wp_posts LIMIT 500 OFFSET 20", "LIMIT 101 OFFSET 20"),
        ("SELECT ID FROM wp_posts LIMIT 20, 500", "LIMIT 20, 101"),
        ("SELECT ID FROM wp_posts LIMIT 20, 5", "LIMIT 20, 5"),
        ("SELECT ID FROM wp_posts ORDER BY ID", "ORDER BY `ID` LIMIT 101"),
        ("SELECT 1 UNION SELECT 2", "UNION SELECT 2 LIMIT 101"),
    ] {
        let text = sent(MySql, sql);
        assert!(text.ends_with(expected), "{text}");
    }
    assert_eq!(sent(MySql, "(SELECT 1 ORDER BY 1)"), "(SELECT 1 ORDER BY 1 LIMIT 101)");
    assert_eq!(sent(MySql, "(SELECT 1 LIMIT 500)"), "(SELECT 1 LIMIT 101)");
    assert_eq!(
        sent(MySql, "SELECT * FROM (SELECT 1 AS a LIMIT 500) x"),
        "SELECT * FROM (SELECT 1 AS `a` LIMIT 500) AS `x` LIMIT 101"
    );
    assert_eq!(sent(Postgres, "SELECT 1 FETCH FIRST 500 ROWS ONLY"), "SELECT 1 FETCH FIRST 101 ROWS ONLY");
    assert_eq!(sent(Postgres, "SELECT 1 FETCH FIRST ROW ONLY"), "SELECT 1 FETCH FIRST ROWS ONLY");
    assert_eq!(sent(Postgres, "SELECT 1 LIMIT ALL"), "SELECT 1 LIMIT 101");
    assert_eq!(sent(Postgres, "SELECT 1 LIMIT NULL OFFSET 3"), "SELECT 1 LIMIT 101 OFFSET 3");
    assert_eq!(sent(Sqlite, "SELECT 1 LIMIT -1"), "SELECT 1 LIMIT 101");
    assert_eq!(sent(Sqlite, "VALUES (1), (2)"), "VALUES (1), (2)");
    for sql in ["SELECT 1 LIMIT (SELECT 5)", "SELECT 1 LIMIT 10 * 10", "SELECT 1 LIMIT $1"] {
        assert_eq!(refused(Postgres, sql), Code::BlockedClause, "{sql}");
    }
    assert_eq!(refused(MySql, "SELECT 1 LIMIT ?"), Code::BlockedClause);
    let one =
        Guard::new(MySql, SqlPolicy::new()).with_max_rows(1).check("SELECT 1", &site::schema(MySql)).unwrap();
    assert_eq!(one.sql(), "SELECT 1 LIMIT 2");
}

#[test]
fn names_are_found_as_the_server_finds_them_and_quoted() {
    assert_eq!(
        sent(MySql, "SELECT WP_POSTS.ID FROM WP_POSTS"),
        "SELECT `WP_POSTS`.`ID` FROM `shop`.`wp_posts` AS `WP_POSTS` LIMIT 101",
        "another case is put right and stays usable"
    );
    assert_eq!(
        sent(MySql, "SELECT Shop.wp_posts.ID, SHOP.wp_posts.* FROM SHOP.wp_posts"),
        "SELECT `wp_posts`.`ID`, `wp_posts`.* FROM `shop`.`wp_posts` AS `wp_posts` LIMIT 101"
    );
    assert_eq!(
        sent(Postgres, "SELECT Total AS Sum_ FROM ORDERS O"),
        "SELECT \"total\" AS \"sum_\" FROM \"public\".\"orders\" AS \"o\" LIMIT 101"
    );
    assert!(sent(Postgres, "SELECT id FROM \"User\"").contains("FROM \"public\".\"User\") AS \"User\""));
    assert_eq!(refused(Postgres, "SELECT id FROM \"PUBLIC\".orders"), Code::Schema);
    assert_eq!(
        sent(Sqlite, "SELECT P.ID FROM MAIN.Posts P"),
        "SELECT `P`.`ID` FROM `main`.`posts` AS `P` LIMIT 101"
    );
    assert_eq!(sent(MySql, "SELECT 1 FROM DUAL"), "SELECT 1 FROM DUAL LIMIT 101");
    assert_eq!(
        sent(MySql, "SELECT current_date, UTC_DATE"),
        "SELECT current_date AS `current_date`, utc_date() AS `UTC_DATE` LIMIT 101"
    );
    // A bare word is a column here, and not what the server might make of it.
    assert_eq!(sent(MySql, "SELECT CURRENT_USER"), "SELECT `CURRENT_USER` LIMIT 101");
}

#[test]
fn columns_are_called_what_they_would_be_called() {
    assert_eq!(
        sent(MySql, "SELECT COUNT(*), MAX(p.ID) + 1, p.ID FROM wp_posts p"),
        "SELECT count(*) AS `COUNT(*)`, max(`p`.`ID`) + 1 AS `MAX(p.ID) + 1`, `p`.`ID` FROM `shop`.`wp_posts` AS `p` LIMIT 101"
    );
    assert_eq!(
        sent(Postgres, "SELECT COUNT(*) FROM orders"),
        "SELECT count(*) FROM \"public\".\"orders\" AS \"orders\" LIMIT 101"
    );
}

#[test]
fn short_forms_are_spelt_out() {
    assert_eq!(
        sent(MySql, "SELECT 7 MOD 3 AS a, (7) MOD (4) AS b, MOD(7, 3) AS c"),
        "SELECT 7 % 3 AS `a`, (7) % (4) AS `b`, mod(7, 3) AS `c` LIMIT 101"
    );
    assert_eq!(
        sent(MySql, "SELECT data->>'$.a' AS x, data->'$.b' AS y FROM wp_events"),
        "SELECT json_unquote(json_extract(`data`, '$.a')) AS `x`, json_extract(`data`, '$.b') AS `y` FROM `shop`.`wp_events` AS `wp_events` LIMIT 101",
        "MariaDB has the functions only"
    );
    assert_eq!(sent(Postgres, "SELECT 1_000, 0x1F"), "SELECT 1000, 31 LIMIT 101");
}

#[test]
fn parameters_are_counted() {
    for (engine, sql, expected) in [
        (MySql, "SELECT ID FROM wp_posts WHERE ID = ? AND post_title LIKE ? AND guid = '?'", 2),
        (MySql, "SELECT 1", 0),
        (Postgres, "SELECT id FROM orders WHERE id = $1 AND user_id = $1 AND status = $3", 3),
        (Postgres, "SELECT id FROM events WHERE payload ? 'a'", 0),
        (Sqlite, "SELECT id FROM posts WHERE id IN (?, ?, ?)", 3),
    ] {
        assert_eq!(check(engine, sql).unwrap().parameter_count(), expected, "{sql}");
    }
    for sql in ["SELECT :a", "SELECT @a", "SELECT $a", "SELECT ?1"] {
        assert_eq!(refused(Sqlite, sql), Code::Syntax, "{sql}");
    }
}

#[test]
fn what_is_sent_passes_again_and_means_the_same() {
    for (engine, corpus) in [(MySql, SHOP), (Postgres, APPLICATION), (Sqlite, SMALL)] {
        for sql in corpus {
            let first = check(engine, sql).unwrap();
            let again =
                check(engine, first.sql()).unwrap_or_else(|refusal| panic!("{}\n{refusal}", first.sql()));
            assert_eq!(again.tables(), first.tables(), "{sql}");
            assert_eq!(again.parameter_count(), first.parameter_count(), "{sql}");
        }
    }
}

#[test]
fn a_guard_keeps_its_query_to_itself() {
    let query = check(MySql, "SELECT 1 AS a").unwrap();
    assert_eq!(query, query.clone());
    assert_eq!((query.tables().len(), query.masked_columns().len()), (0, 0));
}
