//! Words of a message that stand for a value of an argument.
//!
//! A value matches whatever its separators and its ending: `out of stock` is `outofstock`, `drafts` is
//! `draft`, `published` is `publish`. A small table adds words that mean the same.

use std::ops::Range;

use super::vocabulary::is_small;
use super::words::Reading;

/// Words of one expression at most.
const LONGEST: usize = 4;

/// Other words for values: written together, with the values they may stand for, the first that exists.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("live", &["publish", "published"]),
    ("scheduled", &["future"]),
    ("trashed", &["trash"]),
    ("deleted", &["trash"]),
    ("bin", &["trash"]),
    ("junk", &["spam"]),
    ("pending", &["hold", "onhold"]),
    ("held", &["hold", "onhold"]),
    ("unapproved", &["hold", "pending"]),
    ("notapproved", &["hold", "pending"]),
    ("awaitingmoderation", &["hold", "pending"]),
    ("waitingformoderation", &["hold", "pending"]),
    ("awaitingapproval", &["hold", "pending"]),
    ("waitingforapproval", &["hold", "pending"]),
    ("awaitingreview", &["pending", "hold"]),
    ("soldout", &["outofstock"]),
    ("notinstock", &["outofstock"]),
    ("nostock", &["outofstock"]),
    ("withoutstock", &["outofstock"]),
    ("notavailable", &["outofstock"]),
    ("unavailable", &["outofstock"]),
    ("available", &["instock"]),
    ("backorder", &["onbackorder"]),
    ("backordered", &["onbackorder"]),
    ("lowonstock", &["lowstock", "low"]),
    ("lowinstock", &["lowstock", "low"]),
    ("runninglow", &["lowstock", "low"]),
    ("runningout", &["lowstock", "low"]),
    ("nearlysoldout", &["lowstock", "low"]),
    ("almostsoldout", &["lowstock", "low"]),
    ("almostoutofstock", &["lowstock", "low"]),
    ("nearlyoutofstock", &["lowstock", "low"]),
    ("enabled", &["active"]),
    ("activated", &["active"]),
    ("disabled", &["inactive"]),
    ("deactivated", &["inactive"]),
    ("notactive", &["inactive"]),
    ("canceled", &["cancelled"]),
    ("cancelled", &["canceled"]),
    ("fulfilled", &["completed"]),
    ("unpaid", &["pending"]),
    ("awaitingpayment", &["pending"]),
    ("declined", &["failed"]),
    ("admin", &["administrator"]),
    ("article", &["post"]),
    ("blogpost", &["post"]),
];

/// A value that words of the message stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match<'a> {
    pub(super) value: &'a str,
    pub(super) places: Range<usize>,
    /// Whether the message says that it is not meant.
    pub(super) denied: bool,
}

/// The values that the message names or denies, the longest expressions first. Words that are used up are
/// passed over.
pub(super) fn matches<'a>(reading: &Reading, values: &[&'a str]) -> Vec<Match<'a>> {
    let mut found: Vec<Match<'a>> = Vec::new();
    for length in (1..=LONGEST).rev() {
        for start in 0..reading.words.len().saturating_sub(length - 1) {
            let places = start..start + length;
            let taken =
                found.iter().any(|other| other.places.start < places.end && places.start < other.places.end);
            if taken || !readable(reading, &places) {
                continue;
            }
            if let Some(value) = value(&joined(reading, &places), values) {
                let denied = is_denied(reading, start);
                found.push(Match { value, places, denied });
            }
        }
    }
    found
}

/// The value that a word or expression stands for.
pub(super) fn value<'a>(expression: &str, values: &[&'a str]) -> Option<&'a str> {
    if expression.chars().count() < 3 {
        return None;
    }
    let of_value = |wanted: &str| {
        let forms = forms(wanted);
        values
            .iter()
            .find(|value| self::forms(&plain(value)).iter().any(|form| forms.contains(form)))
            .copied()
    };
    // `all` says that there is no filter.
    let direct = of_value(expression).filter(|value| !matches!(*value, "all" | "any"));
    direct.or_else(|| {
        let forms = forms(expression);
        let (_, meant) = SYNONYMS.iter().find(|(word, _)| forms.iter().any(|form| form == word))?;
        meant.iter().find_map(|meant| values.iter().find(|value| plain(value) == *meant).copied())
    })
}

