//! Values of options as they are shown: decoded, scrubbed, short.

use serde_json::{Value, json};
use siteclaw_php::{begins_serialized, is_serialized, unserialize};

use crate::wordpress::modes::Row;
use crate::wordpress::secrets::{damaged, scrub_named, scrubbed_at};
use crate::wordpress::text;

/// Bytes of a value that are shown.
pub(super) const VALUE_BYTES: usize = 500;

/// Puts the scrubbed value into the row: JSON where it is short, else the beginning of its text.
pub(super) fn show_value(out: &mut Row, name: &str, stored: &str, path: Option<&str>) {
    let mut value = match decoded(stored) {
        Ok(value) => value,
        Err(()) => {
            out.insert("value_state".to_owned(), json!("corrupt_serialisation"));
            out.insert("note".to_owned(), json!("WordPress treats this option as unset."));
            // Scrubbed before it is cut: what is cut off could tell that the rest is secret.
            json!(text::cut(&damaged(stored), VALUE_BYTES / 4))
        }
    };
    scrub_named(name, &mut value);
    if let Some(path) = path {
        value = scrubbed_at(&value, path);
        out.insert("path".to_owned(), json!(path));
    }
    let written = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if written.len() <= VALUE_BYTES {
        out.insert("value".to_owned(), value);
    } else {
        let mut end = VALUE_BYTES;
        while !written.is_char_boundary(end) {
            end -= 1;
        }
        out.insert("value".to_owned(), json!(format!("{}…", written.get(..end).unwrap_or_default())));
        out.insert("value_truncated".to_owned(), json!(true));
        out.insert("value_size".to_owned(), json!(stored.len()));
    }
}

/// The value that a stored text stands for; `Err` for damaged serialisation.
fn decoded(stored: &str) -> Result<Value, ()> {
    if is_serialized(stored) {
        return unserialize(stored.trim().as_bytes()).map(|value| value.to_json()).map_err(|_| ());
    }
    if begins_serialized(stored) {
        return Err(());
    }
    Ok(json!(stored))
}

pub(super) fn kind_of(stored: &str) -> &'static str {
    let trimmed = stored.trim();
    match trimmed.as_bytes().first() {
        _ if is_serialized(stored) => match trimmed.as_bytes().first() {
            _ if unserialize(trimmed.as_bytes()).is_err() => "corrupt",
            Some(b'a') => "array",
            Some(b'O' | b'C') => "object",
            _ => "serialized",
        },
        _ if begins_serialized(stored) => "corrupt",
        Some(b'{' | b'[') if serde_json::from_str::<serde::de::IgnoredAny>(stored).is_ok() => "json",
        _ if !trimmed.is_empty() && trimmed.parse::<f64>().is_ok() => "number",
        _ => "string",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_json_scrubbed_and_cut() {
        let shown = |stored: &str, path: Option<&str>| {
            let mut out = Row::new();
            show_value(&mut out, "shop_settings", stored, path);
            Value::Object(out)
        };
        let stored = r#"a:2:{s:4:"host";s:1:"h";s:8:"password";s:3:"abc";}"#;
        assert_eq!(shown(stored, None), json!({"value": {"host": "h", "password": "[redacted]"}}));
        assert_eq!(shown(stored, Some("host")), json!({"path": "host", "value": "h"}));
        assert_eq!(shown(stored, Some("password")), json!({"path": "password", "value": "[redacted]"}));
        assert_eq!(shown("Berlin", None), json!({"value": "Berlin"}));
        let long = shown(&"ä".repeat(400), None);
        assert_eq!((&long["value_truncated"], &long["value_size"]), (&json!(true), &json!(800)));
        assert_eq!(long["value"].as_str().unwrap().chars().count(), 251);
        assert_eq!(shown("a:1:{s:9:\"x\";i:1;}", None)["value_state"], json!("corrupt_serialisation"));
    }

    #[test]
    fn types_are_told_apart() {
        for (stored, kind) in [
            ("a:0:{}", "array"),
            ("b:1;", "serialized"),
            ("7.5", "number"),
            ("{\"a\":1}", "json"),
            ("", "string"),
            ("a:3:{i:0;", "corrupt"),
            ("yes", "string"),
        ] {
            assert_eq!(kind_of(stored), kind, "{stored}");
        }
    }
}
