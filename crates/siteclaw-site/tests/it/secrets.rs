//! No answer holds a secret, whatever is asked. Every secret in the shop begins with the same word.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::door::Door;
use crate::shop::{PLANTED, Shop, Store};

const PERSONAL_ORDERS: [&str; 14] = [
    "id",
    "status",
    "date_paid",
    "date_completed",
    "payment_method",
    "payment_method_title",
    "customer_id",
    "refunded",
    "item_count",
    "billing_email",
    "billing_phone",
    "billing_city",
    "shipping_country",
    "customer_ip",
];

/// Questions that come as near to the secrets as the tools let anybody.
fn questions() -> Vec<(&'static str, Value)> {
    let mut questions = vec![
        (
            "wp_query",
            json!({"post_type": "any", "post_status": "any", "columns": ["*"], "posts_per_page": 50}),
        ),
        ("wp_query", json!({"search": PLANTED, "post_type": "any", "post_status": "any"})),
        ("wp_query", json!({"post_type": "shop_order", "post_status": "any"})),
        ("wp_query", json!({"post_type": "product", "columns": ["*"]})),
        ("wp_users", json!({"columns": ["*"]})),
        ("wp_users", json!({"columns": ["user_email", "user_url", "last_login", "post_count", "role"]})),
        ("wp_users", json!({"search": PLANTED})),
        ("wp_comments", json!({"columns": ["*"], "status": "all"})),
        ("wp_comments", json!({"columns": ["author_email", "author_ip", "content"], "status": "spam"})),
        ("wp_comments", json!({"search": PLANTED})),
        ("wp_plugins", json!({"kind": "all", "columns": ["*"]})),
        ("wc_get_products", json!({"columns": ["*"], "limit": 50})),
        (
            "wc_get_products",
            json!({"columns": ["id", "cost_of_goods", "supplier", "supplier_sku", "review_count"]}),
        ),
        ("wc_get_products", json!({"search": PLANTED})),
        ("wc_stock", json!({"columns": ["*"], "limit": 50})),
        ("wc_stock", json!({"filter": "lowstock", "columns": ["cost_of_goods", "supplier"]})),
        ("wc_get_orders", json!({"columns": PERSONAL_ORDERS, "include_items": true, "limit": 50})),
        ("wc_get_orders", json!({"search": PLANTED})),
        ("wc_get_orders", json!({"status": "checkout-draft", "columns": ["*"]})),
        ("wp_media", json!({"columns": ["*"], "limit": 100})),
        ("wp_media", json!({"search": PLANTED})),
        ("wp_cron", json!({"columns": ["*"]})),
        ("wp_taxonomy", json!({"columns": ["*"], "limit": 200})),
        ("wp_menus", json!({})),
        ("wc_categories", json!({"columns": ["*"]})),
        ("wc_coupons", json!({"columns": ["*"]})),
        ("wc_reviews", json!({"columns": ["author_email", "author_ip", "preview"]})),
        (
            "wc_get_customer",
            json!({"orderby": "total_spent", "columns": ["name", "email", "city", "postcode"]}),
        ),
        ("wc_get_customer", json!({"search": PLANTED})),
        ("wc_shipping", json!({"include_settings": true})),
        ("wc_tax", json!({"columns": ["*"]})),
        ("read_log", json!({"lines": 200})),
        ("wc_report", json!({"period": "all", "group_by": "payment_method", "top_products": 20})),
        ("wp_option", json!({"aggregate": true})),
        ("wp_option", json!({"search": "_", "include_values": true, "limit": 200})),
        ("wp_option", json!({"search": "shop", "include_values": true, "limit": 200, "sort": "size"})),
        ("wp_option", json!({"search": "key", "include_values": true})),
        ("wp_option", json!({"search": "pass", "include_values": true})),
        ("wp_option", json!({"search": PLANTED, "include_values": true})),
    ];
    for tool in [
        "wp_query",
        "wp_users",
        "wp_comments",
        "wp_plugins",
        "wp_media",
        "wp_cron",
        "wp_taxonomy",
        "wp_menus",
        "wc_get_products",
        "wc_stock",
        "wc_get_orders",
        "wc_categories",
        "wc_coupons",
        "wc_reviews",
        "wc_get_customer",
        "wc_tax",
    ] {
        questions.push((tool, json!({"aggregate": true})));
        questions.push((tool, json!({"schema": true})));
        for column in [
            "user_pass",
            "session_tokens",
            "order_key",
            "transaction_id",
            "_stripe_source_id",
            "post_password",
        ] {
            questions.push((tool, json!({"columns": [column]})));
        }
    }
    for name in [
        "smtp_pass",
        "mailer_apikey",
        "MAILSERVER_PASS",
        "Maps_Api_Key",
        "shop_smtp",
        "shop_object",
        "shop_json",
        "shop_twice",
        "shop_nested",
        "shop_broken",
        "shop_dsn",
        "shop_update",
        "stripe_key",
        "sendgrid-key",
        "mailchimp_api",
        "acmeLicenseKey",
        "relay_signature",
        "acme_pwd",
        "gateway_live",
        "acme_pairs",
        "acme_tail",
        "acme_script",
        "acme_ini",
        "auth_key",
        "AUTH_SALT",
        "phpclaw_settings",
        "corner_user_roles",
        "SHOP_SMTP",
        "áuth_key",
        "auth_key ",
    ] {
        questions.push(("wp_option", json!({"option_name": name})));
        for path in [
            "password",
            "auth.Secret-Thing",
            "auth",
            "accessToken",
            "client_secret",
            "deep.0",
            "deep.0.apiKey",
            "inner",
            "inner.passphrase",
            "0",
            "0.value",
            "2.1",
            "value",
        ] {
            questions.push(("wp_option", json!({"option_name": name, "path": path})));
        }
    }
    questions
}

