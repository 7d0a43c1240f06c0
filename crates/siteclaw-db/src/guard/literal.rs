//! Literals, rewritten so that no setting of the server can read them differently.
//!
//! MySQL's `NO_BACKSLASH_ESCAPES` and `ANSI_QUOTES` and PostgreSQL's `standard_conforming_strings` change
//! where a string ends. A string without backslash reads the same under all of them; one with a
//! backslash is sent as hexadecimal digits (MySQL, SQLite) or as an `E'…'` string (PostgreSQL).

use std::fmt::Write as _;

use sqlparser::ast::{CastKind, DataType, Expr, Ident, Value, ValueWithSpan};

use super::names::shown;
use super::refusal::{Refusal, RefusalCode};
use crate::Engine;

/// Character sets that MySQL takes before a string, as `_utf8mb4'…'`.
const INTRODUCERS: &[&str] = &["_utf8mb4", "_utf8mb3", "_utf8", "_latin1", "_ascii", "_binary"];

/// A checked literal.
pub(super) enum Literal {
    /// It stands as it is.
    Kept,
    /// It can stand only where an expression may.
    Replaced(Box<Expr>),
    /// A parameter: its number, if it has one.
    Parameter(Option<u32>),
}

/// Checks a literal and brings it into a form that means one thing.
pub(super) fn settle(engine: Engine, value: &mut Value) -> Result<Literal, Refusal> {
    let text = match value {
        Value::SingleQuotedString(text) | Value::NationalStringLiteral(text) => std::mem::take(text),
        Value::DoubleQuotedString(text) if engine == Engine::MySql => std::mem::take(text),
        Value::EscapedStringLiteral(text) | Value::UnicodeStringLiteral(text)
            if engine == Engine::Postgres =>
        {
            std::mem::take(text)
        }
        Value::DollarQuotedString(text) if engine == Engine::Postgres => std::mem::take(&mut text.value),
        Value::Number(digits, false) => {
            *digits = plain_number(digits)?;
            return Ok(Literal::Kept);
        }
        Value::HexStringLiteral(digits) if digits.chars().all(|c| c.is_ascii_hexdigit()) => {
            return Ok(Literal::Kept);
        }
        Value::SingleQuotedByteStringLiteral(bits) if bits.chars().all(|c| matches!(c, '0' | '1')) => {
            return Ok(Literal::Kept);
        }
        Value::Boolean(_) | Value::Null => return Ok(Literal::Kept),
        Value::Placeholder(sign) => return parameter(engine, sign),
        _ => return Err(Refusal::clause("This kind of literal")),
    };
    if engine == Engine::Postgres && text.contains('\0') {
        return Err(Refusal::new(RefusalCode::Syntax, "A string holds a NUL character."));
    }
    if is_unambiguous(engine, &text) {
        *value = Value::SingleQuotedString(text);
        return Ok(Literal::Kept);
    }
    Ok(match engine {
        Engine::Postgres => {
            *value = Value::EscapedStringLiteral(text);
            Literal::Kept
        }
        Engine::MySql => {
            Literal::Replaced(Box::new(introduced("_utf8mb4", Value::HexStringLiteral(hex(&text)))))
        }
        Engine::Sqlite => Literal::Replaced(Box::new(Expr::Cast {
            kind: CastKind::Cast,
            expr: Box::new(Expr::Value(Value::HexStringLiteral(hex(&text)).into())),
            data_type: DataType::Text,
            format: None,
        })),
    })
}

/// Checks a literal in a place where only a literal may stand.
pub(super) fn settle_bare(engine: Engine, value: &mut ValueWithSpan) -> Result<(), Refusal> {
    match settle(engine, &mut value.value)? {
        Literal::Kept => Ok(()),
        Literal::Replaced(_) => Err(Refusal::clause("A backslash or doubled quotation mark in this literal")),
        Literal::Parameter(_) => {
            Err(Refusal::clause("A parameter in this place").hint("Write the value itself."))
        }
    }
}

/// Checks `_charset 'text'`.
pub(super) fn settle_introduced(engine: Engine, prefix: &mut Ident, value: &mut Expr) -> Result<(), Refusal> {
    let name = prefix.value.to_ascii_lowercase();
    let known = INTRODUCERS.contains(&name.as_str()) && prefix.quote_style.is_none();
    let Expr::Value(literal) = value else {
        return Err(Refusal::clause("A character set before an expression"));
    };
    if engine != Engine::MySql || !known {
        return Err(Refusal::clause(&format!("The prefix '{}' before a literal", shown(&prefix.value))));
    }
    *prefix = Ident::new(name.as_str());
    match &mut literal.value {
        Value::SingleQuotedString(text) if !is_unambiguous(engine, text) => {
            // The bytes of an ASCII text are the same in each of these character sets.
            if !text.is_ascii() && !name.starts_with("_utf8") {
                return Err(Refusal::clause("A backslash in a string of another character set"));
            }
            literal.value = Value::HexStringLiteral(hex(text));
            Ok(())
        }
        _ => settle_bare(engine, literal),
    }
}

