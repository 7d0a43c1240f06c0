//! Arguments of a call: whatever JSON comes in, the door answers with an envelope within the budget, and what
//! passed tidying and validation can be parsed into the tool's typed input.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use siteclaw_core::{
    Caller, CapabilityPolicy, CountingIds, Ctx, Executor, FixedClock, Masker, RESULT_BUDGET, Registry, Run,
    Surface, ToolCall, ToolError, ToolSpec, tool_fn,
};

/// Input with a field of each kind that tools have.
#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the fields are there to be filled")]
struct Input {
    /// The most rows.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Rows to pass over.
    #[serde(default)]
    offset: Option<u64>,
    /// The least total.
    #[serde(default)]
    #[schemars(range(min = 0))]
    min_total: Option<f64>,
    /// Words to look for.
    #[serde(default)]
    #[schemars(length(max = 200))]
    search: Option<String>,
    /// Which way.
    #[serde(default)]
    order: Option<Order>,
    /// Numbers of posts.
    #[serde(default)]
    ids: Vec<i64>,
    /// Names of columns.
    #[serde(default)]
    #[schemars(length(max = 20))]
    columns: Vec<String>,
    /// Drafts as well.
    #[serde(default)]
    drafts: bool,
    /// When.
    #[serde(default)]
    range: Option<Days>,
    /// Which one.
    id: i32,
}

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
enum Order {
    /// Upwards.
    #[serde(rename = "ASC")]
    Ascending,
    /// Downwards.
    #[serde(rename = "DESC")]
    Descending,
}

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the fields are there to be filled")]
struct Days {
    /// How many.
    #[schemars(range(max = 366))]
    days: u16,
    /// Parts of the day.
    #[serde(default)]
    hours: Vec<u8>,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Nothing {}

static DOOR: LazyLock<Executor> = LazyLock::new(|| {
    let tool = tool_fn(ToolSpec::new("list_posts", "Lists posts."), |_: Ctx, _: Input| async {
        Ok::<_, ToolError>(Nothing {})
    });
    let registry =
        Registry::builder().tool(tool).and_then(|tools| tools.build(&[])).expect("the tool is sound");
    let clock = FixedClock("2026-11-30T12:00:00Z".parse().expect("a time"));
    let ids = Arc::new(CountingIds::default());
    let masker = Arc::new(Masker::new([3; 32]));
    Executor::builder(registry, Arc::new(CapabilityPolicy), masker, Arc::new(clock), ids).build()
});

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime"));

fuzz_target!(|data: &[u8]| {
    let Ok(arguments) = serde_json::from_slice::<Value>(data) else { return };
    let run = Run::builder("fuzz", Caller::console(Surface::Agent, true)).build();
    let outcome = RUNTIME.block_on(DOOR.call(&run, ToolCall::new("list_posts", arguments)));
    let envelope = outcome.envelope.to_value();
    assert!(envelope["success"].is_boolean() && envelope["warnings"].is_array(), "{envelope}");
    let chars = envelope.to_string().chars().count();
    assert!(chars <= RESULT_BUDGET, "{chars} characters: {envelope}");
    match outcome.envelope.code() {
        None => assert_eq!(envelope["data"], json!({})),
        Some(code) => assert!(
            matches!(
                code.as_str(),
                "UNKNOWN_ARGUMENT"
                    | "MISSING_ARGUMENT"
                    | "INVALID_ARGUMENT"
                    | "INVALID_LIMIT"
                    | "INVALID_OFFSET"
            ),
            "{envelope}"
        ),
    }
});
