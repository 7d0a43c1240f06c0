//! From places in a text to the rows of a result.

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::Serialize;

use crate::roots::Located;
use crate::text::json_cost;

/// Characters of a matched line that are shown, and of them those before the match.
const LINE: usize = 300;
const BEFORE_MATCH: usize = 100;
/// Characters of a line around it that are shown.
const CONTEXT_LINE: usize = 200;
/// What a row takes besides its texts: keys, numbers, signs.
const FRAME: usize = 70;

/// A line with a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// The file, with its root.
    pub(super) file: String,
    /// The same, from which the next page begins.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) at: Located,
    /// The line, from 1.
    pub(super) line: u64,
    /// Where the first match begins in the line, in characters from 1.
    pub(super) column: u64,
    /// The line; of a long one the part around the match, cut ends marked by ….
    pub(super) text: String,
    /// Lines before it, where context_lines asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) before: Vec<String>,
    /// Lines after it, where context_lines asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) after: Vec<String>,
}

impl Row {
    /// Characters that the row takes in a result.
    pub(super) fn cost(&self) -> usize {
        let context: usize = self.before.iter().chain(&self.after).map(|line| json_cost(line) + 3).sum();
        FRAME + json_cost(&self.file) + json_cost(&self.text) + context
    }
}

/// A line in a text, by its bytes, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) line: u64,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Makes rows of one text.
pub(super) struct Rows<'a> {
    pub(super) at: &'a Located,
    pub(super) text: &'a str,
    pub(super) matcher: &'a RegexMatcher,
    pub(super) context: usize,
    /// Whether it was this text that was searched. Else a line in which nothing matches any more, because a secret
    /// did, gives no row.
    pub(super) searched: bool,
}

impl Rows<'_> {
    /// The row of a line; `None` when nothing in the line matches.
    pub(super) fn row(&self, hit: Hit) -> Option<Row> {
        let line = trimmed(self.text.get(hit.start..hit.end)?);
        // A pattern may have matched the end of the line, which is not shown.
        let found = self.matcher.find(line.as_bytes()).ok().flatten().map(|found| found.start());
        let start = floor(line, found.or(self.searched.then_some(0))?);
        Some(Row {
            file: self.at.to_string(),
            at: self.at.clone(),
            line: hit.line,
            column: line.get(..start).unwrap_or_default().chars().count() as u64 + 1,
            text: around(line, start),
            before: self.before(hit.start),
            after: self.after(hit.end),
        })
    }

    fn before(&self, start: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut rest = self.text.get(..start).unwrap_or_default();
        while lines.len() < self.context && !rest.is_empty() {
            let body = rest.strip_suffix('\n').unwrap_or(rest);
            let begin = body.rfind('\n').map_or(0, |at| at + 1);
            lines.push(shortened(trimmed(body.get(begin..).unwrap_or_default())));
            rest = rest.get(..begin).unwrap_or_default();
        }
        lines.reverse();
        lines
    }

    fn after(&self, end: usize) -> Vec<String> {
        let rest = self.text.get(end..).unwrap_or_default();
        rest.split_inclusive('\n').take(self.context).map(|line| shortened(trimmed(line))).collect()
    }
}

fn trimmed(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The nearest beginning of a character at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A line, or the part of it around the match at a byte.
fn around(line: &str, at: usize) -> String {
    let (before, after) = (line.get(..at).unwrap_or_default(), line.get(at..).unwrap_or_default());
    if line.chars().nth(LINE).is_none() {
        return line.to_owned();
    }
    let kept = before.char_indices().rev().nth(BEFORE_MATCH - 1).map_or(0, |(at, _)| at);
    let lead = before.get(kept..).unwrap_or_default();
    let room = LINE - lead.chars().count();
    let end = after.char_indices().nth(room).map_or(after.len(), |(at, _)| at);
    let mut text = String::new();
    if kept > 0 {
        text.push('…');
    }
    text.push_str(lead);
    text.push_str(after.get(..end).unwrap_or_default());
    if end < after.len() {
        text.push('…');
    }
    text
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(CONTEXT_LINE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grep_regex::RegexMatcherBuilder;

    use crate::root::RelPath;
    use crate::roots::Place;

    fn row(text: &str, pattern: &str, context: usize) -> Row {
        let matcher = RegexMatcherBuilder::new().line_terminator(Some(b'\n')).build(pattern).unwrap();
        let at = matcher.find(text.as_bytes()).unwrap().unwrap().start();
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let line = text[..start].matches('\n').count() as u64 + 1;
        let at = Located { place: Place::Site, path: RelPath::parse("a").unwrap() };
        Rows { at: &at, text, matcher: &matcher, context, searched: true }
            .row(Hit { line, start, end })
            .unwrap()
    }

    #[test]
    fn a_row_has_the_line_and_those_around_it_without_their_ends() {
        let got = row("one\r\ntwo\r\nthrée x\r\nfour\nfive", "x", 2);
        assert_eq!((got.line, got.column, got.text.as_str()), (3, 7, "thrée x"));
        assert_eq!(
            (got.before, got.after),
            (vec!["one".to_owned(), "two".into()], vec!["four".into(), "five".into()])
        );
        let first = row("x\n\ny\n", "x", 5);
        assert_eq!((first.before.len(), first.after), (0, vec![String::new(), "y".to_owned()]));
        assert_eq!(row("a\nb", "b", 0).before.len(), 0);
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let long = format!("{}MATCH{}", "ä".repeat(5000), "ö".repeat(5000));
        let got = row(&long, "MATCH", 0);
        assert_eq!(got.column, 5001);
        assert_eq!(got.text, format!("…{}MATCH{}…", "ä".repeat(100), "ö".repeat(195)));
        let start = row(&format!("MATCH{}", "x".repeat(400)), "MATCH", 0);
        assert_eq!(start.text, format!("MATCH{}…", "x".repeat(295)));
        let whole = "x".repeat(300);
        assert_eq!(row(&whole, "x", 0).text, whole);
    }
}
