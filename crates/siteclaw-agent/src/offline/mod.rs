//! A provider without a language model.
//!
//! [`Offline`] takes the tool that the router ranks best, fills its arguments from the words of the message,
//! calls it through the loop like any provider, and shows the result. What it cannot fill it asks for. Every
//! answer begins by saying that no language model was used, and nothing in it is made up.

mod calendar;
mod dates;
mod fields;
mod fill;
mod values;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use siteclaw_core::{BoxFuture, Clock, Entry, ToolCall};

use crate::message::{CallResult, Message};
use crate::provider::{Offer, Provider, ProviderError, Reply, Turn};
use crate::render;
use dates::Today;
use fields::{Field, Kind, fields};
use fill::{Filled, Surroundings};
use words::Reading;

/// How every answer begins.
const NOTICE: &str = "No language model was used";

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
}

impl Offline {
    /// With this clock, in UTC.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, zone: TimeZone::UTC, week_start: Weekday::Monday }
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

    fn answer(&self, turn: &Turn<'_>) -> Reply {
        let message = turn.messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(text.as_str()),
            _ => None,
        });
        match (turn.messages.last(), message) {
            (Some(Message::Results(results)), Some(message)) => {
                Reply::text(self.shown(results, turn, message))
            }
            (_, Some(message)) => self.call(turn, message),
            (_, None) => Reply::text(format!("{NOTICE}, and there is no message to answer.")),
        }
    }

    /// The call that answers a message, or the text that says why there is none.
    fn call(&self, turn: &Turn<'_>, message: &str) -> Reply {
        let Some(entry) = best(turn, message) else { return Reply::text(areas(turn.available)) };
        let Filled { arguments, .. } = self.read(turn, entry, message);
        let fields = fields(entry.input_schema());
        let missing: Vec<&Field<'_>> =
            fields.iter().filter(|field| field.required && !arguments.contains_key(field.name)).collect();
        if missing.is_empty() {
            Reply::calls(vec![ToolCall::new(entry.spec().name(), Value::Object(arguments))])
        } else {
            Reply::text(asked(entry, &missing))
        }
    }

    fn read(&self, turn: &Turn<'_>, entry: &Entry, message: &str) -> Filled {
        let tools: BTreeSet<&str> = turn.available.iter().map(|entry| entry.spec().name()).collect();
        let date = self.clock.now().to_zoned_datetime(self.zone.clone()).date();
        let today = Today { date, week_start: self.week_start };
        fill::fill(entry, message, Surroundings { today, zone: &self.zone, tools: &tools })
    }

    /// The results of calls, after what was called and what of the message was passed over.
    fn shown(&self, results: &[CallResult], turn: &Turn<'_>, message: &str) -> String {
        let calls = turn.messages.iter().rev().find_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls.as_slice()),
            _ => None,
        });
        let mut blocks = Vec::new();
        for result in results {
            let arguments = calls
                .and_then(|calls| calls.iter().find(|call| call.id == result.id))
                .and_then(|call| call.arguments.as_object());
            let entry = turn.available.iter().find(|entry| entry.spec().name() == result.name);
            let left = entry.map(|entry| self.read(turn, entry, message).left).unwrap_or_default();
            let mut text = format!("{NOTICE}. Asked of {}: {}.", result.name, said(arguments));
            if !left.is_empty() {
                text.push_str(&format!(" Not understood: {}.", render::inline(&left.into())));
            }
            blocks.push(text);
            blocks.push(render::envelope(&result.envelope.to_value()));
        }
        blocks.join("\n\n")
    }
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

