//! How many statements a call sends: as many for fifty rows as for ten.

use serde_json::json;
use sqlx::Row;

use crate::server::{Server, run};
use crate::shop::Shop;

/// Sixty of everything.
fn crowd() -> String {
    let mut sql = String::new();
    for n in 1000..1060 {
        sql.push_str(&format!(
            "INSERT INTO {{p}}users VALUES ({n}, 'u{n}', '', 'u{n}', '', '', '2026-05-01 00:00:00', '', 0, 'U {n}');
             INSERT INTO {{p}}usermeta (user_id, meta_key, meta_value) VALUES ({n}, '{{p}}capabilities', 'a:1:{{s:6:\"editor\";b:1;}}'), ({n}, 'last_login', '1700000000');
             INSERT INTO {{p}}posts VALUES ({n}, {n}, '2026-05-01 00:00:00', '2026-05-01 00:00:00', 'Text', 'T {n}', '', 'publish', '', 't-{n}', '2026-05-01 00:00:00', 0, 0, 'post', 0);
             INSERT INTO {{p}}posts VALUES ({n}0, 1, '2026-05-01 00:00:00', '2026-05-01 00:00:00', '', 'P {n}', '', 'publish', '', 'p-{n}', '2026-05-01 00:00:00', 0, 0, 'product', 0);
             INSERT INTO {{p}}wc_product_meta_lookup VALUES ({n}0, 'S{n}', 0, 5, 5, 1, 'instock', 1);
             INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) VALUES ({n}0, '_price', '5'), ({n}0, '_manage_stock', 'yes'), ({n}0, '_stock', '1');
             INSERT INTO {{p}}comments VALUES ({n}, {n}, 'V', '', '', '', '2026-05-01 00:00:00', '2026-05-01 00:00:00', 'C', '1', '', 'comment', 0, 0);
             INSERT INTO {{p}}comments VALUES ({n}0, {n}0, 'V', '', '', '', '2026-05-01 00:00:00', '2026-05-01 00:00:00', 'R', '1', '', 'review', 0, 0);
             INSERT INTO {{p}}posts VALUES ({n}1, 1, '2026-05-01 00:00:00', '2026-05-01 00:00:00', '', 'F {n}', '', 'inherit', '', '', '2026-05-01 00:00:00', 0, 0, 'attachment', 0);
             INSERT INTO {{p}}posts VALUES ({n}2, 1, '2026-05-01 00:00:00', '2026-05-01 00:00:00', '', 'C{n}', '', 'publish', '', '', '2026-05-01 00:00:00', 0, 0, 'shop_coupon', 0);
             INSERT INTO {{p}}posts VALUES ({n}3, 1, '2026-05-01 00:00:00', '2026-05-01 00:00:00', '', '', '', 'publish', '', '', '2026-05-01 00:00:00', 0, {n}, 'nav_menu_item', 0);
             INSERT INTO {{p}}term_relationships VALUES ({n}3, 999);
             INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) VALUES ({n}3, '_menu_item_type', 'post_type'), ({n}3, '_menu_item_object_id', '{n}');
             INSERT INTO {{p}}terms VALUES ({n}, 'K {n}', 'k-{n}');
             INSERT INTO {{p}}term_taxonomy VALUES ({n}, {n}, 'product_cat', 0);
             INSERT INTO {{p}}woocommerce_tax_rates VALUES ({n}, 'DE', '', '19', 'T', 1, 0, 1, 0, '');
             INSERT INTO {{p}}options (option_name, option_value, autoload) VALUES ('crowd_{n}', 'v', 'on');
             INSERT INTO {{p}}wc_orders VALUES ({n}, 'wc-completed', 'EUR', 'shop_order', 5, {n}, '', '2026-05-01 00:00:00', 0, '', '', '', '', 0);
             INSERT INTO {{p}}woocommerce_order_items VALUES ({n}, 'P {n}', 'line_item', {n});
             INSERT INTO {{p}}woocommerce_order_itemmeta (order_item_id, meta_key, meta_value) VALUES ({n}, '_qty', '1'), ({n}, '_line_total', '5'), ({n}, '_product_id', '{n}0');"
        ));
    }
    sql.push_str(
        "INSERT INTO {p}terms VALUES (999, 'Crowd', 'crowd');
             INSERT INTO {p}term_taxonomy VALUES (999, 999, 'nav_menu', 0);
",
    );
    crate::shop::prefixed(&sql, crate::shop::PREFIX)
}

