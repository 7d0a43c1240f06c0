//! What a person is shown before a request leaves this machine.

use std::fmt::Write;

use siteclaw_core::is_invisible;

use super::client::Message;
use crate::network::CheckedUrl;

/// Characters of a body that a person is shown; how many more there are is said.
const SHOWN_BODY: usize = 2000;

/// Method, address, headers and body, with nothing in them that could deceive the reader.
pub(super) fn of(url: &CheckedUrl, message: &Message) -> String {
    let mut text = format!("{} {url}", message.method);
    let lookalikes = url.lookalikes();
    if !lookalikes.is_empty() {
        text.push('\n');
        text.push_str(&lookalike_text(&lookalikes));
    }
    for (name, value) in &message.headers {
        // A header that was let through is visible ASCII; writing to a text cannot fail.
        let _ = write!(text, "\n{name}: {}", value.to_str().unwrap_or_default());
    }
    if let Some(body) = &message.body {
        let _ = write!(text, "\nsends {} bytes to {}:\n", body.len(), url.host().shown());
        text.extend(body.chars().take(SHOWN_BODY).map(printable));
        let more = body.chars().count().saturating_sub(SHOWN_BODY);
        if more > 0 {
            let _ = write!(text, "\n… and {more} more characters");
        }
    }
    text
}

/// Line breaks stay; whatever else has no look of its own becomes one.
fn printable(c: char) -> char {
    if c == '\n' || !(c.is_control() || is_invisible(c)) { c } else { '\u{fffd}' }
}

/// A warning about letters that look like others.
pub(super) fn lookalike_text(labels: &[String]) -> String {
    let names = labels.iter().map(|label| format!("'{label}'")).collect::<Vec<_>>().join(", ");
    format!("The host's name has letters that look like others: {names}. It is not the name it reads like.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::Method;
    use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};

    #[test]
    fn a_person_sees_all_that_leaves_and_nothing_that_deceives() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/html"));
        let body = format!("a\u{202e}b\r\n\u{1b}[2J{}", "x".repeat(2000));
        let message = Message { method: Method::POST, headers, body: Some(body) };
        let shown = of(&CheckedUrl::parse("https://pаypal.com/in").unwrap(), &message);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "POST https://xn--pypal-4ve.com/in");
        assert!(lines[1].contains("'pаypal'"), "{}", lines[1]);
        assert_eq!(lines[2], "accept: text/html");
        assert_eq!(lines[3], "sends 2011 bytes to xn--pypal-4ve.com:");
        assert_eq!(lines[4], "a\u{fffd}b\u{fffd}");
        assert!(lines[5].starts_with("\u{fffd}[2Jxxx"));
        assert_eq!(lines[6], "… and 9 more characters");
    }
}
