//! `wp_menus` with targets that are gone, and with the blocks of a block theme.

use serde_json::json;

use super::{Shop, Store};
use crate::door::{column, warnings};

async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    shop.run(
        "INSERT INTO {p}terms VALUES (50, 'Footer &amp; more', 'footer');\
         INSERT INTO {p}term_taxonomy VALUES (50, 50, 'nav_menu', 0);\
         INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('stylesheet', 'child', 'on'), ('theme_mods_child', 'a:1:{s:18:\"nav_menu_locations\";a:2:{s:6:\"bottom\";i:50;s:3:\"top\";i:0;}}', 'on')",
    )
    .await;
    for (id, order, parent, kind, object, object_id, title) in [
        (700, 1, 0, "post_type", "page", 104, ""),
        (701, 2, 700, "post_type", "post", 101, "Soon"),
        (702, 3, 700, "post_type", "post", 103, ""),
        (703, 4, 701, "post_type", "post", 999, "Gone"),
        (704, 9, 0, "taxonomy", "product_cat", 5, ""),
        (705, 9, 0, "custom", "custom", 705, "Call"),
    ] {
        shop.run(&format!(
            "INSERT INTO {{p}}posts VALUES ({id}, 1, '2026-05-01 10:00:00', '2026-05-01 08:00:00', '', '{title}', '', 'publish', '', '', '2026-05-01 10:00:00', 0, {order}, 'nav_menu_item', 0);\
             INSERT INTO {{p}}term_relationships VALUES ({id}, 50);\
             INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) VALUES ({id}, '_menu_item_type', '{kind}'), ({id}, '_menu_item_object', '{object}'), ({id}, '_menu_item_object_id', '{object_id}'), \
              ({id}, '_menu_item_menu_item_parent', '{parent}'), ({id}, '_menu_item_url', 'tel:+49'), ({id}, '_menu_item_classes', 'a:1:{{i:0;s:0:\"\";}}')"
        ))
        .await;
    }
    shop.run(
        "INSERT INTO {p}posts VALUES (710, 1, '2026-05-01 10:00:00', '2026-05-01 08:00:00', '<!-- wp:navigation-submenu {\"label\":\"About\",\"type\":\"page\",\"id\":104,\"kind\":\"post-type\"} --><!-- wp:navigation-link {\"label\":\"Lost\",\"type\":\"page\",\"id\":998,\"kind\":\"post-type\"} /--><!-- /wp:navigation-submenu -->', \
         'Header', '', 'publish', '', 'header', '2026-05-01 10:00:00', 0, 0, 'wp_navigation', 0)",
    )
    .await;
    shop
}

#[tokio::test]
async fn menus_are_listed_with_the_places_where_they_are_shown() {
    let shop = shop().await;
    let door = shop.door();
    let answer = door.ask("wp_menus", json!({})).await;
    assert_eq!(
        answer["data"]["menus"],
        json!([
            {"id": 50, "name": "Footer & more", "slug": "footer", "item_count": 6, "assigned_to": ["bottom"], "kind": "classic"},
            {"id": 710, "name": "Header", "slug": "header", "item_count": 2, "assigned_to": [], "kind": "block"},
        ])
    );
    assert_eq!(answer["meta"]["locations"], json!(["bottom", "top"]));
    assert_eq!(answer["meta"]["has_more"], false);
    let counts = door.ask("wp_menus", json!({"aggregate": true})).await;
    assert_eq!((&counts["data"]["total_menus"], &counts["data"]["total_items"]), (&json!(2), &json!(8)));
    let error = door.refused("wp_menus", json!({"menu": "sidebar"})).await;
    assert_eq!(error["code"], "MENU_NOT_FOUND");
    assert_eq!(error["valid_menus"][1]["slug"], "header");
}

#[tokio::test]
async fn items_tell_where_they_lead_and_which_lead_nowhere() {
    let shop = shop().await;
    let door = shop.door();
    let columns = json!(["id", "title", "url", "menu_order", "depth", "broken"]);
    for name in ["footer", "50", "FOOTER & more", "bottom", "more"] {
        let answer = door.ask("wp_menus", json!({"menu": name, "columns": columns})).await;
        let rows = &answer["data"]["items"];
        assert_eq!(column(rows, "id"), [700, 701, 702, 703, 704, 705], "{name}");
        assert_eq!(column(rows, "menu_order"), [1, 2, 3, 4, 5, 6]);
        assert_eq!(column(rows, "depth"), [0, 1, 1, 2, 0, 0]);
        assert_eq!(
            column(rows, "broken"),
            [json!(null), json!("unpublished"), json!("trashed"), json!("missing"), json!(null), json!(null)]
        );
        assert_eq!(column(rows, "title"), ["About", "Soon", "Old", "Gone", "Lighting", "Call"]);
        assert_eq!(rows[0]["url"], "https://shop.example/about/");
        assert_eq!(rows[4]["url"], "https://shop.example/product-category/home/lighting/");
        assert_eq!(rows[5]["url"], "tel:+49");
        assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    }
    for (arguments, wanted) in [
        (json!({"menu": "footer", "parent": 700}), json!([701, 702])),
        (json!({"menu": "footer", "depth": 2}), json!([703])),
        (json!({"menu": "footer", "broken_only": true}), json!([701, 702, 703])),
        (json!({"menu": "footer", "limit": 2, "offset": 4}), json!([704, 705])),
        (json!({"menu": "header"}), json!([1, 2])),
        (json!({"menu": "header", "broken_only": true}), json!([2])),
    ] {
        let answer = door.ask("wp_menus", arguments.clone()).await;
        assert_eq!(json!(column(&answer["data"]["items"], "id")), wanted, "{arguments}");
    }
}
