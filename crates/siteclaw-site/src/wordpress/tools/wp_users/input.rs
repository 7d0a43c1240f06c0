//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::Deserialize;
use siteclaw_core::{Code, ToolError, Warning};

use super::COLUMNS;
use crate::wordpress::modes::{Mode, Order, checked_search, ignored};

const ROLE_TOO_LONG: Code = Code::new("ROLE_TOO_LONG");
/// The most characters of a role.
const MAX_ROLE: usize = 100;

pub(super) const DEFAULT_LIMIT: u64 = 20;
/// What rows can be sorted by.
pub(super) const ORDER_BY: [&str; 5] = ["registered", "display_name", "login", "ID", "post_count"];

/// Arguments of `wp_users`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Columns to return; ["*"] for all but user_email, last_login and post_count. Usual: id, display_name,
    /// user_login, role, user_registered. Also: user_nicename, user_email, user_url, user_status, last_login,
    /// post_count.
    columns: Option<Vec<String>>,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
    /// Count by role instead of listing.
    #[serde(default)]
    aggregate: bool,
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
    /// Rows to return. Default 20.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u64>,
    /// Rows to pass over. Default 0.
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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
pub(crate) struct Plan {
    pub(super) mode: Mode,
    pub(super) columns: Vec<&'static str>,
    pub(super) role: Option<String>,
    pub(super) search: Option<String>,
    pub(super) user_id: Option<i64>,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) unused: Vec<Warning>,
    order_by: OrderBy,
    order: Order,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        let given = [
            ("columns", input.columns.is_some()),
            ("role", input.role.is_some()),
            ("search", input.search.is_some()),
            ("user_id", input.user_id.is_some()),
            ("orderby", input.orderby.is_some()),
            ("order", input.order.is_some()),
            ("limit", input.limit.is_some()),
            ("offset", input.offset.is_some()),
        ];
        let unused = match mode {
            Mode::Query => Vec::new(),
            Mode::Aggregate => ignored("aggregate", &given),
            Mode::Schema => ignored("schema", &given),
        };
        if input.role.as_ref().is_some_and(|role| role.chars().count() > MAX_ROLE) {
            return Err(ToolError::new(ROLE_TOO_LONG, format!("role has more than {MAX_ROLE} characters.")));
        }
        Ok(Self {
            mode,
            columns: COLUMNS.select(input.columns.as_deref())?,
            role: input.role,
            search: checked_search(input.search.as_deref())?,
            user_id: input.user_id,
            limit: input.limit.unwrap_or(DEFAULT_LIMIT),
            offset: input.offset.unwrap_or(0),
            unused,
            order_by: input.orderby.unwrap_or(OrderBy::Registered),
            order: input.order.unwrap_or(Order::Desc),
        })
    }

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