/// A text as a literal of generated SQL.
pub(super) fn text_literal(engine: Engine, text: &str) -> String {
    if is_unambiguous(engine, text) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    match engine {
        Engine::MySql => format!("_utf8mb4 X'{}'", hex(text)),
        Engine::Sqlite => format!("CAST(X'{}' AS TEXT)", hex(text)),
        Engine::Postgres => format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

/// Whether a text between single quotes reads the same whatever the settings, and whether the printer of
/// the syntax tree writes it faithfully: it takes two quotation marks in a row for one already doubled.
fn is_unambiguous(engine: Engine, text: &str) -> bool {
    let backslash = match engine {
        Engine::MySql | Engine::Postgres => text.contains('\\'),
        Engine::Sqlite => text.contains("\\'"),
    };
    !backslash && !text.contains("''") && !text.contains('\0')
}

fn introduced(charset: &str, value: Value) -> Expr {
    Expr::Prefixed { prefix: Ident::new(charset), value: Box::new(Expr::Value(value.into())) }
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len() * 2), |mut out, byte| {
        // Writing into a String cannot fail.
        let _ = write!(out, "{byte:02X}");
        out
    })
}

/// A number in the form that all versions read: PostgreSQL 15 takes `1_000` for `1 AS _000`.
fn plain_number(digits: &str) -> Result<String, Refusal> {
    let plain = digits.replace('_', "");
    let radix = match plain.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ => 10,
    };
    let odd = || Refusal::new(RefusalCode::Syntax, format!("The number '{}' cannot be read.", shown(digits)));
    if radix != 10 {
        let number = plain.get(2..).and_then(|digits| u64::from_str_radix(digits, radix).ok());
        return number.map(|number| number.to_string()).ok_or_else(odd);
    }
    let ordinary = plain.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if ordinary && plain.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        Ok(plain)
    } else {
        Err(odd())
    }
}

fn parameter(engine: Engine, sign: &str) -> Result<Literal, Refusal> {
    let wanted = match engine {
        Engine::MySql | Engine::Sqlite => "?",
        Engine::Postgres => "$1, $2, …",
    };
    let wrong = || {
        Refusal::new(
            RefusalCode::Syntax,
            format!("The parameter '{}' is not written as this database wants it.", shown(sign)),
        )
        .hint(format!("Write parameters as {wanted}."))
    };
    match engine {
        Engine::MySql | Engine::Sqlite if sign == "?" => Ok(Literal::Parameter(None)),
        Engine::Postgres => {
            let number: u32 =
                sign.strip_prefix('$').and_then(|digits| digits.parse().ok()).ok_or_else(wrong)?;
            if (1..=1000).contains(&number) && !sign.starts_with("$0") && !sign.starts_with("$+") {
                Ok(Literal::Parameter(Some(number)))
            } else {
                Err(wrong())
            }
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(engine: Engine, value: Value) -> String {
        let mut value = value;
        match settle(engine, &mut value).unwrap() {
            Literal::Kept => value.to_string(),
            Literal::Replaced(expr) => expr.to_string(),
            Literal::Parameter(number) => format!("parameter {number:?}"),
        }
    }

    #[test]
    fn a_backslash_never_reaches_the_server_in_a_plain_string() {
        let text = || Value::SingleQuotedString("a\\'b".into());
        assert_eq!(settled(Engine::MySql, text()), "_utf8mb4 X'615C2762'");
        assert_eq!(settled(Engine::Postgres, text()), "E'a\\\\\\'b'");
        assert_eq!(settled(Engine::Sqlite, text()), "CAST(X'615C2762' AS TEXT)");
        assert_eq!(settled(Engine::Sqlite, Value::SingleQuotedString("a\\b".into())), "'a\\b'");
    }

    #[test]
    fn quotation_marks_are_written_faithfully() {
        assert_eq!(settled(Engine::MySql, Value::SingleQuotedString("it's".into())), "'it''s'");
        assert_eq!(settled(Engine::MySql, Value::SingleQuotedString("''".into())), "_utf8mb4 X'2727'");
        assert_eq!(settled(Engine::Postgres, Value::SingleQuotedString("x''y".into())), "E'x\\'\\'y'");
        assert_eq!(settled(Engine::MySql, Value::DoubleQuotedString("say \"x\"".into())), "'say \"x\"'");
    }

    #[test]
    fn numbers_are_written_plainly() {
        for (written, sent) in [
            ("1_000", "1000"),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("0o17", "15"),
            ("1e5", "1e5"),
            (".5", ".5"),
            ("1.", "1."),
        ] {
            assert_eq!(settled(Engine::Postgres, Value::Number(written.into(), false)), sent);
        }
        for written in ["1x", "0xZ", "e", "", "0x1FFFFFFFFFFFFFFFF"] {
            assert!(
                settle(Engine::Postgres, &mut Value::Number(written.into(), false)).is_err(),
                "{written}"
            );
        }
    }

    #[test]
    fn parameters_are_those_of_the_database() {
        assert_eq!(settled(Engine::MySql, Value::Placeholder("?".into())), "parameter None");
        assert_eq!(settled(Engine::Postgres, Value::Placeholder("$12".into())), "parameter Some(12)");
        for (engine, sign) in [
            (Engine::MySql, ":a"),
            (Engine::Sqlite, "?1"),
            (Engine::Sqlite, "@a"),
            (Engine::Postgres, "$0"),
            (Engine::Postgres, "$01"),
            (Engine::Postgres, "$a"),
            (Engine::Postgres, "?"),
        ] {
            assert!(settle(engine, &mut Value::Placeholder(sign.into())).is_err(), "{sign}");
        }
    }
}
