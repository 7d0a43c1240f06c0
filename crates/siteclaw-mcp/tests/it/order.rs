//! Calls that arrive together: which run side by side, which wait, and which are turned away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::client::{Client, data, failure, options};

async fn answers(client: &mut Client, count: usize) -> Vec<Value> {
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(client.receive().await);
    }
    all.sort_by_key(|answer| answer["id"].as_i64());
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_reads_run_at_once() {
    let mut client = Client::new().await;
    for id in 0..10 {
        client.send(id, "hold", json!({"name": "r"})).await;
    }
    // Ends only if eight are between their beginning and their end at the same time.
    client.board.begun.acquire_many(8).await.unwrap().forget();
    client.sync().await;
    assert_eq!(client.board.begun.available_permits(), 0);
    client.board.open.add_permits(10);
    assert!(answers(&mut client, 10).await.iter().all(|answer| answer["result"]["isError"] == false));
}

#[tokio::test(start_paused = true)]
async fn ten_reads_of_300_ms_take_the_time_of_two() {
    let mut client = Client::new().await;
    let began = tokio::time::Instant::now();
    for id in 0..10 {
        client.send(id, "nap", json!({"ms": 300})).await;
    }
    answers(&mut client, 10).await;
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(600) && took < Duration::from_millis(650), "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_sent_after_a_write_sees_it_and_a_write_waits_for_the_reads_before_it() {
    // Tasks start in any order; with forty rounds a server without an order of its own is caught.
    for round in 1..=40 {
        let mut client = Client::new().await;
        let mut lines = String::new();
        let mut line = |id: i64, name: &str, arguments: Value| {
            let params = json!({"name": name, "arguments": arguments});
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            lines.push_str(&format!("{call}\n"));
        };
        line(1, "hold", json!({"name": "before"}));
        line(2, "put", json!({"value": round}));
        line(3, "get", json!({}));
        line(4, "get", json!({}));
        line(5, "put", json!({"value": -round}));
        line(6, "get", json!({}));
        client.say_bytes(lines.as_bytes()).await;
        client.board.begun.acquire().await.unwrap().forget();
        client.sync().await;
        assert_eq!(client.board.log(), ["before begins"]);
        client.board.open.add_permits(1);
        let all = answers(&mut client, 6).await;
        let values: Vec<_> =
            all.iter().map(|answer| data(&answer["result"])["value"].as_i64().unwrap()).collect();
        assert_eq!(values, [0, round, round, round, -round, -round]);
        let (sees, now) = (format!("get sees {round}"), format!("get sees -{round}"));
        let expected = [
            "before begins",
            "before ends",
            &format!("put {round} begins"),
            &format!("put {round} ends"),
            &sees,
            &sees,
            &format!("put -{round} begins"),
            &format!("put -{round} ends"),
            &now,
        ];
        assert_eq!(client.board.log(), expected);
    }
}

#[tokio::test]
async fn calls_beyond_the_limit_are_busy_until_one_ends() {
    let mut client = Client::open(options().max_in_flight(3)).await;
    client.send(1, "hold", json!({"name": "a"})).await;
    client.send(2, "put", json!({"value": 1})).await;
    client.send(3, "get", json!({})).await;
    client.send(4, "get", json!({})).await;
    let answer = client.receive().await;
    assert_eq!(answer["id"], 4);
    let envelope = failure(&answer["result"]);
    assert_eq!(envelope["error"]["code"], "BUSY");
    assert_eq!(envelope["error"]["retryable"], true);
    client.sync().await;
    client.board.open.add_permits(1);
    assert_eq!(answers(&mut client, 3).await.len(), 3);
    assert_eq!(data(&client.call("get", json!({})).await), &json!({"value": 1}));
}

#[tokio::test]
async fn other_requests_are_answered_while_calls_run() {
    let mut client = Client::open(options().max_in_flight(1)).await;
    client.send(1, "hold_write", json!({"name": "w"})).await;
    client.board.begun.acquire().await.unwrap().forget();
    client.sync().await;
    client.request(2, "tools/list", json!({})).await;
    assert_eq!(client.receive().await["id"], 2);
    client.board.open.add_permits(1);
    assert_eq!(client.receive().await["id"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_not_read_from_and_loses_nothing() {
    let mut client = Client::buffered(options(), 1024);
    client.initialize("2025-11-25").await;
    let mut input = client.take_input();
    let said = Arc::new(AtomicUsize::new(0));
    let count = 5_000;
    let saying = tokio::spawn({
        let said = Arc::clone(&said);
        async move {
            for id in 0..count {
                let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
                input.write_all(format!("{ping}\n").as_bytes()).await.unwrap();
                said.fetch_add(1, Ordering::SeqCst);
            }
            input
        }
    });
    // The clock stands still until nobody has anything left to do.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let stuck = said.load(Ordering::SeqCst);
    assert!(stuck < 1_000, "{stuck} requests were taken from a client that does not read");
    let all = answers(&mut client, count).await;
    assert!(all.iter().enumerate().all(|(index, answer)| answer["id"] == index));
    drop(saying.await.unwrap());
}
