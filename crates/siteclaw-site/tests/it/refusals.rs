//! What each tool refuses, by which code, and what the error says besides, so that the next call can be right.

use serde_json::{Value, json};
use siteclaw_core::{Caller, Surface};

use crate::door::{Door, attach};
use crate::shop::{Shop, Store};

const TOOLS: [&str; 17] = [
    "wp_query",
    "wc_get_orders",
    "wc_get_products",
    "wp_users",
    "wc_stock",
    "wp_option",
    "wp_plugins",
    "wp_comments",
    "wp_taxonomy",
    "wp_media",
    "wp_menus",
    "wp_cron",
    "wc_get_customer",
    "wc_coupons",
    "wc_categories",
    "wc_reviews",
    "wc_tax",
];
/// Those that search for no text, or are tested apart.
const WITHOUT_SEARCH: [&str; 4] = ["wc_stock", "wp_option", "wp_menus", "wc_tax"];
/// Those whose rows have the one order that they have.
const UNSORTED: [&str; 8] =
    ["wp_option", "wp_plugins", "wp_menus", "wp_cron", "wc_coupons", "wc_categories", "wc_reviews", "wc_tax"];

/// (tool, arguments, code, the key of the error that names what would be right).
fn table() -> Vec<(&'static str, Value, &'static str, Option<&'static str>)> {
    let long = "x".repeat(256);
    let mut table = Vec::new();
    for tool in TOOLS {
        table.push((tool, json!({"surprise": 1}), "UNKNOWN_ARGUMENT", Some("accepted_arguments")));
        table.push((tool, json!({"schema": true, "aggregate": true}), "CONFLICTING_MODES", None));
        table.push((tool, json!({"schema": "perhaps"}), "INVALID_ARGUMENT", None));
        table.push((tool, json!({"aggregate": "perhaps"}), "INVALID_ARGUMENT", None));
        if tool != "wp_query" {
            table.push((tool, json!({"limit": "many"}), "INVALID_LIMIT", None));
            table.push((tool, json!({"offset": "far"}), "INVALID_OFFSET", None));
            table.push((tool, json!({"limit": 1.5}), "INVALID_LIMIT", None));
        }
        if tool != "wp_option" {
            table.push((tool, json!({"columns": ["nonsense"]}), "UNKNOWN_COLUMN", Some("available_columns")));
            table.push((tool, json!({"columns": ["*", "id"]}), "INVALID_COLUMNS", None));
            table.push((tool, json!({"columns": [{"a": 1}]}), "INVALID_COLUMNS", None));
        }
        if !WITHOUT_SEARCH.contains(&tool) {
            table.push((tool, json!({"search": long}), "SEARCH_TOO_LONG", None));
        }
        if !UNSORTED.contains(&tool) {
            table.push((tool, json!({"orderby": "colour"}), "INVALID_ORDERBY", Some("problems")));
            table.push((tool, json!({"order": "sideways"}), "INVALID_ORDER", Some("problems")));
        }
    }
    for (tool, column) in [
        ("wp_query", "user_pass"),
        ("wp_query", "post_password"),
        ("wp_users", "user_pass"),
        ("wp_users", "user_activation_key"),
        ("wp_users", "session_tokens"),
        ("wp_users", "User_Pass"),
        ("wp_comments", "comment_agent"),
        ("wc_get_orders", "order_key"),
        ("wc_get_orders", "transaction_id"),
        ("wc_get_orders", "_stripe_source_id"),
        ("wc_get_products", "downloads"),
        ("wc_stock", "license_key"),
        ("wp_media", "post_password"),
        ("wp_taxonomy", "user_pass"),
        ("wc_coupons", "_stripe_key"),
        ("wc_reviews", "comment_agent"),
    ] {
        table.push((tool, json!({"columns": ["id", column]}), "BLOCKED_COLUMN", Some("blocked_columns")));
    }
    table.extend([
        ("wp_query", json!({"posts_per_page": "many"}), "INVALID_LIMIT", None),
        ("wp_query", json!({"paged": "two"}), "INVALID_ARGUMENT", None),
        ("wp_query", json!({"featured": "perhaps"}), "INVALID_ARGUMENT", None),
        ("wp_query", json!({"post_status": "inherit"}), "INVALID_STATUS", Some("problems")),
        ("wp_query", json!({"post_type": "posts"}), "UNKNOWN_POST_TYPE", Some("valid_post_types")),
        ("wp_query", json!({"post_type": "no such type"}), "INVALID_ARGUMENT", None),
        ("wp_query", json!({"date_after": "yesterday"}), "INVALID_ARGUMENT", None),
        ("wp_query", json!({"date_before": "2026-02-30"}), "INVALID_ARGUMENT", None),
        ("wp_query", json!({"author_id": "anna"}), "INVALID_ARGUMENT", None),
        ("wp_users", json!({"role": "captain"}), "UNKNOWN_ROLE", Some("valid_roles")),
        ("wp_users", json!({"role": 7.5}), "INVALID_ROLE", None),
        ("wp_users", json!({"role": "r".repeat(101)}), "ROLE_TOO_LONG", None),
        ("wp_users", json!({"user_id": "anna"}), "INVALID_ARGUMENT", None),
        ("wp_option", json!({}), "INVALID_ARGUMENT", None),
        ("wp_option", json!({"limit": 5}), "INVALID_ARGUMENT", None),
        ("wp_option", json!({"option_name": "home", "search": "home"}), "CONFLICTING_MODES", None),
        ("wp_option", json!({"search": long}), "SEARCH_TOO_LONG", None),
        ("wp_option", json!({"option_name": "x".repeat(192)}), "INVALID_ARGUMENT", None),
        ("wp_option", json!({"option_name": vec!["a"; 51]}), "INVALID_ARGUMENT", None),
        ("wp_option", json!({"option_name": "auth_key"}), "BLOCKED_OPTION", Some("blocked_substrings")),
        (
            "wp_option",
            json!({"option_name": ["home", "MAPS_API_KEY"]}),
            "BLOCKED_OPTION",
            Some("blocked_exact"),
        ),
        ("wp_option", json!({"option_name": "phpclaw_settings"}), "BLOCKED_OPTION", None),
        ("wp_plugins", json!({"columns": ["name", "package"]}), "BLOCKED_COLUMN", Some("blocked_columns")),
        ("wp_plugins", json!({"status": "asleep"}), "INVALID_STATUS", Some("problems")),
        ("wp_comments", json!({"status": "loud"}), "INVALID_STATUS", Some("problems")),
        ("wp_comments", json!({"date_after": "soon"}), "INVALID_ARGUMENT", None),
        ("wp_comments", json!({"post_id": "first"}), "INVALID_ARGUMENT", None),
        ("wc_get_orders", json!({"status": "lost"}), "INVALID_STATUS", Some("problems")),
        ("wc_get_orders", json!({"custom_status": "lost"}), "INVALID_STATUS", Some("valid_statuses")),
        ("wc_get_orders", json!({"custom_status": "packed", "status": "failed"}), "CONFLICTING_MODES", None),
        ("wc_get_orders", json!({"country": "Austria"}), "INVALID_ARGUMENT", None),
        ("wc_get_orders", json!({"date_before": "2026-13"}), "INVALID_ARGUMENT", None),
        ("wc_get_orders", json!({"customer_id": "bert"}), "INVALID_ARGUMENT", None),
        ("wc_get_products", json!({"stock_status": "lost"}), "INVALID_STOCK_STATUS", Some("problems")),
        ("wc_get_products", json!({"status": "trash"}), "INVALID_STATUS", Some("problems")),
        ("wc_get_products", json!({"missing": "colour"}), "INVALID_ARGUMENT", Some("problems")),
        ("wc_stock", json!({"filter": "lost"}), "INVALID_FILTER", Some("problems")),
        ("wp_media", json!({"audit": "dusty"}), "INVALID_ARGUMENT", Some("problems")),
        ("wp_media", json!({"mime_type": "image/png'--"}), "INVALID_ARGUMENT", None),
        ("wp_media", json!({"post_parent": -1.5}), "INVALID_ARGUMENT", None),
        ("wp_cron", json!({"hook": "h".repeat(256)}), "INVALID_ARGUMENT", None),
        ("wc_coupons", json!({"status": "lost"}), "INVALID_STATUS", Some("problems")),
        ("wc_reviews", json!({"status": "lost"}), "INVALID_STATUS", Some("problems")),
        ("wc_reviews", json!({"max_rating": 9}), "INVALID_RATING", None),
        (
            "wc_get_customer",
            json!({"columns": ["payment_tokens"]}),
            "BLOCKED_COLUMN",
            Some("blocked_columns"),
        ),
        ("wc_get_customer", json!({"customer_id": "bert"}), "INVALID_CUSTOMER_ID", None),
    ]);
    table
}

