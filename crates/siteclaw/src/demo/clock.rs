//! Dates of the demo: everything is counted back from one evening, never from the system's clock.

use jiff::{Timestamp, civil::Date, tz::TimeZone};

use super::DemoError;

/// The zone of the shop, in option `timezone_string`.
pub(crate) const ZONE: &str = "Europe/Amsterdam";
/// What WordPress stores for "no date".
pub(crate) const NO_DATE: &str = "0000-00-00 00:00:00";
/// Seconds in a day.
pub(crate) const DAY: i64 = 86_400;
/// Seconds in an hour.
pub(crate) const HOUR: i64 = 3_600;

/// The moment the data ends, and the shop's zone.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    zone: TimeZone,
    end: i64,
}

impl Clock {
    /// Ends at 18:00 UTC on `ends_on`; refuses years outside 2001 to 2099, where the data would not be
    /// plausible.
    pub(crate) fn new(ends_on: Date) -> Result<Self, DemoError> {
        let refused = || DemoError::Date { date: ends_on.to_string() };
        if !(2001..=2099).contains(&ends_on.year()) {
            return Err(refused());
        }
        let zone = TimeZone::get(ZONE).map_err(|_| refused())?;
        let end = ends_on.at(18, 0, 0, 0).to_zoned_datetime(TimeZone::UTC).map_err(|_| refused())?;
        Ok(Clock { zone, end: end.timestamp().as_second() })
    }

    /// The last moment of the data, in Unix seconds.
    pub(crate) fn end(&self) -> i64 {
        self.end
    }

    /// Writes a moment as the site's wall clock: `YYYY-MM-DD HH:MM:SS`.
    pub(crate) fn local(&self, at: i64) -> String {
        self.format(at, &self.zone, "%Y-%m-%d %H:%M:%S")
    }

    /// Writes a moment in UTC: `YYYY-MM-DD HH:MM:SS`.
    pub(crate) fn gmt(&self, at: i64) -> String {
        self.format(at, &TimeZone::UTC, "%Y-%m-%d %H:%M:%S")
    }

    /// Writes a moment in UTC after a `strftime` pattern.
    pub(crate) fn utc(&self, at: i64, pattern: &str) -> String {
        self.format(at, &TimeZone::UTC, pattern)
    }

    /// The year and month of the site's wall clock, as upload folders are named: `2026/11`.
    pub(crate) fn folder(&self, at: i64) -> String {
        self.format(at, &self.zone, "%Y/%m")
    }

    /// The moment at which the local day of `at` shows `hour:minute`.
    pub(crate) fn on_day(&self, at: i64, hour: i8, minute: i8) -> i64 {
        moment(at)
            .to_zoned_datetime(self.zone.clone())
            .date()
            .at(hour, minute, 0, 0)
            .to_zoned_datetime(self.zone.clone())
            .map_or(at, |z| z.timestamp().as_second())
    }

    /// The last second, in UTC, of the month that lies `months` before the last one.
    pub(crate) fn month_end(&self, months: i8) -> i64 {
        let day = moment(self.end).to_zoned_datetime(TimeZone::UTC).date().first_of_month();
        let first = day.checked_sub(jiff::Span::new().months(months)).unwrap_or(day);
        first.to_zoned_datetime(TimeZone::UTC).map_or(self.end, |z| z.timestamp().as_second() - 1)
    }

    fn format(&self, at: i64, zone: &TimeZone, pattern: &str) -> String {
        moment(at).to_zoned_datetime(zone.clone()).strftime(pattern).to_string()
    }
}

fn moment(at: i64) -> Timestamp {
    // Every moment is within a few years of a checked date.
    Timestamp::from_second(at).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_time_follows_the_zone_through_summer_and_winter() {
        let clock = Clock::new(jiff::civil::date(2026, 11, 30)).unwrap();
        assert_eq!(clock.gmt(clock.end()), "2026-11-30 18:00:00");
        assert_eq!(clock.local(clock.end()), "2026-11-30 19:00:00");
        let july = clock.end() - 140 * DAY;
        assert_eq!(clock.gmt(july), "2026-07-13 18:00:00");
        assert_eq!(clock.local(july), "2026-07-13 20:00:00");
        assert_eq!(clock.local(clock.on_day(july, 0, 30)), "2026-07-13 00:30:00");
        assert_eq!(clock.gmt(clock.month_end(0)), "2026-10-31 23:59:59");
        assert_eq!(clock.folder(clock.month_end(0)), "2026/11");
    }

    #[test]
    fn a_year_far_off_is_refused() {
        let error = Clock::new(jiff::civil::date(1999, 1, 1)).unwrap_err().to_string();
        assert!(error.contains("1999-01-01") && error.contains("2001"), "{error}");
    }
}
