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

mod claw;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod demo;

pub use claw::{BuildError, Claw, ClawBuilder};
pub use siteclaw_core::*;
