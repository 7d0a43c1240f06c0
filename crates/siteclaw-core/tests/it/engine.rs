//! An engine with tools whose behaviour each test sets.

use std::sync::Arc;

use serde_json::Value;
use siteclaw_core::{
    ApprovalGate, ApprovalRequest, BoxFuture, Caller, CapabilityPolicy, CountingIds, Ctx, Decision, Effects,
    Executor, ExecutorBuilder, FixedClock, Masker, Outcome, Planned, Registry, RegistryBuilder, Reply, Run,
    RunBuilder, Surface, Tool, ToolCall, ToolError, ToolSpec,
};

/// A tool made of two closures: one looks at the world while planning, one acts.
pub(crate) struct Scripted<P, A> {
    pub(crate) spec: ToolSpec,
    pub(crate) witness: P,
    pub(crate) act: A,
}

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Text {
    /// What to do it with.
    #[serde(default)]
    pub(crate) text: String,
}

impl<P, A, F> Tool for Scripted<P, A>
where
    P: Fn() -> Value + Send + Sync + 'static,
    A: Fn(Ctx, String) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Reply<Value>, ToolError>> + Send,
{
    type Input = Text;
    type Plan = String;
    type Output = Value;

    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn plan(&self, _: &Ctx, input: Text) -> Result<Planned<String, Value>, ToolError> {
        let preview = format!("will use {}", input.text);
        Ok(Planned::shown(input.text, preview, (self.witness)()))
    }

    async fn perform(&self, ctx: &Ctx, plan: &String) -> Result<Reply<Value>, ToolError> {
        (self.act)(ctx.clone(), plan.clone()).await
    }
}

/// A read-only tool.
pub(crate) fn reader<A, F>(name: &'static str, act: A) -> Scripted<fn() -> Value, A>
where
    A: Fn(Ctx, String) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Reply<Value>, ToolError>> + Send,
{
    Scripted { spec: ToolSpec::new(name, "Reads."), witness: || Value::Null, act }
}

/// A mutating tool.
pub(crate) fn writer<A, F>(name: &'static str, act: A) -> Scripted<fn() -> Value, A>
where
    A: Fn(Ctx, String) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Reply<Value>, ToolError>> + Send,
{
    let spec = ToolSpec::new(name, "Writes.").effects(Effects::WRITES);
    Scripted { spec, witness: || Value::Null, act }
}

pub(crate) fn ok(value: impl Into<Value>) -> Result<Reply<Value>, ToolError> {
    Ok(Reply::new(value.into()))
}

pub(crate) fn registry(add: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Registry {
    add(Registry::builder()).build(&[]).unwrap()
}

pub(crate) fn door(add: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> ExecutorBuilder {
    Executor::builder(
        registry(add),
        Arc::new(CapabilityPolicy),
        Arc::new(Masker::new([3; 32])),
        Arc::new(FixedClock("2026-11-30T12:00:00Z".parse().unwrap())),
        Arc::new(CountingIds::default()),
    )
}

pub(crate) fn console() -> RunBuilder {
    Run::builder("run", Caller::console(Surface::Agent, true))
}

/// Approves whatever it is asked and remembers it.
#[derive(Default)]
pub(crate) struct Approve(pub(crate) std::sync::Mutex<Vec<ApprovalRequest>>);

impl ApprovalGate for Approve {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        self.0.lock().unwrap().push(request.clone());
        Box::pin(async { Decision::Approved })
    }
}

pub(crate) async fn call(executor: &Executor, run: &Run, name: &str, arguments: Value) -> Outcome {
    executor.call(run, ToolCall::new(name, arguments)).await
}

pub(crate) fn code(outcome: &Outcome) -> &'static str {
    outcome.envelope.code().map_or("OK", |code| code.as_str())
}

pub(crate) fn message(outcome: &Outcome) -> String {
    outcome.envelope.to_value()["error"]["message"].as_str().unwrap_or_default().to_owned()
}
