//! Values from a list, and the order of rows.

use serde_json::Value;

use super::{Filling, is_period};
use crate::offline::fields::{Field, Kind};
use crate::offline::values::{matches, plain, value};
use crate::offline::words::{parts, singular};

/// What an order by time may be called.
const TIMES: &[&str] = &[
    "date",
    "date_created",
    "created",
    "created_at",
    "registered",
    "comment_date_gmt",
    "comment_date",
    "post_date",
];
/// What an order by size may be called.
const SIZES: &[&str] = &["total", "amount", "file_size", "size"];
/// What an order by name may be called.
const NAMES: &[&str] = &["name", "title", "display_name", "label"];
/// What an order by the last change may be called.
const CHANGES: &[&str] = &["modified", "date_modified", "updated", "updated_at", "changed"];
/// What an order by success may be called.
const SALES: &[&str] = &["total_sales", "sales", "quantity_sold", "popularity"];

/// An order that a message asks for.
struct Sorted {
    value: String,
    direction: Option<&'static str>,
    place: usize,
}

impl Filling<'_> {
    /// Fills every argument with a list of values of which the message names exactly one.
    pub(super) fn choices(&mut self) {
        let mut understood = Vec::new();
        for field in self.fields.clone() {
            if field.values.is_empty() || self.is_set(field.name) || is_special(&field) {
                continue;
            }
            let (denied, mut hits): (Vec<_>, Vec<_>) =
                matches(&self.reading, &field.values).into_iter().partition(|hit| hit.denied);
            for hit in denied {
                self.unclear.extend(hit.places.start.saturating_sub(1)..hit.places.end);
            }
            // The tool's own subject is no choice: every comment is a comment.
            hits.retain(|hit| !self.subject.iter().any(|word| *word == plain(hit.value)));
            if field.has("date") {
                // `paid in October`: the word says which date is meant.
                hits.retain(|hit| self.reading.words.get(hit.places.end).is_some_and(|word| word.used));
            }
            let mut values: Vec<&str> = hits.iter().map(|hit| hit.value).collect();
            values.sort_unstable();
            values.dedup();
            let qualified = match hits.as_slice() {
                // `fatal errors`: the word before says which.
                [one, other] if one.places.end == other.places.start => Some(one.value),
                [other, one] if one.places.end == other.places.start => Some(one.value),
                _ => None,
            };
            match (field.kind, values.as_slice()) {
                (Kind::Text, [_, _]) if qualified.is_some() => self.set(field.name, qualified),
                (_, []) => {
                    if let Some(every) = self.every(&field) {
                        self.set(field.name, every);
                    }
                    continue;
                }
                (Kind::Texts, values) => self.set(field.name, values.to_vec()),
                (_, [only]) => self.set(field.name, *only),
                _ => {
                    self.unclear.extend(hits.into_iter().flat_map(|hit| hit.places));
                    continue;
                }
            }
            understood.extend(hits.into_iter().map(|hit| hit.places));
        }
        for places in understood {
            self.reading.mark(places);
        }
        self.grouping();
    }

    /// `without an image`, `products that have no price`: the argument that says what rows lack.
    pub(super) fn lacking(&mut self) {
        let Some(field) =
            self.fields.iter().find(|field| is_lack(field) && !self.is_set(field.name)).cloned()
        else {
            return;
        };
        let lacks = |word: &str| {
            matches!(
                word,
                "without" | "no" | "missing" | "lack" | "lacks" | "lacking" | "need" | "needs" | "any"
            )
        };
        let found = (0..self.reading.words.len()).find_map(|place| {
            let value = value(&plain(self.reading.at(place)), &field.values)?;
            let mut start = place;
            while start > 0 && matches!(self.reading.before(start), "a" | "an" | "the" | "their") {
                start -= 1;
            }
            let before = self.reading.before(start);
            let after = matches!(self.reading.at(place + 1), "missing");
            (after || lacks(before)).then_some((start.saturating_sub(1), place, value, after))
        });
        if let Some((start, place, value, after)) = found {
            self.set(field.name, value);
            if after {
                self.reading.mark(place..place + 2);
            } else {
                self.reading.mark(start..place + 1);
            }
        }
    }

    /// `any status`, `all types`: the value that lifts the filter, where the message names the argument.
    fn every<'f>(&self, field: &Field<'f>) -> Option<&'f str> {
        let noun = field.words.last()?;
        let word = ["any", "all"].into_iter().find(|word| self.reading.find(&[word, noun], 0).is_some())?;
        let exact = field.values.iter().find(|value| **value == word);
        exact.or_else(|| field.values.iter().find(|value| matches!(**value, "any" | "all"))).copied()
    }

    /// `by month`, `per country`.
    fn grouping(&mut self) {
        let Some(field) = self.fields.iter().find(|field| field.has("group") && field.closed).cloned() else {
            return;
        };
        let hit = (1..self.reading.words.len()).find_map(|place| {
            let sorts = is_sorting(place.checked_sub(2).map_or("", |place| self.reading.at(place)));
            let introduced = matches!(self.reading.before(place), "by" | "per") && !sorts;
            Some((place, value(&plain(self.reading.at(place)), &field.values).filter(|_| introduced)?))
        });
        if let Some((place, value)) = hit.filter(|_| !self.is_set(field.name)) {
            self.set(field.name, value);
            self.reading.mark(place..place + 1);
        }
    }

    /// `sorted by price`, `newest`, `most comments`, `cheapest`: the arguments for order and direction.
    pub(super) fn sorting(&mut self) {
        if self.counts() {
            return;
        }
        let direction = self.fields.iter().find(|field| is_direction(field)).cloned();
        let explicit = (0..self.reading.words.len()).find_map(|place| match self.reading.at(place) {
            "descending" | "desc" => Some((place, "desc")),
            "ascending" | "asc" => Some((place, "asc")),
            "first" => match self.reading.before(place) {
                "newest" | "latest" | "highest" | "largest" | "biggest" | "most" => Some((place, "desc")),
                "oldest" | "earliest" | "lowest" | "smallest" | "cheapest" => Some((place, "asc")),
                _ => None,
            },
            _ => None,
        });
        let field = self.fields.iter().find(|field| is_sort(field) && !self.is_set(field.name)).cloned();
        let order = field.as_ref().and_then(|field| self.order(&field.values));
        if let (Some(field), Some(order)) = (&field, &order) {
            self.set(field.name, order.value.as_str());
            if matches!(self.reading.at(order.place), "expensive") {
                self.reading.mark(order.place.saturating_sub(1)..order.place);
            }
            if is_sorting(self.reading.before(order.place)) {
                self.reading.mark(order.place - 1..order.place);
            }
            let length = if self.reading.whole(order.place + 1).is_some() { 1 } else { 2 };
            self.reading.mark(order.place..order.place + length);
        }
        let wanted = explicit.map(|(_, direction)| direction).or(order.and_then(|order| order.direction));
        if let (Some(field), Some(wanted)) = (direction, wanted) {
            let value = field.values.iter().find(|value| plain(value).starts_with(wanted)).copied();
            if let Some(value) = value {
                self.set(field.name, value);
                explicit.into_iter().for_each(|(place, _)| self.reading.mark(place..place + 1));
            }
        }
    }

    /// What to sort by and the direction, as far as the message says so.
    fn order(&self, values: &[&str]) -> Option<Sorted> {
        let any = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| values.iter().find(|value| value.eq_ignore_ascii_case(name)))
                .copied()
        };
        let time =
            || any(TIMES).or_else(|| values.iter().find(|value| plain(value).contains("date")).copied());
        (0..self.reading.words.len()).find_map(|place| {
            let (before, next) = (self.reading.before(place), self.reading.at(place + 1));
            let free = self.reading.is_free(place);
            let (value, direction) = match self.reading.at(place) {
                "by" if is_sorting(before) => (self.sort_value(place + 1, values)?, ""),
                "by" if self.reading.find(&["top"], 0).is_some() => {
                    (self.sort_value(place + 1, values)?, "desc")
                }
                "most" if matches!(next, "commented" | "discussed") => {
                    (self.counted("comment", values)?, "desc")
                }
                "last" | "latest" | "recently"
                    if matches!(next, "modified" | "changed" | "updated" | "edited") =>
                {
                    (any(CHANGES)?, "")
                }
                "newest" | "latest" | "recent" | "recently" => (time()?, "desc"),
                "new" if free && self.is_noun(next) => (time()?, "desc"),
                "top" | "best" if self.is_own_row(place + 1) => (any(SALES).or_else(|| any(SIZES))?, "desc"),
                "last" if free && (next.ends_with('s') || self.reading.whole(place + 1).is_some()) => {
                    (time()?, "desc")
                }
                "oldest" | "earliest" => (time()?, "asc"),
                "cheapest" => (any(&["price"])?, "asc"),
                "expensive" if before == "least" => (any(&["price"])?, "asc"),
                "expensive" | "priciest" => (any(&["price"]).or_else(|| any(SIZES))?, "desc"),
                "most" | "highest" | "largest" | "biggest" | "greatest" => (
                    self.sort_value(place + 1, values)
                        .or_else(|| any(SIZES).filter(|_| self.reading.at(place) != "most"))?,
                    "desc",
                ),
                "fewest" | "least" | "lowest" | "smallest" => (
                    self.sort_value(place + 1, values).or_else(|| {
                        any(SIZES).filter(|_| !matches!(self.reading.at(place), "least" | "fewest"))
                    })?,
                    "asc",
                ),
                "alphabetical" | "alphabetically" => (any(NAMES)?, "asc"),
                "bestselling" | "best-selling" | "bestsellers" | "bestseller" => (any(SALES)?, "desc"),
                "best" if matches!(next, "selling" | "sellers") => (any(SALES)?, "desc"),
                "random" => (any(&["rand", "random"])?, ""),
                _ => return None,
            };
            let direction = Some(direction).filter(|direction| !direction.is_empty());
            Some(Sorted { value: value.to_owned(), direction, place })
        })
    }

    /// Whether the rows of the tool are named at a place, or after a number there.
    fn is_own_row(&self, place: usize) -> bool {
        let place = if self.reading.whole(place).is_some() { place + 1 } else { place };
        let word = self.reading.at(place);
        let word = if matches!(word, "selling" | "sold") { self.reading.at(place + 1) } else { word };
        self.subject.contains(&singular(word))
    }

    /// The value that words from this place on name, in whole or by the first part of its name: `comments` is
    /// `comment_count`.
    fn sort_value<'v>(&self, place: usize, values: &[&'v str]) -> Option<&'v str> {
        for length in (1..=3).rev() {
            let words: String = (place..place + length).map(|place| plain(self.reading.at(place))).collect();
            if let Some(value) = value(&words, values) {
                return Some(value);
            }
        }
        let word = singular(self.reading.at(place));
        self.counted(&word, values)
    }

    /// The value that counts what a word names: `comment_count` for `comment`.
    fn counted<'v>(&self, word: &str, values: &[&'v str]) -> Option<&'v str> {
        let counted = |value: &&&str| {
            let parts = parts(value);
            let amounts = ["count", "qty", "quantity", "number", "total", "amount", "size", "sales"];
            parts.split_first().is_some_and(|(first, rest)| {
                singular(first) == word && rest.iter().all(|part| amounts.contains(&part.as_str()))
            })
        };
        values.iter().find(counted).copied()
    }
}

/// Whether an argument says what rows lack.
fn is_lack(field: &Field<'_>) -> bool {
    field.closed && matches!(field.name, "missing" | "without" | "lacking" | "lacks")
}

fn is_sorting(word: &str) -> bool {
    matches!(word, "sort" | "sorted" | "sorting" | "order" | "ordered" | "rank" | "ranked")
}

fn is_sort(field: &Field<'_>) -> bool {
    field.closed && matches!(field.name, "orderby" | "order_by" | "sort" | "sort_by" | "sortby")
}

fn is_direction(field: &Field<'_>) -> bool {
    field.closed
        && matches!(field.name, "order" | "direction" | "sort_order" | "order_dir" | "sort_direction" | "dir")
        && field.values.iter().any(|value| plain(value).starts_with("asc"))
}

/// Arguments whose values words of a message do not simply name.
fn is_special(field: &Field<'_>) -> bool {
    is_sort(field)
        || is_direction(field)
        || is_period(field)
        || is_lack(field)
        || field.has("group")
        || matches!(field.name, "columns" | "fields" | "select")
        || !matches!(field.kind, Kind::Text | Kind::Texts)
        || matches!(field.schema.get("const"), Some(Value::String(_)))
}
