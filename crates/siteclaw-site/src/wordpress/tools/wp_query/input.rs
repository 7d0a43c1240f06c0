//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_core::{Paging, ToolError};

use super::WpQuery;
use super::search::{self, Term};
use crate::wordpress::listing::{Modes, Pages};
use crate::wordpress::modes::{Order, checked_search};
use crate::wordpress::period::{Period, Range};

/// Arguments of `wp_query`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpQuery>,
    /// Words that title, excerpt or content must hold; "quoted phrases" stay whole, -word excludes.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Type of content: post, page, product, any type of the site, or any. Default post.
    #[schemars(regex(pattern = "^[a-z0-9_-]{1,20}$"))]
    post_type: Option<String>,
    /// Status. Default publish; any leaves out trash.
    post_status: Option<Status>,
    #[serde(flatten)]
    page: NumberedPage,
    /// Sort by. Default date.
    orderby: Option<OrderBy>,
    /// Direction. Default DESC.
    order: Option<Order>,
    /// Only posts of the author with this user id.
    #[schemars(range(min = 1))]
    author_id: Option<i64>,
    /// Slug of a category; its sub-categories count too.
    #[schemars(length(min = 1, max = 200))]
    category_name: Option<String>,
    /// Slug of a tag.
    #[schemars(length(min = 1, max = 200))]
    tag: Option<String>,
    #[serde(flatten)]
    period: Period,
    /// Only posts with at least this many comments.
    #[schemars(range(min = 0))]
    min_comment_count: Option<i64>,
    /// Only sticky posts.
    #[serde(default)]
    featured: bool,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Publish,
    Future,
    Draft,
    Pending,
    Private,
    Trash,
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderBy {
    Date,
    Title,
    Modified,
    #[serde(rename = "ID")]
    Id,
    Rand,
    CommentCount,
    MenuOrder,
}

/// A numbered page.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct NumberedPage {
    /// Rows on a page. Default 10.
    #[schemars(range(min = 1, max = 50))]
    posts_per_page: Option<u64>,
    /// Page, from 1.
    #[schemars(range(min = 1, max = 100_000))]
    paged: Option<u64>,
}

impl NumberedPage {
    pub(super) fn size(self) -> u64 {
        self.posts_per_page.unwrap_or(10)
    }

    fn number(self) -> u64 {
        self.paged.unwrap_or(1)
    }

    /// Rows before the page.
    pub(super) fn offset(self) -> u64 {
        self.number().saturating_sub(1).saturating_mul(self.size())
    }

    pub(super) fn of(self, total: i64) -> Paging {
        let total = u64::try_from(total).unwrap_or(0);
        Paging::Numbered { page: self.number(), size: self.size(), total, size_field: "posts_per_page" }
    }
}

impl Pages for NumberedPage {
    fn facts() -> Value {
        json!({"pagination": {"type": "paged", "page": "paged", "size": "posts_per_page"},
               "limits": {"posts_per_page": {"minimum": 1, "maximum": 50, "default": 10}}})
    }
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) search: Vec<Term>,
    pub(super) kind: String,
    pub(super) status: &'static str,
    pub(super) status_given: bool,
    pub(super) page: NumberedPage,
    pub(super) order_by: OrderBy,
    pub(super) order: Order,
    pub(super) author: Option<i64>,
    pub(super) category: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) period: Range,
    pub(super) min_comments: Option<i64>,
    pub(super) sticky_only: bool,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        let search = checked_search(input.search.as_deref())?;
        Ok(Self {
            search: search.map(|text| search::terms(&text)).unwrap_or_default(),
            kind: input.post_type.unwrap_or_else(|| "post".to_owned()),
            status_given: input.post_status.is_some(),
            status: status_name(input.post_status.unwrap_or(Status::Publish)),
            page: input.page,
            order_by: input.orderby.unwrap_or(OrderBy::Date),
            order: input.order.unwrap_or(Order::Desc),
            author: input.author_id,
            category: input.category_name,
            tag: input.tag,
            period: input.period.checked()?,
            min_comments: input.min_comment_count,
            sticky_only: input.featured,
        })
    }
}

const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Publish => "publish",
        Status::Future => "future",
        Status::Draft => "draft",
        Status::Pending => "pending",
        Status::Private => "private",
        Status::Trash => "trash",
        Status::Any => "any",
    }
}