async fn check(door: &Door, tool: &str, arguments: Value) -> Option<String> {
    let answer = door.call(tool, arguments.clone()).await;
    // What the caller wrote may be quoted back to the caller.
    let text = answer.to_string().replace(arguments["search"].as_str().unwrap_or("\0"), "");
    text.contains(PLANTED).then(|| format!("{tool} {arguments}: {answer}"))
}

#[tokio::test]
async fn the_nearest_questions_get_no_secret() {
    for store in [Store::Own, Store::Posts] {
        let shop = Shop::new(store).await;
        let door = shop.door();
        let mut leaks = Vec::new();
        for (tool, arguments) in questions() {
            leaks.extend(check(&door, tool, arguments).await);
        }
        assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    }
}

#[tokio::test]
async fn what_only_looks_like_a_secret_is_shown() {
    let shop = Shop::new(Store::Own).await;
    let door = shop.door();
    for (name, value) in [
        ("blog_public", json!("1")),
        ("keyword_list", json!("Zx81kq90, tea")),
        ("monkey", json!("Zx81kq90")),
        ("nav_menu_options", json!({"auto_add": []})),
        ("passage", json!("Zx81kq90")),
        ("primary_key_column", json!("post_id2A")),
        ("tokenizer", json!("Zx81kq90")),
    ] {
        let answer = door.ask("wp_option", json!({"option_name": name})).await;
        assert_eq!(answer["data"]["options"][0]["value"], value, "{name}");
        let answer = door.ask("wp_option", json!({"search": name, "include_values": true})).await;
        assert_eq!(answer["data"]["options"][0]["value"], value, "{name}");
    }
    let sql = "SELECT meta_value FROM {prefix}postmeta WHERE meta_key = ?";
    for (key, value) in [("_focus_keyword", "tea"), ("_acmeClientSecret", "[masked]")] {
        let answer = door.ask("db_query", json!({"sql": sql, "bindings": [key]})).await;
        assert_eq!(answer["data"]["rows"], json!([{"meta_value": value}]), "{key}");
    }
}

