//! What of a message was not used, and whether it narrows the question.
//!
//! A word is accounted for when it filled an argument, when it says nothing by itself, or when it names what the
//! tool is about. Every other one is left over. What is left over *narrows* when it is a name, a number, a date, a
//! quotation, an order of rows, something denied, or follows a word such as `from` or `by`: an answer without it
//! would be an answer to a wider question.

use siteclaw_core::router::keywords;

use super::Filling;
use crate::offline::values;
use crate::offline::vocabulary::{is_ordering, is_small, is_talk, is_time};
use crate::offline::words::singular;

/// Words that were not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::offline) struct Left {
    /// As they were written.
    pub(in crate::offline) text: String,
    /// Whether the answer without them is wider than the question.
    pub(in crate::offline) narrows: bool,
}

/// Words before what narrows.
const NARROWING: &[&str] = &[
    "from", "by", "in", "for", "named", "called", "with", "without", "of", "to", "at", "on", "about", "like",
    "per", "who", "whose", "where", "than", "over", "under", "between", "since", "before", "after", "until",
    "via", "using", "except", "not", "no", "non", "never", "into", "during", "above", "below", "around",
    "near", "through", "titled",
];

/// Words that turn what follows into its opposite.
const DENYING: &[&str] = &[
    "not",
    "no",
    "non",
    "nobody",
    "noone",
    "nothing",
    "without",
    "except",
    "excluding",
    "never",
    "besides",
    "isn't",
    "aren't",
    "didn't",
    "haven't",
];

impl Filling<'_> {
    /// The words that nothing was made of; neighbours are one entry.
    pub(super) fn left(&self) -> Vec<Left> {
        let mut left: Vec<Left> = Vec::new();
        let mut next = usize::MAX;
        for place in 0..self.reading.words.len() {
            let Some(word) = self.reading.words.get(place).filter(|_| self.is_left(place)) else { continue };
            let narrows = self.narrows(place);
            match left.last_mut().filter(|_| next == place) {
                Some(last) => {
                    last.text.push(' ');
                    last.text.push_str(&word.raw);
                    last.narrows |= narrows;
                }
                None => {
                    let opening = self.reading.before(place);
                    let free = place > 0 && self.reading.is_free(place - 1);
                    let text = if free
                        && (NARROWING.contains(&opening) || DENYING.contains(&opening))
                        && narrows
                        && !word.quoted
                    {
                        format!("{opening} {}", word.raw)
                    } else {
                        word.raw.clone()
                    };
                    left.push(Left { text, narrows });
                }
            }
            next = if word.ends { usize::MAX } else { place + 1 };
        }
        left
    }

    /// Whether nothing was made of the word at a place although it says something.
    fn is_left(&self, place: usize) -> bool {
        let Some(word) = self.reading.words.get(place).filter(|word| !word.used) else { return false };
        if word.quoted || self.unclear.contains(&place) {
            return true;
        }
        let lower = word.lower.as_str();
        if self.tools.contains(lower) || (is_small(lower) && !self.denies(place)) {
            return false;
        }
        if is_ordering(lower) {
            return true;
        }
        if self.governed(place) {
            return true;
        }
        !(self.denies(place) || is_talk(lower) || self.is_accounted(place))
    }

    /// Whether the word is one of the tool's own, in a place where it asks for nothing more.
    fn is_accounted(&self, place: usize) -> bool {
        let word = self.reading.at(place);
        // `the customer of order 5` is in the order, `customers` are other rows.
        let owners =
            |names: &[String]| names.last().is_some_and(|last| last == "id") && singular(word) != word;
        let of_a_field = || {
            let word = singular(word);
            let sorts = |name: &str| matches!(name, "order" | "orderby" | "order_by");
            let fields = self.fields.iter().filter(|field| !owners(&field.words) && !sorts(field.name));
            fields.flat_map(|field| &field.words).any(|own| singular(own) == word)
        };
        // `featured products`: a column, but here it says which ones.
        let ends = self.reading.words.get(place).is_some_and(|word| word.ends);
        let kind = !ends && self.is_subject(self.reading.at(place + 1));
        let generic = ["item", "entry", "row", "record", "list"].contains(&singular(word).as_str());
        let brief = keywords(word).iter().any(|word| self.brief.contains(word));
        self.is_subject(word)
            || (!kind && (generic || brief))
            || (!kind && (self.columns.has_aspect(word) || of_a_field()))
    }

    /// Whether a word denies something that was not understood.
    fn denies(&self, place: usize) -> bool {
        let after = (place + 1..self.reading.words.len().min(place + 3))
            .find(|&place| !is_small(self.reading.at(place)));
        DENYING.contains(&self.reading.at(place)) && after.is_some_and(|place| self.reading.is_free(place))
    }

    /// Whether the word is what rows are grouped by, or what they must not have: `by country`, `without stock`.
    fn governed(&self, place: usize) -> bool {
        let mut before = place;
        while before > 0
            && matches!(self.reading.before(before), "the" | "a" | "an" | "any" | "my" | "each" | "every")
        {
            before -= 1;
        }
        let word = self.reading.before(before);
        let groups = matches!(word, "by" | "per") && self.reading.is_free(before.saturating_sub(1));
        (groups || DENYING.contains(&word))
            && !is_small(self.reading.at(place))
            && !is_talk(self.reading.at(place))
    }

    fn narrows(&self, place: usize) -> bool {
        let Some(word) = self.reading.words.get(place) else { return false };
        let starts = place == 0 || self.reading.words.get(place - 1).is_some_and(|word| word.ends);
        let name = !starts && word.raw.starts_with(char::is_uppercase);
        let mut before = place;
        // The words before it that are left over as well, and articles.
        while before > 0
            && (matches!(self.reading.before(before), "the" | "a" | "an" | "my" | "our" | "all")
                || (self.is_left(before - 1)
                    && self.reading.words.get(before - 1).is_some_and(|word| !word.ends)))
        {
            before -= 1;
        }
        let opening = self.reading.before(before);
        word.quoted
            || self.unclear.contains(&place)
            || self.denies(place)
            || word.lower.contains(|c: char| c.is_ascii_digit())
            || name
            // What another tool is about is asked of another tool.
            || keywords(&word.lower).iter().any(|word| self.elsewhere.contains(word))
            || is_ordering(&word.lower)
            || is_time(&word.lower)
            || ((NARROWING.contains(&opening) || DENYING.contains(&opening)) && before > 0)
    }

    /// Whether a word names what the tool is about, and no value of one of its arguments.
    pub(super) fn is_subject(&self, word: &str) -> bool {
        !word.is_empty() && self.is_noun(word) && !self.is_value(word)
    }

    /// Whether a word stands for a value that one of the arguments may have.
    fn is_value(&self, word: &str) -> bool {
        let name = keywords(word);
        // What sort of row there is names the rows: `pages`.
        let mut fields = self.fields.iter().filter(|field| !field.has("type") && !field.has("kind"));
        !self.subject.iter().any(|own| name.contains(own))
            && fields.any(|field| values::value(&values::plain(word), &field.values).is_some())
    }
}
