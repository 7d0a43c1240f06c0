//! PHP's serialisation, read as data.
//!
//! Lengths count bytes, and content may hold quotes and semicolons, so only a real decoder reads it.
//! Nothing is instantiated: an object is a map with a class name, an enum case and a custom
//! serialisation are labels, a reference is the scalar it points to or a label. A find-and-replace over
//! a database dump is the usual cause of damage; it is reported with the byte where reading stopped.
//!
//! ```
//! use siteclaw_php::{is_serialized, unserialize};
//! let roles = unserialize(b"a:1:{s:13:\"administrator\";b:1;}").unwrap();
//! assert_eq!(roles.get("administrator").and_then(|v| v.to_bool()), Some(true));
//! assert_eq!(unserialize(b"s:5:\"abc\";").unwrap_err().position, 2);
//! assert!(is_serialized("b:0;") && !is_serialized("b:0"));
//! ```

use std::fmt;
use std::sync::Arc;

use crate::array::PhpArray;
use crate::value::{PhpKey, PhpObject, PhpValue};

/// Longest value that is decoded, in bytes.
pub const MAX_SERIALIZED_BYTES: usize = 16 * 1024 * 1024;
/// Most values in one.
const MAX_NODES: usize = 1_000_000;
/// Most levels of arrays and objects.
const MAX_DEPTH: usize = 32;
/// Most bytes that references to strings may add: one long string can be pointed at a million times.
const MAX_COPIED: usize = 16 * 1024 * 1024;

/// Why a value could not be decoded, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {position}")]
pub struct Corrupt {
    /// Offset of the byte where reading stopped, from 0.
    pub position: usize,
    /// What was wrong there.
    pub reason: CorruptReason,
}

/// What was wrong with a serialised value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CorruptReason {
    /// The value ends before it is complete.
    Truncated,
    /// A string's or class name's length does not lead to its closing quote.
    WrongLength,
    /// Something else than the format asks for.
    Unexpected,
    /// More levels than are decoded (32). The value may be sound.
    TooDeep,
    /// More than 1,000,000 values. The value may be sound.
    TooMany,
    /// More than [`MAX_SERIALIZED_BYTES`]. The value may be sound.
    TooLarge,
}

impl fmt::Display for CorruptReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "serialised value ends too early",
            Self::WrongLength => "serialised length does not fit its content",
            Self::Unexpected => "not a serialised value",
            Self::TooDeep => "serialised value is nested too deeply to decode",
            Self::TooMany => "serialised value has too many entries to decode",
            Self::TooLarge => "serialised value is too large to decode",
        })
    }
}

/// Decodes a serialised value. Bytes after its end are ignored, as PHP does.
pub fn unserialize(bytes: &[u8]) -> Result<PhpValue, Corrupt> {
    if bytes.len() > MAX_SERIALIZED_BYTES {
        return Err(Corrupt { position: MAX_SERIALIZED_BYTES, reason: CorruptReason::TooLarge });
    }
    Reader { bytes, position: 0, slots: Vec::new(), nodes: 0, copied: 0 }.value(0)
}

struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    /// What `r:` and `R:` count: every value but `R:` itself. Only scalars are kept.
    slots: Vec<Slot>,
    nodes: usize,
    copied: usize,
}

enum Slot {
    Scalar(PhpValue),
    Compound,
}

