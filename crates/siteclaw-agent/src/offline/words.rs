//! A message cut into words, with a note of which have been understood.

use std::ops::Range;

use serde_json::Number;

/// Words of a message that are read; what follows them is left aside.
const MOST: usize = 400;
/// Characters of a quotation.
const LONGEST_QUOTE: usize = 500;

/// One word or quotation.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// As it was written, without the punctuation around it.
    pub(super) raw: String,
    /// In lower case, without a possessive ending.
    pub(super) lower: String,
    /// Whether it stood between quotation marks: then it is a value and no word.
    pub(super) quoted: bool,
    /// Whether it was written with a `#`.
    pub(super) hash: bool,
    /// Whether it was written with the ending of an owner: `Anna's`.
    pub(super) owner: bool,
    /// Whether it was another word, in a language that is not English.
    pub(super) foreign: bool,
    /// Whether punctuation ends the phrase after it.
    pub(super) ends: bool,
    /// Whether something has been made of it.
    pub(super) used: bool,
}

/// A message as words.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub(super) words: Vec<Word>,
}

impl Reading {
    /// Cuts a message into words. Any text will do.
    pub(super) fn of(message: &str) -> Self {
        let mut reading = Self::default();
        let mut rest = message;
        let mut at_start = true;
        while let Some(first) = rest.chars().next() {
            if reading.words.len() >= MOST {
                break;
            }
            let after = rest.get(first.len_utf8()..).unwrap_or_default();
            if first.is_whitespace() {
                (rest, at_start) = (after, true);
                continue;
            }
            if let Some((quote, behind)) = quotation(first, after, at_start) {
                reading.words.push(Word {
                    raw: quote.to_owned(),
                    lower: quote.to_lowercase(),
                    quoted: true,
                    ..Word::default()
                });
                (rest, at_start) = (behind, false);
                continue;
            }
            let end = after
                .find(|c: char| c.is_whitespace() || is_mark(c))
                .map_or(rest.len(), |end| end + first.len_utf8());
            let (piece, behind) = rest.split_at(end);
            reading.piece(piece);
            (rest, at_start) = (behind, false);
        }
        reading
    }

    /// A run of characters without white space: a word, or several between commas.
    fn piece(&mut self, piece: &str) {
        let mut start = 0;
        for (place, c) in piece.char_indices() {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let before = piece.get(..place).and_then(|text| text.chars().next_back());
            let behind = piece.get(place + c.len_utf8()..).and_then(|text| text.chars().next());
            // 1,000 is one number.
            if matches!(c, ',' | ';') && !(digit(before) && digit(behind)) {
                self.word(piece.get(start..place).unwrap_or_default(), true);
                start = place + c.len_utf8();
            }
        }
        self.word(piece.get(start..).unwrap_or_default(), false);
    }

    fn word(&mut self, text: &str, ends: bool) {
        let hash = text.trim_start_matches(['(', '[']).starts_with('#');
        let start = text.trim_start_matches(|c: char| {
            is_mark(c)
                || matches!(c, '(' | '[' | '{' | '<' | '*' | '#' | '$' | '€' | '£' | '¿' | '¡' | '\'' | ':')
        });
        let raw = start.trim_end_matches(|c: char| {
            matches!(c, '.' | '!' | '?' | ':' | ')' | ']' | '}' | '>' | '*' | '…' | '\'' | '’')
        });
        let lower = raw.to_lowercase();
        let stem = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
        if stem.is_empty() {
            if let Some(last) = self.words.last_mut() {
                last.ends |= ends;
            }
            return;
        }
        let ends = ends || start.len() > raw.len() && !start.ends_with('\'');
        let (owner, lower) = (stem.len() < lower.len(), stem.to_owned());
        self.words.push(Word { raw: raw.to_owned(), lower, hash, ends, owner, ..Word::default() });
    }

    /// The lower-case word at a place; empty beyond the ends and at a quotation.
    pub(super) fn at(&self, place: usize) -> &str {
        self.words.get(place).filter(|word| !word.quoted).map_or("", |word| word.lower.as_str())
    }

    /// The word before a place.
    pub(super) fn before(&self, place: usize) -> &str {
        place.checked_sub(1).map_or("", |place| self.at(place))
    }

    /// Whether nothing has been made of the word at a place yet.
    pub(super) fn is_free(&self, place: usize) -> bool {
        self.words.get(place).is_some_and(|word| !word.used)
    }

    /// Notes that words have been understood.
    pub(super) fn mark(&mut self, places: Range<usize>) {
        self.words.iter_mut().take(places.end).skip(places.start).for_each(|word| word.used = true);
    }

    /// The place where these words stand one after the other, in the singular or as they are.
    pub(super) fn find(&self, phrase: &[&str], from: usize) -> Option<usize> {
        (from..self.words.len()).find(|&start| {
            phrase.iter().enumerate().all(|(offset, wanted)| {
                let word = self.at(start + offset);
                word == *wanted || singular(word) == *wanted
            })
        })
    }

