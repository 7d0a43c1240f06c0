//! How a server presents itself and what it lets a client do.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use siteclaw_core::{ApprovalGate, Caller, DenyAll, RESULT_BUDGET, Surface};

use crate::progress::McpObserver;

/// What a server is called and what a client of it may do. Made with [`McpOptions::new`] and the methods.
pub struct McpOptions {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) instructions: Option<String>,
    pub(crate) caller: Caller,
    pub(crate) gate: Arc<dyn ApprovalGate>,
    pub(crate) allow: Option<BTreeSet<String>>,
    pub(crate) max_in_flight: usize,
    pub(crate) budget: usize,
    pub(crate) drain: Duration,
    pub(crate) progress: Option<McpObserver>,
}

impl McpOptions {
    /// A server of this name and version for the console with nobody at it. All tools are offered, mutating
    /// calls are denied, 32 calls may be unfinished, a result has 10,000 characters, and calls that run when
    /// the input ends have 5 seconds.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            instructions: None,
            caller: Caller::console(Surface::Mcp, false),
            gate: Arc::new(DenyAll),
            allow: None,
            max_in_flight: 32,
            budget: RESULT_BUDGET,
            drain: Duration::from_secs(5),
            progress: None,
        }
    }

    /// A short guide that clients put before their model.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Who the client acts as.
    #[must_use]
    pub fn caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// Who decides about calls that need approval. A gate that waits for a person holds up the calls that
    /// arrived later.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn ApprovalGate>) -> Self {
        self.gate = gate;
        self
    }

    /// Offers these tools and no others. A name that no tool has is an error of
    /// [`McpServer::new`](crate::McpServer::new).
    #[must_use]
    pub fn allow<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.allow = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Calls that may be unfinished at once, waiting ones included; at least 1. Further ones are answered
    /// `BUSY`.
    #[must_use]
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.max_in_flight = calls.clamp(1, 10_000);
        self
    }

    /// The most characters of one result's envelope, at least 500. A client receives it twice: structured
    /// and as text.
    #[must_use]
    pub const fn budget(mut self, chars: usize) -> Self {
        self.budget = chars;
        self
    }

    /// How long calls may go on once the input has ended, at most an hour. Then they are cancelled.
    #[must_use]
    pub fn drain(mut self, time: Duration) -> Self {
        self.drain = time.min(Duration::from_secs(3600));
        self
    }

    /// Passes on what tools report of their progress. The same observer must watch the executor.
    #[must_use]
    pub fn progress(mut self, observer: McpObserver) -> Self {
        self.progress = Some(observer);
        self
    }
}
