//! What answers a turn.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siteclaw_core::router::Routed;
use siteclaw_core::{BoxFuture, Dialect, Entry, ToolCall};

use crate::message::{Echo, Message};

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

    /// Answers one turn. What it says it may tell [`Turn::live`] while it says it, and says again in the reply.
    /// It is dropped when the run is cancelled.
    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>>;

    /// Exactly what [`complete`](Self::complete) would send for this turn: `method`, `url`, `headers` without the
    /// key, and `body`. `None` where nothing leaves this machine.
    fn preview(&self, turn: Turn<'_>) -> Option<Value> {
        let _ = turn;
        None
    }

    /// Tokens of one request that the model can be expected to take, its answer included.
    fn context(&self) -> usize {
        DEFAULT_CONTEXT
    }
}

/// Tokens of a request where a provider says nothing else.
pub const DEFAULT_CONTEXT: usize = 120_000;

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
    /// Whether calls may or must be made.
    pub choice: Choice,
    /// The form in which the answer is wanted, if it is not text.
    pub shape: Option<&'a Shape>,
    /// Who hears what is said while it is said.
    pub live: Live<'a>,
}

/// Whether a turn may make calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// As the provider sees fit.
    #[default]
    Free,
    /// No call: the tools are listed only because earlier messages speak of them.
    Nothing,
    /// The call that gives the answer in its [`Shape`].
    Shaped,
}

/// An answer as JSON of a given schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// JSON Schema of the answer: an object.
    pub schema: Value,
}

impl Shape {
    /// The name of the call that gives the answer, where the provider has no form of its own for it.
    pub const CALL: &'static str = "give_answer";
    /// What that call is said to do.
    pub const DESCRIPTION: &'static str =
        "Gives the final answer in the form that is asked for. Call it once, when you know the answer.";
}

/// Something a provider says while it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Text for the user.
    Text(&'a str),
    /// The model's thinking, or the summary that its provider gives of it.
    Thinking(&'a str),
    /// A call of this tool begins; its arguments are still being written.
    Call(&'a str),
    /// What was said of this reply is void: it is asked for again.
    Again {
        /// Why.
        error: &'a ProviderError,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How long it is waited for.
        wait: Duration,
    },
    /// What was said of this reply is void: another provider is asked.
    Instead {
        /// The one that failed.
        from: &'a str,
        /// The one that is asked.
        to: &'a str,
        /// Why.
        error: &'a ProviderError,
    },
}

/// Who hears what a provider says while it says it.
#[derive(Clone, Copy, Default)]
pub struct Live<'a>(Option<&'a (dyn Fn(Delta<'_>) + Send + Sync)>);

impl<'a> Live<'a> {
    /// Tells this listener, on the provider's own task: it must not block.
    pub fn to(listener: &'a (dyn Fn(Delta<'_>) + Send + Sync)) -> Self {
        Self(Some(listener))
    }

    /// Tells a piece of text, unless it is empty.
    pub fn text(&self, text: &str) {
        if !text.is_empty() {
            self.tell(Delta::Text(text));
        }
    }

    /// Tells a piece of thinking, unless it is empty.
    pub fn thinking(&self, text: &str) {
        if !text.is_empty() {
            self.tell(Delta::Thinking(text));
        }
    }

    /// Tells the listener if there is one.
    pub fn tell(&self, delta: Delta<'_>) {
        if let Some(listener) = self.0 {
            listener(delta);
        }
    }
}

impl fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Live" } else { "Silent" })
    }
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
    /// Calls to make. An empty id gets one from the engine. Arguments that are no JSON stand here as the text that
    /// came, so that the model can be told what is wrong with it.
    pub calls: Vec<ToolCall>,
    /// What the provider wants to see again, unchanged, beside this reply in later turns.
    pub echo: Option<Echo>,
    /// The model's thinking as far as it may be shown.
    pub thinking: String,
    /// What the answer cost.
    pub usage: Usage,
    /// Why it ends here.
    pub stop: Stop,
    /// Who answered, where it was not the provider that was asked.
    pub served_by: Option<Served>,
    /// What left this machine for it, if anything did.
    pub sent: Option<Sent>,
}

/// A request that left this machine, or went to a server on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The host, with its port where that is not the usual one.
    pub host: String,
    /// Bytes of the body.
    pub bytes: u64,
}

/// A provider that answered in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its name.
    pub provider: String,
    /// Its model.
    pub model: String,
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

/// Why a reply ends. Calls in a reply are made whatever it says, but not those of one that was declined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// Written by the model, thinking included.
    pub output_tokens: u64,
    /// Read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Written to the provider's cache.
    pub cache_write_tokens: u64,
}

impl Usage {
    /// All tokens that were read or written.
    pub const fn total(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.output_tokens)
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.cache_write_tokens)
    }

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
    /// It was reached and then said nothing for too long.
    #[error("it said nothing for {} seconds", .0.as_secs_f32())]
    Silent(Duration),
    /// Its answer broke off.
    #[error("its answer broke off: {0}")]
    Cut(String),
    /// It wants fewer requests.
    #[error("it has had too many requests for now{}{}", said(.message), wait(.retry_after.as_ref()))]
    Limited {
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
        /// Its words, cut to a line; may be empty.
        message: String,
    },
    /// It has a fault or too much to do.
    #[error("it failed ({status}){}{}", said(.message), wait(.retry_after.as_ref()))]
    Failed {
        /// HTTP status.
        status: u16,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
        /// Its words, cut to a line; may be empty.
        message: String,
    },
    /// It refused the request: a wrong key, an unknown model, a request it cannot take.
    #[error("it refused the request ({status}): {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The provider's words, cut to a line.
        message: String,
    },
    /// The conversation is longer than the model can take.
    #[error("the conversation is too long for the model{}", said(.0))]
    TooLong(String),
    /// The model made a call that its own provider could not read.
    #[error("the model made a call that cannot be read{}", said(.0))]
    BadCall(String),
    /// Its answer makes no sense.
    #[error("its answer cannot be read: {0}")]
    Unreadable(String),
    /// It was not asked, because that would cost more than is allowed.
    #[error("it was not asked: {0}")]
    TooDear(String),
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn wait(retry_after: Option<&Duration>) -> String {
    retry_after
        .map_or_else(String::new, |wait| format!("; it asks to wait {} seconds", wait.as_secs_f32().ceil()))
}

impl ProviderError {
    /// Whether the same request may succeed later.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable(_)
            | Self::Silent(_)
            | Self::Cut(_)
            | Self::Limited { .. }
            | Self::Failed { .. } => true,
            Self::Refused { .. }
            | Self::TooLong(_)
            | Self::BadCall(_)
            | Self::Unreadable(_)
            | Self::TooDear(_) => false,
        }
    }

    /// How long the provider asks to be left alone.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Limited { retry_after, .. } | Self::Failed { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_that_may_pass_are_worth_another_try() {
        let words = || "x".to_owned();
        for passing in [
            ProviderError::Unreachable(words()),
            ProviderError::Silent(Duration::from_secs(1)),
            ProviderError::Cut(words()),
            ProviderError::Limited { retry_after: None, message: words() },
            ProviderError::Failed { status: 503, retry_after: None, message: words() },
        ] {
            assert!(passing.is_retryable(), "{passing}");
        }
        for lasting in [
            ProviderError::Refused { status: 401, message: words() },
            ProviderError::TooLong(words()),
            ProviderError::BadCall(words()),
            ProviderError::Unreadable(words()),
        ] {
            assert!(!lasting.is_retryable(), "{lasting}");
        }
    }
}
