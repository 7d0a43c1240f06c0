//! What answers a turn.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siteclaw_core::router::Routed;
use siteclaw_core::{BoxFuture, Dialect, Entry, ToolCall};

use crate::message::Message;

/// Answers turns: a language model somewhere, or rules.
///
/// The loop never looks behind this trait: no provider has a branch of its own in it.
pub trait Provider: Send + Sync + 'static {
    /// The name by which it is configured, such as `anthropic`. Profile and dialect follow from it.
    fn name(&self) -> &str;

    /// The id of the model that answers; `none` where none does.
    fn model(&self) -> &str;

    /// The form in which it is told of tools.
    fn dialect(&self) -> Dialect {
        Dialect::for_provider(self.name())
    }

    /// Answers one turn. It is dropped when the run is cancelled.
    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>>;
}

/// What a provider is asked to answer.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Everything said so far: the system message if there is one, the user's, then answers and results.
    pub messages: &'a [Message],
    /// The tools that may be called now.
    pub tools: &'a [Offer],
    /// Every tool this caller may use, offered now or not, in the order of registration.
    pub available: &'a [Arc<Entry>],
    /// How the router ranked the available tools by the user's message.
    pub routed: &'a Routed,
}

/// A tool that a turn offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The tool.
    pub entry: Arc<Entry>,
    /// Its description in the provider's dialect, with the text of the profile's length.
    pub described: Value,
}

/// A provider's answer to a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// Text for the user; may be empty beside calls.
    pub text: String,
    /// Calls to make, complete ones only. An empty id gets one from the engine.
    pub calls: Vec<ToolCall>,
    /// What the answer cost.
    pub usage: Usage,
    /// Why it ends here.
    pub stop: Stop,
}

impl Reply {
    /// A final answer.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Calls to make before the answer goes on.
    pub fn calls(calls: Vec<ToolCall>) -> Self {
        Self { calls, ..Self::default() }
    }
}

/// Why a reply ends. Calls in a reply are made whatever it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// The answer, or the list of calls, is whole.
    #[default]
    Whole,
    /// The model's limit of output was reached: text may end in mid-sentence.
    Length,
    /// The model or a filter of the provider declined to answer.
    Declined,
    /// The provider wants to be asked again with what it said so far.
    Paused,
}

/// Tokens that were paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read by the model, cached ones not included.
    pub input_tokens: u64,
    /// Written by the model.
    pub output_tokens: u64,
    /// Read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Written to the provider's cache.
    pub cache_write_tokens: u64,
}

impl Usage {
    /// Adds what another turn cost.
    pub const fn add(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(other.cache_read_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
    }
}

/// Why a provider gave no answer. Messages hold no key and no body of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// No connection, or none in time.
    #[error("it could not be reached: {0}")]
    Unreachable(String),
    /// It wants fewer requests.
    #[error("it has had too many requests for now")]
    Limited {
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// It refused the request: a wrong key, an unknown model, a request it cannot take.
    #[error("it refused the request ({status}): {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The provider's words, cut to a line.
        message: String,
    },
    /// Its answer makes no sense.
    #[error("its answer cannot be read: {0}")]
    Unreadable(String),
}

impl ProviderError {
    /// Whether the same request may succeed later.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Limited { .. } => true,
            Self::Refused { status, .. } => matches!(*status, 408 | 429 | 500..),
            Self::Unreadable(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_that_may_pass_are_worth_another_try() {
        let refused = |status| ProviderError::Refused { status, message: String::new() };
        for passing in
            [refused(408), refused(429), refused(503), ProviderError::Limited { retry_after: None }]
        {
            assert!(passing.is_retryable(), "{passing}");
        }
        for lasting in [refused(400), refused(401), refused(404), ProviderError::Unreadable("x".to_owned())] {
            assert!(!lasting.is_retryable(), "{lasting}");
        }
    }
}
