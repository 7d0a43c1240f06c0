//! Results as plain text for people: tables, `key: value` lines, messages.
//!
//! There are no colours and no terminal codes in it; what others wrote cannot bring any in either, because
//! control characters and characters that do not show themselves are taken out.
//!
//! ```
//! use serde_json::json;
//! let text = siteclaw_agent::render::envelope(&json!({
//!     "success": true, "data": {"users": [{"id": 1, "login": "anna"}, {"id": 12, "login": "bo"}]},
//!     "meta": {}, "warnings": []
//! }), None);
//! assert_eq!(text, "id  login\n--  -----\n 1  anna\n12  bo");
//! ```

mod short;
mod table;

use serde_json::{Map, Value};

use short::MAX_INLINE;
pub use short::inline;
pub(crate) use short::line;
pub use table::{MAX_CELL, MAX_COLUMNS, MAX_ROWS, table};

/// Lines of one text.
const MAX_LINES: usize = 60;
/// Levels of objects within objects that are spread over lines; deeper ones stay on one.
const MAX_DEPTH: usize = 4;
/// Characters of an object that stays on one line within another.
const ONE_LINE: usize = 60;

/// The text of an envelope, success or failure, without a line break at its end. `width` is what the terminal has;
/// without one nothing is made narrower.
pub fn envelope(envelope: &Value, width: Option<usize>) -> String {
    let mut blocks = Vec::new();
    if envelope.get("success") == Some(&Value::Bool(true)) {
        let data = envelope.get("data").unwrap_or(&Value::Null);
        blocks.push(success(data, width));
        blocks.extend(paging(envelope.get("meta")));
    } else {
        blocks.push(failure(envelope.get("error")));
    }
    let warnings = envelope.get("warnings").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let notes: Vec<String> = warnings
        .iter()
        .filter_map(|warning| warning.get("message")?.as_str())
        .map(|message| format!("Note: {}", line(message, MAX_INLINE)))
        .collect();
    if !notes.is_empty() {
        blocks.push(notes.join("\n"));
    }
    blocks.join("\n\n")
}

fn failure(error: Option<&Value>) -> String {
    let part =
        |name: &str| error.and_then(|error| error.get(name)).and_then(Value::as_str).unwrap_or_default();
    let message = line(part("message"), MAX_INLINE);
    let message =
        if message.is_empty() { "The call failed and did not say why.".to_owned() } else { message };
    let code = line(part("code"), 64);
    let code = if code.is_empty() { String::new() } else { format!(" ({code})") };
    let hint = line(part("hint"), MAX_INLINE);
    let hint = if hint.is_empty() { String::new() } else { format!("\nHint: {hint}") };
    format!("Failed: {message}{code}{hint}")
}

fn success(data: &Value, width: Option<usize>) -> String {
    match data {
        Value::Object(object) => match rows_alone(object) {
            Some(rows) => table(rows, width),
            None => lines(object, 0, width),
        },
        Value::Array(rows) => list(rows, width),
        other => match text(other) {
            blank if blank.trim().is_empty() => "Nothing.".to_owned(),
            text => text,
        },
    }
}

/// The rows of an object that has nothing else.
fn rows_alone(object: &Map<String, Value>) -> Option<&[Value]> {
    let mut values = object.values();
    match (values.next(), values.next()) {
        (Some(Value::Array(rows)), None) if rows.iter().all(Value::is_object) => Some(rows),
        _ => None,
    }
}

