//! The figures split by days, weeks, months, statuses, countries or ways of payment.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{Figures, Part, Sums};
use super::goods::Bucket;
use super::input::{Basis, GroupBy};
use super::setup::Setup;
use crate::wordpress::text;
use crate::wordpress::woo::Shop;
use crate::wordpress::woo::period::Days;
use crate::wordpress::woo::sales::Key;

/// A part of the figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Group {
    /// By something that an order says.
    Orders(Box<Share>),
    /// By goods or coupons.
    Goods(Bucket),
}

/// Orders that say the same, in one currency.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Share {
    /// The day, the first day of the week, the month, the status, the country or the method's id.
    key: String,
    /// How people read it, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Whether this status is in the totals.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<bool>,
    #[serde(flatten)]
    figures: Figures,
}

/// What orders are asked by, for a group of them.
pub(super) const fn key(group: Option<GroupBy>) -> Key {
    match group {
        Some(GroupBy::Day | GroupBy::Week) => Key::Day,
        Some(GroupBy::Month) => Key::Month,
        Some(GroupBy::Country) => Key::Country,
        Some(GroupBy::PaymentMethod) => Key::PaymentMethod,
        Some(GroupBy::CustomerType) => Key::Customer,
        Some(GroupBy::Status | GroupBy::Category | GroupBy::Coupon) | None => Key::Whole,
    }
}

/// The groups in their order: days and the like as they come, others by what they brought.
pub(super) fn shares(
    parts: &[Part],
    by: GroupBy,
    setup: &Setup,
    shop: &Shop,
    basis: Basis,
    days: Option<Days>,
) -> Vec<Group> {
    let mut sums: BTreeMap<(String, String), (Option<String>, Sums)> = BTreeMap::new();
    let in_time = matches!(by, GroupBy::Day | GroupBy::Week | GroupBy::Month);
    if let Some(days) = days.filter(|_| in_time) {
        for key in calendar(days, by, setup.week_start) {
            sums.insert((key, shop.currency.clone()), (None, Sums::default()));
        }
    }
    for part in parts.iter().filter(|part| by == GroupBy::Status || setup.counts(&part.status)) {
        let key = match by {
            GroupBy::Status => part.status.clone(),
            GroupBy::Week => week(&part.key, setup.week_start),
            _ => part.key.clone(),
        };
        let (label, sum) = sums.entry((key, part.currency.clone())).or_default();
        sum.add(&part.sums);
        *label = label.take().or_else(|| part.label.clone());
    }
    let mut rows: Vec<_> = sums.into_iter().collect();
    if !in_time {
        rows.sort_by(|(a, (_, left)), (b, (_, right))| {
            right.total_sales().cmp(&left.total_sales()).then_with(|| a.cmp(b))
        });
    }
    rows.into_iter()
        .map(|((key, currency), (label, sum))| {
            Group::Orders(Box::new(Share {
                counted: (by == GroupBy::Status).then(|| setup.counts(&key)),
                figures: sum.shown(&currency, shop, basis),
                label: label.map(|label| text::decode(&label).into_owned()).filter(|label| *label != key),
                key,
            }))
        })
        .collect()
}

/// The first day of a day's week.
fn week(day: &str, start: Weekday) -> String {
    let Ok(day) = day.parse::<Date>() else { return day.to_owned() };
    day.checked_sub(i64::from(day.weekday().since(start)).days()).unwrap_or(day).to_string()
}

/// The keys of all days, weeks or months of a period: those without a sale are shown too.
fn calendar(days: Days, by: GroupBy, start: Weekday) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let mut day = days.from;
    while day <= days.to {
        let text = day.to_string();
        let key = match by {
            GroupBy::Week => week(&text, start),
            GroupBy::Month => text.get(..7).unwrap_or_default().to_owned(),
            _ => text,
        };
        if keys.last() != Some(&key) {
            keys.push(key);
        }
        match day.tomorrow() {
            Ok(next) => day = next,
            Err(_) => break,
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calendar_has_no_gaps() {
        let days = Days { from: "2026-10-30".parse().unwrap(), to: "2026-11-03".parse().unwrap() };
        assert_eq!(calendar(days, GroupBy::Day, Weekday::Monday).len(), 5);
        assert_eq!(calendar(days, GroupBy::Week, Weekday::Monday), ["2026-10-26", "2026-11-02"]);
        assert_eq!(calendar(days, GroupBy::Week, Weekday::Sunday), ["2026-10-25", "2026-11-01"]);
        assert_eq!(calendar(days, GroupBy::Month, Weekday::Monday), ["2026-10", "2026-11"]);
    }
}
