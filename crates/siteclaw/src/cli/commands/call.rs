//! `siteclaw call TOOL [JSON | KEY=VALUE …]`: one tool, no model.

use std::io::Read;

use serde_json::{Map, Value};
use siteclaw_core::{Surface, ToolCall};

use crate::cli::app::App;
use crate::cli::args::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;

/// The most bytes of arguments.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

pub(crate) async fn run(
    global: &Global,
    printer: &Printer,
    tool: &str,
    arguments: &[String],
) -> Result<Exit, Failure> {
    let written = parse(arguments)?;
    let app = App::start(global, Vec::new())?;
    let run = app.run(Surface::Cli);
    let entry = app.executor.registry().get(tool);
    if entry.is_none() {
        // Without a site the right name would be unknown too, and the site is what is missing.
        app.site()?;
    }
    let arguments = written.into_arguments(entry.map(|entry| entry.input_schema()));
    let outcome = app.executor.call(&run, ToolCall::new(tool, arguments)).await;
    let envelope = outcome.envelope.to_value();
    if printer.is_json() {
        printer.document(&envelope)?;
    } else if outcome.envelope.code().is_none() {
        printer.text(&siteclaw_agent::render::envelope(&envelope, printer.width()))?;
    }
    if let Some(line) = complaint(&envelope) {
        printer.complain(&line);
    }
    Ok(Exit::of(&outcome.envelope))
}

/// A failed call in one line: what, how to fix it, and the code to look up.
fn complaint(envelope: &Value) -> Option<String> {
    let error = envelope.get("error").filter(|error| error.is_object())?;
    let text = |key: &str| error[key].as_str().unwrap_or_default();
    let parts =
        [text("message"), text("hint")].map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    Some(format!("{} ({})", parts.join(" ").trim(), text("code")))
}

/// Arguments as they were typed.
#[derive(Debug, PartialEq)]
enum Written {
    /// A JSON object.
    Object(Value),
    /// Pairs, whose values mean what the tool's schema says.
    Pairs(Vec<(String, String)>),
}

impl Written {
    fn into_arguments(self, schema: Option<&Value>) -> Value {
        match self {
            Self::Object(arguments) => arguments,
            Self::Pairs(pairs) => pairs
                .into_iter()
                .map(|(key, text)| {
                    let value = pair_value(&text, schema.map(|schema| &schema["properties"][key.as_str()]));
                    (key, value)
                })
                .collect::<Map<String, Value>>()
                .into(),
        }
    }
}

/// Reads the arguments. Text that is not what it should be is not quoted whole: it may be long.
fn parse(words: &[String]) -> Result<Written, Failure> {
    match words {
        [] => Ok(Written::Pairs(Vec::new())),
        [only] if only == "-" => {
            let mut text = String::new();
            std::io::stdin().take(MAX_BYTES).read_to_string(&mut text).map_err(|error| {
                Failure::usage(format!("The arguments on standard input cannot be read: {error}."))
            })?;
            object(&text).map(Written::Object)
        }
        [only] if only.trim_start().starts_with(['{', '[', '"']) => object(only).map(Written::Object),
        pairs => {
            let mut read: Vec<(String, String)> = Vec::new();
            for pair in pairs {
                let Some((key, value)) = pair.split_once('=') else {
                    return Err(Failure::usage(
                        "The arguments are neither a JSON object nor key=value pairs, for example: '{\"limit\": 5}' \
                         or limit=5.",
                    ));
                };
                if read.iter().any(|(known, _)| known == key) {
                    return Err(Failure::usage(format!("The argument '{key}' is given twice.")));
                }
                read.push((key.to_owned(), value.to_owned()));
            }
            Ok(Written::Pairs(read))
        }
    }
}