/// An object as `key: value` lines; what it contains comes indented below its key.
fn lines(object: &Map<String, Value>, depth: usize, width: Option<usize>) -> String {
    if object.is_empty() {
        return "Nothing.".to_owned();
    }
    let inside = width.map(|width| width.saturating_sub(2).max(20));
    let mut out: Vec<String> = Vec::new();
    for (key, value) in object {
        let key = line(key, 64);
        let below = match value {
            Value::Object(inner) if depth < MAX_DEPTH && !inner.is_empty() => match keyed_rows(inner) {
                Some(rows) => Some(table(&rows, inside)),
                None if depth > 1 && is_flat(inner) && inline(value).chars().count() <= ONE_LINE => None,
                None => Some(lines(inner, depth + 1, inside)),
            },
            Value::Array(rows) if depth < MAX_DEPTH && rows.iter().any(Value::is_object) => {
                Some(list(rows, inside))
            }
            Value::String(long) if long.trim().contains('\n') => Some(text(value)),
            _ => None,
        };
        match below {
            Some(below) => {
                let indented: Vec<String> =
                    below.lines().map(|line| format!("  {line}").trim_end().to_owned()).collect();
                out.push(format!("{key}:\n{}", indented.join("\n")));
            }
            None => out.push(format!("{key}: {}", inline(value))),
        }
    }
    out.join("\n")
}

fn is_flat(object: &Map<String, Value>) -> bool {
    object.values().all(|value| !value.is_object() && !value.is_array())
}

/// The rows of an object whose values are flat objects with the same keys: its keys become the first column.
fn keyed_rows(object: &Map<String, Value>) -> Option<Vec<Value>> {
    let mut rows = Vec::with_capacity(object.len());
    let mut keys: Option<Vec<&String>> = None;
    for (name, value) in object {
        let inner = value.as_object().filter(|inner| is_flat(inner) && !inner.contains_key(""))?;
        let own: Vec<&String> = inner.keys().collect();
        if own.is_empty() || keys.get_or_insert_with(|| own.clone()) != &own {
            return None;
        }
        let mut row = Map::new();
        row.insert(String::new(), Value::from(name.as_str()));
        row.extend(inner.iter().map(|(key, value)| (key.clone(), value.clone())));
        rows.push(Value::Object(row));
    }
    (rows.len() > 1).then_some(rows)
}

fn list(rows: &[Value], width: Option<usize>) -> String {
    if rows.iter().all(Value::is_object) {
        return table(rows, width);
    }
    let mut out: Vec<String> = rows.iter().take(MAX_ROWS).map(|row| format!("- {}", inline(row))).collect();
    out.extend(table::more(rows.len()));
    out.join("\n")
}

/// A value over as many lines as it has.
fn text(value: &Value) -> String {
    let Value::String(text) = value else { return inline(value) };
    let all: Vec<&str> = text.lines().collect();
    let mut out: Vec<String> = all.iter().take(MAX_LINES).map(|text| whole_line(text)).collect();
    if all.len() > MAX_LINES {
        let left = all.len() - MAX_LINES;
        out.push(format!("… {left} more {}", if left == 1 { "line" } else { "lines" }));
    }
    out.join("\n")
}

/// A line of a text with the spaces at its beginning.
fn whole_line(text: &str) -> String {
    let indent = text.chars().take_while(|c| *c == ' ').take(40).count();
    let tabs = text.chars().take_while(|c| *c == '\t').take(10).count();
    format!("{}{}", " ".repeat(indent + 4 * tabs), line(text, MAX_INLINE))
}

/// What the result says about rows that are not in it.
fn paging(meta: Option<&Value>) -> Option<String> {
    let number = |name: &str| meta.and_then(|meta| meta.get(name)).and_then(Value::as_u64);
    if meta.and_then(|meta| meta.get("has_more")) != Some(&Value::Bool(true)) {
        return None;
    }
    let shown = match (number("count"), number("total")) {
        (Some(count), Some(total)) => format!("{count} of {total} were read."),
        (Some(count), None) => format!("{count} were read, and there are more."),
        _ => "There are more.".to_owned(),
    };
    let next = match (number("next_offset"), number("next_page")) {
        (Some(offset), _) => format!(" Go on with offset {offset}."),
        (None, Some(page)) => format!(" Go on with page {page}."),
        _ => String::new(),
    };
    Some(format!("{shown}{next}"))
}

#[cfg(test)]
mod tests;
