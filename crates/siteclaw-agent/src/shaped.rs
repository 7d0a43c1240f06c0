//! Answers in the form of a schema.

use serde_json::Value;
use siteclaw_core::{ToolError, check_value};

use crate::provider::Shape;

/// How often an answer that does not fit is asked for again.
pub(crate) const REPAIRS: u32 = 2;

/// The value in a text: JSON alone, JSON between fences, or the one object or list that the text holds.
fn value_in(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let fenced = text.split("```").nth(1).map(|inner| inner.trim_start_matches("json").trim());
    if let Some(value) = fenced.and_then(|inner| serde_json::from_str(inner).ok()) {
        return Some(value);
    }
    let start = text.find(['{', '['])?;
    let end = text.rfind(['}', ']'])?;
    serde_json::from_str(text.get(start..=end)?).ok()
}

/// The value that a text gives in this shape, or what is wrong with it.
pub(crate) fn of_text(shape: &Shape, text: &str) -> Result<Value, String> {
    let value = value_in(text).ok_or("The answer is not JSON.")?;
    fits(shape, value)
}

/// The value, if it has this shape, or what is wrong with it.
pub(crate) fn fits(shape: &Shape, value: Value) -> Result<Value, String> {
    match check_value(&shape.schema, &value) {
        Ok(()) => Ok(value),
        Err(error) => Err(problem(&error)),
    }
}

fn problem(error: &ToolError) -> String {
    error.message().replace("The arguments", "The answer")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_found_in_what_models_write_around_it() {
        let shape = Shape {
            schema: json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}),
        };
        for text in [
            "{\"n\": 7}",
            "```json\n{\"n\": 7}\n```",
            "```\n{\"n\": 7}\n```",
            "Here it is: {\"n\": 7}. Anything else?",
        ] {
            assert_eq!(of_text(&shape, text), Ok(json!({"n": 7})), "{text}");
        }
        for (text, problem) in [
            ("seven", "The answer is not JSON."),
            ("[7]", "The answer must be object, not [7]."),
            ("{\"n\": 0}", "n must be at least 1, not 0."),
            ("{}", "n is required and missing."),
        ] {
            assert_eq!(of_text(&shape, text).unwrap_err(), problem, "{text}");
        }
    }
}
