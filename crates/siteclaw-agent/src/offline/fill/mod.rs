//! Arguments for a tool, taken from the words of a message by the tool's schema.
//!
//! Nothing is made up: every value is a word, a number or a date of the message, or belongs to a worked
//! example of the tool all of whose words the message has. What has two readings is left out and reported. Once
//! words have been understood as one thing they are not read as another.

mod choices;
mod columns;
mod flags;
mod left;
mod numbers;
mod search;
mod shapes;
mod texts;

pub(super) use left::Left;
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
use super::vocabulary::{is_small, is_talk};
use super::words::{Reading, parts, singular};
use columns::Columns;

/// What a message is read against besides the tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) today: Today,
    pub(super) zone: &'a TimeZone,
    /// The names of all tools: they are no values.
    pub(super) tools: &'a BTreeSet<&'a str>,
    /// Words that name what any of the tools is about: they are nobody's name.
    pub(super) nouns: &'a BTreeSet<String>,
}

/// A message being read against one tool.
struct Filling<'a> {
    reading: Reading,
    fields: Vec<Field<'a>>,
    /// Words by which this tool and others are found.
    elsewhere: &'a BTreeSet<String>,
    /// Words by which the tool is found: its own things, and no values.
    nouns: BTreeSet<String>,
    /// Words of its short description, which says what it shows.
    brief: BTreeSet<String>,
    columns: Columns,
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
    /// Words that were not used.
    pub(super) left: Vec<Left>,
    /// Words that filled an argument or name what the tool is about, as the router compares them.
    pub(super) own: BTreeSet<String>,
    /// Arguments of which the tool needs one, if it has none.
    pub(super) needed: Vec<String>,
}

/// The words that name what a tool is about. Those of a phrase it answers count if the message has two or all of
/// them: `customers` alone are no orders, but `what did customers buy` asks for some.
fn nouns(entry: &Entry, reading: &Reading) -> BTreeSet<String> {
    let routing = entry.spec().routing();
    let mut nouns = names(entry);
    let said: BTreeSet<String> = reading.words.iter().flat_map(|word| keywords(&word.lower)).collect();
    for intent in &routing.intents {
        let words: Vec<String> = keywords(intent).into_iter().filter(|word| !is_talk(word)).collect();
        let found = words.iter().filter(|word| said.contains(*word)).count();
        if found > 1 || found == words.len() {
            nouns.extend(words);
        }
    }
    nouns
}

/// The words that name what a tool is about, whatever a message says.
pub(super) fn names(entry: &Entry) -> BTreeSet<String> {
    let routing = entry.spec().routing();
    let mut names = keywords(entry.spec().name());
    for list in [&routing.domains, &routing.tags] {
        names.extend(keywords(&list.join(" ")));
    }
    names.retain(|word| !is_talk(word));
    names
}

/// Reads a message for a tool. `counted` says that sums or counts are wanted and not rows.
pub(super) fn fill(
    entry: &Entry,
    reading: &Reading,
    message: &str,
    counted: bool,
    around: Surroundings<'_>,
) -> Filled {
    let spec = entry.spec();
    let fields = fields(entry.input_schema());
    let mut filling = Filling {
        reading: reading.clone(),
        columns: Columns::of(&fields),
        fields,
        nouns: nouns(entry, reading),
        brief: keywords(spec.short_description()),
        elsewhere: around.nouns,
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
    if counted {
        filling.count();
    }
    filling.ids();
    filling.totals();
    filling.ranges();
    filling.thresholds();
    filling.paging();
    filling.switches();
    filling.lacking();
    filling.when();
    filling.choices();
    let undated = period.is_some_and(|period| !filling.period(&period, around.zone));
    filling.sorting();
    filling.sizes();
    filling.places();
    filling.texts();
    filling.quantities();
    filling.columns();
    filling.schema();
    filling.example(spec.examples());
    if undated {
        filling.forget(&dated);
    }
    let needed = filling.needed(spec.description());
    let words = 0..filling.reading.words.len();
    let own = words
        .filter(|&place| !filling.reading.is_free(place) || filling.is_noun(filling.reading.at(place)))
        .filter_map(|place| filling.reading.words.get(place))
        .flat_map(|word| keywords(&word.lower))
        .collect();
    Filled { left: filling.left(), own, arguments: filling.arguments, needed }
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

    /// The arguments of which the tool says that it needs one, if it has none of them: `Needs one of a, b or c.`
    /// A tool about named things needs the name, a tool that takes a statement needs that.
    fn needed(&mut self, description: &str) -> Vec<String> {
        let names: Vec<String> = description
            .split_once("Needs one of ")
            .and_then(|(_, list)| list.split('.').next())
            .map(|list| {
                let words = list.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                words
                    .filter(|word| self.fields.iter().any(|field| field.name == *word))
                    .map(str::to_owned)
                    .collect()
            })
            .unwrap_or_default();
        if names.iter().any(|name| self.is_set(name)) {
            return Vec::new();
        }
        if names.is_empty() {
            let statement = self.fields.iter().any(|field| field.name == "sql");
            let bare = statement && !self.is_set("sql") && !self.is_set("schema");
            return if bare { vec!["sql".to_owned()] } else { Vec::new() };
        }
        if !self.arguments.is_empty() && names.iter().any(|name| name == "aggregate") {
            // Something was said that narrows: what is there in all answers it.
            self.set("aggregate", true);
            return Vec::new();
        }
        names.into_iter().filter(|name| !matches!(name.as_str(), "aggregate" | "schema")).collect()
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
