//! `wp_media` against `wp_get_attachment_url`, `wp_count_attachments` and the files on the disk.

use serde_json::{Value, json};

use super::{door, expected};
use crate::door::column;

#[tokio::test]
async fn every_file_is_as_wordpress_describes_it() {
    let (door, expected) = (door(), expected());
    let items = expected["media"]["items"].as_array().unwrap();
    let columns = json!([
        "id",
        "title",
        "mime_type",
        "post_parent",
        "url",
        "file_size_bytes",
        "width",
        "height",
        "alt_text",
        "caption",
        "stored"
    ]);
    let answer = door
        .ask("wp_media", json!({"columns": columns, "orderby": "id", "order": "ASC", "limit": 100}))
        .await;
    let rows = answer["data"]["items"].as_array().unwrap();
    assert_eq!(rows.len(), items.len());
    for (row, item) in rows.iter().zip(items) {
        let id = &item["id"];
        for (ours, theirs) in [
            ("id", "id"),
            ("title", "title"),
            ("mime_type", "mime"),
            ("post_parent", "parent"),
            ("url", "url"),
            ("width", "width"),
            ("height", "height"),
            ("caption", "caption"),
        ] {
            assert_eq!(row[ours], item[theirs], "{ours} of {id}");
        }
        let alt = item["alt"].as_str().unwrap();
        assert_eq!(row["alt_text"].as_str().unwrap_or_default(), alt, "{id}");
        if item["exists"] == json!(true) {
            assert_eq!(row["file_size_bytes"], item["bytes"], "{id}");
            assert_eq!(row["stored"], "local", "{id}");
        } else {
            assert_eq!(row["stored"], "missing", "{id}");
        }
    }
    assert!(rows.len() >= 35);
}

#[tokio::test]
async fn kinds_are_counted_as_wp_count_attachments_does() {
    let (door, expected) = (door(), expected());
    let answer = door.ask("wp_media", json!({"aggregate": true})).await;
    let counted = expected["media"]["count"].as_object().unwrap();
    let by_type = answer["data"]["by_mime_type"].as_object().unwrap();
    for (kind, count) in counted.iter().filter(|(kind, _)| kind.contains('/')) {
        assert_eq!(by_type[kind], *count, "{kind}");
    }
    let items = expected["media"]["items"].as_array().unwrap();
    let count = |test: &dyn Fn(&Value) -> bool| items.iter().filter(|item| test(item)).count();
    let image = |item: &Value| item["mime"].as_str().unwrap().starts_with("image/");
    let stats = &answer["data"]["stats"];
    assert_eq!(stats["total"], items.len());
    assert_eq!(stats["images"], count(&image));
    assert_eq!(stats["unattached"], count(&|item| item["parent"] == 0));
    assert_eq!(stats["images_without_alt"], count(&|item| image(item) && item["alt"] == ""));
}

#[tokio::test]
async fn troubles_are_those_that_php_sees() {
    let (door, expected) = (door(), expected());
    let items = expected["media"]["items"].as_array().unwrap();
    let wanted = |test: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        items.iter().filter(|item| test(item)).map(|item| item["id"].clone()).collect()
    };
    let image = |item: &Value| item["mime"].as_str().unwrap().starts_with("image/");
    for (arguments, ids) in [
        (json!({"missing_alt": true}), wanted(&|item| image(item) && item["alt"] == "")),
        (json!({"audit": "missing_file"}), wanted(&|item| item["exists"] == false)),
        // Pictures of vectors have no other sizes.
        (
            json!({"audit": "no_sizes"}),
            wanted(&|item| image(item) && item["mime"] != "image/svg+xml" && item["width"] == Value::Null),
        ),
        (json!({"mime_type": "video"}), wanted(&|item| item["mime"] == "video/mp4")),
        (json!({"mime_type": "application/pdf"}), wanted(&|item| item["mime"] == "application/pdf")),
        (
            json!({"search": "view-12.m"}),
            wanted(&|item| item["file"].as_str().unwrap().contains("view-12.m")),
        ),
        (json!({"post_parent": 0}), wanted(&|item| item["parent"] == 0)),
    ] {
        let mut asked = arguments.clone();
        asked["orderby"] = json!("id");
        asked["order"] = json!("ASC");
        asked["limit"] = json!(100);
        let answer = door.ask("wp_media", asked).await;
        assert_eq!(column(&answer["data"]["items"], "id"), ids, "{arguments}");
        assert!(arguments["audit"] == "no_sizes" || !ids.is_empty(), "{arguments} tests nothing");
        assert_eq!(answer["meta"]["total"], ids.len(), "{arguments}");
    }
}
