//! Values of the binary protocol of MySQL.
//!
//! Dates are decoded here and not by the driver's types, which take a zero date for NULL.

use std::fmt::Write as _;

use sqlx::mysql::{MySql, MySqlArguments, MySqlRow, MySqlTypeInfo};
use sqlx::{Arguments, Column, Decode, Row, Type, TypeInfo};

use crate::{Param, Value};

/// How a column's bytes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Signed,
    Unsigned,
    Bits,
    Float,
    Date,
    DateTime,
    Time,
    Text,
    Binary,
    Opaque,
}

pub(super) fn kinds(row: &MySqlRow) -> Vec<Kind> {
    row.columns().iter().map(|column| kind(column.type_info())).collect()
}

fn kind(info: &MySqlTypeInfo) -> Kind {
    match info.name() {
        "BOOLEAN" | "TINYINT" | "SMALLINT" | "MEDIUMINT" | "INT" | "BIGINT" => {
            // TINYINT(1) UNSIGNED is called BOOLEAN too; only the driver's own test tells.
            if <u64 as Type<MySql>>::compatible(info) { Kind::Unsigned } else { Kind::Signed }
        }
        "BIT" => Kind::Bits,
        "YEAR" => Kind::Unsigned,
        name if name.ends_with(" UNSIGNED") => Kind::Unsigned,
        "FLOAT" | "DOUBLE" => Kind::Float,
        "DATE" => Kind::Date,
        "DATETIME" | "TIMESTAMP" => Kind::DateTime,
        "TIME" => Kind::Time,
        "GEOMETRY" => Kind::Opaque,
        "DECIMAL" | "JSON" | "ENUM" | "SET" => Kind::Text,
        // The flag that the driver's name follows is also set by collations such as utf8mb4_bin; only the
        // collation `binary` means bytes.
        _ if is_text(info) => Kind::Text,
        _ => Kind::Binary,
    }
}

fn is_text(info: &MySqlTypeInfo) -> bool {
    <str as Type<MySql>>::compatible(info)
}

/// The server's name of a type in lower case, with text told from bytes by the collation.
pub(super) fn type_name(info: &MySqlTypeInfo) -> String {
    let name = match info.name() {
        "BOOLEAN" => "tinyint",
        "BINARY" if is_text(info) => "char",
        "VARBINARY" if is_text(info) => "varchar",
        "TINYBLOB" if is_text(info) => "tinytext",
        "BLOB" if is_text(info) => "text",
        "MEDIUMBLOB" if is_text(info) => "mediumtext",
        "LONGBLOB" if is_text(info) => "longtext",
        name => return name.to_ascii_lowercase(),
    };
    name.to_owned()
}

pub(super) fn values(row: &MySqlRow, kinds: &[Kind]) -> Result<Vec<Value>, sqlx::Error> {
    let mut values = Vec::with_capacity(kinds.len());
    for (index, kind) in kinds.iter().enumerate() {
        // The bytes are absent for NULL alone; the driver's own test for NULL would count zero dates.
        let value = match <&[u8] as Decode<'_, MySql>>::decode(row.try_get_raw(index)?) {
            Ok(bytes) => {
                value(*kind, bytes).ok_or_else(|| sqlx::Error::Decode(format!("{kind:?}").into()))?
            }
            Err(_) => Value::Null,
        };
        values.push(value);
    }
    Ok(values)
}

fn value(kind: Kind, bytes: &[u8]) -> Option<Value> {
    Some(match kind {
        Kind::Signed => Value::Int(signed(bytes)?),
        Kind::Unsigned => small(unsigned(bytes.iter().rev())?),
        Kind::Bits => small(unsigned(bytes.iter())?),
        Kind::Float => match bytes.len() {
            // Through its text, so that a FLOAT of 0.1 does not become 0.10000000149.
            4 => Value::Float(f32::from_le_bytes(bytes.try_into().ok()?).to_string().parse().ok()?),
            _ => Value::Float(f64::from_le_bytes(bytes.try_into().ok()?)),
        },
        Kind::Date => Value::Text(date(bytes.get(1..)?)?),
        Kind::DateTime => Value::Text(date_time(bytes.get(1..)?)?),
        Kind::Time => Value::Text(time(bytes.get(1..)?)?),
        Kind::Text => Value::text(bytes),
        Kind::Binary => Value::binary(bytes),
        Kind::Opaque => Value::Bytes(bytes.to_vec()),
    })
}

fn small(number: u64) -> Value {
    i64::try_from(number).map_or(Value::Unsigned(number), Value::Int)
}

fn signed(bytes: &[u8]) -> Option<i64> {
    Some(match bytes.len() {
        1 => i64::from(i8::from_le_bytes(bytes.try_into().ok()?)),
        2 => i64::from(i16::from_le_bytes(bytes.try_into().ok()?)),
        4 => i64::from(i32::from_le_bytes(bytes.try_into().ok()?)),
        _ => i64::from_le_bytes(bytes.try_into().ok()?),
    })
}

/// A number from its bytes, the most significant first.
fn unsigned<'a>(bytes: impl ExactSizeIterator<Item = &'a u8>) -> Option<u64> {
    (bytes.len() <= 8).then(|| bytes.fold(0, |number, byte| (number << 8) | u64::from(*byte)))
}

