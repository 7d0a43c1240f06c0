//! From what somebody wrote as a pattern to a matcher that takes time in proportion to the text.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{Code, ToolError, sanitise_fragment};

/// The pattern cannot be used.
pub const INVALID_PATTERN: Code = Code::new("INVALID_PATTERN");

/// The most bytes that a compiled pattern may take, and its cache while it runs.
const MAX_COMPILED: usize = 8 * 1024 * 1024;
/// The deepest nesting of groups and classes.
const MAX_NESTING: u32 = 50;
/// Characters with which a pattern may be delimited. Brackets may not: `(a|b)` is meant as it stands.
const DELIMITERS: [char; 5] = ['/', '#', '~', '@', '%'];

/// What may follow the second delimiter in PCRE. Anything else, as in `/usr/local`, makes it no delimiter.
const FLAGS: &str = "imsxuUSDAXJ";

/// How letters are compared.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Case {
    /// As they are.
    #[default]
    Sensitive,
    /// Upper and lower case alike.
    Insensitive,
    /// Alike, unless the pattern has a letter in upper case.
    Smart,
}

/// What was asked for.
pub(super) struct Wanted<'a> {
    pub(super) pattern: &'a str,
    pub(super) is_regex: bool,
    pub(super) case: Case,
    pub(super) word: bool,
}

/// How a pattern was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    Literal,
    Regex,
    Delimited,
}

impl Read {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Regex => "regex",
            Self::Delimited => "delimited regex",
        }
    }
}

/// The matcher for a pattern. It takes a moment for a large one.
pub(super) fn compile(wanted: &Wanted<'_>) -> Result<(RegexMatcher, Read), ToolError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        // `^` and `$` are the ends of a line, before a line break of either kind.
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .word(wanted.word);
    match wanted.case {
        Case::Sensitive => {}
        Case::Insensitive => {
            builder.case_insensitive(true);
        }
        Case::Smart => {
            builder.case_smart(true);
        }
    }
    if wanted.pattern.contains(['\n', '\r']) {
        return Err(ToolError::new(
            INVALID_PATTERN,
            "A pattern is looked for within one line, so it has no line break.",
        ));
    }
    let (text, read) = match delimited(wanted.pattern).filter(|_| wanted.is_regex) {
        _ if !wanted.is_regex => {
            builder.fixed_strings(true);
            (wanted.pattern, Read::Literal)
        }
        Some((inner, flags)) => {
            apply(&mut builder, flags)?;
            (inner, Read::Delimited)
        }
        None => (wanted.pattern, Read::Regex),
    };
    let matcher = builder.build(text).map_err(|error| refused(&error.to_string()))?;
    if matches_nothing_at_all(text, read) {
        return Err(ToolError::new(INVALID_PATTERN, "The pattern is empty."));
    }
    Ok((matcher, read))
}

fn matches_nothing_at_all(text: &str, read: Read) -> bool {
    read == Read::Delimited && text.is_empty()
}

/// The inside and the flags of a pattern between delimiters, as PCRE has it. A delimiter within must be escaped,
/// so `/usr/local/` is none.
fn delimited(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next().filter(|c| DELIMITERS.contains(c))?;
    let rest = text.get(first.len_utf8()..)?;
    let mut escaped = false;
    let end = rest.char_indices().find_map(|(at, c)| {
        let ends = c == first && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })?;
    let (inner, flags) = (rest.get(..end)?, rest.get(end + first.len_utf8()..)?);
    flags.chars().all(|c| FLAGS.contains(c)).then_some((inner, flags))
}

fn apply(builder: &mut RegexMatcherBuilder, flags: &str) -> Result<(), ToolError> {
    for flag in flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            'U' => builder.swap_greed(true),
            // A line at a time, in Unicode and as fast as possible: these ask for what is so anyhow.
            'm' | 's' | 'u' | 'S' | 'D' => builder,
            other => {
                let text =
                    format!("The flag '{other}' after the pattern is not known; i, m, s, u, x and U are.");
                return Err(ToolError::new(INVALID_PATTERN, text));
            }
        };
    }
    Ok(())
}