type Read<T> = Result<T, Corrupt>;

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Read<PhpValue> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.corrupt(CorruptReason::TooMany));
        }
        let kind = self.peek()?;
        match kind {
            b'N' => {
                self.literal(b"N;")?;
                Ok(self.scalar(PhpValue::Null))
            }
            b'b' => {
                self.literal(b"b:")?;
                let start = self.position;
                let flag = match self.until(b';')? {
                    b"0" => false,
                    b"1" => true,
                    _ => return Err(Corrupt { position: start, reason: CorruptReason::Unexpected }),
                };
                Ok(self.scalar(PhpValue::Bool(flag)))
            }
            b'i' => {
                self.literal(b"i:")?;
                let number = self.integer(b';')?;
                Ok(self.scalar(PhpValue::Int(number)))
            }
            b'd' => {
                self.literal(b"d:")?;
                let number = self.float()?;
                Ok(self.scalar(PhpValue::Float(number)))
            }
            b's' | b'S' => {
                let bytes = self.string(kind)?;
                self.literal(b";")?;
                Ok(self.scalar(PhpValue::from(bytes)))
            }
            b'a' => {
                self.literal(b"a:")?;
                self.slots.push(Slot::Compound);
                let array = self.entries(depth, false)?;
                Ok(PhpValue::from(array))
            }
            b'O' => {
                self.literal(b"O:")?;
                self.slots.push(Slot::Compound);
                let class = self.quoted()?;
                self.literal(b":")?;
                let fields = self.entries(depth, true)?;
                Ok(PhpValue::Object(Arc::new(PhpObject { class: lossy(&class), fields })))
            }
            b'C' => {
                self.literal(b"C:")?;
                self.slots.push(Slot::Compound);
                let class = self.quoted()?;
                self.literal(b":")?;
                let length = self.length(b':')?;
                self.literal(b"{")?;
                self.take(length)?;
                self.literal(b"}")?;
                Ok(label(&format!("{} with {length} bytes of its own format", lossy(&class))))
            }
            b'E' => {
                self.literal(b"E:")?;
                self.slots.push(Slot::Compound);
                let case = self.quoted()?;
                self.literal(b";")?;
                Ok(label(&format!("enum {}", lossy(&case))))
            }
            b'r' | b'R' => {
                self.position += 1;
                self.literal(b":")?;
                let start = self.position;
                let number = self.length(b';')?;
                self.reference(kind, number)
                    .ok_or(Corrupt { position: start, reason: CorruptReason::Unexpected })
            }
            _ => Err(self.corrupt(CorruptReason::Unexpected)),
        }
    }

    fn scalar(&mut self, value: PhpValue) -> PhpValue {
        self.slots.push(Slot::Scalar(value.clone()));
        value
    }

    /// The value that an earlier slot holds; nothing when there is no such slot.
    fn reference(&mut self, kind: u8, number: usize) -> Option<PhpValue> {
        let value = match self.slots.get(number.checked_sub(1)?)? {
            Slot::Scalar(value) => {
                self.copied = self.copied.saturating_add(value.as_bytes().map_or(0, <[u8]>::len));
                match self.copied > MAX_COPIED {
                    true => label(&format!("reference to value {number}")),
                    false => value.clone(),
                }
            }
            Slot::Compound => label(&format!("reference to value {number}")),
        };
        if kind == b'r' {
            self.slots.push(Slot::Compound);
        }
        Some(value)
    }

    /// `COUNT:{key value …}`
    fn entries(&mut self, depth: usize, object: bool) -> Read<PhpArray> {
        if depth >= MAX_DEPTH {
            return Err(self.corrupt(CorruptReason::TooDeep));
        }
        let count = self.length(b':')?;
        self.literal(b"{")?;
        let mut array = PhpArray::new();
        for _ in 0..count {
            let key = self.key(object)?;
            let value = self.value(depth + 1)?;
            array.set(key, value);
        }
        self.literal(b"}")?;
        Ok(array)
    }

    fn key(&mut self, object: bool) -> Read<PhpKey> {
        match self.peek()? {
            b'i' => {
                self.literal(b"i:")?;
                Ok(PhpKey::Int(self.integer(b';')?))
            }
            kind @ (b's' | b'S') => {
                let bytes = self.string(kind)?;
                self.literal(b";")?;
                Ok(PhpKey::from_bytes(if object { bare_name(&bytes) } else { &bytes }))
            }
            _ => Err(self.corrupt(CorruptReason::Unexpected)),
        }
    }

    /// `s:LENGTH:"…"`, or the form with `\xx` escapes, where the length counts decoded bytes.
    fn string(&mut self, kind: u8) -> Read<Vec<u8>> {
        self.position += 1;
        self.literal(b":")?;
        if kind == b's' {
            return self.quoted();
        }
        let start = self.position;
        let length = self.length(b':')?;
        self.literal(b"\"")?;
        if length > self.bytes.len().saturating_sub(self.position) {
            return Err(Corrupt { position: start, reason: CorruptReason::WrongLength });
        }
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let byte = self.peek()?;
            self.position += 1;
            if byte != b'\\' {
                bytes.push(byte);
                continue;
            }
            let digits = self.take(2)?;
            let code = std::str::from_utf8(digits).ok().and_then(|text| u8::from_str_radix(text, 16).ok());
            bytes.push(code.ok_or(self.corrupt(CorruptReason::Unexpected))?);
        }
        match self.peek()? {
            b'"' => self.position += 1,
            _ => return Err(Corrupt { position: start, reason: CorruptReason::WrongLength }),
        }
        Ok(bytes)
    }

    /// `LENGTH:"…"`
    fn quoted(&mut self) -> Read<Vec<u8>> {
        let start = self.position;
        let length = self.length(b':')?;
        self.literal(b"\"")?;
        let wrong = Corrupt { position: start, reason: CorruptReason::WrongLength };
        let end = self.position.checked_add(length).ok_or(wrong)?;
        let bytes = self.bytes.get(self.position..end).ok_or(wrong)?.to_vec();
        if self.bytes.get(end) != Some(&b'"') {
            return Err(wrong);
        }
        self.position = end + 1;
        Ok(bytes)
    }

    fn integer(&mut self, end: u8) -> Read<i64> {
        let start = self.position;
        let text = self.until(end)?;
        let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        let number = match !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            true => std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
            false => None,
        };
        number.ok_or(Corrupt { position: start, reason: CorruptReason::Unexpected })
    }

    fn length(&mut self, end: u8) -> Read<usize> {
        let start = self.position;
        let text = self.until(end)?;
        let number = match text.iter().all(u8::is_ascii_digit) {
            true => std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
            false => None,
        };
        number.ok_or(Corrupt { position: start, reason: CorruptReason::Unexpected })
    }

    fn float(&mut self) -> Read<f64> {
        let start = self.position;
        let text = self.until(b';')?;
        let plain = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
        let number = match text {
            b"INF" => Some(f64::INFINITY),
            b"-INF" => Some(f64::NEG_INFINITY),
            b"NAN" => Some(f64::NAN),
            text if text.iter().all(plain) => {
                std::str::from_utf8(text).ok().and_then(|text| text.parse().ok())
            }
            _ => None,
        };
        number.ok_or(Corrupt { position: start, reason: CorruptReason::Unexpected })
    }

    /// The bytes before the next `end`, which is passed. A number is short: the search is, too.
    fn until(&mut self, end: u8) -> Read<&[u8]> {
        const LONGEST: usize = 64;
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let head = rest.get(..LONGEST).unwrap_or(rest);
        match head.iter().position(|byte| *byte == end) {
            Some(length) => {
                self.position += length + 1;
                Ok(head.get(..length).unwrap_or_default())
            }
            None if head.len() < LONGEST => {
                Err(Corrupt { position: self.bytes.len(), reason: CorruptReason::Truncated })
            }
            None => Err(self.corrupt(CorruptReason::Unexpected)),
        }
    }

    fn take(&mut self, length: usize) -> Read<&[u8]> {
        let end = self.position.saturating_add(length);
        let Some(bytes) = self.bytes.get(self.position..end) else {
            return Err(Corrupt { position: self.bytes.len(), reason: CorruptReason::Truncated });
        };
        self.position = end;
        Ok(bytes)
    }

    fn literal(&mut self, text: &[u8]) -> Read<()> {
        for expected in text {
            if self.peek()? != *expected {
                return Err(self.corrupt(CorruptReason::Unexpected));
            }
            self.position += 1;
        }
        Ok(())
    }

    fn peek(&self) -> Read<u8> {
        match self.bytes.get(self.position) {
            Some(byte) => Ok(*byte),
            None => Err(self.corrupt(CorruptReason::Truncated)),
        }
    }

    fn corrupt(&self, reason: CorruptReason) -> Corrupt {
        Corrupt { position: self.position, reason }
    }
}

fn label(text: &str) -> PhpValue {
    PhpValue::Opaque(text.into())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A property's name without the `\0Class\0` or `\0*\0` of private and protected ones.
fn bare_name(bytes: &[u8]) -> &[u8] {
    let Some(marked) = bytes.strip_prefix(b"\0") else { return bytes };
    match marked.iter().position(|byte| *byte == 0) {
        Some(end) => marked.get(end + 1..).unwrap_or_default(),
        None => bytes,
    }
}

#[cfg(test)]
#[path = "unserialize_tests.rs"]
mod tests;
