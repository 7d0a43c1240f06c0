//! Arguments for a tool, taken from the words of a message by the tool's schema.
//!
//! Nothing is made up: every value is a word, a number or a date of the message, or belongs to a worked
//! example of the tool all of whose words the message has. What has two readings is left out. Once words
//! have been understood as one thing they are not read as another.

mod choices;
mod flags;
mod numbers;
mod shapes;
mod texts;

pub(super) use shapes::statement;

use std::collections::BTreeSet;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use siteclaw_core::router::keywords;
use siteclaw_core::{Entry, Example};

use super::dates::{self, Period, Today};
use super::fields::{Field, Kind, fields};
use super::values::plain;
use super::words::{Reading, is_small, parts, singular};

/// What a message is read against besides the tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) today: Today,
    pub(super) zone: &'a TimeZone,
    /// The names of all tools: they are no values.
    pub(super) tools: &'a BTreeSet<&'a str>,
}

/// A message being read against one tool.
struct Filling<'a> {
    reading: Reading,
    fields: Vec<Field<'a>>,
    /// Words by which the tool is found: its own things, and no values.
    nouns: BTreeSet<String>,
    /// Words of its description.
    described: BTreeSet<String>,
    /// The words of the tool's name.
    subject: Vec<String>,
    tools: &'a BTreeSet<&'a str>,
    /// Places of words that were denied or had two readings.
    unclear: BTreeSet<usize>,
    arguments: Map<String, Value>,
}

/// What a message gives for a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filled {
    /// In the order in which they were understood.
    pub(super) arguments: Map<String, Value>,
    /// Words that could matter and were not understood; neighbours are one entry.
    pub(super) left: Vec<String>,
}

/// Reads a message for a tool.
pub(super) fn fill(entry: &Entry, message: &str, around: Surroundings<'_>) -> Filled {
    let spec = entry.spec();
    let routing = spec.routing();
    let mut nouns = keywords(spec.name());
    for list in [&routing.domains, &routing.tags, &routing.intents] {
        nouns.extend(keywords(&list.join(" ")));
    }
    let mut filling = Filling {
        reading: Reading::of(message),
        fields: fields(entry.input_schema()),
        nouns,
        described: keywords(spec.description()),
        subject: parts(spec.name()).iter().map(|word| singular(word)).collect(),
        tools: around.tools,
        unclear: BTreeSet::new(),
        arguments: Map::new(),
    };
    filling.statement(message);
    let free: Vec<usize> =
        (0..filling.reading.words.len()).filter(|&place| filling.reading.is_free(place)).collect();
    let period = dates::period(&mut filling.reading, around.today);
    let dated: Vec<usize> = free.into_iter().filter(|&place| !filling.reading.is_free(place)).collect();
    filling.ids();
    filling.totals();
    filling.thresholds();
    filling.paging();
    filling.switches();
    filling.choices();
    let undated = period.is_some_and(|period| !filling.period(&period, around.zone));
    filling.sorting();
    filling.sizes();
    filling.texts();
    filling.example(spec.examples());
    if undated {
        filling.forget(&dated);
    }
    Filled { left: filling.left(), arguments: filling.arguments }
}

