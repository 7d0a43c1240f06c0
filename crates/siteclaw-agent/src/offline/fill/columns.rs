//! Columns that a message asks for beyond the usual ones.
//!
//! Tools with an argument `columns` list their columns in its description: `Usual: id, name. Also: email.`

use super::Filling;
use crate::offline::fields::Field;
use crate::offline::words::{parts, singular};

/// Parts of column names that say nothing alone.
const PLAIN: &[&str] =
    &["id", "date", "count", "gmt", "is", "total", "qty", "status", "type", "name", "title"];

/// The columns of a tool.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// Those that come by themselves.
    usual: Vec<String>,
    /// Those that come only when they are named.
    also: Vec<String>,
}

impl Columns {
    pub(super) fn of(fields: &[Field<'_>]) -> Self {
        let description = fields.iter().find(|field| field.name == "columns").map_or("", Field::description);
        let listed = |opening: &str| -> Vec<String> {
            let list = description.split_once(opening).map_or("", |(_, list)| list);
            let list = list.split_once('.').map_or(list, |(list, _)| list);
            list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        };
        Self { usual: listed("Usual:"), also: listed("Also:") }
    }

    /// Whether a word is in the name of a column.
    pub(super) fn has(&self, word: &str) -> bool {
        let word = said(word);
        self.usual.iter().chain(&self.also).any(|column| parts(column).iter().any(|part| said(part) == word))
    }

    /// Whether a usual column is the quantity of what a word names: `stock_qty`.
    pub(super) fn counts(&self, word: &str) -> bool {
        !word.is_empty()
            && ["qty", "quantity"]
                .iter()
                .any(|last| self.usual.iter().any(|column| *column == format!("{word}_{last}")))
    }

    /// Whether a word asks for a column. Other rows are none: `customers` is not the `customer_id` of an order.
    pub(super) fn has_aspect(&self, word: &str) -> bool {
        let one = singular(word);
        let other = |column: &String| {
            one != word && column.strip_prefix(one.as_str()).is_some_and(|rest| rest.starts_with('_'))
        };
        let word = said(word);
        let columns = self.usual.iter().chain(&self.also).filter(|column| !other(column));
        columns.into_iter().any(|column| parts(column).iter().any(|part| said(part) == word))
    }

    /// The columns beyond the usual ones whose names hold the most of these words.
    fn asked(&self, words: &[String]) -> Vec<&str> {
        let hits = |column: &String| {
            let parts: Vec<String> = parts(column).iter().map(|part| said(part)).collect();
            let found = words.iter().filter(|word| parts.contains(word)).count();
            let telling = parts.iter().any(|part| !PLAIN.contains(&part.as_str()) && words.contains(part));
            if telling { found } else { 0 }
        };
        let usual = self.usual.iter().map(hits).max().unwrap_or(0);
        let most = self.also.iter().map(hits).max().unwrap_or(0);
        if most == 0 || most <= usual {
            return Vec::new();
        }
        self.also.iter().filter(|column| hits(column) == most).map(String::as_str).collect()
    }
}

/// A word as columns are told by.
fn said(word: &str) -> String {
    match word {
        "e-mail" | "mail" | "emails" | "e-mails" => "email".to_owned(),
        "telephone" => "phone".to_owned(),
        "link" | "address" | "website" => "url".to_owned(),
        "signup" | "joined" => "registered".to_owned(),
        other => singular(other),
    }
}

impl Filling<'_> {
    /// `email of user 5`, `last login of administrators`: the usual columns and the one that is asked for.
    pub(super) fn columns(&mut self) {
        if self.counts() || self.is_set("columns") || !self.fields.iter().any(|field| field.name == "columns")
        {
            return;
        }
        let places: Vec<usize> =
            (0..self.reading.words.len()).filter(|&place| self.asks_for(place)).collect();
        let words: Vec<String> = places.iter().map(|&place| said(self.reading.at(place))).collect();
        let columns = self.columns.clone();
        let asked = columns.asked(&words);
        if asked.is_empty() || asked.len() > 3 {
            return;
        }
        let all: Vec<String> =
            columns.usual.iter().cloned().chain(asked.iter().map(|&name| name.to_owned())).collect();
        let named: Vec<String> =
            asked.iter().flat_map(|column| parts(column)).map(|part| said(&part)).collect();
        self.set("columns", all);
        for (place, word) in places.into_iter().zip(words) {
            if named.contains(&word) {
                self.reading.mark(place..place + 1);
            }
        }
    }

