//! The arguments, and the plan they make.

use jiff::civil::DateTime;
use schemars::JsonSchema;
use serde::Deserialize;
use siteclaw_core::{ToolError, Warning};

use super::COLUMNS;
use super::search::{self, Term};
use crate::wordpress::modes::{Mode, Order, checked_edge, checked_search, ignored};
use crate::wordpress::zone::Edge;

/// What rows can be sorted by.
pub(super) const ORDER_BY: [&str; 7] =
    ["date", "title", "modified", "ID", "rand", "comment_count", "menu_order"];

/// Arguments of `wp_query`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Columns to return; ["*"] for all. Usual: id, title, status, type, date, url, author, excerpt. Also:
    /// modified, comment_count, menu_order, post_parent, featured.
    columns: Option<Vec<String>>,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
    /// Count instead of listing.
    #[serde(default)]
    aggregate: bool,
    /// Words that title, excerpt or content must hold; "quoted phrases" stay whole, -word excludes.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Type of content: post, page, product, any type of the site, or any. Default post.
    #[schemars(regex(pattern = "^[a-z0-9_-]{1,20}$"))]
    post_type: Option<String>,
    /// Status. Default publish; any leaves out trash.
    post_status: Option<Status>,
    /// Rows on a page. Default 10.
    #[schemars(range(min = 1, max = 50))]
    posts_per_page: Option<u64>,
    /// Page, from 1.
    #[schemars(range(min = 1, max = 100_000))]
    paged: Option<u64>,
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
    /// From this day or time on, inclusive: 2026-11-30, 2026-11, 2026 or 2026-11-30T08:00:00, on the site's clock.
    #[schemars(length(max = 30))]
    date_after: Option<String>,
    /// Up to this day or time, inclusive.
    #[schemars(length(max = 30))]
    date_before: Option<String>,
    /// Only posts with at least this many comments.
    #[schemars(range(min = 0))]
    min_comment_count: Option<i64>,
    /// Only sticky posts.
    #[serde(default)]
    featured: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) mode: Mode,
    pub(super) columns: Vec<&'static str>,
    pub(super) search: Vec<Term>,
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) status_given: bool,
    pub(super) size: u64,
    pub(super) page: u64,
    pub(super) order_by: OrderBy,
    pub(super) order: Order,
    pub(super) author: Option<i64>,
    pub(super) category: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) after: Option<DateTime>,
    pub(super) before: Option<DateTime>,
    pub(super) min_comments: Option<i64>,
    pub(super) sticky_only: bool,
    unused: Vec<Warning>,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        let columns = COLUMNS.select(input.columns.as_deref())?;
        let search = checked_search(input.search.as_deref())?;
        let rows_only = [
            ("columns", input.columns.is_some()),
            ("posts_per_page", input.posts_per_page.is_some()),
            ("paged", input.paged.is_some()),
            ("orderby", input.orderby.is_some()),
            ("order", input.order.is_some()),
        ];
        let filters = [
            ("search", input.search.is_some()),
            ("post_type", input.post_type.is_some()),
            ("post_status", input.post_status.is_some()),
            ("author_id", input.author_id.is_some()),
            ("category_name", input.category_name.is_some()),
            ("tag", input.tag.is_some()),
            ("date_after", input.date_after.is_some()),
            ("date_before", input.date_before.is_some()),
            ("min_comment_count", input.min_comment_count.is_some()),
            ("featured", input.featured),
        ];
        let unused = match mode {
            Mode::Query => Vec::new(),
            Mode::Aggregate => ignored("aggregate", &rows_only),
            Mode::Schema => {
                let mut warnings = ignored("schema", &rows_only);
                warnings.extend(ignored("schema", &filters));
                warnings
            }
        };
        Ok(Self {
            mode,
            columns,
            search: search.map(|text| search::terms(&text)).unwrap_or_default(),
            kind: input.post_type.unwrap_or_else(|| "post".to_owned()),
            status_given: input.post_status.is_some(),
            status: status_name(input.post_status.unwrap_or(Status::Publish)).to_owned(),
            size: input.posts_per_page.unwrap_or(10),
            page: input.paged.unwrap_or(1),
            order_by: input.orderby.unwrap_or(OrderBy::Date),
            order: input.order.unwrap_or(Order::Desc),
            author: input.author_id,
            category: input.category_name,
            tag: input.tag,
            after: checked_edge("date_after", input.date_after.as_deref(), Edge::After)?,
            before: checked_edge("date_before", input.date_before.as_deref(), Edge::Before)?,
            min_comments: input.min_comment_count,
            sticky_only: input.featured,
            unused,
        })
    }

    /// Warnings about arguments that the mode does not use.
    pub(super) fn ignored(&self) -> Vec<Warning> {
        self.unused.clone()
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
