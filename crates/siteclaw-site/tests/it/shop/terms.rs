//! `wp_taxonomy` and `wc_categories` on the shop.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

/// Home holds nothing itself, Lighting two lamps; Empty and its child hold nothing.
async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    shop.run(
        "UPDATE {p}term_taxonomy SET count = 1, description = '<p>All that <b>shines</b></p>' WHERE term_taxonomy_id = 15;\
         UPDATE {p}term_taxonomy SET count = 1 WHERE term_taxonomy_id = 20;\
         INSERT INTO {p}terms VALUES (40, 'Empty', 'empty'), (41, 'Empty child', 'empty-child'), (42, 'Oak', 'oak');\
         INSERT INTO {p}term_taxonomy VALUES (40, 40, 'product_cat', 0), (41, 41, 'product_cat', 40), (42, 42, 'pa_wood', 0);\
         INSERT INTO {p}termmeta (term_id, meta_key, meta_value) VALUES (4, 'product_count_product_cat', '1'), (5, 'product_count_product_cat', '1');\
         INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('default_product_cat', '40', 'on')",
    )
    .await;
    shop
}

#[tokio::test]
async fn categories_have_the_counts_of_the_admin_and_of_the_shop_front() {
    let shop = shop().await;
    let door = shop.door();
    let answer = door.ask("wc_categories", json!({})).await;
    let row = |id: i64, name: &str, slug: &str, count: i64, parent: i64, empty: bool| json!({"id": id, "name": name, "slug": slug, "product_count": count, "parent_id": parent, "empty": empty});
    assert_eq!(
        answer["data"]["categories"],
        json!([
            row(40, "Empty", "empty", 0, 0, true),
            row(41, "Empty child", "empty-child", 0, 40, true),
            row(4, "Home", "home", 0, 0, false),
            row(5, "Lighting", "lighting", 1, 4, false),
        ])
    );
    assert_eq!((&answer["meta"]["total"], &answer["meta"]["empty_count"]), (&json!(4), &json!(2)));
    assert_eq!(answer["meta"]["taxonomy"], "product_cat");
    assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    let columns =
        json!(["id", "shop_count", "path", "parent_name", "permalink", "description", "is_default"]);
    let more = door.ask("wc_categories", json!({"columns": columns, "search": "light"})).await;
    assert_eq!(
        more["data"]["categories"],
        json!([{"id": 5, "shop_count": 1, "path": "Home > Lighting", "parent_name": "Home",
                "permalink": "https://shop.example/product-category/home/lighting/", "description": "All that shines", "is_default": false}])
    );
    for (arguments, wanted) in [
        (json!({"hide_empty": true}), json!([4, 5])),
        (json!({"parent_id": 0}), json!([40, 4])),
        (json!({"parent_id": 4}), json!([5])),
        (json!({"search": "EMPTY-"}), json!([41])),
    ] {
        let answer = door.ask("wc_categories", arguments.clone()).await;
        assert_eq!(json!(column(&answer["data"]["categories"], "id")), wanted, "{arguments}");
    }
    let counts = door.ask("wc_categories", json!({"aggregate": true})).await;
    assert_eq!(
        counts["data"],
        json!({"total_categories": 4, "empty_categories": 2, "top_level_categories": 2, "assigned_products": 1, "distinct_products": 1})
    );
}

#[tokio::test]
async fn terms_of_what_readers_see_are_listed_and_others_by_name() {
    let shop = shop().await;
    let door = shop.door();
    let names = |answer: &Value| json!(column(&answer["data"]["terms"], "slug"));
    let all = door.ask("wp_taxonomy", json!({})).await;
    // Neither types nor visibility, which only the shop itself uses.
    assert_eq!(names(&all), json!(["empty", "empty-child", "home", "lighting", "news", "oak", "offers"]));
    assert_eq!(
        all["meta"]["inferred_taxonomies"],
        json!(["pa_wood"]),
        "no table says that it is an attribute"
    );
    for (arguments, wanted) in [
        (json!({"taxonomy": "product_type"}), json!(["grouped", "simple", "variable"])),
        // Home and News are empty themselves and lead to terms that are not.
        (json!({"hide_empty": true}), json!(["home", "lighting", "news", "offers"])),
        (json!({"taxonomy": "category", "parent": 9}), json!(["offers"])),
        (
            json!({"taxonomy": "product_cat", "orderby": "id", "order": "DESC", "limit": 2, "offset": 1}),
            json!(["empty", "lighting"]),
        ),
        (json!({"search": "light"}), json!(["lighting"])),
    ] {
        let answer = door.ask("wp_taxonomy", arguments.clone()).await;
        assert_eq!(names(&answer), wanted, "{arguments}");
    }
    let without = door.ask("wp_taxonomy", json!({"with_post_count": false, "limit": 1})).await;
    assert_eq!(
        without["data"]["terms"][0],
        json!({"id": 40, "name": "Empty", "slug": "empty", "taxonomy": "product_cat"})
    );
    assert_eq!(without["meta"]["columns_returned"], json!(["id", "name", "slug", "taxonomy"]));
    let error = door.refused("wp_taxonomy", json!({"taxonomy": "categories"})).await;
    assert_eq!(error["code"], "UNKNOWN_TAXONOMY");
    assert!(
        error["valid_taxonomies"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["slug"] == "category" && one["label"] == "Categories")
    );
    let counts = door.ask("wp_taxonomy", json!({"aggregate": true, "taxonomy": "product_cat"})).await;
    assert_eq!(
        counts["data"],
        json!({"total_terms": 4, "empty_terms": 3, "by_taxonomy": [
            {"taxonomy": "product_cat", "label": "Product categories", "total": 4, "with_posts": 1, "empty": 3}]})
    );
    // The stored count of Offers is right, that of Lighting too: one lamp, one post.
    let anew = door
        .ask(
            "wp_taxonomy",
            json!({"search": "light", "recount": true, "columns": ["count", "parent_name", "shop_count"]}),
        )
        .await;
    assert_eq!(anew["data"]["terms"], json!([{"count": 1, "parent_name": "Home", "shop_count": 1}]));
}
