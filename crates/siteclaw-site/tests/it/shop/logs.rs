//! `read_log` on logs of the shop.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

/// Oldest first, as PHP writes it. Berlin is an hour ahead of UTC in November.
const DEBUG: &str = "\
[27-Nov-2026 08:00:00 UTC] PHP Notice:  Undefined index: error in /srv/www/wp-content/plugins/old/old.php on line 3
[29-Nov-2026 10:00:00 UTC] PHP Fatal error:  Uncaught TypeError: count() in /srv/www/wp-includes/class-wp-error.php:12
Stack trace:
#0 /srv/www/wp-content/plugins/acme-seo/main.php(7): wp_signon('anna', 'PLANTED-in-a-trace')
#1 {main}
  thrown in /srv/www/wp-includes/class-wp-error.php on line 12
[29-Nov-2026 11:00:00 UTC] PHP Fatal error:  Uncaught TypeError: count() in /srv/www/wp-includes/class-wp-error.php:12
Stack trace:
#0 /srv/www/wp-content/plugins/acme-seo/main.php(7): acme()
#1 {main}
  thrown in /srv/www/wp-includes/class-wp-error.php on line 12
[30-Nov-2026 09:00:00 UTC] PHP Warning:  Order 17 took 3s in /srv/www/wp-content/themes/child/functions.php on line 5
[30-Nov-2026 10:00:00 UTC] PHP Warning:  Order 18 took 9s in /srv/www/wp-content/themes/child/functions.php on line 5
[30-Nov-2026 11:00:00 UTC] WordPress database error Table 'x' doesn't exist for query SELECT 1 made by acme
[30-Nov-2026 11:30:00 UTC] PHP Deprecated:  Old in /srv/www/wp-content/plugins/old/old.php on line 9
[30-Nov-2026 11:45:00 UTC] GET /hook?token=PLANTED-in-an-address&order=18
";
const HASH: &str = "c1d12de20210d8c1b35c367536e1c255";

async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    shop.write("wp-content/debug.log", DEBUG);
    shop
}

fn shown(answer: &Value) -> Value {
    let rows = answer["data"]["lines"].as_array().unwrap().iter();
    rows.map(|row| json!([row["at"], row["level"], row["component"]["slug"]])).collect()
}

#[tokio::test]
async fn the_newest_entries_come_first_on_the_sites_clock() {
    let shop = shop().await;
    let answer = shop.door().ask("read_log", json!({"lines": 3})).await;
    assert_eq!(
        shown(&answer),
        json!([
            ["2026-11-30 12:45:00", "other", null],
            ["2026-11-30 12:30:00", "deprecated", "old"],
            ["2026-11-30 12:00:00", "error", null],
        ])
    );
    let meta = &answer["meta"];
    assert_eq!(
        (&meta["matched"], &meta["requested_lines"], &meta["truncated"]),
        (&json!(8), &json!(3), &json!(true))
    );
    assert_eq!(
        (&meta["log"]["name"], &meta["log"]["path"]),
        (&json!("wordpress"), &json!("wp-content/debug.log"))
    );
    assert_eq!((&meta["timezone"], &meta["scan_truncated"]), (&json!("Europe/Berlin"), &json!(false)));
    assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    assert_eq!(
        answer["data"]["lines"][0]["line"],
        "[30-Nov-2026 11:45:00 UTC] GET /hook?token=[redacted]&order=18"
    );
}

#[tokio::test]
async fn filters_look_at_entries_and_not_at_words_in_file_names() {
    let shop = shop().await;
    let door = shop.door();
    for (arguments, wanted) in [
        // The word stands in the names of files and in a notice's text too.
        (
            json!({"level": "error"}),
            json!(["2026-11-30 12:00:00", "2026-11-29 12:00:00", "2026-11-29 11:00:00"]),
        ),
        (json!({"level": "fatal"}), json!(["2026-11-29 12:00:00", "2026-11-29 11:00:00"])),
        (json!({"level": "notice"}), json!(["2026-11-27 09:00:00"])),
        (json!({"level": "parse"}), json!([])),
        (json!({"search": "ACME-SEO"}), json!(["2026-11-29 12:00:00", "2026-11-29 11:00:00"])),
        // The tests' clock stands at noon of the 30th, UTC.
        (
            json!({"since": "2h"}),
            json!([
                "2026-11-30 12:45:00",
                "2026-11-30 12:30:00",
                "2026-11-30 12:00:00",
                "2026-11-30 11:00:00"
            ]),
        ),
        (
            json!({"since": "2026-11-30", "level": "warning"}),
            json!(["2026-11-30 11:00:00", "2026-11-30 10:00:00"]),
        ),
        (json!({"since": "2026-11-30T10:30:00", "level": "warning"}), json!(["2026-11-30 11:00:00"])),
    ] {
        let answer = door.ask("read_log", arguments.clone()).await;
        assert_eq!(json!(column(&answer["data"]["lines"], "at")), wanted, "{arguments}");
        assert!(!answer.to_string().contains("PLANTED"), "{answer}");
    }
    let fatal = door.ask("read_log", json!({"level": "fatal", "lines": 1})).await;
    let entry = &fatal["data"]["lines"][0];
    assert!(entry["line"].as_str().unwrap().ends_with("on line 12"), "the trace belongs to it: {entry}");
    assert_eq!(entry["component"], json!({"kind": "plugin", "slug": "acme-seo"}));
}

