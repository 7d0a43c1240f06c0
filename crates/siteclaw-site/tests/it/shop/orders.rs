//! `wc_get_orders` on the shop, once in each of WooCommerce's two stores.

use serde_json::json;

use super::{Shop, Store};
use crate::door::{column, warnings};

const BOTH: [(Store, &str); 2] = [(Store::Own, "hpos"), (Store::Posts, "legacy_posts")];

#[tokio::test]
async fn orders_are_listed_the_newest_first_on_the_shops_clock() {
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        let answer = shop.door().ask("wc_get_orders", json!({})).await;
        let row = |id: i64, status: &str, total: &str, currency: &str, date: &str| json!({"id": id, "status": status, "total": total, "currency": currency, "date_created": date});
        assert_eq!(
            answer["data"]["orders"],
            json!([
                row(509, "packed", "5.00", "EUR", "2026-11-16 13:00:00"),
                row(505, "cancelled", "90.00", "EUR", "2026-11-12 13:00:00"),
                row(504, "on-hold", "30.00", "CHF", "2026-11-11 13:00:00"),
                row(503, "processing", "12.50", "EUR", "2026-11-10 13:00:00"),
                row(502, "completed", "40.00", "EUR", "2026-11-01 00:30:00"),
                row(501, "completed", "25.00", "EUR", "2026-10-31 23:30:00"),
            ]),
            "{name}"
        );
        assert_eq!(answer["meta"]["order_storage"], name);
        assert_eq!(answer["meta"]["timezone"], "Europe/Berlin");
        assert_eq!((&answer["meta"]["total"], &answer["meta"]["has_more"]), (&json!(6), &json!(false)));
        assert_eq!(warnings(&answer), Vec::<String>::new());
    }
}

#[tokio::test]
async fn each_filter_leaves_what_it_says() {
    let all = json!([509, 505, 504, 503, 502, 501]);
    let table = [
        (json!({"status": "all"}), all.clone()),
        (json!({"status": "completed"}), json!([502, 501])),
        (json!({"status": "on-hold"}), json!([504])),
        (json!({"status": "failed"}), json!([])),
        (json!({"status": "checkout-draft"}), json!([507])),
        (json!({"custom_status": "packed"}), json!([509])),
        (json!({"custom_status": "wc-packed"}), json!([509])),
        (json!({"customer_id": 2}), json!([504, 502, 501])),
        (json!({"order_id": 503}), json!([503])),
        // Neither in the bin nor a refund.
        (json!({"order_id": 506}), json!([])),
        (json!({"order_id": 601}), json!([])),
        (json!({"search": "#503"}), json!([503])),
        (json!({"search": "503"}), json!([503])),
        (json!({"search": "GUEST@mail"}), json!([505, 503])),
        (json!({"search": "Berg & Sons"}), json!([504, 502, 501])),
        (json!({"search": "Gina"}), json!([505, 503])),
        (json!({"search": "clark"}), json!([509])),
        (json!({"search": "PLANTED"}), json!([])),
        (json!({"product_id": 10}), json!([503, 501])),
        (json!({"product_id": 11}), json!([502])),
        (json!({"product_id": 12}), json!([502])),
        (json!({"product_id": 1}), json!([])),
        (json!({"country": "AT"}), json!([505, 503])),
        (json!({"payment_method": "stripe"}), json!([509, 505, 503, 501])),
        (json!({"payment_method": "Bank transfer"}), json!([504, 502])),
        (json!({"min_total": 30}), json!([505, 504, 502])),
        (json!({"min_total": 12.5, "max_total": 30}), json!([504, 503, 501])),
        (json!({"date_before": "2026-10"}), json!([501])),
        (json!({"date_before": "2026-10-31"}), json!([501])),
        (json!({"date_after": "2026-11"}), json!([509, 505, 504, 503, 502])),
        (json!({"date_after": "2026-11-10T13:00:00", "date_before": "2026-11-10T13:00:00"}), json!([503])),
        (json!({"date_field": "paid", "date_after": "2026-11"}), json!([509, 503, 502])),
        (json!({"date_field": "paid", "date_before": "2026-11-02"}), json!([502, 501])),
        (json!({"date_field": "completed", "date_after": "2026-11-02"}), json!([502])),
        (json!({"orderby": "total"}), json!([509, 503, 501, 504, 502, 505])),
        (json!({"orderby": "total", "order": "DESC"}), json!([505, 502, 504, 501, 503, 509])),
        (json!({"orderby": "date_created"}), json!([501, 502, 503, 504, 505, 509])),
        (json!({"orderby": "date_paid"}), json!([501, 502, 503, 509, 504, 505])),
        (json!({"orderby": "date_paid", "order": "DESC"}), json!([509, 503, 502, 501, 505, 504])),
        (json!({"orderby": "id", "order": "DESC"}), all),
        (json!({"orderby": "status"}), json!([505, 501, 502, 504, 509, 503])),
        (json!({"limit": 2, "offset": 1}), json!([505, 504])),
    ];
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        let door = shop.door();
        for (arguments, wanted) in &table {
            let mut asked = arguments.clone();
            asked["columns"] = json!(["id"]);
            let answer = door.ask("wc_get_orders", asked).await;
            assert_eq!(json!(column(&answer["data"]["orders"], "id")), *wanted, "{name} {arguments}");
        }
    }
}

