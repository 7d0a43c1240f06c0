//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{ToolError, Warning, code};

use super::blocked::checked_names;
use crate::wordpress::listing::Page;
use crate::wordpress::modes::{Given, checked_search};

/// Arguments of `wp_option`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
    /// Counts, sizes, the largest autoloaded options and the transients.
    #[serde(default)]
    aggregate: bool,
    /// Exact name of an option, or a list of up to 50 names, such as siteurl, blogname, blogdescription, admin_email,
    /// timezone_string, permalink_structure, posts_per_page, template, woocommerce_currency.
    option_name: Option<Names>,
    /// With option_name: read one part of a stored array, such as menu.0.label.
    #[schemars(length(min = 1, max = 500))]
    path: Option<String>,
    /// Text that the option's name must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// With search: show the values too.
    #[serde(default)]
    include_values: bool,
    /// Only options that are loaded on every request.
    #[serde(default)]
    autoload_only: bool,
    /// With search: sort by. Default name; size puts the largest first.
    sort: Option<Sort>,
    #[serde(flatten)]
    page: Page<50, 200>,
}

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Names {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sort {
    Name,
    Size,
}

/// Which question is asked, checked.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) question: Question,
    pub(super) autoload_only: bool,
    pub(super) unused: Vec<Warning>,
}

#[derive(Debug)]
pub(super) enum Question {
    Schema,
    Aggregate,
    Lookup { names: Vec<String>, path: Option<String> },
    Search { text: String, values: bool, sort: Sort, page: Page<50, 200> },
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let given = Given::of(&input);
        let search = checked_search(input.search.as_deref())?;
        let conflict = |what: &str| Err(ToolError::new(code::CONFLICTING_MODES, what.to_owned()));
        if input.schema && input.aggregate {
            return conflict("schema and aggregate exclude each other.");
        }
        if input.option_name.is_some() && search.is_some() {
            return conflict("option_name and search exclude each other.");
        }
        let unused = |mode: &str, used: &[&str]| given.ignored(mode, |name| !used.contains(&name));
        let (question, unused) = if input.schema {
            (Question::Schema, unused("schema", &["schema"]))
        } else if input.aggregate {
            (Question::Aggregate, unused("aggregate", &["aggregate", "autoload_only"]))
        } else if let Some(names) = input.option_name {
            let question = Question::Lookup { names: checked_names(names)?, path: input.path };
            (question, unused("lookup", &["option_name", "path"]))
        } else if let Some(text) = search {
            let question = Question::Search {
                text,
                values: input.include_values,
                sort: input.sort.unwrap_or(Sort::Name),
                page: input.page,
            };
            (question, given.ignored("search", |name| name == "path"))
        } else {
            return Err(ToolError::new(
                code::INVALID_ARGUMENT,
                "One of option_name, search, aggregate and schema is needed.",
            ));
        };
        Ok(Self { question, autoload_only: input.autoload_only, unused })
    }
}
