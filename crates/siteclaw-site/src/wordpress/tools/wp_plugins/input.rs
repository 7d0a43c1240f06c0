//! The arguments, and the plan they make.

use super::{COLUMNS, DEFAULT_LIMIT};
use crate::wordpress::modes::{Mode, checked_search, ignored};
use schemars::JsonSchema;
use serde::Deserialize;
use siteclaw_core::{ToolError, Warning};

/// Arguments of `wp_plugins`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Columns to return; ["*"] for all. Usual: name, version, active, author. Also: slug, description, url,
    /// update_available, network_active, file, kind, missing.
    columns: Option<Vec<String>>,
    /// Show what can be asked, without looking.
    #[serde(default)]
    schema: bool,
    /// Count instead of listing.
    #[serde(default)]
    aggregate: bool,
    /// Which plugins. Default all.
    status: Option<Status>,
    /// Which sort of plugin. Default plugin.
    kind: Option<Kind>,
    /// Text that the plugin's name must hold, whatever the case.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Rows to return. Default 50.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u64>,
    /// Rows to pass over. Default 0.
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    All,
    Active,
    Inactive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Ordinary plugins, which can be switched on and off.
    Plugin,
    /// Plugins that are always active.
    MustUse,
    /// Files that take over a part of WordPress.
    DropIn,
    /// All three.
    All,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) mode: Mode,
    pub(super) columns: Vec<&'static str>,
    pub(super) status: Status,
    pub(super) kind: Kind,
    pub(super) search: Option<String>,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) unused: Vec<Warning>,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        let unused = match mode {
            Mode::Query => Vec::new(),
            mode => {
                let name = if mode == Mode::Schema { "schema" } else { "aggregate" };
                let mut given = vec![
                    ("columns", input.columns.is_some()),
                    ("limit", input.limit.is_some()),
                    ("offset", input.offset.is_some()),
                ];
                if mode == Mode::Schema {
                    given.push(("status", input.status.is_some()));
                    given.push(("kind", input.kind.is_some()));
                    given.push(("search", input.search.is_some()));
                }
                ignored(name, &given)
            }
        };
        Ok(Self {
            mode,
            columns: COLUMNS.select(input.columns.as_deref())?,
            status: input.status.unwrap_or(Status::All),
            kind: input.kind.unwrap_or(Kind::Plugin),
            search: checked_search(input.search.as_deref())?,
            limit: input.limit.unwrap_or(DEFAULT_LIMIT),
            offset: input.offset.unwrap_or(0),
            unused,
        })
    }
}
