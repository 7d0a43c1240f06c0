//! Asking: what is shown, what it is bound to, and what waits meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use siteclaw_core::{
    ApprovalGate, ApprovalRequest, BoxFuture, Ctx, Decision, Effects, Intent, Journal, JournalError, Record,
    Secret, ToolSpec,
};
use tokio::sync::Notify;

use crate::engine::{Approve, Scripted, call, code, console, door, message, ok, reader, writer};

#[tokio::test]
async fn without_a_gate_a_mutating_call_is_denied_and_does_nothing() {
    let done = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&done);
    let act = move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { ok(1) }
    };
    let executor = door(|tools| tools.tool(writer("write", act)).unwrap()).build();
    let outcome = call(&executor, &console().build(), "write", json!({})).await;
    assert_eq!(code(&outcome), "APPROVAL_DENIED");
    assert!(message(&outcome).contains("Nobody can be asked"), "{}", message(&outcome));
    assert_eq!(done.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_gate_sees_what_will_run_without_its_secrets() {
    let executor = door(|tools| tools.tool(writer("write", |_, _| async { ok(1) })).unwrap()).build();
    executor.masker().learn([Secret::new("tr0ub4dor&3")]);
    let gate = Arc::new(Approve::default());
    let run = console().gate(gate.clone()).build();
    call(&executor, &run, "write", json!({"text": "use tr0ub4dor&3"})).await;
    let asked = gate.0.lock().unwrap();
    let [request] = asked.as_slice() else { panic!("asked {} times", asked.len()) };
    let shown = format!("{request:?}");
    assert!(!shown.contains("tr0ub4dor") && shown.contains("⟦secret:"), "{shown}");
    assert!(request.preview.as_deref().unwrap().starts_with("will use use ⟦secret:"));
    assert_eq!(request.digest.len(), 64);
    assert_eq!(request.effects, Effects::WRITES);
}

/// Changes the world while it is asked.
struct Meddling(Arc<AtomicU64>, u64);
impl ApprovalGate for Meddling {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        self.0.fetch_add(self.1, Ordering::SeqCst);
        Box::pin(async { Decision::Approved })
    }
}

#[tokio::test]
async fn a_decision_holds_only_for_the_state_it_was_made_on() {
    for (change, expected) in [(0, "OK"), (1, "STALE_APPROVAL")] {
        let world = Arc::new(AtomicU64::new(5));
        let look = {
            let world = Arc::clone(&world);
            move || Value::from(world.load(Ordering::SeqCst))
        };
        let spec = ToolSpec::new("write", "Writes.").effects(Effects::WRITES);
        let tool = Scripted { spec, witness: look, act: |_, _| async { ok(1) } };
        let executor = door(|tools| tools.tool(tool).unwrap()).build();
        let run = console().gate(Arc::new(Meddling(world, change))).build();
        assert_eq!(code(&call(&executor, &run, "write", json!({})).await), expected);
    }
}

#[tokio::test]
async fn digests_differ_by_arguments_witness_tool_run_and_caller_and_not_by_the_order_of_keys() {
    let digest = async |tool: &'static str, run: &str, witness: u64, arguments: Value| {
        let spec = ToolSpec::new(tool, "Writes.").effects(Effects::WRITES);
        let tool_made =
            Scripted { spec, witness: move || json!({"b": 1, "a": witness}), act: |_, _| async { ok(1) } };
        let executor = door(|tools| tools.tool(tool_made).unwrap()).build();
        let gate = Arc::new(Approve::default());
        let caller = siteclaw_core::Caller::console(siteclaw_core::Surface::Agent, true);
        let run = siteclaw_core::Run::builder(run, caller).gate(gate.clone()).build();
        call(&executor, &run, tool, arguments).await;
        gate.0.lock().unwrap().first().map(|request| request.digest.clone()).unwrap()
    };
    let base = digest("write", "r", 1, json!({"text": "a"})).await;
    assert_eq!(base, digest("write", "r", 1, json!({"text": "a"})).await);
    assert_ne!(base, digest("write", "r", 1, json!({"text": "b"})).await);
    assert_ne!(base, digest("write", "r", 2, json!({"text": "a"})).await);
    assert_ne!(base, digest("write", "s", 1, json!({"text": "a"})).await);
    assert_ne!(base, digest("write2", "r", 1, json!({"text": "a"})).await);
}

