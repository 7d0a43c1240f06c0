//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WcTax;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Pages};

/// A page of up to 100 rates; there may be very many.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct RatePage {
    /// Rows to return. Default 25.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u64>,
    /// Rows to pass over. Default 0.
    #[schemars(range(min = 0, max = 100_000))]
    offset: Option<u64>,
}

impl Pages for RatePage {
    fn facts() -> serde_json::Value {
        serde_json::json!({"pagination": {"type": "offset"},
            "limits": {"limit": {"minimum": 1, "maximum": 100, "default": 25}}})
    }
}

impl RatePage {
    pub(super) fn limit(self) -> u64 {
        self.limit.unwrap_or(25)
    }

    pub(super) fn offset(self) -> u64 {
        self.offset.unwrap_or(0)
    }
}

/// Arguments of `wc_tax`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcTax>,
    /// Only rates of this tax class, by its slug; standard for the usual one.
    #[schemars(length(min = 1, max = 100))]
    tax_class: Option<String>,
    /// Only rates that apply in this country, as two capital letters; those for all countries too.
    #[schemars(regex(pattern = "^[A-Za-z]{2}$"))]
    country: Option<String>,
    #[serde(flatten)]
    page: RatePage,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) tax_class: Option<String>,
    pub(super) country: Option<String>,
    pub(super) page: RatePage,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            tax_class: input.tax_class.map(|class| class.trim().to_ascii_lowercase()),
            country: input.country.map(|country| country.to_ascii_uppercase()),
            page: input.page,
        })
    }
}

impl Checked {
    pub(super) fn filter(&self) -> Condition {
        let mut filter = Condition::default();
        if let Some(class) = &self.tax_class {
            filter.one("r.tax_rate_class = ?", if class == "standard" { "" } else { class.as_str() });
        }
        if let Some(country) = &self.country {
            filter.one("(r.tax_rate_country = ? OR r.tax_rate_country = '')", country.as_str());
        }
        filter
    }
}