/// The value of a pair: text where the schema wants text, `a,b` where it wants a list; else a number, `true`,
/// `false`, an array or an object as JSON, and everything else as text.
fn pair_value(text: &str, property: Option<&Value>) -> Value {
    let json = serde_json::from_str::<Value>(text).ok();
    let wants = |kind: &str| {
        property.is_some_and(|property| {
            let branches = property["anyOf"].as_array();
            property["type"] == kind || branches.is_some_and(|all| all.iter().any(|one| one["type"] == kind))
        })
    };
    match json {
        Some(value @ (Value::Array(_) | Value::Object(_))) if !wants("string") || wants("array") => value,
        Some(Value::String(quoted)) => Value::String(quoted),
        _ if wants("array") && (text.contains(',') || !wants("string")) => {
            text.split(',').map(|item| pair_value(item.trim(), property.map(|list| &list["items"]))).collect()
        }
        _ if wants("string") => Value::String(text.to_owned()),
        Some(Value::Null) | None => Value::String(text.to_owned()),
        Some(value) => value,
    }
}

fn object(text: &str) -> Result<Value, Failure> {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Failure::usage("The arguments must be one JSON object, for example '{\"limit\": 5}'.")),
        Err(error) => Err(Failure::usage(format!(
            "The arguments are not JSON: {error}. Write them like '{{\"limit\": 5}}' or limit=5."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(words: &[&str]) -> Result<Value, String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let schema = json!({"properties": {
            "search": {"type": "string"},
            "columns": {"type": "array", "items": {"type": "string"}},
            "ids": {"type": "array", "items": {"type": "integer"}},
            "name": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "limit": {"type": "integer"}
        }});
        let written = parse(&words).map_err(|failure| failure.message)?;
        Ok(written.into_arguments(Some(&schema)))
    }

    #[test]
    fn objects_and_pairs_are_taken() {
        assert_eq!(parsed(&[]), Ok(json!({})));
        assert_eq!(parsed(&["{\"limit\": 5}"]), Ok(json!({"limit": 5})));
        assert_eq!(
            parsed(&["limit=5", "search=a=b", "flag=true", "columns=[\"id\"]", "empty=", "text=null"]),
            Ok(
                json!({"limit": 5, "search": "a=b", "flag": true, "columns": ["id"], "empty": "", "text": "null"})
            )
        );
    }

    #[test]
    fn values_of_pairs_mean_what_the_schema_says() {
        for (word, expected) in [
            ("search=804", json!({"search": "804"})),
            ("search=\"804\"", json!({"search": "804"})),
            ("search=a,b", json!({"search": "a,b"})),
            ("columns=id, total", json!({"columns": ["id", "total"]})),
            ("columns=2026", json!({"columns": ["2026"]})),
            ("ids=1,2", json!({"ids": [1, 2]})),
            ("name=home", json!({"name": "home"})),
            ("name=home,siteurl", json!({"name": ["home", "siteurl"]})),
            ("limit=many", json!({"limit": "many"})),
        ] {
            assert_eq!(parsed(&[word]), Ok(expected), "{word}");
        }
    }

    #[test]
    fn a_failed_call_is_one_line() {
        let error = json!({"code": "NOT_FOUND", "message": "There is\nno post 7.", "hint": "Look for it."});
        let line = complaint(&json!({"success": false, "error": error}));
        assert_eq!(line.as_deref(), Some("There is no post 7. Look for it. (NOT_FOUND)"));
        assert_eq!(complaint(&json!({"success": true, "data": {}})), None);
    }

    #[test]
    fn what_is_neither_is_refused_with_the_place() {
        assert!(parsed(&["{\"limit\": }"]).unwrap_err().contains("column 11"));
        assert!(parsed(&["[1]"]).unwrap_err().contains("must be one JSON object"));
        assert!(parsed(&["limit"]).unwrap_err().contains("key=value"));
        assert!(parsed(&["a=1", "a=2"]).unwrap_err().contains("twice"));
        let deep = "{\"a\":".repeat(100_000);
        assert!(parsed(&[&deep]).unwrap_err().contains("recursion limit"));
    }
}
