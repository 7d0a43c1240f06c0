//! The words of a text: keywords for the scoring, and mentions of tools by name.
//!
//! Only ASCII letters make words; digits and everything else separate them. That is a rule of this ranker,
//! not an oversight: message and tools are cut the same way, and scores can be worked out by hand.

use std::collections::{BTreeMap, BTreeSet};

/// Words that say nothing about what is asked.
const STOPWORDS: [&str; 80] = [
    "the", "and", "for", "are", "was", "were", "you", "your", "our", "its", "their", "this", "that", "these",
    "those", "from", "with", "into", "about", "than", "then", "there", "here", "have", "has", "had", "been",
    "being", "will", "would", "shall", "should", "can", "could", "may", "might", "must", "not", "but", "any",
    "all", "some", "each", "every", "per", "via", "too", "very", "just", "also", "only", "more", "most",
    "less", "least", "such", "same", "own", "how", "what", "when", "where", "which", "who", "whom", "why",
    "does", "did", "done", "let", "please", "them", "they", "one", "two", "out", "off", "over", "under",
    "again",
];

/// A word shorter than this says nothing.
const SHORTEST: usize = 3;

/// The keywords of a text with their repeats, in order.
fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut tokens = Vec::new();
    for word in lower.split(|c: char| !(c.is_ascii_lowercase() || matches!(c, '_' | '\'' | '-'))) {
        keep(word, &mut tokens);
        if word.contains('_') {
            word.split('_').for_each(|part| keep(part, &mut tokens));
        }
    }
    tokens
}

fn keep(word: &str, tokens: &mut Vec<String>) {
    if word.len() >= SHORTEST && !STOPWORDS.contains(&word) {
        tokens.push(singular(word));
    }
}

/// Cuts a plural: `categories` to `category`, `orders` to `order`. It is no dictionary: `status` becomes
/// `statu`, on both sides of a comparison.
fn singular(word: &str) -> String {
    if word.len() <= SHORTEST {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

/// The set of keywords of a text, as the scoring compares them: lower-case, singular, without stopwords.
pub fn keywords(text: &str) -> BTreeSet<String> {
    tokens(text).into_iter().collect()
}

/// The keywords of a message in order of appearance, each with the number of its occurrences.
pub(super) fn counted(text: &str) -> Vec<(String, usize)> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut words: Vec<(String, usize)> = Vec::new();
    for token in tokens(text) {
        match places.get(&token).and_then(|&place| words.get_mut(place)) {
            Some((_, count)) => *count += 1,
            None => {
                places.insert(token.clone(), words.len());
                words.push((token, 1));
            }
        }
    }
    words
}

/// What a message says that could be a tool's name: `use ShellTool` gives `shell`, `shell_exec` itself.
pub(super) fn mentions(message: &str) -> Vec<String> {
    let mut mentions = Vec::new();
    // Runs of ASCII letters, digits and underscores, each with what stands before it.
    let mut before = "";
    let mut rest = message;
    while let Some(start) = rest.find(is_word) {
        let gap = rest.get(..start).unwrap_or_default();
        let from = rest.get(start..).unwrap_or_default();
        let end = from.find(|c| !is_word(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        let introduced = ["use", "using", "with", "via"].iter().any(|verb| before.eq_ignore_ascii_case(verb))
            && !gap.is_empty()
            && gap.chars().all(|c| c.is_ascii_whitespace());
        if introduced && let Some(name) = class_name(word) {
            mentions.push(name);
        }
        let lower = word.to_ascii_lowercase();
        if word.trim_matches('_').contains('_') && lower.trim_matches('_') == lower {
            mentions.push(lower);
        }
        before = word;
        rest = after;
    }
    mentions.sort();
    mentions.dedup();
    mentions
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `WpQueryTool` to `wp_query`: the ending goes, every capital after the first place gets an underscore.
fn class_name(word: &str) -> Option<String> {
    let stem = word.get(..word.len().checked_sub(4)?)?;
    let ending = word.get(stem.len()..)?;
    let well_formed = ending.eq_ignore_ascii_case("tool")
        && stem.starts_with(|c: char| c.is_ascii_alphabetic())
        && stem.chars().all(|c| c.is_ascii_alphanumeric());
    if !well_formed {
        return None;
    }
    let mut name = String::new();
    for (place, c) in stem.chars().enumerate() {
        if c.is_ascii_uppercase() && place > 0 {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    Some(name)
}

/// Whether a mention names the tool: equal, or one within the other.
pub(super) fn names(mention: &str, tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    tool.contains(mention) || mention.contains(&tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn plurals_are_cut_and_short_words_left_alone() {
        assert_eq!(
            keywords("Editors categories status gas ties"),
            set(&["editor", "category", "statu", "gas", "ty"])
        );
    }

    #[test]
    fn stopwords_and_words_under_three_letters_say_nothing() {
        assert_eq!(keywords("How do I see what is in all of them, please?"), set(&["see"]));
        // A stopword is one before its plural is cut: 'hiss' would be 'his', 'ones' is 'one' and stays.
        assert_eq!(keywords("ones"), set(&["one"]));
    }

    #[test]
    fn digits_and_other_letters_separate_words_quotes_and_hyphens_do_not() {
        assert_eq!(keywords("gpt4turbo"), set(&["gpt", "turbo"]));
        assert_eq!(keywords("Größe заказы"), set(&[]));
        assert_eq!(keywords("low-stock products' o'brien"), set(&["low-stock", "products'", "o'brien"]));
    }

    #[test]
    fn a_word_with_underscores_gives_its_parts_too() {
        assert_eq!(keywords("wc_get_orders"), set(&["wc_get_order", "get", "order"]));
    }

    #[test]
    fn repeats_are_counted_in_their_singular_form() {
        let expected = [("order".to_owned(), 3), ("list".to_owned(), 1)];
        assert_eq!(counted("orders list order ORDERS"), expected);
    }

    #[test]
    fn there_are_eighty_stopwords() {
        assert_eq!(STOPWORDS.iter().collect::<BTreeSet<_>>().len(), 80);
    }

    #[test]
    fn classes_are_mentioned_after_a_word_of_use() {
        assert_eq!(mentions("use ShellTool now"), ["shell"]);
        assert_eq!(mentions("Via  WpQueryTool, with FILEREADTOOL"), ["f_i_l_e_r_e_a_d", "wp_query"]);
        assert_eq!(mentions("use stool"), ["s"]);
        assert_eq!(mentions("use HTTPTool"), ["h_t_t_p"]);
        for none in
            ["ShellTool", "reuse ShellTool", "use the ShellTool", "use tool", "use 9Tool", "use,ShellTool"]
        {
            assert_eq!(mentions(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn snake_case_words_are_mentions() {
        assert_eq!(mentions("run SHELL_EXEC twice: shell_exec"), ["shell_exec"]);
        assert_eq!(mentions("_private trailing_ a-b plain"), [""; 0]);
    }

    #[test]
    fn a_mention_matches_as_a_part_in_both_directions() {
        assert!(names("shell", "shell_exec"));
        assert!(names("my_shell_exec_v2", "Shell_Exec"));
        assert!(names("file", "file_read") && names("file", "file_edit"));
        assert!(!names("wp_query", "db_query"));
    }
}
