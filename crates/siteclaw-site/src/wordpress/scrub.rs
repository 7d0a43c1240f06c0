//! Taking secrets out of option values before anybody sees them.
//!
//! Keys that say what they hold lose their value at any depth; addresses lose their login and the
//! parameters that carry licences. What a plugin stores under an innocent name cannot be told, so answers
//! say that the scrubbing is partial.

use serde_json::Value;
use siteclaw_php::{begins_serialized, is_serialized, unserialize};

/// What stands in place of a scrubbed value.
pub(crate) const REDACTED: &str = "[redacted]";

/// Parts of keys whose values are secret.
const SECRET_KEYS: [&str; 27] = [
    "password",
    "passwd",
    "pwd",
    "pass",
    "secret",
    "auth_key",
    "auth_salt",
    "nonce_key",
    "nonce_salt",
    "logged_in_key",
    "logged_in_salt",
    "secure_auth_key",
    "api_key",
    "apikey",
    "private_key",
    "token",
    "credential",
    "salt",
    "passphrase",
    "bearer",
    "access_key",
    "license_key",
    "licence_key",
    "encryption_key",
    "signing_key",
    "hashed_key",
    "authorization",
];

/// Words that are secret as a whole part of an option's name: `smtp_pass` is, `passenger_list` is not.
const SECRET_PARTS: [&str; 4] = ["pass", "pwd", "salt", "bearer"];

/// Parameters of addresses that carry licences or signatures.
const SECRET_PARAMETERS: [&str; 8] =
    ["license", "licence", "license_key", "key", "token", "sig", "signature", "api_key"];

/// Deeper values are replaced whole.
const MAX_DEPTH: usize = 40;

/// Scrubs a value in place; JSON kept in a text is parsed and scrubbed too.
pub(crate) fn scrub(value: &mut Value) {
    at(value, 0);
}

fn at(value: &mut Value, depth: usize) {
    if depth > MAX_DEPTH {
        *value = Value::from(REDACTED);
        return;
    }
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter_mut() {
                if is_secret_key(key) && !matches!(item, Value::Null | Value::Bool(_)) {
                    *item = Value::from(REDACTED);
                } else {
                    at(item, depth + 1);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| at(item, depth + 1)),
        Value::String(text) => {
            let trimmed = text.trim_start();
            if is_serialized(text) {
                // A value that was serialised twice, or a part that was serialised alone.
                match unserialize(text.trim().as_bytes()).map(|inner| inner.to_json()) {
                    Ok(before) => {
                        let mut after = before.clone();
                        at(&mut after, depth + 1);
                        if after != before {
                            *text = match after {
                                Value::String(inner) => inner,
                                other => other.to_string(),
                            };
                        }
                    }
                    Err(_) => *text = damaged(text),
                }
            } else if begins_serialized(text) {
                *text = damaged(text);
            } else if trimmed.starts_with(['{', '['])
                && let Ok(mut inner) = serde_json::from_str::<Value>(text)
            {
                at(&mut inner, depth + 1);
                *text = inner.to_string();
            } else if text.contains("://") {
                *text = addresses(text);
            }
        }
        _ => {}
    }
}

/// A damaged text, whose keys and values cannot be told apart: nothing of it where one of its words is secret.
fn damaged(text: &str) -> String {
    if is_secret_key(text) { REDACTED.to_owned() } else { addresses(text) }
}

/// Whether the name of an option says that a plain value under it is secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| SECRET_PARTS.contains(&part))
        || SECRET_KEYS.iter().any(|word| !SECRET_PARTS.contains(word) && name.contains(word))
}

/// Whether a key says that its value is secret.
pub(crate) fn is_secret_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRET_KEYS.iter().any(|word| key.contains(word))
}

/// Addresses without their logins and without the values of licence parameters.
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
    let kept: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) => {
                format!("{name}={REDACTED}")
            }
            _ => pair.to_owned(),
        })
        .collect();
    format!("{path}?{}", kept.join("&"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scrubbed(mut value: Value) -> Value {
        scrub(&mut value);
        value
    }

    #[test]
    fn secret_keys_lose_their_values_at_any_depth() {
        assert_eq!(
            scrubbed(
                json!({"smtp": {"host": "h", "Pass": "x", "auth": [{"api_key": "k", "user": "u"}]}, "token": true})
            ),
            json!({"smtp": {"host": "h", "Pass": REDACTED, "auth": [{"api_key": REDACTED, "user": "u"}]}, "token": true})
        );
    }

    #[test]
    fn serialised_texts_are_scrubbed_at_any_depth_and_when_damaged() {
        let inner = r#"a:2:{s:4:"host";s:1:"h";s:4:"pass";s:3:"abc";}"#;
        assert_eq!(scrubbed(json!({"v": inner})), json!({"v": "{\"host\":\"h\",\"pass\":\"[redacted]\"}"}));
        let twice = format!("s:{}:\"{inner}\";", inner.len());
        assert_eq!(scrubbed(json!(twice)), json!("{\"host\":\"h\",\"pass\":\"[redacted]\"}"));
        assert_eq!(scrubbed(json!(inner.replace("s:3", "s:7"))), json!(REDACTED));
        let harmless = r#"a:1:{s:4:"host";s:1:"h";}"#;
        assert_eq!(scrubbed(json!(harmless)), json!(harmless));
    }

    #[test]
    fn names_of_options_are_taken_by_their_parts() {
        for name in ["smtp_pass", "MAILER-PWD", "mailer_apikey", "site_salt", "oauthToken"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["passenger_list", "compass", "blogname", "salty_snacks", "site_key"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn json_in_a_text_is_scrubbed_too() {
        assert_eq!(
            scrubbed(json!({"v": "{\"secret\":\"s\",\"a\":1}"})),
            json!({"v": "{\"secret\":\"[redacted]\",\"a\":1}"})
        );
    }

    #[test]
    fn addresses_lose_logins_and_licences() {
        assert_eq!(
            scrubbed(json!("see https://u:p@h.example/p?license=abc&x=1 and redis://:pw@r:1/0")),
            json!("see https://h.example/p?license=[redacted]&x=1 and redis://r:1/0")
        );
        assert_eq!(scrubbed(json!("plain text")), json!("plain text"));
    }
}
