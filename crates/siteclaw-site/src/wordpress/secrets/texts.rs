//! Secrets within texts: logins and licences in addresses, and values that are assigned to a name, as in
//! scripts, INI files and JSON that somebody put into a text.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Regex};
use siteclaw_core::without_known_secrets;

use super::names::{Verdict, is_suspect, verdict};
use super::{REDACTED, values};

/// Parameters of addresses that carry licences or signatures and have no telling name.
const PARAMETERS: [&str; 3] = ["key", "sig", "hash"];

/// A name, then `=`, `:` or `=>`, then a text in quotation marks or up to a blank. Quotation marks may be
/// escaped, as they are in JSON within JSON.
const ASSIGNMENT: &str = r#"(?x)
    (?P<name> [A-Za-z_] [A-Za-z0-9_.-]* ) [\\'"\]]* [\x20\t]* (?: => | [:=] ) [\x20\t]*
    (?: [\\]* (?: " (?P<double> [^"\\\r\n]+ ) | ' (?P<single> [^'\\\r\n]+ ) )
      | (?P<bare> [^\s"'<>&,;\\{}\[\]()%$]+ ) )
"#;

/// Secrets of every kind that a text can hold, taken out.
pub(crate) fn scrubbed(text: &str) -> Cow<'_, str> {
    let mut text = without_known_secrets(text, REDACTED);
    if text.contains("://") {
        text = Cow::Owned(addresses(&text));
    }
    if text.contains([':', '='])
        && let Some(assignment) = assignment()
        && let Cow::Owned(changed) = assignment.replace_all(&text, assigned)
    {
        text = Cow::Owned(changed);
    }
    text
}

/// A damaged text, whose keys and values cannot be told apart: nothing of it where one of its words is secret.
pub(crate) fn damaged(text: &str) -> String {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    if words.any(is_suspect) { REDACTED.to_owned() } else { scrubbed(text).into_owned() }
}

fn assignment() -> Option<&'static Regex> {
    static COMPILED: OnceLock<Option<Regex>> = OnceLock::new();
    COMPILED.get_or_init(|| Regex::new(ASSIGNMENT).ok()).as_ref()
}

fn assigned(found: &Captures<'_>) -> String {
    let (Some(whole), Some(name)) = (found.get(0), found.name("name")) else { return String::new() };
    let value = ["double", "single", "bare"].iter().find_map(|group| found.name(group));
    let verdict = verdict(name.as_str());
    match value {
        Some(value) if verdict >= Verdict::Likely && values::is_secret(verdict, value.as_str()) => {
            let start = value.start() - whole.start();
            let head = whole.as_str().get(..start).unwrap_or_default();
            let tail = whole.as_str().get(start + value.len()..).unwrap_or_default();
            format!("{head}{REDACTED}{tail}")
        }
        _ => whole.as_str().to_owned(),
    }
}

/// Addresses without their logins and without the values of secret parameters.
fn addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>'))
            .unwrap_or(after.len());
        let (address, tail) = after.split_at(end);
        let host_end = address.find(['/', '?', '#']).unwrap_or(address.len());
        let (host, path) = address.split_at(host_end);
        out.push_str(host.rsplit_once('@').map_or(host, |(_, host)| host));
        out.push_str(&parameters(path));
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn parameters(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let is_secret = |name: &str| is_suspect(name) || PARAMETERS.contains(&name.to_ascii_lowercase().as_str());
    let kept: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if !value.is_empty() && is_secret(name) => format!("{name}={REDACTED}"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{path}?{}", kept.join("&"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_assignment_compiles() {
        Regex::new(ASSIGNMENT).unwrap();
    }

    #[test]
    fn addresses_lose_logins_and_licences() {
        for (text, expected) in [
            (
                "see https://u:p@h.example/p?license=abc&x=1 and redis://:pw@r:1/0",
                "see https://h.example/p?license=[redacted]&x=1 and redis://r:1/0",
            ),
            (
                "https://h.example/dl?accessToken=ab&sig=9&sort_key=name&api=",
                "https://h.example/dl?accessToken=[redacted]&sig=[redacted]&sort_key=name&api=",
            ),
            ("plain text", "plain text"),
        ] {
            assert_eq!(scrubbed(text), expected, "{text}");
        }
    }

    #[test]
    fn values_assigned_to_a_secret_name_go() {
        for (text, expected) in [
            ("host=h\nsmtp_pass = hunter2\nport=25", "host=h\nsmtp_pass = [redacted]\nport=25"),
            ("var s = {apiKey: \"Zx81kq90\", zoom: 4};", "var s = {apiKey: \"[redacted]\", zoom: 4};"),
            (
                r#"{\"client_secret\":\"ab\",\"id\":\"x1\"}"#,
                r#"{\"client_secret\":\"[redacted]\",\"id\":\"x1\"}"#,
            ),
            ("'auth_token' => 'ab cd',", "'auth_token' => '[redacted]',"),
            ("Your password: {password}", "Your password: {password}"),
            ("Password: required. Monkey: brown", "Password: required. Monkey: brown"),
            ("it holds sk_live_abcdefghijklmnop now", "it holds [redacted] now"),
            ("$q['api_key']=Zx81kq90;", "$q['api_key']=[redacted];"),
        ] {
            assert_eq!(scrubbed(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_is_shown_of_a_damaged_text_with_a_secret_word() {
        assert_eq!(damaged("a:1:{s:9:\"licenseKey\";s:4:\"ab"), REDACTED);
        assert_eq!(damaged("a:1:{s:9:\"monkey\";s:4:\"ab"), "a:1:{s:9:\"monkey\";s:4:\"ab");
    }

    proptest! {
        #[test]
        fn any_text_can_be_scrubbed_and_scrubbing_is_stable(text in "[ -~äß\n]{0,80}") {
            let once = scrubbed(&text).into_owned();
            prop_assert_eq!(scrubbed(&once).into_owned(), once.clone());
        }
    }
}
