//! Which headers go out and which come back.
//!
//! Both are lists of what is allowed. Host, framing, hop-by-hop and proxy headers are never a model's to set; a
//! model sees no cookie of an answer.

use std::collections::BTreeMap;

use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Serialize;
use siteclaw_core::{Code, ToolError, sanitise_fragment};

/// A request header that may not be set, or not with this value.
pub const HEADER_NOT_ALLOWED: Code = Code::new("HEADER_NOT_ALLOWED");

/// Headers that carry a wish about the answer and nothing else.
const HARMLESS: &[&str] = &[
    "accept",
    "accept-language",
    "cache-control",
    "content-type",
    "if-modified-since",
    "if-none-match",
    "range",
    "x-requested-with",
];

/// Not even an operator may open these: they frame the message or speak to the next machine.
const NEVER: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Headers of an answer that help to understand it.
const SHOWN: &[&str] = &[
    "accept-ranges",
    "access-control-allow-origin",
    "age",
    "allow",
    "cache-control",
    "cf-cache-status",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-length",
    "content-range",
    "content-security-policy",
    "content-type",
    "date",
    "etag",
    "expires",
    "last-modified",
    "link",
    "location",
    "permissions-policy",
    "pragma",
    "referrer-policy",
    "retry-after",
    "server",
    "server-timing",
    "strict-transport-security",
    "vary",
    "via",
    "x-cache",
    "x-cache-status",
    "x-content-type-options",
    "x-drupal-cache",
    "x-frame-options",
    "x-litespeed-cache",
    "x-magento-cache-debug",
    "x-pingback",
    "x-powered-by",
    "x-redirect-by",
    "x-robots-tag",
    "x-varnish",
    "x-wp-total",
    "x-wp-totalpages",
];

/// The most headers of a request, and characters of one value.
const MAX_SET: usize = 20;
const MAX_SET_VALUE: usize = 2000;
/// Characters of a value that is shown, and values of one name.
const MAX_SHOWN_VALUE: usize = 500;
const MAX_REPEATS: usize = 10;

/// The headers that a model may set, beyond the harmless ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Allowed(Vec<HeaderName>);

impl Allowed {
    /// Reads the operator's list. Fails with a sentence about the first name that is not allowed.
    pub(super) fn new(names: &[String]) -> Result<Self, String> {
        names.iter().map(|text| operator_name(text)).collect::<Result<_, _>>().map(Self)
    }

    fn list(&self) -> Vec<&str> {
        HARMLESS.iter().copied().chain(self.0.iter().map(HeaderName::as_str)).collect()
    }

    /// Headers of a request from names and values that a model gave.
    pub(super) fn read(&self, given: &BTreeMap<String, String>) -> Result<HeaderMap, ToolError> {
        if given.len() > MAX_SET {
            let text = format!("There are {} headers; at most {MAX_SET} may be set.", given.len());
            return Err(ToolError::new(HEADER_NOT_ALLOWED, text));
        }
        let mut headers = HeaderMap::with_capacity(given.len());
        for (name, value) in given {
            let known = HeaderName::from_bytes(name.as_bytes())
                .ok()
                .filter(|name| is_harmless(name) || self.0.contains(name))
                .ok_or_else(|| {
                    let shown = sanitise_fragment(name, 60);
                    ToolError::new(HEADER_NOT_ALLOWED, format!("The header '{shown}' may not be set."))
                        .hint("The operator can allow more in the settings of http_request.")
                        .with("allowed_headers", self.list())
                })?;
            let value = header_value(&known, value)?;
            if headers.insert(known, value).is_some() {
                let shown = sanitise_fragment(name, 60);
                return Err(ToolError::new(
                    HEADER_NOT_ALLOWED,
                    format!("The header '{shown}' is given twice."),
                ));
            }
        }
        Ok(headers)
    }
}

fn operator_name(text: &str) -> Result<HeaderName, String> {
    let shown = || sanitise_fragment(text, 60);
    let name = HeaderName::from_bytes(text.trim().as_bytes())
        .map_err(|_| format!("'{}' in request_headers is no name of a header", shown()))?;
    if NEVER.contains(&name.as_str())
        || name.as_str().starts_with("proxy-")
        || name.as_str().starts_with("sec-")
    {
        return Err(format!("the header '{}' in request_headers can never be a model's to set", shown()));
    }
    Ok(name)
}

/// Visible ASCII and spaces within. A line break would begin another header.
fn header_value(name: &HeaderName, value: &str) -> Result<HeaderValue, ToolError> {
    let value = value.trim_matches(' ');
    let plain = value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    match HeaderValue::from_str(value) {
        Ok(value) if plain && value.len() <= MAX_SET_VALUE => Ok(value),
        _ => Err(ToolError::new(
            HEADER_NOT_ALLOWED,
            format!(
                "The value of the header '{name}' must be at most {MAX_SET_VALUE} visible ASCII characters."
            ),
        )),
    }
}

pub(super) fn is_harmless(name: &HeaderName) -> bool {
    HARMLESS.contains(&name.as_str())
}

