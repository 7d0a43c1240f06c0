//! `wp_users` against `count_users`, `WP_User_Query` and the accounts themselves.

use serde_json::{Map, Value, json};

use super::{door, expected};
use crate::door::{column, warnings};

/// The tool's arguments for those of `WP_User_Query`, or `None` where the tool does not know the question.
fn arguments(args: &Value) -> Option<Value> {
    let mut out = Map::new();
    for (key, value) in args.as_object().unwrap() {
        match (key.as_str(), value) {
            ("orderby", Value::Object(fields)) => {
                let (field, direction) = fields.iter().next().unwrap();
                out.insert("orderby".to_owned(), json!(field));
                out.insert("order".to_owned(), direction.clone());
            }
            ("number", value) => drop(out.insert("limit".to_owned(), value.clone())),
            ("offset", value) => drop(out.insert("offset".to_owned(), value.clone())),
            ("role", Value::String(role)) => drop(out.insert("role".to_owned(), json!(role))),
            ("search", value) => {
                out.insert("search".to_owned(), json!(value.as_str().unwrap().trim_matches('*')));
            }
            ("search_columns", _) => {}
            // Several roles at once.
            _ => return None,
        }
    }
    out.entry("limit").or_insert(json!(100));
    Some(Value::Object(out))
}

#[tokio::test]
async fn every_question_gets_the_answer_of_wp_user_query() {
    let door = door();
    let mut asked = 0;
    for question in expected()["users"]["queries"].as_array().unwrap() {
        let Some(arguments) = arguments(&question["args"]) else { continue };
        let context = format!("{}: {arguments}", question["name"]);
        if question["name"] == "no such role" {
            let error = door.refused("wp_users", arguments).await;
            assert_eq!(error["code"], "UNKNOWN_ROLE", "{context}");
            continue;
        }
        let answer = door.ask("wp_users", arguments).await;
        let rows = &answer["data"]["users"];
        assert_eq!(column(rows, "id"), *question["ids"].as_array().unwrap(), "{context}");
        assert_eq!(column(rows, "user_login"), *question["logins"].as_array().unwrap(), "{context}");
        assert_eq!(answer["meta"]["total"], question["total"], "{context}");
        asked += 1;
    }
    assert!(asked >= 12, "only {asked} questions");
}

#[tokio::test]
async fn roles_are_counted_as_count_users_does() {
    let (door, expected) = (door(), expected());
    let answer = door.ask("wp_users", json!({"aggregate": true})).await;
    let count = &expected["users"]["count"];
    assert_eq!(answer["data"]["total_users"], count["total_users"]);
    let by_role = answer["data"]["by_role"].as_object().unwrap();
    for (role, count) in count["avail_roles"].as_object().unwrap() {
        assert_eq!(by_role[role]["count"], *count, "{role}");
    }
    for (role, counted) in by_role {
        // Roles that nobody holds are listed too.
        let held = count["avail_roles"].get(role).cloned().unwrap_or(json!(0));
        assert_eq!(counted["count"], held, "{role}");
        if role != "none" {
            assert_eq!(counted["label"], expected["users"]["roles"][role]["name"], "{role}");
        }
    }
    assert_eq!(by_role.keys().cloned().collect::<Vec<_>>(), {
        let mut keys: Vec<String> = by_role.keys().cloned().collect();
        keys.sort();
        keys
    });
}

#[tokio::test]
async fn each_account_is_shown_as_it_is() {
    let (door, expected) = (door(), expected());
    let columns = json!([
        "id",
        "user_login",
        "user_nicename",
        "user_email",
        "display_name",
        "user_registered",
        "role",
        "post_count",
        "last_login"
    ]);
    let answer = door
        .ask("wp_users", json!({"columns": columns, "limit": 100, "orderby": "ID", "order": "ASC"}))
        .await;
    let rows = answer["data"]["users"].as_array().unwrap();
    let all = expected["users"]["all"].as_array().unwrap();
    assert_eq!(rows.len(), all.len());
    for (row, user) in rows.iter().zip(all) {
        for (column, field) in [
            ("id", "id"),
            ("user_login", "login"),
            ("user_nicename", "nicename"),
            ("user_email", "email"),
            ("display_name", "display_name"),
            ("user_registered", "registered"),
        ] {
            assert_eq!(row[column], user[field], "{} {column}", user["login"]);
        }
        let roles: Vec<&str> =
            user["roles"].as_array().unwrap().iter().map(|role| role.as_str().unwrap()).collect();
        assert_eq!(row["role"], roles.join(","), "{}", user["login"]);
        // The tool sees as an administrator does: private posts count.
        assert!(row["post_count"].as_i64() >= user["published"].as_i64(), "{row}");
    }
    let known: Vec<&Value> = rows.iter().filter(|row| row["last_login"] != Value::Null).collect();
    assert_eq!(known.len(), 1, "{known:?}");
    // 1732900000 seconds.
    assert_eq!(known[0]["last_login"], "2024-11-29T17:06:40Z");
    assert_eq!(known[0]["last_login_source"], "last_login");
    assert_eq!(warnings(&answer), ["SENSITIVE_DATA", "UNTRUSTED_CONTENT"]);
    assert_eq!(answer["meta"]["sensitive_fields_returned"], json!(["user_email"]));
}

#[tokio::test]
async fn authors_have_as_many_posts_as_wordpress_lists_of_them() {
    let (door, expected) = (door(), expected());
    let answer = door.ask("wp_users", json!({"user_id": 1, "columns": ["post_count"]})).await;
    let listed = expected["posts"].as_array().unwrap().iter();
    let listed =
        listed.filter(|question| question["name"] == "author" && question["viewer"] == "administrator");
    let found = listed.map(|question| question["found"].clone()).next().unwrap();
    assert_eq!(answer["data"]["users"], json!([{"post_count": found}]));
    let sorted = door
        .ask("wp_users", json!({"orderby": "post_count", "limit": 100, "columns": ["id", "post_count"]}))
        .await;
    let counts = column(&sorted["data"]["users"], "post_count");
    assert!(counts.windows(2).all(|pair| pair[0].as_i64() >= pair[1].as_i64()), "{counts:?}");
}
