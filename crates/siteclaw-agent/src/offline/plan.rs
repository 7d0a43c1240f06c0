//! From a message to one call, or to the reason why there is none.
//!
//! The tools are ranked by the words of the message, after other languages and misspellings were read as the words
//! that tools are told by. The first tool that can use every word is taken; if there is none the first of the
//! ranking, unless a word that it cannot use narrows the question: then nothing is called.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use siteclaw_core::Entry;
use siteclaw_core::router::keywords;

use super::fields::{Kind, fields};
use super::fill::{self, Filled, Surroundings};
use super::lexicon;
use super::rank::{Found, Ranked, ranked};
use super::request::{Measure, Request, request};
use super::spelling::{self, Correction};
use super::vocabulary;
use super::words::{Reading, singular};

/// Tools of the ranking that are tried.
const TRIED: usize = 8;

/// What is done about a message.
#[derive(Debug)]
pub(super) enum Plan<'a> {
    /// One call.
    Call(Call<'a>),
    /// Nothing in the message fits a tool.
    Nothing,
    /// A tool fits, but words that narrow could not be used.
    Narrower(Call<'a>),
    /// A tool fits, but it needs an argument.
    Missing(Call<'a>, Vec<String>),
    /// A figure that no tool works out: the words for it, the tool whose rows it is about, and tools that come near.
    NoFigure { words: String, about: Option<&'a Entry>, near: Vec<&'a Entry> },
    /// Something was to be changed: the verb, and the call that shows what is there.
    NoChange(String, Option<Call<'a>>),
    /// It was asked how something is changed.
    NoGuide(String),
}

/// A call and what has to be said about it.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    pub(super) entry: &'a Entry,
    pub(super) arguments: Map<String, Value>,
    pub(super) left: Vec<fill::Left>,
    pub(super) corrections: Vec<Correction>,
    /// The words for a figure that this call only comes near.
    pub(super) near: Option<String>,
}

/// Decides what a message leads to.
pub(super) fn plan<'a>(available: &'a [Arc<Entry>], message: &str, around: Surroundings<'_>) -> Plan<'a> {
    let written = Reading::of(message);
    let mut planner = Planner { available, message, around, reading: written, corrections: Vec::new() };
    if fill::statement(&planner.reading, message).is_some()
        && let Some(entry) = available.iter().find(|entry| takes_statement(entry))
    {
        return planner.outcome(planner.attempt(entry, false), None);
    }
    lexicon::read(&mut planner.reading);
    planner.corrections = spelling::correct(&mut planner.reading, &vocabulary(available));
    match request(&planner.reading) {
        Request::HowTo(verb) => Plan::NoGuide(verb),
        Request::Change(verb, place) => planner.change(verb, place),
        Request::Figure(measure, places) => planner.figure(measure, &places),
        Request::Look => planner.look(),
    }
}

struct Planner<'a, 'm> {
    available: &'a [Arc<Entry>],
    message: &'m str,
    around: Surroundings<'m>,
    reading: Reading,
    corrections: Vec<Correction>,
}

/// A tool with what the message gives for it.
struct Attempt<'a> {
    entry: &'a Entry,
    filled: Filled,
    missing: Vec<String>,
}

impl Attempt<'_> {
    /// Whether every word was used and nothing is missing.
    fn is_whole(&self) -> bool {
        self.filled.left.is_empty() && self.missing.is_empty()
    }
}

