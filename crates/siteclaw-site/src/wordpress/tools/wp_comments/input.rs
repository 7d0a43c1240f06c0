//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::{SYSTEM_TYPES, WpComments};
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{Order, checked_search, containing};
use crate::wordpress::period::{Period, Range};

/// Arguments of `wp_comments`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpComments>,
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
    #[serde(flatten)]
    period: Period,
    /// Sort by. Default comment_date_gmt.
    orderby: Option<OrderBy>,
    /// Direction. Default DESC.
    order: Option<Order>,
    #[serde(flatten)]
    page: Page<20, 50>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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
pub(crate) struct Checked {
    pub(super) status: Status,
    pub(super) order_by: OrderBy,
    pub(super) order: Order,
    pub(super) page: Page<20, 50>,
    post_id: Option<i64>,
    search: Option<String>,
    kind: Option<String>,
    period: Range,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            status: input.status.unwrap_or(Status::All),
            order_by: input.orderby.unwrap_or(OrderBy::Date),
            order: input.order.unwrap_or(Order::Desc),
            page: input.page,
            post_id: input.post_id,
            search: checked_search(input.search.as_deref())?,
            kind: input.kind,
            period: input.period.checked()?,
        })
    }
}

impl Checked {
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
        self.period.narrow(&mut filter, "c.comment_date");
        filter
    }
}