/// The offered tool that the message names exactly, else the one that takes the statement which the message
/// holds, else the one with the best score above 0.
fn best<'a>(turn: &Turn<'a>, message: &str) -> Option<&'a Arc<Entry>> {
    let offered = |name: &str| {
        turn.tools.iter().map(|offer: &'a Offer| &offer.entry).find(|entry| entry.spec().name() == name)
    };
    let named = message
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.contains('_'))
        .find_map(|word| offered(&word.to_ascii_lowercase()));
    let ranked = turn.routed.ranked.iter().filter(|scored| scored.score > 0.0);
    let mut ranked: Vec<(f64, &'a Arc<Entry>)> =
        ranked.filter_map(|scored| Some((scored.score, offered(&scored.name)?))).collect();
    ranked.sort_by(|(a, first), (b, second)| {
        b.total_cmp(a).then_with(|| first.spec().name().cmp(second.spec().name()))
    });
    let statement = || {
        fill::statement(&Reading::of(message), message)?;
        let entries = turn.tools.iter().map(|offer: &'a Offer| &offer.entry);
        entries.into_iter().find(|entry| entry.input_schema().pointer("/properties/sql").is_some())
    };
    named.or_else(statement).or_else(|| ranked.first().map(|(_, entry)| *entry))
}

/// What can be asked about.
fn areas(available: &[Arc<Entry>]) -> String {
    let domains: BTreeSet<&str> =
        available.iter().flat_map(|entry| entry.spec().routing().domains.iter()).map(AsRef::as_ref).collect();
    let names: BTreeSet<&str> = available.iter().map(|entry| entry.spec().name()).collect();
    if names.is_empty() {
        return format!("{NOTICE}, and there is no tool that could answer.");
    }
    let (what, list) =
        if domains.is_empty() { ("These tools can answer", names) } else { ("Ask about", domains) };
    let list: Vec<&str> = list.into_iter().collect();
    format!("{NOTICE}, and no tool fits the words of the message.\n{what}: {}.", list.join(", "))
}

/// The question for what a message does not give.
fn asked(entry: &Entry, missing: &[&Field<'_>]) -> String {
    let name = entry.spec().name();
    let what = if missing.len() == 1 { "an argument" } else { "arguments" };
    let mut text =
        format!("{NOTICE}. The tool {name} fits the message but needs {what} that it does not give:");
    for field in missing {
        text.push_str(&format!("\n  {}: {}", field.name, expected(field)));
    }
    let example = entry
        .spec()
        .examples()
        .iter()
        .find(|example| missing.iter().all(|field| example.arguments.get(field.name).is_some()));
    match example {
        Some(example) => text.push_str(&format!("\nAsk for example: {}", example.prompt)),
        None => text.push_str("\nAsk again and say it, with text between quotation marks."),
    }
    text
}

/// What an argument takes, in words.
fn expected(field: &Field<'_>) -> String {
    let bound = |keyword: &str| field.schema.get(keyword).map(Value::to_string);
    let kind = match field.kind {
        _ if field.closed => format!("one of {}", field.values.join(", ")),
        Kind::Flag => "true or false".to_owned(),
        Kind::Whole | Kind::Number => {
            let noun = if field.kind == Kind::Whole { "a whole number" } else { "a number" };
            match (bound("minimum"), bound("maximum")) {
                (Some(least), Some(most)) => format!("{noun} from {least} to {most}"),
                (Some(least), None) => format!("{noun} of at least {least}"),
                (None, Some(most)) => format!("{noun} of at most {most}"),
                (None, None) => noun.to_owned(),
            }
        }
        Kind::Text => "text".to_owned(),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::Other => "a value".to_owned(),
    };
    let description = field.description();
    if description.is_empty() { format!("{kind}.") } else { format!("{kind}. {description}") }
}

/// Arguments on one line.
fn said(arguments: Option<&Map<String, Value>>) -> String {
    let Some(arguments) = arguments.filter(|arguments| !arguments.is_empty()) else {
        return "no arguments".to_owned();
    };
    let pairs: Vec<String> =
        arguments.iter().map(|(name, value)| format!("{name} = {}", render::inline(value))).collect();
    pairs.join(", ")
}