impl<'a> Planner<'a, '_> {
    fn ranked(&self) -> Vec<Ranked<'a>> {
        ranked(self.available, &self.reading)
    }

    fn look(&self) -> Plan<'a> {
        match self.chosen(&self.ranked(), false) {
            Some(attempt) => self.outcome(attempt, None),
            None => Plan::Nothing,
        }
    }

    /// The first tool of the ranking that can use every word, else the first.
    fn chosen(&self, ranked: &[Ranked<'a>], counted: bool) -> Option<Attempt<'a>> {
        // A tool that was found by words of which it can use none does not fit.
        let first = ranked.iter().position(|tool| self.uses(tool, &self.attempt(tool.entry, counted)))?;
        let (first, others) = ranked.get(first..)?.split_first()?;
        let attempt = self.attempt(first.entry, counted);
        // What is only missing is asked for.
        if attempt.filled.left.is_empty() || first.found == Found::Name {
            return Some(attempt);
        }
        let related = |other: &&Ranked<'_>| {
            let (one, other_domains) =
                (&first.entry.spec().routing().domains, &other.entry.spec().routing().domains);
            match other.found {
                Found::Name | Found::Words => true,
                Found::Description => one.iter().any(|domain| other_domains.contains(domain)),
                Found::Value => false,
            }
        };
        let better =
            others.iter().filter(related).take(TRIED).map(|other| self.attempt(other.entry, counted));
        Some(better.into_iter().find(Attempt::is_whole).unwrap_or(attempt))
    }

    /// Whether a tool can use one of the words by which it was found.
    fn uses(&self, tool: &Ranked<'a>, attempt: &Attempt<'a>) -> bool {
        tool.words.is_empty() || !tool.words.is_disjoint(&attempt.filled.own)
    }

    fn attempt(&self, entry: &'a Entry, counted: bool) -> Attempt<'a> {
        let filled = fill::fill(entry, &self.reading, self.message, counted, self.around);
        let required = fields(entry.input_schema()).into_iter().filter(|field| field.required);
        let mut missing: Vec<String> = required
            .filter(|field| !filled.arguments.contains_key(field.name))
            .map(|field| field.name.to_owned())
            .collect();
        missing.extend(filled.needed.iter().cloned());
        Attempt { entry, filled, missing }
    }

    fn outcome(&self, attempt: Attempt<'a>, near: Option<String>) -> Plan<'a> {
        let Attempt { entry, filled, missing } = attempt;
        let narrows = filled.left.iter().any(|left| left.narrows);
        let call = Call {
            entry,
            arguments: filled.arguments,
            left: filled.left,
            corrections: self.corrections.clone(),
            near,
        };
        if narrows {
            Plan::Narrower(call)
        } else if missing.is_empty() {
            Plan::Call(call)
        } else {
            Plan::Missing(call, missing)
        }
    }

    /// Tools that change something, if one of them does what the verb says; else nothing is called.
    fn change(&mut self, verb: String, place: usize) -> Plan<'a> {
        let ranked = self.ranked();
        let stem = singular(&verb);
        let able = |tool: &&Ranked<'_>| {
            tool.entry.spec().widest_effects().is_mutating() && tool.words.contains(&stem)
        };
        if let Some(tool) = ranked.iter().find(able) {
            return self.outcome(self.attempt(tool.entry, false), None);
        }
        self.reading.mark(place..place + 1);
        let read_only: Vec<Ranked<'a>> =
            ranked.into_iter().filter(|tool| !tool.entry.spec().widest_effects().is_mutating()).collect();
        let look = self.chosen(&read_only, false).filter(|attempt| attempt.missing.is_empty());
        let call = look.map(|attempt| match self.outcome(attempt, None) {
            Plan::Call(call) | Plan::Narrower(call) | Plan::Missing(call, _) => Some(call),
            _ => None,
        });
        Plan::NoChange(verb, call.flatten())
    }

    fn figure(&mut self, measure: Measure, places: &[usize]) -> Plan<'a> {
        let ranked = self.ranked();
        let said: BTreeSet<String> =
            places.iter().flat_map(|&place| keywords(self.reading.at(place))).collect();
        let near = |place: &usize| {
            let joins = |other: &usize| other.abs_diff(*place) < 3;
            measure == Measure::Money && places.iter().any(|other| other < place && joins(other))
        };
        // `how much did we sell` as it was said, but `average` without the words between it and `value`.
        let (first, last) = (places.first().copied().unwrap_or(0), places.last().copied().unwrap_or(0));
        let told = (first..=last).filter(|place| places.contains(place) || near(place));
        let words: Vec<&str> =
            told.filter_map(|place| self.reading.words.get(place)).map(|word| word.raw.as_str()).collect();
        let words = words.join(" ");
        // A tool that is told by the word for the figure works it out; all words for money are one.
        let told_by = |entry: &Entry, wanted: &dyn Fn(&str) -> bool| {
            let routing = entry.spec().routing();
            let lists = [&routing.tags, &routing.intents, &routing.domains];
            lists.iter().any(|list| keywords(&list.join(" ")).iter().any(|word| wanted(word)))
        };
        let money = |word: &str| matches!(word, "revenue" | "turnover" | "earning" | "income");
        let made_for_it = if measure == Measure::Money {
            self.available.iter().map(AsRef::as_ref).find(|entry| told_by(entry, &money))
        } else {
            let named = |word: &str| said.contains(word) && !matches!(word, "value" | "total");
            ranked.iter().map(|tool| tool.entry).find(|entry| told_by(entry, &named))
        };
        if let Some(entry) = made_for_it {
            for &place in places {
                self.reading.mark(place..place + 1);
            }
            return self.outcome(self.attempt(entry, false), None);
        }
        let summing: Vec<&'a Entry> =
            self.available.iter().map(AsRef::as_ref).filter(|entry| counts(entry, "sum")).collect();
        let near: Vec<&'a Entry> = summing
            .iter()
            .copied()
            .chain(self.available.iter().map(AsRef::as_ref).filter(|entry| takes_statement(entry)))
            .collect();
        let best = ranked.first().map(|tool| tool.entry);
        let chosen = match measure {
            Measure::Unknown => None,
            // Money is a sum over what was sold, whatever else the words fit.
            Measure::Money => ranked
                .iter()
                .map(|tool| tool.entry)
                .find(|entry| counts(entry, "sum"))
                .or_else(|| summing.first().copied().filter(|_| summing.len() == 1)),
            Measure::Sum => best.filter(|entry| counts(entry, "sum")),
            Measure::Average => best.filter(|entry| counts(entry, "average")),
        };
        let about = best.filter(|_| measure != Measure::Unknown);
        let Some(entry) = chosen else { return Plan::NoFigure { words, about, near } };
        for &place in places {
            self.reading.mark(place..place + 1);
        }
        let exact = measure != Measure::Money;
        self.outcome(self.attempt(entry, true), (!exact).then_some(words))
    }
}

