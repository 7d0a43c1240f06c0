//! The loop: a message, the tools it needs, an answer.
//!
//! An [`Agent`] joins an [`Executor`](siteclaw_core::Executor) and a [`Provider`]. [`Agent::send`] routes
//! the message to a few tools, lets the provider answer or ask for calls, passes the calls through the
//! executor, hands the results back, and repeats. A provider is anything that answers a [`Turn`]: a language
//! model elsewhere, or [`Offline`], which is a set of rules and says so.
//!
//! With the feature `wire` there are [providers over HTTP](wire) too.
//!
//! Deliberately absent: without that feature this crate opens no socket. It prints nothing, reads no environment and no clock of its
//! own, and nothing in the loop knows one provider from another.
//!
//! ```
//! use std::sync::Arc;
//! use siteclaw_agent::{Agent, Offline};
//! use siteclaw_core::*;
//!
//! # #[derive(Clone, serde::Deserialize, schemars::JsonSchema)] struct Nothing {}
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let clock = Arc::new(FixedClock("2026-11-30T12:00:00Z".parse().unwrap()));
//! let spec = ToolSpec::new("server_time", "Tells the time.").intents(&["tell time"]);
//! let tool = tool_fn(spec, |ctx: Ctx, _: Nothing| async move {
//!     Ok::<_, ToolError>(serde_json::json!({"time": ctx.now().to_string()}))
//! });
//! let registry = Registry::builder().tool(tool).unwrap().build(&[]).unwrap();
//! let masker = Arc::new(Masker::new([7; 32]));
//! let executor = Executor::builder(
//!     registry, Arc::new(CapabilityPolicy), masker, clock.clone(), Arc::new(CountingIds::default()),
//! ).build();
//! let agent = Agent::builder(executor, Arc::new(Offline::new(clock))).build();
//! let run = Run::builder("r1", Caller::console(Surface::Agent, false)).build();
//!
//! let answer = agent.send(&run, "tell the server time").await.unwrap();
//! assert!(answer.text.contains("2026-11-30T12:00:00Z"), "{}", answer.text);
//! # });
//! ```

mod agent;
mod answer;
mod chain;
mod conversation;
mod error;
mod exchange;
mod message;
mod offering;
mod offline;
mod prices;
mod provider;
pub mod render;
mod repeats;
mod room;
mod shaped;
mod stored;
pub mod testing;
mod turn;
mod update;
#[cfg(feature = "wire")]
pub mod wire;

pub use agent::{Agent, AgentBuilder, INSTRUCTIONS, MAX_CALLS, MAX_ITERATIONS, MAX_MESSAGE};
pub use answer::{Answer, CalledTool, End, Shaped};
pub use chain::{Chain, Retry};
pub use conversation::Conversation;
pub use error::AgentError;
pub use message::{CallResult, Echo, Message};
pub use offline::Offline;
pub use prices::{Cost, Price, Prices};
pub use provider::{
    Choice, DEFAULT_CONTEXT, Delta, Live, Offer, Provider, ProviderError, Reply, Sent, Served, Shape, Stop,
    Turn, Usage,
};
pub use repeats::REPEATED_CALL;
pub use stored::STORED_FAILURE;
pub use turn::{DUPLICATE_CALL, TOO_MANY_CALLS};
pub use update::{Listener, Update};
