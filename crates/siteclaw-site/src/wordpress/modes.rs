//! What the platform's tools share: modes, columns and the page that describes a tool's data.

use jiff::civil::DateTime;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use siteclaw_core::{Code, Paging, Reply, ToolError, Warning, code, suggestion};

use super::zone::{Edge, parse_edge};

/// A row of a result: the requested columns in the requested order.
pub(crate) type Row = Map<String, Value>;

/// `columns` names nothing that exists.
pub(crate) const UNKNOWN_COLUMN: Code = Code::new("UNKNOWN_COLUMN");
/// `columns` names secret material.
pub(crate) const BLOCKED_COLUMN: Code = Code::new("BLOCKED_COLUMN");
/// `columns` mixes `*` with names, or is empty.
pub(crate) const INVALID_COLUMNS: Code = Code::new("INVALID_COLUMNS");
/// A search text is blank.
pub(crate) const INVALID_SEARCH: Code = Code::new("INVALID_SEARCH");
/// A search text is longer than 255 characters.
pub(crate) const SEARCH_TOO_LONG: Code = Code::new("SEARCH_TOO_LONG");

/// The most characters of a search text.
pub(crate) const MAX_SEARCH: usize = 255;

/// Which question a call asks of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// What the tool can return; the database is not asked.
    Schema,
    /// Counts.
    Aggregate,
    /// Rows.
    Query,
}

impl Mode {
    /// The mode of two flags, which exclude each other.
    pub(crate) fn of(schema: bool, aggregate: bool) -> Result<Self, ToolError> {
        match (schema, aggregate) {
            (true, true) => {
                Err(ToolError::new(code::CONFLICTING_MODES, "schema and aggregate exclude each other.")
                    .hint("Set one of them."))
            }
            (true, false) => Ok(Self::Schema),
            (false, true) => Ok(Self::Aggregate),
            (false, false) => Ok(Self::Query),
        }
    }
}

/// The columns a tool can return.
pub(crate) struct Columns {
    /// All that may be named, in the order of `*`.
    pub(crate) available: &'static [&'static str],
    /// Those returned when none are named.
    pub(crate) default: &'static [&'static str],
    /// Personal or commercially sensitive: returned only when named, never by `*`.
    pub(crate) sensitive: &'static [&'static str],
    /// Costly: returned only when named, never by `*`.
    pub(crate) expensive: &'static [&'static str],
    /// Secret material: refused.
    pub(crate) blocked: &'static [&'static str],
    /// Secret material by the beginning of the name: refused.
    pub(crate) blocked_prefixes: &'static [&'static str],
}

impl Columns {
    /// The columns that are asked for: the default ones, all of them for `["*"]`, or the named ones.
    pub(crate) fn select(&self, asked: Option<&[String]>) -> Result<Vec<&'static str>, ToolError> {
        let Some(asked) = asked else { return Ok(self.default.to_vec()) };
        if asked.iter().any(|name| name == "*") {
            if asked.len() > 1 {
                return Err(ToolError::new(INVALID_COLUMNS, "'*' stands alone in columns, or not at all."));
            }
            let plain = |name: &&&str| !self.sensitive.contains(name) && !self.expensive.contains(name);
            return Ok(self.available.iter().filter(plain).copied().collect());
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
        self.available.iter().find(|column| **column == name).copied().ok_or_else(|| {
            let error = ToolError::new(UNKNOWN_COLUMN, format!("There is no column '{}'.", shown(name)))
                .with("available_columns", self.available);
            match suggestion(name, self.available.iter().copied()) {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })
    }

    /// The sensitive ones among the selected.
    pub(crate) fn sensitive_among(&self, selected: &[&'static str]) -> Vec<&'static str> {
        selected.iter().filter(|column| self.sensitive.contains(column)).copied().collect()
    }
}

fn shown(name: &str) -> String {
    siteclaw_core::sanitise_fragment(name, 64)
}

/// Checks a search text.
pub(crate) fn checked_search(search: Option<&str>) -> Result<Option<String>, ToolError> {
    let Some(text) = search else { return Ok(None) };
    if text.trim().is_empty() {
        return Err(
            ToolError::new(INVALID_SEARCH, "search is blank.").hint("Leave it out to see everything.")
        );
    }
    if text.chars().count() > MAX_SEARCH {
        return Err(ToolError::new(
            SEARCH_TOO_LONG,
            format!("search has more than {MAX_SEARCH} characters."),
        ));
    }
    Ok(Some(text.to_owned()))
}

/// The direction in which rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Order {
    Asc,
    Desc,
}

impl Order {
    /// The keyword.
    pub(crate) const fn sql(self) -> &'static str {
        match self {
            Self::Asc => "ASC",
            Self::Desc => "DESC",
        }
    }
}

/// Checks an end of a range of dates.
pub(crate) fn checked_edge(
    name: &str,
    text: Option<&str>,
    edge: Edge,
) -> Result<Option<DateTime>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    parse_edge(text, edge).map(Some).ok_or_else(|| {
        ToolError::new(code::INVALID_ARGUMENT, format!("{name} is no date: '{}'.", shown(text)))
            .hint("Write it like 2026-11-30, 2026-11, 2026 or 2026-11-30T08:00:00.")
    })
}

