//! Results: rows with getters that forgive what engines and applications do to types.
//!
//! MySQL sends sums as decimals, SQLite sites keep integers as text, and PostgreSQL has booleans: a getter
//! gives the reader's type from all of them or says which column does not fit. None panics.

use std::sync::Arc;

use crate::{DbError, Value};

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultColumn {
    /// The name or alias.
    pub name: String,
    /// The server's name of the type, in lower case.
    pub data_type: String,
    /// The table and column that the driver says this comes from. A hint, not a proof: MariaDB reports
    /// derived tables and views as if they were tables, and everybody reports expressions as nothing.
    pub origin: Option<Origin>,
}

/// Where a driver says a result column comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The table, with the database or schema before a dot where the driver names it.
    pub table: String,
    /// The column's name there.
    pub column: String,
}

/// The rows of a result, bounded in number and bytes.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The columns, also of an empty result.
    pub columns: Arc<Vec<ResultColumn>>,
    /// The rows in the server's order.
    pub rows: Vec<Row>,
    /// Whether the statement had more rows than were kept.
    pub cut: bool,
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Row> {
        self.rows.iter()
    }
}

impl IntoIterator for Rows {
    type Item = Row;
    type IntoIter = std::vec::IntoIter<Row>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

impl<'a> IntoIterator for &'a Rows {
    type Item = &'a Row;
    type IntoIter = std::slice::Iter<'a, Row>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}

/// One row. The getters take a column's name; of two columns of one name they read the first.
#[derive(Clone, Debug)]
pub struct Row {
    pub(crate) columns: Arc<Vec<ResultColumn>>,
    pub(crate) values: Vec<Value>,
}

impl Row {
    /// The value of a column.
    ///
    /// # Errors
    /// [`DbError::BadValue`] when the result has no such column.
    pub fn value(&self, column: &str) -> Result<&Value, DbError> {
        let index = self.columns.iter().position(|known| known.name == column);
        index.and_then(|index| self.values.get(index)).ok_or_else(|| bad(column, "does not exist"))
    }

    /// All values in the order of the columns.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Whether the value is NULL.
    ///
    /// # Errors
    /// [`DbError::BadValue`] when the result has no such column.
    pub fn is_null(&self, column: &str) -> Result<bool, DbError> {
        Ok(*self.value(column)? == Value::Null)
    }

    /// The value as text. Bytes that are not UTF-8 are replaced by `U+FFFD`; read those with
    /// [`bytes`](Self::bytes).
    ///
    /// # Errors
    /// [`DbError::BadValue`] for NULL or an unknown column.
    pub fn text(&self, column: &str) -> Result<String, DbError> {
        self.opt_text(column)?.ok_or_else(|| null(column))
    }

    /// The value as text, or `None` for NULL. See [`text`](Self::text).
    ///
    /// # Errors
    /// [`DbError::BadValue`] for an unknown column.
    pub fn opt_text(&self, column: &str) -> Result<Option<String>, DbError> {
        Ok(match self.value(column)? {
            Value::Null => None,
            Value::Bool(value) => Some(if *value { "1" } else { "0" }.to_owned()),
            Value::Int(value) => Some(value.to_string()),
            Value::Unsigned(value) => Some(value.to_string()),
            Value::Float(value) => Some(value.to_string()),
            Value::Text(text) => Some(text.clone()),
            Value::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        })
    }

    /// The value as a whole number; text and decimals count where nothing stands behind the point.
    ///
    /// # Errors
    /// [`DbError::BadValue`] for NULL, an unknown column, or what is no whole number of 64 bits.
    pub fn i64(&self, column: &str) -> Result<i64, DbError> {
        self.opt_i64(column)?.ok_or_else(|| null(column))
    }

    /// The value as a whole number, or `None` for NULL. See [`i64`](Self::i64).
    ///
    /// # Errors
    /// [`DbError::BadValue`] for an unknown column or what is no whole number of 64 bits.
    pub fn opt_i64(&self, column: &str) -> Result<Option<i64>, DbError> {
        let number = match self.value(column)? {
            Value::Null => return Ok(None),
            Value::Bool(value) => Some(i64::from(*value)),
            Value::Int(value) => Some(*value),
            Value::Unsigned(value) => i64::try_from(*value).ok(),
            Value::Float(value) => whole(*value),
            Value::Text(text) => parse_whole(text),
            Value::Bytes(_) => None,
        };
        number.map(Some).ok_or_else(|| bad(column, "is not a whole number"))
    }

    /// The value as a decimal number in text form, exactly as the server gave it.
    ///
    /// # Errors
    /// [`DbError::BadValue`] for NULL, an unknown column, or what is no decimal number.
    pub fn decimal(&self, column: &str) -> Result<String, DbError> {
        self.opt_decimal(column)?.ok_or_else(|| null(column))
    }

    /// The value as a decimal number, or `None` for NULL. See [`decimal`](Self::decimal).
    ///
    /// # Errors
    /// [`DbError::BadValue`] for an unknown column or what is no decimal number.
    pub fn opt_decimal(&self, column: &str) -> Result<Option<String>, DbError> {
        let Some(text) = self.opt_text(column)? else { return Ok(None) };
        let text = text.trim();
        let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
        if finite { Ok(Some(text.to_owned())) } else { Err(bad(column, "is not a decimal number")) }
    }

