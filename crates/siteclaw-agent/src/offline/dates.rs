//! Dates and periods in the words of a message.
//!
//! Read are: `today`, `yesterday`; this, last or the past day, week, month, quarter or year; `last 30 days`,
//! `3 days ago`; months and years; quarters (`Q3 2025`); weekdays; dates in figures (`2026-10-01`,
//! `1.10.2026`) and in words (`1 October`, `Oct 1st, 2025`). Before them `since`, `after`, `before`, `until`,
//! `between … and …`, `from … to …` say which side is open. A day or month without a year is the latest that
//! has begun. A date such as `10/11/2026` could mean two days, so it is not read.

use jiff::civil::{Date, Weekday};

use super::calendar::{Days, Unit, before};
use super::words::Reading;

/// A period that a message names. An open side is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Period {
    /// The first day.
    pub(super) from: Option<Date>,
    /// The last day.
    pub(super) to: Option<Date>,
    /// Its name, such as `last_month` or `last_30_days`, if it has one.
    pub(super) key: Option<String>,
}

/// What the days of a message depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Today {
    pub(super) date: Date,
    pub(super) week_start: Weekday,
}

/// Days named at one place of a message.
struct Named {
    days: Days,
    key: Option<String>,
    /// Places of the words.
    start: usize,
    end: usize,
    /// Whether the year was left out, so that it may be another one.
    floating: bool,
    /// Whether it is a day of the calendar, and none that is told from today.
    dated: bool,
}

impl Named {
    const fn new(days: Days, start: usize, length: usize) -> Self {
        Self { days, key: None, start, end: start + length, floating: false, dated: false }
    }

    fn keyed(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    const fn dated(mut self, floating: bool) -> Self {
        (self.dated, self.floating) = (true, floating);
        self
    }
}

/// Reads the period of a message and marks its words.
pub(super) fn period(reading: &mut Reading, today: Today) -> Option<Period> {
    let mut found = Vec::new();
    let mut place = 0;
    while place < reading.words.len() {
        match named(reading, place, today) {
            Some(named) => {
                place = named.end;
                found.push(named);
            }
            None => place += 1,
        }
    }
    if let Some(period) = days_of_a_month(reading, &found) {
        return Some(period);
    }
    let mut period = Period::default();
    let mut rest = found.as_slice();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        let (word, start) = introduced(reading, first.start);
        if let Some(second) = others.first().filter(|second| joined(reading, first, second, &word)) {
            let (from, to) = ordered(first, second);
            period.from = period.from.or(Some(from));
            period.to = period.to.or(Some(to));
            reading.mark(start..second.end);
            rest = others.get(1..).unwrap_or_default();
            continue;
        }
        let onward = matches!(reading.at(first.end), "on" | "onward" | "onwards");
        let (from, to) = match word.as_str() {
            "since" | "starting" => (Some(first.days.first), None),
            "from" if onward || (first.dated && first.days.first == first.days.last) => {
                (Some(first.days.first), None)
            }
            "after" => (first.days.last.tomorrow().ok(), None),
            "before" => (None, first.days.first.yesterday().ok()),
            "until" | "till" | "through" => (None, Some(first.days.last)),
            _ => (Some(first.days.first), Some(first.days.last)),
        };
        if period == Period::default() && from.is_some() && to.is_some() {
            period.key.clone_from(&first.key);
        }
        period.from = period.from.or(from);
        period.to = period.to.or(to);
        reading.mark(start..first.end);
    }
    (period != Period::default()).then_some(period)
}

/// `1 to 15 November`, `between 1 and 15 November`: the first day stands without its month.
fn days_of_a_month(reading: &mut Reading, found: &[Named]) -> Option<Period> {
    let [named] = found else { return None };
    let at = named.start.checked_sub(2)?;
    let joint = matches!(reading.at(at + 1), "and" | "to" | "until" | "till" | "through" | "-" | "–");
    let first = ordinal(reading.at(at)).filter(|_| joint && named.dated && reading.is_free(at))?;
    let one_day = named.days.first == named.days.last && ordinal(reading.at(named.start)).is_some();
    let to = named.days.last;
    let from = Date::new(to.year(), to.month(), first).ok().filter(|from| one_day && *from <= to)?;
    let start = if matches!(reading.before(at), "between" | "from" | "in") { at - 1 } else { at };
    reading.mark(start..named.end);
    Some(Period { from: Some(from), to: Some(to), key: None })
}

/// The word that introduces days, and the place where it stands; `the` is passed over.
fn introduced(reading: &Reading, start: usize) -> (String, usize) {
    let at = if reading.before(start) == "the" { start - 1 } else { start };
    let word = reading.before(at);
    let known = [
        "since", "starting", "after", "before", "until", "till", "through", "from", "between", "in", "on",
        "during", "of", "within", "over", "for",
    ];
    if known.contains(&word) { (word.to_owned(), at - 1) } else { (String::new(), start) }
}

