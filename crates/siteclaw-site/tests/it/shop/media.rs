//! Audits of `wp_media` that look at files and content.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

/// Files 900 to 908, of which products show all but the last two.
async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    for (id, name, width, size) in [
        (900, "mug", 800, 5_000),
        (901, "shirt", 3_000, 5_000),
        (902, "sticker", 800, 2_000_000),
        (903, "lamp", 801, 7_000),
        (910, "boat-scaled", 800, 9_000),
        (911, "quay", 800, 9_100),
        (912, "logo", 800, 9_200),
        (913, "nobody", 800, 5_000),
    ] {
        let metadata = format!(
            "a:4:{{s:5:\"width\";i:{width};s:6:\"height\";i:600;s:8:\"filesize\";i:{size};s:5:\"sizes\";a:1:{{s:5:\"thumb\";a:1:{{s:5:\"width\";i:9999;}}}}}}"
        );
        shop.run(&format!(
            "INSERT INTO {{p}}posts VALUES ({id}, 1, '2026-05-{day} 10:00:00', '2026-05-{day} 08:00:00', '', '{name}', '', 'inherit', '', '{name}', '2026-05-{day} 10:00:00', 0, 0, 'attachment', 0);\
             UPDATE {{p}}posts SET post_mime_type = 'image/jpeg' WHERE ID = {id};\
             INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) VALUES ({id}, '_wp_attached_file', '2026/05/{name}.jpg'), ({id}, '_wp_attachment_metadata', '{metadata}')",
            day = id - 890,
        ))
        .await;
        shop.write(&format!("wp-content/uploads/2026/05/{name}.jpg"), "x");
    }
    shop.run(
        "UPDATE {p}posts SET post_content = '<img class=\"wp-image-911\"> <a href=\"https://shop.example/wp-content/uploads/2026/05/boat-300x200.jpg\">' WHERE ID = 100;\
         INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('site_icon', '912', 'on'), ('stylesheet', 'child', 'on')",
    )
    .await;
    std::fs::remove_file(shop.path("wp-content/uploads/2026/05/quay.jpg")).unwrap();
    shop
}

async fn ids(shop: &Shop, arguments: Value) -> (Value, Value) {
    let mut asked = arguments.clone();
    asked["orderby"] = json!("id");
    asked["order"] = json!("ASC");
    asked["columns"] = json!(["id"]);
    let answer = shop.door().ask("wp_media", asked).await;
    (json!(column(&answer["data"]["items"], "id")), answer["meta"].clone())
}

#[tokio::test]
async fn each_audit_finds_what_it_says() {
    let shop = shop().await;
    for (audit, wanted) in [
        ("missing_file", json!([911])),
        // One is too wide, one too large; the width of a thumbnail is not the picture's.
        ("oversized", json!([901, 902])),
        ("no_sizes", json!([])),
        // Alike in size, width and height.
        ("duplicates", json!([900, 913])),
        // A thumbnail, content by number, content by the address of a smaller size, and the site's icon use the others.
        ("unused", json!([913])),
    ] {
        let (found, meta) = ids(&shop, json!({"audit": audit})).await;
        assert_eq!(found, wanted, "{audit}");
        assert_eq!(meta["audit"], audit);
    }
    let (page, meta) = ids(&shop, json!({"audit": "duplicates", "limit": 1, "offset": 1})).await;
    assert_eq!(page, json!([913]));
    assert_eq!((&meta["total"], &meta["has_more"]), (&json!(2), &json!(false)));
    let (large, _) = ids(&shop, json!({"search": "boat"})).await;
    assert_eq!(large, json!([910]));
}

#[tokio::test]
async fn files_are_sorted_by_the_size_that_wordpress_noted() {
    let shop = shop().await;
    shop.run("DELETE FROM {p}postmeta WHERE post_id = 903 AND meta_key = '_wp_attachment_metadata'").await;
    let door = shop.door();
    for (order, wanted) in [
        ("DESC", [902, 912, 911, 910, 913, 901, 900, 903]),
        ("ASC", [900, 901, 913, 910, 911, 912, 902, 903]),
    ] {
        let arguments = json!({"orderby": "file_size", "order": order, "columns": ["id"]});
        let answer = door.ask("wp_media", arguments).await;
        assert_eq!(column(&answer["data"]["items"], "id"), wanted, "{order}");
    }
    let answer = door
        .ask("wp_media", json!({"limit": 2, "columns": ["url", "file_size", "stored", "file_name"]}))
        .await;
    assert_eq!(
        answer["data"]["items"][0],
        json!({"url": "https://shop.example/wp-content/uploads/2026/05/nobody.jpg", "file_size": "1 B", "stored": "local", "file_name": "nobody.jpg"})
    );
    assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
}
