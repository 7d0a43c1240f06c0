//! The arguments, and the plan they make.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{Code, ToolError, Warning, code, sanitise_fragment};

use crate::wordpress::modes::Given;
use crate::wordpress::woo::period::{Days, Period};

/// A day is not written as `YYYY-MM-DD`, or is lacking.
const INVALID_DATE: Code = Code::new("INVALID_DATE");

pub(super) const DEFAULT_TOP: u64 = 5;
/// The longest period that may be named by dates, in days.
pub(super) const MAX_DAYS: i32 = 366;

/// Arguments of `wc_report`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Which days, on the shop's clock. Default this_month; custom where date_from is given.
    period: Option<Period>,
    /// First day, as 2026-11-01; for period custom.
    #[schemars(length(max = 30))]
    date_from: Option<String>,
    /// Last day, inclusive, for period custom. Default today. At most 366 days after date_from.
    #[schemars(length(max = 30))]
    date_to: Option<String>,
    /// How many best sellers to name. Default 5.
    #[schemars(range(min = 1, max = 20))]
    top_products: Option<u64>,
    /// Put the figures beside those of other days.
    compare: Option<Compare>,
    /// Split the figures.
    group_by: Option<GroupBy>,
    /// What counts as a sale. Default paid_statuses.
    basis: Option<Basis>,
    /// Statuses that count as paid, in place of completed and processing; without the wc- in front.
    #[schemars(length(min = 1, max = 20), inner(regex(pattern = "^[a-z0-9_-]{1,40}$")))]
    statuses: Option<Vec<String>>,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
}

/// What the figures are put beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Compare {
    /// The same stretch of the month, week, quarter or year before, else as many days right before.
    PreviousPeriod,
    /// The same days a year earlier.
    PreviousYear,
}

/// What the figures are split by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum GroupBy {
    Day,
    Week,
    Month,
    /// Every status, counted or not.
    Status,
    /// Billing country.
    Country,
    PaymentMethod,
    /// Product category; a product in two counts in both.
    Category,
    /// Coupon code.
    Coupon,
    /// New or returning, as Analytics knows it.
    CustomerType,
}

impl GroupBy {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Status => "status",
            Self::Country => "country",
            Self::PaymentMethod => "payment_method",
            Self::Category => "category",
            Self::Coupon => "coupon",
            Self::CustomerType => "customer_type",
        }
    }
}

/// What counts as a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Basis {
    /// Orders that are paid (completed, processing), by the day they were placed.
    PaidStatuses,
    /// As WooCommerce Analytics counts: all but pending, failed, cancelled, by the day the shop's settings name.
    Analytics,
}

impl Basis {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PaidStatuses => "paid_statuses",
            Self::Analytics => "analytics",
        }
    }
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) schema: bool,
    pub(super) period: Period,
    pub(super) from: Option<Date>,
    pub(super) to: Option<Date>,
    pub(super) top: u64,
    pub(super) compare: Option<Compare>,
    pub(super) group_by: Option<GroupBy>,
    pub(super) basis: Basis,
    pub(super) statuses: Option<Vec<String>>,
    pub(super) unused: Vec<Warning>,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let dated = input.date_from.is_some() || input.date_to.is_some();
        let period = input.period.unwrap_or(if dated { Period::Custom } else { Period::ThisMonth });
        let basis = input.basis.unwrap_or(Basis::PaidStatuses);
        let mut unused = Vec::new();
        if input.schema {
            unused = Given::of(&input).ignored("schema", |name| name != "schema");
        } else {
            let mut without = |why: &str, name: &str, given: bool| {
                if given {
                    let text = format!("{name} has no meaning {why}.");
                    unused.push(Warning::new(code::IGNORED_ARGUMENT, text));
                }
            };
            let named = period != Period::Custom;
            without("beside a named period", "date_from", named && input.date_from.is_some());
            without("beside a named period", "date_to", named && input.date_to.is_some());
            let of_analytics = basis == Basis::Analytics;
            without("for the basis analytics", "statuses", of_analytics && input.statuses.is_some());
            let all = period == Period::All;
            without("for the period all", "compare", all && input.compare.is_some());
        }
        let (from, to) = if period == Period::Custom && !input.schema {
            let from = day("date_from", input.date_from.as_deref())?.ok_or_else(|| {
                ToolError::new(INVALID_DATE, "The period custom asks for date_from.")
                    .hint("Write it like 2026-11-01, or name a period such as last_month.")
            })?;
            (Some(from), day("date_to", input.date_to.as_deref())?)
        } else {
            (None, None)
        };
        let bare = |name: String| name.strip_prefix("wc-").map_or(name.clone(), str::to_owned);
        let statuses = input.statuses.map(|names| names.into_iter().map(bare).collect::<Vec<_>>());
        Ok(Self {
            schema: input.schema,
            period,
            from,
            to,
            top: input.top_products.unwrap_or(DEFAULT_TOP),
            compare: input.compare.filter(|_| period != Period::All),
            group_by: input.group_by,
            basis,
            statuses: statuses.filter(|_| basis == Basis::PaidStatuses),
            unused,
        })
    }

    /// The days that are asked for, the first end first, and whether they had to be cut to the longest period.
    pub(super) fn days(&self, today: Date, week_start: jiff::civil::Weekday) -> (Option<Days>, bool) {
        let Some(from) = self.from else { return (self.period.days(today, week_start), false) };
        let to = self.to.unwrap_or(today);
        let mut days = if from <= to { Days { from, to } } else { Days { from: to, to: from } };
        let clamped = days.count() > MAX_DAYS;
        if clamped {
            let span = jiff::Span::new().days(MAX_DAYS - 1);
            days.from = days.to.checked_sub(span).unwrap_or(days.from);
        }
        (Some(days), clamped)
    }
}

