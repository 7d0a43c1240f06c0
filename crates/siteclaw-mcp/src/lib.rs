//! Siteclaw's tools for any client of the Model Context Protocol, over standard input and output.
//!
//! [`McpServer`] offers the tools of one [`Executor`](siteclaw_core::Executor) to one client: the list with
//! both schemas and the hints of each tool, and calls, which all pass
//! [`Executor::call`](siteclaw_core::Executor::call) in one tainted [`Run`](siteclaw_core::Run). The protocol
//! itself (revisions 2024-11-05 to 2026-07-28) is spoken by the official SDK; none of its types shows here.
//!
//! - A success is `structuredContent`, the success envelope as the tool's `outputSchema` describes it, and
//!   the same JSON as text. A failure is `isError` with the failure envelope as text.
//! - A tool that does not exist, or is not offered, is the protocol error -32602; its message names the
//!   nearest tools and its data is the envelope's `error`.
//! - Reads work side by side. A tool that may write is alone: it waits for the calls that arrived before it
//!   and holds up those that arrive after it. Beyond a number of unfinished calls the answer is `BUSY`.
//! - A cancelled call is not answered. A read ends at once; a write is waited for until its end is known, or counts as
//!   unknown after a grace. Both are recorded.
//!
//! Deliberately absent: no listener, no resources, prompts or tasks (and so none is advertised), no message
//! longer than [`MAX_LINE`] is kept, nothing but protocol messages is written to the output.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use siteclaw_core::{Cancel, Executor};
//! use siteclaw_mcp::{McpObserver, McpOptions, McpServer, serve_stdio};
//!
//! # async fn run(builder: siteclaw_core::ExecutorBuilder) -> Result<(), siteclaw_mcp::McpError> {
//! let progress = McpObserver::new();
//! let executor = builder.observer(Arc::new(progress.clone())).build();
//! let options = McpOptions::new("siteclaw", "1.0.0").progress(progress);
//! serve_stdio(McpServer::new(executor, options)?, Cancel::new()).await
//! # }
//! ```

mod answer;
mod error;
mod handler;
mod listing;
mod options;
mod progress;
mod server;
mod stdio;
mod turns;
mod wire;

pub use error::McpError;
pub use options::McpOptions;
pub use progress::McpObserver;
pub use server::{McpServer, serve};
pub use stdio::serve_stdio;
pub use wire::{MAX_LINE, MAX_VALUES};
