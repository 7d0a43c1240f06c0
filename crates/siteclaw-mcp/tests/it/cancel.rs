//! Taking back a call.

use serde_json::json;

use crate::client::{Client, data, options};

#[tokio::test]
async fn a_cancelled_read_ends_at_once_without_an_answer_and_others_go_on() {
    let mut client = Client::open(options().max_in_flight(2)).await;
    client.send(1, "hold", json!({"name": "a"})).await;
    client.send(2, "hold", json!({"name": "b"})).await;
    client.board.begun.acquire_many(2).await.unwrap().forget();
    client.cancel_call(1).await;
    client.board.dropped.acquire().await.unwrap().forget();
    client.board.open.add_permits(1);
    assert_eq!(client.receive().await["id"], 2);
    assert!(!client.board.log().contains(&"a ends".to_owned()));
    // Both places are free again.
    client.send(3, "hold", json!({"name": "c"})).await;
    client.board.open.add_permits(1);
    assert_eq!(client.receive().await["id"], 3);
    assert_eq!(data(&client.call("get", json!({})).await), &json!({"value": 0}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_work_of_a_cancelled_read_is_told_to_stop() {
    let mut client = Client::new().await;
    client.send(1, "poll", json!({})).await;
    client.board.begun.acquire().await.unwrap().forget();
    client.cancel_call(1).await;
    client.board.dropped.acquire().await.unwrap().forget();
    client.sync().await;
}

#[tokio::test]
async fn a_write_cancelled_before_its_turn_never_runs() {
    let mut client = Client::new().await;
    client.send(1, "hold", json!({"name": "a"})).await;
    client.send(2, "put", json!({"value": 5})).await;
    client.send(3, "get", json!({})).await;
    client.board.begun.acquire().await.unwrap().forget();
    client.cancel_call(2).await;
    // The read behind it need not wait any more.
    let answer = client.receive().await;
    assert_eq!(answer["id"], 3);
    assert_eq!(data(&answer["result"]), &json!({"value": 0}));
    client.board.open.add_permits(1);
    assert_eq!(client.receive().await["id"], 1);
    assert_eq!(client.board.log(), ["a begins", "get sees 0", "a ends"]);
}

#[tokio::test]
async fn a_write_that_has_begun_goes_on_to_its_end_without_an_answer() {
    let mut client = Client::new().await;
    client.send(1, "hold_write", json!({"name": "w"})).await;
    client.board.begun.acquire().await.unwrap().forget();
    client.cancel_call(1).await;
    client.send(2, "get", json!({})).await;
    client.sync().await;
    client.board.open.add_permits(1);
    assert_eq!(client.receive().await["id"], 2);
    assert_eq!(client.board.log(), ["w begins", "w ends", "get sees 0"]);
}

#[tokio::test]
async fn taking_back_what_is_unknown_or_done_changes_nothing() {
    let mut client = Client::new().await;
    client.cancel_call(77).await;
    client.send(1, "get", json!({})).await;
    assert_eq!(client.receive().await["id"], 1);
    client.cancel_call(1).await;
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#).await;
    client.sync().await;
}
