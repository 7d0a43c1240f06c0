//! `wp_cron` against `_get_cron_array`.

use serde_json::{Value, json};

use super::{door, expected};

#[tokio::test]
async fn every_event_is_there_in_the_order_of_its_time() {
    let (door, expected) = (door(), expected());
    let mut wanted: Vec<Value> = expected["cron"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            let time = jiff::Timestamp::from_second(event["timestamp"].as_i64().unwrap()).unwrap();
            let time = time.to_string().replace('T', " ").replace('Z', "");
            let schedule = event["schedule"].as_str().unwrap_or("one-time");
            json!([time, event["hook"], schedule, event["interval"].as_i64().unwrap_or(0)])
        })
        .collect();
    let columns = json!(["next_run", "hook", "schedule", "interval"]);
    let answer = door.ask("wp_cron", json!({"columns": columns, "limit": 100})).await;
    let mut rows: Vec<Value> = answer["data"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["next_run"], row["hook"], row["schedule"], row["interval"]]))
        .collect();
    let times: Vec<String> = rows.iter().map(|row| row[0].to_string()).collect();
    assert!(times.is_sorted());
    rows.sort_by_key(Value::to_string);
    wanted.sort_by_key(Value::to_string);
    assert_eq!(rows, wanted);
    assert!(rows.len() >= 10);
}
