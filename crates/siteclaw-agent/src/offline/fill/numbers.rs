//! Numbers of a message: ids, pages, bounds and sizes.

use std::ops::Range;

use serde_json::{Number, Value};

use super::Filling;
use crate::offline::calendar::Unit;
use crate::offline::fields::{Field, Kind};
use crate::offline::vocabulary::{is_ordering, is_small};
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
        self.page();
    }

    /// `page 2` for a tool that passes over rows: the rows of the pages before.
    fn page(&mut self) {
        let Some((places, page)) = self.number_after(&["page"]) else { return };
        let Some(offset) = self.open(|field| field.name == "offset" && field.kind == Kind::Whole) else {
            return;
        };
        let size = self.fields.iter().find(|field| is_size(field)).and_then(|field| {
            let given = self.arguments.get(field.name).and_then(Value::as_i64);
            given.or_else(|| usual(field.description()))
        });
        if let Some(rows) =
            size.and_then(|size| page.checked_sub(1)?.checked_mul(size)).filter(|rows| *rows >= 0)
        {
            self.set(offset, rows);
            self.reading.mark(places);
        }
    }

    /// `between 10 and 20 euro`: the arguments for the least and the most of one thing.
    pub(super) fn ranges(&mut self) {
        let found = (0..self.reading.words.len()).find_map(|place| {
            let joint = match self.reading.at(place) {
                "between" => "and",
                "from" => "to",
                _ => return None,
            };
            let least = self.reading.number(place + 1).filter(|_| self.reading.is_free(place + 1))?;
            let unit = usize::from(is_money(self.reading.at(place + 2)));
            let joined = self.reading.at(place + 2 + unit) == joint;
            let at = place + 3 + unit;
            let most = self.reading.number(at).filter(|_| joined && self.reading.is_free(at))?;
            Some((place, at, least, most))
        });
        let Some((start, end, least, most)) = found else { return };
        if self.counted_in(end + 1).is_some() {
            return;
        }
        let bounds = |ends: [&str; 2]| -> Vec<&Field<'a>> {
            let is_bound = |field: &&Field<'a>| {
                matches!(field.kind, Kind::Whole | Kind::Number)
                    && !is_size(field)
                    && !self.is_set(field.name)
                    && field.words.first().is_some_and(|word| ends.contains(&word.as_str()))
            };
            self.fields.iter().filter(is_bound).collect()
        };
        let (low, high) = (bounds(["min", "minimum"]), bounds(["max", "maximum"]));
        let pair = low.iter().find_map(|low| {
            let high = high.iter().find(|high| high.words.get(1..) == low.words.get(1..))?;
            let named =
                low.words.iter().skip(1).any(|word| self.reading.find(&[&singular(word)], 0).is_some());
            Some((low.name, high.name, named))
        });
        if let Some((low, high, named)) = pair
            && (named || (bounds(["min", "minimum"]).len(), bounds(["max", "maximum"]).len()) == (1, 1))
        {
            self.set(low, Value::Number(least));
            self.set(high, Value::Number(most));
            self.reading.mark(start..end + 1);
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
            let start = if first.is_some_and(|place| {
                matches!(self.reading.at(place), "at" | "up") || is_more(self.reading.at(place))
            }) {
                second - 1
            } else {
                second
            };
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
            let unit = self.counted_in(place + 1);
            let fields: Vec<&Field<'a>> = match &unit {
                // `more than 3 items` bounds nothing but items.
                Some(unit) => fields.into_iter().filter(|field| field.has(unit)).collect(),
                None => fields,
            };
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
            let named =
                field.has(&singular(self.reading.at(place + 1))) || field.has(self.reading.at(place + 1));
            self.set(name, Value::Number(value));
            self.reading.mark(start..place + 1 + usize::from(named));
        }
    }

    /// `top 5`, `last 10 orders`, `limit 3`, `show 20 posts`; `the latest order` is one.
    pub(super) fn sizes(&mut self) {
        if self.counts() {
            return;
        }
        let Some((place, number, top)) = (0..self.reading.words.len()).find_map(|place| self.size_at(place))
        else {
            let one = (1..self.reading.words.len()).any(|place| {
                let word = self.reading.at(place);
                let best = matches!(
                    self.reading.before(place),
                    "latest"
                        | "newest"
                        | "last"
                        | "oldest"
                        | "biggest"
                        | "largest"
                        | "smallest"
                        | "cheapest"
                        | "expensive"
                        | "recent"
                );
                best && self.is_noun(word)
                    && singular(word) == word
                    && !word.ends_with('s')
                    && self.columns_lack(word)
            });
            if let Some(name) = self.open(|field| is_size(field)).filter(|_| one) {
                self.set(name, 1);
            }
            return;
        };
        let of_top = |field: &Field<'_>| field.words.first().is_some_and(|word| word == "top");
        let name = self
            .open(|field| is_size(field) && top && of_top(field))
            .or_else(|| self.open(|field| is_size(field) && !of_top(field)));
        if let Some(name) = name {
            self.set(name, number);
            // `top 5` without an order that was understood are any five.
            let ordered =
                self.arguments.keys().any(|name| matches!(name.as_str(), "orderby" | "order_by" | "sort"));
            let unordered = is_ordering(self.reading.before(place)) && !ordered && !name.starts_with("top");
            self.reading.mark(place.saturating_sub(usize::from(!unordered))..place + 1);
        }
    }

    /// Whether a word names no column: `the last login` is not one row.
    fn columns_lack(&self, word: &str) -> bool {
        !self.columns.has(word) || self.subject.iter().any(|own| own == word)
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
        // `with 3 items`, `more than 3 items`: that many are in one row.
        let within = matches!(
            word,
            "with"
                | "than"
                | "over"
                | "under"
                | "least"
                | "above"
                | "below"
                | "exactly"
                | "have"
                | "has"
                | "having"
        );
        let fits = BEFORE_SIZE.contains(&word) || (AFTER_SIZE.contains(&next) && !within) || asked;
        fits.then_some((place, number, word == "top"))
    }
}

impl Filling<'_> {
    /// What is counted where a plural follows a number: `3 items`, `5 kilos`. Money is what prices and totals are
    /// in.
    fn counted_in(&self, place: usize) -> Option<String> {
        let word = self.reading.at(place);
        let unit = word.ends_with('s') || matches!(word, "kg" | "g" | "cm" | "kilo" | "percent" | "%");
        let counts =
            unit && self.reading.is_free(place) && word.len() > 1 && !is_money(word) && !is_small(word);
        counts.then(|| singular(word))
    }
}

/// Words before `than`.
fn is_more(word: &str) -> bool {
    matches!(
        word,
        "more"
            | "greater"
            | "higher"
            | "larger"
            | "bigger"
            | "less"
            | "fewer"
            | "lower"
            | "smaller"
            | "cheaper"
    )
}

fn is_money(word: &str) -> bool {
    matches!(
        word,
        "euro"
            | "euros"
            | "eur"
            | "dollar"
            | "dollars"
            | "usd"
            | "bucks"
            | "pounds"
            | "pound"
            | "gbp"
            | "quid"
            | "chf"
            | "francs"
            | "zloty"
            | "pln"
    )
}

/// The number that a description says an argument is when it is left out: `Default 10.`
fn usual(description: &str) -> Option<i64> {
    let (_, rest) = description.split_once("Default ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
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
