//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WcCategories;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{checked_search, containing};

/// Arguments of `wc_categories`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcCategories>,
    /// Text that name or slug must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Leave out categories without products, in them or under them.
    #[serde(default)]
    hide_empty: bool,
    /// Only categories right under the one with this id; 0 for the top level.
    #[schemars(range(min = 0))]
    parent_id: Option<i64>,
    #[serde(flatten)]
    page: Page<30, 50>,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) page: Page<30, 50>,
    search: Option<String>,
    hide_empty: bool,
    parent_id: Option<i64>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            page: input.page,
            search: checked_search(input.search.as_deref())?,
            hide_empty: input.hide_empty,
            parent_id: input.parent_id,
        })
    }
}

impl Checked {
    pub(super) fn filter(&self) -> Condition {
        let mut filter = Condition::default();
        filter.plain("tt.taxonomy = 'product_cat'");
        if let Some(text) = &self.search {
            filter.same("(t.name LIKE ? ESCAPE '!' OR t.slug LIKE ? ESCAPE '!')", containing(text));
        }
        if let Some(parent) = self.parent_id {
            filter.one("tt.parent = ?", parent);
        }
        if self.hide_empty {
            filter.plain(super::HOLDS_PRODUCTS);
        }
        filter
    }
}
