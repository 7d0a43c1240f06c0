//! What the provider without a model makes of messages.

use std::sync::Arc;

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::{Value, json};
use siteclaw_agent::{Agent, Offline};
use siteclaw_core::FixedClock;

use super::shop::{clock, executor, offline, registry, run};

/// The one call that a message leads to.
pub(crate) async fn call(agent: &Agent, message: &str) -> (String, Value) {
    let answer = agent.send(&run(), message).await.unwrap();
    assert!(answer.text.starts_with("No language model was used"), "{message}: {}", answer.text);
    // A tool that the router left out is called again once it is offered.
    match answer.tools_called.as_slice() {
        [only] => (only.name.clone(), only.input.clone()),
        [first, again] if first.name == again.name && !first.success => {
            (again.name.clone(), again.input.clone())
        }
        _ => ("nothing".to_owned(), Value::from(answer.text)),
    }
}

#[tokio::test]
async fn messages_lead_to_the_call_a_person_would_make() {
    let latest = |field: &str| json!({"orderby": field, "order": "DESC"});
    let with = |mut base: Value, more: Value| {
        base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        base
    };
    let table = [
        // Content.
        ("list posts", "wp_query", json!({"post_type": "post"})),
        (
            "Show me the latest 5 posts",
            "wp_query",
            with(latest("date"), json!({"post_type": "post", "posts_per_page": 5})),
        ),
        ("show drafts of pages", "wp_query", json!({"post_type": "page", "post_status": "draft"})),
        (
            "which posts were published last month?",
            "wp_query",
            json!({"post_type": "post", "post_status": "publish",
            "date_after": "2026-10-01", "date_before": "2026-10-31"}),
        ),
        (
            "how many draft posts are there",
            "wp_query",
            json!({"aggregate": true, "post_type": "post", "post_status": "draft"}),
        ),
        ("articles since 2026-10-01", "wp_query", json!({"post_type": "post", "date_after": "2026-10-01"})),
        (
            "posts between 1 October and 15 October",
            "wp_query",
            json!({"post_type": "post",
            "date_after": "2026-10-01", "date_before": "2026-10-15"}),
        ),
        (
            "search posts for \"summer sale\"",
            "wp_query",
            json!({"post_type": "post", "search": "summer sale"}),
        ),
        (
            "find pages containing privacy policy",
            "wp_query",
            json!({"post_type": "page", "search": "privacy policy"}),
        ),
        ("posts in the news category", "wp_query", json!({"post_type": "post", "category_name": "news"})),
        ("posts tagged winter", "wp_query", json!({"post_type": "post", "tag": "winter"})),
        (
            "published articles with more than 5 comments",
            "wp_query",
            json!({"post_type": "post", "post_status": "publish", "min_comment_count": 6}),
        ),
        ("featured posts, page 2", "wp_query", json!({"post_type": "post", "featured": true, "paged": 2})),
        (
            "published articles with the most comments",
            "wp_query",
            json!({"post_type": "post", "post_status": "publish", "orderby": "comment_count", "order": "DESC"}),
        ),
        ("list posts sorted by title", "wp_query", json!({"post_type": "post", "orderby": "title"})),
        ("oldest posts first", "wp_query", json!({"post_type": "post", "orderby": "date", "order": "ASC"})),
        // Orders.
        ("last 10 orders", "wc_get_orders", with(latest("date"), json!({"limit": 10}))),
        ("show order 123", "wc_get_orders", json!({"order_id": 123})),
        ("order #1,045", "wc_get_orders", json!({"order_id": 1045})),
        ("orders of customer 17", "wc_get_orders", json!({"customer_id": 17})),
        ("processing orders", "wc_get_orders", json!({"status": "processing"})),
        ("orders on hold", "wc_get_orders", json!({"status": "on-hold"})),
        (
            "canceled orders this week",
            "wc_get_orders",
            json!({"status": "cancelled",
            "date_after": "2026-11-30", "date_before": "2026-12-06"}),
        ),
        (
            "how many orders were completed in October?",
            "wc_get_orders",
            json!({"aggregate": true, "status": "completed",
            "date_field": "completed", "date_after": "2026-10-01", "date_before": "2026-10-31"}),
        ),
        ("list orders over 100", "wc_get_orders", json!({"min_total": 100})),
        (
            "orders from the last 30 days including items",
            "wc_get_orders",
            json!({"include_items": true,
            "date_after": "2026-11-01", "date_before": "2026-11-30"}),
        ),
        (
            "biggest orders of 2025",
            "wc_get_orders",
            json!({"orderby": "total", "order": "DESC",
            "date_after": "2025-01-01", "date_before": "2025-12-31"}),
        ),
        ("orders by anna@example.com", "wc_get_orders", json!({"search": "anna@example.com"})),
        // Products and stock.
        ("list products", "wc_get_products", json!({})),
        (
            "top 5 cheapest products",
            "wc_get_products",
            json!({"limit": 5, "orderby": "price", "order": "ASC"}),
        ),
        ("products on sale under 20", "wc_get_products", json!({"on_sale": true, "max_price": 20})),
        ("find product hoodie", "wc_get_products", json!({"search": "hoodie"})),
        ("best selling products", "wc_get_products", json!({"orderby": "total_sales", "order": "DESC"})),
        ("what is running low?", "wc_stock", json!({"filter": "lowstock"})),
        ("what stock is sold out", "wc_stock", json!({"filter": "outofstock"})),
        (
            "how many items are out of stock in the inventory",
            "wc_stock",
            json!({"aggregate": true, "filter": "outofstock"}),
        ),
        (
            "check stock including variations, lowest stock first",
            "wc_stock",
            json!({"include_variations": true,
            "orderby": "stock_qty", "order": "ASC"}),
        ),
        // Comments, users, plugins.
        ("pending comments", "wp_comments", json!({"status": "hold"})),
        ("comments awaiting moderation", "wp_comments", json!({"status": "hold"})),
        ("how many spam comments", "wp_comments", json!({"aggregate": true, "status": "spam"})),
        (
            "comments on post 12 from yesterday",
            "wp_comments",
            json!({"post_id": 12,
            "date_after": "2026-11-29", "date_before": "2026-11-29"}),
        ),
        ("list administrators", "wp_users", json!({"role": "administrator"})),
        ("how many users", "wp_users", json!({"aggregate": true})),
        ("newest 3 users", "wp_users", with(latest("registered"), json!({"limit": 3}))),
        ("find the user anna", "wp_users", json!({"search": "anna"})),
        ("list users who are shop managers", "wp_users", json!({"role": "shop_manager"})),
        ("user 5", "wp_users", json!({"user_id": 5})),
        ("which plugins are active?", "wp_plugins", json!({"status": "active"})),
        ("disabled plugins", "wp_plugins", json!({"status": "inactive"})),
        ("plugins named \"seo\"", "wp_plugins", json!({"search": "seo"})),
        // Settings, database, reports, log.
        ("what is the site url", "wp_option", json!({"option_name": "siteurl"})),
        ("read option blogname", "wp_option", json!({"option_name": "blogname"})),
        (
            "read the option 'woocommerce_currency'",
            "wp_option",
            json!({"option_name": "woocommerce_currency"}),
        ),
        ("show the setting admin_email", "wp_option", json!({"option_name": "admin_email"})),
        ("autoloaded options containing mail", "wp_option", json!({"autoload_only": true, "search": "mail"})),
        ("run sql SELECT count(*) FROM {posts}", "db_query", json!({"sql": "SELECT count(*) FROM {posts}"})),
        (
            "query the database: `select id from {users} limit 3`",
            "db_query",
            json!({"sql": "select id from {users} limit 3"}),
        ),
        ("list tables of the database", "db_query", json!({"schema": true})),
        ("sales report of this month", "wc_report", json!({"period": "this_month"})),
        ("show revenue of the last 30 days", "wc_report", json!({"period": "last_30_days"})),
        (
            "revenue between 2026-02-01 and 2026-02-28",
            "wc_report",
            json!({"date_from": "2026-02-01",
            "date_to": "2026-02-28", "period": "custom"}),
        ),
        (
            "revenue of last year",
            "wc_report",
            json!({"date_from": "2025-01-01", "date_to": "2025-12-31", "period": "custom"}),
        ),
        ("sales report with top 3", "wc_report", json!({"top_products": 3})),
        ("tail the log, 100 lines", "read_log", json!({"lines": 100})),
        ("fatal errors in the log", "read_log", json!({"level": "fatal"})),
        ("warnings in the debug log", "read_log", json!({"level": "warning"})),
        ("show customer 12", "wc_get_customer", json!({"customer_id": 12})),
        // The name of a tool goes before every score.
        ("what does wp_stock say, and wc_stock", "wc_stock", json!({})),
    ];
    let agent = offline();
    let mut wrong = Vec::new();
    for (message, tool, arguments) in table {
        let (name, input) = call(&agent, message).await;
        if (name.as_str(), &input) != (tool, &arguments) {
            wrong.push(format!("{message}\n   wanted {tool} {arguments}\n   got    {name} {input}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
}

#[tokio::test]
async fn slips_and_other_languages_are_read_and_slips_are_said() {
    let answer = offline().send(&run(), "odrers from yesteray").await.unwrap();
    assert_eq!(
        answer.tools_called[0].input,
        json!({"date_after": "2026-11-29", "date_before": "2026-11-29"})
    );
    let first = answer.text.lines().next().unwrap();
    assert_eq!(
        first,
        "No language model was used. “odrers” was read as “orders”, “yesteray” was read as “yesterday”."
    );
    let (tool, input) = call(&offline(), "stornierte Bestellungen letzte Woche").await;
    assert_eq!(tool, "wc_get_orders");
    assert_eq!(
        input,
        json!({"status": "cancelled", "date_after": "2026-11-23", "date_before": "2026-11-29"})
    );
}

#[tokio::test]
async fn days_begin_in_the_zone_and_weeks_where_the_site_says() {
    // 23:30 in UTC on Saturday 28 November is Sunday 00:30 in Berlin.
    let clock = Arc::new(FixedClock("2026-11-28T23:30:00Z".parse().unwrap()));
    let offline =
        Offline::new(clock).zone(TimeZone::get("Europe/Berlin").unwrap()).week_start(Weekday::Sunday);
    let agent = Agent::builder(executor(registry()), Arc::new(offline)).build();
    let (_, today) = call(&agent, "orders today").await;
    assert_eq!(today, json!({"date_after": "2026-11-29", "date_before": "2026-11-29"}));
    let (_, week) = call(&agent, "orders this week").await;
    assert_eq!(week, json!({"date_after": "2026-11-29", "date_before": "2026-12-05"}));
}

#[test]
fn the_provider_is_one_like_any_other() {
    use siteclaw_agent::Provider;
    let offline = Offline::new(clock());
    assert_eq!((offline.name(), offline.model()), ("offline", "none"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_message_gets_an_answer(
        message in prop_oneof![
            any::<String>(),
            prop::collection::vec(prop_oneof![
                prop::sample::select(vec![
                    "orders", "posts", "top", "5", "last", "30", "days", "since", "2026-10-01", "#", "#7", "id", "order",
                    "option", "SELECT", "with", "as", "from", "not", "more than", "under", "most", "by", "sort", "find",
                    "\"", "'", "`x`", "“y”", "search for", "category", "in", "the", "page", "how many", "9223372036854775808",
                    "0", "-1", "wc_stock", "_", "a_b", "e@x.org", "http://x", "./y", "user", "between", "and", "March",
                ]).prop_map(str::to_owned),
                any::<String>(),
            ], 0..14).prop_map(|words| words.join(" ")),
        ],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let answer = runtime.block_on(offline().send(&run(), &message));
        if message.trim().is_empty() {
            prop_assert!(answer.is_err());
        } else {
            prop_assert!(answer.unwrap().text.starts_with("No language model was used"));
        }
    }
}
