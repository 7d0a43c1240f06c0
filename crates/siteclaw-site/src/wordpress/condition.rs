//! A WHERE condition that grows with the arguments: fixed pieces of SQL, bound values.

use siteclaw_core::ToolError;
use siteclaw_db::{Param, Statement};

use super::site::Snapshot;

/// Conditions joined by AND, with their values in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    text: String,
    values: Vec<Bound>,
}

#[derive(Clone, Debug)]
enum Bound {
    One(Param),
    List(Vec<Param>),
}

impl Condition {
    /// The text for WHERE; always true when nothing was added.
    pub(crate) fn text(&self) -> &str {
        if self.text.is_empty() { "1 = 1" } else { &self.text }
    }

    /// Adds a condition without values.
    pub(crate) fn plain(&mut self, condition: &str) {
        if !self.text.is_empty() {
            self.text.push_str(" AND ");
        }
        self.text.push_str(condition);
    }

    /// Adds a condition with one `?`.
    pub(crate) fn one(&mut self, condition: &str, value: impl Into<Param>) {
        self.plain(condition);
        self.values.push(Bound::One(value.into()));
    }

    /// Adds a condition with one `?` for each value.
    pub(crate) fn all(&mut self, condition: &str, values: impl IntoIterator<Item = Param>) {
        self.plain(condition);
        self.values.extend(values.into_iter().map(Bound::One));
    }

    /// Adds a condition in which every `?` stands for the same value.
    pub(crate) fn same(&mut self, condition: &str, value: impl Into<Param>) {
        let value = value.into();
        let marks = condition.matches('?').count();
        self.plain(condition);
        self.values.extend((0..marks).map(|_| Bound::One(value.clone())));
    }

    /// Adds a condition with one `(?*)`; nothing matches an empty list.
    pub(crate) fn list<P: Into<Param>>(&mut self, condition: &str, values: impl IntoIterator<Item = P>) {
        let values: Vec<Param> = values.into_iter().map(Into::into).collect();
        if values.is_empty() {
            self.plain("1 = 0");
        } else {
            self.plain(condition);
            self.values.push(Bound::List(values));
        }
    }

    /// Adds another condition as one.
    pub(crate) fn and(&mut self, other: Self) {
        self.plain(&format!("({})", other.text()));
        self.values.extend(other.values);
    }

    /// This condition or another.
    pub(crate) fn or(self, other: Self) -> Self {
        let text = format!("({}) OR ({})", self.text(), other.text());
        Self { text, values: self.values.into_iter().chain(other.values).collect() }
    }

    /// Adds a condition with two `(?*)`, neither of an empty list.
    pub(crate) fn two_lists<P: Into<Param>, Q: Into<Param>>(
        &mut self,
        condition: &str,
        first: impl IntoIterator<Item = P>,
        second: impl IntoIterator<Item = Q>,
    ) {
        self.plain(condition);
        self.values.push(Bound::List(first.into_iter().map(Into::into).collect()));
        self.values.push(Bound::List(second.into_iter().map(Into::into).collect()));
    }

    /// The statement with this condition's values bound to its next marks.
    pub(crate) fn bind(&self, statement: Statement) -> Statement {
        self.values.iter().fold(statement, |statement, value| match value {
            Bound::One(param) => statement.bind(param.clone()),
            Bound::List(params) => statement.bind_list(params.iter().cloned()),
        })
    }

    /// How many rows of `from` pass. `from` has no marks of its own.
    pub(crate) async fn count(&self, snapshot: &Snapshot, from: &str) -> Result<i64, ToolError> {
        let statement = self.bind(Statement::new(format!("SELECT COUNT(*) {from} WHERE {}", self.text())));
        Ok(snapshot.database()?.scalar_i64(snapshot.prefixes(), &statement).await?)
    }
}

/// A number as the databases take it.
pub(crate) fn as_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
