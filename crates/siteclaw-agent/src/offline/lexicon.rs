//! Other ways to say the words that the rules know: in other languages, and in other English words.
//!
//! The table is `lexicon.txt`. What it does not have stays as it was written; nothing is translated that the rules
//! could not use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::words::{Reading, Word};

const TABLE: &str = include_str!("lexicon.txt");

/// One way to say something.
#[derive(Debug)]
struct Phrase {
    /// What follows its first word.
    rest: Vec<String>,
    becomes: Vec<&'static str>,
    language: &'static str,
    /// Whether it is read only beside others of its language.
    small: bool,
    /// Whether it is read only at the end of a message.
    last: bool,
}

/// Phrases by their first word, the longest first.
static PHRASES: LazyLock<BTreeMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: BTreeMap<String, Vec<Phrase>> = BTreeMap::new();
    let mut language = "";
    let mut small = false;
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            small = section.ends_with(" small");
            language = section.split(' ').next().unwrap_or_default();
        } else if let Some((becomes, ways)) = line.split_once(" = ") {
            for way in ways.split(" | ").flat_map(spellings) {
                let (way, last) = way.strip_suffix('$').map_or((way.as_str(), false), |way| (way, true));
                let mut words = way.split(' ').map(str::to_owned);
                let Some(first) = words.next() else { continue };
                let becomes = becomes.split(' ').collect();
                let phrase = Phrase { rest: words.collect(), becomes, language, small, last };
                phrases.entry(first).or_default().push(phrase);
            }
        }
    }
    for ways in phrases.values_mut() {
        ways.sort_by_key(|phrase| std::cmp::Reverse(phrase.rest.len()));
    }
    phrases
});

/// Every word that something becomes.
pub(super) static MEANINGS: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| PHRASES.values().flatten().flat_map(|phrase| phrase.becomes.iter().copied()).collect());

/// A way to say something without its accents, and with `ae` for `ä` as it is typed on other keyboards.
fn spellings(way: &str) -> BTreeSet<String> {
    let typed: String = way
        .chars()
        .flat_map(|c| -> Vec<char> {
            match c {
                'ä' => vec!['a', 'e'],
                'ö' => vec!['o', 'e'],
                'ü' => vec!['u', 'e'],
                other => vec![other],
            }
        })
        .collect();
    BTreeSet::from([folded(way), folded(&typed)])
}

/// Lower case without accents, with one form of apostrophe.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'œ' => out.push_str("oe"),
            'ł' => out.push('l'),
            '’' => out.push('\''),
            other => out.push(other),
        }
    }
    out
}

/// Puts the words of the rules in the place of what means them.
pub(super) fn read(reading: &mut Reading) {
    let language = language(reading);
    let mut words: Vec<Word> = Vec::with_capacity(reading.words.len());
    let mut place = 0;
    while let Some(word) = reading.words.get(place) {
        let Some(phrase) = at(reading, place, |phrase| {
            phrase.language == "en" || (!phrase.small || Some(phrase.language) == language)
        }) else {
            words.push(word.clone());
            place += 1;
            continue;
        };
        let end = place + 1 + phrase.rest.len();
        let ends = reading.words.get(end - 1).is_some_and(|word| word.ends);
        let foreign = phrase.language != "en";
        for (nth, meaning) in phrase.becomes.iter().enumerate() {
            let raw =
                if phrase.becomes.len() == 1 && phrase.rest.is_empty() { word.raw.as_str() } else { meaning };
            words.push(Word {
                raw: raw.to_owned(),
                lower: (*meaning).to_owned(),
                ends: ends && nth + 1 == phrase.becomes.len(),
                foreign,
                ..Word::default()
            });
        }
        place = end;
    }
    reading.words = words;
}

/// The language of which the message has the most words that mean nothing in English.
fn language(reading: &Reading) -> Option<&'static str> {
    let mut votes: BTreeMap<&'static str, usize> = BTreeMap::new();
    for place in 0..reading.words.len() {
        let phrases = reading.words.get(place).filter(|word| !word.quoted).map(|word| folded(&word.lower));
        let mut seen = BTreeSet::new();
        for phrase in phrases.iter().flat_map(|first| PHRASES.get(first)).flatten() {
            let counts = !phrase.small && phrase.language != "en" && follows(reading, place, phrase);
            if counts && seen.insert(phrase.language) {
                *votes.entry(phrase.language).or_default() += 1;
            }
        }
    }
    votes.into_iter().max_by_key(|&(_, count)| count).map(|(language, _)| language)
}

/// The longest phrase that begins at a place.
fn at(reading: &Reading, place: usize, wanted: impl Fn(&Phrase) -> bool) -> Option<&'static Phrase> {
    let word = reading.words.get(place).filter(|word| !word.quoted)?;
    let ways = PHRASES.get(&folded(&word.lower)).or_else(|| PHRASES.get(&folded(&word.raw)))?;
    ways.iter().find(|phrase| wanted(phrase) && follows(reading, place, phrase))
}

fn follows(reading: &Reading, place: usize, phrase: &Phrase) -> bool {
    if phrase.last && place + 1 + phrase.rest.len() < reading.words.len() {
        return false;
    }
    phrase.rest.iter().enumerate().all(|(offset, wanted)| {
        let before_ends = reading.words.get(place + offset).is_some_and(|word| word.ends);
        !before_ends && folded(reading.at(place + 1 + offset)) == *wanted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> String {
        let mut reading = Reading::of(message);
        read(&mut reading);
        reading.words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_of_four_languages_become_those_of_the_rules() {
        let table = [
            ("Bestellungen von gestern", "orders from yesterday"),
            ("Welche Produkte sind ausverkauft?", "which products are out of stock"),
            ("beitraege vom letzten Monat", "posts from last month"),
            ("Commandes de la semaine dernière", "orders of last week"),
            ("commandes de la semaine derniere", "orders of last week"),
            ("chiffre d’affaires du jour", "revenue today"),
            ("pedidos de esta semana", "orders of this week"),
            ("cuantos comentarios pendientes", "how many comments pending"),
            ("whats my newest article", "what is my newest article"),
            ("what do I need to reorder", "what do i low stock"),
        ];
        for (message, expected) in table {
            assert_eq!(said(message), expected, "{message}");
        }
    }

    #[test]
    fn words_that_are_english_too_are_read_in_their_language_only() {
        // `die`, `la`, `mars` and `media` say nothing without other words of their language.
        for message in ["let it die", "orders to la paz", "mars bars", "list media", "was it published"] {
            assert_eq!(said(message), message, "{message}");
        }
        assert_eq!(said("pages publiées en mars"), "pages published in march");
        assert_eq!(said("\"Bestellungen\" in posts"), "bestellungen in posts");
    }

    #[test]
    fn a_phrase_does_not_reach_over_punctuation() {
        assert_eq!(said("heute, letzte, woche"), "today letzte woche");
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
        for line in lines {
            let (becomes, ways) = line.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
            assert!(!becomes.is_empty() && ways.split(" | ").all(|way| !way.is_empty() && way == way.trim()));
            assert!(becomes.is_ascii() && becomes == becomes.to_lowercase(), "{line}");
        }
    }
}
