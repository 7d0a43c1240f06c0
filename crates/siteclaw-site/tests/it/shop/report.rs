//! `wc_report` on the shop, once in each of WooCommerce's two stores.
//!
//! In November: 502 (40.00, of it 6.38 tax and 3.62 delivery) and 503 (12.50) were paid, 10.00 of October's 501
//! were given back, 509 (5.00) is packed, which is no status of a paid order, 504 is in francs and on hold.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

const BOTH: [(Store, &str); 2] = [(Store::Own, "hpos"), (Store::Posts, "legacy_posts")];

#[tokio::test]
async fn a_month_is_counted_as_a_shop_keeper_counts() {
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        let answer = shop.door().ask("wc_report", json!({})).await;
        assert_eq!(
            answer["data"],
            json!({
                "total_revenue": "42.50", "order_count": 2, "avg_order_value": "26.25",
                "top_products": [
                    {"product_id": 11, "name": "T-Shirt", "quantity_sold": 2, "net_revenue": {"EUR": "30.00"}},
                    // One and a half were sold and one of October's was given back.
                    {"product_id": 10, "name": "Mug", "quantity_sold": 0.5, "net_revenue": {"EUR": "2.50"}},
                ],
                "unique_products": 2,
                "totals": [{
                    "currency": "EUR", "orders": 2, "charged": "52.50", "refunds": 1, "refunded": "10.00",
                    "total_sales": "42.50", "taxes": "6.38", "shipping": "3.62", "net_sales": "32.50",
                    "discounts": "2.50", "gross_sales": "45.00", "average_order": "26.25"
                }]
            }),
            "{name}"
        );
        let meta = &answer["meta"];
        assert_eq!(meta["order_storage"], name);
        assert_eq!(
            (&meta["period"], &meta["date_from"], &meta["date_to"], &meta["range_days"]),
            (&json!("this_month"), &json!("2026-11-01"), &json!("2026-11-30"), &json!(30))
        );
        assert_eq!((&meta["timezone"], &meta["currency"]), (&json!("Europe/Berlin"), &json!("EUR")));
        assert_eq!(meta["counted_statuses"], json!(["wc-completed", "wc-processing"]));
        assert_eq!(meta["orders_not_counted"], json!({"cancelled": 1, "on-hold": 1, "packed": 1}));
        assert_eq!(
            meta["admin_url"][1],
            "https://shop.example/wp-admin/admin.php?page=wc-admin&path=%2Fanalytics%2Forders&period=custom\
             &compare=previous_year&after=2026-11-01&before=2026-11-30&filter=advanced&status_is=processing"
        );
        assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    }
}

fn totals(answer: &Value) -> Value {
    let rows = answer["data"]["totals"].as_array().unwrap().iter();
    rows.map(|row| {
        json!([
            row["currency"],
            row["orders"],
            row["charged"],
            row["refunded"],
            row["total_sales"],
            row["net_sales"]
        ])
    })
    .collect()
}

