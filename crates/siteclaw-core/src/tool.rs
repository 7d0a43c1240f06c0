//! The contract a tool fulfils.
//!
//! A tool has a typed input, a typed plan and a typed output, and five methods of which two must be
//! written: [`plan`](Tool::plan) resolves what the call will do, without effect, and refuses what should be
//! refused; [`perform`](Tool::perform) does it. [`verify`](Tool::verify) checks the raw result,
//! [`complete`](Tool::complete) shapes it, [`recover`](Tool::recover) decides after a failure. For the
//! simplest tool a closure is enough: [`tool_fn`](crate::tool_fn).
//!
//! A whole tool:
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use siteclaw_core::{Ctx, Planned, Reply, Tool, ToolError, ToolSpec, code};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Input {
//!     /// Name of the cache entry.
//!     key: String,
//! }
//! #[derive(Serialize, JsonSchema)]
//! struct Output { value: String }
//! struct CacheGet(std::collections::HashMap<String, String>);
//!
//! impl Tool for CacheGet {
//!     type Input = Input;
//!     type Plan = String;
//!     type Output = Output;
//!     fn spec(&self) -> ToolSpec { ToolSpec::new("cache_get", "Reads one cache entry.").capability("read_cache") }
//!     async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<String, Output>, ToolError> {
//!         Ok(Planned::run(input.key))
//!     }
//!     async fn perform(&self, _: &Ctx, key: &String) -> Result<Reply<Output>, ToolError> {
//!         let value = self.0.get(key).ok_or_else(|| ToolError::new(code::NOT_FOUND, "No such entry."))?;
//!         Ok(Reply::new(Output { value: value.clone() }))
//!     }
//! }
//! ```

use std::borrow::Cow;
use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::Ctx;
use crate::effects::Effects;
use crate::error::ToolError;
use crate::reply::Reply;
use crate::spec::ToolSpec;

/// What a tool will do, decided before anything is done.
#[derive(Debug)]
pub enum Planned<P, O> {
    /// There is work to perform.
    Run {
        /// All that the later stages see.
        plan: P,
        /// What a person is shown before approving: a diff, a statement, an address.
        preview: Option<String>,
        /// What the decision is bound to besides the arguments: a file's hash, a resolved address.
        witness: Value,
    },
    /// The result is known already; nothing further runs.
    Done(Reply<O>),
}

impl<P, O> Planned<P, O> {
    /// A plan with neither preview nor witness.
    pub const fn run(plan: P) -> Self {
        Self::Run { plan, preview: None, witness: Value::Null }
    }

    /// A plan that shows a person what will run, bound to the state it was made from.
    pub fn shown(plan: P, preview: impl Into<String>, witness: impl Into<Value>) -> Self {
        Self::Run { plan, preview: Some(preview.into()), witness: witness.into() }
    }
}

/// What to do after a failure of perform, verify or complete.
#[derive(Debug)]
pub enum Recovery<O> {
    /// Perform the same plan again. The door counts, and never repeats a mutating call.
    Retry,
    /// Give this result instead.
    Finish(Reply<O>),
    /// Fail with this error.
    Fail(ToolError),
}

/// A named capability with a typed input and output.
pub trait Tool: Send + Sync + 'static {
    /// The arguments. Doc comments become the descriptions a model reads.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// What [`plan`](Tool::plan) decided.
    type Plan: Send + Sync + 'static;
    /// The `data` of a success.
    type Output: Serialize + JsonSchema + Send + 'static;

    /// Name, texts, effects and limits. Read once, at registration.
    fn spec(&self) -> ToolSpec;

    /// The effects of this input, where they differ from the widest ones in the spec.
    fn effects(&self, input: &Self::Input) -> Option<Effects> {
        let _ = input;
        None
    }

    /// Capabilities that this input asks for, beyond those of the tool.
    fn capabilities(&self, input: &Self::Input) -> Vec<Cow<'static, str>> {
        let _ = input;
        Vec::new()
    }

    /// Resolves what the call will do, without effect. Refusals come from here. It may be called twice for
    /// one call: once before a person is asked, once after.
    fn plan(
        &self,
        ctx: &Ctx,
        input: Self::Input,
    ) -> impl Future<Output = Result<Planned<Self::Plan, Self::Output>, ToolError>> + Send;

    /// Does the work.
    fn perform(
        &self,
        ctx: &Ctx,
        plan: &Self::Plan,
    ) -> impl Future<Output = Result<Reply<Self::Output>, ToolError>> + Send;

    /// Checks the raw result before anybody sees it.
    fn verify(
        &self,
        ctx: &Ctx,
        plan: &Self::Plan,
        reply: &Reply<Self::Output>,
    ) -> impl Future<Output = Result<(), ToolError>> + Send {
        let _ = (ctx, plan, reply);
        std::future::ready(Ok(()))
    }

    /// Gives the result its final shape.
    fn complete(
        &self,
        ctx: &Ctx,
        plan: &Self::Plan,
        reply: Reply<Self::Output>,
    ) -> impl Future<Output = Result<Reply<Self::Output>, ToolError>> + Send {
        let _ = (ctx, plan);
        std::future::ready(Ok(reply))
    }

    /// Decides after failure number `attempt` (from 1). By default retryable failures are retried.
    fn recover(
        &self,
        ctx: &Ctx,
        error: ToolError,
        attempt: u32,
    ) -> impl Future<Output = Recovery<Self::Output>> + Send {
        let _ = (ctx, attempt);
        std::future::ready(if error.is_retryable() { Recovery::Retry } else { Recovery::Fail(error) })
    }
}
