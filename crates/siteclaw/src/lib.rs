//! Siteclaw: an agent tool engine for websites.
//!
//! As a library it is the engine alone: tools, the one door they are called through, masking, approval and
//! order. With the default feature `cli` it is also the `siteclaw` binary, which attaches to a site.
//!
//! ```
//! use siteclaw::{Caller, CapabilityPolicy, Claw, Ctx, Surface, ToolError, ToolSpec, tool_fn};
//!
//! #[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
//! struct Input { name: String }
//! #[derive(serde::Serialize, schemars::JsonSchema)]
//! struct Output { greeting: String }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let greet = tool_fn(ToolSpec::new("greet", "Greets somebody."), |_: Ctx, input: Input| async move {
//!     Ok::<_, ToolError>(Output { greeting: format!("Hello, {}!", input.name) })
//! });
//! let claw = Claw::builder(CapabilityPolicy).tool(greet)?.build()?;
//! let run = claw.run(Caller::console(Surface::Library, false)).build();
//! let outcome = claw.call(&run, "greet", serde_json::json!({"name": "Ada"})).await;
//! assert_eq!(outcome.envelope.to_value()["data"]["greeting"], "Hello, Ada!");
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

//! With the feature `agent` an engine answers questions, and a test says what its model answers:
//!
#![cfg_attr(feature = "agent", doc = "```")]
#![cfg_attr(not(feature = "agent"), doc = "```ignore")]
//! use serde_json::json;
//! use siteclaw::testing::{FixedClock, ScriptedModel};
//! use siteclaw::{Caller, CapabilityPolicy, Claw, Ctx, Surface, ToolError, ToolSpec, tool_fn};
//!
//! # #[derive(Clone, serde::Deserialize, schemars::JsonSchema)] struct Input { n: i64 }
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let double = tool_fn(ToolSpec::new("double", "Doubles a number."), |_: Ctx, input: Input| async move {
//!     Ok::<_, ToolError>(json!({"result": input.n * 2}))
//! });
//! let clock = FixedClock("2026-11-30T12:00:00Z".parse()?);
//! let claw = Claw::builder(CapabilityPolicy).tool(double)?.clock(clock).build()?;
//! let model = ScriptedModel::new().calls("double", json!({"n": 4})).says("It is 8.");
//! let agent = claw.agent(model.clone()).build();
//!
//! let run = claw.run(Caller::console(Surface::Library, false)).build();
//! let answer = agent.send(&run, "double 4").await?;
//! assert_eq!((answer.text.as_str(), answer.tools_called.len()), ("It is 8.", 1));
//! assert!(model.asked()[1].results[0].contains("\"result\":8"));
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claw;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod demo;

/// The loop, its providers and what they say, with the feature `agent`; providers over HTTP with `providers`.
#[cfg(feature = "agent")]
pub use siteclaw_agent as agent;

/// A model and a clock that do what a test tells them, with the feature `agent`.
#[cfg(feature = "agent")]
pub mod testing {
    pub use siteclaw_agent::testing::{Asked, ScriptedModel};
    pub use siteclaw_core::{CountingIds, FixedClock};
}

pub use claw::{BuildError, Claw, ClawBuilder};
pub use siteclaw_core::*;
