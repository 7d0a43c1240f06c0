//! Numbers of a message: ids, pages, bounds and sizes.

use std::ops::Range;

use serde_json::{Number, Value};

use super::Filling;
use crate::offline::calendar::Unit;
use crate::offline::fields::{Field, Kind};
use crate::offline::words::singular;

/// Words after which a number says how many.
const BEFORE_SIZE: &[&str] = &[
    "top", "first", "last", "latest", "newest", "oldest", "recent", "limit", "max", "maximum", "most",
    "next", "cheapest", "biggest", "largest", "smallest", "highest", "lowest", "best", "worst",
];

/// Words before which a number says how many.
const AFTER_SIZE: &[&str] = &[
    "latest", "newest", "oldest", "most", "recent", "cheapest", "biggest", "largest", "smallest", "highest",
    "lowest", "best", "random", "results", "rows", "items", "entries", "lines", "records", "matches", "hits",
];

/// Words of asking: a number and a plural after them say how many.
const ASKING: &[&str] =
    &["show", "list", "get", "find", "give", "me", "display", "see", "fetch", "need", "want", "print"];

impl<'a> Filling<'a> {
    /// `order 123`, `order #123`, `post id 7`, `#123`.
    pub(super) fn ids(&mut self) {
        let fields: Vec<Field<'a>> = self.fields.iter().filter(|field| is_id(field)).cloned().collect();
        for field in &fields {
            let Some((_, owner)) = field.words.split_last() else { continue };
            let owners: Vec<Vec<&str>> = if owner.is_empty() {
                self.subject.iter().map(|word| vec![word.as_str()]).collect()
            } else {
                vec![owner.iter().map(String::as_str).collect()]
            };
            if let Some((places, number)) = owners.iter().find_map(|owner| self.number_after(owner)) {
                self.set_id(field, number);
                self.reading.mark(places);
            }
        }
        // An id without its owner belongs to what the tool is about, or to the only argument that takes one.
        let own = fields.iter().find(|field| {
            field.words.len() == 1 || field.words.first().is_some_and(|owner| self.subject.contains(owner))
        });
        let Some(field) = own.or(if fields.len() == 1 { fields.first() } else { None }) else { return };
        let free = (0..self.reading.words.len()).find(|&place| {
            let hash = self.reading.words.get(place).is_some_and(|word| word.hash);
            self.reading.is_free(place) && (hash || self.reading.before(place) == "id")
        });
        if let Some((place, number)) = free.and_then(|place| Some((place, self.reading.whole(place)?)))
            && !self.is_set(field.name)
        {
            self.set_id(field, number);
            self.reading.mark(place..place + 1);
        }
    }

    fn set_id(&mut self, field: &Field<'_>, number: i64) {
        let value =
            if field.kind == Kind::Text { Value::from(number.to_string()) } else { Value::from(number) };
        self.set(field.name, value);
    }

    /// These words in the singular with the number after them; `id` and `number` may stand between.
    fn number_after(&self, owner: &[&str]) -> Option<(Range<usize>, i64)> {
        (0..self.reading.words.len()).find_map(|start| {
            let fits =
                owner.iter().enumerate().all(|(offset, word)| self.reading.at(start + offset) == *word);
            let mut place = start + owner.len();
            while matches!(self.reading.at(place), "with" | "id" | "number" | "no" | "nr") {
                place += 1;
            }
            (fits && self.reading.is_free(place)).then_some(())?;
            Some((start..place + 1, self.reading.whole(place)?))
        })
    }

    /// `page 2`, `offset 40`, and any other whole number after the words of its argument: `depth 3`.
    pub(super) fn paging(&mut self) {
        for field in self.fields.clone() {
            if !matches!(field.kind, Kind::Whole | Kind::Number) || self.is_set(field.name) || is_id(&field) {
                continue;
            }
            let words: Vec<&str> = match field.name {
                "paged" | "page" | "page_number" => vec!["page"],
                _ => field.words.iter().map(String::as_str).collect(),
            };
            if let Some((places, number)) = self.number_after(&words) {
                self.set(field.name, number);
                self.reading.mark(places);
            }
        }
    }