/// Whether two days are the ends of one period.
fn joined(reading: &Reading, first: &Named, second: &Named, introduction: &str) -> bool {
    let joint = reading.at(first.end);
    let at = if reading.at(first.end + 1) == "the" { first.end + 2 } else { first.end + 1 };
    let ranges = match joint {
        "and" | "&" => introduction == "between",
        "to" | "until" | "till" | "through" | "-" | "–" => true,
        _ => false,
    };
    ranges && second.start == at
}

/// The ends of a period, with the years moved that were left out.
fn ordered(first: &Named, second: &Named) -> (Date, Date) {
    let (from, to) = (first.days.first, second.days.last);
    let in_year = |date: Date, year: i16| Date::new(year, date.month(), date.day()).unwrap_or(date);
    let in_order = (from.month(), from.day()) <= (to.month(), to.day());
    if from <= to {
        (from, to)
    } else if second.floating {
        (from, in_year(to, if in_order { from.year() } else { from.year() + 1 }))
    } else if first.floating {
        (in_year(from, if in_order { to.year() } else { to.year() - 1 }), to)
    } else {
        (to, from)
    }
}

/// The days named at a place.
fn named(reading: &Reading, place: usize, today: Today) -> Option<Named> {
    if !reading.is_free(place) {
        return None;
    }
    figures(reading, place)
        .or_else(|| told_from_today(reading, place, today))
        .or_else(|| written(reading, place, today))
        .or_else(|| quarter(reading, place, today))
        .or_else(|| year(reading, place))
        .or_else(|| weekday(reading, place, today))
}

/// `2026-10-01`, `2026-10-01T08:00`, `2026/10/01`, `1.10.2026`, `31/12/2026`, `2026-10`.
fn figures(reading: &Reading, place: usize) -> Option<Named> {
    let word = reading.at(place);
    let word = word.split_once('t').map_or(word, |(date, _)| date);
    let sign = ['-', '/', '.'].into_iter().find(|&sign| word.contains(sign))?;
    let numbers: Vec<i16> = word.split(sign).map(digits).collect::<Option<_>>()?;
    let day = |year: i16, month: i16, day: i16| {
        let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        Some(Named::new(Days::one(date), place, 1).dated(false))
    };
    match (numbers.as_slice(), sign) {
        (&[year, month], '-') if is_year(year) => {
            Some(Named::new(Days::month(year, i8::try_from(month).ok()?)?, place, 1).dated(false))
        }
        (&[year, month, of_month], '-' | '/') if is_year(year) => day(year, month, of_month),
        (&[of_month, month, year], '.') if is_year(year) => day(year, month, of_month),
        // Only one of the two orders is possible.
        (&[of_month, month, year], '/') if is_year(year) && of_month > 12 => day(year, month, of_month),
        (&[month, of_month, year], '/') if is_year(year) && of_month > 12 => day(year, month, of_month),
        _ => None,
    }
}

/// `today`, `this week`, `last month`, `the past year`, `last 30 days`, `two weeks ago`.
fn told_from_today(reading: &Reading, place: usize, today: Today) -> Option<Named> {
    let whole = |unit, back| Days::whole(unit, back, today.date, today.week_start);
    match reading.at(place) {
        "today" => return Some(Named::new(whole(Unit::Day, 0)?, place, 1).keyed("today")),
        "yesterday" => return Some(Named::new(whole(Unit::Day, 1)?, place, 1).keyed("yesterday")),
        _ => {}
    }
    let count = if matches!(reading.at(place), "a" | "an") { Some(1) } else { reading.whole(place) };
    if let Some(count) = count {
        let unit = Unit::of(reading.at(place + 1))?;
        let day = before(today.date, unit, count)?;
        return (reading.at(place + 2) == "ago").then(|| Named::new(Days::one(day), place, 3));
    }
    let rolling = match reading.at(place) {
        "this" | "current" => {
            let unit = Unit::of(reading.at(place + 1))?;
            let key = if unit == Unit::Day { "today".to_owned() } else { format!("this_{}", unit.name()) };
            return Some(Named::new(whole(unit, 0)?, place, 2).keyed(key));
        }
        "past" => true,
        // `the last month` is the time until now, `last month` the month before.
        "last" => reading.before(place) == "the",
        "previous" => false,
        _ => return None,
    };
    let next = place + 1;
    if let Some(count) = reading.whole(next) {
        if matches!(reading.at(next + 1), "hour" | "hours" | "minute" | "minutes") {
            // Days are the finest that dates can say.
            let minutes =
                if reading.at(next + 1).starts_with('m') { count } else { count.checked_mul(60)? };
            let days = minutes.checked_add(1_439)? / 1_440;
            return Some(Named::new(
                Days { first: before(today.date, Unit::Day, days)?, last: today.date },
                place,
                3,
            ));
        }
        let unit = Unit::of(reading.at(next + 1))?;
        let key = format!("last_{count}_{}s", unit.name());
        return Some(Named::new(Days::ending(unit, count, today.date)?, place, 3).keyed(key));
    }
    let unit = Unit::of(reading.at(next))?;
    if rolling && unit != Unit::Day {
        let days = match unit {
            Unit::Day | Unit::Week => 7,
            Unit::Month => 30,
            Unit::Quarter => 90,
            Unit::Year => 365,
        };
        let key = format!("last_{days}_days");
        return Some(Named::new(Days::ending(Unit::Day, days, today.date)?, place, 2).keyed(key));
    }
    let key = if unit == Unit::Day { "yesterday".to_owned() } else { format!("last_{}", unit.name()) };
    Some(Named::new(whole(unit, 1)?, place, 2).keyed(key))
}

