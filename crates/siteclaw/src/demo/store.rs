//! The rows of the site in memory, until all of them are known and can be written in one transaction.

use std::collections::BTreeMap;

use super::money;

/// A value of one column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

/// A sum of money, stored as a decimal column keeps it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Money(pub(crate) i64);

/// The columns of a row that differ from the table's defaults.
pub(crate) type Row = Vec<(&'static str, Value)>;

/// Builds a [`Row`]: `row! { "ID" => 5, "post_title" => "Hello" }`.
macro_rules! row {
    ($($column:literal => $value:expr),* $(,)?) => {
        vec![$(($column, $crate::demo::store::Value::from($value))),*]
    };
}
pub(crate) use row;

/// All rows, by table name without prefix, in the order they were added.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    rows: BTreeMap<&'static str, Vec<Row>>,
}

impl Tables {
    /// Adds a row.
    pub(crate) fn add(&mut self, table: &'static str, row: Row) {
        self.rows.entry(table).or_default().push(row);
    }

    /// Adds one row to a meta table: `table` names its owner column in [`owner`].
    pub(crate) fn meta(&mut self, table: &'static str, of: i64, key: &str, value: impl Into<Value>) {
        self.add(
            table,
            vec![
                (owner(table), Value::Int(of)),
                ("meta_key", Value::from(key)),
                ("meta_value", value.into()),
            ],
        );
    }

    /// Adds several rows to a meta table.
    pub(crate) fn metas<'a>(
        &mut self,
        table: &'static str,
        of: i64,
        pairs: impl IntoIterator<Item = (&'a str, Value)>,
    ) {
        for (key, value) in pairs {
            self.meta(table, of, key, value);
        }
    }

    /// The rows of a table.
    pub(crate) fn rows(&self, table: &str) -> &[Row] {
        self.rows.get(table).map_or(&[], Vec::as_slice)
    }

    /// The names of the tables that have rows.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.rows.keys().copied()
    }
}

/// The column of a meta table that names what a row belongs to.
fn owner(table: &str) -> &'static str {
    match table {
        "usermeta" => "user_id",
        "commentmeta" => "comment_id",
        "termmeta" => "term_id",
        "wc_orders_meta" => "order_id",
        "woocommerce_order_itemmeta" => "order_item_id",
        "woocommerce_payment_tokenmeta" => "payment_token_id",
        _ => "post_id",
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Int(n)
    }
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Value::Int(n.into())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Int(i64::from(b))
    }
}

impl From<f64> for Value {
    fn from(d: f64) -> Self {
        Value::Real(d)
    }
}

impl From<Money> for Value {
    fn from(cents: Money) -> Self {
        Value::Real(money::real(cents.0))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Text(text.clone())
    }
}

impl From<super::serialize::Php> for Value {
    fn from(value: super::serialize::Php) -> Self {
        Value::Text(value.to_string())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}
