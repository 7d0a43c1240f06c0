//! Making a result fit its budget without making it untrue.
//!
//! A declared list loses rows from its end and its paging fields are worked out anew. If that is not
//! enough, the longest strings are cut at a character. The shape stays valid, and a warning says what was
//! left out. The budget counts characters of the whole envelope as JSON.

use serde_json::{Map, Value, json};

use crate::code;
use crate::envelope::Warning;
use crate::reply::{List, Paging};

/// Room for the parts of the envelope around data, meta and warnings, and for the cut's own warning.
const FRAME: usize = 320;
/// A cut string keeps at least this many characters, else it says nothing.
const SHORTEST_STRING: usize = 80;

/// Fits the parts of a success envelope. Returns whether something was left out.
pub(crate) fn fit(
    data: &mut Value,
    meta: &mut Map<String, Value>,
    warnings: &mut Vec<Warning>,
    list: Option<&List>,
    budget: usize,
) -> bool {
    let budget = budget.saturating_sub(FRAME).max(100);
    let mut dropped = 0;
    if let Some(list) = list {
        let rows = data.get(list.key).and_then(Value::as_array).map_or(0, Vec::len);
        let mut kept = rows;
        let size = data_size(data) + meta_size(meta) + warnings_size(warnings);
        if size > budget
            && let Some(Value::Array(all)) = data.get_mut(list.key)
        {
            kept = rows_that_fit(all, size - budget, &list.paging);
            all.truncate(kept);
            dropped = rows - kept;
        }
        paging_fields(&list.paging, kept, rows, meta);
        if dropped > 0 {
            warnings.push(Warning::new(code::OUTPUT_TRUNCATED, rows_message(&list.paging, kept, dropped)));
        }
    }
    let cut = cut_strings(data, meta, warnings, budget);
    if cut > 0 {
        let unit = if cut == 1 { "text was" } else { "texts were" };
        warnings.push(Warning::new(
            code::OUTPUT_TRUNCATED,
            format!(
                "{cut} long {unit} cut to fit the size limit; a cut text ends in '…'. Ask for less at once."
            ),
        ));
    }
    dropped > 0 || cut > 0
}

/// Characters of the value as JSON.
pub(crate) fn chars_of(value: &Value) -> usize {
    value.to_string().chars().count()
}

fn data_size(data: &Value) -> usize {
    chars_of(data)
}

fn meta_size(meta: &Map<String, Value>) -> usize {
    meta.iter().map(|(key, value)| key.chars().count() + chars_of(value) + 4).sum()
}

fn warnings_size(warnings: &[Warning]) -> usize {
    warnings.iter().map(|warning| warning.code.len() + warning.message.chars().count() + 30).sum()
}

/// How many rows stay when `excess` characters must go: at least one, where there is one.
fn rows_that_fit(rows: &[Value], excess: usize, paging: &Paging) -> usize {
    let mut freed = 0;
    let mut kept = rows.len();
    for row in rows.iter().skip(1).rev() {
        if freed >= excess {
            break;
        }
        freed += chars_of(row) + 1;
        kept -= 1;
    }
    match *paging {
        // The page must still begin at the same row, so its size must divide the rows before it.
        Paging::Numbered { page, size, .. } => {
            let before = page.saturating_sub(1).saturating_mul(size);
            // Without rows nothing divides, and nothing stays.
            (1..=kept as u64).rev().find(|size| before.is_multiple_of(*size)).unwrap_or(0) as usize
        }
        Paging::Offset { .. } | Paging::Whole => kept,
    }
}

fn paging_fields(paging: &Paging, kept: usize, rows: usize, meta: &mut Map<String, Value>) {
    let kept = kept as u64;
    let rows = rows as u64;
    let mut set = |key: &str, value: Value| {
        meta.insert(key.to_owned(), value);
    };
    match *paging {
        Paging::Offset { offset, limit, total, has_more } => {
            let next = offset.saturating_add(kept);
            let more = kept < rows || total.map_or(has_more, |total| next < total && kept > 0);
            if let Some(total) = total {
                set("total", json!(total));
            }
            set("count", json!(kept));
            set("limit", json!(limit));
            set("offset", json!(offset));
            set("has_more", json!(more));
            set("next_offset", if more { json!(next) } else { Value::Null });
        }
        Paging::Numbered { page, size, total, size_field } => {
            let before = page.saturating_sub(1).saturating_mul(size);
            let size = if kept < rows { kept } else { size.max(1) };
            let page = (before / size).saturating_add(1);
            let pages = total.div_ceil(size);
            set("total", json!(total));
            set("count", json!(kept));
            set("pages", json!(pages));
            set("current_page", json!(page));
            set(size_field, json!(size));
            set("has_more", json!(page < pages));
            set("next_page", if page < pages { json!(page + 1) } else { Value::Null });
        }
        Paging::Whole => {
            set("count", json!(kept));
            if kept < rows {
                set("truncated", json!(true));
                set("left_out", json!(rows - kept));
            }
        }
    }
}

