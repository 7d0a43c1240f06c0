//! `wp_comments` against `get_comments` and `wp_count_comments`.

use serde_json::{Map, Value, json};

use super::{door, expected, read};
use crate::door::{column, warnings};

/// The tool's arguments for those of `get_comments`, or `None` where the tool does not know the question.
fn arguments(args: &Value) -> Option<Value> {
    let mut out = Map::new();
    for (key, value) in args.as_object().unwrap() {
        match (key.as_str(), value) {
            ("no_found_rows", _) => {}
            ("number", value) => drop(out.insert("limit".to_owned(), value.clone())),
            ("type", kind) if kind == "pings" => return None,
            (key @ ("status" | "offset" | "orderby" | "order" | "post_id" | "type" | "search"), value) => {
                out.insert(key.to_owned(), value.clone());
            }
            ("date_query", Value::Array(ranges)) => {
                out.insert("date_after".to_owned(), ranges[0]["after"].clone());
                out.insert("date_before".to_owned(), ranges[0]["before"].clone());
            }
            // Replies only, and one user's.
            _ => return None,
        }
    }
    Some(Value::Object(out))
}

#[tokio::test]
async fn every_question_gets_the_answer_of_get_comments() {
    let door = door();
    let mut asked = 0;
    for question in expected()["comments"]["queries"].as_array().unwrap() {
        let Some(arguments) = arguments(&question["args"]) else { continue };
        let context = format!("{}: {arguments}", question["name"]);
        let answer = door.ask("wp_comments", arguments).await;
        let rows = &answer["data"]["comments"];
        let ids = question["ids"].as_array().unwrap();
        assert_eq!(column(rows, "id"), *ids, "{context}");
        let authors: Vec<String> = question["authors"].as_array().unwrap().iter().map(read).collect();
        assert_eq!(column(rows, "author"), authors, "{context}");
        assert_eq!(answer["meta"]["total"], question["total"], "{context}");
        assert!(warnings(&answer).contains(&"UNTRUSTED_CONTENT".to_owned()) || ids.is_empty(), "{context}");
        asked += 1;
    }
    assert!(asked >= 13, "only {asked} questions");
}

#[tokio::test]
async fn comments_are_counted_as_wp_count_comments_does() {
    let (door, expected) = (door(), expected());
    let answer = door.ask("wp_comments", json!({"aggregate": true})).await;
    let (stats, count) = (&answer["data"]["stats"], &expected["comments"]["count"]);
    for (ours, theirs) in [
        ("total", "total_comments"),
        ("approved", "approved"),
        ("pending", "moderated"),
        ("spam", "spam"),
        ("trash", "trash"),
    ] {
        assert_eq!(stats[ours], count[theirs], "{ours}");
    }
    let by_type: i64 =
        answer["data"]["by_type"].as_object().unwrap().values().filter_map(Value::as_i64).sum();
    assert_eq!(json!(by_type), count["all"]);
}

#[tokio::test]
async fn a_post_has_as_many_comments_as_get_comments_number_says() {
    let (door, expected) = (door(), expected());
    let by_post = expected["comments"]["by_post"].as_object().unwrap();
    let mut asked = 0;
    for (post, count) in by_post.iter().take(25) {
        let id: i64 = post.parse().unwrap();
        let answer = door.ask("wp_comments", json!({"post_id": id, "status": "approve", "limit": 1})).await;
        // Those of a post in the trash are neither approved nor in the number.
        assert_eq!(answer["meta"]["total"], *count, "post {id}");
        asked += 1;
    }
    assert!(asked >= 20, "only {asked} posts");
}

#[tokio::test]
async fn addresses_of_people_come_only_when_named() {
    let door = door();
    let all = door.ask("wp_comments", json!({"columns": ["*"], "limit": 50})).await;
    let row = all["data"]["comments"][0].as_object().unwrap();
    assert!(!row.contains_key("author_email") && !row.contains_key("author_ip"), "{row:?}");
    assert!(row.contains_key("author_url") && row.contains_key("type"), "{row:?}");
    let named = door.ask("wp_comments", json!({"columns": ["author_ip"], "search": "203.0.113.9"})).await;
    assert!(
        column(&named["data"]["comments"], "author_ip")
            .iter()
            .all(|ip| ip.as_str().unwrap().contains("203.0.113.9"))
    );
    assert_eq!(warnings(&named), ["SENSITIVE_DATA"]);
    assert_eq!(named["meta"]["sensitive_fields_returned"], json!(["author_ip"]));
}
