//! Rows as a table, and as blocks where a table would not fit.

use serde_json::{Map, Value};
use unicode_width::UnicodeWidthStr as _;

use super::short::{inline, line};

/// The most rows of a table or list.
pub const MAX_ROWS: usize = 20;
/// The most columns of a table.
pub const MAX_COLUMNS: usize = 10;
/// Columns that a cell takes at most where nothing says how wide the terminal is.
pub const MAX_CELL: usize = 40;
/// Columns that a cell keeps when a table is made narrower.
const MIN_CELL: usize = 12;
/// Columns between cells.
const GAP: usize = 2;

/// A column on its way to a table.
struct Column {
    title: String,
    cells: Vec<String>,
    /// Whether all its cells are numbers, with their points below each other.
    numeric: bool,
    /// Whether its cells lose what they say when they are cut: numbers and dates.
    whole: bool,
    width: usize,
}

impl Column {
    fn of(key: &str, rows: &[&Map<String, Value>], most: usize) -> Self {
        let mut cells: Vec<String> = rows.iter().map(|row| cell(row.get(key), most)).collect();
        let filled = cells.iter().any(|cell| !cell.is_empty());
        let numeric = filled && cells.iter().all(|cell| is_number(cell));
        let whole = numeric || filled && cells.iter().all(|cell| is_date(cell));
        if numeric {
            align_points(&mut cells);
        }
        let title = fitted(&line(key, MAX_CELL), MAX_CELL);
        let width = cells.iter().chain([&title]).map(|cell| cell.width()).max().unwrap_or(0);
        Self { title, cells, numeric, whole, width }
    }

    /// A cell or the title, as wide as the column.
    fn padded(&self, text: &str) -> String {
        let text = fitted(text, self.width);
        let space = " ".repeat(self.width.saturating_sub(text.width()));
        if self.numeric { format!("{space}{text}") } else { format!("{text}{space}") }
    }
}

/// A table of the objects among the rows: the first [`MAX_ROWS`] of them, with the columns in the order in
/// which they first appear. Numbers stand to the right with their points below each other, long cells end in `…`,
/// absent ones are empty; a row that holds nothing is a dash.
///
/// `width` is what the terminal has: a wider table is made narrower, and if too little would be left of its texts,
/// each row becomes a block of `key  value` lines. Without a width the table is as wide as it needs to be.
pub fn table(rows: &[Value], width: Option<usize>) -> String {
    let shown: Vec<&Map<String, Value>> = rows.iter().filter_map(Value::as_object).take(MAX_ROWS).collect();
    let mut keys: Vec<&str> = Vec::new();
    for key in shown.iter().flat_map(|row| row.keys()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    if keys.is_empty() {
        return "No rows.".to_owned();
    }
    let fits = |columns: &[Column]| {
        width
            .is_none_or(|width| columns.iter().map(|column| column.width + GAP).sum::<usize>() <= width + GAP)
    };
    let most = width.map_or(MAX_CELL, |width| width.max(MAX_CELL));
    let mut columns: Vec<Column> =
        keys.iter().take(MAX_COLUMNS).map(|key| Column::of(key, &shown, most)).collect();
    while !fits(&columns) {
        let widest = columns.iter_mut().filter(|column| !column.whole && column.width > MIN_CELL);
        let Some(widest) = widest.max_by_key(|column| column.width) else { break };
        widest.width -= 1;
    }
    let mut out = if fits(&columns) {
        let mut out = drawn(&columns, shown.len());
        if keys.len() > MAX_COLUMNS {
            let left: Vec<String> = keys.iter().skip(MAX_COLUMNS).map(|name| line(name, MAX_CELL)).collect();
            out.extend(more(rows.len()));
            out.push(format!("Columns not shown: {}", line(&left.join(", "), 200)));
            return out.join("\n");
        }
        out
    } else {
        vec![blocks(&keys, &shown, width.unwrap_or(usize::MAX))]
    };
    out.extend(more(rows.len()));
    out.join("\n")
}

fn drawn(columns: &[Column], rows: usize) -> Vec<String> {
    let row = |cells: Vec<String>| {
        let line = cells.join("  ").trim_end().to_owned();
        // A row without a value is still a row: an empty line would hide it.
        if line.is_empty() { "-".to_owned() } else { line }
    };
    let rule: Vec<String> = columns.iter().map(|column| "-".repeat(column.width)).collect();
    let mut out =
        vec![row(columns.iter().map(|column| column.padded(&column.title)).collect()), rule.join("  ")];
    for place in 0..rows {
        let cells =
            columns.iter().map(|column| column.padded(column.cells.get(place).map_or("", String::as_str)));
        out.push(row(cells.collect()));
    }
    out
}

/// Each row as `key  value` lines, what is absent left out, with an empty line between rows.
fn blocks(keys: &[&str], rows: &[&Map<String, Value>], width: usize) -> String {
    let names: Vec<String> = keys.iter().map(|key| line(key, MAX_CELL)).collect();
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0).min(width / 2);
    let room = width.saturating_sub(widest + GAP).max(MIN_CELL);
    let block = |row: &&Map<String, Value>| {
        let lines: Vec<String> = keys
            .iter()
            .zip(&names)
            .filter_map(|(key, name)| Some((name, row.get(*key)?)))
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| {
                let name = fitted(name, widest);
                let space = " ".repeat(widest.saturating_sub(name.width()) + GAP);
                format!("{name}{space}{}", fitted(&inline(value), room)).trim_end().to_owned()
            })
            .collect();
        if lines.is_empty() { "-".to_owned() } else { lines.join("\n") }
    };
    rows.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

/// The line that says how many rows are not shown.
pub(super) fn more(rows: usize) -> Option<String> {
    rows.checked_sub(MAX_ROWS).filter(|left| *left > 0).map(|left| format!("… {left} more"))
}

fn cell(value: Option<&Value>, most: usize) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(value) => fitted(&inline(value), most),
    }
}

/// `2026-11-30`, `2026-11-30 08:00:00`
fn is_date(cell: &str) -> bool {
    let digits = |at: std::ops::Range<usize>| {
        cell.get(at).is_some_and(|part| part.bytes().all(|c| c.is_ascii_digit()))
    };
    let day = digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && cell.get(4..5) == Some("-")
        && cell.get(7..8) == Some("-");
    cell.is_empty() || (day && cell.len() <= 30)
}

/// Text that takes no more than so many columns, with `…` for what is cut off.
fn fitted(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        let mut longer = out.clone();
        longer.push(c);
        if longer.width() + 1 > most {
            break;
        }
        out = longer;
    }
    let mut out = out.trim_end().to_owned();
    if most > 0 {
        out.push('…');
    }
    out
}

fn is_number(cell: &str) -> bool {
    cell.is_empty() || cell.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Pads numbers at their ends so that their points stand below each other.
fn align_points(cells: &mut [String]) {
    let places = |cell: &str| cell.split_once('.').map_or(0, |(_, places)| places.len() + 1);
    let most = cells.iter().map(|cell| places(cell)).max().unwrap_or(0);
    for cell in cells.iter_mut().filter(|cell| !cell.is_empty()) {
        let missing = most - places(cell).min(most);
        cell.push_str(&" ".repeat(missing));
    }
}