fn rows_message(paging: &Paging, kept: usize, dropped: usize) -> String {
    let rows = if dropped == 1 { "row was" } else { "rows were" };
    let what = format!("{dropped} {rows} left out to fit the size limit.");
    match *paging {
        Paging::Offset { offset, .. } => {
            let next = offset.saturating_add(kept as u64);
            format!("{what} Go on with offset {next}, or ask for fewer columns.")
        }
        Paging::Numbered { page, size, size_field, .. } => {
            let kept = kept.max(1) as u64;
            let page = (page.saturating_sub(1).saturating_mul(size) / kept).saturating_add(2);
            format!("{what} Go on with {size_field} {kept} and page {page}, or ask for fewer columns.")
        }
        Paging::Whole => format!("{what} Narrow the request to see them."),
    }
}

/// Cuts the longest strings first until the parts fit. Returns how many were cut.
fn cut_strings(
    data: &mut Value,
    meta: &mut Map<String, Value>,
    warnings: &[Warning],
    budget: usize,
) -> usize {
    let size = data_size(data) + meta_size(meta) + warnings_size(warnings);
    if size <= budget {
        return 0;
    }
    let mut lengths = Vec::new();
    collect_lengths(data, &mut lengths);
    for value in meta.values() {
        collect_lengths(value, &mut lengths);
    }
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    let ceiling = ceiling(&lengths, size - budget);
    let mut cut = cut_above(data, ceiling);
    for value in meta.values_mut() {
        cut += cut_above(value, ceiling);
    }
    cut
}

fn collect_lengths(value: &Value, lengths: &mut Vec<usize>) {
    match value {
        Value::String(_) => lengths.push(chars_of(value)),
        Value::Array(items) => items.iter().for_each(|item| collect_lengths(item, lengths)),
        Value::Object(map) => map.values().for_each(|item| collect_lengths(item, lengths)),
        _ => {}
    }
}

/// The length to which all longer strings must be cut so that `excess` characters go.
fn ceiling(longest_first: &[usize], excess: usize) -> usize {
    let mut ceiling = SHORTEST_STRING;
    let mut taken = 0;
    for (index, length) in longest_first.iter().enumerate() {
        taken += length;
        let count = index + 1;
        let next = longest_first.get(count).copied().unwrap_or(0);
        // Cutting these `count` strings down to the next length frees this much.
        if taken.saturating_sub(next * count) >= excess {
            ceiling = taken.saturating_sub(excess) / count;
            break;
        }
    }
    ceiling.max(SHORTEST_STRING)
}

