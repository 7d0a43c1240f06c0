//! Words by what they say in a question: nothing, that something is asked, an order, a time, a kind.
//!
//! The lists are in `vocabulary.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::words::singular;

static SECTIONS: LazyLock<BTreeMap<&'static str, BTreeSet<&'static str>>> = LazyLock::new(|| {
    let mut sections: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut name = "";
    for line in
        include_str!("vocabulary.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(section) => name = section,
            None => sections.entry(name).or_default().extend(line.split_whitespace()),
        }
    }
    sections
});

fn is_in(section: &str, word: &str) -> bool {
    SECTIONS.get(section).is_some_and(|words| words.contains(word))
}

/// Whether a word has no value of its own.
pub(super) fn is_small(word: &str) -> bool {
    word.is_empty() || is_in("small", word)
}

/// Whether a word is one of asking, which is never what is asked for.
pub(super) fn is_talk(word: &str) -> bool {
    is_in("talk", &singular(word))
}

/// Whether a word puts rows in an order.
pub(super) fn is_ordering(word: &str) -> bool {
    is_in("ordering", word)
}

/// Whether a word says when.
pub(super) fn is_time(word: &str) -> bool {
    is_in("times", &singular(word))
}

/// Whether a word is the command to change something, to send something or to make a file.
pub(super) fn is_change(word: &str) -> bool {
    is_in("changes", word)
}

/// Whether a word can be what something is called: none of time, of kind or of order.
pub(super) fn is_nameable(word: &str) -> bool {
    let other = is_small(word) || is_talk(word) || is_ordering(word) || is_time(word) || is_in("kinds", word);
    !other && !is_in("aspects", &singular(word)) && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Every word of the lists.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    SECTIONS.values().flatten().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_by_what_they_say() {
        assert!(is_small("the") && is_small("") && !is_small("order"));
        assert!(is_talk("shows") && !is_talk("orders"));
        assert!(is_ordering("cheapest") && is_time("weekends"));
        for name in ["anna", "copper", "lantern"] {
            assert!(is_nameable(name), "{name}");
        }
        for none in ["tomorrow", "urgent", "best", "countries", "20kg", "please"] {
            assert!(!is_nameable(none), "{none}");
        }
    }

    #[test]
    fn every_section_that_is_asked_for_is_there() {
        for section in ["small", "talk", "ordering", "times", "aspects", "kinds", "changes"] {
            assert!(SECTIONS.get(section).is_some_and(|words| words.len() > 20), "{section}");
        }
        assert_eq!(SECTIONS.len(), 7);
    }
}