#[tokio::test]
async fn each_period_and_basis_holds_what_it_says() {
    let none = json!([["EUR", 0, "0.00", "0.00", "0.00", "0.00"]]);
    let november = json!([["EUR", 2, "52.50", "10.00", "42.50", "32.50"]]);
    let both = json!([["EUR", 3, "77.50", "10.00", "67.50", "52.50"]]);
    let table = [
        (json!({"period": "today"}), none.clone()),
        (json!({"period": "last_month"}), json!([["EUR", 1, "25.00", "0.00", "25.00", "20.00"]])),
        (json!({"period": "last_30_days"}), november.clone()),
        (json!({"period": "this_quarter"}), both.clone()),
        (json!({"period": "this_year"}), both.clone()),
        (json!({"period": "last_year"}), none.clone()),
        (json!({"period": "all"}), both),
        // 502 was placed half an hour after midnight.
        (
            json!({"date_from": "2026-10-31", "date_to": "2026-10-31"}),
            json!([["EUR", 1, "25.00", "0.00", "25.00", "20.00"]]),
        ),
        (
            json!({"date_from": "2026-11-03", "date_to": "2026-11-01"}),
            json!([["EUR", 1, "40.00", "10.00", "30.00", "20.00"]]),
        ),
        (
            json!({"statuses": ["wc-packed", "on-hold"]}),
            json!([
                ["EUR", 1, "5.00", "0.00", "5.00", "5.00"],
                ["CHF", 1, "30.00", "0.00", "30.00", "30.00"]
            ]),
        ),
        // Analytics counts packed ones, and by the day of payment: 504 was never paid.
        (json!({"basis": "analytics"}), json!([["EUR", 3, "57.50", "10.00", "47.50", "37.50"]])),
        (
            json!({"basis": "analytics", "date_from": "2026-11-02", "date_to": "2026-11-02"}),
            json!([["EUR", 1, "40.00", "0.00", "40.00", "30.00"]]),
        ),
    ];
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        let door = shop.door();
        for (arguments, wanted) in &table {
            let answer = door.ask("wc_report", arguments.clone()).await;
            assert_eq!(totals(&answer), *wanted, "{name} {arguments}");
        }
        shop.run("INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('woocommerce_date_type', 'date_created', 'on'), \
                  ('woocommerce_excluded_report_order_statuses', 'a:1:{i:0;s:6:\"packed\";}', 'on')").await;
        let set = door.ask("wc_report", json!({"basis": "analytics"})).await;
        assert_eq!(
            totals(&set),
            json!([
                ["EUR", 3, "142.50", "10.00", "132.50", "122.50"],
                ["CHF", 1, "30.00", "0.00", "30.00", "30.00"]
            ])
        );
        assert_eq!(set["data"]["order_count"], 4);
        assert_eq!(set["data"]["avg_order_value"], "44.17", "(142.50 - 6.38 - 3.62) / 3");
        assert_eq!(set["meta"]["date_field"], "date_created");
        assert_eq!(set["meta"]["excluded_statuses"], json!(["wc-packed"]));
        assert_eq!(warnings(&set), ["SEVERAL_CURRENCIES", "UNTRUSTED_CONTENT"]);
    }
}

#[tokio::test]
async fn groups_add_up_to_the_whole() {
    let rows = |answer: &Value| -> Value {
        let rows = answer["data"]["groups"].as_array().unwrap().iter();
        rows.filter(|row| row["orders"] != 0 || row["refunds"] != 0)
            .map(|row| json!([row["key"], row["currency"], row["orders"], row["total_sales"]]))
            .collect()
    };
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        let door = shop.door();
        for (by, wanted) in [
            (
                "day",
                json!([
                    ["2026-11-01", "EUR", 1, "40.00"],
                    ["2026-11-03", "EUR", 0, "-10.00"],
                    ["2026-11-10", "EUR", 1, "12.50"]
                ]),
            ),
            (
                "week",
                json!([
                    ["2026-10-26", "EUR", 1, "40.00"],
                    ["2026-11-02", "EUR", 0, "-10.00"],
                    ["2026-11-09", "EUR", 1, "12.50"]
                ]),
            ),
            ("month", json!([["2026-11", "EUR", 2, "42.50"]])),
            ("country", json!([["DE", "EUR", 1, "30.00"], ["AT", "EUR", 1, "12.50"]])),
            ("payment_method", json!([["bacs", "EUR", 1, "40.00"], ["stripe", "EUR", 1, "2.50"]])),
            (
                "customer_type",
                json!([
                    ["returning", "EUR", 1, "40.00"],
                    ["unknown", "EUR", 1, "12.50"],
                    ["new", "EUR", 0, "-10.00"]
                ]),
            ),
            (
                "status",
                json!([
                    ["cancelled", "EUR", 1, "90.00"],
                    ["completed", "EUR", 1, "30.00"],
                    ["on-hold", "CHF", 1, "30.00"],
                    ["processing", "EUR", 1, "12.50"],
                    ["packed", "EUR", 1, "5.00"]
                ]),
            ),
        ] {
            let answer = door.ask("wc_report", json!({"group_by": by})).await;
            assert_eq!(rows(&answer), wanted, "{name} {by}");
            assert_eq!(answer["data"]["total_revenue"], "42.50", "{name} {by}");
        }
        let days = door.ask("wc_report", json!({"group_by": "day"})).await;
        assert_eq!(days["data"]["groups"].as_array().unwrap().len(), 30, "days without a sale are there too");
        let methods = door.ask("wc_report", json!({"group_by": "payment_method"})).await;
        assert_eq!(column(&methods["data"]["groups"], "label"), ["Bank transfer", "Card"]);
        let status = door.ask("wc_report", json!({"group_by": "status"})).await;
        assert_eq!(column(&status["data"]["groups"], "counted"), [false, true, false, true, false]);
    }
}

