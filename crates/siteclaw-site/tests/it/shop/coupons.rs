//! `wc_coupons` on the shop. The tests' clock stands at 1796040000.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    for (id, code, status, kind, amount, expires, used, limit) in [
        (800, "SUMMER", "publish", "percent", "12.5", "1796040001", "3", "0"),
        (801, "OLD", "publish", "fixed_cart", "5", "1796039999", "1", "10"),
        (802, "FULL", "publish", "fixed_product", "2.5", "", "7", "7"),
        (803, "BOTH", "publish", "percent", "10", "1700000000", "2", "2"),
        (804, "PLAIN", "publish", "fixed_cart", "1", "", "", ""),
        (805, "DRAFT", "draft", "percent", "1", "", "0", "0"),
    ] {
        shop.run(&format!(
            "INSERT INTO {{p}}posts VALUES ({id}, 1, '2026-06-01 10:00:00', '2026-06-01 08:00:00', '', '{code}', 'For {code} guests', '{status}', '', '', '2026-06-01 10:00:00', 0, 0, 'shop_coupon', 0);\
             INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) VALUES ({id}, 'discount_type', '{kind}'), ({id}, 'coupon_amount', '{amount}'), ({id}, 'date_expires', '{expires}'), ({id}, 'usage_count', '{used}'), ({id}, 'usage_limit', '{limit}'), \
              ({id}, 'free_shipping', 'yes'), ({id}, 'product_ids', '10, 11'), ({id}, 'product_categories', 'a:1:{{i:0;i:5;}}'), ({id}, 'minimum_amount', '20'), ({id}, 'customer_email', 'a:1:{{i:0;s:14:\"*@mail.example\";}}'), \
              ({id}, '_used_by', '2'), ({id}, '_used_by', 'guest@mail.example')"
        ))
        .await;
    }
    shop
}

#[tokio::test]
async fn coupons_are_told_apart_by_what_can_be_done_with_them() {
    let shop = shop().await;
    let door = shop.door();
    for (arguments, wanted) in [
        (json!({}), json!([804, 803, 802, 801, 800])),
        (json!({"status": "active"}), json!([804, 800])),
        (json!({"status": "expired"}), json!([803, 801])),
        (json!({"status": "exhausted"}), json!([803, 802])),
        (json!({"search": "summer"}), json!([800])),
        (json!({"search": "guests", "status": "active"}), json!([804, 800])),
    ] {
        let answer = door.ask("wc_coupons", arguments.clone()).await;
        assert_eq!(json!(column(&answer["data"]["coupons"], "id")), wanted, "{arguments}");
        assert_eq!(answer["meta"]["status_filter"], arguments.get("status").cloned().unwrap_or(json!("all")));
    }
    let counts = door.ask("wc_coupons", json!({"aggregate": true})).await;
    assert_eq!(
        counts["data"],
        json!({"total_coupons": 5, "active": 2, "expired": 2, "exhausted": 2, "scan_truncated": false})
    );
}

#[tokio::test]
async fn values_are_typed_and_personal_ones_named() {
    let shop = shop().await;
    let door = shop.door();
    let answer = door.ask("wc_coupons", json!({"search": "SUMMER"})).await;
    assert_eq!(
        answer["data"]["coupons"],
        json!([{"id": 800, "code": "summer", "discount_type": "percent", "amount": "12.5", "usage_count": 3, "usage_limit": null,
                "expiry_date": "2026-11-30 13:00:01", "expired": false}])
    );
    let columns = json!([
        "amount",
        "usage_limit",
        "exhausted",
        "expiry_date",
        "free_shipping",
        "individual_use",
        "minimum_amount",
        "maximum_amount",
        "product_ids",
        "product_categories",
        "excluded_product_ids",
        "description",
        "used_by",
        "email_restrictions"
    ]);
    let more = door.ask("wc_coupons", json!({"search": "FULL", "columns": columns})).await;
    assert_eq!(
        more["data"]["coupons"][0],
        json!({"amount": "2.50", "usage_limit": 7, "exhausted": true, "expiry_date": Value::Null, "free_shipping": true, "individual_use": false,
               "minimum_amount": "20.00", "maximum_amount": Value::Null, "product_ids": [10, 11], "product_categories": [5],
               "excluded_product_ids": [], "description": "For FULL guests", "used_by": ["2", "guest@mail.example"],
               "email_restrictions": ["*@mail.example"]})
    );
    assert_eq!(warnings(&more), ["SENSITIVE_DATA", "UNTRUSTED_CONTENT"]);
    let all = door.ask("wc_coupons", json!({"columns": ["*"]})).await;
    let row = all["data"]["coupons"][0].as_object().unwrap();
    assert!(!row.contains_key("used_by") && !row.contains_key("email_restrictions"));
}