#[tokio::test]
async fn every_refusal_has_its_code_and_says_what_would_be_right() {
    let shop = Shop::new(Store::Own).await;
    let door = shop.door();
    let mut wrong = Vec::new();
    for (tool, arguments, code, key) in table() {
        let answer = door.call(tool, arguments.clone()).await;
        let error = &answer["error"];
        let named = key.is_none_or(|key| error[key].as_array().is_some_and(|list| !list.is_empty()));
        if error["code"] != code || !named || error["retryable"] != json!(false) {
            wrong.push(format!("{tool} {arguments}: {code} {key:?}, not {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn numbers_beyond_a_bound_are_set_to_it_and_said() {
    let shop = Shop::new(Store::Own).await;
    let door = shop.door();
    for (tool, arguments, field, bound) in [
        ("wp_users", json!({"limit": 1000}), "limit", 100),
        ("wp_comments", json!({"limit": 51}), "limit", 50),
        ("wp_plugins", json!({"limit": 0}), "limit", 1),
        ("wc_get_orders", json!({"limit": 500}), "limit", 50),
        ("wc_get_products", json!({"limit": 500}), "limit", 50),
        ("wc_stock", json!({"offset": -5}), "offset", 0),
    ] {
        let answer = door.ask(tool, arguments.clone()).await;
        assert_eq!(answer["meta"][field], json!(bound), "{tool} {arguments}");
        assert_eq!(answer["warnings"][0]["code"], "ARGUMENT_ADJUSTED", "{tool} {arguments}");
    }
}

#[tokio::test]
async fn what_a_mode_does_not_use_is_said_once_for_each() {
    let shop = Shop::new(Store::Own).await;
    let door = shop.door();
    for (tool, arguments, ignored) in [
        ("wp_query", json!({"aggregate": true, "orderby": "date", "paged": 2, "author_id": 1}), 2),
        ("wp_query", json!({"schema": true, "search": "x", "post_type": "page"}), 2),
        ("wp_users", json!({"aggregate": true, "role": "editor", "limit": 3}), 2),
        ("wp_option", json!({"aggregate": true, "option_name": "home"}), 1),
        ("wp_option", json!({"option_name": "home", "limit": 3, "autoload_only": true}), 2),
        ("wp_option", json!({"search": "home", "path": "a.b"}), 1),
        ("wp_plugins", json!({"aggregate": true, "columns": ["name"]}), 1),
        ("wp_comments", json!({"aggregate": true, "status": "spam", "offset": 1}), 2),
        ("wc_get_orders", json!({"order": "ASC"}), 1),
        ("wc_get_orders", json!({"aggregate": true, "include_items": true}), 1),
        ("wc_get_products", json!({"order": "ASC"}), 1),
        ("wc_stock", json!({"aggregate": true, "filter": "lowstock"}), 1),
    ] {
        let answer = door.ask(tool, arguments.clone()).await;
        let said = answer["warnings"].as_array().unwrap().iter();
        let said = said.filter(|warning| warning["code"] == "IGNORED_ARGUMENT").count();
        assert_eq!(said, ignored, "{tool} {arguments}: {answer}");
    }
}

#[tokio::test]
async fn a_user_without_the_capability_learns_nothing() {
    let shop = Shop::new(Store::Own).await;
    let site = attach(shop.root());
    let reader = Door::for_caller(&site, Caller::site_user("cleo", ["read"], Surface::Web));
    let chatter = Door::for_caller(&site, Caller::site_user("anna", ["phpclaw_use_chat"], Surface::Web));
    for tool in TOOLS {
        // Not even whether the argument is known.
        let error = reader.refused(tool, json!({"surprise": 1})).await;
        assert_eq!(error["code"], "FORBIDDEN", "{tool}");
        chatter.ask(tool, json!({"aggregate": true})).await;
    }
}

#[tokio::test]
async fn each_tool_describes_itself_without_the_database() {
    let shop = Shop::files();
    shop.write("wp-config.php", "<?php\n$table_prefix = 'corner_';\n");
    let door = shop.door();
    for tool in TOOLS {
        let answer = door.ask(tool, json!({"schema": true})).await;
        assert_eq!(answer["meta"]["mode"], "schema", "{tool}");
        assert_eq!(answer["meta"]["database_query_performed"], json!(false), "{tool}");
        for key in ["modes", "limits", "risk", "idempotent", "phpclaw_capability"] {
            assert!(!answer["data"][key].is_null(), "{tool} {key}");
        }
    }
}
