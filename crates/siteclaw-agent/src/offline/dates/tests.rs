use proptest::prelude::*;

use super::*;

fn read_on(day: &str, message: &str) -> (String, Vec<String>) {
    let mut reading = Reading::of(message);
    let today = Today { date: day.parse().unwrap(), week_start: Weekday::Monday };
    let shown = period(&mut reading, today).map_or_else(String::new, |period| {
        let side = |date: Option<Date>| date.map_or_else(|| "-".to_owned(), |date| date.to_string());
        let key = period.key.map_or_else(String::new, |key| format!(" {key}"));
        format!("{} {}{key}", side(period.from), side(period.to))
    });
    let left = reading.words.into_iter().filter(|word| !word.used).map(|word| word.lower).collect();
    (shown, left)
}

#[test]
fn periods_are_read_on_a_monday_at_the_end_of_a_month() {
    let table = [
        ("orders today", "2026-11-30 2026-11-30 today"),
        ("orders of yesterday", "2026-11-29 2026-11-29 yesterday"),
        ("this week", "2026-11-30 2026-12-06 this_week"),
        ("last week", "2026-11-23 2026-11-29 last_week"),
        ("this month's revenue", "2026-11-01 2026-11-30 this_month"),
        ("last month", "2026-10-01 2026-10-31 last_month"),
        ("previous month", "2026-10-01 2026-10-31 last_month"),
        ("this year", "2026-01-01 2026-12-31 this_year"),
        ("last quarter", "2026-07-01 2026-09-30 last_quarter"),
        ("last 30 days", "2026-11-01 2026-11-30 last_30_days"),
        ("in the last seven days", "2026-11-24 2026-11-30 last_7_days"),
        ("past 2 weeks", "2026-11-17 2026-11-30 last_2_weeks"),
        ("last 3 months", "2026-08-31 2026-11-30 last_3_months"),
        ("over the last month", "2026-11-01 2026-11-30 last_30_days"),
        ("past week", "2026-11-24 2026-11-30 last_7_days"),
        ("last 24 hours", "2026-11-29 2026-11-30"),
        ("3 days ago", "2026-11-27 2026-11-27"),
        ("since a week ago", "2026-11-23 -"),
        ("in October", "2026-10-01 2026-10-31"),
        ("in December", "2025-12-01 2025-12-31"),
        ("october 2024 orders", "2024-10-01 2024-10-31"),
        ("in 2025", "2025-01-01 2025-12-31"),
        ("Q3", "2026-07-01 2026-09-30"),
        ("Q4 2025", "2025-10-01 2025-12-31"),
        ("since 2026-10-01", "2026-10-01 -"),
        ("since October", "2026-10-01 -"),
        ("after 2026-10-01", "2026-10-02 -"),
        ("after October", "2026-11-01 -"),
        ("before 2026-10-01", "- 2026-09-30"),
        ("until 1 October", "- 2026-10-01"),
        ("between 2026-10-01 and 2026-10-15", "2026-10-01 2026-10-15"),
        ("from 1 Oct to 15 Nov", "2026-10-01 2026-11-15"),
        ("from October to November", "2026-10-01 2026-11-30"),
        ("between December and February", "2025-12-01 2026-02-28"),
        ("between December 2024 and February 2025", "2024-12-01 2025-02-28"),
        ("between October and December", "2026-10-01 2026-12-31"),
        ("between November 20 and January 5, 2026", "2025-11-20 2026-01-05"),
        ("2026-10-01 - 2026-10-15", "2026-10-01 2026-10-15"),
        ("between 2024 and 2025", "2024-01-01 2025-12-31"),
        ("on the 1st of October", "2026-10-01 2026-10-01"),
        ("on October 1st, 2025", "2025-10-01 2025-10-01"),
        ("on 24 December", "2025-12-24 2025-12-24"),
        ("on 1.10.2026", "2026-10-01 2026-10-01"),
        ("on 31/12/2025", "2025-12-31 2025-12-31"),
        ("on 12/31/2025", "2025-12-31 2025-12-31"),
        ("on 2026/10/01", "2026-10-01 2026-10-01"),
        ("in 2026-10", "2026-10-01 2026-10-31"),
        ("at 2026-10-01T08:00:00Z", "2026-10-01 2026-10-01"),
        ("from 2026-10-01", "2026-10-01 -"),
        ("from last month", "2026-10-01 2026-10-31 last_month"),
        ("from October onwards", "2026-10-01 -"),
        ("since Friday", "2026-11-27 -"),
        ("on Monday", "2026-11-30 2026-11-30"),
        ("last Monday", "2026-11-23 2026-11-23"),
        ("since October until yesterday", "2026-10-01 2026-11-29"),
        ("in may", "2026-05-01 2026-05-31"),
    ];
    for (message, expected) in table {
        assert_eq!(read_on("2026-11-30", message).0, expected, "{message}");
    }
}

#[test]
fn leap_days_and_year_ends_are_real_days() {
    let table = [
        ("2024-02-29", "last year", "2023-01-01 2023-12-31 last_year"),
        ("2024-03-01", "yesterday", "2024-02-29 2024-02-29 yesterday"),
        ("2027-01-01", "last month", "2026-12-01 2026-12-31 last_month"),
        ("2027-01-15", "in december", "2026-12-01 2026-12-31"),
        ("2027-01-15", "between november and january", "2026-11-01 2027-01-31"),
        ("2026-03-31", "one month ago", "2026-02-28 2026-02-28"),
        ("2027-01-01", "this week", "2026-12-28 2027-01-03 this_week"),
        ("2026-06-01", "on 29 February 2024", "2024-02-29 2024-02-29"),
    ];
    for (day, message, expected) in table {
        assert_eq!(read_on(day, message).0, expected, "{day} {message}");
    }
}

#[test]
fn what_could_mean_two_things_or_nothing_is_not_read() {
    for message in [
        "on 10/11/2026",
        "on 31 February",
        "2026-02-30",
        "the last 10 orders",
        "order 2025",
        "may I see it",
        "march on",
        "version 1.2.3",
        "last orders",
        "last 0 days",
        "last 99999999 days",
        "3 days",
        "Q5",
        "",
    ] {
        assert_eq!(read_on("2026-11-30", message).0, "", "{message}");
    }
}

#[test]
fn words_of_a_period_are_marked_and_no_others() {
    assert_eq!(
        read_on("2026-11-30", "top 5 products in the last 30 days please").1,
        ["top", "5", "products", "please"]
    );
    assert_eq!(read_on("2026-11-30", "posts between 1 Oct and 5 Oct by Anna").1, ["posts", "by", "anna"]);
}

proptest! {
    #[test]
    fn any_words_on_any_day_are_read_without_panic(
        words in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "last", "the", "past", "this", "between", "and", "from", "to", "since", "before", "after", "days",
                "months", "years", "week", "ago", "in", "31", "29", "february", "december", "2024", "q4", "monday",
                "9999", "10000", "until", "of", "a", "hours", "9223372036854775807",
            ]).prop_map(str::to_owned),
            any::<String>(),
        ], 0..12),
        year in -9999_i16..=9999,
        day in 1_i16..=365,
    ) {
        let date = Date::new(year, 1, 1).unwrap().checked_add(jiff::Span::new().days(i64::from(day) - 1)).unwrap();
        let mut reading = Reading::of(&words.join(" "));
        if let Some(period) = period(&mut reading, Today { date, week_start: Weekday::Sunday }) {
            prop_assert!(period.from.is_some() || period.to.is_some());
            prop_assert!(reading.words.iter().any(|word| word.used));
        }
    }
}
