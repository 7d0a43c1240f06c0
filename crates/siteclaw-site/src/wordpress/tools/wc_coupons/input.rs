//! The arguments, and the plan they make.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WcCoupons;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{checked_search, containing};

/// Arguments of `wc_coupons`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcCoupons>,
    /// Which coupons. Default all.
    status: Option<Status>,
    /// Text that code or description must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    #[serde(flatten)]
    page: Page<20, 50>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    All,
    /// Neither expired nor used up.
    Active,
    Expired,
    /// Used as often as it may be.
    Exhausted,
}

impl Status {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Exhausted => "exhausted",
        }
    }
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) status: Status,
    pub(super) page: Page<20, 50>,
    search: Option<String>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            status: input.status.unwrap_or(Status::All),
            page: input.page,
            search: checked_search(input.search.as_deref())?,
        })
    }
}

/// A number kept as meta.
fn number(key: &str) -> String {
    format!(
        "COALESCE(CAST((SELECT NULLIF(m.meta_value, '') FROM {{postmeta}} m WHERE m.post_id = p.ID \
         AND m.meta_key = '{key}' ORDER BY m.meta_id LIMIT 1) AS DECIMAL(20)), 0)"
    )
}

/// Whether a coupon is over; the mark is now, in Unix seconds.
pub(super) const EXPIRED: &str = "EXISTS (SELECT 1 FROM {postmeta} m WHERE m.post_id = p.ID \
    AND m.meta_key = 'date_expires' AND m.meta_value <> '' AND CAST(m.meta_value AS DECIMAL(20)) < ?)";

/// Whether a coupon was used as often as it may be.
pub(super) fn exhausted() -> String {
    let (limit, count) = (number("usage_limit"), number("usage_count"));
    format!("({limit} > 0 AND {count} >= {limit})")
}

impl Checked {
    /// All filters but the status.
    pub(super) fn common(&self) -> Condition {
        let mut filter = Condition::default();
        filter.plain("p.post_type = 'shop_coupon' AND p.post_status = 'publish'");
        if let Some(text) = &self.search {
            filter.same(
                "(p.post_title LIKE ? ESCAPE '!' OR p.post_excerpt LIKE ? ESCAPE '!')",
                containing(text),
            );
        }
        filter
    }

    pub(super) fn filter(&self, now: Timestamp) -> Condition {
        let mut filter = self.common();
        match self.status {
            Status::All => {}
            Status::Active => {
                filter.one(&format!("NOT {EXPIRED}"), now.as_second());
                filter.plain(&format!("NOT {}", exhausted()));
            }
            Status::Expired => filter.one(EXPIRED, now.as_second()),
            Status::Exhausted => filter.plain(&exhausted()),
        }
        filter
    }
}
