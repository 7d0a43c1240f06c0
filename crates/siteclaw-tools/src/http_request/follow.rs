//! Following an answer that leads elsewhere, one hop at a time, each judged like the first.

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, StatusCode};
use siteclaw_core::ToolError;

use super::client::Message;
use super::{failure, headers};
use crate::network::CheckedUrl;

/// What is asked next because of an answer.
pub(super) struct Hop {
    pub(super) url: CheckedUrl,
    pub(super) message: Message,
}

/// Where an answer leads; `None` when it is the end. The host of the next hop is not judged yet.
///
/// Never followed: from `https` to `http`, to another scheme, and with a body to another origin, because a person
/// approved the sending of it to the first one. 301, 302 and 303 turn a POST into a GET without its body, as every
/// browser does; 307 and 308 keep both. Another origin gets no header that was meant for the first.
pub(super) fn next(
    from: &CheckedUrl,
    sent: &Message,
    status: StatusCode,
    answer: &HeaderMap,
) -> Result<Option<Hop>, ToolError> {
    let keeps = match status {
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => false,
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        _ => return Ok(None),
    };
    let Some(location) = answer.get(LOCATION) else { return Ok(None) };
    let refused = |why: &str| failure::redirect(from, status.as_u16(), why);
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| refused("the place is no text."))?;
    let url = from.join(location).map_err(|error| failure::redirect_to(from, status.as_u16(), &error))?;
    if from.is_encrypted() && !url.is_encrypted() {
        return Err(refused("it would go on without encryption."));
    }
    let mut message = sent.clone();
    if !keeps && message.method != Method::GET {
        message.method = Method::GET;
        message.body = None;
        message.headers.remove(CONTENT_TYPE);
    }
    if !from.same_origin(&url) && !is_upgrade(from, &url) {
        if !message.is_safe() {
            return Err(refused("the body would go to another host than the one it was meant for."));
        }
        message.headers = headers::for_another_origin(&message.headers);
    }
    Ok(Some(Hop { url, message }))
}

/// The same host, from its usual `http` to its usual `https`.
fn is_upgrade(from: &CheckedUrl, to: &CheckedUrl) -> bool {
    from.host() == to.host() && from.port() == 80 && to.is_encrypted() && to.port() == 443
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue, IF_NONE_MATCH};

    fn sent(method: Method) -> Message {
        let mut headers = HeaderMap::new();
        for (name, value) in
            [(ACCEPT, "a"), (AUTHORIZATION, "Bearer x"), (IF_NONE_MATCH, "e"), (CONTENT_TYPE, "text/plain")]
        {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let body = (method != Method::GET).then(|| "b".to_owned());
        Message { method, headers, body }
    }

    fn hop(from: &str, method: Method, status: u16, location: &str) -> Result<Option<Hop>, ToolError> {
        let mut answer = HeaderMap::new();
        answer.insert(LOCATION, HeaderValue::from_str(location).unwrap());
        let status = StatusCode::from_u16(status).unwrap();
        next(&CheckedUrl::parse(from).unwrap(), &sent(method), status, &answer)
    }

    /// Method, URL, names of headers, body.
    fn shown(hop: Hop) -> (String, String, Vec<String>, Option<String>) {
        let mut names: Vec<String> = hop.message.headers.keys().map(|name| name.to_string()).collect();
        names.sort();
        (hop.message.method.to_string(), hop.url.to_string(), names, hop.message.body)
    }

    #[test]
    fn methods_and_bodies_change_as_the_status_says() {
        for (method, status, expected, body) in [
            (Method::GET, 301, "GET", None),
            (Method::GET, 307, "GET", None),
            (Method::POST, 301, "GET", None),
            (Method::POST, 302, "GET", None),
            (Method::POST, 303, "GET", None),
            (Method::POST, 307, "POST", Some("b")),
            (Method::POST, 308, "POST", Some("b")),
        ] {
            let hop = hop("https://example.com/a", method, status, "/b").unwrap().unwrap();
            let (method, url, names, sent) = shown(hop);
            assert_eq!((method.as_str(), sent.as_deref()), (expected, body), "{status}");
            assert_eq!(url, "https://example.com/b");
            assert!(names.contains(&"authorization".to_owned()), "the same origin keeps its headers");
        }
        for status in [200, 300, 304, 305, 400] {
            assert!(hop("https://example.com/a", Method::GET, status, "/b").unwrap().is_none(), "{status}");
        }
    }

    #[test]
    fn another_origin_gets_nothing_that_was_meant_for_the_first() {
        for location in ["https://other.example/", "//example.com:8443/", "https://www.example.com/"] {
            let (_, _, names, _) =
                shown(hop("https://example.com/", Method::GET, 302, location).unwrap().unwrap());
            assert_eq!(names, ["accept", "content-type"], "{location}");
            assert!(hop("https://example.com/", Method::POST, 307, location).is_err(), "{location}");
        }
        let (method, _, names, body) =
            shown(hop("https://example.com/", Method::POST, 303, "https://other.example/").unwrap().unwrap());
        assert_eq!((method.as_str(), names, body), ("GET", vec!["accept".to_owned()], None));
    }

    #[test]
    fn encryption_is_taken_up_and_never_given_up() {
        assert!(hop("https://example.com/", Method::GET, 302, "http://example.com/").is_err());
        let (_, _, names, body) =
            shown(hop("http://example.com/", Method::POST, 308, "https://example.com/").unwrap().unwrap());
        assert!(names.contains(&"authorization".to_owned()) && body.is_some());
    }

    #[test]
    fn places_that_are_no_urls_of_the_web_are_refused() {
        for location in
            ["file:///etc/passwd", "gopher://example.com/", "//u@example.com/", "\\\\example.com", "//127.1/"]
        {
            let error = hop("http://example.com/", Method::GET, 302, location).err().unwrap();
            assert_eq!(error.code(), failure::REDIRECT_REFUSED, "{location}");
            assert!(error.context().contains_key("cause"), "{location}");
        }
    }
}