/// Decides when it is told to.
#[derive(Default)]
struct Waiting {
    asked: Notify,
    answer: Notify,
}
impl ApprovalGate for Waiting {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        Box::pin(async {
            self.asked.notify_one();
            self.answer.notified().await;
            Decision::Approved
        })
    }
}

#[tokio::test(start_paused = true)]
async fn while_somebody_thinks_reads_go_on_and_the_deadline_stands_still() {
    let executor = door(|tools| {
        tools
            .tool(writer("write", |_, _| async {
                tokio::time::sleep(Duration::from_secs(29)).await;
                ok("written")
            }))
            .and_then(|tools| tools.tool(reader("read", |_, _| async { ok("read") })))
            .unwrap()
    })
    .build();
    let gate = Arc::new(Waiting::default());
    let run = console().gate(gate.clone()).build();
    let (written, ()) = tokio::join!(call(&executor, &run, "write", json!({})), async {
        gate.asked.notified().await;
        assert_eq!(code(&call(&executor, &run, "read", json!({})).await), "OK");
        tokio::time::sleep(Duration::from_secs(3600)).await;
        gate.answer.notify_one();
    });
    assert_eq!(code(&written), "OK");
}

#[tokio::test]
async fn sending_asks_only_once_the_run_is_tainted() {
    let mut send = reader("send", |_, _| async { ok(1) });
    send.spec = ToolSpec::new("send", "Sends.").effects(Effects::SENDS).trust(siteclaw_core::Trust::Trusted);
    let executor = door(|tools| {
        tools
            .tool(send)
            .and_then(|tools| tools.tool(reader("page", |_, _| async { ok("text of others") })))
            .unwrap()
    })
    .build();
    let gate = Arc::new(Approve::default());
    let run = console().gate(gate.clone()).build();
    assert_eq!(code(&call(&executor, &run, "send", json!({})).await), "OK");
    assert_eq!(gate.0.lock().unwrap().len(), 0);
    call(&executor, &run, "page", json!({})).await;
    assert!(run.is_tainted());
    assert_eq!(code(&call(&executor, &run, "send", json!({})).await), "OK");
    assert_eq!(gate.0.lock().unwrap().len(), 1);
    assert!(gate.0.lock().unwrap()[0].tainted);
}

#[derive(Default)]
struct Book {
    closed: bool,
    entries: Mutex<Vec<String>>,
}
impl Journal for Book {
    fn intent<'a>(&'a self, intent: &'a Intent) -> BoxFuture<'a, Result<(), JournalError>> {
        let result = if self.closed { Err(JournalError("disk full".to_owned())) } else { Ok(()) };
        self.entries.lock().unwrap().push(format!("intent {} {}", intent.tool, intent.digest.len()));
        Box::pin(async { result })
    }
    fn record<'a>(&'a self, record: &'a Record) -> BoxFuture<'a, Result<(), JournalError>> {
        self.entries.lock().unwrap().push(format!("record {} {}", record.tool, record.code.unwrap_or("OK")));
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn the_intent_is_kept_before_the_change_and_without_it_nothing_changes() {
    for closed in [false, true] {
        let book = Arc::new(Book { closed, ..Book::default() });
        let log = Arc::clone(&book);
        let act = move |_: Ctx, _: String| {
            log.entries.lock().unwrap().push("change".to_owned());
            async { ok(1) }
        };
        let executor = door(|tools| tools.tool(writer("write", act)).unwrap()).journal(book.clone()).build();
        let run = console().gate(Arc::new(Approve::default())).build();
        call(&executor, &run, "write", json!({})).await;
        let entries = book.entries.lock().unwrap().clone();
        if closed {
            assert_eq!(entries, ["intent write 64", "record write JOURNAL_UNAVAILABLE"]);
        } else {
            assert_eq!(entries, ["intent write 64", "change", "record write OK"]);
        }
    }
}