#[tokio::test]
async fn entries_are_counted_by_level() {
    let shop = shop().await;
    let answer = shop.door().ask("read_log", json!({"aggregate": true})).await;
    assert_eq!(
        answer["data"],
        json!({
            "total_lines": 16, "total_entries": 8, "error_count": 1, "warning_count": 2, "fatal_count": 2,
            "notice_count": 1, "deprecated_count": 1, "parse_count": 0, "other_count": 1,
            "last_error": "WordPress database error Table 'x' doesn't exist for query SELECT 1 made by acme",
            "last_error_timestamp": "2026-11-30 12:00:00",
            "size_bytes": DEBUG.len(), "size_human": format!("{:.1} KB", DEBUG.len() as f64 / 1024.0)
        })
    );
}

#[tokio::test]
async fn entries_of_one_cause_are_put_together() {
    let shop = shop().await;
    let answer = shop.door().ask("read_log", json!({"group": true, "lines": 3})).await;
    let groups = answer["data"]["groups"].as_array().unwrap();
    let seen: Vec<Value> = groups
        .iter()
        .map(|group| {
            json!([
                group["count"],
                group["level"],
                group["component"]["slug"],
                group["line"],
                group["first"],
                group["last"]
            ])
        })
        .collect();
    assert_eq!(
        json!(seen),
        json!([
            [2, "fatal", "acme-seo", 12, "2026-11-29 11:00:00", "2026-11-29 12:00:00"],
            [1, "error", null, null, "2026-11-30 12:00:00", "2026-11-30 12:00:00"],
            // They differ in their numbers alone.
            [2, "warning", "child", 5, "2026-11-30 10:00:00", "2026-11-30 11:00:00"],
        ])
    );
    assert_eq!((&answer["meta"]["groups_total"], &answer["meta"]["truncated"]), (&json!(6), &json!(true)));
}

#[tokio::test]
async fn every_log_has_a_name_and_no_other_file_has() {
    let shop = shop().await;
    shop.write(
        "error_log",
        "[30-Nov-2026 12:00:00 UTC] PHP Parse error:  x in /srv/www/index.php on line 1\n",
    );
    shop.write(
        &format!("wp-content/uploads/wc-logs/stripe-2026-11-29-{HASH}.log"),
        "2026-11-29T10:00:00+00:00 ERROR Declined\n2026-11-29T11:00:00+00:00 INFO fine\n",
    );
    shop.write(
        &format!("wp-content/uploads/wc-logs/stripe-2026-11-30-{HASH}.log"),
        "2026-11-30T10:00:00+00:00 CRITICAL Key refused CONTEXT: {\"api_key\":\"PLANTED-in-context\"}\n",
    );
    let door = shop.door();
    let stripe = door.ask("read_log", json!({"source": "wc:stripe"})).await;
    assert_eq!(
        shown(&stripe),
        json!([
            ["2026-11-30 11:00:00", "fatal", null],
            ["2026-11-29 12:00:00", "other", null],
            ["2026-11-29 11:00:00", "error", null],
        ])
    );
    assert!(!stripe.to_string().contains("PLANTED"), "{stripe}");
    let mut names: Vec<Value> = column(&stripe["meta"]["sources"], "name");
    names.sort_by_key(Value::to_string);
    assert_eq!(names, ["php", "wc:stripe", "wordpress"]);
    let php = door.ask("read_log", json!({"source": "php"})).await;
    assert_eq!(shown(&php), json!([["2026-11-30 13:00:00", "parse", null]]));
    for name in ["../wp-config.php", "wp-config.php", "wc:../../wp-config"] {
        let error = door.refused("read_log", json!({"source": name})).await;
        assert_eq!(error["code"], "LOG_UNAVAILABLE", "{name}");
        assert!(error["sources"].as_array().unwrap().contains(&json!("wordpress")), "{error}");
    }
}