/// `1 October 2026`, `the 1st of October`, `October 1`, `October 2026`, `October`.
fn written(reading: &Reading, place: usize, today: Today) -> Option<Named> {
    let year_at =
        |place: usize| reading.whole(place).and_then(|year| i16::try_from(year).ok()).filter(|&y| is_year(y));
    let of_day = |month: i8, day: i8, after: usize, end: usize| {
        let given = year_at(after);
        let year = given.unwrap_or_else(|| today.date.year());
        let mut date = Date::new(year, month, day).ok()?;
        if given.is_none() && date > today.date {
            date = Date::new(year - 1, month, day).ok()?;
        }
        let length = end - place + usize::from(given.is_some());
        Some(Named::new(Days::one(date), place, length).dated(given.is_none()))
    };
    if let Some(day) = ordinal(reading.at(place)) {
        let at = if reading.at(place + 1) == "of" { place + 2 } else { place + 1 };
        return of_day(month(reading.at(at))?, day, at + 1, at + 1);
    }
    let month_name = month(reading.at(place))?;
    let next = place + 1;
    if let Some(day) = ordinal(reading.at(next)) {
        return of_day(month_name, day, next + 1, next + 1);
    }
    if let Some(year) = year_at(next) {
        return Some(Named::new(Days::month(year, month_name)?, place, 2).dated(false));
    }
    if ordinal(reading.before(place)).is_some() {
        // A day that the month does not have.
        return None;
    }
    // These are other words too.
    let ambiguous = matches!(reading.at(place), "may" | "march" | "mar");
    if ambiguous && introduced(reading, place).0.is_empty() && !matches!(reading.before(place), "and" | "to")
    {
        return None;
    }
    let year = if month_name > today.date.month() { today.date.year() - 1 } else { today.date.year() };
    Some(Named::new(Days::month(year, month_name)?, place, 1).dated(true))
}

/// `Q3`, `Q3 2025`.
fn quarter(reading: &Reading, place: usize, today: Today) -> Option<Named> {
    let number: i8 =
        reading.at(place).strip_prefix('q')?.parse().ok().filter(|number| (1..=4).contains(number))?;
    let given =
        reading.whole(place + 1).and_then(|year| i16::try_from(year).ok()).filter(|&year| is_year(year));
    let current = (today.date.month() - 1) / 3 + 1;
    let latest = if number > current { today.date.year() - 1 } else { today.date.year() };
    let length = 1 + usize::from(given.is_some());
    Some(Named::new(Days::quarter(given.unwrap_or(latest), number)?, place, length).dated(given.is_none()))
}

/// `in 2025`: a number is a year only after a word that says so.
fn year(reading: &Reading, place: usize) -> Option<Named> {
    let year =
        reading.whole(place).and_then(|year| i16::try_from(year).ok()).filter(|&year| is_year(year))?;
    // `orders 2025`: a plural before it, nothing behind it.
    let last = place + 1 == reading.words.len() && !reading.words.get(place).is_some_and(|word| word.hash);
    let says_so = last && (reading.before(place).ends_with('s') || reading.before(place) == "report")
        || reading.before(place) == "year"
        || !introduced(reading, place).0.is_empty()
        || matches!(reading.before(place), "and" | "to");
    says_so.then_some(())?;
    Some(Named::new(Days::year(year)?, place, 1).dated(false))
}

/// `Monday`, `last Friday`: the latest one; after `last` it is not today.
fn weekday(reading: &Reading, place: usize, today: Today) -> Option<Named> {
    let last = usize::from(reading.at(place) == "last");
    let names = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    let wanted = reading.at(place + last);
    let (_, weekday) = names.iter().find(|(name, _)| *name == wanted)?;
    let mut back = i64::from(weekday.until(today.date.weekday()));
    if back == 0 && last == 1 {
        back = 7;
    }
    Some(Named::new(Days::one(before(today.date, Unit::Day, back)?), place, 1 + last))
}

fn month(word: &str) -> Option<i8> {
    let names = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let place = names.iter().position(|name| *name == word || (word.len() == 3 && name.starts_with(word)));
    let place = place.or_else(|| (word == "sept").then_some(8))?;
    i8::try_from(place + 1).ok()
}

/// A day of a month: `1`, `1st`, `22nd`.
fn ordinal(word: &str) -> Option<i8> {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    let day = digits(number)?;
    i8::try_from(day).ok().filter(|day| (1..=31).contains(day))
}

fn digits(text: &str) -> Option<i16> {
    let plain = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

const fn is_year(year: i16) -> bool {
    1970 <= year && year <= 2099
}

#[cfg(test)]
mod tests;
