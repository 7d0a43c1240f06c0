//! Messages as JSON, for logs and for what outlives a process.

use serde_json::{Map, Value, json};
use siteclaw_core::{Code, Envelope, ToolCall, ToolError};

use crate::message::{CallResult, Echo, Message};

/// The code of a failed result that was read back: which one it was only its text still says.
pub const STORED_FAILURE: Code = Code::new("STORED_FAILURE");

impl Message {
    /// The message as JSON, from which [`from_value`](Self::from_value) makes it again. Of a result the text is kept
    /// that a model was given, and whether it was a success; not the envelope.
    pub fn to_value(&self) -> Value {
        match self {
            Self::System(text) => json!({"role": "system", "text": text}),
            Self::User(text) => json!({"role": "user", "text": text}),
            Self::Note(text) => json!({"role": "note", "text": text}),
            Self::Assistant { text, calls, echo } => {
                let mut value = json!({"role": "assistant", "text": text});
                let Some(map) = value.as_object_mut() else { return value };
                if !calls.is_empty() {
                    let calls = calls
                        .iter()
                        .map(|call| json!({"id": call.id, "name": call.name, "arguments": call.arguments}));
                    map.insert("calls".to_owned(), calls.collect());
                }
                if let Some(echo) = echo {
                    map.insert("echo".to_owned(), json!({"origin": echo.origin, "parts": echo.parts}));
                }
                value
            }
            Self::Results(results) => {
                let results: Vec<Value> = results
                    .iter()
                    .map(|result| {
                        json!({
                            "id": result.id, "name": result.name, "success": result.envelope.is_success(),
                            "text": result.text,
                        })
                    })
                    .collect();
                json!({"role": "results", "results": results})
            }
        }
    }

    /// The message that this is the JSON of; `None` if it is of none.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = || Some(value.get("text")?.as_str()?.to_owned());
        Some(match value.get("role")?.as_str()? {
            "system" => Self::System(text()?),
            "user" => Self::User(text()?),
            "note" => Self::Note(text()?),
            "assistant" => {
                let calls = value.get("calls").and_then(Value::as_array).into_iter().flatten();
                let echo = match value.get("echo") {
                    None => None,
                    Some(echo) => Some(Echo {
                        origin: echo.get("origin")?.as_str()?.to_owned(),
                        parts: echo.get("parts")?.clone(),
                    }),
                };
                Self::Assistant { text: text()?, calls: calls.map(call).collect::<Option<_>>()?, echo }
            }
            "results" => {
                Self::Results(value.get("results")?.as_array()?.iter().map(result).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

fn call(value: &Value) -> Option<ToolCall> {
    let text = |key: &str| value.get(key)?.as_str();
    Some(ToolCall::new(text("name")?, value.get("arguments")?.clone()).with_id(text("id")?))
}

fn result(value: &Value) -> Option<CallResult> {
    let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let envelope = if value.get("success")?.as_bool()? {
        Envelope::Success { data: Value::Null, meta: Map::new(), warnings: Vec::new() }
    } else {
        Envelope::failure(&ToolError::new(STORED_FAILURE, "The call failed."), Vec::new())
    };
    Some(CallResult { id: text("id")?, name: text("name")?, envelope, text: text("text")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let success = Envelope::Success { data: json!({"n": 1}), meta: Map::new(), warnings: Vec::new() };
        let failure = Envelope::failure(&ToolError::new(STORED_FAILURE, "No."), Vec::new());
        let messages = [
            Message::System("s".to_owned()),
            Message::User("größe".to_owned()),
            Message::Note("n".to_owned()),
            Message::Assistant {
                text: "t".to_owned(),
                calls: vec![ToolCall::new("double", json!({"n": 1})).with_id("a")],
                echo: Some(Echo { origin: "anthropic".to_owned(), parts: json!([{"signature": "x=="}]) }),
            },
            Message::Assistant { text: "t".to_owned(), calls: Vec::new(), echo: None },
            Message::Results(vec![
                CallResult::new("a", "double", success),
                CallResult::new("b", "double", failure),
            ]),
        ];
        for message in messages {
            let value = message.to_value();
            let read = Message::from_value(&value).unwrap();
            assert_eq!(read.to_value(), value);
            assert_eq!(read.chars(), message.chars());
        }
    }

    #[test]
    fn what_is_no_message_is_none() {
        for value in [
            json!(null),
            json!({"role": "king", "text": ""}),
            json!({"role": "user"}),
            json!({"role": "user", "text": 7}),
            json!({"role": "assistant", "text": "", "calls": [{"id": "a"}]}),
            json!({"role": "assistant", "text": "", "echo": {}}),
            json!({"role": "results", "results": [{"id": "a", "name": "b", "text": "c"}]}),
        ] {
            assert_eq!(Message::from_value(&value), None, "{value}");
        }
    }
}
