//! Taking secrets out of stored values before anybody sees them.
//!
//! Names of keys and shapes of values decide, at any depth: in arrays, in pairs of a name and a value, in
//! serialised texts, and in JSON that stands in a text, with whatever stands before and behind it.

use serde_json::{Map, Value, json};
use siteclaw_php::{begins_serialized, is_serialized, unserialize};

use super::names::{Verdict, is_suspect, verdict};
use super::texts::{damaged, scrubbed};
use super::{REDACTED, values};

/// Deeper values are replaced whole.
const MAX_DEPTH: usize = 40;

/// Fields that name what another field of the same object holds.
const NAME_FIELDS: [&str; 10] =
    ["name", "key", "id", "option", "option_name", "field", "setting", "slug", "meta_key", "label"];
/// Fields that hold what another field names.
const VALUE_FIELDS: [&str; 4] = ["value", "val", "option_value", "meta_value"];
/// Fields that may hold it, or a text about it.
const TEXT_FIELDS: [&str; 4] = ["values", "data", "content", "default"];

/// Words of names under which a random text is a checksum.
const CHECKSUMS: [&str; 9] =
    ["hash", "checksum", "digest", "md5", "sha1", "etag", "version", "revision", "fingerprint"];

/// Scrubs the value that stands under a name: what the name says holds for all beneath it.
pub(crate) fn scrub_named(name: &str, value: &mut Value) {
    if let Value::String(text) = &*value
        && values::is_long_hex(text)
        && !is_checksum(name)
    {
        *value = json!(REDACTED);
        return;
    }
    under(verdict(name), value, 0);
}

fn is_checksum(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CHECKSUMS.iter().any(|word| name.contains(word))
}

