//! The simplest tool: a closure.

use std::future::Future;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::Ctx;
use crate::error::ToolError;
use crate::reply::Reply;
use crate::spec::ToolSpec;
use crate::tool::{Planned, Tool};

/// A tool made by [`tool_fn`].
pub struct FnTool<I, O, F> {
    spec: ToolSpec,
    function: F,
    types: PhantomData<fn(I) -> O>,
}

/// Makes a tool of a closure that takes the context and the typed arguments and returns the typed data.
///
/// ```
/// use siteclaw_core::{Ctx, ToolError, ToolSpec, Trust, tool_fn};
///
/// #[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
/// struct Nothing {}
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Time { time: String }
///
/// let spec = ToolSpec::new("server_time", "Returns the current server time.").trust(Trust::Trusted);
/// let tool = tool_fn(spec, |ctx: Ctx, _: Nothing| async move {
///     Ok::<_, ToolError>(Time { time: ctx.now().to_string() })
/// });
/// ```
pub const fn tool_fn<I, O, F, Fut>(spec: ToolSpec, function: F) -> FnTool<I, O, F>
where
    I: DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static,
    O: Serialize + JsonSchema + Send + 'static,
    F: Fn(Ctx, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, ToolError>> + Send,
{
    FnTool { spec, function, types: PhantomData }
}

impl<I, O, F, Fut> Tool for FnTool<I, O, F>
where
    I: DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static,
    O: Serialize + JsonSchema + Send + 'static,
    F: Fn(Ctx, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, ToolError>> + Send,
{
    type Input = I;
    type Plan = I;
    type Output = O;

    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn plan(&self, _: &Ctx, input: I) -> Result<Planned<I, O>, ToolError> {
        Ok(Planned::run(input))
    }

    async fn perform(&self, ctx: &Ctx, plan: &I) -> Result<Reply<O>, ToolError> {
        (self.function)(ctx.clone(), plan.clone()).await.map(Reply::new)
    }
}
