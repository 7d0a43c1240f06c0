//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WpCron;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::checked_search;

/// Arguments of `wp_cron`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpCron>,
    /// Only events of this hook, by its whole name.
    #[schemars(length(min = 1, max = 255))]
    hook: Option<String>,
    /// Text that the hook's name must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Only events that should have run minutes ago.
    #[serde(default)]
    overdue_only: bool,
    #[serde(flatten)]
    page: Page<25, 100>,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) hook: Option<String>,
    pub(super) search: Option<String>,
    pub(super) overdue_only: bool,
    pub(super) page: Page<25, 100>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            hook: input.hook,
            search: checked_search(input.search.as_deref())?.map(|text| text.to_lowercase()),
            overdue_only: input.overdue_only,
            page: input.page,
        })
    }
}
