//! Spans of days around today.

use jiff::Span;
use jiff::civil::{Date, Weekday};

/// Counts beyond this are no period that anybody means.
const MOST: i64 = 10_000;

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    /// The unit a word names.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "day" | "days" => Self::Day,
            "week" | "weeks" => Self::Week,
            "month" | "months" => Self::Month,
            "quarter" | "quarters" => Self::Quarter,
            "year" | "years" => Self::Year,
            _ => return None,
        })
    }

    /// The unit's name in the singular.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}

/// Days from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Days {
    pub(super) first: Date,
    pub(super) last: Date,
}

impl Days {
    pub(super) const fn one(day: Date) -> Self {
        Self { first: day, last: day }
    }

    /// The days of a month.
    pub(super) fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Some(Self { first, last: first.last_of_month() })
    }

    /// The days of a year.
    pub(super) fn year(year: i16) -> Option<Self> {
        Some(Self { first: Date::new(year, 1, 1).ok()?, last: Date::new(year, 12, 31).ok()? })
    }

    /// The days of a quarter, from 1 to 4.
    pub(super) fn quarter(year: i16, quarter: i8) -> Option<Self> {
        let first = Self::month(year, quarter.checked_mul(3)?.checked_sub(2)?)?;
        let last = Self::month(year, quarter.checked_mul(3)?)?;
        Some(Self { first: first.first, last: last.last })
    }

    /// The whole unit of the calendar that lies `back` units before the one of today.
    pub(super) fn whole(unit: Unit, back: i64, today: Date, week_start: Weekday) -> Option<Self> {
        let day = before(today, unit, back)?;
        match unit {
            Unit::Day => Some(Self::one(day)),
            Unit::Week => {
                let first = before(day, Unit::Day, i64::from(week_start.until(day.weekday())))?;
                Some(Self { first, last: first.checked_add(Span::new().try_days(6).ok()?).ok()? })
            }
            Unit::Month => Self::month(day.year(), day.month()),
            Unit::Quarter => Self::quarter(day.year(), (day.month() - 1) / 3 + 1),
            Unit::Year => Self::year(day.year()),
        }
    }

    /// The `count` units that end with today: 7 days are today and the six days before, one month begins on
    /// the day after the same day of the month before.
    pub(super) fn ending(unit: Unit, count: i64, today: Date) -> Option<Self> {
        let first = before(today, unit, count)?.tomorrow().ok()?;
        (first <= today).then_some(Self { first, last: today })
    }
}

/// The day that lies `count` units before; the last of the month where that day does not exist.
pub(super) fn before(day: Date, unit: Unit, count: i64) -> Option<Date> {
    if !(0..=MOST).contains(&count) {
        return None;
    }
    let span = match unit {
        Unit::Day => Span::new().try_days(count),
        Unit::Week => Span::new().try_weeks(count),
        Unit::Month => Span::new().try_months(count),
        Unit::Quarter => Span::new().try_months(count * 3),
        Unit::Year => Span::new().try_years(count),
    };
    day.checked_sub(span.ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    fn days(days: Option<Days>) -> String {
        days.map_or_else(|| "none".to_owned(), |days| format!("{} {}", days.first, days.last))
    }

    #[test]
    fn whole_units_around_month_ends_leap_years_and_year_ends() {
        let table = [
            ("2026-11-30", Unit::Day, 1, "2026-11-29 2026-11-29"),
            ("2026-11-30", Unit::Month, 0, "2026-11-01 2026-11-30"),
            ("2026-03-31", Unit::Month, 1, "2026-02-01 2026-02-28"),
            ("2024-03-31", Unit::Month, 1, "2024-02-01 2024-02-29"),
            ("2027-01-31", Unit::Month, 1, "2026-12-01 2026-12-31"),
            ("2024-02-29", Unit::Year, 1, "2023-01-01 2023-12-31"),
            ("2026-11-30", Unit::Quarter, 0, "2026-10-01 2026-12-31"),
            ("2026-02-15", Unit::Quarter, 1, "2025-10-01 2025-12-31"),
            ("2026-05-31", Unit::Quarter, 1, "2026-01-01 2026-03-31"),
        ];
        for (today, unit, back, expected) in table {
            let found = Days::whole(unit, back, date(today), Weekday::Monday);
            assert_eq!(days(found), expected, "{today} {unit:?} {back}");
        }
    }

    #[test]
    fn weeks_begin_where_the_site_says() {
        // 30 November 2026 is a Monday, 29 November a Sunday.
        let table = [
            ("2026-11-30", Weekday::Monday, 0, "2026-11-30 2026-12-06"),
            ("2026-11-29", Weekday::Monday, 0, "2026-11-23 2026-11-29"),
            ("2026-11-30", Weekday::Sunday, 0, "2026-11-29 2026-12-05"),
            ("2026-11-28", Weekday::Sunday, 0, "2026-11-22 2026-11-28"),
            ("2026-11-30", Weekday::Monday, 1, "2026-11-23 2026-11-29"),
            ("2026-01-01", Weekday::Monday, 0, "2025-12-29 2026-01-04"),
        ];
        for (today, start, back, expected) in table {
            assert_eq!(
                days(Days::whole(Unit::Week, back, date(today), start)),
                expected,
                "{today} {start:?}"
            );
        }
    }

    #[test]
    fn units_that_end_today() {
        let table = [
            ("2026-11-30", Unit::Day, 1, "2026-11-30 2026-11-30"),
            ("2026-11-30", Unit::Day, 30, "2026-11-01 2026-11-30"),
            ("2024-03-01", Unit::Day, 2, "2024-02-29 2024-03-01"),
            ("2026-11-30", Unit::Week, 2, "2026-11-17 2026-11-30"),
            ("2026-11-15", Unit::Month, 3, "2026-08-16 2026-11-15"),
            ("2026-03-31", Unit::Month, 1, "2026-03-01 2026-03-31"),
            ("2024-02-29", Unit::Year, 1, "2023-03-01 2024-02-29"),
        ];
        for (today, unit, count, expected) in table {
            assert_eq!(days(Days::ending(unit, count, date(today))), expected, "{today} {unit:?} {count}");
        }
    }

    #[test]
    fn counts_beyond_reason_are_no_period() {
        let today = date("2026-11-30");
        assert_eq!(Days::ending(Unit::Day, 0, today), None);
        for count in [-1, 10_001, i64::MAX, i64::MIN] {
            assert_eq!(before(today, Unit::Year, count), None, "{count}");
        }
        assert_eq!(before(today, Unit::Year, 9_999), Date::new(-7973, 11, 30).ok());
        assert_eq!(before(date("-009999-01-01"), Unit::Day, 1), None);
    }
}
