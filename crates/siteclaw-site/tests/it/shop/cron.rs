//! `wp_cron` on the shop. The tests' clock stands at 2026-11-30 12:00:00 UTC, 1796040000.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

const CRON: &str = r#"a:6:{i:1796036400;a:1:{s:19:"acme_seo_rebuild_it";a:1:{s:32:"40cd750bba9870f18aada2478b24840a";a:3:{s:8:"schedule";s:5:"daily";s:4:"args";a:0:{}s:8:"interval";i:86400;}}}i:1796039940;a:1:{s:19:"wp_scheduled_delete";a:1:{s:32:"40cd750bba9870f18aada2478b24840a";a:3:{s:8:"schedule";s:5:"daily";s:4:"args";a:0:{}s:8:"interval";i:86400;}}}i:1796043600;a:2:{s:10:"send_mails";a:2:{s:1:"a";a:2:{s:8:"schedule";b:0;s:4:"args";a:1:{s:4:"salt";s:15:"PLANTED-in-args";}}s:1:"b";a:2:{s:8:"schedule";b:0;s:4:"args";a:1:{i:0;i:7;}}}s:20:"woocommerce_cleanups";a:1:{s:1:"c";a:3:{s:8:"schedule";s:6:"hourly";s:4:"args";a:0:{}s:8:"interval";i:3600;}}}i:1796126400;a:1:{s:16:"wp_version_check";a:1:{s:32:"40cd750bba9870f18aada2478b24840a";a:3:{s:8:"schedule";s:10:"twicedaily";s:4:"args";a:0:{}s:8:"interval";i:43200;}}}s:7:"version";i:2;i:1796126401;a:0:{}}"#;

async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    shop.write(
        "wp-content/plugins/acme-seo/acme-seo.php",
        "<?php\n/* Plugin Name: Acme SEO\nVersion: 1.0 */\n",
    );
    shop.run(&format!(
        "INSERT INTO {{p}}options (option_name, option_value, autoload) VALUES ('cron', '{CRON}', 'on'), \
         ('_transient_doing_cron', '1796039999.5', 'on')"
    ))
    .await;
    shop
}

#[tokio::test]
async fn events_are_listed_the_next_first() {
    let shop = shop().await;
    let columns = [
        "hook",
        "next_run",
        "next_run_local",
        "schedule",
        "is_overdue",
        "state",
        "overdue_seconds",
        "interval",
        "args",
        "owner",
    ];
    let answer = shop.door().ask("wp_cron", json!({"columns": columns})).await;
    let rows: Vec<Value> = answer["data"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| columns.iter().map(|column| row[*column].clone()).collect())
        .collect();
    assert_eq!(
        json!(rows),
        json!([
            [
                "acme_seo_rebuild_it",
                "2026-11-30 11:00:00",
                "2026-11-30 12:00:00",
                "daily",
                true,
                "overdue",
                3600,
                86400,
                "[]",
                "acme-seo"
            ],
            // A minute late is usual: WordPress runs events when somebody visits.
            [
                "wp_scheduled_delete",
                "2026-11-30 11:59:00",
                "2026-11-30 12:59:00",
                "daily",
                false,
                "due",
                60,
                86400,
                "[]",
                "wordpress"
            ],
            [
                "send_mails",
                "2026-11-30 13:00:00",
                "2026-11-30 14:00:00",
                "one-time",
                false,
                "scheduled",
                0,
                0,
                "{\"salt\":\"[redacted]\"}",
                null
            ],
            [
                "send_mails",
                "2026-11-30 13:00:00",
                "2026-11-30 14:00:00",
                "one-time",
                false,
                "scheduled",
                0,
                0,
                "[7]",
                null
            ],
            [
                "woocommerce_cleanups",
                "2026-11-30 13:00:00",
                "2026-11-30 14:00:00",
                "hourly",
                false,
                "scheduled",
                0,
                3600,
                "[]",
                "woocommerce"
            ],
            [
                "wp_version_check",
                "2026-12-01 12:00:00",
                "2026-12-01 13:00:00",
                "twicedaily",
                false,
                "scheduled",
                0,
                43200,
                "[]",
                "wordpress"
            ],
        ])
    );
    assert_eq!(answer["meta"]["total"], 6);
    assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    let door = shop.door();
    for (arguments, wanted) in [
        (json!({"overdue_only": true}), json!(["acme_seo_rebuild_it"])),
        (json!({"hook": "send_mails", "limit": 1, "offset": 1}), json!(["send_mails"])),
        (json!({"hook": "send"}), json!([])),
        (json!({"search": "WP_"}), json!(["wp_scheduled_delete", "wp_version_check"])),
    ] {
        let answer = door.ask("wp_cron", arguments.clone()).await;
        assert_eq!(json!(column(&answer["data"]["events"], "hook")), wanted, "{arguments}");
    }
}

