//! `wp_menus` against `wp_get_nav_menus` and `wp_get_nav_menu_items`.

use serde_json::{Value, json};

use super::{door, expected, read};

#[tokio::test]
async fn menus_and_their_items_are_those_of_wordpress() {
    let (door, expected) = (door(), expected());
    let menus = expected["menus"]["menus"].as_array().unwrap();
    let answer = door.ask("wp_menus", json!({})).await;
    let classic: Vec<&Value> =
        answer["data"]["menus"].as_array().unwrap().iter().filter(|menu| menu["kind"] == "classic").collect();
    assert_eq!(classic.len(), menus.len());
    let columns = json!([
        "id",
        "title",
        "url",
        "type",
        "object",
        "object_id",
        "parent",
        "menu_order",
        "target",
        "classes",
        "broken"
    ]);
    for menu in menus {
        let ours = classic.iter().find(|ours| ours["id"] == menu["id"]).unwrap();
        assert_eq!((&ours["slug"], &ours["item_count"]), (&menu["slug"], &menu["count"]));
        assert_eq!(ours["name"], read(&menu["name"]));
        let slug = menu["slug"].as_str().unwrap();
        let items = expected["menus"]["items"][slug].as_array().unwrap();
        let answer = door.ask("wp_menus", json!({"menu": slug, "columns": columns})).await;
        let rows = answer["data"]["items"].as_array().unwrap();
        assert_eq!(rows.len(), items.len(), "{slug}");
        for (row, item) in rows.iter().zip(items) {
            for (ours, theirs) in [
                ("id", "id"),
                ("url", "url"),
                ("type", "type"),
                ("object", "object"),
                ("object_id", "object_id"),
                ("parent", "parent"),
                ("menu_order", "order"),
                ("target", "target"),
                ("classes", "classes"),
            ] {
                assert_eq!(row[ours], item[theirs], "{slug} {ours}");
            }
            assert_eq!(row["title"], read(&item["title"]), "{slug}");
            assert_eq!(row["broken"], Value::Null, "{slug}");
        }
    }
    let places = expected["menus"]["locations"].as_object().unwrap();
    let main = classic.iter().find(|menu| menu["assigned_to"] != json!([])).unwrap();
    assert_eq!(main["assigned_to"], json!(["primary"]));
    assert_eq!(places["primary"], main["id"]);
}