#[tokio::test]
async fn goods_are_split_by_category_and_orders_by_coupon() {
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        shop.run("INSERT INTO {p}term_relationships VALUES (10, 14), (10, 15)").await;
        let door = shop.door();
        let answer = door.ask("wc_report", json!({"group_by": "category"})).await;
        assert_eq!(
            answer["data"]["groups"],
            json!([
                {"id": null, "key": "", "orders": 1, "quantity": 2, "amounts": {"EUR": "30.00"}},
                {"id": 4, "key": "Home", "orders": 1, "quantity": 0.5, "amounts": {"EUR": "2.50"}},
                {"id": 5, "key": "Lighting", "orders": 1, "quantity": 0.5, "amounts": {"EUR": "2.50"}},
            ]),
            "{name}"
        );
        let answer = door.ask("wc_report", json!({"group_by": "coupon"})).await;
        assert_eq!(
            answer["data"]["groups"],
            json!([{"id": null, "key": "summer", "orders": 1, "quantity": null, "amounts": {"EUR": "2.50"}}]),
            "{name}"
        );
    }
}

#[tokio::test]
async fn the_clock_is_the_shops_on_both_sides_of_a_change() {
    let shop = Shop::new(Store::Own).await;
    // Summer time ends in the night to the 25th of October: two hours ahead before, one after.
    for (id, gmt) in [
        (520, "2026-10-24 21:59:59"),
        (521, "2026-10-24 22:00:00"),
        (522, "2026-10-25 22:59:59"),
        (523, "2026-10-25 23:00:00"),
    ] {
        shop.run(&format!("INSERT INTO {{p}}wc_orders VALUES ({id}, 'wc-completed', 'EUR', 'shop_order', 1, 0, '', '{gmt}', 0, '', '', '', '', 0)")).await;
    }
    let arguments = json!({"date_from": "2026-10-24", "date_to": "2026-10-26", "group_by": "day"});
    let answer = shop.door().ask("wc_report", arguments).await;
    assert_eq!(column(&answer["data"]["groups"], "orders"), [1, 2, 1]);
    let night =
        shop.door().ask("wc_report", json!({"date_from": "2026-10-25", "date_to": "2026-10-25"})).await;
    assert_eq!(night["data"]["order_count"], 2);
}

#[tokio::test]
async fn other_days_stand_beside() {
    let shop = Shop::new(Store::Own).await;
    let door = shop.door();
    let arguments = json!({"date_from": "2026-11-01", "date_to": "2026-11-30", "compare": "previous_period"});
    let answer = door.ask("wc_report", arguments).await;
    let other = &answer["data"]["comparison"];
    // As many days right before.
    assert_eq!((&other["date_from"], &other["date_to"]), (&json!("2026-10-02"), &json!("2026-10-31")));
    assert_eq!(other["totals"][0]["total_sales"], "25.00");
    assert_eq!(other["revenue_change_percent"], "70.0");
    assert_eq!(other["orders_change_percent"], "100.0");
    let year = door.ask("wc_report", json!({"compare": "previous_year"})).await;
    let other = &year["data"]["comparison"];
    assert_eq!((&other["date_from"], &other["date_to"]), (&json!("2025-11-01"), &json!("2025-11-30")));
    assert_eq!(other["revenue_change_percent"], Value::Null);
}

