//! Questions about values, and conversions by name.

use std::cmp::Ordering;

use super::{bytes, int};
use crate::convert;
use crate::value::PhpValue;

fn known(arguments: &[PhpValue]) -> Option<&PhpValue> {
    arguments.first().filter(|value| !matches!(value, PhpValue::Unknown(_) | PhpValue::Opaque(_)))
}

fn answer(arguments: &[PhpValue], check: impl Fn(&PhpValue) -> bool) -> Option<PhpValue> {
    known(arguments).map(|value| PhpValue::Bool(check(value)))
}

pub(super) fn is_array(arguments: &[PhpValue]) -> Option<PhpValue> {
    answer(arguments, |value| matches!(value, PhpValue::Array(_)))
}

pub(super) fn is_bool(arguments: &[PhpValue]) -> Option<PhpValue> {
    answer(arguments, |value| matches!(value, PhpValue::Bool(_)))
}

pub(super) fn is_int(arguments: &[PhpValue]) -> Option<PhpValue> {
    answer(arguments, |value| matches!(value, PhpValue::Int(_)))
}

pub(super) fn is_null(arguments: &[PhpValue]) -> Option<PhpValue> {
    answer(arguments, PhpValue::is_null)
}

pub(super) fn is_string(arguments: &[PhpValue]) -> Option<PhpValue> {
    answer(arguments, |value| matches!(value, PhpValue::Str(_)))
}

pub(super) fn is_numeric(arguments: &[PhpValue]) -> Option<PhpValue> {
    answer(arguments, |value| match value {
        PhpValue::Int(_) | PhpValue::Float(_) => true,
        PhpValue::Str(text) => convert::numeric(text.as_bytes()).is_some(),
        _ => false,
    })
}

pub(super) fn boolval(arguments: &[PhpValue]) -> Option<PhpValue> {
    convert::to_bool(arguments.first()?).map(PhpValue::Bool)
}

pub(super) fn strval(arguments: &[PhpValue]) -> Option<PhpValue> {
    bytes(arguments, 0).map(PhpValue::from)
}

pub(super) fn floatval(arguments: &[PhpValue]) -> Option<PhpValue> {
    convert::to_float(arguments.first()?).map(PhpValue::Float)
}

/// Base 10 only.
pub(super) fn intval(arguments: &[PhpValue]) -> Option<PhpValue> {
    (int(arguments, 1, 10)? == 10).then_some(())?;
    convert::to_int(arguments.first()?).map(PhpValue::Int)
}

/// The boolean and integer filters, without ranges.
pub(super) fn filter_var(arguments: &[PhpValue]) -> Option<PhpValue> {
    const INTEGER: i64 = 257;
    const BOOLEAN: i64 = 258;
    const NULL_ON_FAILURE: i64 = 134_217_728;
    let flags = match arguments.get(2) {
        None => 0,
        Some(PhpValue::Int(flags)) => *flags,
        Some(_) => return None,
    };
    let failure = if flags & NULL_ON_FAILURE != 0 { PhpValue::Null } else { PhpValue::Bool(false) };
    let text = bytes(arguments, 0)?;
    let text = text.trim_ascii();
    match int(arguments, 1, 0)? {
        BOOLEAN => Some(match text.to_ascii_lowercase().as_slice() {
            b"1" | b"true" | b"on" | b"yes" => PhpValue::Bool(true),
            b"0" | b"false" | b"off" | b"no" | b"" => PhpValue::Bool(false),
            _ => failure,
        }),
        INTEGER if flags & !NULL_ON_FAILURE == 0 => {
            let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
            let plain = matches!(digits, [b'0'] | [b'1'..=b'9', ..]);
            let number = std::str::from_utf8(text).ok().filter(|_| plain).and_then(|text| text.parse().ok());
            Some(number.map_or(failure, PhpValue::Int))
        }
        _ => None,
    }
}

/// Versions of numbers and dots; words such as `beta` are not known.
pub(super) fn version_compare(arguments: &[PhpValue]) -> Option<PhpValue> {
    let order = numbers(&bytes(arguments, 0)?)?.cmp(&numbers(&bytes(arguments, 1)?)?);
    let Some(operator) = arguments.get(2) else { return Some(PhpValue::Int(order as i64)) };
    let holds = match operator.as_str()? {
        "<" | "lt" => order == Ordering::Less,
        "<=" | "le" => order != Ordering::Greater,
        ">" | "gt" => order == Ordering::Greater,
        ">=" | "ge" => order != Ordering::Less,
        "==" | "eq" => order == Ordering::Equal,
        "!=" | "<>" | "ne" => order != Ordering::Equal,
        _ => return None,
    };
    Some(PhpValue::Bool(holds))
}

fn numbers(version: &[u8]) -> Option<Vec<u64>> {
    std::str::from_utf8(version).ok()?.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected values are PHP 8.2's.
    #[test]
    fn filters_follow_php() {
        let yes = PhpValue::Bool(true);
        let no = PhpValue::Bool(false);
        let boolean = PhpValue::Int(258);
        for (value, expected) in [
            ("1", &yes),
            ("On", &yes),
            (" yes ", &yes),
            ("TRUE", &yes),
            ("off", &no),
            ("", &no),
            ("maybe", &no),
        ] {
            assert_eq!(
                filter_var(&[PhpValue::from(value), boolean.clone()]).as_ref(),
                Some(expected),
                "{value}"
            );
        }
        let null = PhpValue::Int(134_217_728);
        assert_eq!(filter_var(&[PhpValue::from("maybe"), boolean.clone(), null]), Some(PhpValue::Null));
        assert_eq!(filter_var(&[PhpValue::Null, boolean]), Some(no.clone()));
        let integer = PhpValue::Int(257);
        for (value, expected) in [
            ("12", PhpValue::Int(12)),
            ("-3", PhpValue::Int(-3)),
            ("012", no.clone()),
            ("1.5", no.clone()),
            ("", no),
        ] {
            assert_eq!(filter_var(&[PhpValue::from(value), integer.clone()]), Some(expected), "{value}");
        }
    }

    #[test]
    fn versions_compare_by_number() {
        let compare = |a: &str, b: &str, operator: &str| {
            version_compare(&[PhpValue::from(a), PhpValue::from(b), PhpValue::from(operator)])
        };
        assert_eq!(compare("8.3.0", "5.3", ">="), Some(PhpValue::Bool(true)));
        assert_eq!(compare("8.10", "8.9", "lt"), Some(PhpValue::Bool(false)));
        assert_eq!(compare("8.0", "8", "=="), Some(PhpValue::Bool(false)));
        assert_eq!(compare("8.0-beta", "8", "<"), None);
    }
}