fn cut_above(value: &mut Value, ceiling: usize) -> usize {
    match value {
        Value::String(text) => {
            if Value::from(text.as_str()).to_string().chars().count() <= ceiling {
                return 0;
            }
            // Escapes make JSON longer than the text: count what each character becomes.
            let mut room = ceiling.saturating_sub(3);
            let kept: String = text
                .chars()
                .take_while(|c| {
                    let cost = match c {
                        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
                        c if c.is_control() && *c < ' ' => 6,
                        _ => 1,
                    };
                    room.checked_sub(cost).map(|left| room = left).is_some()
                })
                .collect();
            *text = kept + "…";
            1
        }
        Value::Array(items) => items.iter_mut().map(|item| cut_above(item, ceiling)).sum(),
        Value::Object(map) => map.values_mut().map(|item| cut_above(item, ceiling)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(count: usize, width: usize) -> Value {
        json!({"posts": (0..count).map(|id| json!({"id": id, "text": "x".repeat(width)})).collect::<Vec<_>>()})
    }

    fn fitted(mut data: Value, paging: Paging, budget: usize) -> (Value, Map<String, Value>, Vec<Warning>) {
        let (mut meta, mut warnings) = (Map::new(), Vec::new());
        let list = List { key: "posts", paging };
        fit(&mut data, &mut meta, &mut warnings, Some(&list), budget);
        (data, meta, warnings)
    }

    #[test]
    fn a_numbered_page_without_rows_drops_none_when_what_stands_beside_it_is_too_long() {
        let mut data = json!({"posts": [], "note": "x".repeat(2000)});
        let (mut meta, mut warnings) = (Map::new(), Vec::new());
        let paging = Paging::Numbered { page: 3, size: 10, total: 20, size_field: "per_page" };
        assert!(fit(&mut data, &mut meta, &mut warnings, Some(&List { key: "posts", paging }), 700));
        assert_eq!(meta.get("count"), Some(&json!(0)));
        assert_eq!((meta.get("pages"), meta.get("current_page")), (Some(&json!(2)), Some(&json!(3))));
        let said: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert!(matches!(said[..], [cut] if cut.starts_with("1 long text was cut")), "{said:?}");
    }

    #[test]
    fn page_numbers_beyond_all_rows_do_not_overflow() {
        for paging in [
            Paging::Numbered { page: u64::MAX, size: 100, total: u64::MAX, size_field: "per_page" },
            Paging::Offset { offset: u64::MAX, limit: 10, total: None, has_more: true },
        ] {
            let (data, meta, _) = fitted(rows(9, 400), paging, 1000);
            assert_eq!(
                meta.get("count"),
                Some(&json!(data["posts"].as_array().unwrap().len())),
                "{paging:?}"
            );
        }
    }

    #[test]
    fn a_page_that_fits_keeps_its_rows() {
        let paging = Paging::Offset { offset: 20, limit: 10, total: Some(25), has_more: true };
        let (data, meta, warnings) = fitted(rows(5, 10), paging, 10_000);
        assert_eq!(data["posts"].as_array().unwrap().len(), 5);
        let expected = json!({"total": 25, "count": 5, "limit": 10, "offset": 20, "has_more": false, "next_offset": null});
        assert_eq!(Value::Object(meta), expected);
        assert!(warnings.is_empty());
    }

    #[test]
    fn dropped_rows_are_the_next_page() {
        let paging = Paging::Offset { offset: 20, limit: 50, total: Some(70), has_more: false };
        let (data, meta, warnings) = fitted(rows(50, 300), paging, 10_000);
        let kept = data["posts"].as_array().unwrap().len() as u64;
        assert!((20..40).contains(&kept), "{kept}");
        assert_eq!((&meta["count"], &meta["next_offset"]), (&json!(kept), &json!(20 + kept)));
        assert_eq!(meta["has_more"], json!(true));
        assert_eq!(warnings[0].code, "OUTPUT_TRUNCATED");
    }

    #[test]
    fn a_numbered_page_becomes_a_smaller_page_that_starts_at_the_same_row() {
        // Page 3 of 20 starts after 40 rows. About 9 rows fit, so pages of 8 do: page 6 starts after 40 too.
        let paging = Paging::Numbered { page: 3, size: 20, total: 100, size_field: "posts_per_page" };
        let (data, meta, warnings) = fitted(rows(20, 1000), paging, 10_000);
        assert_eq!(data["posts"].as_array().unwrap().len(), 8);
        let expected = json!({"total": 100, "count": 8, "pages": 13, "current_page": 6, "posts_per_page": 8,
                              "has_more": true, "next_page": 7});
        assert_eq!(Value::Object(meta), expected);
        assert!(warnings[0].message.contains("posts_per_page 8 and page 7"), "{}", warnings[0].message);
    }

    #[test]
    fn the_first_row_always_stays_and_its_strings_are_cut() {
        let paging = Paging::Offset { offset: 0, limit: 10, total: None, has_more: false };
        let (data, meta, _) = fitted(rows(3, 50_000), paging, 5_000);
        let kept = data["posts"].as_array().unwrap();
        assert_eq!(kept.len(), 1);
        assert!(kept[0]["text"].as_str().unwrap().ends_with('…'));
        assert_eq!((&meta["has_more"], &meta["next_offset"]), (&json!(true), &json!(1)));
    }

    #[test]
    fn the_longest_string_is_cut_first() {
        let mut data =
            json!({"short": "s".repeat(500), "long": "l".repeat(9000), "longer": "\n".repeat(9000)});
        fit(&mut data, &mut Map::new(), &mut Vec::new(), None, 5_000);
        assert_eq!(data["short"].as_str().unwrap().len(), 500);
        assert!(chars_of(&data) <= 5_000);
        assert!(data["long"].as_str().unwrap().chars().count() > 1000);
    }

    proptest! {
        #[test]
        fn whatever_comes_fits_and_the_numbers_stay_true(
            widths in prop::collection::vec(0usize..2000, 1..60),
            offset in 0u64..100,
            extra in 0u64..50,
            budget in 1_000usize..12_000,
        ) {
            let count = widths.len() as u64;
            let total = offset + count + extra;
            let data = json!({"posts": widths.iter().map(|width| "ä\"".repeat(width / 2)).collect::<Vec<_>>()});
            let paging = Paging::Offset { offset, limit: count, total: Some(total), has_more: false };
            let (data, meta, warnings) = fitted(data, paging, budget);
            let kept = data["posts"].as_array().unwrap().len() as u64;
            let size = crate::envelope::Envelope::Success { data, meta: meta.clone(), warnings }.to_value();
            prop_assert!(chars_of(&size) <= budget, "{} > {budget}", chars_of(&size));
            prop_assert!(kept >= 1);
            prop_assert_eq!(meta["count"].as_u64(), Some(kept));
            let more = offset + kept < total;
            prop_assert_eq!(meta["has_more"].as_bool(), Some(more));
            prop_assert_eq!(meta["next_offset"].as_u64(), more.then_some(offset + kept));
        }
    }
}