/// Whether a tool's counts give sums or averages, as the description of the switch for them says.
fn counts(entry: &Entry, what: &str) -> bool {
    fields(entry.input_schema()).iter().any(|field| {
        field.kind == Kind::Flag
            && field.name == "aggregate"
            && keywords(field.description()).iter().any(|word| word == what)
    })
}

fn takes_statement(entry: &Entry) -> bool {
    entry.input_schema().pointer("/properties/sql").is_some()
}

/// Every word that a misspelt one could be: those of the tools, of their values, and of the rules.
fn vocabulary(available: &[Arc<Entry>]) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = vocabulary::known().map(str::to_owned).collect();
    known.extend(lexicon::MEANINGS.iter().map(|&word| word.to_owned()));
    let months = "january february march april may june july august september october november december monday \
        tuesday wednesday thursday friday saturday sunday yesterday today previous quarter hours minutes";
    known.extend(months.split(' ').map(str::to_owned));
    let mut add = |text: &str| {
        known.extend(
            text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase).filter(|word| word.len() > 3),
        );
    };
    for entry in available {
        let spec = entry.spec();
        let routing = spec.routing();
        add(spec.name());
        for list in [&routing.domains, &routing.tags, &routing.intents] {
            list.iter().for_each(|word| add(word));
        }
        for field in fields(entry.input_schema()) {
            add(field.name);
            field.values.iter().for_each(|value| add(value));
        }
    }
    let plurals: Vec<String> = known.iter().map(|word| format!("{word}s")).collect();
    // Both numbers of a word are known, so that neither is taken for a slip.
    known.extend(plurals);
    known
}
