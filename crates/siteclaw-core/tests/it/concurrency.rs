//! Order and parallelism by the run's lock, for one turn and for concurrent callers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use serde_json::json;
use siteclaw_core::{Ctx, Executor, Run, ToolCall};
use tokio::sync::Barrier;

use crate::engine::{Approve, call, code, console, door, ok, reader, writer};

/// Reads that finish only when `together` of them are under way.
fn meeting(together: usize) -> (Executor, Run, Arc<AtomicUsize>) {
    let barrier = Arc::new(Barrier::new(together));
    let most = Arc::new(AtomicUsize::new(0));
    let (inside, peak) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&most));
    let act = move |_: Ctx, _: String| {
        let (barrier, inside, peak) = (Arc::clone(&barrier), Arc::clone(&inside), Arc::clone(&peak));
        async move {
            peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            barrier.wait().await;
            inside.fetch_sub(1, Ordering::SeqCst);
            ok(1)
        }
    };
    let executor = door(|tools| tools.tool(reader("read", act)).unwrap()).build();
    (executor, console().build(), most)
}

#[tokio::test]
async fn eight_reads_of_one_turn_work_at_once_and_never_more() {
    let (executor, run, most) = meeting(8);
    let calls = (0..16).map(|_| ToolCall::new("read", json!({}))).collect();
    let outcomes = executor.call_turn(&run, calls).await;
    assert!(outcomes.iter().all(|outcome| code(outcome) == "OK"));
    assert_eq!(most.load(Ordering::SeqCst), 8);
}

#[tokio::test]
async fn concurrent_callers_of_one_run_share_its_lock() {
    let (executor, run, most) = meeting(8);
    let outcomes = join_all((0..8).map(|_| call(&executor, &run, "read", json!({})))).await;
    assert!(outcomes.iter().all(|outcome| code(outcome) == "OK"));
    assert_eq!(most.load(Ordering::SeqCst), 8);
}

/// A reader and a writer that log their beginning and end.
fn logged() -> (Executor, Run, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let act = |log: &Arc<Mutex<Vec<String>>>| {
        let log = Arc::clone(log);
        move |_: Ctx, text: String| {
            let log = Arc::clone(&log);
            async move {
                log.lock().unwrap().push(format!("+{text}"));
                // Lets everything else that may run do so.
                for _ in 0..20 {
                    tokio::task::yield_now().await;
                }
                log.lock().unwrap().push(format!("-{text}"));
                ok(text)
            }
        }
    };
    let executor = door(|tools| {
        tools
            .tool(reader("read", act(&log)))
            .and_then(|tools| tools.tool(writer("write", act(&log))))
            .unwrap()
    })
    .build();
    let run = console().gate(Arc::new(Approve::default())).build();
    (executor, run, log)
}

fn named(tool: &str, text: &str) -> ToolCall {
    ToolCall::new(tool, json!({"text": text})).with_id(text)
}

#[tokio::test]
async fn in_one_turn_a_write_waits_for_all_before_it_and_holds_up_all_after_it() {
    let (executor, run, log) = logged();
    let calls = vec![
        named("read", "r1"),
        named("read", "r2"),
        named("write", "w1"),
        named("write", "w2"),
        named("read", "r3"),
    ];
    let outcomes = executor.call_turn(&run, calls).await;
    let ids: Vec<&str> = outcomes.iter().map(|outcome| outcome.id.as_str()).collect();
    assert_eq!(ids, ["r1", "r2", "w1", "w2", "r3"]);
    let log = log.lock().unwrap();
    assert_eq!(*log, ["+r1", "+r2", "-r1", "-r2", "+w1", "-w1", "+w2", "-w2", "+r3", "-r3"]);
}

#[tokio::test]
async fn concurrent_writes_never_overlap_anything() {
    let (executor, run, log) = logged();
    let names: Vec<(&str, String)> =
        (0..12).map(|n| (if n % 3 == 0 { "write" } else { "read" }, format!("{n}"))).collect();
    join_all(names.iter().map(|(tool, text)| executor.call(&run, named(tool, text)))).await;
    let log = log.lock().unwrap();
    let writes: Vec<&String> =
        names.iter().filter(|(tool, _)| *tool == "write").map(|(_, text)| text).collect();
    for text in writes {
        let begin = log.iter().position(|entry| *entry == format!("+{text}")).unwrap();
        assert_eq!(log[begin + 1], format!("-{text}"), "{log:?}");
    }
    assert_eq!(log.len(), 24);
}

#[tokio::test]
async fn two_engines_in_one_process_share_nothing() {
    let one = door(|tools| tools.tool(reader("echo", |_, text| async move { ok(text) })).unwrap()).build();
    let two = door(|tools| tools.tool(reader("echo", |_, text| async move { ok(text) })).unwrap()).build();
    one.masker().learn([siteclaw_core::Secret::new("only-of-one")]);
    let run = console().build();
    let said = async |executor: &Executor| {
        call(executor, &run, "echo", json!({"text": "only-of-one"})).await.envelope.to_value()["data"].clone()
    };
    assert_ne!(said(&one).await, json!("only-of-one"));
    assert_eq!(said(&two).await, json!("only-of-one"));
}

#[tokio::test]
async fn a_write_that_is_approved_at_once_is_not_overtaken_by_a_read_behind_it() {
    let (executor, run, log) = logged();
    let calls = [named("read", "r1"), named("write", "w1"), named("read", "r2")];
    join_all(calls.map(|call| executor.call(&run, call))).await;
    assert_eq!(*log.lock().unwrap(), ["+r1", "-r1", "+w1", "-w1", "+r2", "-r2"]);
}
