//! Rows as a table of fixed columns.

use serde_json::Value;

use super::{inline, line};

/// The most rows of a table or list.
pub const MAX_ROWS: usize = 20;
/// The most columns of a table.
pub const MAX_COLUMNS: usize = 10;
/// Characters of a cell.
pub const MAX_CELL: usize = 40;

/// A table of the objects among the rows: the first [`MAX_ROWS`] of them, with the columns in the order in
/// which they first appear. Numbers stand to the right, long cells end in `…`, absent ones are empty; a row
/// that holds nothing is a dash.
pub fn table(rows: &[Value]) -> String {
    let shown: Vec<&serde_json::Map<String, Value>> =
        rows.iter().filter_map(Value::as_object).take(MAX_ROWS).collect();
    let mut columns: Vec<&str> = Vec::new();
    for key in shown.iter().flat_map(|row| row.keys()) {
        if !columns.contains(&key.as_str()) {
            columns.push(key);
        }
    }
    if columns.is_empty() {
        return "No rows.".to_owned();
    }
    let left_out: Vec<String> = columns.iter().skip(MAX_COLUMNS).map(|name| line(name, MAX_CELL)).collect();
    columns.truncate(MAX_COLUMNS);

    let cells: Vec<Vec<String>> =
        columns.iter().map(|column| shown.iter().map(|row| cell(row.get(*column))).collect()).collect();
    let titles: Vec<String> = columns.iter().map(|column| line(column, MAX_CELL)).collect();
    let widths: Vec<usize> = cells
        .iter()
        .zip(&titles)
        .map(|(cells, title)| cells.iter().chain([title]).map(|cell| width(cell)).max().unwrap_or(0))
        .collect();
    let numeric: Vec<bool> = cells
        .iter()
        .map(|cells| {
            let mut filled = cells.iter().filter(|cell| !cell.is_empty()).peekable();
            filled.peek().is_some() && filled.all(|cell| cell.parse::<f64>().is_ok())
        })
        .collect();

    let row = |cells: Vec<&str>| {
        let padded: Vec<String> = cells
            .iter()
            .zip(widths.iter().zip(&numeric))
            .map(|(cell, (&wide, &numeric))| {
                let space = " ".repeat(wide.saturating_sub(width(cell)));
                if numeric { format!("{space}{cell}") } else { format!("{cell}{space}") }
            })
            .collect();
        let line = padded.join("  ").trim_end().to_owned();
        // A row without a value is still a row: an empty line would hide it.
        if line.is_empty() { "-".to_owned() } else { line }
    };
    let rule: Vec<String> = widths.iter().map(|&wide| "-".repeat(wide)).collect();
    let mut out = vec![row(titles.iter().map(String::as_str).collect()), rule.join("  ")];
    for place in 0..shown.len() {
        out.push(row(cells.iter().map(|cells| cells.get(place).map_or("", String::as_str)).collect()));
    }
    out.extend(more(rows.len()));
    if !left_out.is_empty() {
        out.push(format!("Columns not shown: {}", line(&left_out.join(", "), 200)));
    }
    out.join("\n")
}

/// The line that says how many rows are not shown.
pub(super) fn more(rows: usize) -> Option<String> {
    rows.checked_sub(MAX_ROWS).filter(|left| *left > 0).map(|left| format!("… {left} more"))
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(value) => line(&inline(value), MAX_CELL),
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}