/// The part of a scrubbed value that a path such as `menu.0.label` names; null where there is none. Beneath what
/// was taken out there is only the mark.
pub(crate) fn scrubbed_at(value: &Value, path: &str) -> Value {
    let mut at = value;
    for part in path.split('.') {
        if at.as_str() == Some(REDACTED) {
            return json!(REDACTED);
        }
        let next = match at {
            Value::Object(map) => map.get(part),
            Value::Array(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            // Whether a secret is there is nobody's business either.
            None if path.split('.').any(is_suspect) => return json!(REDACTED),
            None => return Value::Null,
        }
    }
    at.clone()
}

fn under(verdict: Verdict, value: &mut Value, depth: usize) {
    if depth > MAX_DEPTH {
        *value = json!(REDACTED);
        return;
    }
    match value {
        Value::Object(map) => object(verdict, map, depth),
        Value::Array(items) => list(verdict, items, depth),
        Value::String(text) if values::is_secret(verdict, text) => {
            // What is structured is taken apart, unless its name alone says that it is secret.
            match (verdict < Verdict::Secret).then(|| structured(verdict, text, depth)).flatten() {
                Some(changed) => *text = changed,
                None => *text = REDACTED.to_owned(),
            }
        }
        Value::String(text) => {
            *text = structured(verdict, text, depth).unwrap_or_else(|| scrubbed(text).into_owned());
        }
        Value::Number(number)
            if verdict == Verdict::Secret && values::is_secret(verdict, &number.to_string()) =>
        {
            *value = json!(REDACTED)
        }
        _ => {}
    }
}

fn object(outer: Verdict, map: &mut Map<String, Value>, depth: usize) {
    // {"name": "consumer_key", "value": "ck_…"}
    let named = NAME_FIELDS
        .iter()
        .filter_map(|field| map.get(*field).and_then(Value::as_str))
        .map(verdict)
        .max()
        .unwrap_or(Verdict::Plain);
    for (key, item) in map.iter_mut() {
        let lower = key.to_ascii_lowercase();
        let mut inner = verdict(key);
        if VALUE_FIELDS.contains(&lower.as_str()) {
            inner = inner.max(named);
        } else if TEXT_FIELDS.contains(&lower.as_str()) {
            inner = inner.max(named.min(Verdict::Likely));
        }
        let whole = inner == Verdict::Secret && (item.is_array() || item.is_object());
        if whole {
            *item = json!(REDACTED);
        } else {
            let outer = if outer == Verdict::Near && is_checksum(key) { Verdict::Plain } else { outer };
            under(inner.max(outer), item, depth + 1);
        }
    }
}

fn list(outer: Verdict, items: &mut [Value], depth: usize) {
    // ["consumer_key", "ck_…"]
    if let [Value::String(name), second @ Value::String(_)] = items
        && verdict(name) >= Verdict::Likely
    {
        under(Verdict::Likely, second, depth + 1);
    }
    items.iter_mut().for_each(|item| under(outer, item, depth + 1));
}

/// A text that is serialised or holds JSON, scrubbed part by part; `None` for any other.
fn structured(verdict: Verdict, text: &str, depth: usize) -> Option<String> {
    if is_serialized(text) {
        // A value that was serialised twice, or a part that was serialised alone.
        let Ok(before) = unserialize(text.trim().as_bytes()).map(|inner| inner.to_json()) else {
            return Some(damaged(text));
        };
        let mut after = before.clone();
        under(verdict, &mut after, depth + 1);
        return Some(match after {
            after if after == before => text.to_owned(),
            Value::String(inner) => inner,
            other => other.to_string(),
        });
    }
    if begins_serialized(text) {
        return Some(damaged(text));
    }
    let start = text.find(|c: char| !c.is_whitespace())?;
    let (lead, rest) = text.split_at(start);
    if !rest.starts_with(['{', '[', '"']) {
        return None;
    }
    let mut parts = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let before = parts.next()?.ok()?;
    let tail = rest.get(parts.byte_offset()..).unwrap_or_default();
    let mut after = before.clone();
    under(verdict, &mut after, depth + 1);
    let written = if after == before {
        rest.get(..parts.byte_offset()).unwrap_or_default().to_owned()
    } else {
        after.to_string()
    };
    Some(format!("{lead}{written}{}", scrubbed(tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(mut value: Value) -> Value {
        scrub_named("shop_settings", &mut value);
        value
    }

    #[test]
    fn secret_keys_lose_their_values_at_any_depth() {
        assert_eq!(
            scrubbed(json!({
                "smtp": {"host": "h", "Pass": "x", "auth": [{"api_key": "k", "user": "u"}]},
                "token": true, "use_password": 1, "secret": "", "licenseKey": "abc", "apiKey": {"live": "k"},
                "accessToken": 7, "clientsecret": "s", "keyword": "Zx81kq90", "passage": "open"
            })),
            json!({
                "smtp": {"host": "h", "Pass": REDACTED, "auth": [{"api_key": REDACTED, "user": "u"}]},
                "token": true, "use_password": 1, "secret": "", "licenseKey": REDACTED, "apiKey": REDACTED,
                "accessToken": REDACTED, "clientsecret": REDACTED, "keyword": "Zx81kq90", "passage": "open"
            })
        );
    }

    #[test]
    fn pairs_of_a_name_and_a_value_are_understood() {
        assert_eq!(
            scrubbed(json!([
                {"name": "consumer_key", "value": "ck_1"},
                {"key": "api_signature", "value": "AbC123xyZ"},
                {"id": "smtp_pass", "default": "hunter22x", "label": "Password of the mail server"},
                {"name": "blogname", "value": "Zx81kq90"},
                ["client_secret", "AbC123xyZ"],
                ["monkey", "AbC123xyZ"]
            ])),
            json!([
                {"name": "consumer_key", "value": REDACTED},
                {"key": "api_signature", "value": REDACTED},
                {"id": "smtp_pass", "default": REDACTED, "label": "Password of the mail server"},
                {"name": "blogname", "value": "Zx81kq90"},
                ["client_secret", REDACTED],
                ["monkey", "AbC123xyZ"]
            ])
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
    fn json_in_a_text_is_scrubbed_whatever_stands_around_it() {
        let nested = json!({"inner": json!({"apiKey": "k"}).to_string()}).to_string();
        let quoted = json!(json!({"secret": "s"}).to_string()).to_string();
        for (given, expected) in [
            (r#"{"secret":"s","a":1}"#.to_owned(), r#"{"secret":"[redacted]","a":1}"#.to_owned()),
            (
                "\n  {\"secret\":\"s\"}\n<!-- end -->".to_owned(),
                "\n  {\"secret\":\"[redacted]\"}\n<!-- end -->".to_owned(),
            ),
            (r#"{"a":1} {"secret":"s"}"#.to_owned(), r#"{"a":1} {"secret":"[redacted]"}"#.to_owned()),
            (r#"{"secret":"s", "cut":"#.to_owned(), r#"{"secret":"[redacted]", "cut":"#.to_owned()),
            (r#"conf={"secret":"s"}"#.to_owned(), r#"conf={"secret":"[redacted]"}"#.to_owned()),
            (nested, json!({"inner": json!({"apiKey": REDACTED}).to_string()}).to_string()),
            (quoted, json!(json!({"secret": REDACTED}).to_string()).to_string()),
            ("[gallery ids=1] { spaces }".to_owned(), "[gallery ids=1] { spaces }".to_owned()),
            ("{ \"a\" : 1 }".to_owned(), "{ \"a\" : 1 }".to_owned()),
        ] {
            assert_eq!(scrubbed(json!({"v": given})), json!({"v": expected}), "{given}");
        }
    }

    #[test]
    fn the_name_of_an_option_counts_for_what_lies_beneath() {
        let named = |name: &str, mut value: Value| {
            scrub_named(name, &mut value);
            value
        };
        assert_eq!(named("stripe_key", json!("Zx81kq90")), json!(REDACTED));
        assert_eq!(
            named("stripe_key", json!({"live": "Zx81kq90", "mode": "live"})),
            json!({"live": REDACTED, "mode": "live"})
        );
        assert_eq!(named("acme_gateway", json!({"b": "4eC39HqLyjWDarjtT1zdp7dc"})), json!({"b": REDACTED}));
        assert_eq!(
            named("acme_colours", json!({"b": "4eC39HqLyjWDarjtT1zdp7dc"})),
            json!({"b": "4eC39HqLyjWDarjtT1zdp7dc"})
        );
        assert_eq!(named("acme_id", json!("0123456789abcdef0123456789abcdef")), json!(REDACTED));
        assert_eq!(
            named("acme_css_hash", json!("0123456789abcdef0123456789abcdef")),
            json!("0123456789abcdef0123456789abcdef")
        );
        assert_eq!(named("acme_api", json!({"version": "4eC39HqLyjWDarjtT1zdp7dc"}))["version"], REDACTED);
        assert_eq!(
            named("acme_api_scripts", json!({"version": "4eC39HqLyjWDarjtT1zdp7dc"}))["version"],
            "4eC39HqLyjWDarjtT1zdp7dc"
        );
        assert_eq!(named("email_signature", json!("Best regards, Ann")), json!("Best regards, Ann"));
    }

    #[test]
    fn parts_are_found_and_beneath_a_secret_there_is_only_the_mark() {
        let value = scrubbed(json!({"menu": [{"label": "x"}], "apiKey": {"live": "k"}}));
        for (path, expected) in [
            ("menu.0.label", json!("x")),
            ("menu.1.label", Value::Null),
            ("apiKey", json!(REDACTED)),
            ("apiKey.live", json!(REDACTED)),
            ("clientSecret", json!(REDACTED)),
            ("nowhere", Value::Null),
        ] {
            assert_eq!(scrubbed_at(&value, path), expected, "{path}");
        }
    }
}
