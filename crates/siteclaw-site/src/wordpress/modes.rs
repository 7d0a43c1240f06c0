//! What the platform's tools share: modes, the checks of common arguments, and the answer of schema mode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use siteclaw_core::{Code, Reply, ToolError, Warning, code};

/// A row of a result: the requested columns in the requested order.
pub(crate) type Row = Map<String, Value>;

/// A status that is none of the allowed ones.
pub(crate) const INVALID_STATUS: Code = Code::new("INVALID_STATUS");
/// `orderby` is none of the sortable fields.
pub(crate) const INVALID_ORDERBY: Code = Code::new("INVALID_ORDERBY");
/// `order` is no direction.
pub(crate) const INVALID_ORDER: Code = Code::new("INVALID_ORDER");
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

/// A name from a call, as it may stand in a message.
pub(crate) fn shown(name: &str) -> String {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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

/// The arguments that a call gives: those that are neither absent nor false.
pub(crate) struct Given(Map<String, Value>);

impl Given {
    /// Reads them off the typed arguments.
    pub(crate) fn of(input: &impl Serialize) -> Self {
        let Ok(Value::Object(mut arguments)) = serde_json::to_value(input) else { return Self(Map::new()) };
        arguments.retain(|_, value| !matches!(value, Value::Null | Value::Bool(false)));
        Self(arguments)
    }

    /// Whether the argument is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A list of texts, if it is given.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let list = self.0.get(name)?.as_array()?;
        Some(list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
    }

    /// One warning for each argument that means nothing in the mode.
    pub(crate) fn ignored(&self, mode: &str, is_unused: impl Fn(&str) -> bool) -> Vec<Warning> {
        self.0
            .iter()
            .filter(|(name, value)| is_unused(name) && value.as_array().is_none_or(|list| !list.is_empty()))
            .map(|(name, _)| {
                Warning::new(code::IGNORED_ARGUMENT, format!("{name} has no meaning in {mode} mode."))
            })
            .collect()
    }
}

/// The answer of schema mode, for which the database is not asked.
pub(crate) fn schema_reply(page: Row, unused: Vec<Warning>) -> Reply<Row> {
    Reply::new(page).mode("schema").meta("database_query_performed", false).warnings(unused).trusted()
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

    #[test]
    fn wildcards_in_a_search_are_text() {
        assert_eq!(containing("50% off_!"), "%50!% off!_!!%");
    }
}