fn date(parts: &[u8]) -> Option<String> {
    match *parts {
        [] => Some("0000-00-00".to_owned()),
        [low, high, month, day, ..] => {
            Some(format!("{:04}-{month:02}-{day:02}", u16::from_le_bytes([low, high])))
        }
        _ => None,
    }
}

fn date_time(parts: &[u8]) -> Option<String> {
    let mut text = date(parts)?;
    match parts.get(4..) {
        None | Some([]) => text.push_str(" 00:00:00"),
        Some([hour, minute, second, rest @ ..]) => {
            write!(text, " {hour:02}:{minute:02}:{second:02}").ok()?;
            fraction(&mut text, rest)?;
        }
        Some(_) => return None,
    }
    Some(text)
}

/// A span of time: the days count into the hours, as the server prints them.
fn time(parts: &[u8]) -> Option<String> {
    let [negative, d0, d1, d2, d3, hour, minute, second, rest @ ..] = parts else {
        return parts.is_empty().then(|| "00:00:00".to_owned());
    };
    let hours = u64::from(u32::from_le_bytes([*d0, *d1, *d2, *d3])) * 24 + u64::from(*hour);
    let sign = if *negative == 0 { "" } else { "-" };
    let mut text = format!("{sign}{hours:02}:{minute:02}:{second:02}");
    fraction(&mut text, rest)?;
    Some(text)
}

/// Microseconds, without the zeros at their end: the wire does not say how many digits the column has.
fn fraction(text: &mut String, bytes: &[u8]) -> Option<()> {
    if bytes.is_empty() {
        return Some(());
    }
    let micros = u32::from_le_bytes(bytes.try_into().ok()?);
    if micros > 0 {
        let digits = format!("{micros:06}");
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
    Some(())
}

pub(super) fn arguments(params: &[Param]) -> Result<MySqlArguments, sqlx::Error> {
    let mut arguments = MySqlArguments::default();
    for param in params {
        match param {
            Param::Null => arguments.add(None::<String>),
            Param::Bool(value) => arguments.add(i64::from(*value)),
            Param::Int(value) => arguments.add(*value),
            Param::Float(value) => arguments.add(*value),
            Param::Text(text) => arguments.add(text.as_str()),
            Param::Bytes(bytes) => arguments.add(bytes.as_slice()),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: Kind, bytes: &[u8]) -> String {
        match value(kind, bytes).unwrap() {
            Value::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn dates_and_times_of_every_length() {
        assert_eq!(text(Kind::Date, &[0]), "0000-00-00");
        assert_eq!(text(Kind::DateTime, &[0]), "0000-00-00 00:00:00");
        assert_eq!(text(Kind::DateTime, &[4, 0xE8, 7, 2, 29]), "2024-02-29 00:00:00");
        assert_eq!(text(Kind::DateTime, &[7, 0xE8, 7, 2, 0, 23, 5, 9]), "2024-02-00 23:05:09");
        assert_eq!(
            text(Kind::DateTime, &[11, 0xE8, 7, 2, 29, 1, 2, 3, 0x40, 0xE2, 1, 0]),
            "2024-02-29 01:02:03.123456"
        );
        assert_eq!(
            text(Kind::DateTime, &[11, 0xE8, 7, 2, 29, 1, 2, 3, 0x20, 0xA1, 7, 0]),
            "2024-02-29 01:02:03.5"
        );
        assert_eq!(text(Kind::Time, &[0]), "00:00:00");
        assert_eq!(text(Kind::Time, &[8, 1, 34, 0, 0, 0, 22, 59, 58]), "-838:59:58");
    }

    #[test]
    fn numbers_of_every_width() {
        assert_eq!(value(Kind::Signed, &[0xFF]), Some(Value::Int(-1)));
        assert_eq!(value(Kind::Unsigned, &[0xFF]), Some(Value::Int(255)));
        assert_eq!(value(Kind::Unsigned, &[0xFF; 8]), Some(Value::Unsigned(u64::MAX)));
        assert_eq!(value(Kind::Bits, &[1, 0]), Some(Value::Int(256)));
        assert_eq!(value(Kind::Float, &0.1_f32.to_le_bytes()), Some(Value::Float(0.1)));
        assert_eq!(value(Kind::Float, &0.1_f64.to_le_bytes()), Some(Value::Float(0.1)));
    }

    #[test]
    fn broken_bytes_are_no_value() {
        for (kind, bytes) in [
            (Kind::Signed, &[1_u8, 2, 3][..]),
            (Kind::Unsigned, &[0; 9]),
            (Kind::Float, &[1, 2]),
            (Kind::Date, &[]),
            (Kind::Date, &[2, 1, 1]),
            (Kind::DateTime, &[6, 1, 1, 1, 1, 1]),
            (Kind::DateTime, &[8, 1, 1, 1, 1, 1, 1, 1, 1]),
            (Kind::Time, &[3, 1, 1, 1]),
        ] {
            assert_eq!(value(kind, bytes), None, "{kind:?} {bytes:?}");
        }
    }
}