/// Whether a name, as a model wrote it, is one that changes nothing but the form of the answer.
pub(super) fn is_harmless_text(name: &str) -> bool {
    HARMLESS.iter().any(|harmless| harmless.eq_ignore_ascii_case(name))
}

/// What goes with a redirect to another origin: nothing that identifies or that was meant for the first one.
pub(super) fn for_another_origin(headers: &HeaderMap) -> HeaderMap {
    headers
        .iter()
        .filter(|(name, _)| [ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE].contains(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// A value of a header, or all of them where the name is repeated.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Values {
    /// The name stands once.
    One(String),
    /// The name is repeated.
    Many(Vec<String>),
}

/// The headers of an answer that may be shown, by name, and the names of those that are kept back.
pub(super) fn shown(headers: &HeaderMap) -> (BTreeMap<String, Values>, Vec<String>) {
    let mut out = BTreeMap::new();
    let mut withheld = Vec::new();
    for name in headers.keys() {
        if !SHOWN.contains(&name.as_str()) && !name.as_str().contains("ratelimit-") {
            withheld.push(sanitise_fragment(name.as_str(), 60));
            continue;
        }
        let mut values: Vec<String> = headers.get_all(name).iter().take(MAX_REPEATS).map(text).collect();
        let values = match values.pop() {
            Some(only) if values.is_empty() => Values::One(only),
            Some(last) => {
                values.push(last);
                Values::Many(values)
            }
            None => continue,
        };
        out.insert(name.as_str().to_owned(), values);
    }
    withheld.sort_unstable();
    withheld.truncate(30);
    (out, withheld)
}

/// A value as text. Servers that do not send ASCII mean Latin-1 or UTF-8.
fn text(value: &HeaderValue) -> String {
    let bytes = value.as_bytes();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    sanitise_fragment(&text, MAX_SHOWN_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(allowed: &Allowed, given: &[(&str, &str)]) -> Result<HeaderMap, ToolError> {
        allowed.read(&given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn harmless_headers_may_be_set_and_no_others() {
        let none = Allowed::default();
        let headers = read(&none, &[("Accept", "text/html"), ("if-none-match", "\"a b\"")]).unwrap();
        assert_eq!(headers[ACCEPT], "text/html");
        for name in [
            "Host",
            "Content-Length",
            "Transfer-Encoding",
            "Connection",
            "Proxy-Authorization",
            "Proxy-Connection",
            "Cookie",
            "Authorization",
            "X-Forwarded-For",
            "Accept-Encoding",
            "Te",
            "Upgrade",
            "a b",
            "a:b",
            "",
            "X\r\nHost",
            "ассерт",
        ] {
            let error = read(&none, &[(name, "x")]).unwrap_err();
            assert_eq!(error.code(), HEADER_NOT_ALLOWED, "{name}");
        }
    }

    #[test]
    fn a_value_cannot_begin_another_header() {
        let none = Allowed::default();
        for value in ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b", "a\tb", "ä", "\u{7f}", &"x".repeat(2001)]
        {
            assert!(read(&none, &[("accept", value)]).is_err(), "{value:?}");
        }
        assert!(read(&none, &[("accept", &"x".repeat(2000))]).is_ok());
        assert!(read(&none, &[("accept", "a"), ("Accept", "b")]).is_err());
        let many: Vec<String> = (0..21).map(|number| format!("x-{number}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "1")).collect();
        assert!(read(&none, &many).is_err());
    }

    #[test]
    fn an_operator_may_open_more_but_not_what_frames_a_message() {
        let more = Allowed::new(&["Authorization".to_owned(), "x-api-key".to_owned()]).unwrap();
        assert!(read(&more, &[("authorization", "Bearer x"), ("X-Api-Key", "y")]).is_ok());
        for name in
            ["host", "Content-Length", "transfer-encoding", "Proxy-Authorization", "sec-fetch-site", "a b"]
        {
            assert!(Allowed::new(&[name.to_owned()]).is_err(), "{name}");
        }
    }

    #[test]
    fn cookies_are_kept_back_and_repeats_are_lists() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("content-type", "text/html"),
            ("link", "<a>"),
            ("link", "<b>"),
            ("set-cookie", "session=1"),
            ("x-secret-thing", "1"),
            ("x-ratelimit-remaining", "7"),
        ] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.append("server", HeaderValue::from_bytes(b"caf\xe9\t1").unwrap());
        let (shown, withheld) = shown(&headers);
        assert_eq!(withheld, ["set-cookie", "x-secret-thing"]);
        assert_eq!(shown["link"], Values::Many(vec!["<a>".to_owned(), "<b>".to_owned()]));
        assert_eq!(shown["server"], Values::One("café?1".to_owned()));
        assert_eq!(shown["x-ratelimit-remaining"], Values::One("7".to_owned()));
        assert_eq!(shown.len(), 4);
    }

    #[test]
    fn little_goes_to_another_origin() {
        let allowed = Allowed::new(&["authorization".to_owned()]).unwrap();
        let given =
            [("accept", "a"), ("authorization", "Bearer x"), ("if-none-match", "e"), ("range", "bytes=0-1")];
        let headers = for_another_origin(&read(&allowed, &given).unwrap());
        assert_eq!(headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept"]);
    }
}
