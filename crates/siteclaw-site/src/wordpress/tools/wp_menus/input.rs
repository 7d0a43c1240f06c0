//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WpMenus;
use crate::wordpress::listing::{Modes, Page};

/// Arguments of `wp_menus`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpMenus>,
    /// Name, slug or id of a menu, to list its items. Without it the menus are listed.
    #[schemars(length(min = 1, max = 200))]
    menu: Option<String>,
    /// Only items right under the item with this id; 0 for the top level.
    #[schemars(range(min = 0))]
    parent: Option<i64>,
    /// Only items of this level; 0 is the top.
    #[schemars(range(min = 0, max = 10))]
    depth: Option<u64>,
    /// Only items whose target is gone, in the bin or not published.
    #[serde(default)]
    broken_only: bool,
    #[serde(flatten)]
    page: Page<50, 200>,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) menu: Option<String>,
    pub(super) parent: Option<i64>,
    pub(super) depth: Option<u64>,
    pub(super) broken_only: bool,
    pub(super) page: Page<50, 200>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            menu: input.menu.map(|menu| menu.trim().to_owned()),
            parent: input.parent,
            depth: input.depth,
            broken_only: input.broken_only,
            page: input.page,
        })
    }
}
