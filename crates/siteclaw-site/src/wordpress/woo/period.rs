//! The periods that a report can be about, as days on the shop's calendar.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A period that is named rather than written in dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Period {
    Today,
    Yesterday,
    /// Since the week began, to today.
    ThisWeek,
    LastWeek,
    /// Seven days, today included.
    #[serde(rename = "last_7_days")]
    Last7Days,
    /// Thirty days, today included.
    #[serde(rename = "last_30_days")]
    Last30Days,
    /// Since the month began, to today.
    ThisMonth,
    LastMonth,
    /// Since the quarter began, to today.
    ThisQuarter,
    LastQuarter,
    /// Since the year began, to today.
    ThisYear,
    LastYear,
    /// Everything.
    All,
    /// From date_from to date_to.
    Custom,
}

impl Period {
    /// The name, as an argument spells it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Yesterday => "yesterday",
            Self::ThisWeek => "this_week",
            Self::LastWeek => "last_week",
            Self::Last7Days => "last_7_days",
            Self::Last30Days => "last_30_days",
            Self::ThisMonth => "this_month",
            Self::LastMonth => "last_month",
            Self::ThisQuarter => "this_quarter",
            Self::LastQuarter => "last_quarter",
            Self::ThisYear => "this_year",
            Self::LastYear => "last_year",
            Self::All => "all",
            Self::Custom => "custom",
        }
    }

    /// The days of the period, seen from `today`; `None` for all time, for dates given by hand, and where the
    /// calendar ends.
    pub(crate) fn days(self, today: Date, week_start: Weekday) -> Option<Days> {
        let back = |span: Span| today.checked_sub(span).ok();
        let week = || back(i64::from(today.weekday().since(week_start)).days());
        Some(match self {
            Self::Today => Days { from: today, to: today },
            Self::Yesterday => Days { from: today.yesterday().ok()?, to: today.yesterday().ok()? },
            Self::ThisWeek => Days { from: week()?, to: today },
            Self::LastWeek => {
                let to = week()?.yesterday().ok()?;
                Days { from: to.checked_sub(6.days()).ok()?, to }
            }
            Self::Last7Days => Days { from: back(6.days())?, to: today },
            Self::Last30Days => Days { from: back(29.days())?, to: today },
            Self::ThisMonth => Days { from: today.first_of_month(), to: today },
            Self::LastMonth => {
                let to = today.first_of_month().yesterday().ok()?;
                Days { from: to.first_of_month(), to }
            }
            Self::ThisQuarter => Days { from: quarter(today)?, to: today },
            Self::LastQuarter => {
                let to = quarter(today)?.yesterday().ok()?;
                Days { from: quarter(to)?, to }
            }
            Self::ThisYear => Days { from: today.first_of_year(), to: today },
            Self::LastYear => {
                let to = today.first_of_year().yesterday().ok()?;
                Days { from: to.first_of_year(), to }
            }
            Self::All | Self::Custom => return None,
        })
    }

    /// The days to compare with: the unit of the calendar before, as far as this one has gone, else as many
    /// days right before.
    pub(crate) fn before(self, days: Days) -> Option<Days> {
        let unit = match self {
            Self::ThisWeek | Self::LastWeek => 1.week(),
            Self::ThisMonth | Self::LastMonth => 1.month(),
            Self::ThisQuarter | Self::LastQuarter => 3.months(),
            Self::ThisYear | Self::LastYear => 1.year(),
            _ => i64::from(days.count()).days(),
        };
        let from = days.from.checked_sub(unit).ok()?;
        // A month that is over is compared with a whole month, however long either is.
        let whole = matches!(self, Self::LastMonth | Self::LastQuarter | Self::LastYear);
        let to = if whole { days.from.yesterday().ok()? } else { days.to.checked_sub(unit).ok()? };
        Some(Days { from, to })
    }
}

/// The first day of the quarter.
fn quarter(day: Date) -> Option<Date> {
    Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok()
}

/// Days, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Days {
    pub(crate) from: Date,
    pub(crate) to: Date,
}

impl Days {
    /// How many days.
    pub(crate) fn count(self) -> i32 {
        self.from.until(self.to).map_or(0, |span| span.get_days()) + 1
    }

    /// The same days a year earlier; the 29th of February becomes the 28th.
    pub(crate) fn a_year_before(self) -> Option<Self> {
        Some(Self { from: self.from.checked_sub(1.year()).ok()?, to: self.to.checked_sub(1.year()).ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    fn shown(days: Option<Days>) -> String {
        days.map_or("-".to_owned(), |days| format!("{}..{}", days.from, days.to))
    }

    #[test]
    fn periods_are_days_of_the_shops_calendar() {
        // A Wednesday.
        let today = date("2026-11-25");
        for (period, monday, before) in [
            (Period::Today, "2026-11-25..2026-11-25", "2026-11-24..2026-11-24"),
            (Period::Yesterday, "2026-11-24..2026-11-24", "2026-11-23..2026-11-23"),
            (Period::ThisWeek, "2026-11-23..2026-11-25", "2026-11-16..2026-11-18"),
            (Period::LastWeek, "2026-11-16..2026-11-22", "2026-11-09..2026-11-15"),
            (Period::Last7Days, "2026-11-19..2026-11-25", "2026-11-12..2026-11-18"),
            (Period::Last30Days, "2026-10-27..2026-11-25", "2026-09-27..2026-10-26"),
            (Period::ThisMonth, "2026-11-01..2026-11-25", "2026-10-01..2026-10-25"),
            (Period::LastMonth, "2026-10-01..2026-10-31", "2026-09-01..2026-09-30"),
            (Period::ThisQuarter, "2026-10-01..2026-11-25", "2026-07-01..2026-08-25"),
            (Period::LastQuarter, "2026-07-01..2026-09-30", "2026-04-01..2026-06-30"),
            (Period::ThisYear, "2026-01-01..2026-11-25", "2025-01-01..2025-11-25"),
            (Period::LastYear, "2025-01-01..2025-12-31", "2024-01-01..2024-12-31"),
        ] {
            let days = period.days(today, Weekday::Monday);
            assert_eq!(shown(days), monday, "{period:?}");
            assert_eq!(shown(period.before(days.unwrap())), before, "{period:?}");
        }
        assert_eq!(Period::All.days(today, Weekday::Monday), None);
    }

    #[test]
    fn a_week_begins_where_the_shop_says() {
        let sunday = date("2026-11-29");
        assert_eq!(shown(Period::ThisWeek.days(sunday, Weekday::Monday)), "2026-11-23..2026-11-29");
        assert_eq!(shown(Period::ThisWeek.days(sunday, Weekday::Sunday)), "2026-11-29..2026-11-29");
        assert_eq!(shown(Period::ThisWeek.days(sunday, Weekday::Saturday)), "2026-11-28..2026-11-29");
    }

    #[test]
    fn the_end_of_a_month_and_leap_days_stay_in_their_month() {
        let days = Days { from: date("2028-03-01"), to: date("2028-03-31") };
        assert_eq!(shown(Period::ThisMonth.before(days)), "2028-02-01..2028-02-29");
        let leap = Days { from: date("2028-02-29"), to: date("2028-02-29") };
        assert_eq!(shown(leap.a_year_before()), "2027-02-28..2027-02-28");
        assert_eq!(days.count(), 31);
    }
}
