//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WpPlugins;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::checked_search;

/// Arguments of `wp_plugins`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpPlugins>,
    /// Which plugins. Default all.
    status: Option<Status>,
    /// Which sort of plugin. Default plugin.
    kind: Option<Kind>,
    /// Text that the plugin's name must hold, whatever the case.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    #[serde(flatten)]
    page: Page<50, 200>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    All,
    Active,
    Inactive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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
pub(crate) struct Checked {
    pub(super) status: Status,
    pub(super) kind: Kind,
    pub(super) search: Option<String>,
    pub(super) page: Page<50, 200>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            status: input.status.unwrap_or(Status::All),
            kind: input.kind.unwrap_or(Kind::Plugin),
            search: checked_search(input.search.as_deref())?,
            page: input.page,
        })
    }
}
