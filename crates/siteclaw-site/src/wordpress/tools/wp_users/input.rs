//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{Code, ToolError};

use super::WpUsers;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{Order, checked_search};

const ROLE_TOO_LONG: Code = Code::new("ROLE_TOO_LONG");
/// The most characters of a role.
const MAX_ROLE: usize = 100;

/// Arguments of `wp_users`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpUsers>,
    /// Only accounts with this role, such as administrator, editor, author, contributor, subscriber, customer,
    /// shop_manager.
    #[schemars(length(min = 1, max = 1000))]
    role: Option<String>,
    /// Text that login or display name must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Only the account with this id.
    #[schemars(range(min = 1))]
    user_id: Option<i64>,
    /// Sort by. Default registered.
    orderby: Option<OrderBy>,
    /// Direction. Default DESC.
    order: Option<Order>,
    #[serde(flatten)]
    page: Page<20, 100>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OrderBy {
    Registered,
    DisplayName,
    Login,
    #[serde(rename = "ID")]
    Id,
    PostCount,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) role: Option<String>,
    pub(super) search: Option<String>,
    pub(super) user_id: Option<i64>,
    pub(super) page: Page<20, 100>,
    order_by: OrderBy,
    order: Order,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        if input.role.as_ref().is_some_and(|role| role.chars().count() > MAX_ROLE) {
            return Err(ToolError::new(ROLE_TOO_LONG, format!("role has more than {MAX_ROLE} characters.")));
        }
        Ok(Self {
            role: input.role,
            search: checked_search(input.search.as_deref())?,
            user_id: input.user_id,
            page: input.page,
            order_by: input.orderby.unwrap_or(OrderBy::Registered),
            order: input.order.unwrap_or(Order::Desc),
        })
    }
}

impl Checked {
    /// Sorted by the field, then by id in the same direction.
    pub(super) fn order(&self) -> String {
        let field = match self.order_by {
            OrderBy::Registered => "u.user_registered",
            OrderBy::DisplayName => "u.display_name",
            OrderBy::Login => "u.user_login",
            OrderBy::Id => "u.ID",
            OrderBy::PostCount => "post_count",
        };
        let direction = self.order.sql();
        format!("{field} {direction}, u.ID {direction}")
    }

    /// The number of posts, where rows are sorted by it.
    pub(super) fn counted_column(&self) -> &'static str {
        if self.order_by == OrderBy::PostCount {
            ", (SELECT COUNT(*) FROM {posts} p WHERE p.post_author = u.ID AND p.post_type = 'post' \
             AND p.post_status IN ('publish', 'private')) AS post_count"
        } else {
            ""
        }
    }
}