    /// The whole number at a place.
    pub(super) fn whole(&self, place: usize) -> Option<i64> {
        let word = self.at(place);
        let small = [
            "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        ];
        let spelt =
            small.iter().position(|name| *name == word).and_then(|place| i64::try_from(place + 1).ok());
        spelt.or_else(|| {
            let digits = word.replace(',', "");
            (digits.len() <= 15 && digits.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| digits.parse().ok())?
        })
    }

    /// The number at a place, with a fraction if it has one.
    pub(super) fn number(&self, place: usize) -> Option<Number> {
        if let Some(whole) = self.whole(place) {
            return Some(whole.into());
        }
        let word = self.at(place).replace(',', "");
        let plain = word.len() <= 15 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        plain.then(|| word.parse().ok().and_then(Number::from_f64))?
    }
}

/// A quotation that begins with this character, and what follows it.
fn quotation(first: char, after: &str, at_start: bool) -> Option<(&str, &str)> {
    let (closing, apostrophe): (&[char], bool) = match first {
        '"' => (&['"'], false),
        '“' | '„' => (&['”', '“'], false),
        '«' => (&['»'], false),
        '`' => (&['`'], false),
        // The apostrophe of a word is none.
        '\'' if at_start => (&['\''], true),
        '‘' => (&['’'], true),
        _ => return None,
    };
    let end = after.char_indices().take(LONGEST_QUOTE).find(|(place, c)| {
        let behind = after.get(place + c.len_utf8()..).and_then(|text| text.chars().next());
        closing.contains(c) && !(apostrophe && behind.is_some_and(char::is_alphanumeric))
    });
    let (end, mark) = end?;
    let quote = after.get(..end)?.trim();
    (!quote.is_empty()).then_some((quote, after.get(end + mark.len_utf8()..)?))
}

const fn is_mark(c: char) -> bool {
    matches!(c, '"' | '“' | '„' | '”' | '«' | '»' | '`')
}

/// Whether a word looks like the number of an article: capitals and digits with hyphens between, `HP-SI-0042`.
pub(super) fn is_code(raw: &str) -> bool {
    let plain =
        raw.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.'));
    plain
        && raw.contains('-')
        && raw.contains(|c: char| c.is_ascii_digit())
        && raw.contains(|c: char| c.is_ascii_uppercase())
}

/// The singular of a word, by its ending.
pub(super) fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => format!("{stem}y"),
        _ => word
            .strip_suffix('s')
            .filter(|stem| stem.len() > 2 && !stem.ends_with('s'))
            .unwrap_or(word)
            .to_owned(),
    }
}

/// The words of a name written with underscores, hyphens or capitals.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before = '_';
    for c in name.chars() {
        let boundary = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if boundary && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
        before = c;
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(message: &str) -> Vec<String> {
        Reading::of(message).words.into_iter().map(|word| word.raw).collect()
    }

    #[test]
    fn punctuation_goes_and_what_belongs_together_stays() {
        assert_eq!(words("How many orders, please?"), ["How", "many", "orders", "please"]);
        assert_eq!(words("(see wp-content/debug.log)."), ["see", "wp-content/debug.log"]);
        assert_eq!(words("1,000 items;all of 2.5kg"), ["1,000", "items", "all", "of", "2.5kg"]);
        assert_eq!(words(" , . ; "), [""; 0]);
    }

    #[test]
    fn quotations_are_one_word_and_apostrophes_are_none() {
        assert_eq!(words("find \"blue shirt\" and ‘red hat’"), ["find", "blue shirt", "and", "red hat"]);
        assert_eq!(words("what's 'Anna's shop' about"), ["what's", "Anna's shop", "about"]);
        assert_eq!(words("don't `siteurl`"), ["don't", "siteurl"]);
        assert_eq!(words("\"open"), ["open"]);
        let reading = Reading::of("find \"Orders\"");
        assert_eq!((reading.at(1), reading.at(7)), ("", ""));
    }

    #[test]
    fn numbers_are_read_in_digits_and_as_words() {
        let reading = Reading::of("#12 five 1,234 19.99 5th $30");
        assert_eq!(
            (0..3).map(|place| reading.whole(place)).collect::<Vec<_>>(),
            [Some(12), Some(5), Some(1234)]
        );
        assert!(reading.words[0].hash);
        assert_eq!((reading.whole(3), reading.whole(4), reading.whole(5)), (None, None, Some(30)));
        assert_eq!(reading.number(3), Number::from_f64(19.99));
        assert_eq!(Reading::of("99999999999999999999").whole(0), None);
    }

    #[test]
    fn phrases_are_found_in_the_plural_too() {
        let reading = Reading::of("all post types and categories");
        assert_eq!(reading.find(&["post", "type"], 0), Some(1));
        assert_eq!(reading.find(&["category"], 0), Some(4));
        assert_eq!(reading.find(&["post"], 2), None);
        assert_eq!(
            (singular("status"), singular("press"), singular("is")),
            ("statu".into(), "press".into(), "is".into())
        );
    }

    #[test]
    fn names_fall_into_their_words() {
        assert_eq!(parts("date_after"), ["date", "after"]);
        assert_eq!(parts("postsPerPage"), ["posts", "per", "page"]);
        assert_eq!(parts("ID"), ["id"]);
    }
}
