//! The types of PostgreSQL that are read and written in their binary form.

use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArguments, PgColumn, PgRow, PgStatement, PgTypeInfo, PgTypeKind};
use sqlx::{Arguments, Column, Either, Row, Statement, TypeInfo, ValueRef};

use crate::{DbError, Param, Value};

/// How a column's or parameter's bytes are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int2,
    Int4,
    Int8,
    Oid,
    Float4,
    Float8,
    /// Types whose binary form is their text.
    Text,
    JsonB,
    Uuid,
    Bytes,
    /// Void and other types that a plain SELECT does not give.
    Other,
}

/// Numbers of the built-in types in `pg_type`, which never change.
fn kind(info: &PgTypeInfo) -> Kind {
    match info.oid().map(|oid| oid.0) {
        Some(16) => Kind::Bool,
        Some(21) => Kind::Int2,
        Some(23) => Kind::Int4,
        Some(20) => Kind::Int8,
        Some(26) => Kind::Oid,
        Some(700) => Kind::Float4,
        Some(701) => Kind::Float8,
        // "char", name, text, json, xml, unknown, bpchar, varchar
        Some(18 | 19 | 25 | 114 | 142 | 705 | 1042 | 1043) => Kind::Text,
        Some(3802) => Kind::JsonB,
        Some(2950) => Kind::Uuid,
        Some(17) => Kind::Bytes,
        _ if matches!(info.kind(), PgTypeKind::Enum(_)) => Kind::Text,
        _ => Kind::Other,
    }
}

pub(super) fn is_plain(info: &PgTypeInfo) -> bool {
    kind(info) != Kind::Other
}

/// The SQL name of common types that are not plain.
pub(super) fn known_type(info: &PgTypeInfo) -> Option<&'static str> {
    Some(match info.oid()? {
        Oid(1700) => "numeric",
        Oid(1082) => "date",
        Oid(1083) => "time",
        Oid(1114) => "timestamp",
        Oid(1184) => "timestamptz",
        Oid(1186) => "interval",
        _ => return None,
    })
}

pub(super) fn kinds(columns: &[PgColumn]) -> Vec<Kind> {
    columns.iter().map(|column| kind(column.type_info())).collect()
}

pub(super) fn values(row: &PgRow, kinds: &[Kind]) -> Result<Vec<Value>, sqlx::Error> {
    let mut values = Vec::with_capacity(kinds.len());
    for (index, kind) in kinds.iter().enumerate() {
        let raw = row.try_get_raw(index)?;
        let value = if raw.is_null() {
            Value::Null
        } else {
            let bytes = raw.as_bytes().map_err(sqlx::Error::Decode)?;
            value(*kind, bytes).ok_or_else(|| sqlx::Error::Decode(format!("{kind:?}").into()))?
        };
        values.push(value);
    }
    Ok(values)
}

fn value(kind: Kind, bytes: &[u8]) -> Option<Value> {
    Some(match kind {
        Kind::Bool => Value::Bool(*bytes.first()? != 0),
        Kind::Int2 => Value::Int(i64::from(i16::from_be_bytes(bytes.try_into().ok()?))),
        Kind::Int4 => Value::Int(i64::from(i32::from_be_bytes(bytes.try_into().ok()?))),
        Kind::Int8 => Value::Int(i64::from_be_bytes(bytes.try_into().ok()?)),
        Kind::Oid => Value::Int(i64::from(u32::from_be_bytes(bytes.try_into().ok()?))),
        // Through its text, so that a real of 0.1 does not become 0.10000000149.
        Kind::Float4 => Value::Float(f32::from_be_bytes(bytes.try_into().ok()?).to_string().parse().ok()?),
        Kind::Float8 => Value::Float(f64::from_be_bytes(bytes.try_into().ok()?)),
        Kind::Text => Value::text(bytes),
        // A version byte stands before the text.
        Kind::JsonB => Value::text(bytes.strip_prefix(&[1])?),
        Kind::Uuid => Value::Text(uuid(bytes)?),
        Kind::Bytes | Kind::Other => Value::Bytes(bytes.to_vec()),
    })
}

fn uuid(bytes: &[u8]) -> Option<String> {
    let number = u128::from_be_bytes(bytes.try_into().ok()?);
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to);
    Some([part(0, 8)?, part(8, 12)?, part(12, 16)?, part(16, 20)?, part(20, 32)?].join("-"))
}

/// Writes each parameter in the form of the type that the server inferred for it.
pub(super) fn arguments(params: &[Param], statement: &PgStatement) -> Result<PgArguments, DbError> {
    let mut arguments = PgArguments::default();
    let types = match statement.parameters() {
        Some(Either::Left(types)) => types,
        _ => &[],
    };
    for (index, (param, info)) in params.iter().zip(types).enumerate() {
        let bytes = match param {
            Param::Null => None,
            param => Some(encode(param, kind(info)).ok_or_else(|| DbError::BadParameters {
                problem: format!(
                    "number {} is not a value of type {}",
                    index + 1,
                    info.name().to_lowercase()
                ),
            })?),
        };
        arguments.add(bytes).map_err(|_| DbError::BadParameters {
            problem: format!("number {} cannot be sent", index + 1),
        })?;
    }
    Ok(arguments)
}

