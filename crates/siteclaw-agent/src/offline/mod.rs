//! A provider without a language model.
//!
//! [`Offline`] takes the tool that the router's scores put first, fills its arguments from the words of the
//! message, calls it through the loop like any provider, and shows the result. What it cannot fill it asks for; a
//! question that it could only answer more widely than it was asked it refuses, and says which words it could not
//! use. Every answer begins by saying that no language model was used, and nothing in it is made up.

mod calendar;
mod countries;
mod dates;
mod fields;
mod fill;
mod lexicon;
mod plan;
mod rank;
mod request;
mod say;
mod spelling;
mod values;
mod vocabulary;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use serde_json::Value;
use siteclaw_core::{BoxFuture, Clock, Code, ToolCall, code};

use crate::message::{CallResult, Message};
use crate::provider::{Provider, ProviderError, Reply, Turn};
use crate::render;
use dates::Today;
use fill::Surroundings;
use plan::{Plan, plan};
use say::NOTICE;

/// Answers by rules, from the words of the message.
///
/// A tool helps it by what helps a model too: argument names that say what they are, lists of values, values
/// between backticks in the description of an open text, and worked examples.
///
/// Days are those of a time zone, UTC unless another is given; weeks begin on Monday unless the site says
/// otherwise.
#[derive(Clone)]
pub struct Offline {
    clock: Arc<dyn Clock>,
    zone: TimeZone,
    week_start: Weekday,
    width: Option<usize>,
}

impl Offline {
    /// With this clock, in UTC.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, zone: TimeZone::UTC, week_start: Weekday::Monday, width: None }
    }

    /// The zone in which days begin, usually the site's.
    #[must_use]
    pub fn zone(mut self, zone: TimeZone) -> Self {
        self.zone = zone;
        self
    }

    /// The first day of the week.
    #[must_use]
    pub const fn week_start(mut self, day: Weekday) -> Self {
        self.week_start = day;
        self
    }

    /// The columns of the terminal that shows the answer, so that tables fit into it. `None` if there is none.
    #[must_use]
    pub const fn width(mut self, columns: Option<usize>) -> Self {
        self.width = columns;
        self
    }

    fn answer(&self, turn: &Turn<'_>) -> Reply {
        let message = turn.messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(text.as_str()),
            _ => None,
        });
        match (turn.messages.last(), message) {
            (Some(Message::Results(results)), Some(message)) if !asks_again(turn, results) => {
                Reply::text(self.shown(results, turn, message))
            }
            (_, Some(message)) => self.call(turn, message),
            (_, None) => Reply::text(format!("{NOTICE}, and there is no message to answer.")),
        }
    }

    /// The call that answers a message, or the text that says why there is none.
    fn call(&self, turn: &Turn<'_>, message: &str) -> Reply {
        let text = match self.plan(turn, message) {
            Plan::Call(call) => {
                let call = ToolCall::new(call.entry.spec().name(), Value::Object(call.arguments));
                return Reply::calls(vec![call]);
            }
            Plan::Nothing => say::areas(turn.available),
            Plan::Narrower(call) => say::narrower(&call),
            Plan::Missing(call, missing) => say::asked(call.entry, &missing),
            Plan::NoFigure { words, about, near } => say::no_figure(&words, about, &near),
            Plan::NoChange(verb, look) => say::no_change(&verb, look.as_ref()),
            Plan::NoGuide(verb) => say::no_guide(&verb),
        };
        Reply::text(text)
    }

    fn plan<'a>(&self, turn: &Turn<'a>, message: &str) -> Plan<'a> {
        let tools: BTreeSet<&str> = turn.available.iter().map(|entry| entry.spec().name()).collect();
        let date = self.clock.now().to_zoned_datetime(self.zone.clone()).date();
        let today = Today { date, week_start: self.week_start };
        let nouns: BTreeSet<String> = turn.available.iter().flat_map(|entry| fill::names(entry)).collect();
        plan(turn.available, message, Surroundings { today, zone: &self.zone, tools: &tools, nouns: &nouns })
    }

    /// The results of calls, after what was called and what of the message was passed over.
    fn shown(&self, results: &[CallResult], turn: &Turn<'_>, message: &str) -> String {
        let calls = turn.messages.iter().rev().find_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls.as_slice()),
            _ => None,
        });
        let plan = self.plan(turn, message);
        let mut blocks = Vec::new();
        for result in results {
            let arguments = calls
                .and_then(|calls| calls.iter().find(|call| call.id == result.id))
                .and_then(|call| call.arguments.as_object());
            let mut envelope = result.envelope.to_value();
            let ignored = ignored(&mut envelope);
            if let Plan::Call(call) = &plan {
                blocks.push(say::above(call, &result.name, arguments, &ignored));
            }
            blocks.push(render::envelope(&envelope, self.width));
        }
        blocks.join("\n\n")
    }
}

/// Takes out what a result says of arguments that made no difference: that belongs above it.
fn ignored(envelope: &mut Value) -> Vec<String> {
    let mut ignored = Vec::new();
    if let Some(warnings) = envelope.get_mut("warnings").and_then(Value::as_array_mut) {
        warnings.retain(|warning| {
            let made_none =
                warning.get("code").and_then(Value::as_str) == Some(code::IGNORED_ARGUMENT.as_str());
            let message = warning.get("message").and_then(Value::as_str).filter(|_| made_none);
            ignored.extend(message.map(str::to_owned));
            message.is_none()
        });
    }
    ignored
}

/// Whether the tool was not among the offered ones, which it is in the next turn.
fn asks_again(turn: &Turn<'_>, results: &[CallResult]) -> bool {
    let offered = |name: &str| turn.tools.iter().any(|offer| offer.entry.spec().name() == name);
    let refused = |result: &CallResult| {
        result.envelope.code().is_some_and(|found: Code| found == code::TOOL_NOT_OFFERED)
            && offered(&result.name)
    };
    let turns = turn.messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
    turns == 1 && results.iter().all(refused)
}

impl Provider for Offline {
    fn name(&self) -> &str {
        "offline"
    }

    fn model(&self) -> &str {
        "none"
    }

    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(std::future::ready(Ok(self.answer(&turn))))
    }
}
