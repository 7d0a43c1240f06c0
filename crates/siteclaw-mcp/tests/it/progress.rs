//! What a tool reports while it works.

use serde_json::{Value, json};

use crate::client::{Client, data};

async fn reporting(client: &mut Client, token: Option<&str>) {
    let meta = token.map_or(json!({}), |token| json!({"progressToken": token}));
    client.request(1, "tools/call", json!({"name": "report", "arguments": {}, "_meta": meta})).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_reach_the_client_that_asked_before_the_answer_masked_and_growing() {
    let mut client = Client::new().await;
    reporting(&mut client, Some("tok")).await;
    let mut told: Vec<Value> = Vec::new();
    for _ in 0..3 {
        let message = client.receive().await;
        assert_eq!(message["method"], "notifications/progress", "{message}");
        told.push(message["params"].clone());
        client.board.open.add_permits(1);
    }
    let answer = client.receive().await;
    assert_eq!(data(&answer["result"]), &json!({"value": 0}));
    assert_eq!(told[0], json!({"progressToken": "tok", "progress": 0.001, "message": "opening"}));
    assert_eq!(told[1]["progress"], 0.5);
    assert_eq!(told[1]["total"], 1.0);
    let message = told[1]["message"].as_str().unwrap();
    assert!(message.starts_with("reading with the key ⟦secret:"), "{message}");
    assert!(told[2]["progress"].as_f64().unwrap() > 0.5);
    client.sync().await;
}

#[tokio::test]
async fn without_a_token_there_is_no_report() {
    let mut client = Client::new().await;
    reporting(&mut client, None).await;
    client.board.open.add_permits(3);
    assert_eq!(client.receive().await["id"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_call_hears_of_itself() {
    let mut client = Client::new().await;
    for (id, token) in [(1, "a"), (2, "b")] {
        let params = json!({"name": "report", "arguments": {}, "_meta": {"progressToken": token}});
        client.request(id, "tools/call", params).await;
    }
    let mut tokens = [client.receive().await, client.receive().await];
    tokens.sort_by_key(|message| message["params"]["progressToken"].to_string());
    assert_eq!(tokens[0]["params"]["progressToken"], "a");
    assert_eq!(tokens[1]["params"]["progressToken"], "b");
    client.board.open.add_permits(6);
    let mut done = Vec::new();
    while done.len() < 2 {
        let message = client.receive().await;
        if let Some(id) = message["id"].as_i64() {
            done.push(id);
        } else {
            let told = message["params"]["progressToken"].as_str().unwrap();
            let id = if told == "a" { 1 } else { 2 };
            assert!(!done.contains(&id), "a report after the answer: {message}");
        }
    }
}