    /// `more than 5 comments`, `under 20`: the argument that begins with `min` or `max`. If there are several
    /// the message must name what is bounded.
    pub(super) fn thresholds(&mut self) {
        for place in 1..self.reading.words.len() {
            let Some(number) = self.reading.number(place).filter(|_| self.reading.is_free(place)) else {
                continue;
            };
            let of = usize::from(self.reading.before(place) == "of");
            let (second, first) = (place - 1 - of, place.checked_sub(2 + of));
            let (last, first) = (self.reading.at(second), first.map_or("", |place| self.reading.at(place)));
            let (ends, strict) = match (first, last) {
                ("more" | "greater" | "higher" | "larger" | "bigger", "than") | (_, "over" | "above") => {
                    (["min", "minimum"], true)
                }
                ("at", "least") | (_, "minimum") => (["min", "minimum"], false),
                ("less" | "fewer" | "lower" | "smaller" | "cheaper", "than") | (_, "under" | "below") => {
                    (["max", "maximum"], true)
                }
                ("at", "most") | ("up", "to") | (_, "maximum") => (["max", "maximum"], false),
                _ => continue,
            };
            let bounded = |field: &&Field<'_>| {
                matches!(field.kind, Kind::Whole | Kind::Number)
                    && !is_size(field)
                    && !self.is_set(field.name)
                    && field.words.first().is_some_and(|word| ends.contains(&word.as_str()))
            };
            let fields: Vec<&Field<'a>> = self.fields.iter().filter(bounded).collect();
            let named = fields.iter().find(|field| {
                field.words.iter().skip(1).any(|word| self.reading.find(&[&singular(word)], 0).is_some())
            });
            let Some(field) = named.or(if fields.len() == 1 { fields.first() } else { None }) else {
                continue;
            };
            let up = ends.contains(&"min");
            let name = field.name;
            let value = match number.as_i64().filter(|_| field.kind == Kind::Whole && strict) {
                Some(whole) => {
                    Number::from(if up { whole.saturating_add(1) } else { whole.saturating_sub(1) })
                }
                None => number,
            };
            self.set(name, Value::Number(value));
            self.reading.mark(second..place + 1);
        }
    }

    /// `top 5`, `last 10 orders`, `limit 3`, `show 20 posts`.
    pub(super) fn sizes(&mut self) {
        if self.counts() {
            return;
        }
        let Some((place, number, top)) = (0..self.reading.words.len()).find_map(|place| self.size_at(place))
        else {
            return;
        };
        let of_top = |field: &Field<'_>| field.words.first().is_some_and(|word| word == "top");
        let name = self
            .open(|field| is_size(field) && top && of_top(field))
            .or_else(|| self.open(|field| is_size(field) && !of_top(field)));
        if let Some(name) = name {
            self.set(name, number);
            self.reading.mark(place.saturating_sub(1)..place + 1);
        }
    }

    fn size_at(&self, place: usize) -> Option<(usize, i64, bool)> {
        let number = self.reading.whole(place).filter(|&number| number > 0 && self.reading.is_free(place))?;
        let next = self.reading.at(place + 1);
        if Unit::of(next).is_some() || matches!(next, "percent" | "hours" | "hour" | "minutes") {
            return None;
        }
        let mut before = place;
        while before > 0 && matches!(self.reading.before(before), "of" | "to" | "the" | "only" | "up") {
            before -= 1;
        }
        let word = self.reading.before(before);
        // `3 posts`, `3 private posts`
        let plural = self.is_noun(next)
            || (place + 1..place + 3)
                .any(|place| self.reading.is_free(place) && self.reading.at(place).ends_with('s'));
        let asked = (before == 0 || ASKING.contains(&word)) && plural;
        let fits = BEFORE_SIZE.contains(&word) || AFTER_SIZE.contains(&next) || asked;
        fits.then_some((place, number, word == "top"))
    }
}

fn is_id(field: &Field<'_>) -> bool {
    field.words.last().is_some_and(|word| word == "id")
        && (matches!(field.kind, Kind::Whole | Kind::Number) || field.kind == Kind::Text && !field.closed)
}

/// Whether an argument says how many rows come back.
fn is_size(field: &Field<'_>) -> bool {
    let named = matches!(
        field.name,
        "limit"
            | "posts_per_page"
            | "per_page"
            | "page_size"
            | "max_results"
            | "count"
            | "lines"
            | "rows"
            | "number"
            | "top"
    );
    matches!(field.kind, Kind::Whole)
        && (named
            || field.words.first().is_some_and(|word| word == "top")
            || field.words.last().is_some_and(|word| word == "limit"))
}