#[tokio::test]
async fn a_log_is_read_while_the_database_is_down() {
    let shop = shop().await;
    let config = super::CONFIG.replace("'sqlite'", "'mysql'").replace("'localhost'", "'127.0.0.1:1'");
    shop.write("wp-config.php", &config);
    shop.write("wp-content/db.php", "<?php // nothing\n");
    let answer = shop.door().ask("read_log", json!({"lines": 1})).await;
    assert_eq!(shown(&answer), json!([["2026-11-30 11:45:00", "other", null]]));
    assert_eq!(warnings(&answer), ["DATABASE_UNAVAILABLE", "UNTRUSTED_CONTENT"]);
}

#[tokio::test]
async fn a_configured_log_is_found_and_one_outside_the_site_only_where_it_is_trusted() {
    let outside = tempfile::tempdir().unwrap();
    let log = outside.path().join("site.log");
    std::fs::write(&log, "[30-Nov-2026 12:00:00 UTC] PHP Warning:  outside\n").unwrap();
    let shop = Shop::new(Store::Own).await;
    let with = |path: &str| {
        super::CONFIG.replace("$table_prefix", &format!("define( 'WP_DEBUG_LOG', '{path}' );\n$table_prefix"))
    };
    shop.write("wp-config.php", &with(&log.to_string_lossy()));
    let error = shop.door().refused("read_log", json!({})).await;
    assert_eq!(error["code"], "LOG_UNAVAILABLE");
    assert!(error["message"].as_str().unwrap().contains("site.log"), "{error}");
    let options =
        siteclaw_site::AttachOptions { trust: vec![outside.path().to_path_buf()], ..Default::default() };
    let site = siteclaw_site::Site::attach(shop.root(), options).unwrap();
    let answer = crate::door::Door::of(&site).ask("read_log", json!({})).await;
    assert_eq!(column(&answer["data"]["lines"], "level"), ["warning"]);
    shop.write("wp-content/private.log", "[30-Nov-2026 12:00:00 UTC] PHP Notice:  inside\n");
    shop.write("wp-config.php", &with("wp-content/private.log"));
    let answer = shop.door().ask("read_log", json!({})).await;
    assert_eq!(answer["meta"]["log"]["path"], "wp-content/private.log");
}

#[tokio::test]
async fn what_is_asked_wrongly_is_refused_and_the_logs_are_named() {
    let shop = shop().await;
    let door = shop.door();
    for (arguments, code) in [
        (json!({"level": "severe"}), "INVALID_LEVEL"),
        (json!({"lines": "many"}), "INVALID_LINES"),
        (json!({"since": "lately"}), "INVALID_ARGUMENT"),
        (json!({"group": true, "aggregate": true}), "CONFLICTING_MODES"),
        (json!({"schema": true, "aggregate": true}), "CONFLICTING_MODES"),
        (json!({"path": "wp-config.php"}), "UNKNOWN_ARGUMENT"),
    ] {
        assert_eq!(door.refused("read_log", arguments.clone()).await["code"], code, "{arguments}");
    }
    let schema = door.ask("read_log", json!({"schema": true})).await;
    assert_eq!(
        (&schema["data"]["exists"], &schema["data"]["path"]),
        (&json!(true), &json!("wp-content/debug.log"))
    );
    assert_eq!(schema["data"]["size_bytes"], DEBUG.len());
    let bare = Shop::new(Store::Own).await;
    let error = bare.door().refused("read_log", json!({})).await;
    assert_eq!(error["code"], "LOG_UNAVAILABLE");
    assert!(error["hint"].as_str().unwrap().contains("WP_DEBUG_LOG"), "{error}");
}

#[tokio::test]
async fn a_long_log_is_read_from_its_end() {
    let shop = Shop::new(Store::Own).await;
    let line = |n: u32| {
        format!(
            "[30-Nov-2026 {:02}:{:02}:{:02} UTC] PHP Notice:  number {n}\n",
            n / 3600 % 24,
            n / 60 % 60,
            n % 60
        )
    };
    // More than is read at first.
    let text: String = (0..20_000).map(line).collect();
    shop.write("wp-content/debug.log", &text);
    let door = shop.door();
    let newest = door.ask("read_log", json!({"lines": 1})).await;
    assert!(newest["data"]["lines"][0]["line"].as_str().unwrap().ends_with("number 19999"), "{newest}");
    let oldest = door.ask("read_log", json!({"search": "number 7 ", "lines": 5})).await;
    assert_eq!(oldest["data"]["lines"], json!([]));
    let oldest = door.ask("read_log", json!({"search": "00:00:07", "lines": 5})).await;
    assert_eq!(column(&oldest["data"]["lines"], "at"), ["2026-11-30 01:00:07"]);
    let count = door.ask("read_log", json!({"aggregate": true})).await;
    assert_eq!(count["data"]["notice_count"], 20_000);
}