#[tokio::test]
async fn everything_that_is_known_of_an_order_is_the_same_in_either_store() {
    let columns = json!([
        "id",
        "status",
        "total",
        "currency",
        "date_created",
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
        "billing_country",
        "shipping_city",
        "shipping_country",
        "customer_ip"
    ]);
    let arguments = json!({"columns": columns, "include_items": true});
    let mut answers = Vec::new();
    for (store, _) in BOTH {
        let shop = Shop::new(store).await;
        answers.push(shop.door().ask("wc_get_orders", arguments.clone()).await);
    }
    assert_eq!(answers[0]["data"], answers[1]["data"]);
    let rows = &answers[0]["data"]["orders"];
    assert_eq!(
        rows[5],
        json!({
            "id": 501, "status": "completed", "total": "25.00", "currency": "EUR",
            "date_created": "2026-10-31 23:30:00", "date_paid": "2026-10-31 23:31:00",
            "date_completed": "2026-10-31 23:31:00", "payment_method": "stripe", "payment_method_title": "Card",
            "customer_id": 2, "refunded": "10.00", "item_count": 3, "billing_email": "bert@mail.example",
            "billing_phone": "+49 431 1", "billing_city": "Kiel", "billing_country": "DE", "shipping_city": "Kiel",
            "shipping_country": "DE", "customer_ip": "203.0.113.5",
            "items": [
                {"name": "Mug", "sku": "MUG", "quantity": 2, "total_ex_tax": "20.00", "product_id": 10,
                 "variation_id": null},
                {"name": "Sticker & more", "sku": "STICK", "quantity": 1, "total_ex_tax": "0.00", "product_id": 15,
                 "variation_id": null},
            ]
        })
    );
    let paid = column(rows, "date_paid");
    assert_eq!(paid[..3], [json!("2026-11-16 13:05:00"), json!(""), json!("")]);
    assert_eq!(column(rows, "item_count"), [json!(0), json!(9), json!(0), json!(1.5), json!(2), json!(3)]);
    assert_eq!(column(rows, "customer_id"), [json!(3), json!(0), json!(2), json!(0), json!(2), json!(2)]);
    assert_eq!(rows[4]["items"][0]["sku"], "TS-RED");
    assert_eq!(rows[4]["items"][0]["variation_id"], json!(12));
    assert_eq!(warnings(&answers[0]), ["SENSITIVE_DATA", "UNTRUSTED_CONTENT"]);
    assert_eq!(answers[0]["meta"]["sensitive_fields_returned"].as_array().unwrap().len(), 7);
}

#[tokio::test]
async fn sums_never_cross_a_currency() {
    for (store, name) in BOTH {
        let shop = Shop::new(store).await;
        let answer = shop.door().ask("wc_get_orders", json!({"aggregate": true})).await;
        assert_eq!(
            answer["data"],
            json!({
                "total_orders": 6,
                "by_status": {
                    "cancelled": 1, "checkout-draft": 1, "completed": 2, "failed": 0, "on-hold": 1, "packed": 1,
                    "pending": 0, "processing": 1, "refunded": 0
                },
                "totals": [
                    {"currency": "CHF", "orders": 1, "sum": "30.00", "average": "30.00"},
                    {"currency": "EUR", "orders": 5, "sum": "172.50", "average": "34.50"},
                ]
            }),
            "{name}"
        );
        let arguments = json!({"aggregate": true, "status": "completed", "date_after": "2026-10-31"});
        let completed = shop.door().ask("wc_get_orders", arguments).await;
        assert_eq!(
            (&completed["data"]["total_orders"], &completed["data"]["totals"]),
            (&json!(2), &json!([{"currency": "EUR", "orders": 2, "sum": "65.00", "average": "32.50"}]))
        );
    }
}

#[tokio::test]
async fn star_brings_no_personal_data() {
    let shop = Shop::new(Store::Own).await;
    let answer = shop.door().ask("wc_get_orders", json!({"columns": ["*"]})).await;
    let row = answer["data"]["orders"][0].as_object().unwrap();
    assert!(row.keys().all(|key| !key.starts_with("billing") && !key.starts_with("shipping")), "{row:?}");
    assert!(!row.contains_key("customer_ip") && !row.contains_key("item_count"), "{row:?}");
    assert_eq!(warnings(&answer), Vec::<String>::new());
}

#[tokio::test]
async fn copies_left_in_the_other_store_are_not_counted() {
    let shop = Shop::new(Store::Own).await;
    let copy = super::sales::statements(Store::Posts);
    // What a switch from the older store leaves behind, under other numbers.
    let posts =
        copy.split(';').filter(|sql| sql.contains("INSERT INTO {p}posts") && sql.contains("shop_order'"));
    let stale: String = posts
        .map(|sql| format!("{};", sql.trim_start_matches("\n").replace("VALUES (5", "VALUES (75")))
        .collect();
    shop.run(&stale).await;
    let answer = shop.door().ask("wc_get_orders", json!({"limit": 50})).await;
    assert_eq!(answer["meta"]["total"], json!(6));
}
