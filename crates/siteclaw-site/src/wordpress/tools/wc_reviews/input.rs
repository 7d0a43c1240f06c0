//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::{IS_REVIEW, RATING, WcReviews};
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{checked_search, containing};
use crate::wordpress::period::{Period, Range};

/// Reviews that a product must have to be ranked.
const USUAL_REVIEWS: i64 = 3;

/// Arguments of `wc_reviews`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcReviews>,
    /// Which reviews. Default all, which is approved and pending.
    status: Option<Status>,
    /// Only reviews of the product with this id.
    #[schemars(range(min = 1))]
    product_id: Option<i64>,
    /// Only reviews with at least this many stars.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 6))]
    min_rating: Option<i64>,
    /// Only reviews with at most this many stars.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 6))]
    max_rating: Option<i64>,
    /// Text that review or author must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    #[serde(flatten)]
    period: Period,
    /// Only reviews that nobody has answered.
    #[serde(default)]
    unanswered: bool,
    /// For aggregate: reviews that a product must have to be ranked. Default 3.
    #[schemars(range(min = 1, max = 1000))]
    min_reviews: Option<i64>,
    #[serde(flatten)]
    page: Page<20, 50>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    All,
    Approved,
    Pending,
    Spam,
    Trash,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) status: Status,
    pub(super) min_reviews: i64,
    pub(super) page: Page<20, 50>,
    product_id: Option<i64>,
    min_rating: Option<i64>,
    max_rating: Option<i64>,
    search: Option<String>,
    period: Range,
    unanswered: bool,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            status: input.status.unwrap_or(Status::All),
            min_reviews: input.min_reviews.unwrap_or(USUAL_REVIEWS),
            page: input.page,
            product_id: input.product_id,
            min_rating: input.min_rating,
            max_rating: input.max_rating,
            search: checked_search(input.search.as_deref())?,
            period: input.period.checked()?,
            unanswered: input.unanswered,
        })
    }
}

impl Checked {
    /// All filters but the status.
    pub(super) fn filter(&self) -> Condition {
        let mut filter = Condition::default();
        filter.plain(IS_REVIEW);
        if let Some(product) = self.product_id {
            filter.one("c.comment_post_ID = ?", product);
        }
        for (rating, operator) in [(self.min_rating, ">="), (self.max_rating, "<=")] {
            if let Some(rating) = rating {
                filter.one(&format!("CAST({RATING} AS DECIMAL(3,1)) {operator} ?"), rating);
            }
        }
        if let Some(text) = &self.search {
            filter.same(
                "(c.comment_content LIKE ? ESCAPE '!' OR c.comment_author LIKE ? ESCAPE '!')",
                containing(text),
            );
        }
        self.period.narrow(&mut filter, "c.comment_date");
        if self.unanswered {
            filter.plain(
                "NOT EXISTS (SELECT 1 FROM {comments} a WHERE a.comment_parent = c.comment_ID \
                 AND a.comment_approved = '1')",
            );
        }
        filter
    }
}
