//! `wc_get_products` on the shop.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

async fn ids(shop: &Shop, arguments: Value) -> Vec<Value> {
    let mut arguments = arguments;
    arguments["columns"] = json!(["id"]);
    arguments["limit"] = json!(50);
    let answer = shop.door().ask("wc_get_products", arguments.clone()).await;
    let ids = column(&answer["data"]["products"], "id");
    assert_eq!(answer["meta"]["total"], json!(ids.len()), "{arguments}");
    ids
}

#[tokio::test]
async fn published_products_are_listed_the_newest_first() {
    let shop = Shop::new(Store::Own).await;
    let answer = shop.door().ask("wc_get_products", json!({})).await;
    let row = |id: i64, name: &str, sku: Value, status: &str, quantity: Value, price: Value| json!({"id": id, "name": name, "sku": sku, "stock_status": status, "stock_qty": quantity, "price": price});
    assert_eq!(
        answer["data"]["products"],
        json!([
            // It has no row in the lookup table yet.
            row(23, "Ghost", json!("GHOST"), "instock", Value::Null, json!("5.00")),
            row(21, "Cap", json!("CAP"), "instock", Value::Null, json!("8.00")),
            row(20, "Set", json!("SET"), "instock", Value::Null, json!("8.00")),
            row(18, "Vase", json!("VASE"), "outofstock", json!(0), json!("20.00")),
            row(17, "Rug", json!("RUG"), "onbackorder", json!(-1), json!("99.50")),
            row(16, "Lamp", json!("LAMP"), "instock", json!(2), json!("40.00")),
            // Free is not the same as without a price.
            row(15, "Sticker", json!("STICK"), "instock", Value::Null, json!("0.00")),
            row(14, "Poster", Value::Null, "instock", Value::Null, Value::Null),
            row(11, "T-Shirt", Value::Null, "instock", Value::Null, json!("15.00")),
            row(10, "Mug", json!("MUG"), "instock", json!(3), json!("10.00")),
        ])
    );
    assert_eq!(answer["meta"]["currency"], "EUR");
    assert_eq!(answer["meta"]["source"], "sqlite");
    assert_eq!((&answer["meta"]["total"], &answer["meta"]["next_offset"]), (&json!(10), &Value::Null));
}

#[tokio::test]
async fn each_filter_leaves_what_it_says() {
    let shop = Shop::new(Store::Own).await;
    for (arguments, wanted) in [
        (json!({"stock_status": "outofstock"}), json!([18])),
        (json!({"stock_status": "onbackorder"}), json!([17])),
        (json!({"stock_status": "instock"}), json!([23, 21, 20, 16, 15, 14, 11, 10])),
        (json!({"status": "draft"}), json!([19])),
        (json!({"status": "private"}), json!([])),
        (json!({"type": "variable"}), json!([11])),
        (json!({"type": "grouped"}), json!([20])),
        (json!({"type": "simple"}), json!([23, 21, 18, 17, 16, 15, 14, 10])),
        (json!({"category": "lighting"}), json!([16])),
        // A category holds what its sub-categories hold.
        (json!({"category": "home"}), json!([16])),
        (json!({"category": "nowhere"}), json!([])),
        (json!({"missing": "image"}), json!([14])),
        (json!({"missing": "sku"}), json!([14, 11])),
        (json!({"missing": "price"}), json!([14])),
        (json!({"min_price": 15, "max_price": 40}), json!([18, 16, 11])),
        (json!({"min_price": 17, "max_price": 18}), json!([11])),
        (json!({"max_price": 5}), json!([23, 15])),
        (json!({"search": "MUG"}), json!([10])),
        (json!({"search": "ts-red"}), json!([11])),
        (json!({"search": "ghost"}), json!([23])),
        (json!({"search": "4006381333931"}), json!([10])),
        (json!({"search": "16"}), json!([16])),
        (json!({"search": "%u"}), json!([])),
        (json!({"search": "s", "stock_status": "outofstock"}), json!([18])),
    ] {
        assert_eq!(json!(ids(&shop, arguments.clone()).await), wanted, "{arguments}");
    }
}