#[tokio::test]
async fn a_refund_of_a_whole_order_takes_its_tax_and_delivery_back() {
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        shop.run(match store {
            Store::Own => "INSERT INTO {p}wc_orders VALUES (530, 'wc-refunded', 'EUR', 'shop_order', 59.5, 0, '', '2026-07-01 10:00:00', 0, '', '', '', '', 7.6), \
                (630, 'wc-completed', 'EUR', 'shop_order_refund', -59.5, NULL, NULL, '2026-07-02 10:00:00', 530, NULL, NULL, NULL, NULL, 0);\
                INSERT INTO {p}wc_order_operational_data VALUES (530, 530, '', '2026-07-01 10:00:00', NULL, 1.9, 10, 0), (630, 630, '', NULL, NULL, 0, 0, 0)",
            Store::Posts => "INSERT INTO {p}posts VALUES (530, 1, '2026-07-01 12:00:00', '2026-07-01 10:00:00', '', '', '', 'wc-refunded', '', '', '2026-07-01 12:00:00', 0, 0, 'shop_order', 0), \
                (630, 1, '2026-07-02 12:00:00', '2026-07-02 10:00:00', '', '', '', 'wc-completed', '', '', '2026-07-02 12:00:00', 530, 0, 'shop_order_refund', 0);\
                INSERT INTO {p}postmeta (post_id, meta_key, meta_value) VALUES (530, '_order_total', '59.5'), (530, '_order_tax', '7.6'), (530, '_order_shipping_tax', '1.9'), \
                (530, '_order_shipping', '10'), (530, '_order_currency', 'EUR'), (530, '_date_paid', '1782900000'), (630, '_refund_amount', '59.5'), (630, '_order_total', '-59.5')",
        })
        .await;
        let door = shop.door();
        let july = |basis: &str| json!({"date_from": "2026-07-01", "date_to": "2026-07-31", "basis": basis});
        let answer = door.ask("wc_report", july("analytics")).await;
        let figures = &answer["data"]["totals"][0];
        assert_eq!((&figures["charged"], &figures["refunded"]), (&json!("59.50"), &json!("59.50")), "{name}");
        for empty in ["total_sales", "taxes", "shipping", "net_sales"] {
            assert_eq!(figures[empty], "0.00", "{name} {empty}");
        }
        let paid = door.ask("wc_report", july("paid_statuses")).await;
        assert_eq!(
            (&paid["data"]["order_count"], &paid["data"]["total_revenue"]),
            (&json!(0), &json!("0.00")),
            "{name}"
        );
        // A report of refunds alone is a sum below zero, and no fault.
        let day = door
            .ask(
                "wc_report",
                json!({"date_from": "2026-07-02", "date_to": "2026-07-02", "basis": "analytics"}),
            )
            .await;
        assert_eq!(day["data"]["total_revenue"], "-59.50", "{name}");
        assert_eq!(day["data"]["totals"][0]["net_sales"], "-40.00", "{name}");
    }
}

#[tokio::test]
async fn long_periods_are_cut_and_missing_tables_named() {
    let shop = Shop::new(Store::Own).await;
    let door = shop.door();
    let answer = door.ask("wc_report", json!({"date_from": "2020-01-01", "date_to": "2026-11-30"})).await;
    assert_eq!(
        (&answer["meta"]["date_from"], &answer["meta"]["range_days"], &answer["meta"]["range_clamped"]),
        (&json!("2025-11-30"), &json!(366), &json!(true))
    );
    assert!(warnings(&answer).contains(&"RANGE_CLAMPED".to_owned()));
    let schema = door.ask("wc_report", json!({"schema": true})).await;
    assert_eq!(schema["meta"]["database_query_performed"], false);
    shop.run("DROP TABLE {p}wc_order_stats").await;
    let error = shop.door().refused("wc_report", json!({"group_by": "customer_type"})).await;
    assert_eq!(error["code"], "ANALYTICS_UNAVAILABLE");
    assert!(error["message"].as_str().unwrap().contains("corner_wc_order_stats"), "{error}");
    for (arguments, code) in [
        (json!({"period": "fortnight"}), "INVALID_PERIOD"),
        (json!({"period": "custom"}), "INVALID_DATE"),
        (json!({"date_from": "soon"}), "INVALID_DATE"),
        (json!({"statuses": ["not a status"]}), "INVALID_STATUS"),
        (json!({"colour": "red"}), "UNKNOWN_ARGUMENT"),
    ] {
        assert_eq!(door.refused("wc_report", arguments.clone()).await["code"], code, "{arguments}");
    }
}

