//! The site's time zone, and the days and moments that arguments name in it.

use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};
use siteclaw_db::{Engine, Param};

/// Before WordPress there was no shop in it.
const OLDEST: Timestamp = Timestamp::constant(1_040_000_000, 0);
/// Changes of the clock in more than a hundred years.
const MAX_CHANGES: usize = 256;

/// The zone in which the site shows times: option `timezone_string`, else `gmt_offset`.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    zone: TimeZone,
    name: String,
}

impl Zone {
    /// The zone that the two options name. Hours may be fractions, such as 5.75.
    pub(crate) fn from_options(timezone_string: &str, gmt_offset: &str) -> Self {
        let name = timezone_string.trim();
        if !name.is_empty()
            && let Ok(zone) = TimeZone::get(name)
        {
            return Self { zone, name: name.to_owned() };
        }
        let hours: f64 = gmt_offset.trim().parse().unwrap_or(0.0);
        // The widest offsets in use are -12 and +14 hours.
        let seconds = (hours.clamp(-14.0, 14.0) * 3600.0).round() as i32;
        match Offset::from_seconds(seconds) {
            Ok(offset) if seconds != 0 => Self { zone: TimeZone::fixed(offset), name: signed(seconds) },
            _ => Self { zone: TimeZone::UTC, name: "UTC".to_owned() },
        }
    }

    /// The name for `meta.timezone`: `Europe/Berlin`, `+05:45` or `UTC`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The site's wall clock at a moment, `YYYY-MM-DD HH:MM:SS`.
    pub(crate) fn local(&self, moment: Timestamp) -> String {
        wall(moment.to_zoned_datetime(self.zone.clone()).datetime())
    }

    /// The wall clock of a GMT column's text; `None` for the zero date and for what is no date.
    pub(crate) fn local_of_gmt(&self, gmt: &str) -> Option<String> {
        let moment = TimeZone::UTC.to_timestamp(parse_wall(gmt)?).ok()?;
        Some(self.local(moment))
    }

    /// The GMT text of a moment on the site's wall clock. A time that a clock change skips moves forward.
    pub(crate) fn gmt_of_local(&self, local: DateTime) -> Option<String> {
        let moment = self.zone.to_timestamp(local).ok()?;
        Some(wall(moment.to_zoned_datetime(TimeZone::UTC).datetime()))
    }

    /// The GMT text of a moment.
    pub(crate) fn gmt(moment: Timestamp) -> String {
        wall(moment.to_zoned_datetime(TimeZone::UTC).datetime())
    }

    /// The SQL expression for the wall clock of a GMT column between two moments, and its values: the database
    /// knows no zones, so the offset of each stretch between two changes of the clock is handed to it.
    pub(crate) fn clock(
        &self,
        engine: Engine,
        column: &str,
        from: Option<Timestamp>,
        to: Timestamp,
    ) -> (String, Vec<Param>) {
        // Without a beginning, the oldest order that a shop can have.
        let from = from.unwrap_or(OLDEST);
        let mut offsets = String::new();
        let mut values: Vec<Param> = Vec::new();
        let mut offset = self.zone.to_offset(from);
        for change in self.zone.following(from).take_while(|change| change.timestamp() < to).take(MAX_CHANGES)
        {
            offsets.push_str(&format!(" WHEN {column} < ? THEN ?"));
            values.extend([Self::gmt(change.timestamp()).into(), offset.seconds().into()]);
            offset = change.offset();
        }
        let seconds = if values.is_empty() { "?".to_owned() } else { format!("CASE{offsets} ELSE ? END") };
        values.push(offset.seconds().into());
        let text = match engine {
            Engine::Sqlite => format!("datetime({column}, ({seconds}) || ' seconds')"),
            _ => format!("CAST(DATE_ADD({column}, INTERVAL {seconds} SECOND) AS CHAR)"),
        };
        (text, values)
    }

    /// The zone itself.
    pub(crate) const fn zone(&self) -> &TimeZone {
        &self.zone
    }
}