#[tokio::test]
async fn fifty_rows_cost_as_many_statements_as_ten() {
    let server = Server::new("cost").await;
    let mut admin = server.admin().await;
    for statement in crowd().split(";\n").filter(|statement| !statement.trim().is_empty()) {
        run(&mut admin, statement).await;
    }
    let shop = Shop::files();
    shop.write("wp-config.php", &server.config());
    let door = shop.door();
    // The connection is made, and the list of tables read, by the first call that needs them.
    door.ask("wc_get_orders", json!({})).await;
    run(&mut admin, "SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON").await;
    let mut wrong = Vec::new();
    for (tool, size, list, arguments) in [
        ("wp_query", "posts_per_page", "posts", json!({"columns": ["*"]})),
        (
            "wp_users",
            "limit",
            "users",
            json!({"columns": ["id", "role", "user_email", "last_login", "post_count"]}),
        ),
        ("wp_comments", "limit", "comments", json!({"columns": ["*"]})),
        ("wp_media", "limit", "items", json!({"columns": ["*"]})),
        (
            "wp_taxonomy",
            "limit",
            "terms",
            json!({"columns": ["*"], "recount": true, "taxonomy": "product_cat"}),
        ),
        ("wp_menus", "limit", "items", json!({"columns": ["*"], "menu": "crowd"})),
        (
            "wc_categories",
            "limit",
            "categories",
            json!({"columns": ["id", "path", "permalink", "shop_count"]}),
        ),
        ("wc_reviews", "limit", "reviews", json!({"columns": ["*"]})),
        ("wc_coupons", "limit", "coupons", json!({"columns": ["id", "amount", "used_by"]})),
        ("wc_tax", "limit", "rates", json!({"columns": ["id", "postcode_count"]})),
        (
            "wc_get_customer",
            "limit",
            "customers",
            json!({"columns": ["customer_id", "name", "spent_by_currency"], "orderby": "total_spent"}),
        ),
        ("wp_option", "limit", "options", json!({"search": "crowd", "include_values": true})),
        (
            "wc_get_products",
            "limit",
            "products",
            json!({"columns": ["id", "type", "on_sale", "permalink", "variation_count", "supplier", "review_count"]}),
        ),
        (
            "wc_stock",
            "limit",
            "products",
            json!({"columns": ["id", "threshold", "variation_count", "supplier"]}),
        ),
        ("wc_stock", "limit", "products", json!({"filter": "lowstock"})),
        (
            "wc_get_orders",
            "limit",
            "orders",
            json!({"include_items": true, "columns": ["id", "refunded", "item_count", "billing_city", "date_paid"]}),
        ),
    ] {
        let mut counts = Vec::new();
        for rows in [10, 50] {
            run(&mut admin, "TRUNCATE mysql.general_log").await;
            let mut asked = arguments.clone();
            asked[size] = json!(rows);
            let answer = door.ask(tool, asked).await;
            assert_eq!(answer["data"][list].as_array().unwrap().len(), rows, "{tool}");
            let count = sqlx::query(
                "SELECT COUNT(*) FROM mysql.general_log WHERE user_host LIKE ? AND command_type IN ('Query', 'Execute')",
            )
            .bind(format!("%{}%", server.name))
            .fetch_one(&mut admin)
            .await
            .unwrap();
            counts.push(count.get::<i64, _>(0));
        }
        if counts[0] != counts[1] || counts[0] == 0 || counts[0] > 12 {
            wrong.push(format!("{tool} {arguments}: {counts:?}"));
        }
    }
    run(&mut admin, "SET GLOBAL general_log = OFF; SET GLOBAL log_output = 'FILE'").await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