#[tokio::test]
async fn neither_do_the_summary_the_checkup_and_failures() {
    let shop = Shop::new(Store::Own).await;
    let site = crate::door::attach(shop.root());
    let summary = site.summary().to_string();
    assert!(summary.contains("corner_") && !summary.contains(PLANTED), "{summary}");
    let checks = site.checkup().await;
    assert!(!checks.is_empty() && !format!("{checks:?}").contains(PLANTED), "{checks:?}");
    let config = crate::shop::CONFIG.replace("'sqlite'", "'mysql'").replace("'localhost'", "'127.0.0.1:1'");
    shop.write("wp-config.php", &config);
    shop.write("wp-content/db.php", "<?php // nothing\n");
    let error = shop.door().refused("wp_query", json!({})).await;
    assert_eq!(error["code"], "DATABASE_UNAVAILABLE");
    assert!(!error.to_string().contains(PLANTED), "{error}");
    assert!(!site.summary().to_string().contains(PLANTED));
}

#[tokio::test]
async fn the_secrets_of_the_configuration_are_handed_to_whoever_keeps_them() {
    let shop = Shop::new(Store::Own).await;
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = std::sync::Arc::clone(&seen);
    let options = siteclaw_site::AttachOptions {
        on_secrets: Some(std::sync::Arc::new(move |secrets| sink.lock().unwrap().extend(secrets))),
        ..Default::default()
    };
    let site = siteclaw_site::Site::attach(shop.root(), options).unwrap();
    site.summary();
    let masker = siteclaw_core::Masker::new([7; 32]);
    masker.learn(seen.lock().unwrap().drain(..));
    for secret in ["PLANTED-db-password", "PLANTED-config-auth-key", "PLANTED-config-salt"] {
        assert!(!masker.mask(&format!("it is {secret}!")).contains(secret), "{secret}");
    }
}

/// Any tool with any of its arguments, sensible or not.
fn call() -> impl Strategy<Value = (&'static str, Value)> {
    let tool = prop::sample::select(vec![
        "wp_query",
        "wp_users",
        "wp_comments",
        "wp_plugins",
        "wc_get_products",
        "wc_stock",
        "wc_get_orders",
        "wp_option",
    ]);
    let word = prop::sample::select(vec![
        "shop",
        "a",
        "key",
        "pass",
        "PLANTED",
        "any",
        "all",
        "password",
        "*",
        "%",
        "_",
        "auth_key",
        "shop_smtp",
        "date",
        "id",
        "content",
        "post_password",
        "session_tokens",
        "user_email",
        "customer_ip",
        "draft",
        "shop_order",
        "product",
    ]);
    let value = prop_oneof![
        word.clone().prop_map(Value::from),
        prop::collection::vec(word, 1..3).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        (0i64..60).prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "columns",
        "search",
        "status",
        "post_status",
        "post_type",
        "type",
        "kind",
        "option_name",
        "path",
        "include_values",
        "include_items",
        "limit",
        "offset",
        "orderby",
        "order",
        "filter",
        "role",
        "user_id",
        "order_id",
        "product_id",
        "aggregate",
        "schema",
        "autoload_only",
        "sort",
        "custom_status",
        "payment_method",
        "category",
        "missing",
    ]);
    (tool, prop::collection::btree_map(key, value, 0..4)).prop_map(|(tool, map)| (tool, json!(map)))
}

#[test]
fn no_combination_of_arguments_gets_one() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let shop = runtime.block_on(Shop::new(Store::Own));
    let door = shop.door();
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((tool, arguments) in call())| {
        let answer = runtime.block_on(door.call(tool, arguments.clone()));
        // Only what the caller wrote may come back.
        let asked = arguments.to_string().contains(PLANTED);
        let text = answer.to_string().replace(&format!("{PLANTED}'"), "").replace(&format!("\"{PLANTED}\""), "");
        prop_assert!(!text.contains("PLANTED-") && (asked || !text.contains(PLANTED)), "{tool} {arguments}: {answer}");
    });
}
