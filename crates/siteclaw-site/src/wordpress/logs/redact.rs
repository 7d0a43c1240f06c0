//! Taking secrets out of a log's lines: values after words that say so, and what was handed to functions.
//!
//! A stack trace shows what each function was called with, a login's password among it. Only the texts in it go;
//! which function was called stays.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::wordpress::secrets::{REDACTED, scrubbed_text};

/// `Authorization: Basic …`, `Bearer …`.
static HEADER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(authorization:\s*)?(basic|bearer)\s+[a-z0-9._~+/=-]{8,}").ok());
/// A text that was handed to a function.
static ARGUMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"'(?:[^'\\]|\\.)*'").ok());

/// The text with what may be secret taken out.
pub(crate) fn redacted(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text
        .lines()
        .map(|line| {
            let line = if is_frame(line) { replaced(&ARGUMENT, line, "'…'") } else { Cow::Borrowed(line) };
            let header = replaced(&HEADER, &line, &format!("${{1}}${{2}} {REDACTED}"));
            Cow::Owned(scrubbed_text(&header).into_owned())
        })
        .collect();
    lines.join("\n")
}

/// Where a pattern is not to be had, nothing of the line is shown.
fn replaced<'a>(pattern: &LazyLock<Option<Regex>>, line: &'a str, by: &str) -> Cow<'a, str> {
    match &**pattern {
        Some(pattern) => pattern.replace_all(line, by),
        None => Cow::Borrowed(REDACTED),
    }
}

/// A line of a stack trace: `#3 /path/file.php(12): function('text', 7)`.
fn is_frame(line: &str) -> bool {
    line.trim_start().strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_valid_and_secrets_go() {
        assert!(HEADER.is_some() && ARGUMENT.is_some());
        for (line, expected) in [
            (
                "#1 /w/pluggable.php(3): wp_signon('anna', 'hunter2')",
                "#1 /w/pluggable.php(3): wp_signon('…', '…')",
            ),
            ("GET /x?license_key=Zx81kq90&v=2", "GET /x?license_key=[redacted]&v=2"),
            ("{\"api_key\":\"Zx81kq90\",\"n\":2}", "{\"api_key\":\"[redacted]\",\"n\":2}"),
            ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted]"),
            ("mysql://u:p@db/x refused", "mysql://db/x refused"),
            (
                "Undefined array key \"passenger\" in /w/plugins/x.php on line 3",
                "Undefined array key \"passenger\" in /w/plugins/x.php on line 3",
            ),
            ("PHP Warning:  count() in /w/tokenizer.php:12", "PHP Warning:  count() in /w/tokenizer.php:12"),
        ] {
            assert_eq!(redacted(line), expected);
        }
    }
}