    /// The value as a truth: numbers by being other than 0; `1`, `t`, `true`, `y`, `yes`, `on` and their
    /// opposites as text; empty text and NULL are false.
    ///
    /// # Errors
    /// [`DbError::BadValue`] for an unknown column or what is neither true nor false.
    pub fn bool(&self, column: &str) -> Result<bool, DbError> {
        let truth = match self.value(column)? {
            Value::Null => Some(false),
            Value::Bool(value) => Some(*value),
            Value::Int(value) => Some(*value != 0),
            Value::Unsigned(value) => Some(*value != 0),
            Value::Float(value) => Some(*value != 0.0),
            Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "1" | "t" | "true" | "y" | "yes" | "on" => Some(true),
                "" | "0" | "f" | "false" | "n" | "no" | "off" => Some(false),
                _ => None,
            },
            Value::Bytes(_) => None,
        };
        truth.ok_or_else(|| bad(column, "is neither true nor false"))
    }

    /// The value as bytes; text gives its UTF-8 bytes.
    ///
    /// # Errors
    /// [`DbError::BadValue`] for NULL, an unknown column, or a number.
    pub fn bytes(&self, column: &str) -> Result<&[u8], DbError> {
        match self.value(column)? {
            Value::Text(text) => Ok(text.as_bytes()),
            Value::Bytes(bytes) => Ok(bytes),
            Value::Null => Err(null(column)),
            _ => Err(bad(column, "is not text or bytes")),
        }
    }

    /// The text of the value, parsed as JSON; NULL gives JSON null. At most 128 levels deep.
    ///
    /// # Errors
    /// [`DbError::BadValue`] for an unknown column or what is no JSON.
    pub fn json(&self, column: &str) -> Result<serde_json::Value, DbError> {
        match self.value(column)? {
            Value::Null => Ok(serde_json::Value::Null),
            Value::Text(text) => serde_json::from_str(text).map_err(|_| bad(column, "is not valid JSON")),
            Value::Bytes(_) => Err(bad(column, "is not valid JSON")),
            number => Ok(number.to_json()),
        }
    }
}

fn parse_whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|byte| byte == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    digits.parse().ok()
}

/// A float that is a whole number small enough to be one exactly.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked before")]
fn whole(value: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}

fn null(column: &str) -> DbError {
    bad(column, "is NULL")
}

fn bad(column: &str, problem: &'static str) -> DbError {
    DbError::BadValue { column: column.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: Value) -> Row {
        let column = ResultColumn { name: "x".into(), data_type: "text".into(), origin: None };
        Row { columns: Arc::new(vec![column]), values: vec![value] }
    }

    fn text(text: &str) -> Row {
        row(Value::Text(text.into()))
    }

    #[test]
    fn whole_numbers_are_read_from_whatever_holds_them() {
        let whole = [
            (row(Value::Int(-3)), -3),
            (row(Value::Unsigned(3)), 3),
            (row(Value::Float(3.0)), 3),
            (row(Value::Bool(true)), 1),
            (text(" 42 "), 42),
            (text("42.000"), 42),
            (text("-7"), -7),
        ];
        for (row, expected) in whole {
            assert_eq!(row.i64("x").unwrap(), expected, "{row:?}");
        }
        let not = [
            row(Value::Null),
            row(Value::Unsigned(u64::MAX)),
            row(Value::Float(0.5)),
            row(Value::Float(1e300)),
            row(Value::Bytes(vec![1])),
            text("42.5"),
            text("12abc"),
            text(""),
        ];
        for row in not {
            assert!(matches!(row.i64("x"), Err(DbError::BadValue { .. })), "{row:?}");
        }
        assert_eq!(row(Value::Null).opt_i64("x").unwrap(), None);
    }

    #[test]
    fn truth_follows_what_applications_store() {
        for yes in [row(Value::Bool(true)), row(Value::Int(-1)), text("1"), text("yes"), text("T")] {
            assert!(yes.bool("x").unwrap(), "{yes:?}");
        }
        for no in [row(Value::Null), row(Value::Int(0)), text("0"), text(""), text("no"), text("off")] {
            assert!(!no.bool("x").unwrap(), "{no:?}");
        }
        assert!(text("perhaps").bool("x").is_err());
    }

    #[test]
    fn decimals_keep_their_digits() {
        assert_eq!(text("1234567890123456789.10").decimal("x").unwrap(), "1234567890123456789.10");
        assert_eq!(row(Value::Int(5)).decimal("x").unwrap(), "5");
        assert!(text("12 EUR").decimal("x").is_err());
        assert!(text("NaN").decimal("x").is_err());
    }

    #[test]
    fn text_json_and_bytes() {
        assert_eq!(row(Value::Unsigned(7)).text("x").unwrap(), "7");
        assert_eq!(row(Value::Bytes(b"a\xff".to_vec())).text("x").unwrap(), "a\u{fffd}");
        assert_eq!(row(Value::Bytes(b"a\xff".to_vec())).bytes("x").unwrap(), b"a\xff");
        assert_eq!(text(r#"{"a":[1]}"#).json("x").unwrap()["a"][0], 1);
        assert!(text("{").json("x").is_err());
        assert_eq!(row(Value::Null).json("x").unwrap(), serde_json::Value::Null);
        assert!(row(Value::Null).text("x").is_err());
        assert_eq!(text("a").text("y").unwrap_err().to_string(), "Column `y` of the result does not exist.");
    }
}
