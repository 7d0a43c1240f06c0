//! What arrives on the stream besides well-formed requests, and how a session ends.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, data, failure, options};

/// The code of the error without an id that a line is answered with.
async fn refused(client: &mut Client, line: &[u8]) -> i64 {
    client.say_bytes(line).await;
    client.say_bytes(b"\n").await;
    let answer = client.receive().await;
    assert_eq!(answer.get("id"), None, "{answer}");
    answer["error"]["code"].as_i64().unwrap()
}

#[tokio::test]
async fn lines_that_are_no_message_are_refused_and_the_session_goes_on() {
    let mut client = Client::new().await;
    for (line, code) in [
        (&b"hello"[..], -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\xfe\",\"method\":\"ping\"}", -32700),
        (b"\xff\xfe\x00", -32700),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (br#"{"id":{},"method":"ping"}"#, -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
    ] {
        assert_eq!(refused(&mut client, line).await, code, "{line:?}");
        client.sync().await;
    }
}

#[tokio::test]
async fn a_message_broken_by_a_newline_is_two_lines_that_are_refused() {
    let mut client = Client::new().await;
    client
        .say("{\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"tools/call\",\"params\":{\"name\":\"get\"}}")
        .await;
    for _ in 0..2 {
        assert_eq!(client.receive().await["error"]["code"], -32700);
    }
    client.sync().await;
    assert_eq!(client.board.log(), Vec::<String>::new());
}

#[tokio::test]
async fn blank_lines_and_what_needs_no_answer_get_none() {
    let mut client = Client::new().await;
    for line in [
        "",
        "  \t\r",
        r#"{"jsonrpc":"2.0","method":"notifications/unheard_of"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
    ] {
        client.say(line).await;
    }
    client.sync().await;
}

#[tokio::test]
async fn a_notification_before_the_session_does_not_end_it() {
    let mut client = Client::silent(options());
    client.cancel_call(1).await;
    client.say(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert_eq!(client.initialize("2025-11-25").await["id"], "init");
    client.sync().await;
}

#[tokio::test]
async fn a_line_of_20_mb_is_refused_and_the_next_one_read() {
    let mut client = Client::new().await;
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..20 {
        client.say_bytes(&piece).await;
    }
    assert_eq!(refused(&mut client, b"").await, -32600);
    client.sync().await;
}

#[tokio::test]
async fn a_call_with_ten_million_characters_is_taken() {
    let mut client = Client::new().await;
    let result = client.call("echo", json!({"text": "x".repeat(10_000_000)})).await;
    assert!(data(&result)["text"].as_str().unwrap().ends_with('…'));
}

#[tokio::test]
async fn a_message_of_too_many_values_is_refused() {
    let mut client = Client::new().await;
    let list = format!("[{}0]", "0,".repeat(200_000));
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get","arguments":{{"a":{list}}}}}}}"#
    );
    assert_eq!(refused(&mut client, line.as_bytes()).await, -32600);
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused_and_its_call_does_not_run() {
    let mut client = Client::new().await;
    client.send(1, "hold", json!({"name": "a"})).await;
    client.send(1, "put", json!({"value": 5})).await;
    let answer = client.receive().await;
    assert_eq!((answer.get("id"), &answer["error"]["code"]), (None, &json!(-32600)));
    client.board.open.add_permits(1);
    assert_eq!(client.receive().await["id"], 1);
    assert_eq!(client.board.log(), ["a begins", "a ends"]);
    client.send(1, "get", json!({})).await;
    assert_eq!(client.receive().await["id"], 1);
}

#[tokio::test]
async fn the_end_of_the_input_ends_the_server_before_and_in_a_session() {
    let mut client = Client::silent(options());
    client.hang_up();
    let (ended, rest) = client.ended().await;
    assert!(ended.is_ok() && rest.is_empty());

    let mut client = Client::new().await;
    client.hang_up();
    let (ended, rest) = client.ended().await;
    assert!(ended.is_ok() && rest.is_empty());
}

#[tokio::test]
async fn calls_under_way_at_the_end_of_the_input_are_answered() {
    let mut client = Client::open(options().drain(Duration::from_secs(3600))).await;
    client.send(1, "hold", json!({"name": "a"})).await;
    client.send(2, "put", json!({"value": 4})).await;
    client.say_bytes(br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get"}}"#).await;
    client.hang_up();
    client.board.begun.acquire().await.unwrap().forget();
    client.board.open.add_permits(1);
    let (ended, mut rest) = client.ended().await;
    assert!(ended.is_ok());
    rest.sort_by_key(|answer| answer["id"].as_i64());
    let values: Vec<_> = rest.iter().map(|answer| data(&answer["result"])["value"].clone()).collect();
    assert_eq!(values, [0, 4, 4]);
}

#[tokio::test(start_paused = true)]
async fn calls_that_outlast_the_end_of_the_input_are_cancelled() {
    let mut client = Client::new().await;
    let began = tokio::time::Instant::now();
    client.send(1, "hold", json!({"name": "a"})).await;
    client.send(2, "put", json!({"value": 4})).await;
    client.hang_up();
    let board = client.board.clone();
    let (ended, mut rest) = client.ended().await;
    assert!(ended.is_ok());
    assert_eq!(began.elapsed().as_secs(), 5);
    rest.sort_by_key(|answer| answer["id"].as_i64());
    let codes: Vec<Value> =
        rest.iter().map(|answer| failure(&answer["result"])["error"]["code"].clone()).collect();
    assert_eq!(codes, ["CANCELLED", "CANCELLED"]);
    assert_eq!(board.log(), ["a begins"]);
}

#[tokio::test(start_paused = true)]
async fn the_switch_cancels_what_runs_and_ends_the_server() {
    let mut client = Client::open(options().drain(Duration::from_secs(3600))).await;
    let began = tokio::time::Instant::now();
    client.send(1, "hold", json!({"name": "a"})).await;
    client.board.begun.acquire().await.unwrap().forget();
    client.cancel.cancel();
    let (ended, rest) = client.ended().await;
    assert!(ended.is_ok());
    assert_eq!(failure(&rest[0]["result"])["error"]["code"], "CANCELLED");
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_write_that_cannot_be_stopped_does_not_hold_up_the_end_for_ever() {
    let mut client = Client::new().await;
    client.send(1, "hold_write", json!({"name": "w"})).await;
    client.board.begun.acquire().await.unwrap().forget();
    client.cancel.cancel();
    let (ended, rest) = client.ended().await;
    assert!(ended.is_ok());
    assert_eq!(failure(&rest[0]["result"])["error"]["code"], "OUTCOME_UNKNOWN");
}
