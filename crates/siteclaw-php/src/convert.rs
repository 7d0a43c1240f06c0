//! PHP's conversions between scalars, and its comparisons (the rules of PHP 8).
//!
//! `None` means that the answer cannot be known or is not a plain conversion (an array as string).

use std::cmp::Ordering;

use crate::value::PhpValue;

pub(crate) fn to_bool(value: &PhpValue) -> Option<bool> {
    Some(match value {
        PhpValue::Null => false,
        PhpValue::Bool(flag) => *flag,
        PhpValue::Int(number) => *number != 0,
        PhpValue::Float(number) => *number != 0.0,
        PhpValue::Str(text) => !matches!(text.as_bytes(), b"" | b"0"),
        PhpValue::Array(array) => match array.open() {
            Some(_) if array.is_empty() => return None,
            _ => !array.is_empty(),
        },
        PhpValue::Object(_) => true,
        PhpValue::Opaque(_) | PhpValue::Unknown(_) => return None,
    })
}

pub(crate) fn to_bytes(value: &PhpValue) -> Option<Vec<u8>> {
    Some(match value {
        PhpValue::Null | PhpValue::Bool(false) => Vec::new(),
        PhpValue::Bool(true) => b"1".to_vec(),
        PhpValue::Int(number) => number.to_string().into_bytes(),
        PhpValue::Float(number) => float_text(*number).into_bytes(),
        PhpValue::Str(text) => text.as_bytes().to_vec(),
        _ => return None,
    })
}

/// `(int)`: leading number of a string, truncation of a float.
pub(crate) fn to_int(value: &PhpValue) -> Option<i64> {
    Some(match value {
        PhpValue::Null => 0,
        PhpValue::Bool(flag) => i64::from(*flag),
        PhpValue::Int(number) => *number,
        PhpValue::Float(number) => truncate(*number),
        PhpValue::Str(text) => match leading_number(text.as_bytes()) {
            Some((Number::Int(number), _)) => number,
            Some((Number::Float(number), _)) => truncate(number),
            None => 0,
        },
        PhpValue::Array(_) => i64::from(to_bool(value)?),
        _ => return None,
    })
}

/// `(float)`.
pub(crate) fn to_float(value: &PhpValue) -> Option<f64> {
    match value {
        PhpValue::Float(number) => Some(*number),
        PhpValue::Str(text) => Some(match leading_number(text.as_bytes()) {
            Some((number, _)) => number.as_float(),
            None => 0.0,
        }),
        other => to_int(other).map(|number| number as f64),
    }
}

/// The number that arithmetic uses: null and booleans count, a string only when it is wholly numeric.
pub(crate) fn to_number(value: &PhpValue) -> Option<Number> {
    match value {
        PhpValue::Null => Some(Number::Int(0)),
        PhpValue::Bool(flag) => Some(Number::Int(i64::from(*flag))),
        PhpValue::Int(number) => Some(Number::Int(*number)),
        PhpValue::Float(number) => Some(Number::Float(*number)),
        PhpValue::Str(text) => numeric(text.as_bytes()),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    pub(crate) fn as_float(self) -> f64 {
        match self {
            Self::Int(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

impl From<Number> for PhpValue {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(number) => Self::Int(number),
            Number::Float(number) => Self::Float(number),
        }
    }
}

/// The number that a wholly numeric string stands for; blanks around it are allowed.
pub(crate) fn numeric(bytes: &[u8]) -> Option<Number> {
    let (number, used) = leading_number(bytes)?;
    bytes.get(used..)?.iter().all(|byte| is_blank(*byte)).then_some(number)
}

/// `===`
pub(crate) fn identical(left: &PhpValue, right: &PhpValue) -> Option<bool> {
    if contains_unknown(left) || contains_unknown(right) {
        return None;
    }
    Some(left == right)
}

/// `==`
pub(crate) fn loosely_equal(left: &PhpValue, right: &PhpValue) -> Option<bool> {
    use PhpValue::{Array, Bool, Null, Object, Str};
    match (left, right) {
        (Array(_) | Object(_), Array(_) | Object(_)) => identical(left, right).filter(|same| *same),
        (Bool(_) | Null, _) | (_, Bool(_)) => match (left, right) {
            (Null, Str(text)) => Some(text.is_empty()),
            _ => Some(to_bool(left)? == to_bool(right)?),
        },
        (Str(text), Null) => Some(text.is_empty()),
        (_, Null) => Some(!to_bool(left)?),
        (Array(_), _) | (_, Array(_)) => Some(false),
        _ => Some(compare(left, right)? == Ordering::Equal),
    }
}

/// `<=>` of two scalars.
pub(crate) fn compare(left: &PhpValue, right: &PhpValue) -> Option<Ordering> {
    use PhpValue::{Bool, Float, Int, Null, Str};
    match (left, right) {
        (Str(a), Str(b)) => match (numeric(a.as_bytes()), numeric(b.as_bytes())) {
            (Some(a), Some(b)) => compare_numbers(a, b),
            _ => Some(a.as_bytes().cmp(b.as_bytes())),
        },
        (Null, Str(text)) => Some(if text.is_empty() { Ordering::Equal } else { Ordering::Less }),
        (Str(text), Null) => Some(if text.is_empty() { Ordering::Equal } else { Ordering::Greater }),
        (Bool(_) | Null, _) | (_, Bool(_) | Null) => Some(to_bool(left)?.cmp(&to_bool(right)?)),
        (Int(_) | Float(_), Str(text)) => match numeric(text.as_bytes()) {
            Some(number) => compare_numbers(to_number(left)?, number),
            None => Some(to_bytes(left)?.as_slice().cmp(text.as_bytes())),
        },
        (Str(_), Int(_) | Float(_)) => compare(right, left).map(Ordering::reverse),
        (Int(_) | Float(_), Int(_) | Float(_)) => compare_numbers(to_number(left)?, to_number(right)?),
        _ => None,
    }
}

fn compare_numbers(left: Number, right: Number) -> Option<Ordering> {
    match (left, right) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
        _ => left.as_float().partial_cmp(&right.as_float()),
    }
}

fn contains_unknown(value: &PhpValue) -> bool {
    match value {
        PhpValue::Unknown(_) | PhpValue::Opaque(_) => true,
        PhpValue::Array(array) => array.open().is_some() || array.values().any(contains_unknown),
        PhpValue::Object(object) => object.fields.values().any(contains_unknown),
        _ => false,
    }
}

/// Truncation towards zero; what does not fit wraps around, as in PHP on 64 bits.
fn truncate(number: f64) -> i64 {
    const MODULUS: f64 = 18_446_744_073_709_551_616.0;
    if number.is_finite() { (number % MODULUS) as i128 as i64 } else { 0 }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The number at the start of a string, after blanks, and where it ends.
fn leading_number(bytes: &[u8]) -> Option<(Number, usize)> {
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
    let mut end = blanks + usize::from(matches!(bytes.get(blanks), Some(b'+' | b'-')));
    let whole = digits(end);
    end += whole;
    let mut float = false;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return None;
        }
        end += 1 + fraction;
        float = true;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
            float = true;
        }
    }
    let text = std::str::from_utf8(bytes.get(blanks..end)?).ok()?;
    let number = match text.parse::<i64>() {
        Ok(number) if !float => Number::Int(number),
        _ => Number::Float(text.parse().ok()?),
    };
    Some((number, end))
}