    /// `when was order 5 completed`: the column with the day, and not only what is completed.
    pub(super) fn when(&mut self) {
        if self.reading.at(0) != "when" {
            return;
        }
        let columns = self.columns.clone();
        for place in 1..self.reading.words.len() {
            let word = self.reading.at(place);
            let stem = word.trim_end_matches("ed").trim_end_matches('e');
            if stem.len() < 4 || !self.reading.is_free(place) {
                continue;
            }
            let of_day = |column: &&String| {
                let parts = parts(column);
                let dated = parts.iter().any(|part| part == "date") || column.starts_with("user_");
                dated && parts.iter().any(|part| part.trim_end_matches("ed").trim_end_matches('e') == stem)
            };
            let usual = columns.usual.iter().find(of_day);
            let also = columns.also.iter().find(of_day);
            if let Some(column) = also.filter(|_| usual.is_none()) {
                let all: Vec<String> = columns.usual.iter().chain([column]).cloned().collect();
                self.set("columns", all);
            }
            if usual.or(also).is_some() {
                self.reading.mark(place..place + 1);
            }
        }
    }

    /// Whether the word at a place asks for a column: it is in the name of one, and neither says of what kind the
    /// rows are (`featured products`) nor what to leave out or group by.
    fn asks_for(&self, place: usize) -> bool {
        let word = self.reading.at(place);
        let free = self.reading.is_free(place) && !self.unclear.contains(&place);
        let kind = self.is_subject(self.reading.at(place + 1))
            && !self.reading.words.get(place).is_some_and(|word| word.ends);
        let before = self.reading.before(place);
        let governed = matches!(
            before,
            "that"
                | "which"
                | "by"
                | "per"
                | "without"
                | "no"
                | "not"
                | "missing"
                | "each"
                | "on"
                | "in"
                | "than"
                | "over"
                | "under"
        );
        let known = columns_word(word) && self.columns.has(word);
        let own = self.subject.contains(&singular(word));
        known && free && !kind && !governed && !own
    }
}

/// What rows are of is no column: `customers` does not ask for the `customer_id` of orders.
fn columns_word(word: &str) -> bool {
    let rows = ["id", "order", "post", "user", "product", "customer", "comment", "plugin"];
    !word.is_empty() && !rows.contains(&singular(word).as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::offline::fields::fields;

    #[test]
    fn the_column_that_the_words_tell_best_is_asked_for() {
        let description = "Columns to return; [\"*\"] for all. Usual: id, status, total, date_created. \
            Also: date_paid, billing_email, billing_city, shipping_city, customer_id, last_login.";
        let schema = json!({"properties": {"columns": {"type": "array", "items": {"type": "string"},
            "description": description}}});
        let columns = Columns::of(&fields(&schema));
        let asked = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| said(word)).collect();
            columns.asked(&words).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(asked(&["emails"]), ["billing_email"]);
        assert_eq!(asked(&["shipping", "city"]), ["shipping_city"]);
        assert_eq!(asked(&["city"]), ["billing_city", "shipping_city"]);
        assert_eq!(asked(&["last", "login"]), ["last_login"]);
        for nothing in [&["status"][..], &["date"], &["total", "date"], &["login's"], &[]] {
            assert_eq!(asked(nothing), [""; 0], "{nothing:?}");
        }
        assert!(columns.has("dates") && columns.has("e-mail") && !columns.has("colour"));
    }
}