/// The paging of a list that was counted; the door works the rest out.
pub(crate) fn counted_page(offset: u64, limit: u64, total: i64) -> Paging {
    Paging::Offset { offset, limit, total: u64::try_from(total).ok(), has_more: false }
}

/// Says which of the returned columns are sensitive, and of what kind they are.
pub(crate) fn mark_sensitive<T>(
    reply: Reply<T>,
    columns: &Columns,
    selected: &[&'static str],
    kind: &str,
) -> Reply<T> {
    let sensitive = columns.sensitive_among(selected);
    if sensitive.is_empty() {
        return reply;
    }
    let message = format!("{} are {kind}.", sensitive.join(", "));
    reply.meta("sensitive_fields_returned", json!(sensitive)).warn(code::SENSITIVE_DATA, message)
}

/// One warning for each argument that the chosen mode does not use.
pub(crate) fn ignored(mode: &str, arguments: &[(&str, bool)]) -> Vec<Warning> {
    arguments
        .iter()
        .filter(|(_, given)| *given)
        .map(|(name, _)| {
            Warning::new(code::IGNORED_ARGUMENT, format!("{name} has no meaning in {mode} mode."))
        })
        .collect()
}

/// The page of schema mode: what the tool returns and takes.
pub(crate) fn schema_page(columns: &Columns, more: Value) -> Row {
    let mut page = Row::new();
    page.insert("available_columns".to_owned(), json!(columns.available));
    page.insert("default_columns".to_owned(), json!(columns.default));
    if !columns.sensitive.is_empty() {
        page.insert("sensitive_columns".to_owned(), json!(columns.sensitive));
    }
    if !columns.expensive.is_empty() {
        page.insert("expensive_columns".to_owned(), json!(columns.expensive));
    }
    page.insert("blocked_columns".to_owned(), json!(columns.blocked));
    if !columns.blocked_prefixes.is_empty() {
        page.insert("blocked_prefixes".to_owned(), json!(columns.blocked_prefixes));
    }
    page.insert("modes".to_owned(), json!(["schema", "aggregate", "query"]));
    page.insert("risk".to_owned(), json!("read"));
    page.insert("idempotent".to_owned(), json!(true));
    if let Value::Object(more) = more {
        page.extend(more);
    }
    page
}

/// Escapes a text for `LIKE ? ESCAPE '!'`. The usual backslash means different things to the engines.
pub(crate) fn like(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        if matches!(c, '%' | '_' | '!') {
            out.push('!');
        }
        out.push(c);
    }
    out
}

/// `%text%`, escaped for `LIKE ? ESCAPE '!'`.
pub(crate) fn containing(text: &str) -> String {
    format!("%{}%", like(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns {
        available: &["id", "title", "email", "post_count"],
        default: &["id", "title"],
        sensitive: &["email"],
        expensive: &["post_count"],
        blocked: &["user_pass"],
        blocked_prefixes: &["_stripe_"],
    };

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
            ["id", "title"],
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
    fn wildcards_in_a_search_are_text() {
        assert_eq!(containing("50% off_!"), "%50!% off!_!!%");
    }
}
