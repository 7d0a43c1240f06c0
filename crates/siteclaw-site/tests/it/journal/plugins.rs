//! `wp_plugins` against `get_plugins`, `get_mu_plugins`, `get_dropins` and the active ones.

use serde_json::{Value, json};

use super::{door, expected};
use crate::door::{column, warnings};

const COLUMNS: [&str; 7] = ["file", "name", "version", "author", "url", "description", "active"];

fn plain(html: &Value) -> String {
    html.as_str()
        .unwrap()
        .replace("<em>", "")
        .replace("</em>", "")
        .replace("<strong>", "")
        .replace("</strong>", "")
}

#[tokio::test]
async fn all_three_sorts_are_those_that_wordpress_finds() {
    let (door, expected) = (door(), expected());
    for (kind, list) in [("plugin", "all"), ("must-use", "must_use"), ("drop-in", "drop_ins")] {
        let answer = door.ask("wp_plugins", json!({"kind": kind, "columns": COLUMNS})).await;
        let rows = answer["data"]["plugins"].as_array().unwrap();
        let found = rows.iter().filter(|row| row["file"] != "gone/gone.php");
        let wanted = expected["plugins"][list].as_object().unwrap();
        let mut seen = 0;
        for row in found {
            let plugin = &wanted[row["file"].as_str().unwrap()];
            assert_eq!(row["name"], plugin["Name"], "{row}");
            assert_eq!(row["version"], plugin["Version"], "{row}");
            assert_eq!(row["author"], plugin["Author"], "{row}");
            assert_eq!(row["url"], plugin["PluginURI"], "{row}");
            let shown = row["description"].as_str().unwrap().trim_end_matches('…').to_owned();
            assert!(plain(&plugin["Description"]).starts_with(&shown), "{row}");
            seen += 1;
        }
        assert_eq!(seen, wanted.len(), "{kind}");
    }
}

#[tokio::test]
async fn active_ones_are_told_from_the_others_and_from_those_that_are_gone() {
    let (door, expected) = (door(), expected());
    let active = door.ask("wp_plugins", json!({"status": "active", "columns": ["file", "missing"]})).await;
    let mut files = column(&active["data"]["plugins"], "file");
    files.sort_by_key(ToString::to_string);
    assert_eq!(files, *expected["plugins"]["active"].as_array().unwrap());
    assert_eq!(active["meta"]["missing_files"], json!(["gone/gone.php"]));
    let inactive = door.ask("wp_plugins", json!({"status": "inactive", "columns": ["file"]})).await;
    assert_eq!(
        inactive["data"]["plugins"],
        json!([{"file": "akismet/akismet.php"}, {"file": "sleeping/sleeping.php"}])
    );
    let counts = door.ask("wp_plugins", json!({"aggregate": true})).await;
    assert_eq!(
        counts["data"],
        json!({"total": 5, "active": 3, "inactive": 2, "update_available": 0, "missing": 1})
    );
}

#[tokio::test]
async fn a_plugin_is_found_by_its_name() {
    let door = door();
    let answer = door.ask("wp_plugins", json!({"search": "BERTH LIST & m"})).await;
    assert_eq!(
        answer["data"]["plugins"],
        json!([{"name": "Berth List & Map", "version": "2.4.1", "active": true, "author": "Quay Works"}])
    );
    assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    let slug = door.ask("wp_plugins", json!({"search": "lone", "columns": ["slug"]})).await;
    assert_eq!(slug["data"]["plugins"], json!([{"slug": "lone-file"}]));
}
