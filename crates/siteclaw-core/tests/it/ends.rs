//! How calls end: panics, deadlines, cancellation, retries. The run always goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use siteclaw_core::{Cancel, Code, Ctx, Stop, ToolCall, ToolError};
use tokio::sync::Notify;

use crate::engine::{Approve, call, code, console, door, ok, reader, writer};

#[tokio::test]
async fn a_panic_is_an_answer_that_tells_nothing_and_the_run_goes_on() {
    let act = |_, text: String| async move {
        assert!(text.is_empty(), "the password is hunter22");
        ok("fine")
    };
    let executor = door(|tools| tools.tool(reader("shaky", act)).unwrap()).build();
    let run = console().build();
    let outcome = call(&executor, &run, "shaky", json!({"text": "x"})).await;
    assert_eq!(code(&outcome), "INTERNAL");
    assert!(!outcome.envelope.to_value().to_string().contains("hunter22"));
    assert_eq!(code(&call(&executor, &run, "shaky", json!({})).await), "OK");
}

#[tokio::test]
async fn a_panic_in_blocking_work_is_an_answer_too() {
    let act = |ctx: Ctx, _| async move { ctx.blocking(|_: &Stop| panic!("boom")).await };
    let executor = door(|tools| tools.tool(reader("shaky", act)).unwrap()).threads(1).build();
    let run = console().build();
    for _ in 0..3 {
        assert_eq!(code(&call(&executor, &run, "shaky", json!({})).await), "INTERNAL");
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_past_its_deadline_times_out_and_may_be_repeated() {
    let act = |_, _| async move { std::future::pending().await };
    let executor = door(|tools| tools.tool(reader("stuck", act)).unwrap()).build();
    let began = tokio::time::Instant::now();
    let outcome = call(&executor, &console().build(), "stuck", json!({})).await;
    assert_eq!(code(&outcome), "TIMEOUT");
    assert_eq!(outcome.envelope.to_value()["error"]["retryable"], json!(true));
    assert_eq!(began.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn a_write_past_its_deadline_gets_five_seconds_and_is_then_unknown() {
    let slow = |ctx: Ctx, _| async move {
        while !ctx.is_stopped() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        tokio::time::sleep(Duration::from_secs(4)).await;
        ok("done in the end")
    };
    let stuck = |_, _| async move { std::future::pending().await };
    let executor = door(|tools| {
        tools.tool(writer("slow", slow)).and_then(|tools| tools.tool(writer("stuck", stuck))).unwrap()
    })
    .build();
    let run = console().gate(Arc::new(Approve::default())).build();
    assert_eq!(code(&call(&executor, &run, "slow", json!({})).await), "OK");
    let began = tokio::time::Instant::now();
    let outcome = call(&executor, &run, "stuck", json!({})).await;
    assert_eq!(code(&outcome), "OUTCOME_UNKNOWN");
    assert_eq!(outcome.envelope.to_value()["error"]["retryable"], json!(false));
    assert_eq!(began.elapsed().as_secs(), 35);
}

#[tokio::test]
async fn cancelling_a_call_leaves_the_run_alone_and_cancelling_the_run_ends_all() {
    let started = Arc::new(Notify::new());
    let signal = Arc::clone(&started);
    let act = move |_, text: String| {
        let signal = Arc::clone(&signal);
        async move {
            if text == "wait" {
                signal.notify_one();
                std::future::pending::<()>().await;
            }
            ok(1)
        }
    };
    let executor = door(|tools| tools.tool(reader("read", act)).unwrap()).build();
    let run = console().build();
    let cancel = Cancel::new();
    let waiting = executor.call_with(&run, ToolCall::new("read", json!({"text": "wait"})), cancel.clone());
    let (outcome, ()) = tokio::join!(waiting, async {
        started.notified().await;
        cancel.cancel();
    });
    assert_eq!(code(&outcome), "CANCELLED");
    assert_eq!(code(&call(&executor, &run, "read", json!({})).await), "OK");
    run.cancel().cancel();
    assert_eq!(code(&call(&executor, &run, "read", json!({})).await), "CANCELLED");
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_stops_its_blocking_work_before_its_commit() {
    let (working, committed, ended) =
        (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
    let parts = (Arc::clone(&working), Arc::clone(&committed), Arc::clone(&ended));
    let act = move |ctx: Ctx, _| {
        let (working, committed, ended) = parts.clone();
        async move {
            ctx.blocking(move |stop| {
                working.notify_one();
                while !stop.is_set() {
                    std::thread::yield_now();
                }
                if !stop.is_set() {
                    committed.store(true, Ordering::SeqCst);
                }
                ended.notify_one();
                Ok(())
            })
            .await?;
            ok(1)
        }
    };
    let executor = door(|tools| tools.tool(writer("write", act)).unwrap()).build();
    let run = console().gate(Arc::new(Approve::default())).build();
    {
        let waiting = call(&executor, &run, "write", json!({}));
        tokio::select! {
            _ = waiting => unreachable!("the work goes on until it is told to stop"),
            () = working.notified() => {}
        }
    }
    ended.notified().await;
    assert!(!committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn only_retryable_reads_are_retried_and_only_as_often_as_stated() {
    let tries = Arc::new(AtomicU32::new(0));
    let failing = |retryable: bool| {
        let tries = Arc::clone(&tries);
        move |_: Ctx, _: String| {
            let tries = Arc::clone(&tries);
            async move {
                tries.fetch_add(1, Ordering::SeqCst);
                let error = ToolError::new(Code::new("FLAKY"), "try again");
                Err(if retryable { error.retryable() } else { error })
            }
        }
    };
    let mut flaky = reader("flaky", failing(true));
    flaky.spec = flaky.spec.retries(2);
    let mut broken = reader("broken", failing(false));
    broken.spec = broken.spec.retries(2);
    let mut write = writer("write", failing(true));
    write.spec = write.spec.retries(2);
    let executor =
        door(|tools| tools.tool(flaky).and_then(|t| t.tool(broken)).and_then(|t| t.tool(write)).unwrap())
            .build();
    let run = console().gate(Arc::new(Approve::default())).build();
    for (tool, expected) in [("flaky", 3), ("broken", 1), ("write", 1)] {
        tries.store(0, Ordering::SeqCst);
        assert_eq!(code(&call(&executor, &run, tool, json!({})).await), "FLAKY");
        assert_eq!(tries.load(Ordering::SeqCst), expected, "{tool}");
    }
}
