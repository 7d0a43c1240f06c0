//! Texts that are known by their shape: statements in SQL, addresses and paths.

use super::Filling;
use crate::offline::values::plain;
use crate::offline::words::{Reading, Word};

/// Bytes of a message in which a statement may begin and end.
const STATEMENT: usize = 16 * 1024;

impl Filling<'_> {
    /// A statement in SQL, from its first word to the end of the message or of the quotation.
    pub(super) fn statement(&mut self, message: &str) {
        let Some(name) = self.open(|field| field.is_open() && field.name == "sql") else { return };
        let text = statement(&self.reading, message);
        if let Some(text) = text {
            self.set(name, text);
            let all = self.reading.words.len();
            self.reading.mark(0..all);
        }
    }

    /// Addresses and paths, by their shape.
    pub(super) fn shapes(&mut self) {
        for place in 0..self.reading.words.len() {
            let Some(word) = self.reading.words.get(place).filter(|word| !word.used).cloned() else {
                continue;
            };
            let wanted: &[&str] = match shape(&word) {
                Some(Shape::Url) => &["url", "uri", "address"],
                Some(Shape::Mail) => &["email", "mail"],
                Some(Shape::Path) => &["path", "file", "filename", "folder", "directory"],
                None => continue,
            };
            let name = self.open(|field| field.is_open() && wanted.iter().any(|word| field.has(word)));
            let finds = shape(&word) == Some(Shape::Mail) && self.finds_mail();
            let searched = || if finds { self.search() } else { None };
            if let Some(name) = name.or_else(searched) {
                self.set(name, word.raw.as_str());
                self.reading.mark(place..place + 1);
            }
        }
    }
}

/// The statement in SQL that a message holds, from its first word to the end of its quotation or of the
/// message.
pub(in crate::offline) fn statement(reading: &Reading, message: &str) -> Option<String> {
    let quoted = reading.words.iter().find(|word| word.quoted && is_statement(&word.raw));
    if let Some(word) = quoted {
        return Some(word.raw.clone());
    }
    let message = message.get(..message.floor_char_boundary(STATEMENT)).unwrap_or(message);
    let mut starts = message.char_indices().map(|(place, _)| place).filter(|&place| {
        let before = message.get(..place).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    });
    let text = starts.find_map(|place| message.get(place..).filter(|text| is_statement(text)))?;
    Some(text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '?' | '"')).to_owned())
}

/// Whether a text begins a statement. `select the latest posts` is a wish.
fn is_statement(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let has_from = || text.to_ascii_lowercase().split_whitespace().any(|word| word == "from");
    let article = || {
        matches!(
            second.to_ascii_lowercase().as_str(),
            "the" | "all" | "my" | "some" | "a" | "an" | "every" | "only"
        )
    };
    match first {
        "SELECT" => !second.is_empty(),
        "WITH" => text.to_ascii_uppercase().contains(" AS"),
        _ => first.eq_ignore_ascii_case("select") && !article() && (has_from() || plain(second).is_empty()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Url,
    Mail,
    Path,
}

fn shape(word: &Word) -> Option<Shape> {
    let text = word.lower.as_str();
    if text.starts_with("http://") || text.starts_with("https://") {
        return Some(Shape::Url);
    }
    if let Some((name, host)) = text.split_once('@') {
        return (!name.is_empty() && host.contains('.')).then_some(Shape::Mail);
    }
    let named = |ending: &str| {
        (1..=5).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let file = text.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && named(ending));
    let folder = text.contains('/') && text.len() > 2 && !text.contains(char::is_whitespace);
    (file && !text.contains(char::is_whitespace) || folder).then_some(Shape::Path)
}
