//! The columns a tool can return: the usual ones, all, or those a call names.

use serde_json::json;
use siteclaw_core::{Code, Reply, ToolError, code, suggestion};

use super::modes::shown;

/// `columns` names nothing that exists.
pub(crate) const UNKNOWN_COLUMN: Code = Code::new("UNKNOWN_COLUMN");
/// `columns` names secret material.
pub(crate) const BLOCKED_COLUMN: Code = Code::new("BLOCKED_COLUMN");
/// `columns` mixes `*` with names, or is empty.
pub(crate) const INVALID_COLUMNS: Code = Code::new("INVALID_COLUMNS");

/// The columns a tool can return. Made with [`Columns::new`] and the methods below.
pub(crate) struct Columns {
    usual: &'static [&'static str],
    also: &'static [&'static str],
    sensitive: &'static [&'static str],
    sensitivity: &'static str,
    expensive: &'static [&'static str],
    blocked: &'static [&'static str],
    blocked_prefixes: &'static [&'static str],
}

impl Columns {
    /// Those returned when none are named, and the others; `*` returns them in this order.
    pub(crate) const fn new(usual: &'static [&'static str], also: &'static [&'static str]) -> Self {
        Self {
            usual,
            also,
            sensitive: &[],
            sensitivity: "",
            expensive: &[],
            blocked: &[],
            blocked_prefixes: &[],
        }
    }

    /// Columns that are returned only when named, never by `*`, and what a reader is told that they are:
    /// `personal data`, `commercially sensitive`.
    pub(crate) const fn sensitive(mut self, columns: &'static [&'static str], what: &'static str) -> Self {
        self.sensitive = columns;
        self.sensitivity = what;
        self
    }

    /// Columns that cost statements of their own: returned only when named, never by `*`.
    pub(crate) const fn expensive(mut self, columns: &'static [&'static str]) -> Self {
        self.expensive = columns;
        self
    }

    /// Secret material, by name and by the beginning of the name: refused.
    pub(crate) const fn blocked(
        mut self,
        columns: &'static [&'static str],
        prefixes: &'static [&'static str],
    ) -> Self {
        self.blocked = columns;
        self.blocked_prefixes = prefixes;
        self
    }

    fn available(&self) -> impl Iterator<Item = &'static str> {
        self.usual.iter().chain(self.also).copied()
    }

    fn is_by_name_only(&self, column: &str) -> bool {
        self.sensitive.contains(&column) || self.expensive.contains(&column)
    }

    /// What a model reads about the argument `columns`.
    pub(crate) fn description(&self) -> String {
        let (named, also): (Vec<&str>, Vec<&str>) =
            self.also.iter().partition(|column| self.is_by_name_only(column));
        let mut text = format!("Columns to return. Usual: {}.", self.usual.join(", "));
        if !also.is_empty() {
            text.push_str(&format!(" Also: {}.", also.join(", ")));
        }
        if named.is_empty() {
            text.push_str(" [\"*\"] for all.");
        } else {
            text.push_str(&format!(" Only by name: {}. [\"*\"] for all but these last.", named.join(", ")));
        }
        text
    }

    /// The columns that are asked for: the usual ones, all of them for `["*"]`, or the named ones.
    pub(crate) fn select(&self, asked: Option<&[String]>) -> Result<Vec<&'static str>, ToolError> {
        let Some(asked) = asked else { return Ok(self.usual.to_vec()) };
        if asked.iter().any(|name| name == "*") {
            if asked.len() > 1 {
                return Err(ToolError::new(INVALID_COLUMNS, "'*' stands alone in columns, or not at all."));
            }
            return Ok(self.available().filter(|column| !self.is_by_name_only(column)).collect());
        }
        if asked.is_empty() {
            return Err(ToolError::new(INVALID_COLUMNS, "columns is empty.")
                .hint("Leave it out for the usual ones, or name some."));
        }
        let mut selected = Vec::new();
        for name in asked {
            let column = self.find(name)?;
            if !selected.contains(&column) {
                selected.push(column);
            }
        }
        Ok(selected)
    }

    fn find(&self, name: &str) -> Result<&'static str, ToolError> {
        let lower = name.to_ascii_lowercase();
        if self.blocked.contains(&lower.as_str())
            || self.blocked_prefixes.iter().any(|prefix| lower.starts_with(prefix))
        {
            let mut error = ToolError::new(
                BLOCKED_COLUMN,
                format!("The column '{}' holds secret material and is never returned.", shown(name)),
            )
            .with("blocked_columns", self.blocked);
            if !self.blocked_prefixes.is_empty() {
                error = error.with("blocked_prefixes", self.blocked_prefixes);
            }
            return Err(error);
        }
        self.available().find(|column| *column == name).ok_or_else(|| {
            let error = ToolError::new(UNKNOWN_COLUMN, format!("There is no column '{}'.", shown(name)))
                .with("available_columns", self.available().collect::<Vec<_>>());
            match suggestion(name, self.available()) {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })
    }

    /// The sensitive ones among the selected.
    pub(crate) fn sensitive_among(&self, selected: &[&'static str]) -> Vec<&'static str> {
        selected.iter().filter(|column| self.sensitive.contains(column)).copied().collect()
    }

    /// Says which of the returned columns are sensitive, and of what kind they are.
    pub(crate) fn marked<T>(&self, reply: Reply<T>, selected: &[&'static str]) -> Reply<T> {
        let sensitive = self.sensitive_among(selected);
        if sensitive.is_empty() {
            return reply;
        }
        let message = format!("{} are {}.", sensitive.join(", "), self.sensitivity);
        reply.meta("sensitive_fields_returned", json!(sensitive)).warn(code::SENSITIVE_DATA, message)
    }

    /// What schema mode says of the columns.
    pub(crate) fn page(&self) -> super::modes::Row {
        let mut page = super::modes::Row::new();
        page.insert("available_columns".to_owned(), self.available().collect());
        page.insert("default_columns".to_owned(), json!(self.usual));
        for (name, columns) in [("sensitive_columns", self.sensitive), ("expensive_columns", self.expensive)]
        {
            if !columns.is_empty() {
                page.insert(name.to_owned(), json!(columns));
            }
        }
        page.insert("blocked_columns".to_owned(), json!(self.blocked));
        if !self.blocked_prefixes.is_empty() {
            page.insert("blocked_prefixes".to_owned(), json!(self.blocked_prefixes));
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns::new(&["id", "title"], &["email", "post_count", "slug"])
        .sensitive(&["email"], "personal data")
        .expensive(&["post_count"])
        .blocked(&["user_pass"], &["_stripe_"]);

    fn select(names: &[&str]) -> Result<Vec<&'static str>, (String, String)> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        COLUMNS.select(Some(&names)).map_err(|error| (error.code().to_string(), error.message().to_owned()))
    }

    #[test]
    fn columns_are_the_named_ones_in_the_named_order() {
        assert_eq!(COLUMNS.select(None).unwrap(), ["id", "title"]);
        assert_eq!(select(&["title", "id", "title"]).unwrap(), ["title", "id"]);
        assert_eq!(select(&["email"]).unwrap(), ["email"]);
        assert_eq!(
            select(&["*"]).unwrap(),
            ["id", "title", "slug"],
            "a star never brings sensitive or costly columns"
        );
    }

    #[test]
    fn other_columns_are_refused_with_their_code() {
        for (names, code) in [
            (vec!["titel"], "UNKNOWN_COLUMN"),
            (vec!["USER_PASS"], "BLOCKED_COLUMN"),
            (vec!["_stripe_customer"], "BLOCKED_COLUMN"),
            (vec!["*", "id"], "INVALID_COLUMNS"),
            (vec![], "INVALID_COLUMNS"),
        ] {
            assert_eq!(select(&names).unwrap_err().0, code, "{names:?}");
        }
    }

    #[test]
    fn a_model_reads_which_columns_a_star_leaves_out() {
        assert_eq!(
            COLUMNS.description(),
            "Columns to return. Usual: id, title. Also: slug. Only by name: email, post_count. [\"*\"] for all but \
             these last."
        );
        assert_eq!(
            Columns::new(&["id"], &[]).description(),
            "Columns to return. Usual: id. [\"*\"] for all."
        );
    }
}
