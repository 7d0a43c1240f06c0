//! PHP values as plain data.
//!
//! [`PhpValue`] is what the evaluator and [`unserialize`](crate::unserialize) produce. Text is a
//! [`PhpString`]: bytes, because PHP strings are bytes, and its `Debug` never shows them, because most
//! values of a configuration are one field away from a password. Objects are maps with a class name;
//! nothing is ever instantiated.
//!
//! ```
//! use siteclaw_php::PhpValue;
//! let password = PhpValue::from("hunter2");
//! assert_eq!(password.as_str(), Some("hunter2"));
//! assert!(!format!("{password:?}").contains("hunter2"));
//! ```

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use siteclaw_core::Secret;

use crate::array::PhpArray;
use crate::unknown::Unknown;

/// A PHP value.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum PhpValue {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A double.
    Float(f64),
    /// A string of bytes.
    Str(PhpString),
    /// An ordered map.
    Array(Arc<PhpArray>),
    /// An object's class name and properties, as data.
    Object(Arc<PhpObject>),
    /// Something without a value in data: an enum case, a custom serialisation, a reference to a whole
    /// array. The text names it.
    Opaque(Arc<str>),
    /// A value that cannot be known without running PHP; says why and where.
    Unknown(Unknown),
}

impl PhpValue {
    /// The string, when it is one and is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => text.as_str(),
            _ => None,
        }
    }

    /// The bytes of a string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Str(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// A scalar as PHP writes it when it needs a string (`true` is `1`; `false` and `null` are empty).
    /// Nothing for arrays, objects and unknown values, or when the bytes are not UTF-8.
    pub fn to_text(&self) -> Option<String> {
        String::from_utf8(crate::convert::to_bytes(self)?).ok()
    }

    /// The same as [`to_text`](Self::to_text), in a wrapper that never prints.
    pub fn to_secret(&self) -> Option<Secret> {
        self.to_text().map(Secret::new)
    }

    /// The integer, when it is one, or a string that is written like one (`"3306"`).
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Str(text) => text.as_str()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// The truth of the value by PHP's rules; nothing when it is not known.
    pub fn to_bool(&self) -> Option<bool> {
        crate::convert::to_bool(self)
    }

    /// The array.
    pub fn as_array(&self) -> Option<&PhpArray> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The object.
    pub fn as_object(&self) -> Option<&PhpObject> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The entry of an array, or property of an object.
    pub fn get(&self, key: &str) -> Option<&PhpValue> {
        match self {
            Self::Array(array) => array.get(key),
            Self::Object(object) => object.fields.get(key),
            _ => None,
        }
    }

    /// The value at the end of a path of keys: `["db", "connection", "default"]`.
    pub fn at(&self, path: &[&str]) -> Option<&PhpValue> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Why the value is unknown, when it is.
    pub fn unknown(&self) -> Option<&Unknown> {
        match self {
            Self::Unknown(unknown) => Some(unknown),
            _ => None,
        }
    }

    /// Values in this one, itself included; shared parts count each time they appear.
    pub(crate) fn nodes(&self) -> u32 {
        match self {
            Self::Array(array) => array.nodes(),
            Self::Object(object) => object.fields.nodes(),
            _ => 1,
        }
    }

    /// Levels of nesting; a scalar has 1.
    pub(crate) fn depth(&self) -> u16 {
        match self {
            Self::Array(array) => array.depth(),
            Self::Object(object) => object.fields.depth(),
            _ => 1,
        }
    }
}

impl From<&str> for PhpValue {
    fn from(text: &str) -> Self {
        Self::Str(PhpString::from(text.as_bytes().to_vec()))
    }
}

impl From<String> for PhpValue {
    fn from(text: String) -> Self {
        Self::Str(PhpString::from(text.into_bytes()))
    }
}

impl From<Vec<u8>> for PhpValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Str(PhpString::from(bytes))
    }
}

impl From<bool> for PhpValue {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<i64> for PhpValue {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for PhpValue {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<PhpArray> for PhpValue {
    fn from(array: PhpArray) -> Self {
        Self::Array(Arc::new(array))
    }
}

/// A string of bytes. Cheap to clone; its `Debug` shows no byte of it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhpString(Arc<[u8]>);

impl PhpString {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, when the bytes are UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text, with U+FFFD for what is not UTF-8.
    pub fn to_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<u8>> for PhpString {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<&str> for PhpString {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl fmt::Debug for PhpString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhpString(…)")
    }
}

/// An object as data.
#[derive(Debug, Clone, PartialEq)]
pub struct PhpObject {
    /// The class name as written.
    pub class: String,
    /// Its properties by bare name, without the marks of private and protected ones.
    pub fields: PhpArray,
}

/// A key of a PHP array.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PhpKey {
    /// An integer key.
    Int(i64),
    /// A string key; never the plain decimal form of an integer, which PHP turns into one.
    Str(PhpString),
}

impl PhpKey {
    /// The key that PHP makes of a string: `"8"` is the integer 8, `"08"` stays a string.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match decimal(bytes) {
            Some(number) => Self::Int(number),
            None => Self::Str(PhpString::from(bytes.to_vec())),
        }
    }

    /// The text of a string key, when it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => text.as_str(),
            Self::Int(_) => None,
        }
    }

    /// The key as text, with U+FFFD for what is not UTF-8.
    pub fn to_text(&self) -> String {
        match self {
            Self::Int(number) => number.to_string(),
            Self::Str(text) => text.to_lossy().into_owned(),
        }
    }
}

/// Keys name things and are shown; values are not.
impl fmt::Debug for PhpKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::Str(text) => text.to_lossy().fmt(f),
        }
    }
}

impl From<&str> for PhpKey {
    fn from(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }
}

impl From<i64> for PhpKey {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

/// The integer whose canonical decimal form these bytes are.
fn decimal(bytes: &[u8]) -> Option<i64> {
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let canonical = match digits {
        [b'0'] => digits.len() == bytes.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !canonical {
        return None;
    }
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_the_decimal_rule() {
        for (text, expected) in [("0", 0), ("8", 8), ("-7", -7), ("9223372036854775807", i64::MAX)] {
            assert_eq!(PhpKey::from(text), PhpKey::Int(expected), "{text}");
        }
        for text in ["08", "-0", "", "-", "1.5", " 1", "1e3", "9223372036854775808", "+1"] {
            assert_eq!(PhpKey::from(text).as_str(), Some(text));
        }
    }

    #[test]
    fn debug_shows_keys_and_no_text() {
        let mut array = PhpArray::new();
        array.set(PhpKey::from("password"), PhpValue::from("hunter2"));
        array.set(PhpKey::from("raw"), PhpValue::from(vec![0xff, b'x']));
        let object = PhpValue::Object(Arc::new(PhpObject { class: "stdClass".into(), fields: array }));
        let shown = format!("{object:?}");
        assert!(shown.contains("password") && shown.contains("stdClass"), "{shown}");
        assert!(!shown.contains("hunter2") && !shown.contains("255"), "{shown}");
    }

    #[test]
    fn paths_reach_into_arrays_and_objects() {
        let mut inner = PhpArray::new();
        inner.set(PhpKey::from("host"), PhpValue::from("db"));
        let mut outer = PhpArray::new();
        outer.set(PhpKey::Int(3), PhpValue::from(inner));
        let value = PhpValue::from(outer);
        assert_eq!(value.at(&["3", "host"]).and_then(PhpValue::as_str), Some("db"));
        assert_eq!(value.at(&["3", "host", "x"]), None);
        assert_eq!(value.at(&["4"]), None);
    }
}