/// Letters and digits in lower case.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A word with and without the endings of plurals and participles.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    let mut add = |stem: Option<&str>, ending: &str| {
        if let Some(stem) = stem.filter(|stem| stem.chars().count() > 2) {
            forms.push(format!("{stem}{ending}"));
        }
    };
    add(word.strip_suffix("ies"), "y");
    add(word.strip_suffix('s').filter(|stem| !stem.ends_with('s')), "");
    add(word.strip_suffix("es"), "");
    add(word.strip_suffix("ed"), "");
    add(word.strip_suffix('d').filter(|stem| stem.ends_with('e')), "");
    forms
}

fn joined(reading: &Reading, places: &Range<usize>) -> String {
    places.clone().map(|place| plain(reading.at(place))).collect()
}

/// Whether words are there to be read as one expression: none quoted or used, none across a comma, and not
/// only small ones.
fn readable(reading: &Reading, places: &Range<usize>) -> bool {
    let last = places.end - 1;
    places.clone().all(|place| {
        reading
            .words
            .get(place)
            .is_some_and(|word| !word.quoted && !word.used && (place == last || !word.ends))
    }) && places.clone().any(|place| !is_small(reading.at(place)))
        && !is_small_end(reading, places)
}

/// `stock of` and `the draft` are no expressions, `in stock` and `out of stock` are.
fn is_small_end(reading: &Reading, places: &Range<usize>) -> bool {
    places.len() > 1 && is_small(reading.at(places.end - 1))
}

/// Whether the word before says that it is not meant.
fn is_denied(reading: &Reading, place: usize) -> bool {
    let mut before = reading.before(place);
    if matches!(before, "the" | "any" | "a") {
        before = place.checked_sub(2).map_or("", |place| reading.at(place));
    }
    matches!(
        before,
        "not"
            | "non"
            | "no"
            | "never"
            | "except"
            | "excluding"
            | "without"
            | "isn't"
            | "aren't"
            | "besides"
            | "but"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str, values: &[&str]) -> Vec<String> {
        let hits = matches(&Reading::of(message), values).into_iter().filter(|hit| !hit.denied);
        hits.map(|hit| hit.value.to_owned()).collect()
    }

    const POSTS: [&str; 6] = ["publish", "draft", "pending", "private", "trash", "any"];
    const STOCK: [&str; 5] = ["all", "instock", "outofstock", "onbackorder", "lowstock"];
    const ORDERS: [&str; 7] =
        ["all", "pending", "processing", "on-hold", "completed", "cancelled", "refunded"];
    const COMMENTS: [&str; 5] = ["all", "approve", "hold", "spam", "trash"];

    #[test]
    fn values_are_found_whatever_their_separators_and_endings() {
        let table: [(&str, &[&str], &str); 22] = [
            ("show drafts", &POSTS, "draft"),
            ("published posts", &POSTS, "publish"),
            ("what is live", &POSTS, "publish"),
            ("posts in the trash", &POSTS, "trash"),
            ("deleted posts", &POSTS, "trash"),
            ("products out of stock", &STOCK, "outofstock"),
            ("Out-of-stock items", &STOCK, "outofstock"),
            ("sold out", &STOCK, "outofstock"),
            ("what is in stock", &STOCK, "instock"),
            ("low stock", &STOCK, "lowstock"),
            ("low on stock", &STOCK, "lowstock"),
            ("nearly out of stock", &STOCK, "lowstock"),
            ("on backorder", &STOCK, "onbackorder"),
            ("orders on hold", &ORDERS, "on-hold"),
            ("canceled orders", &ORDERS, "cancelled"),
            ("complete orders", &ORDERS, "completed"),
            ("refunds", &ORDERS, "refunded"),
            ("pending orders", &ORDERS, "pending"),
            ("pending comments", &COMMENTS, "hold"),
            ("approved comments", &COMMENTS, "approve"),
            ("comments not approved", &COMMENTS, "hold"),
            ("deactivated plugins", &["all", "active", "inactive"], "inactive"),
        ];
        for (message, values, expected) in table {
            assert_eq!(found(message, values), [expected], "{message}");
        }
    }

    #[test]
    fn what_is_denied_or_says_nothing_is_no_value() {
        for message in
            ["posts that are not published", "everything except drafts", "without the drafts", "all posts"]
        {
            assert_eq!(found(message, &POSTS), [""; 0], "{message}");
        }
        assert_eq!(found("\"draft\" is a word", &POSTS), [""; 0]);
        assert_eq!(found("in, stock", &STOCK), [""; 0]);
        assert_eq!(found("stock", &STOCK), [""; 0]);
    }

    #[test]
    fn several_values_are_all_found() {
        assert_eq!(found("drafts or pending posts", &POSTS), ["draft", "pending"]);
        assert_eq!(found("low stock and out of stock", &STOCK), ["outofstock", "lowstock"]);
    }
}
