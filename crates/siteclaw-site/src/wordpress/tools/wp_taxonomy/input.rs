//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WpTaxonomy;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{Order, checked_search, containing};

/// Arguments of `wp_taxonomy`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpTaxonomy>,
    /// Slug of a taxonomy: category, post_tag, product_cat or another of the site. Default all that readers see.
    #[schemars(length(min = 1, max = 64))]
    taxonomy: Option<String>,
    /// Text that name or slug must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Only terms right under the term with this id; 0 for the top level.
    #[schemars(range(min = 0))]
    parent: Option<i64>,
    /// Leave out terms that neither have content nor lead to a term that has.
    #[serde(default)]
    hide_empty: bool,
    /// Whether rows have the column count. Default true.
    with_post_count: Option<bool>,
    /// Count published content anew instead of trusting the stored counts.
    #[serde(default)]
    recount: bool,
    /// Sort by. Default name.
    orderby: Option<OrderBy>,
    /// Direction. Default ASC.
    order: Option<Order>,
    #[serde(flatten)]
    page: Page<50, 200>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OrderBy {
    Name,
    Count,
    Id,
    Slug,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) taxonomy: Option<String>,
    pub(super) hide_empty: bool,
    pub(super) with_count: bool,
    pub(super) recount: bool,
    pub(super) page: Page<50, 200>,
    search: Option<String>,
    parent: Option<i64>,
    order_by: OrderBy,
    order: Order,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            taxonomy: input.taxonomy,
            hide_empty: input.hide_empty,
            with_count: input.with_post_count.unwrap_or(true),
            recount: input.recount,
            page: input.page,
            search: checked_search(input.search.as_deref())?,
            parent: input.parent,
            order_by: input.orderby.unwrap_or(OrderBy::Name),
            order: input.order.unwrap_or(Order::Asc),
        })
    }
}

impl Checked {
    /// The filters over these taxonomies. `kept` are terms that are empty themselves but lead to others.
    pub(super) fn filter(&self, taxonomies: &[String], kept: &[i64]) -> Condition {
        let mut filter = Condition::default();
        filter.list("tt.taxonomy IN (?*)", taxonomies.iter().map(String::as_str));
        if let Some(text) = &self.search {
            filter.same("(t.name LIKE ? ESCAPE '!' OR t.slug LIKE ? ESCAPE '!')", containing(text));
        }
        if let Some(parent) = self.parent {
            filter.one("tt.parent = ?", parent);
        }
        if self.hide_empty {
            if kept.is_empty() {
                filter.plain("tt.count > 0");
            } else {
                filter.list("(tt.count > 0 OR tt.term_taxonomy_id IN (?*))", kept.iter().copied());
            }
        }
        filter
    }

    /// Sorted by the field, then by id.
    pub(super) fn sorting(&self) -> String {
        let direction = self.order.sql();
        let field = match self.order_by {
            OrderBy::Id => return format!("t.term_id {direction}, tt.taxonomy"),
            OrderBy::Name => "t.name",
            OrderBy::Count => "tt.count",
            OrderBy::Slug => "t.slug",
        };
        format!("{field} {direction}, t.term_id {direction}, tt.taxonomy")
    }
}
