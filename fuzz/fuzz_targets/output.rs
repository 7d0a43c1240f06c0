//! Fitting results: the shape stays, strings only get shorter, paging fields stay true, and a list of rows
//! fits its budget.
//!
//! The input is `{"budget": …, "offset": …, "total": …, "rows": […], "rest": …}`; what is missing has a default.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use siteclaw_core::{
    Caller, CapabilityPolicy, CountingIds, Ctx, Executor, FixedClock, Masker, Paging, Planned, Registry,
    Reply, Run, Surface, Tool, ToolCall, ToolError, ToolSpec,
};

/// Hands back what the run holds for it.
struct Given;

/// A result, as it comes from the fuzzer.
struct Page {
    data: Value,
    paging: Paging,
}

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
struct NoInput {}

impl Tool for Given {
    type Input = NoInput;
    type Plan = ();
    type Output = Value;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("given", "Gives what it is given.")
    }

    async fn plan(&self, _: &Ctx, _: NoInput) -> Result<Planned<(), Value>, ToolError> {
        Ok(Planned::run(()))
    }

    async fn perform(&self, ctx: &Ctx, (): &()) -> Result<Reply<Value>, ToolError> {
        let given = ctx.extension::<Page>().expect("the run holds it");
        Ok(Reply::new(given.data.clone()).list("rows", given.paging))
    }
}

static DOOR: LazyLock<Executor> = LazyLock::new(|| {
    let registry =
        Registry::builder().tool(Given).and_then(|tools| tools.build(&[])).expect("the tool is sound");
    let clock = FixedClock("2026-11-30T12:00:00Z".parse().expect("a time"));
    let ids = Arc::new(CountingIds::default());
    let masker = Arc::new(Masker::new([3; 32]));
    Executor::builder(registry, Arc::new(CapabilityPolicy), masker, Arc::new(clock), ids).build()
});

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime"));

fuzz_target!(|data: &[u8]| {
    let Ok(input) = serde_json::from_slice::<Value>(data) else { return };
    let number = |key: &str| input[key].as_u64();
    let budget = number("budget").and_then(|chars| usize::try_from(chars).ok()).unwrap_or(0).clamp(500, 4000);
    let rows = input["rows"].as_array().cloned().unwrap_or_default();
    let rest = input["rest"].clone();
    let paging = match (number("page"), number("offset")) {
        (Some(page), _) => Paging::Numbered {
            page,
            size: number("size").unwrap_or(10),
            total: number("total").unwrap_or(0),
            size_field: "per_page",
        },
        (None, Some(offset)) => {
            // Rows of a database: more of them than this do not exist.
            let (offset, total) = (offset.min(1 << 60), number("total").map(|total| total.min(1 << 60)));
            Paging::Offset { offset, limit: number("size").unwrap_or(10), total, has_more: false }
        }
        (None, None) => Paging::Whole,
    };

    let given = json!({"rows": rows, "rest": rest});
    let result = Page { data: given.clone(), paging };
    let caller = Caller::console(Surface::Agent, true);
    let run = Run::builder("fuzz", caller).budget(budget).extension(result).build();
    let outcome = RUNTIME.block_on(DOOR.call(&run, ToolCall::new("given", json!({}))));
    let envelope = outcome.envelope.to_value();
    assert_eq!(envelope["success"], true, "{envelope}");

    let kept = envelope["data"]["rows"].as_array().expect("still a list");
    assert!(kept.len() <= rows.len() && (rows.is_empty() || !kept.is_empty()), "{envelope}");
    assert_eq!(envelope["meta"]["count"], kept.len(), "{envelope}");
    for (before, after) in rows.iter().zip(kept) {
        shorter(before, after);
    }
    shorter(&given["rest"], &envelope["data"]["rest"]);

    // One row, what stands beside the list and a suspicious passage's path cannot be left out.
    let frame = rows.iter().map(size).max().unwrap_or(0) + size(&given["rest"]);
    let chars = envelope.to_string().chars().count();
    assert!(chars <= budget + frame + 600, "{chars} of {budget} with {frame}: {envelope}");
});

fn size(value: &Value) -> usize {
    value.to_string().chars().count()
}

/// Whether the one became the other by cutting strings and masking alone.
fn shorter(before: &Value, after: &Value) {
    match (before, after) {
        (Value::String(_), Value::String(_)) => {}
        (Value::Array(before), Value::Array(after)) => {
            assert_eq!(before.len(), after.len());
            before.iter().zip(after).for_each(|(before, after)| shorter(before, after));
        }
        (Value::Object(before), Value::Object(after)) => {
            // Keys that look like secrets are masked, two of them perhaps into one.
            assert!(after.len() <= before.len());
            for (key, after) in after {
                before.get(key).into_iter().for_each(|before| shorter(before, after));
            }
        }
        _ => assert_eq!(before, after),
    }
}
