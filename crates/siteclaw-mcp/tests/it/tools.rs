//! Tools that the tests call: they tell what they do on a board, and wait where the test wants them to.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{
    ApprovalGate, ApprovalRequest, BoxFuture, CapabilityPolicy, CountingIds, Ctx, Decision, Effects,
    Executor, ExecutorBuilder, Masker, Paging, Planned, Registry, Reply, SystemClock, Tool, ToolError,
    ToolSpec, Trust, code, tool_fn,
};
use tokio::sync::Semaphore;

/// What the tools share with the test.
pub(crate) struct Board {
    log: Mutex<Vec<String>>,
    /// One permit for each `hold` that has begun.
    pub(crate) begun: Semaphore,
    /// One permit lets one `hold` end.
    pub(crate) open: Semaphore,
    /// One permit for each `hold` that was dropped before its end.
    pub(crate) dropped: Semaphore,
    value: AtomicI64,
}

impl Board {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            log: Mutex::default(),
            begun: Semaphore::new(0),
            open: Semaphore::new(0),
            dropped: Semaphore::new(0),
            value: AtomicI64::new(0),
        })
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    fn note(&self, text: String) {
        self.log.lock().unwrap().push(text);
    }
}

/// Approves everything.
pub(crate) struct Yes;

impl ApprovalGate for Yes {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(Decision::Approved))
    }
}

#[derive(Clone, Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

#[derive(Clone, Deserialize, JsonSchema)]
struct EchoInput {
    /// What to repeat.
    text: String,
    /// How often, 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    times: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct EchoOutput {
    text: String,
}

#[derive(Clone, Deserialize, JsonSchema)]
struct Named {
    /// What the board calls it.
    name: String,
}

#[derive(Clone, Deserialize, JsonSchema)]
struct Put {
    /// The new value.
    value: i64,
}

#[derive(Serialize, JsonSchema)]
struct Value {
    value: i64,
}

#[derive(Clone, Deserialize, JsonSchema)]
struct Nap {
    /// Milliseconds to wait.
    ms: u64,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    id: u32,
    body: String,
}

#[derive(Serialize, JsonSchema)]
struct Rows {
    title: String,
    rows: Vec<Row>,
}

/// A result of half a million characters: a list, and a long text beside it.
struct Huge;

impl Tool for Huge {
    type Input = Nothing;
    type Plan = ();
    type Output = Rows;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("huge", "Returns far too much.")
    }

    async fn plan(&self, _: &Ctx, _: Nothing) -> Result<Planned<(), Rows>, ToolError> {
        Ok(Planned::run(()))
    }

    async fn perform(&self, _: &Ctx, _: &()) -> Result<Reply<Rows>, ToolError> {
        let rows = (0..50).map(|id| Row { id, body: "b".repeat(5_000) }).collect();
        let paging = Paging::Offset { offset: 0, limit: 50, total: Some(80), has_more: true };
        Ok(Reply::new(Rows { title: "t".repeat(250_000), rows }).list("rows", paging))
    }
}

struct Dropped(Arc<Board>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.dropped.add_permits(1);
    }
}

async fn held(board: Arc<Board>, name: String) -> Result<Value, ToolError> {
    board.note(format!("{name} begins"));
    board.begun.add_permits(1);
    let guard = Dropped(Arc::clone(&board));
    board.open.acquire().await.unwrap().forget();
    std::mem::forget(guard);
    board.note(format!("{name} ends"));
    Ok(Value { value: board.value.load(Ordering::SeqCst) })
}

