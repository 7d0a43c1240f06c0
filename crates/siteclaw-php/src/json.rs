//! PHP values as JSON.
//!
//! A list becomes an array, any other map an object. What JSON has no form for gets an object with one
//! `@` key: bytes that are not UTF-8 `{"@bytes": base64}`, labels `{"@opaque": text}`, unknown values
//! `{"@unknown": why}`; objects carry their class as `"@class"`. INF and NAN become those words.

use base64::Engine as _;
use serde_json::{Map, Value, json};

use crate::array::PhpArray;
use crate::value::PhpValue;

impl PhpValue {
    /// The value as JSON. Strings are shown: use it for content, not for configuration.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Int(number) => Value::from(*number),
            Self::Float(number) => match serde_json::Number::from_f64(*number) {
                Some(number) => Value::Number(number),
                None => Value::from(crate::convert::float_text(*number)),
            },
            Self::Str(text) => match text.as_str() {
                Some(text) => Value::from(text),
                None => {
                    json!({ "@bytes": base64::engine::general_purpose::STANDARD.encode(text.as_bytes()) })
                }
            },
            Self::Array(array) if array.is_list() => array.values().map(Self::to_json).collect(),
            Self::Array(array) => Value::Object(fields(array)),
            Self::Object(object) => {
                let mut map = Map::new();
                map.insert("@class".to_owned(), Value::from(object.class.as_str()));
                map.extend(fields(&object.fields));
                Value::Object(map)
            }
            Self::Opaque(label) => json!({ "@opaque": &**label }),
            Self::Unknown(unknown) => json!({ "@unknown": unknown.to_string() }),
        }
    }
}

fn fields(array: &PhpArray) -> Map<String, Value> {
    array.iter().map(|(key, value)| (key.to_text(), value.to_json())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::unserialize;

    #[test]
    fn values_become_json() {
        for (text, expected) in [
            (&b"a:2:{i:0;s:1:\"a\";i:1;N;}"[..], json!(["a", null])),
            (b"a:2:{i:1;s:1:\"a\";i:0;b:1;}", json!({"1": "a", "0": true})),
            (b"a:0:{}", json!([])),
            (b"a:1:{s:1:\"x\";d:INF;}", json!({"x": "INF"})),
            (b"s:2:\"\xff\x00\";", json!({"@bytes": "/wA="})),
            (b"O:3:\"Foo\":1:{s:6:\"\0Foo\0a\";d:0.5;}", json!({"@class": "Foo", "a": 0.5})),
            (b"E:11:\"Suit:Hearts\";", json!({"@opaque": "enum Suit:Hearts"})),
            (b"a:1:{i:0;R:1;}", json!([{"@opaque": "reference to value 1"}])),
        ] {
            assert_eq!(unserialize(text).unwrap().to_json(), expected, "{}", String::from_utf8_lossy(text));
        }
    }
}
