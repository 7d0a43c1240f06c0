//! Tools shaped like those of a shop, with answers that never change.

mod commerce;
mod content;
mod site;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_agent::{Agent, Offline};
use siteclaw_core::{
    AllowAll, Caller, CountingIds, Ctx, Executor, FixedClock, Masker, Registry, RegistryBuilder, Run,
    Surface, ToolError, ToolSpec, tool_fn,
};

/// Noon of the last day of November 2026, a Monday.
pub(crate) fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock("2026-11-30T12:00:00Z".parse().unwrap()))
}

pub(crate) fn executor(registry: Registry) -> Executor {
    let masker = Arc::new(Masker::new([7; 32]));
    Executor::builder(registry, Arc::new(AllowAll), masker, clock(), Arc::new(CountingIds::default())).build()
}

pub(crate) fn run() -> Run {
    Run::builder("run-7", Caller::console(Surface::Agent, false)).build()
}

/// The shop's tools behind the provider without a model.
pub(crate) fn offline() -> Agent {
    Agent::builder(executor(registry()), Arc::new(Offline::new(clock()))).build()
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Order {
    Asc,
    Desc,
}

/// A tool that answers from the arguments alone.
pub(super) fn add<I>(
    builder: RegistryBuilder,
    spec: ToolSpec,
    answer: fn(&Value) -> Result<Value, ToolError>,
) -> RegistryBuilder
where
    I: Serialize + DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static,
{
    let tool = tool_fn(spec, move |_: Ctx, input: I| async move { answer(&json!(input)) });
    builder.tool(tool).unwrap()
}

pub(super) fn nothing(_: &Value) -> Result<Value, ToolError> {
    Ok(json!({"rows": []}))
}

/// All of them.
pub(crate) fn registry() -> Registry {
    let tools = site::register(commerce::register(content::register(Registry::builder())));
    tools.build(&[]).unwrap()
}
