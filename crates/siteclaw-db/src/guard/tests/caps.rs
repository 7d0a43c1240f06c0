//! Caps on length, depth and number; odd characters; and what a refusal says.

use std::time::{Duration, Instant};

use super::{RefusalCode as Code, check, refused, sent, site};
use crate::Engine::{self, MySql, Postgres, Sqlite};
use crate::guard::{Guard, SqlPolicy};

const ENGINES: [Engine; 3] = [MySql, Postgres, Sqlite];

#[test]
fn empty_long_and_deep() {
    for engine in ENGINES {
        for sql in ["", "  \n", ";;;", "-- only this", "/* only this */", "/* a */ ; -- b"] {
            assert_eq!(refused(engine, sql), Code::Empty, "{sql:?}");
        }
        assert_eq!(refused(engine, &format!("SELECT '{}'", "x".repeat(16 * 1024))), Code::TooLong);
        let start = Instant::now();
        assert!(matches!(refused(engine, &format!("SELECT {}", "(".repeat(20_000))), Code::TooLong));
        assert!(matches!(refused(engine, &format!("SELECT {}", "(".repeat(16_000))), Code::TooDeep));
        assert!(matches!(refused(engine, &format!("SELECT 1{}", "+1".repeat(8000))), Code::TooDeep));
        assert!(matches!(refused(engine, &format!("SELECT 1{}", "+1".repeat(30_000))), Code::TooLong));
        assert!(start.elapsed() < Duration::from_millis(200), "{:?} for four refusals", start.elapsed());
    }
}

#[test]
fn what_is_just_within_the_caps_is_walked_and_dropped_safely() {
    for engine in ENGINES {
        sent(engine, &format!("SELECT 1{}", "+1".repeat(1000)));
        sent(engine, &format!("SELECT 1{}", " IS NULL".repeat(1000)));
        sent(engine, &format!("SELECT {}1{}", "(".repeat(64), ")".repeat(64)));
        sent(engine, &format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(800)));
        check(engine, &format!("SELECT {}1", "NOT ".repeat(1000))).unwrap_err();
        sent(engine, &format!("SELECT {}1{}", "(SELECT ".repeat(60), ")".repeat(60)));
    }
    sent(Postgres, &format!("SELECT 1{}", "::int".repeat(1000)));
}

#[test]
fn look_alike_letters_and_invisible_characters() {
    for engine in ENGINES {
        for sql in [
            "ＳＥＬＥＣＴ 1",
            "SELECT 1 ＵＮＩＯＮ",
            "SELECT a\u{200B}b FROM x",
            "SELECT 1\u{200B}",
            "SELECT 1 AS \"a\u{202E}b\"",
            "SELECT 1\0",
        ] {
            check(engine, sql).unwrap_err();
        }
        sent(engine, "SELECT 'ＵＮＩＯＮ \u{200D} 👩\u{200D}🚀'");
    }
    let schema = site::of(MySql, "shop", vec![site::table("größe", "länge int, 名前 text")]);
    let query = Guard::new(MySql, SqlPolicy::new()).check("SELECT länge, 名前 FROM größe", &schema).unwrap();
    assert_eq!(query.sql(), "SELECT `länge`, `名前` FROM `shop`.`größe` AS `größe` LIMIT 101");
}

#[test]
fn refusals_become_errors_of_the_tool() {
    let refusal = check(MySql, "SELECT * FROM posts").unwrap_err();
    assert_eq!(refusal.code, Code::Table);
    let error = siteclaw_core::ToolError::from(refusal);
    assert_eq!(error.code().as_str(), "SQL_TABLE");
    assert_eq!(error.message(), "There is no table 'posts' in this database.");
    assert_eq!(error.hint_text(), Some("Did you mean wp_posts?"));
    assert_eq!(error.context()["suggestions"], serde_json::json!(["wp_posts"]));
}

#[test]
fn near_names_help() {
    let refusal = check(MySql, "SELECT DATE_FORMT(post_date, '%Y') FROM wp_posts").unwrap_err();
    assert_eq!(refusal.hint.as_deref(), Some("Did you mean date_format, date or time_format?"));
    let refusal = check(MySql, "SELECT * FROM wp_phpclaw_messages").unwrap_err();
    assert_eq!((refusal.code, refusal.hint.as_deref()), (Code::Policy, Some("Use memory_search.")));
    assert_eq!(refusal.context["use_instead"], "Use memory_search.");
    let refusal = check(MySql, "SELECT * FROM woocommerce_api_keys").unwrap_err();
    assert!(!refusal.to_string().contains("wp_woocommerce_api_keys"), "{refusal}");
}

#[test]
fn many_tables_are_too_many() {
    let many = vec!["wp_users"; 250].join(", ");
    let start = Instant::now();
    assert!(check(MySql, &format!("SELECT 1 FROM {many}")).is_ok());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let many = vec!["wp_terms"; 257].join(", ");
    assert_eq!(refused(MySql, &format!("SELECT 1 FROM {many}")), Code::TooDeep);
}

#[test]
fn a_catalogue_of_another_database_is_not_used() {
    let refusal = Guard::new(MySql, SqlPolicy::new()).check("SELECT 1", &site::schema(Sqlite)).unwrap_err();
    assert_eq!(refusal.code, Code::Unchecked);
}