fn refused(reason: &str) -> ToolError {
    let reason = reason.trim();
    let error = |text: String| ToolError::new(INVALID_PATTERN, text);
    if reason.contains("size limit") || reason.contains("nest limit") || reason.contains("exceeds") {
        return error("The pattern is too large once it is worked out.".to_owned())
            .hint("Use smaller numbers of repeats, or fewer within each other.");
    }
    let last = reason.lines().last().unwrap_or(reason);
    let last = last.strip_prefix("error: ").unwrap_or(last);
    error(format!("The pattern is no regular expression: {}.", sanitise_fragment(last, 200).trim_end_matches('.')))
        .hint(
            "Look-around and back-references are not available: the time would not be bounded. For a text as it stands \
             leave is_regex out.",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use grep_matcher::Matcher;

    fn compiled(
        pattern: &str,
        is_regex: bool,
        case: Case,
        word: bool,
    ) -> Result<(RegexMatcher, Read), ToolError> {
        compile(&Wanted { pattern, is_regex, case, word })
    }

    fn found(pattern: &str, text: &str) -> Option<(usize, usize)> {
        let (matcher, _) = compiled(pattern, true, Case::Sensitive, false).unwrap();
        matcher.find(text.as_bytes()).unwrap().map(|found| (found.start(), found.end()))
    }

    #[test]
    fn a_literal_is_looked_for_as_it_stands() {
        let (matcher, read) = compiled("a.(b", false, Case::Sensitive, false).unwrap();
        assert_eq!(read, Read::Literal);
        assert!(matcher.is_match(b"xa.(bx").unwrap());
        assert!(!matcher.is_match(b"xab(b").unwrap());
        let (matcher, _) = compiled("/a/i", false, Case::Sensitive, false).unwrap();
        assert!(matcher.is_match(b"b/a/i").unwrap() && !matcher.is_match(b"A").unwrap());
    }

    #[test]
    fn delimiters_are_taken_off_where_they_are_some() {
        for (pattern, inner) in [
            ("/a+/", Some(("a+", ""))),
            ("#a/b#iu", Some(("a/b", "iu"))),
            ("~a\\~b~", Some(("a\\~b", ""))),
            ("/a\\\\/", Some(("a\\\\", ""))),
            ("//", Some(("", ""))),
            ("/usr/local/", None),
            ("/usr/local", None),
            ("/wp-json", None),
            ("a/b/", None),
            ("(a|b)", None),
            ("/a\\/", None),
            ("", None),
        ] {
            assert_eq!(delimited(pattern), inner, "{pattern}");
        }
    }

    #[test]
    fn both_forms_of_a_regex_are_read() {
        assert_eq!(found("b+|c", "abbc"), Some((1, 3)));
        assert_eq!(found("/B+/i", "abbc"), Some((1, 3)));
        assert_eq!(found("~ b + ~x", "abbc"), Some((1, 3)));
        assert_eq!(found("/usr/local", "in /usr/local/bin"), Some((3, 13)));
        assert_eq!(found("/usr/local/", "in /usr/local/bin"), Some((3, 14)));
        assert_eq!(found("^a$", "a"), Some((0, 1)));
        assert_eq!(found("\\p{Cyrillic}", "aж"), Some((1, 3)));
    }

    #[test]
    fn case_and_words() {
        let matches = |pattern: &str, case, word, text: &str| {
            compiled(pattern, false, case, word).unwrap().0.is_match(text.as_bytes()).unwrap()
        };
        assert!(!matches("straße", Case::Sensitive, false, "STRAßE"));
        assert!(matches("straße", Case::Insensitive, false, "STRAßE"));
        assert!(matches("word", Case::Smart, false, "WORD"));
        assert!(!matches("Word", Case::Smart, false, "word"));
        assert!(matches("get", Case::Sensitive, true, "$this->get()"));
        assert!(!matches("get", Case::Sensitive, true, "getter target"));
    }

    #[test]
    fn what_cannot_be_bounded_or_read_is_refused() {
        for pattern in [
            "(?:\\pL{100}){100}{100}",
            "(a",
            "a{2,1}",
            "(?=a)",
            "(a)\\1",
            "[z-a]",
            "/a/A",
            "//",
            "a\nb",
            "a\\nb",
            &"(".repeat(500),
        ] {
            let error = compiled(pattern, true, Case::Sensitive, false).err();
            assert_eq!(error.map(|error| error.code()), Some(INVALID_PATTERN), "{pattern}");
        }
    }
}