#[tokio::test]
async fn rows_without_the_value_come_last_in_either_direction() {
    let shop = Shop::new(Store::Own).await;
    for (by, order, wanted) in [
        ("price", "ASC", json!([15, 23, 20, 21, 10, 11, 18, 16, 17, 14])),
        ("price", "DESC", json!([17, 16, 18, 11, 10, 21, 20, 23, 15, 14])),
        ("stock_qty", "ASC", json!([17, 18, 16, 10, 11, 14, 15, 20, 21, 23])),
        ("stock_qty", "DESC", json!([10, 16, 18, 17, 23, 21, 20, 15, 14, 11])),
        ("name", "ASC", json!([21, 23, 16, 10, 14, 17, 20, 15, 11, 18])),
        ("title", "DESC", json!([18, 11, 15, 20, 17, 14, 10, 16, 23, 21])),
        ("date", "ASC", json!([10, 11, 14, 15, 16, 17, 18, 20, 21, 23])),
        ("total_sales", "DESC", json!([15, 10, 18, 11, 16, 17, 21, 20, 14, 23])),
        ("id", "DESC", json!([23, 21, 20, 18, 17, 16, 15, 14, 11, 10])),
    ] {
        assert_eq!(json!(ids(&shop, json!({"orderby": by, "order": order})).await), wanted, "{by} {order}");
    }
}

#[tokio::test]
async fn details_are_those_of_the_product_its_variations_and_its_group() {
    let shop = Shop::new(Store::Own).await;
    let columns = [
        "id",
        "type",
        "max_price",
        "regular_price",
        "sale_price",
        "on_sale",
        "manage_stock",
        "backorders",
        "catalog_visibility",
        "featured",
        "permalink",
        "average_rating",
        "total_sales",
        "variation_count",
        "total_variation_stock",
        "cost_of_goods",
        "supplier",
    ];
    let answer =
        shop.door().ask("wc_get_products", json!({"columns": columns, "orderby": "id", "limit": 50})).await;
    let rows = answer["data"]["products"].as_array().unwrap();
    let of = |id: i64| rows.iter().find(|row| row["id"] == id).unwrap();
    assert_eq!(
        *of(10),
        json!({
            "id": 10, "type": "simple", "max_price": "10.00", "regular_price": "10.00", "sale_price": null,
            "on_sale": false, "manage_stock": true, "backorders": "no", "catalog_visibility": "visible",
            "featured": false, "permalink": "https://shop.example/product/mug/", "average_rating": 4.5,
            "total_sales": 7, "variation_count": 0, "total_variation_stock": 0, "cost_of_goods": "3.20",
            "supplier": "Potter"
        })
    );
    let shirt = of(11);
    // Its lookup row never says so; one of its variations is on sale.
    assert_eq!(
        (&shirt["on_sale"], &shirt["type"], &shirt["max_price"]),
        (&json!(true), &json!("variable"), &json!("18.00"))
    );
    assert_eq!((&shirt["variation_count"], &shirt["total_variation_stock"]), (&json!(2), &json!(8)));
    // The flag still stands, but the sale ended in September; so it did for the group the cap is in.
    assert_eq!((&of(21)["on_sale"], &of(20)["on_sale"]), (&json!(false), &json!(false)));
    assert_eq!((&of(15)["featured"], &of(15)["catalog_visibility"]), (&json!(true), &json!("catalog")));
    assert_eq!(of(18)["catalog_visibility"], "hidden");
    assert_eq!(of(17)["backorders"], "notify");
    assert_eq!(warnings(&answer), ["SENSITIVE_DATA"]);
    assert_eq!(answer["meta"]["sensitive_fields_returned"], json!(["cost_of_goods", "supplier"]));
    let all = shop.door().ask("wc_get_products", json!({"columns": ["*"], "search": "mug"})).await;
    let row = all["data"]["products"][0].as_object().unwrap();
    for hidden in ["cost_of_goods", "supplier", "supplier_sku", "variation_count", "review_count"] {
        assert!(!row.contains_key(hidden), "{hidden}");
    }
}

#[tokio::test]
async fn a_sale_that_runs_shows_on_the_group() {
    let shop = Shop::new(Store::Own).await;
    // 2027.
    shop.run("UPDATE {p}postmeta SET meta_value = '1800000000' WHERE meta_key = '_sale_price_dates_to'")
        .await;
    let answer = shop.door().ask("wc_get_products", json!({"columns": ["id", "on_sale"], "limit": 50})).await;
    let sold: Vec<&Value> = answer["data"]["products"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["on_sale"] == json!(true))
        .map(|row| &row["id"])
        .collect();
    assert_eq!(sold, [21, 20, 11]);
}

#[tokio::test]
async fn products_are_counted_by_stock_status() {
    let shop = Shop::new(Store::Own).await;
    let answer = shop.door().ask("wc_get_products", json!({"aggregate": true})).await;
    assert_eq!(
        answer["data"],
        json!({"total_products": 10, "by_stock_status": {"instock": 8, "onbackorder": 1, "outofstock": 1}})
    );
    let some = shop.door().ask("wc_get_products", json!({"aggregate": true, "type": "variable"})).await;
    assert_eq!(some["data"]["total_products"], json!(1));
}