fn encode(param: &Param, kind: Kind) -> Option<Vec<u8>> {
    Some(match kind {
        Kind::Bool => vec![u8::from(truth(param)?)],
        Kind::Int2 => i16::try_from(whole(param)?).ok()?.to_be_bytes().to_vec(),
        Kind::Int4 => i32::try_from(whole(param)?).ok()?.to_be_bytes().to_vec(),
        Kind::Int8 => whole(param)?.to_be_bytes().to_vec(),
        Kind::Oid => u32::try_from(whole(param)?).ok()?.to_be_bytes().to_vec(),
        Kind::Float4 => text(param)?.parse::<f32>().ok()?.to_be_bytes().to_vec(),
        Kind::Float8 => text(param)?.parse::<f64>().ok()?.to_be_bytes().to_vec(),
        // A NUL is the one character that PostgreSQL's text cannot hold.
        Kind::Text => Some(text(param)?).filter(|text| !text.contains('\0'))?.into_bytes(),
        Kind::JsonB => [&[1], text(param)?.as_bytes()].concat(),
        Kind::Uuid => {
            let hex: String = text(param)?.chars().filter(|c| *c != '-').collect();
            (hex.len() == 32).then(|| u128::from_str_radix(&hex, 16).ok())??.to_be_bytes().to_vec()
        }
        Kind::Bytes => match param {
            Param::Bytes(bytes) => bytes.clone(),
            param => text(param)?.into_bytes(),
        },
        Kind::Other => return None,
    })
}

fn text(param: &Param) -> Option<String> {
    Some(match param {
        Param::Null => return None,
        Param::Bool(value) => value.to_string(),
        Param::Int(value) => value.to_string(),
        Param::Float(value) => value.to_string(),
        Param::Text(text) => text.clone(),
        Param::Bytes(bytes) => std::str::from_utf8(bytes).ok()?.to_owned(),
    })
}

fn whole(param: &Param) -> Option<i64> {
    match param {
        Param::Bool(value) => Some(i64::from(*value)),
        Param::Float(value) if value.fract() == 0.0 => format!("{value:.0}").parse().ok(),
        param => text(param)?.trim().parse().ok(),
    }
}

fn truth(param: &Param) -> Option<bool> {
    match text(param)?.trim() {
        "true" | "t" | "1" => Some(true),
        "false" | "f" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_their_binary_form() {
        assert_eq!(value(Kind::Bool, &[1]), Some(Value::Bool(true)));
        assert_eq!(value(Kind::Int2, &[0xFF, 0xFE]), Some(Value::Int(-2)));
        assert_eq!(value(Kind::Oid, &[0xFF; 4]), Some(Value::Int(4_294_967_295)));
        assert_eq!(value(Kind::Float4, &0.1_f32.to_be_bytes()), Some(Value::Float(0.1)));
        assert_eq!(value(Kind::JsonB, b"\x01{}"), Some(Value::Text("{}".into())));
        let bytes = [0x55, 0x0e, 0x84, 0, 0xe2, 0x9b, 0x41, 0xd4, 0xa7, 0x16, 0x44, 0x66, 0x55, 0x44, 0, 0];
        assert_eq!(
            value(Kind::Uuid, &bytes),
            Some(Value::Text("550e8400-e29b-41d4-a716-446655440000".into()))
        );
        assert_eq!(value(Kind::Int4, &[1, 2]), None);
    }

    #[test]
    fn parameters_take_the_form_of_the_inferred_type() {
        assert_eq!(encode(&Param::Text("12".into()), Kind::Int4), Some(vec![0, 0, 0, 12]));
        assert_eq!(encode(&Param::Int(12), Kind::Text), Some(b"12".to_vec()));
        assert_eq!(encode(&Param::Float(3.0), Kind::Int2), Some(vec![0, 3]));
        assert_eq!(encode(&Param::Int(1), Kind::Bool), Some(vec![1]));
        let refused = [
            (Param::Text("12a".into()), Kind::Int4),
            (Param::Int(70_000), Kind::Int2),
            (Param::Float(0.5), Kind::Int8),
            (Param::Text("maybe".into()), Kind::Bool),
            (Param::Text("a\0b".into()), Kind::Text),
            (Param::Bytes(vec![0xFF]), Kind::Text),
            (Param::Text("550e8400".into()), Kind::Uuid),
        ];
        for (param, kind) in refused {
            assert_eq!(encode(&param, kind), None, "{param:?} {kind:?}");
        }
    }
}
