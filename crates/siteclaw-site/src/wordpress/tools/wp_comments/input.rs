//! The arguments, and the plan they make.

use super::{COLUMNS, DEFAULT_LIMIT, SYSTEM_TYPES};
use crate::wordpress::condition::Condition;
use crate::wordpress::modes::{Mode, Order, checked_edge, checked_search, containing, ignored};
use crate::wordpress::zone::{Edge, wall};
use jiff::civil::DateTime;
use schemars::JsonSchema;
use serde::Deserialize;
use siteclaw_core::{ToolError, Warning};

/// Arguments of `wp_comments`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Columns to return; ["*"] for all but author_email and author_ip. Usual: id, author, content, date, status,
    /// post_title. Also: author_email, author_url, author_ip, post_id, parent, type.
    columns: Option<Vec<String>>,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
    /// Count by status instead of listing.
    #[serde(default)]
    aggregate: bool,
    /// Which comments. Default all, which is approve and hold.
    status: Option<Status>,
    /// Only comments on the post with this id.
    #[schemars(range(min = 1))]
    post_id: Option<i64>,
    /// Text that author, e-mail, address, IP or content must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Type: comment, pingback, trackback, review or another. Default all that people write.
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 50))]
    kind: Option<String>,
    /// From this day or time on, inclusive, on the site's clock: 2026-11-30, 2026-11 or 2026-11-30T08:00:00.
    #[schemars(length(max = 50))]
    date_after: Option<String>,
    /// Up to this day or time, inclusive.
    #[schemars(length(max = 50))]
    date_before: Option<String>,
    /// Sort by. Default comment_date_gmt.
    orderby: Option<OrderBy>,
    /// Direction. Default DESC.
    order: Option<Order>,
    /// Rows to return. Default 20.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u64>,
    /// Rows to pass over. Default 0.
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    All,
    /// Approved.
    Approve,
    /// Waiting for moderation.
    Hold,
    Spam,
    Trash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) enum OrderBy {
    #[serde(rename = "comment_date_gmt")]
    Date,
    #[serde(rename = "comment_ID")]
    Id,
    #[serde(rename = "comment_author")]
    Author,
    #[serde(rename = "comment_post_ID")]
    Post,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) mode: Mode,
    pub(super) columns: Vec<&'static str>,
    pub(super) status: Status,
    pub(super) post_id: Option<i64>,
    pub(super) search: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) after: Option<DateTime>,
    pub(super) before: Option<DateTime>,
    pub(super) order_by: OrderBy,
    pub(super) order: Order,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) unused: Vec<Warning>,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        let rows_only = [
            ("columns", input.columns.is_some()),
            ("status", input.status.is_some()),
            ("orderby", input.orderby.is_some()),
            ("order", input.order.is_some()),
            ("limit", input.limit.is_some()),
            ("offset", input.offset.is_some()),
        ];
        let filters = [
            ("post_id", input.post_id.is_some()),
            ("search", input.search.is_some()),
            ("type", input.kind.is_some()),
            ("date_after", input.date_after.is_some()),
            ("date_before", input.date_before.is_some()),
        ];
        let unused = match mode {
            Mode::Query => Vec::new(),
            Mode::Aggregate => ignored("aggregate", &rows_only),
            Mode::Schema => [ignored("schema", &rows_only), ignored("schema", &filters)].concat(),
        };
        Ok(Self {
            mode,
            columns: COLUMNS.select(input.columns.as_deref())?,
            status: input.status.unwrap_or(Status::All),
            post_id: input.post_id,
            search: checked_search(input.search.as_deref())?,
            kind: input.kind,
            after: checked_edge("date_after", input.date_after.as_deref(), Edge::After)?,
            before: checked_edge("date_before", input.date_before.as_deref(), Edge::Before)?,
            order_by: input.orderby.unwrap_or(OrderBy::Date),
            order: input.order.unwrap_or(Order::Desc),
            limit: input.limit.unwrap_or(DEFAULT_LIMIT),
            offset: input.offset.unwrap_or(0),
            unused,
        })
    }

    /// All filters but the status.
    pub(super) fn filter(&self) -> Condition {
        let mut filter = Condition::default();
        match self.kind.as_deref() {
            // Comments of old sites have an empty type.
            Some("comment") => filter.list("c.comment_type IN (?*)", ["", "comment"]),
            Some(kind) => filter.one("c.comment_type = ?", kind),
            None => filter.list("c.comment_type NOT IN (?*)", SYSTEM_TYPES),
        }
        if let Some(post) = self.post_id {
            filter.one("c.comment_post_ID = ?", post);
        }
        if let Some(text) = &self.search {
            filter.same(
                "(c.comment_author LIKE ? ESCAPE '!' OR c.comment_author_email LIKE ? ESCAPE '!' \
                 OR c.comment_author_url LIKE ? ESCAPE '!' OR c.comment_author_IP LIKE ? ESCAPE '!' \
                 OR c.comment_content LIKE ? ESCAPE '!')",
                containing(text),
            );
        }
        if let Some(after) = self.after {
            filter.one("c.comment_date >= ?", wall(after));
        }
        if let Some(before) = self.before {
            filter.one("c.comment_date <= ?", wall(before));
        }
        filter
    }
}