impl<'a> Filling<'a> {
    /// Gives an argument a value unless it has one.
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.arguments.entry(name.to_owned()).or_insert_with(|| value.into());
    }

    fn is_set(&self, name: &str) -> bool {
        self.arguments.contains_key(name)
    }

    /// The first argument without a value for which this holds.
    fn open(&self, wanted: impl Fn(&Field<'a>) -> bool) -> Option<&'a str> {
        self.fields.iter().find(|field| !self.is_set(field.name) && wanted(field)).map(|field| field.name)
    }

    /// Whether the answer is a count, for which order and size say nothing.
    fn counts(&self) -> bool {
        self.arguments.get("aggregate") == Some(&Value::Bool(true))
    }

    /// Fills what is still open from the worked example that shares the most words with the message. Every
    /// word of its request must be in the message; dates are never taken, theirs are of another day.
    fn example(&mut self, examples: &[Example]) {
        let said: BTreeSet<String> = significant(&self.reading);
        let fitting = examples.iter().filter_map(|example| {
            let asked = significant(&Reading::of(&example.prompt));
            let fits = asked.is_subset(&said) && (asked.len() > 1 || asked == said) && !asked.is_empty();
            fits.then_some((asked.len(), example))
        });
        let best =
            fitting.max_by_key(|(words, _)| *words).and_then(|(_, example)| example.arguments.as_object());
        let Some(arguments) = best else { return };
        if self.counts() && arguments.get("aggregate") != Some(&Value::Bool(true)) {
            return;
        }
        for (name, value) in arguments {
            let dated = self.fields.iter().any(|field| field.name == name && side(field).is_some());
            if !dated {
                self.set(name, value.clone());
            }
        }
    }

    /// Takes back that words were understood.
    fn forget(&mut self, places: &[usize]) {
        for &place in places {
            if let Some(word) = self.reading.words.get_mut(place) {
                word.used = false;
                self.unclear.insert(place);
            }
        }
    }

    /// Writes a period into an argument that names periods, else into the dates it begins and ends with. Says
    /// whether all of it could be written.
    fn period(&mut self, period: &Period, zone: &TimeZone) -> bool {
        let named = self.fields.iter().find(|field| is_period(field) && !self.is_set(field.name)).cloned();
        if let Some(field) = &named {
            let key = period.key.as_deref().map(same_period);
            let value = field.values.iter().find(|value| {
                let value = same_period(value);
                key.as_ref().is_some_and(|key| {
                    let short = key
                        .strip_prefix("last")
                        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                    value == *key
                        || Some(value.as_str()) == key.strip_prefix("this")
                        || Some(value.as_str()) == short
                })
            });
            if let Some(value) = value {
                self.set(field.name, *value);
                return true;
            }
        }
        let from = self.bound(Side::From, period.from, zone);
        let to = self.bound(Side::To, period.to, zone);
        let custom = named.as_ref().filter(|_| from || to).and_then(|field| {
            field
                .values
                .iter()
                .find(|value| value.eq_ignore_ascii_case("custom"))
                .map(|value| (field.name, *value))
        });
        if let Some((name, value)) = custom {
            self.set(name, value);
        }
        (from || period.from.is_none()) && (to || period.to.is_none())
    }

    /// Writes one end of a period.
    fn bound(&mut self, wanted: Side, day: Option<Date>, zone: &TimeZone) -> bool {
        let Some(day) = day else { return false };
        let Some(field) =
            self.fields.iter().find(|field| side(field) == Some(wanted) && !self.is_set(field.name))
        else {
            return false;
        };
        let name = field.name;
        let text = if field.schema.get("format").and_then(Value::as_str) == Some("date-time") {
            let (hour, minute, second) = if wanted == Side::From { (0, 0, 0) } else { (23, 59, 59) };
            match day.at(hour, minute, second, 0).to_zoned_datetime(zone.clone()) {
                Ok(moment) => moment.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
                Err(_) => return false,
            }
        } else {
            day.to_string()
        };
        self.set(name, text);
        true
    }

    /// Whether a word is one of the tool's own.
    fn is_noun(&self, word: &str) -> bool {
        keywords(word).iter().any(|word| self.nouns.contains(word))
    }
}

/// An end of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    From,
    To,
}

/// The end of a period that an argument stands for: `date_after`, `date_from`, `since`; `date_before`, `until`.
fn side(field: &Field<'_>) -> Option<Side> {
    if field.kind != Kind::Text || field.closed {
        return None;
    }
    let any = |words: &[&str]| words.iter().any(|word| field.has(word));
    let side = if any(&["after", "from", "since", "start"]) {
        Side::From
    } else if any(&["before", "to", "until", "till", "end"]) {
        Side::To
    } else {
        return None;
    };
    let dated =
        any(&["date", "day", "since", "until", "created", "modified", "registered", "published", "paid"])
            || field
                .schema
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|format| format.starts_with("date"))
            || field
                .description()
                .to_lowercase()
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == "date" || word == "day");
    dated.then_some(side)
}

fn is_period(field: &Field<'_>) -> bool {
    field.closed && matches!(field.name, "period" | "range" | "date_range" | "timeframe" | "time_frame")
}

/// The name of a period without its separators, `previous` and `past` as `last`, `current` as `this`.
fn same_period(name: &str) -> String {
    let name = plain(name);
    for (other, usual) in [("previous", "last"), ("past", "last"), ("current", "this")] {
        if let Some(rest) = name.strip_prefix(other) {
            return format!("{usual}{rest}");
        }
    }
    name
}

/// The words of a text that say something.
fn significant(reading: &Reading) -> BTreeSet<String> {
    reading.words.iter().filter(|word| !is_small(&word.lower)).map(|word| singular(&word.lower)).collect()
}