#[tokio::test]
async fn health_tells_what_does_not_run() {
    let shop = shop().await;
    let answer = shop.door().ask("wp_cron", json!({"aggregate": true})).await;
    assert_eq!(
        answer["data"],
        json!({
            "total_events": 6, "overdue_count": 1,
            "next_event": {"hook": "wp_scheduled_delete", "next_run": "2026-11-30 11:59:00", "next_run_local": "2026-11-30 12:59:00", "schedule": "daily"},
            "by_schedule": {"daily": 2, "one-time": 2, "hourly": 1, "twicedaily": 1},
            "health": {
                "disable_wp_cron": false, "alternate_wp_cron": false, "due": 1, "longest_wait_seconds": 3600,
                "running_since": "2026-11-30 12:59:59", "repeated_hooks": {"send_mails": 2},
                "hooks_of_inactive_plugins": {"acme_seo_rebuild_it": "acme-seo"}, "unclaimed_hooks": ["send_mails"]
            },
            "queue": null
        })
    );
    // Where the server runs events, an hour is the bound.
    shop.write(
        "wp-config.php",
        &super::CONFIG.replace("$table_prefix", "define( 'DISABLE_WP_CRON', true );\n$table_prefix"),
    );
    let disabled = shop.door().ask("wp_cron", json!({"aggregate": true})).await;
    assert_eq!(disabled["data"]["overdue_count"], 0);
    assert_eq!(disabled["data"]["health"]["due"], 1);
    assert_eq!(disabled["data"]["health"]["disable_wp_cron"], true);
}

#[tokio::test]
async fn the_queue_is_past_due_after_a_quarter_of_an_hour() {
    let shop = shop().await;
    shop.run(
        "CREATE TABLE {p}actionscheduler_actions (action_id INTEGER PRIMARY KEY, hook TEXT, status TEXT, scheduled_date_gmt TEXT, last_attempt_gmt TEXT);\
         CREATE TABLE {p}actionscheduler_logs (log_id INTEGER PRIMARY KEY, action_id INTEGER, message TEXT, log_date_gmt TEXT);\
         INSERT INTO {p}actionscheduler_actions VALUES (1, 'wc_run', 'pending', '2026-11-30 11:50:00', NULL), (2, 'wc_run', 'pending', '2026-11-30 11:40:00', NULL), \
          (3, 'wc_run', 'complete', '2026-11-30 11:00:00', NULL), (4, 'pay', 'failed', '2026-11-29 11:00:00', NULL), (5, 'pay', 'in-progress', '2026-11-30 11:00:00', '2026-11-30 11:54:00'), \
          (6, 'pay', 'in-progress', '2026-11-30 11:00:00', '2026-11-30 11:56:00');\
         INSERT INTO {p}actionscheduler_logs VALUES (1, 4, 'action created', '2026-11-29 10:00:00'), (2, 4, 'action failed via WP Cron: no answer', '2026-11-29 11:00:30')",
    )
    .await;
    let answer = shop.door().ask("wp_cron", json!({"aggregate": true})).await;
    assert_eq!(
        answer["data"]["queue"],
        json!({
            "pending": 2, "past_due": 1, "in_progress": 2, "stuck": 1, "failed": 1,
            "hooks": [
                {"hook": "pay", "status": "in-progress", "count": 2, "past_due": 0, "oldest": "2026-11-30 12:00:00"},
                {"hook": "wc_run", "status": "pending", "count": 2, "past_due": 1, "oldest": "2026-11-30 12:40:00"},
                {"hook": "pay", "status": "failed", "count": 1, "past_due": 0, "oldest": "2026-11-29 12:00:00"},
            ],
            "failures": [{"hook": "pay", "at": "2026-11-29 12:00:30", "message": "action failed via WP Cron: no answer"}]
        })
    );
}

#[tokio::test]
async fn a_damaged_option_is_said_to_be_damaged() {
    let shop = Shop::new(Store::Own).await;
    let door = shop.door();
    assert_eq!(
        door.ask("wp_cron", json!({})).await["meta"]["total"],
        0,
        "a site without the option has no events"
    );
    shop.run(
        "INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('cron', 'a:2:{i:1;', 'on')",
    )
    .await;
    assert_eq!(door.refused("wp_cron", json!({})).await["code"], "CORRUPT_OPTION");
}