fn signed(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// `YYYY-MM-DD HH:MM:SS`.
pub(crate) fn wall(moment: DateTime) -> String {
    moment.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Reads a column's text; `None` for zero dates, in whole or in part.
pub(crate) fn parse_wall(text: &str) -> Option<DateTime> {
    text.trim().replacen(' ', "T", 1).parse().ok()
}

/// The two ends of a range that an argument may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The first moment: a bare day begins at 00:00:00.
    After,
    /// The last moment, inclusive: a bare day ends at 23:59:59.
    Before,
}

/// Reads a day (`2026-11-30`), a month (`2026-11`), a year, or a time on the site's clock, as WordPress
/// takes them. `None` if it is none of them.
pub(crate) fn parse_edge(text: &str, edge: Edge) -> Option<DateTime> {
    let text = text.trim();
    let (first, last) = match text.len() {
        4 => {
            let year: i16 = text.parse().ok()?;
            let first = Date::new(year, 1, 1).ok()?;
            (first, first.checked_add(1.year()).ok()?.yesterday().ok()?)
        }
        7 => {
            let first: Date = format!("{text}-01").parse().ok()?;
            (first, first.last_of_month())
        }
        10 => {
            let day: Date = text.parse().ok()?;
            (day, day)
        }
        // The parser would take a date without its dashes too.
        _ if text.as_bytes().get(4) != Some(&b'-') => return None,
        _ => return parse_wall(text.trim_end_matches('Z')),
    };
    Some(match edge {
        Edge::After => first.at(0, 0, 0, 0),
        Edge::Before => last.at(23, 59, 59, 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_come_from_either_option() {
        let name = |zone: &str, offset: &str| Zone::from_options(zone, offset).name().to_owned();
        assert_eq!(name("Europe/Berlin", "1"), "Europe/Berlin");
        assert_eq!(name("", "5.75"), "+05:45");
        assert_eq!(name("", "-3.5"), "-03:30");
        assert_eq!(name("Nowhere/Land", ""), "UTC");
        assert_eq!(name("", "0"), "UTC");
    }

    #[test]
    fn gmt_columns_are_shown_on_the_sites_clock() {
        let berlin = Zone::from_options("Europe/Berlin", "");
        assert_eq!(berlin.local_of_gmt("2026-10-25 00:30:00").as_deref(), Some("2026-10-25 02:30:00"));
        assert_eq!(berlin.local_of_gmt("2026-12-31 23:30:00").as_deref(), Some("2027-01-01 00:30:00"));
        assert_eq!(berlin.local_of_gmt("0000-00-00 00:00:00"), None);
        // 2026-03-29 02:30 does not exist there.
        let skipped = parse_wall("2026-03-29 02:30:00").unwrap();
        assert_eq!(berlin.gmt_of_local(skipped).as_deref(), Some("2026-03-29 01:30:00"));
    }

    #[test]
    fn edges_cover_whole_days_months_and_years() {
        let edge = |text: &str, edge| parse_edge(text, edge).map(wall);
        assert_eq!(edge("2026-11-30", Edge::After).as_deref(), Some("2026-11-30 00:00:00"));
        assert_eq!(edge("2026-11-30", Edge::Before).as_deref(), Some("2026-11-30 23:59:59"));
        assert_eq!(edge("2028-02", Edge::Before).as_deref(), Some("2028-02-29 23:59:59"));
        assert_eq!(edge("2026", Edge::Before).as_deref(), Some("2026-12-31 23:59:59"));
        assert_eq!(edge("2026-11-30T08:15:00", Edge::Before).as_deref(), Some("2026-11-30 08:15:00"));
        assert_eq!(edge("2026-11-30 08:15:00", Edge::After).as_deref(), Some("2026-11-30 08:15:00"));
        for wrong in ["2026-02-30", "soon", "20261130", "", "2026-13"] {
            assert_eq!(edge(wrong, Edge::After), None, "{wrong}");
        }
    }
}
