//! The object-safe shell around a typed tool.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::code;
use crate::context::Ctx;
use crate::effects::Effects;
use crate::envelope::Warning;
use crate::error::ToolError;
use crate::event::EventKind;
use crate::reply::{List, Reply};
use crate::tool::{Planned, Recovery, Tool};

pub(crate) type Opaque = Box<dyn Any + Send + Sync>;

/// Arguments in the tool's own type, with what depends on them.
pub(crate) struct Input {
    typed: Box<dyn Any + Send>,
    pub(crate) effects: Option<Effects>,
    pub(crate) capabilities: Vec<Cow<'static, str>>,
}

/// A plan whose type only the tool knows.
pub(crate) enum ErasedPlan {
    Run { plan: Opaque, preview: Option<String>, witness: Value },
    Done(RawReply),
}

/// A reply as JSON.
pub(crate) struct RawReply {
    pub(crate) data: Value,
    pub(crate) meta: Map<String, Value>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) list: Option<List>,
    pub(crate) trusted: bool,
}

pub(crate) trait Erased: Send + Sync {
    fn parse(&self, arguments: &Value) -> Result<Input, ToolError>;

    fn plan<'a>(&'a self, ctx: &'a Ctx, input: Input) -> BoxFuture<'a, Result<ErasedPlan, ToolError>>;

    /// Performs, verifies and completes; repeats what may be repeated, at most `retries` times.
    fn execute<'a>(
        &'a self,
        ctx: &'a Ctx,
        plan: &'a Opaque,
        retries: u32,
    ) -> BoxFuture<'a, Result<RawReply, ToolError>>;
}

pub(crate) struct Shell<T>(Arc<T>);

impl<T: Tool> Shell<T> {
    pub(crate) fn new(tool: T) -> Self {
        Self(Arc::new(tool))
    }
}

impl<T: Tool> Erased for Shell<T> {
    fn parse(&self, arguments: &Value) -> Result<Input, ToolError> {
        let input = <T::Input as serde::Deserialize>::deserialize(arguments).map_err(|error| {
            // The schema passed, so the type asks for more than its schema says; serde's text names it.
            let text = crate::error::sanitise_fragment(&error.to_string(), 200);
            ToolError::new(code::INVALID_ARGUMENT, format!("The arguments were not understood: {text}."))
        })?;
        let effects = self.0.effects(&input);
        let capabilities = self.0.capabilities(&input);
        Ok(Input { typed: Box::new(input), effects, capabilities })
    }

    fn plan<'a>(&'a self, ctx: &'a Ctx, input: Input) -> BoxFuture<'a, Result<ErasedPlan, ToolError>> {
        Box::pin(async move {
            let input = input.typed.downcast::<T::Input>().map_err(|_| foreign("input"))?;
            Ok(match self.0.plan(ctx, *input).await? {
                Planned::Run { plan, preview, witness } => {
                    ErasedPlan::Run { plan: Box::new(plan), preview, witness }
                }
                Planned::Done(reply) => ErasedPlan::Done(raw(reply)?),
            })
        })
    }

    fn execute<'a>(
        &'a self,
        ctx: &'a Ctx,
        plan: &'a Opaque,
        retries: u32,
    ) -> BoxFuture<'a, Result<RawReply, ToolError>> {
        Box::pin(async move {
            let plan = plan.downcast_ref::<T::Plan>().ok_or_else(|| foreign("plan"))?;
            let mut attempt = 0;
            loop {
                let error = match self.attempt(ctx, plan).await {
                    Ok(reply) => return raw(reply),
                    Err(error) => error,
                };
                attempt += 1;
                let code = error.code().as_str();
                match self.0.recover(ctx, error.clone(), attempt).await {
                    Recovery::Retry if attempt <= retries && !ctx.is_stopped() => {
                        ctx.emit(|| EventKind::Retrying { attempt, code });
                    }
                    Recovery::Retry => return Err(error),
                    Recovery::Finish(reply) => return raw(reply),
                    Recovery::Fail(error) => return Err(error),
                }
            }
        })
    }
}

impl<T: Tool> Shell<T> {
    async fn attempt(&self, ctx: &Ctx, plan: &T::Plan) -> Result<Reply<T::Output>, ToolError> {
        let reply = self.0.perform(ctx, plan).await?;
        self.0.verify(ctx, plan, &reply).await?;
        self.0.complete(ctx, plan, reply).await
    }
}

fn foreign(what: &str) -> ToolError {
    ToolError::new(code::INTERNAL, format!("The tool was handed another tool's {what}."))
}

fn raw<O: serde::Serialize>(reply: Reply<O>) -> Result<RawReply, ToolError> {
    let data = serde_json::to_value(&reply.data).map_err(|error| {
        ToolError::new(code::INTERNAL, "The result could not be written as JSON.").source(error)
    })?;
    let Reply { meta, warnings, list, trusted, .. } = reply;
    Ok(RawReply { data, meta, warnings, list, trusted })
}
