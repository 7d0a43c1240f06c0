//! What a model gets of an answer.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Serialize;

use super::client::End;
use super::headers::{self, Values};
use super::text::{Decoded, decode};
use crate::network::CheckedUrl;
use crate::text::json_cost_of;

/// Room in a result for the envelope's frame, the fixed parts of meta and two warnings, in characters.
const FRAME: usize = 800;
/// A body is shown at least so far, however long the headers are.
const LEAST: usize = 500;

/// A hop that was followed.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Followed {
    /// Status of the answer that led on.
    pub(super) status: u16,
    /// The URL that gave it.
    pub(super) url: String,
}

/// The answer of a host. Any status is a success of the call.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    /// HTTP status.
    status: u16,
    /// The URL that answered, after redirects.
    url: String,
    /// Headers of the answer by lower-case name; a repeated name has a list.
    headers: BTreeMap<String, Values>,
    /// Names of headers that are kept back, such as set-cookie.
    headers_withheld: Vec<String>,
    /// The Content-Type without its parameters.
    content_type: Option<String>,
    /// How body is to be read: the charset it was decoded from, or base64 for bytes that are no text.
    encoding: String,
    /// The body, decompressed and decoded, as far as it was kept.
    body: String,
    /// Bytes of the decompressed body that body shows.
    bytes: u64,
    /// Bytes of the whole body, where that is known.
    total_bytes: Option<u64>,
    /// Whether the body has more than is shown.
    truncated: bool,
    /// What cut the body: size, time or connection.
    cut_by: Option<&'static str>,
    /// Redirects that were followed, first one first.
    redirects: Vec<Followed>,
}

/// The parts of an answer.
pub(super) struct Parts {
    pub(super) status: u16,
    pub(super) url: CheckedUrl,
    pub(super) headers: reqwest::header::HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) end: End,
    pub(super) redirects: Vec<Followed>,
}

/// The output with what its reader should be told about the body.
pub(super) struct Shown {
    pub(super) output: Output,
    /// Whether some bytes were none of the charset.
    pub(super) replaced: bool,
}

impl Output {
    pub(super) const fn cut_by(&self) -> Option<&'static str> {
        self.cut_by
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Shapes an answer so that it fits a budget of characters, of which `beside` go to what varies beside it.
pub(super) fn shape(parts: Parts, budget: usize, beside: usize) -> Shown {
    let Parts { status, url, headers: all, body: bytes, end, redirects } = parts;
    let (headers, headers_withheld) = headers::shown(&all);
    let content_type = all.get("content-type").and_then(|value| value.to_str().ok());
    let announced = all.get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
    let mut output = Output {
        status,
        url: url.as_str().to_owned(),
        headers,
        headers_withheld,
        content_type: content_type.map(super::text::media_type),
        encoding: String::new(),
        body: String::new(),
        bytes: 0,
        total_bytes: None,
        truncated: false,
        cut_by: None,
        redirects,
    };
    let used = serde_json::to_string(&output).map_or(0, |text| text.chars().count());
    let room = budget.saturating_sub(FRAME + beside + used).max(LEAST);

    let whole = end == End::Whole;
    let mut replaced = false;
    let fits = match decode(&bytes, content_type, whole) {
        Decoded::Text { text, charset, replaced: some } => {
            replaced = some;
            output.encoding = charset;
            let kept = fitting(&text, room);
            output.body = text.get(..kept).unwrap_or_default().to_owned();
            kept == text.len()
        }
        Decoded::Binary => {
            output.encoding = "base64".to_owned();
            let kept = bytes.get(..room / 4 * 3).unwrap_or(&bytes);
            output.body = STANDARD.encode(kept);
            kept.len() == bytes.len()
        }
    };
    output.bytes = bytes.len() as u64;
    output.total_bytes = if whole { Some(output.bytes) } else { announced };
    output.cut_by = match end {
        _ if !fits => Some("size"),
        End::Whole => None,
        End::Size => Some("size"),
        End::Time => Some("time"),
        End::Broken => Some("connection"),
    };
    output.truncated = output.cut_by.is_some();
    Shown { output, replaced }
}

/// How many bytes of a text take at most `room` characters as JSON; never within a character.
fn fitting(text: &str, room: usize) -> usize {
    let mut left = room;
    for (at, c) in text.char_indices() {
        match left.checked_sub(json_cost_of(c)) {
            Some(less) => left = less,
            None => return at,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use reqwest::header::{HeaderMap, HeaderValue};

    fn answer(body: &[u8], end: End, headers: &[(&'static str, &'static str)], budget: usize) -> Output {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.insert(*name, HeaderValue::from_static(value));
        }
        let url = CheckedUrl::parse("https://example.com/a").unwrap();
        let parts = Parts { status: 200, url, headers: all, body: body.to_vec(), end, redirects: Vec::new() };
        shape(parts, budget, 0).output
    }

    #[test]
    fn a_body_at_the_cap_is_untouched_and_one_beyond_it_says_so() {
        let whole = answer(b"abc", End::Whole, &[("content-type", "Text/Plain; charset=utf-8")], 10_000);
        assert_eq!((whole.body.as_str(), whole.bytes, whole.total_bytes), ("abc", 3, Some(3)));
        assert_eq!(
            (whole.truncated, whole.cut_by, whole.content_type.as_deref()),
            (false, None, Some("text/plain"))
        );
        let cut = answer(b"abc", End::Size, &[("content-length", "9")], 10_000);
        assert_eq!((cut.truncated, cut.cut_by, cut.total_bytes), (true, Some("size"), Some(9)));
        assert_eq!(answer(b"abc", End::Time, &[], 10_000).cut_by, Some("time"));
        assert_eq!(answer(b"abc", End::Broken, &[], 10_000).cut_by, Some("connection"));
    }

    #[test]
    fn bytes_are_base64_and_cut_at_a_whole_group() {
        let output = answer(&[0; 100_000], End::Whole, &[("content-type", "image/png")], 10_000);
        assert_eq!((output.encoding.as_str(), output.body.len() % 4), ("base64", 0));
        assert!(STANDARD.decode(&output.body).is_ok_and(|bytes| bytes.len() > 5000));
        assert_eq!((output.cut_by, output.bytes), (Some("size"), 100_000));
        assert_eq!(answer(&[0, 1, 2], End::Whole, &[], 10_000).body, "AAEC");
    }

    proptest! {
        #[test]
        fn whatever_comes_fits(text in "[a\"\\\\\n\u{1}ü😀]{0,4000}", budget in 2500usize..12_000) {
            let output = answer(text.as_bytes(), End::Whole, &[("content-type", "text/plain; charset=utf-8")], budget);
            let size = serde_json::to_string(&output).unwrap().chars().count();
            prop_assert!(size + 700 <= budget, "{} of {}", size, budget);
            prop_assert!(text.starts_with(&output.body));
            prop_assert_eq!(output.truncated, output.body != text);
        }
    }
}
