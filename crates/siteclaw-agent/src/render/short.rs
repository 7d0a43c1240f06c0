//! Values on one line: text as it is, lists between commas, objects as `{key: value}`.

use serde_json::{Map, Value};
use siteclaw_core::is_invisible;

use super::table::MAX_ROWS;

/// Characters of a value on a line.
pub(super) const MAX_INLINE: usize = 400;
/// Levels of lists and objects within each other that are written out; deeper ones are `…`.
const MAX_DEPTH: usize = 3;
/// Characters of a list or object at which its rest is left out.
const ENOUGH: usize = 2 * MAX_INLINE;

/// What a thing is called, in the order in which it is looked for.
const NAMES: &[&str] = &["name", "title", "label", "display_name"];

/// One value on one line: text as it is, a list between commas, an object as `{key: value}`, things of an order as
/// `2 × Copper saucepan`.
pub fn inline(value: &Value) -> String {
    line(&short(value, 0), MAX_INLINE)
}

fn short(value: &Value, depth: usize) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => line(text, MAX_INLINE),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Object(object) if object.is_empty() => "none".to_owned(),
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => "…".to_owned(),
        Value::Array(items) => list(items, depth),
        Value::Object(object) => counted(object).unwrap_or_else(|| pairs(object, depth)),
    }
}

fn list(items: &[Value], depth: usize) -> String {
    let shown = joined(items.iter().take(MAX_ROWS).map(|item| short(item, depth + 1)));
    let more = items.len().checked_sub(MAX_ROWS).filter(|more| *more > 0);
    let shown = more.map_or_else(|| shown.clone(), |more| format!("{shown}, … {more} more"));
    if depth == 0 { shown } else { format!("[{shown}]") }
}

/// A number of things that have a name. What else is known of them is left out: it would hide the rest of the list.
fn counted(object: &Map<String, Value>) -> Option<String> {
    let number =
        ["quantity", "qty"].iter().find_map(|key| object.get(*key)).filter(|value| value.is_number())?;
    let name = NAMES.iter().find_map(|key| object.get(*key)).and_then(Value::as_str)?;
    Some(format!("{number} × {}", line(name, MAX_INLINE)))
}

fn pairs(object: &Map<String, Value>, depth: usize) -> String {
    let pairs = object.iter().map(|(key, value)| format!("{}: {}", line(key, 64), short(value, depth + 1)));
    format!("{{{}}}", joined(pairs))
}

/// Parts between commas, as many as anybody reads.
fn joined(parts: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for part in parts {
        if !out.is_empty() {
            out.push_str(", ");
        }
        if out.len() > ENOUGH {
            out.push('…');
            break;
        }
        out.push_str(&part);
    }
    out
}

/// Text on one line, cut to so many characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for c in text.split_whitespace().flat_map(|word| [" ", word]).skip(1).flat_map(str::chars) {
        if is_invisible(c) {
            continue;
        }
        if count == most {
            out.pop();
            out.push('…');
            break;
        }
        out.push(if c.is_control() { '?' } else { c });
        count += 1;
    }
    out
}