/// Twenty thousand orders of 2025 that Analytics knows and one that it does not know yet.
fn crowd(store: Store) -> String {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)";
    let day = "'2025-' || SUBSTR('0' || (1 + i % 12), -2) || '-15 10:00:00'";
    let orders = match store {
        Store::Own => format!(
            "{numbers} INSERT INTO {{p}}wc_orders SELECT 10000 + i, 'wc-completed', 'EUR', 'shop_order', 2, 0, '', {day}, 0, '', '', '', '', 0.5 FROM n;"
        ),
        Store::Posts => format!(
            "{numbers} INSERT INTO {{p}}posts SELECT 10000 + i, 1, {day}, {day}, '', '', '', 'wc-completed', '', '', {day}, 0, 0, 'shop_order', 0 FROM n;\
             {numbers} INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) SELECT 10000 + i, '_order_total', '2' FROM n;\
             {numbers} INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) SELECT 10000 + i, '_order_tax', '0.5' FROM n;\
             {numbers} INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) SELECT 10000 + i, '_order_currency', 'EUR' FROM n;\
             {numbers} INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) SELECT 10000 + i, '_billing_country', 'NL' FROM n;\
             CREATE INDEX order_meta ON {{p}}postmeta (post_id); CREATE INDEX key_meta ON {{p}}postmeta (meta_key);"
        ),
    };
    orders
        + &format!(
            "{numbers} INSERT INTO {{p}}wc_order_stats SELECT 10000 + i, 0, {day}, NULL, 2, 0.5, 0 FROM n WHERE i < 20001;\
             {numbers} INSERT INTO {{p}}wc_order_product_lookup SELECT 10000 + i, 10000 + i, 10, 1, 1.5 FROM n WHERE i < 20001;\
             INSERT INTO {{p}}wc_order_coupon_lookup VALUES (1, 10001, 0.25);\
             INSERT INTO {{p}}woocommerce_order_items VALUES (40001, 'Mug', 'line_item', 30001);\
             INSERT INTO {{p}}woocommerce_order_itemmeta (order_item_id, meta_key, meta_value) VALUES (40001, '_qty', '3'), (40001, '_line_total', '1.5'), (40001, '_product_id', '10');"
        )
}

#[tokio::test]
async fn very_many_orders_are_taken_from_analytics_as_far_as_it_knows_them() {
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        shop.run(&crowd(store)).await;
        let door = shop.door();
        let answer = door.ask("wc_report", json!({"period": "last_year", "group_by": "month"})).await;
        assert_eq!(answer["meta"]["amounts_from"], "orders and wc_order_stats", "{name}");
        assert_eq!(
            totals(&answer),
            json!([["EUR", 20001, "40002.00", "0.00", "40002.00", "30001.50"]]),
            "{name}"
        );
        assert_eq!(
            answer["data"]["top_products"],
            json!([{"product_id": 10, "name": "Mug", "quantity_sold": 20003, "net_revenue": {"EUR": "30001.50"}}]),
            "{name}"
        );
        // 20,001 is 12 times 1,666 and 9: months 2 to 10 have one more.
        let orders = column(&answer["data"]["groups"], "orders");
        assert_eq!(
            (&orders[0], &orders[1], &orders[10]),
            (&json!(1666), &json!(1667), &json!(1666)),
            "{name}"
        );
        if store == Store::Posts {
            assert_eq!(answer["data"]["totals"][0]["discounts"], "0.25");
            let split = door.ask("wc_report", json!({"period": "last_year", "group_by": "country"})).await;
            assert_eq!(column(&split["data"]["groups"], "key"), ["NL"]);
            let paid = json!({"period": "last_year", "basis": "analytics", "group_by": "month"});
            let paid = door.ask("wc_report", paid).await;
            // The one that Analytics does not know has no day of payment.
            assert_eq!(paid["data"]["order_count"], 20000);
            assert_eq!(paid["data"]["groups"][11]["orders"], 1666);
        }
        let november = door.ask("wc_report", json!({})).await;
        assert_eq!(november["meta"]["amounts_from"], "orders", "{name}");
        assert_eq!(november["data"]["total_revenue"], "42.50", "{name}");
    }
}
