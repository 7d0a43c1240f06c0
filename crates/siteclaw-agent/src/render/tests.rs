use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn success(data: Value) -> String {
    within(data, None)
}

/// As a terminal with so many columns shows it.
fn within(data: Value, width: Option<usize>) -> String {
    envelope(&json!({"success": true, "data": data, "meta": {}, "warnings": []}), width)
}

#[test]
fn columns_come_as_they_first_appear_and_numbers_stand_to_the_right() {
    let rows = json!({"orders": [
        {"id": 7, "status": "on-hold", "total": "1049.00", "paid": true},
        {"id": 1045, "total": "9.50", "status": "completed", "paid": false, "note": null},
        {"id": 12, "status": "failed", "total": "", "tags": ["a", "b"]},
    ]});
    assert_snapshot!(success(rows), @r"
      id  status       total  paid  note  tags
    ----  ---------  -------  ----  ----  ----
       7  on-hold    1049.00  yes
    1045  completed     9.50  no
      12  failed                          a, b
    ");
}

#[test]
fn long_cells_and_many_columns_are_cut() {
    let mut row = serde_json::Map::new();
    row.insert("text".to_owned(), json!("word ".repeat(20)));
    for place in 1..12 {
        row.insert(format!("c{place}"), json!(place));
    }
    let text = success(json!({"rows": [row]}));
    assert_snapshot!(text, @r"
    text                                      c1  c2  c3  c4  c5  c6  c7  c8  c9
    ----------------------------------------  --  --  --  --  --  --  --  --  --
    word word word word word word word word…   1   2   3   4   5   6   7   8   9
    Columns not shown: c10, c11
    ");
}

#[test]
fn lists_beyond_twenty_rows_say_how_many_are_left() {
    let rows: Vec<Value> = (0..23).map(|id| json!({"id": id})).collect();
    let text = success(json!({"rows": rows}));
    assert_eq!(text.lines().count(), 2 + 20 + 1);
    assert!(text.ends_with("19\n… 3 more"), "{text}");
    let names: Vec<Value> = (0..21).map(|id| json!(format!("name {id}"))).collect();
    assert!(success(json!(names)).ends_with("- name 19\n… 1 more"));
}

#[test]
fn objects_are_lines_and_what_is_in_them_comes_below() {
    let data = json!({
        "total": 42, "by_status": {"publish": 40, "draft": 2}, "sticky": [], "ok": true, "last": null,
        "top": [{"name": "Mug", "sold": 3}], "ids": [1, 2, 3], "content": "<?php\n  echo 1;\n"
    });
    assert_snapshot!(success(data), @r"
    total: 42
    by_status:
      publish: 40
      draft: 2
    sticky: none
    ok: yes
    last: none
    top:
      name  sold
      ----  ----
      Mug      3
    ids: 1, 2, 3
    content:
      <?php
        echo 1;
    ");
}

#[test]
fn scalars_empty_lists_and_empty_objects_say_what_they_are() {
    let table = [
        (json!(5), "5"),
        (json!("two\nlines"), "two\nlines"),
        (json!(null), "none"),
        (json!({}), "Nothing."),
        (json!({"rows": []}), "No rows."),
        (json!([]), "No rows."),
        (json!(["a", 1, false]), "- a\n- 1\n- no"),
    ];
    for (data, expected) in table {
        assert_eq!(success(data.clone()), expected, "{data}");
    }
}

#[test]
fn what_is_left_out_of_a_page_is_said() {
    let page = |meta: Value| {
        envelope(&json!({"success": true, "data": {"x": 1}, "meta": meta, "warnings": []}), None)
    };
    let more = json!({"has_more": true, "count": 20, "total": 120, "next_offset": 20});
    assert_eq!(page(more), "x: 1\n\n20 of 120 were read. Go on with offset 20.");
    let pages = json!({"has_more": true, "count": 8, "next_page": 7});
    assert_eq!(page(pages), "x: 1\n\n8 were read, and there are more. Go on with page 7.");
    assert_eq!(page(json!({"has_more": false, "count": 8, "total": 8})), "x: 1");
}

#[test]
fn a_failure_has_its_message_code_and_hint_and_warnings_are_notes() {
    let failed = json!({
        "success": false, "data": null, "meta": {"mode": "error"},
        "error": {"code": "NOT_FOUND", "message": "No post has the id 7.", "retryable": false, "hint": "List posts first."},
        "warnings": [{"code": "ARGUMENT_ADJUSTED", "message": "limit was 500 and is now 50, the maximum."}]
    });
    assert_snapshot!(envelope(&failed, None), @r"
    Failed: No post has the id 7. (NOT_FOUND)
    Hint: List posts first.

    Note: limit was 500 and is now 50, the maximum.
    ");
    assert_eq!(envelope(&json!({"success": false}), None), "Failed: The call failed and did not say why.");
}

#[test]
fn what_others_wrote_cannot_steer_a_terminal() {
    let text = success(json!({"rows": [{"na\u{1b}[31mme": "a\u{1b}]0;x\u{7}b\u{202e}c\r\nd"}]}));
    assert_eq!(text, "na?[31mme\n-----------\na?]0;x?bc d");
    assert_eq!(success(json!("\u{1b}[2J\n\tkept")), "?[2J\n    kept");
}

#[test]
fn a_cut_counts_characters() {
    assert_eq!(line("äöü", 3), "äöü");
    assert_eq!(line("äöüß", 3), "äö…");
    assert_eq!(line("  a \n b ", 10), "a b");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

#[test]
fn a_row_without_a_value_still_shows() {
    assert_eq!(table(&[json!({"A": null})], None), "A\n-\n-");
    assert_eq!(table(&[json!({"A": 1}), json!({})], None), "A\n-\n1\n-");
}

#[test]
fn a_text_that_shows_nothing_says_so() {
    for blank in ["", " \n\t", "\u{200b}\n"] {
        assert_eq!(envelope(&json!({"success": true, "data": blank}), None), "Nothing.", "{blank:?}");
    }
}

#[test]
fn things_in_rows_are_told_by_number_and_name() {
    let items = json!([
        {"name": "Copper saucepan", "sku": "CO-1", "quantity": 2, "total": "84.00"},
        {"name": "Burr set", "quantity": 1},
    ]);
    let rows = json!({"orders": [
        {"id": 837, "total": "538.38", "items": items, "note": {"by": "anna", "private": true}},
        {"id": 9, "total": "8.5", "items": [], "note": {}},
    ]});
    assert_snapshot!(success(rows), @r"
     id   total  items                              note
    ---  ------  ---------------------------------  ------------------------
    837  538.38  2 × Copper saucepan, 1 × Burr set  {by: anna, private: yes}
      9    8.5   none                               none
    ");
}

#[test]
fn objects_in_objects_stay_short() {
    let table = [
        (json!({"a": 1, "b": [2, 3]}), "{a: 1, b: [2, 3]}"),
        (json!([{"a": {"b": {"c": {"d": 1}}}}]), "{a: {b: …}}"),
        (json!([[1, 2], ["x"]]), "[1, 2], [x]"),
        (json!({"quantity": "2", "name": "x"}), "{quantity: 2, name: x}"),
        (json!([{"qty": 3, "title": "Mug"}, null, true]), "3 × Mug, none, yes"),
        (json!([]), "none"),
        (json!({}), "none"),
    ];
    for (value, expected) in table {
        assert_eq!(inline(&value), expected, "{value}");
    }
    let long: Vec<Value> = (0..30).map(|id| json!({"id": id})).collect();
    assert!(inline(&json!(long)).ends_with("{id: 19}, … 10 more"));
}

#[test]
fn a_map_of_things_is_a_table() {
    let roles = json!({"total": 3, "by_role": {
        "administrator": {"label": "Administrator", "count": 1},
        "shop_manager": {"label": "Shop manager", "count": 12},
    }, "cache": {"entries": 145, "size": {"bytes": 62881, "spread": {"low": 1, "high": 9}}}});
    assert_snapshot!(success(roles), @r"
    total: 3
    by_role:
                     label          count
      -------------  -------------  -----
      administrator  Administrator      1
      shop_manager   Shop manager      12
    cache:
      entries: 145
      size:
        bytes: 62881
        spread: {low: 1, high: 9}
    ");
}

#[test]
fn amounts_stand_with_their_points_below_each_other() {
    let rows = json!([
        {"sum": "1049.00", "at": "2026-11-30 08:00:00"}, {"sum": 9.5, "at": "2026-01-02"}, {"sum": -3, "at": null},
    ]);
    assert_snapshot!(success(rows), @r"
        sum  at
    -------  -------------------
    1049.00  2026-11-30 08:00:00
       9.5   2026-01-02
      -3
    ");
}

#[test]
fn a_narrow_terminal_gets_narrower_texts_and_then_blocks() {
    let rows = || {
        json!({"products": [
            {"id": 77, "name": "日本の Patient Poster Lantern Studio Archive Music", "sku": "HP-SI-0042", "price": "127.24"},
            {"id": 180, "name": "Kitchen Theatre Gull", "sku": null, "price": "22.9", "tags": ["new", "sale"]},
        ]})
    };
    assert_snapshot!(within(rows(), Some(60)), @r"
     id  name                      sku          price  tags
    ---  ------------------------  ----------  ------  ---------
     77  日本の Patient Poster L…  HP-SI-0042  127.24
    180  Kitchen Theatre Gull                   22.9   new, sale
    ");
    assert_snapshot!(within(rows(), Some(32)), @r"
    id     77
    name   日本の Patient Poster La…
    sku    HP-SI-0042
    price  127.24

    id     180
    name   Kitchen Theatre Gull
    price  22.9
    tags   new, sale
    ");
    let order =
        json!([{"id": 1, "date": "2026-11-30 08:00:00", "items": "Copper saucepan, Burr set, Kettle"}]);
    assert_snapshot!(within(order.clone(), Some(40)), @r"
    id  date                 items
    --  -------------------  ---------------
     1  2026-11-30 08:00:00  Copper saucepa…
    ");
    assert_eq!(within(order, Some(30)).lines().nth(1), Some("date   2026-11-30 08:00:00"));
    for width in 60..120 {
        let text = within(rows(), Some(width));
        assert!(
            text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= width),
            "{width}\n{text}"
        );
    }
}

proptest! {
    #[test]
    fn any_value_is_rendered_without_control_characters_and_without_end(
        data in values(), success in any::<bool>(), width in prop::option::of(0_usize..200)
    ) {
        let wrapped = json!({"success": success, "data": data, "error": data, "meta": data, "warnings": data});
        for text in [envelope(&wrapped, width), envelope(&data, width)] {
            prop_assert!(!text.is_empty());
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
            prop_assert!(!text.ends_with('\n') || text.trim().is_empty());
        }
    }
}
