//! What happens while a message is answered, as it happens.

use std::time::Duration;

use serde_json::{Value, json};
use siteclaw_core::Envelope;

use crate::answer::Answer;
use crate::message::Message;
use crate::prices::Cost;
use crate::provider::{ProviderError, Sent, Stop, Usage};

/// Something that happened. Its [`name`](Self::name) is stable.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Update<'a> {
    /// A provider is asked.
    Asking {
        /// The turn, from 1.
        iteration: u32,
        /// Tools that it is offered.
        tools: usize,
        /// Tokens that the request is taken for.
        tokens: usize,
    },
    /// A piece of text for the user. Text in front of calls is said beside them and is not the answer.
    Text(&'a str),
    /// A piece of the model's thinking.
    Thinking(&'a str),
    /// The model begins to write a call of this tool.
    Writing(&'a str),
    /// What was said of this reply is void: the provider is asked again.
    Again {
        /// Why.
        error: &'a ProviderError,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How long it is waited for.
        wait: Duration,
    },
    /// Another provider is asked in the place of one that failed.
    Instead {
        /// The one that failed.
        from: &'a str,
        /// The one that is asked.
        to: &'a str,
        /// Why.
        error: &'a ProviderError,
    },
    /// A reply is whole.
    Replied {
        /// The turn, from 1.
        iteration: u32,
        /// Who answered.
        provider: &'a str,
        /// Its model.
        model: &'a str,
        /// What was read and written.
        usage: Usage,
        /// What that cost, where the price is known.
        cost: Option<Cost>,
        /// What left this machine for it, if anything did.
        sent: Option<&'a Sent>,
        /// Why it ends.
        stop: Stop,
        /// Calls in it.
        calls: usize,
        /// From the question to the last word.
        duration: Duration,
        /// From the question to the first word, where there was one.
        first_word: Option<Duration>,
    },
    /// A call is passed to its tool.
    Calling {
        /// The call's id.
        id: &'a str,
        /// The tool as it was named.
        name: &'a str,
        /// The arguments as the model wrote them, secrets masked.
        arguments: &'a Value,
    },
    /// A call has an outcome.
    Called {
        /// The call's id.
        id: &'a str,
        /// The tool as it was named.
        name: &'a str,
        /// The arguments as they ran, secrets masked.
        arguments: &'a Value,
        /// The answer.
        envelope: &'a Envelope,
        /// From lookup to record.
        duration: Duration,
    },
    /// Something was left out of the conversation, so that it fits the model.
    Shortened {
        /// Tokens that it was taken for.
        before: usize,
        /// Tokens that it is taken for now.
        after: usize,
    },
    /// An answer did not have the form that is asked for; the model is asked again.
    Repairing {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// What was wrong.
        problem: &'a str,
    },
    /// The conversation has a new entry. Entries never change afterwards.
    Said(&'a Message),
    /// It is over.
    Ended(&'a Answer),
}

impl Update<'_> {
    /// The stable name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Asking { .. } => "model.asked",
            Self::Text(_) => "model.text",
            Self::Thinking(_) => "model.thinking",
            Self::Writing(_) => "model.call",
            Self::Again { .. } => "model.again",
            Self::Instead { .. } => "model.instead",
            Self::Replied { .. } => "model.replied",
            Self::Calling { .. } => "tool.called",
            Self::Called { .. } => "tool.answered",
            Self::Shortened { .. } => "conversation.shortened",
            Self::Repairing { .. } => "answer.repaired",
            Self::Said(_) => "conversation.said",
            Self::Ended(_) => "run.ended",
        }
    }
}

impl Update<'_> {
    /// What a log says of it, without the name; `None` for pieces of what comes again as a whole. Secrets that came
    /// through the door are masked; what else may hold one has to be masked by whoever writes it down.
    pub fn to_value(&self) -> Option<Value> {
        let millis = |duration: &Duration| duration.as_secs_f64() * 1_000.0;
        Some(match self {
            Self::Text(_) | Self::Thinking(_) | Self::Writing(_) => return None,
            Self::Asking { iteration, tools, tokens } => {
                json!({"iteration": iteration, "tools": tools, "tokens": tokens})
            }
            Self::Again { error, attempt, wait } => {
                json!({"error": error.to_string(), "attempt": attempt, "wait_ms": millis(wait)})
            }
            Self::Instead { from, to, error } => json!({"from": from, "to": to, "error": error.to_string()}),
            Self::Replied {
                iteration,
                provider,
                model,
                usage,
                cost,
                sent,
                stop,
                calls,
                duration,
                first_word,
            } => json!({
                "iteration": iteration, "provider": provider, "model": model,
                "host": sent.map(|sent| sent.host.as_str()), "bytes": sent.map(|sent| sent.bytes),
                "usage": usage, "cost_usd": cost, "stop": stop, "calls": calls,
                "duration_ms": millis(duration), "first_word_ms": first_word.as_ref().map(millis),
            }),
            Self::Calling { id, name, arguments } => json!({"id": id, "tool": name, "arguments": arguments}),
            Self::Called { id, name, arguments, envelope, duration } => json!({
                "id": id, "tool": name, "arguments": arguments, "success": envelope.is_success(),
                "code": envelope.code().map(|code| code.as_str()), "duration_ms": millis(duration),
            }),
            Self::Shortened { before, after } => json!({"tokens_before": before, "tokens_after": after}),
            Self::Repairing { attempt, problem } => json!({"attempt": attempt, "problem": problem}),
            Self::Said(message) => message.to_value(),
            Self::Ended(answer) => json!({
                "end": answer.end, "iterations": answer.iterations, "calls": answer.tools_called.len(),
                "usage": answer.usage, "cost_usd": answer.cost,
            }),
        })
    }
}

/// Who hears what happens. It is called on the task that answers and must not block.
pub type Listener<'a> = &'a (dyn Fn(Update<'_>) + Send + Sync);
