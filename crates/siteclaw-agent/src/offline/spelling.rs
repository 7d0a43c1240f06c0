//! Misspelt words of the rules and tools.
//!
//! A word is read as the known word nearest to it only where there is hardly another reading: five letters at
//! least, the same first letter, letters only, one slip for short words and two for long ones. A word with a
//! capital inside a sentence may be a name and stays.

use std::collections::BTreeSet;

use super::vocabulary::is_small;
use super::words::Reading;

/// A word that was read as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Correction {
    pub(super) written: String,
    pub(super) read: String,
}

/// Reads misspelt words as known ones and says which.
pub(super) fn correct(reading: &mut Reading, known: &BTreeSet<String>) -> Vec<Correction> {
    let mut corrections = Vec::new();
    for place in 0..reading.words.len() {
        let starts = place == 0 || reading.words.get(place - 1).is_some_and(|word| word.ends);
        let Some(word) = reading.words.get_mut(place) else { continue };
        let may_be_name = !starts && word.raw.starts_with(char::is_uppercase);
        let settled = word.quoted || word.foreign || is_small(&word.lower) || may_be_name;
        if settled || !word.lower.chars().all(char::is_alphabetic) || is_known(&word.lower, known) {
            continue;
        }
        if let Some(read) = nearest(&word.lower, known) {
            corrections.push(Correction { written: word.raw.clone(), read: read.to_owned() });
            read.clone_into(&mut word.lower);
        }
    }
    corrections
}

/// Whether a word is known, or a known one with another ending: `disabled` is no slip of `disable`.
fn is_known(word: &str, known: &BTreeSet<String>) -> bool {
    let stems = ["s", "es", "d", "ed", "r", "er", "ing", "ly", "y"]
        .iter()
        .filter_map(|ending| word.strip_suffix(ending));
    known.contains(word)
        || stems
            .filter(|stem| stem.len() > 2)
            .any(|stem| known.contains(stem) || known.contains(&format!("{stem}e")))
}

/// The only known word that is near enough.
fn nearest<'a>(word: &str, known: &'a BTreeSet<String>) -> Option<&'a str> {
    let length = word.chars().count();
    let most = match length {
        0..=4 => return None,
        5..=8 => 1,
        _ => 2,
    };
    let near = |other: &&String| {
        let other_length = other.chars().count();
        // A letter in place of another makes other words out of short ones: shoes are no shops.
        let replaced = other_length == length && !is_swap(word, other);
        other_length.abs_diff(length) <= most
            && other_length >= 4
            && other.chars().next() == word.chars().next()
            && !(replaced && length < 7)
            && strsim::osa_distance(word, other) <= most
    };
    let mut found: Vec<(usize, &str)> =
        known.iter().filter(near).map(|other| (strsim::osa_distance(word, other), other.as_str())).collect();
    found.sort();
    match found.as_slice() {
        [(_, only)] => Some(only),
        // The singular and the plural of one word are one.
        [(best, first), (second, other), ..] => {
            let same = format!("{first}s") == *other || format!("{other}s") == **first;
            (best < second || same).then_some(*first)
        }
        [] => None,
    }
}

/// Whether two words of one length differ by neighbours in the other order.
fn is_swap(word: &str, other: &str) -> bool {
    strsim::osa_distance(word, other) < strsim::levenshtein(word, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> String {
        let known = [
            "order",
            "orders",
            "products",
            "comments",
            "processing",
            "yesterday",
            "shops",
            "users",
            "published",
            "customer",
            "category",
        ];
        let known = known.iter().map(|&word| word.to_owned()).collect();
        let mut reading = Reading::of(message);
        correct(&mut reading, &known);
        reading.words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn slips_are_read_as_what_was_meant() {
        let table = [
            ("odrers yesteray", "orders yesterday"),
            ("prodcts", "products"),
            ("commments", "comments"),
            ("proccessing", "processing"),
            ("pubished", "published"),
            ("custommer catgeory", "customer category"),
        ];
        for (message, expected) in table {
            assert_eq!(read(message), expected, "{message}");
        }
    }

    #[test]
    fn other_words_and_names_stay() {
        for message in [
            "shoes",
            "uses",
            "published",
            "shopping",
            "ordering",
            "anders",
            "borders",
            "ordr",
            "\"odrers\"",
            "odrers2",
            "custom",
        ] {
            assert_eq!(read(message), message.trim_matches('"'), "{message}");
        }
        assert_eq!(read("find Orders by Yesterdy"), "find orders by yesterdy");
    }
}
