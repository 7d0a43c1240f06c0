//! Values in PHP's serialisation format, as WordPress keeps them in options and meta rows.
//!
//! It writes only. Lengths are bytes, not characters; a text key that reads as a whole number becomes a
//! number, as in a PHP array.

use std::fmt;

/// A PHP value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Php {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Array(Vec<(Key, Php)>),
    /// A class name and its properties; a private or protected name carries its NUL prefix already.
    Object(&'static str, Vec<(String, Php)>),
}

/// A key of a PHP array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Key {
    Int(i64),
    Text(String),
}

/// Builds a PHP array from `key => value` pairs.
macro_rules! assoc {
    ($($key:expr => $value:expr),* $(,)?) => {
        $crate::demo::serialize::Php::Array(vec![
            $(($crate::demo::serialize::Key::from($key), $crate::demo::serialize::Php::from($value))),*
        ])
    };
}
pub(crate) use assoc;

impl Php {
    /// Builds a list: an array with the keys 0, 1, 2 …
    pub(crate) fn list<T: Into<Php>>(items: impl IntoIterator<Item = T>) -> Php {
        Php::Array((0..).map(Key::Int).zip(items.into_iter().map(Into::into)).collect())
    }

    /// Builds a map from pairs.
    pub(crate) fn map<K: Into<Key>, V: Into<Php>>(pairs: impl IntoIterator<Item = (K, V)>) -> Php {
        Php::Array(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }

    /// Turns an array into a `stdClass` object.
    pub(crate) fn into_object(self) -> Php {
        match self {
            Php::Array(pairs) => Php::Object(
                "stdClass",
                pairs
                    .into_iter()
                    .map(|(k, v)| match k {
                        Key::Int(n) => (n.to_string(), v),
                        Key::Text(t) => (t, v),
                    })
                    .collect(),
            ),
            other => other,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Int(n) => write!(f, "i:{n};"),
            Key::Text(t) => write!(f, "s:{}:\"{t}\";", t.len()),
        }
    }
}

impl fmt::Display for Php {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Php::Null => f.write_str("N;"),
            Php::Bool(b) => write!(f, "b:{};", u8::from(*b)),
            Php::Int(n) => write!(f, "i:{n};"),
            Php::Float(d) => write!(f, "d:{d};"),
            Php::Text(t) => write!(f, "s:{}:\"{t}\";", t.len()),
            Php::Array(pairs) => {
                write!(f, "a:{}:{{", pairs.len())?;
                for (key, value) in pairs {
                    write!(f, "{key}{value}")?;
                }
                f.write_str("}")
            }
            Php::Object(class, properties) => {
                write!(f, "O:{}:\"{class}\":{}:{{", class.len(), properties.len())?;
                for (name, value) in properties {
                    write!(f, "s:{}:\"{name}\";{value}", name.len())?;
                }
                f.write_str("}")
            }
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        match text.parse::<i64>() {
            // "07" and "+7" stay text in PHP; only the canonical spelling is a number.
            Ok(n) if n.to_string() == text => Key::Int(n),
            _ => Key::Text(text.to_owned()),
        }
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Key::from(text.as_str())
    }
}

impl From<i64> for Key {
    fn from(n: i64) -> Self {
        Key::Int(n)
    }
}

impl From<i32> for Key {
    fn from(n: i32) -> Self {
        Key::Int(n.into())
    }
}

impl From<&str> for Php {
    fn from(text: &str) -> Self {
        Php::Text(text.to_owned())
    }
}

impl From<String> for Php {
    fn from(text: String) -> Self {
        Php::Text(text)
    }
}

impl From<i64> for Php {
    fn from(n: i64) -> Self {
        Php::Int(n)
    }
}

impl From<i32> for Php {
    fn from(n: i32) -> Self {
        Php::Int(n.into())
    }
}

impl From<bool> for Php {
    fn from(b: bool) -> Self {
        Php::Bool(b)
    }
}

impl From<f64> for Php {
    fn from(d: f64) -> Self {
        Php::Float(d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_php_writes_them() {
        // Expected texts come from php -r 'echo serialize(...)'.
        let mixed = assoc! {
            0 => true, 1 => Php::Null, 2 => -3, 3 => 1.5, 5 => "a\"b;",
            "name" => "Crème", "12" => "number", "07" => "text",
        };
        assert_eq!(
            mixed.to_string(),
            "a:8:{i:0;b:1;i:1;N;i:2;i:-3;i:3;d:1.5;i:5;s:4:\"a\"b;\";s:4:\"name\";s:6:\"Crème\";i:12;s:6:\"number\";\
             s:2:\"07\";s:4:\"text\";}"
        );
        assert_eq!(Php::list(["x", "y"]).to_string(), "a:2:{i:0;s:1:\"x\";i:1;s:1:\"y\";}");
        assert_eq!(assoc! {}.to_string(), "a:0:{}");
        assert_eq!(
            assoc! { "slug" => "x" }.into_object().to_string(),
            "O:8:\"stdClass\":1:{s:4:\"slug\";s:1:\"x\";}"
        );
        assert_eq!(
            Php::Object("A", vec![("\0*\0at".to_owned(), Php::Int(5))]).to_string(),
            "O:1:\"A\":1:{s:5:\"\0*\0at\";i:5;}"
        );
    }
}
