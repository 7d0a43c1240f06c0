//! `wp_taxonomy` against `get_terms` and `get_term_link`.

use serde_json::{Map, Value, json};

use super::{door, expected, read};
use crate::door::column;

/// The tool's arguments for those of `get_terms`.
fn arguments(args: &Value) -> Value {
    let mut out = Map::new();
    for (key, value) in args.as_object().unwrap() {
        out.insert(key.clone(), value.clone());
    }
    out.insert("limit".to_owned(), json!(200));
    out.insert(
        "columns".to_owned(),
        json!(["id", "name", "slug", "taxonomy", "parent", "count", "description", "url"]),
    );
    Value::Object(out)
}

#[tokio::test]
async fn every_question_gets_the_answer_of_get_terms() {
    let door = door();
    let mut asked = 0;
    for question in expected()["terms"].as_array().unwrap() {
        let name = question["name"].as_str().unwrap();
        let mut terms = question["terms"].as_array().unwrap().clone();
        let answer = door.ask("wp_taxonomy", arguments(&question["args"])).await;
        let mut rows = answer["data"]["terms"].as_array().unwrap().clone();
        assert_eq!(answer["meta"]["total"], terms.len(), "{name}");
        if name == "tags by count" {
            assert_eq!(column(&json!(rows), "count"), column(&json!(terms), "count"), "{name}");
            // WordPress leaves the order of equals to the database.
            rows.sort_by_key(|row| row["id"].as_i64());
            terms.sort_by_key(|term| term["id"].as_i64());
        }
        for (row, term) in rows.iter().zip(&terms) {
            for key in ["id", "slug", "taxonomy", "parent", "count", "url"] {
                assert_eq!(row[key], term[key], "{name} {key}");
            }
            assert_eq!(row["name"], read(&term["name"]), "{name}");
            assert_eq!(row["description"], read(&term["description"]), "{name}");
        }
        asked += rows.len();
    }
    assert!(asked > 40, "only {asked} terms");
}

#[tokio::test]
async fn counts_that_are_counted_anew_are_the_stored_ones_on_a_healthy_site() {
    let door = door();
    let question = json!({"taxonomy": "category", "columns": ["id", "count"], "limit": 200});
    let stored = door.ask("wp_taxonomy", question.clone()).await;
    let mut anew = question;
    anew["recount"] = json!(true);
    let anew = door.ask("wp_taxonomy", anew).await;
    assert_eq!(stored["data"], anew["data"]);
    assert_eq!(anew["meta"]["counts"], "counted now");
}