/// A float as PHP writes it: 14 significant digits, an exponent for the very large and small.
pub(crate) fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NAN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    if number == 0.0 {
        return if number.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let scientific = format!("{number:.13e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..14).contains(&exponent) {
        let decimals = usize::try_from(13 - exponent).unwrap_or(0);
        return without_zeros(&format!("{number:.decimals$}")).to_owned();
    }
    let mantissa = without_zeros(mantissa);
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}E{sign}{}", exponent.unsigned_abs())
}

fn without_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn str(text: &str) -> PhpValue {
        PhpValue::from(text)
    }

    // Every expected value below was printed by PHP 8.2.
    #[test]
    fn floats_are_written_like_php() {
        for (number, expected) in [
            (0.1 + 0.2, "0.3"),
            (1.0, "1"),
            (-0.0, "-0"),
            (1e13, "10000000000000"),
            (1e14, "1.0E+14"),
            (123456789012345678.0, "1.2345678901235E+17"),
            (0.0001, "0.0001"),
            (0.00001, "1.0E-5"),
            (0.000012345, "1.2345E-5"),
            (99999999999999.9, "1.0E+14"),
            (1.5, "1.5"),
            (-1234.5678, "-1234.5678"),
            (f64::INFINITY, "INF"),
        ] {
            assert_eq!(float_text(number), expected);
        }
    }

    #[test]
    fn truth_follows_php() {
        for (value, expected) in [
            (str(""), false),
            (str("0"), false),
            (str("0.0"), true),
            (str("false"), true),
            (str(" "), true),
            (PhpValue::Float(-0.0), false),
            (PhpValue::Null, false),
            (PhpValue::from(crate::PhpArray::new()), false),
        ] {
            assert_eq!(to_bool(&value), Some(expected));
        }
    }

    #[test]
    fn loose_comparison_follows_php_8() {
        let null = PhpValue::Null;
        let yes = PhpValue::Bool(true);
        let no = PhpValue::Bool(false);
        for (left, right, expected) in [
            (str("abc"), PhpValue::Int(0), false),
            (str("1"), PhpValue::Int(1), true),
            (str("01"), str("1"), true),
            (str("1e1"), str("10"), true),
            (str(" 1"), PhpValue::Int(1), true),
            (str("1 "), PhpValue::Int(1), true),
            (str("1x"), PhpValue::Int(1), false),
            (null.clone(), no.clone(), true),
            (null.clone(), str(""), true),
            (null.clone(), str("0"), false),
            (null.clone(), PhpValue::Int(0), true),
            (str("0"), no.clone(), true),
            (str("a"), yes.clone(), true),
            (str("false"), no.clone(), false),
            (PhpValue::Float(1.0), str("1.0"), true),
            (str("a"), str("A"), false),
        ] {
            assert_eq!(loosely_equal(&left, &right), Some(expected));
            assert_eq!(loosely_equal(&right, &left), Some(expected));
        }
    }

    #[test]
    fn casts_take_the_leading_number() {
        for (text, expected) in [
            ("12abc", 12),
            ("abc", 0),
            (" 7", 7),
            ("1.9", 1),
            ("-3.9", -3),
            ("1e2", 100),
            ("", 0),
            ("0x1A", 0),
        ] {
            assert_eq!(to_int(&str(text)), Some(expected), "{text}");
        }
        assert_eq!(to_float(&str("3.25kg")), Some(3.25));
        for (number, expected) in [(1e19, -8446744073709551616), (-1e19, 8446744073709551616), (1e95, 0)] {
            assert_eq!(to_int(&PhpValue::Float(number)), Some(expected));
        }
    }
}
