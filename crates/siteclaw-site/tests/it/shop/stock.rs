//! `wc_stock` on the shop.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::column;

async fn ids(shop: &Shop, mut arguments: Value) -> Vec<Value> {
    arguments["columns"] = json!(["id"]);
    let answer = shop.door().ask("wc_stock", arguments).await;
    column(&answer["data"]["products"], "id")
}

#[tokio::test]
async fn products_and_variations_with_stock_of_their_own_are_listed_by_name() {
    let shop = Shop::new(Store::Own).await;
    let answer = shop.door().ask("wc_stock", json!({})).await;
    let rows = &answer["data"]["products"];
    assert_eq!(
        column(rows, "name"),
        [
            "Cap",
            "Ghost",
            "Lamp",
            "Mug",
            "Poster",
            "Rug",
            "Set",
            "Sticker",
            "T-Shirt",
            "T-Shirt - Blue",
            "T-Shirt - Red",
            "Vase"
        ]
    );
    assert_eq!(
        rows[10],
        json!({"id": 12, "name": "T-Shirt - Red", "sku": "TS-RED", "stock_status": "instock", "stock_qty": 4,
               "manage_stock": true, "low_stock": true})
    );
    assert_eq!((&rows[4]["sku"], &rows[8]["sku"]), (&json!("n/a"), &json!("n/a")));
    assert_eq!(answer["meta"]["total"], json!(12));
    assert_eq!(
        (&answer["meta"]["filter"], &answer["meta"]["low_stock_threshold"]),
        (&json!("all"), &json!(2.0))
    );
}

#[tokio::test]
async fn low_is_measured_by_the_nearest_threshold() {
    let shop = Shop::new(Store::Own).await;
    let arguments = json!({"filter": "lowstock", "columns": ["id", "stock_qty", "threshold", "low_stock"]});
    let answer = shop.door().ask("wc_stock", arguments).await;
    assert_eq!(
        answer["data"]["products"],
        json!([
            {"id": 16, "stock_qty": 2, "threshold": 2, "low_stock": true},
            {"id": 12, "stock_qty": 4, "threshold": 5, "low_stock": true},
        ])
    );
    let parents = json!({"filter": "lowstock", "include_variations": false});
    assert_eq!(ids(&shop, parents).await, [16]);
    // The blue one takes its product's threshold now.
    shop.run("INSERT INTO {p}postmeta (post_id, meta_key, meta_value) VALUES (11, '_low_stock_amount', '4')")
        .await;
    assert_eq!(ids(&shop, json!({"filter": "lowstock"})).await, [16, 12, 13]);
    assert_eq!(ids(&shop, json!({"filter": "lowstock", "order": "DESC"})).await, [13, 12, 16]);
    // Two of something count as none, three as few.
    shop.run(
        "UPDATE {p}options SET option_value = '2' WHERE option_name = 'woocommerce_notify_no_stock_amount'",
    )
    .await;
    shop.run(
        "UPDATE {p}options SET option_value = '3' WHERE option_name = 'woocommerce_notify_low_stock_amount'",
    )
    .await;
    assert_eq!(ids(&shop, json!({"filter": "lowstock", "orderby": "id"})).await, [10, 12, 13]);
}

#[tokio::test]
async fn what_is_gone_is_told_from_what_can_be_ordered_all_the_same() {
    let shop = Shop::new(Store::Own).await;
    assert_eq!(ids(&shop, json!({"filter": "outofstock"})).await, [18]);
    assert_eq!(ids(&shop, json!({"filter": "onbackorder"})).await, [17]);
    assert_eq!(
        ids(&shop, json!({"filter": "instock", "orderby": "id"})).await,
        [10, 11, 12, 13, 14, 15, 16, 20, 21, 23]
    );
    assert_eq!(
        ids(&shop, json!({"include_variations": false, "orderby": "stock_qty"})).await,
        [17, 18, 16, 10, 11, 14, 15, 20, 21, 23]
    );
    // A variation that keeps no stock of its own and is marked as gone is listed where what is gone is asked for.
    shop.run("UPDATE {p}wc_product_meta_lookup SET stock_quantity = NULL, stock_status = 'outofstock' WHERE product_id = 13").await;
    assert_eq!(ids(&shop, json!({"filter": "outofstock", "orderby": "id"})).await, [13, 18]);
}

#[tokio::test]
async fn stock_is_counted_by_status_and_low_ones_apart() {
    let shop = Shop::new(Store::Own).await;
    let answer = shop.door().ask("wc_stock", json!({"aggregate": true})).await;
    assert_eq!(
        answer["data"],
        json!({"total_products": 10, "by_stock_status": {"instock": 8, "onbackorder": 1, "outofstock": 1},
               "low_stock": 2, "low_stock_threshold": 2.0})
    );
    shop.run("UPDATE {p}options SET option_value = 'no' WHERE option_name = 'woocommerce_manage_stock'")
        .await;
    let off = shop.door().ask("wc_stock", json!({"aggregate": true})).await;
    assert_eq!(off["meta"]["manages_stock"], json!(false));
}
