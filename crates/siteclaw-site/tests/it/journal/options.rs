//! `wp_option` against `get_option`, `wp_load_alloptions` and the rows themselves.

use serde_json::{Value, json};

use super::{door, expected};
use crate::door::{column, warnings};

/// The value as the tool shows it: texts as stored, nothing longer than 500 bytes.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        // WordPress gives numbers and truths of plain options as texts.
        (ours, theirs) if ours == theirs => true,
        (Value::Object(ours), Value::Object(theirs)) => {
            // An object says of which class it is.
            let own = ours.keys().filter(|key| *key != "@class").count();
            own == theirs.len()
                && theirs.iter().all(|(key, value)| ours.get(key).is_some_and(|own| same(own, value)))
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(own, value)| same(own, value))
        }
        // 4.5 and 4.50 are one number; an empty list and an empty map are one in PHP.
        (Value::Number(ours), Value::Number(theirs)) => ours.as_f64() == theirs.as_f64(),
        (Value::Object(map), Value::Array(list)) | (Value::Array(list), Value::Object(map)) => {
            map.is_empty() && list.is_empty()
        }
        _ => false,
    }
}

#[tokio::test]
async fn every_option_has_the_value_of_get_option() {
    let (door, expected) = (door(), expected());
    let mut compared = 0;
    for (name, theirs) in expected["options"]["values"].as_object().unwrap() {
        if ["journal_api_key", "journal_broken", "journal_mailer"].contains(&name.as_str()) {
            continue;
        }
        let answer = door.ask("wp_option", json!({"option_name": name})).await;
        let row = &answer["data"]["options"][0];
        if theirs == &json!(false) && row["found"] == json!(false) {
            continue;
        }
        let text = theirs.to_string();
        match name.as_str() {
            // Stored with entities, shown as read.
            "blogname" => assert_eq!(row["value"], "Lantern & Quay"),
            "blogdescription" => assert_eq!(row["value"], "Tides, soups & other \"news\""),
            _ if row["value_truncated"] == json!(true) => {
                let shown = row["value"].as_str().unwrap().trim_end_matches('…');
                assert!(shown.len() <= 500 && text.len() > 500, "{name}: {row}");
                if let Value::String(text) = theirs {
                    assert!(text.starts_with(shown), "{name}: {row}");
                    assert_eq!(row["value_size"], json!(text.len()), "{name}");
                }
            }
            _ => assert!(same(&row["value"], theirs), "{name}: {row} is not {theirs}"),
        }
        assert_eq!(warnings(&answer), ["VALUE_SCRUBBING_IS_PARTIAL"], "{name}");
        compared += 1;
    }
    assert!(compared >= 80, "only {compared} options");
}

#[tokio::test]
async fn what_is_absent_or_damaged_is_said_to_be() {
    let (door, expected) = (door(), expected());
    for name in expected["options"]["absent"].as_array().unwrap() {
        let answer = door.ask("wp_option", json!({"option_name": name})).await;
        assert_eq!(answer["data"]["options"], json!([{"option_name": name, "value": null, "found": false}]));
        assert_eq!((&answer["meta"]["count"], &answer["meta"]["requested"]), (&json!(0), &json!(1)));
    }
    let answer = door.ask("wp_option", json!({"option_name": "journal_broken"})).await;
    assert_eq!(expected["options"]["values"]["journal_broken"], json!(false));
    assert_eq!(answer["data"]["options"][0]["value_state"], "corrupt_serialisation");
}

#[tokio::test]
async fn options_are_counted_and_weighed_as_wordpress_loads_them() {
    let (door, expected) = (door(), expected());
    let answer = door.ask("wp_option", json!({"aggregate": true})).await;
    let (data, options) = (&answer["data"], &expected["options"]);
    assert_eq!(data["total_count"], options["stored"]["count"]);
    assert_eq!(data["total_size_bytes"], options["stored"]["bytes"]);
    assert_eq!(data["autoloaded_count"], options["alloptions"]["count"]);
    assert_eq!(data["autoloaded_size_bytes"], options["alloptions"]["bytes"]);
    // "ballast " nine thousand times.
    assert_eq!(data["top_autoload"][0], json!({"option_name": "journal_large", "value_size": 72_000}));
    let autoloaded = door.ask("wp_option", json!({"aggregate": true, "autoload_only": true})).await;
    assert_eq!(autoloaded["data"]["total_count"], options["alloptions"]["count"]);
    assert_eq!(autoloaded["meta"]["autoload_filter"], json!(true));
}

#[tokio::test]
async fn names_are_found_by_a_part_of_them() {
    let (door, expected) = (door(), expected());
    let mut names = Vec::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let answer =
            door.ask("wp_option", json!({"search": "journal_", "limit": 40, "offset": offset})).await;
        names.extend(column(&answer["data"]["options"], "option_name"));
        offset = answer["meta"]["next_offset"].clone();
        assert!(warnings(&answer).contains(&"BLOCKED_OPTION".to_owned()), "journal_api_key is left out");
    }
    let ours = expected["options"]["values"].as_object().unwrap().keys();
    let mut wanted: Vec<&str> = ours
        .map(String::as_str)
        .filter(|name| name.starts_with("journal_") && *name != "journal_api_key")
        .collect();
    wanted.sort_unstable();
    names.retain(|name| name.as_str().unwrap().starts_with("journal_"));
    assert_eq!(names, wanted);
    // Neither _ nor % stands for anything else.
    let wild = door.ask("wp_option", json!({"search": "100%_n"})).await;
    assert_eq!(column(&wild["data"]["options"], "option_name"), ["journal_like_100%_name"]);
    let none = door.ask("wp_option", json!({"search": "journal%item"})).await;
    assert_eq!(none["meta"]["total"], json!(0));
}

#[tokio::test]
async fn one_part_of_a_stored_array_can_be_read() {
    let door = door();
    for (name, path, value) in [
        ("journal_settings", "nested.deep.deeper", json!("bottom")),
        ("journal_settings", "list.1", json!("b")),
        ("journal_settings", "ratio", json!(1.5)),
        ("journal_settings", "off", json!(false)),
        ("journal_settings", "nowhere.at.all", Value::Null),
        ("journal_object", "inner.depth", json!(4.5)),
        ("journal_object", "berths.0", json!(1)),
        ("journal_mailer", "host", json!("mail.example")),
        ("journal_mailer", "password", json!("[redacted]")),
        ("journal_mailer", "dsn", json!("smtp://mail.example:25")),
    ] {
        let answer = door.ask("wp_option", json!({"option_name": name, "path": path})).await;
        assert_eq!(answer["data"]["options"][0]["value"], value, "{name} {path}");
    }
}
