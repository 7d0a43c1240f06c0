//! Calls that fail again and again with the same arguments.

use std::collections::BTreeMap;

use serde_json::Value;
use siteclaw_core::{Code, Envelope, ToolCall, ToolError};

/// A call failed before with the same arguments and was not made again.
pub const REPEATED_CALL: Code = Code::new("REPEATED_CALL");

/// How often a call is made that fails in the same way.
const ATTEMPTS: u32 = 2;
/// How often it is made if its failure may pass.
const PATIENT_ATTEMPTS: u32 = 4;

/// The calls of a run that failed, by tool and arguments.
#[derive(Debug, Default)]
pub(crate) struct Repeats(BTreeMap<(String, String), Failed>);

#[derive(Debug)]
struct Failed {
    count: u32,
    retryable: bool,
    message: String,
}

impl Repeats {
    /// Why the call is not made, if it failed often enough.
    pub(crate) fn refusal(&self, call: &ToolCall) -> Option<ToolError> {
        let failed = self.0.get(&key(&call.name, &call.arguments))?;
        let most = if failed.retryable { PATIENT_ATTEMPTS } else { ATTEMPTS };
        (failed.count >= most).then(|| {
            let message = format!(
                "This call failed {} times with these arguments and was not made again. It said: {}",
                failed.count, failed.message
            );
            ToolError::new(REPEATED_CALL, message)
                .hint("Change the arguments, use another tool, or answer with what is known.")
        })
    }

    /// Takes note of an outcome. A success clears what was there.
    pub(crate) fn note(&mut self, call: &ToolCall, envelope: &Envelope) {
        let key = key(&call.name, &call.arguments);
        match envelope {
            Envelope::Success { .. } => {
                self.0.remove(&key);
            }
            Envelope::Failure { message, retryable, .. } => {
                let failed = self.0.entry(key).or_insert(Failed {
                    count: 0,
                    retryable: *retryable,
                    message: String::new(),
                });
                failed.count += 1;
                failed.retryable = *retryable;
                failed.message.clone_from(message);
            }
        }
    }
}

/// Tool and arguments, whatever the order of the keys.
fn key(name: &str, arguments: &Value) -> (String, String) {
    let mut text = String::new();
    write(arguments, &mut text);
    (name.to_owned(), text)
}

/// The value as JSON with sorted keys. Values that came through a parser are at most 128 levels deep.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            out.push('{');
            let sorted: BTreeMap<&String, &Value> = map.iter().collect();
            for (key, value) in sorted {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(item, out);
                out.push(',');
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use siteclaw_core::code;

    use super::*;

    #[test]
    fn a_call_is_refused_when_it_failed_twice_and_later_if_its_failure_may_pass() {
        let call = |arguments: Value| ToolCall::new("wp_query", arguments);
        let lasting = Envelope::failure(&ToolError::new(code::NOT_FOUND, "No post 7."), Vec::new());
        let passing = Envelope::failure(&ToolError::new(code::TIMEOUT, "Late.").retryable(), Vec::new());
        let mut repeats = Repeats::default();
        let one = call(json!({"a": 1, "b": {"c": [1, 2]}}));
        for made in 0..2 {
            assert!(repeats.refusal(&one).is_none(), "{made}");
            repeats.note(&one, &lasting);
        }
        // The order of the keys makes no other call of it; other arguments do.
        let same = call(json!({"b": {"c": [1, 2]}, "a": 1}));
        let error = repeats.refusal(&same).unwrap();
        assert_eq!(error.code(), REPEATED_CALL);
        assert!(
            error.message().contains("failed 2 times") && error.message().ends_with("No post 7."),
            "{error}"
        );
        assert!(repeats.refusal(&call(json!({"b": {"c": [2, 1]}, "a": 1}))).is_none());
        assert!(repeats.refusal(&ToolCall::new("wp_users", same.arguments.clone())).is_none());

        for made in 0..4 {
            assert!(repeats.refusal(&call(json!({}))).is_none(), "{made}");
            repeats.note(&call(json!({})), &passing);
        }
        assert!(repeats.refusal(&call(json!({}))).is_some());
        let success =
            Envelope::Success { data: json!({}), meta: serde_json::Map::new(), warnings: Vec::new() };
        repeats.note(&one, &success);
        assert!(repeats.refusal(&one).is_none());
    }
}