/// All of the tools, on this board.
pub(crate) fn registry(board: &Arc<Board>) -> Registry {
    let echo = tool_fn(
        ToolSpec::new("echo", "Repeats a text.\nNothing else.").title("Echo").trust(Trust::Trusted),
        |_, input: EchoInput| async move {
            Ok(EchoOutput { text: input.text.repeat(input.times.unwrap_or(1) as usize) })
        },
    );
    let hold = tool_fn(ToolSpec::new("hold", "Reads, and waits for the test."), {
        let board = Arc::clone(board);
        move |_, input: Named| held(Arc::clone(&board), input.name)
    });
    let hold_write =
        tool_fn(ToolSpec::new("hold_write", "Writes, and waits for the test.").effects(Effects::WRITES), {
            let board = Arc::clone(board);
            move |_, input: Named| held(Arc::clone(&board), input.name)
        });
    let put = tool_fn(ToolSpec::new("put", "Sets the value.").effects(Effects::WRITES).idempotent(true), {
        let board = Arc::clone(board);
        move |_, input: Put| {
            let board = Arc::clone(&board);
            async move {
                board.note(format!("put {} begins", input.value));
                // Others would run now, if they could.
                tokio::task::yield_now().await;
                board.value.store(input.value, Ordering::SeqCst);
                board.note(format!("put {} ends", input.value));
                Ok(Value { value: input.value })
            }
        }
    });
    let get = tool_fn(ToolSpec::new("get", "Returns the value."), {
        let board = Arc::clone(board);
        move |_, _: Nothing| {
            let board = Arc::clone(&board);
            async move {
                let value = board.value.load(Ordering::SeqCst);
                board.note(format!("get sees {value}"));
                Ok(Value { value })
            }
        }
    });
    let nap = tool_fn(ToolSpec::new("nap", "Takes its time."), |_, input: Nap| async move {
        tokio::time::sleep(Duration::from_millis(input.ms)).await;
        Ok(Value { value: 0 })
    });
    let fail = tool_fn(ToolSpec::new("fail", "Always fails."), |_, _: Nothing| async move {
        let error = ToolError::new(code::NOT_FOUND, "No post has the id 7.").hint("List posts first.");
        Err::<Value, _>(error.with("id", 7))
    });
    let panics = tool_fn(ToolSpec::new("panics", "Panics."), |_, _: Nothing| async move {
        if true {
            panic!("the secret reason");
        }
        Ok(Value { value: 0 })
    });
    let send = tool_fn(ToolSpec::new("send", "Sends.").effects(Effects::SENDS), |_, _: Nothing| async move {
        Ok(Value { value: 0 })
    });
    let attended = tool_fn(
        ToolSpec::new("attended", "For persons only.").interactive_console_only(),
        |_, _: Nothing| async move { Ok(Value { value: 0 }) },
    );
    let report = tool_fn(ToolSpec::new("report", "Reports, and waits for the test after each report."), {
        let board = Arc::clone(board);
        move |ctx: Ctx, _: Nothing| {
            let board = Arc::clone(&board);
            async move {
                for (message, fraction) in [
                    ("opening", None),
                    ("reading with the key hunter2hunter2", Some(0.5)),
                    ("closing", Some(0.5)),
                ] {
                    ctx.progress(message, fraction);
                    board.open.acquire().await.unwrap().forget();
                }
                Ok(Value { value: 0 })
            }
        }
    });
    let poll = tool_fn(ToolSpec::new("poll", "Blocks a thread until it is told to stop."), {
        let board = Arc::clone(board);
        move |ctx: Ctx, _: Nothing| {
            let board = Arc::clone(&board);
            async move {
                ctx.blocking(move |stop| {
                    board.begun.add_permits(1);
                    while !stop.is_set() {
                        std::thread::yield_now();
                    }
                    board.dropped.add_permits(1);
                    Ok(Value { value: 0 })
                })
                .await
            }
        }
    });
    let builder = Registry::builder().tool(echo).and_then(|b| b.tool(hold)).and_then(|b| b.tool(hold_write));
    let builder = builder.and_then(|b| b.tool(put)).and_then(|b| b.tool(get)).and_then(|b| b.tool(nap));
    let builder = builder.and_then(|b| b.tool(fail)).and_then(|b| b.tool(panics)).and_then(|b| b.tool(send));
    let builder = builder.and_then(|b| b.tool(attended)).and_then(|b| b.tool(report));
    builder.and_then(|b| b.tool(poll)).and_then(|b| b.tool(Huge)).and_then(|b| b.build(&[])).unwrap()
}

/// A door to tools, under the product's own policy.
pub(crate) fn executor(registry: Registry) -> ExecutorBuilder {
    let masker = Arc::new(Masker::new([7; 32]));
    masker.learn([siteclaw_core::Secret::new("hunter2hunter2")]);
    Executor::builder(
        registry,
        Arc::new(CapabilityPolicy),
        masker,
        Arc::new(SystemClock),
        Arc::new(CountingIds::default()),
    )
}
