//! One value of a result, without loss.
//!
//! Numbers stay exact: integers as such, decimals as the server's text. Dates and times are text too, so a
//! zero date such as `0000-00-00 00:00:00` is nothing special. Text that is not UTF-8 becomes bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Number, Value as Json, json};

/// A value as the server gave it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A boolean (PostgreSQL only; elsewhere they are integers).
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that an `i64` may not hold (MySQL's unsigned columns).
    Unsigned(u64),
    /// A number in floating point.
    Float(f64),
    /// Text, and everything that has an exact text: decimals, dates, times, UUIDs, JSON, arrays, intervals.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Value {
    /// The JSON form: integers and finite floats as numbers, NaN and infinities as strings, bytes as
    /// `{"base64": "…", "bytes": 3}`.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(value) => Json::from(*value),
            Self::Unsigned(value) => Json::from(*value),
            Self::Float(value) => match Number::from_f64(*value) {
                Some(number) => Json::Number(number),
                None => Json::from(if value.is_nan() {
                    "NaN"
                } else if *value > 0.0 {
                    "Infinity"
                } else {
                    "-Infinity"
                }),
            },
            Self::Text(text) => Json::String(text.clone()),
            Self::Bytes(bytes) => json!({"base64": STANDARD.encode(bytes), "bytes": bytes.len()}),
        }
    }

    /// Text where the bytes are UTF-8, else bytes.
    pub(crate) fn text(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes(bytes.to_vec()),
        }
    }

    /// Bytes of a column that the server calls binary. Applications keep serialised values and JSON in such
    /// columns, so what is UTF-8 without control characters is text.
    pub(crate) fn binary(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r')) => {
                Self::Text(text.to_owned())
            }
            _ => Self::Bytes(bytes.to_vec()),
        }
    }

    /// A rough size in memory, for the byte limit of a result.
    pub(crate) fn size(&self) -> usize {
        let own = match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        own + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_every_digit() {
        let json = |value: Value| value.to_json().to_string();
        assert_eq!(json(Value::Unsigned(u64::MAX)), "18446744073709551615");
        assert_eq!(json(Value::Int(i64::MIN)), "-9223372036854775808");
        assert_eq!(json(Value::Text("0.10".into())), "\"0.10\"");
        assert_eq!(json(Value::Float(0.1)), "0.1");
        assert_eq!(json(Value::Float(f64::NAN)), "\"NaN\"");
        assert_eq!(json(Value::Float(f64::NEG_INFINITY)), "\"-Infinity\"");
        assert_eq!(json(Value::Bytes(vec![0, 255, 1])), r#"{"base64":"AP8B","bytes":3}"#);
        assert_eq!(json(Value::Null), "null");
    }

    #[test]
    fn bytes_are_text_only_where_they_read_as_text() {
        assert_eq!(Value::text(b"gr\xc3\xb6\xc3\x9fe"), Value::Text("größe".into()));
        assert_eq!(Value::text(b"gr\xf6\xdfe"), Value::Bytes(b"gr\xf6\xdfe".to_vec()));
        assert_eq!(Value::binary(b"a:1:{i:0;\n}"), Value::Text("a:1:{i:0;\n}".into()));
        assert_eq!(Value::binary(b"PK\x03\x04"), Value::Bytes(b"PK\x03\x04".to_vec()));
    }
}