fn day(name: &str, text: Option<&str>) -> Result<Option<Date>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    let text = text.trim();
    let date = (text.len() == 10).then(|| text.parse().ok()).flatten();
    date.map(Some).ok_or_else(|| {
        ToolError::new(INVALID_DATE, format!("{name} is no day: '{}'.", sanitise_fragment(text, 40)))
            .hint("Write it like 2026-11-01.")
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::Weekday;
    use serde_json::{Value, json};

    use super::*;

    fn plan(arguments: Value) -> Result<Plan, String> {
        Plan::of(serde_json::from_value(arguments).unwrap()).map_err(|error| error.code().to_string())
    }

    fn days(arguments: Value) -> (String, bool) {
        let today = "2026-11-30".parse().unwrap();
        let (days, clamped) = plan(arguments).unwrap().days(today, Weekday::Monday);
        (days.map_or_else(String::new, |days| format!("{}..{}", days.from, days.to)), clamped)
    }

    #[test]
    fn dates_may_be_swapped_and_are_cut_at_366_days() {
        for (from, to, expected, clamped) in [
            ("2026-11-01", "2026-11-05", "2026-11-01..2026-11-05", false),
            ("2026-11-05", "2026-11-01", "2026-11-01..2026-11-05", false),
            // 2024 is a leap year.
            ("2024-01-01", "2024-12-31", "2024-01-01..2024-12-31", false),
            ("2023-12-31", "2024-12-31", "2024-01-01..2024-12-31", true),
            ("2020-01-01", "2026-11-30", "2025-11-30..2026-11-30", true),
        ] {
            let arguments = json!({"date_from": from, "date_to": to});
            assert_eq!(days(arguments), (expected.to_owned(), clamped), "{from} {to}");
        }
        assert_eq!(days(json!({"date_from": "2026-11-29"})).0, "2026-11-29..2026-11-30");
        assert_eq!(days(json!({})).0, "2026-11-01..2026-11-30");
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for arguments in [
            json!({"period": "custom"}),
            json!({"date_to": "2026-11-01"}),
            json!({"date_from": "2026-02-30"}),
            json!({"date_from": "last week"}),
            json!({"date_from": "2026-11-01T00:00:00"}),
        ] {
            assert_eq!(plan(arguments.clone()).unwrap_err(), "INVALID_DATE", "{arguments}");
        }
    }

    #[test]
    fn what_a_period_or_basis_does_not_use_is_said() {
        let told = |arguments: Value| plan(arguments).unwrap().unused.len();
        assert_eq!(told(json!({"period": "today", "date_from": "2026-11-01", "date_to": "x"})), 2);
        assert_eq!(told(json!({"basis": "analytics", "statuses": ["packed"]})), 1);
        assert_eq!(told(json!({"period": "all", "compare": "previous_year"})), 1);
        assert_eq!(told(json!({"schema": true, "period": "today", "top_products": 3})), 2);
        assert_eq!(plan(json!({"statuses": ["wc-packed"]})).unwrap().statuses.unwrap(), ["packed"]);
    }
}
