//! Ollama's chat.
//!
//! Its own form, not its imitation of OpenAI's: here the room for the conversation can be stated. Without that the
//! server cuts what is too long at its beginning and says nothing.

use serde_json::{Map, Value, json};
use siteclaw_core::ToolCall;

use super::failure;
use super::request::{self, Options};
use crate::message::Message;
use crate::provider::{Choice, Delta, Live, ProviderError, Reply, Stop, Turn, Usage};

/// The path below the base.
pub(crate) const PATH: &str = "/api/chat";

/// The document that is sent.
pub(crate) fn body(options: &Options, turn: &Turn<'_>, streamed: bool) -> Value {
    // A form for the answer would bind the calls too, so beside tools the answer is a call.
    let native = turn.tools.is_empty() || turn.choice == Choice::Shaped;
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    set("model", json!(options.model));
    set("stream", json!(streamed));
    let mut limits = json!({"num_ctx": options.context});
    if let (Some(most), Some(limits)) = (options.max_tokens, limits.as_object_mut()) {
        limits.insert("num_predict".to_owned(), json!(most));
    }
    set("options", limits);
    if let Some(effort) = options.effort {
        set("think", json!(effort.word()));
    }
    match turn.shape {
        Some(shape) if native => set("format", shape.schema.clone()),
        _ => {}
    }
    let tools = request::tools(turn, !native);
    // It knows no way to say that nothing may be called, but also none to miss tools that were spoken of.
    if !tools.is_empty() && turn.choice == Choice::Free {
        let list = tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.schema,
            }})
        });
        set("tools", list.collect());
    }
    set("messages", Value::Array(messages(turn)));
    Value::Object(body)
}

fn messages(turn: &Turn<'_>) -> Vec<Value> {
    let mut out = Vec::new();
    for message in request::said(turn) {
        match message {
            Message::System(text) => out.push(json!({"role": "system", "content": text})),
            Message::User(text) | Message::Note(text) => out.push(json!({"role": "user", "content": text})),
            Message::Assistant { text, calls, .. } => {
                let mut message = json!({"role": "assistant", "content": text});
                if let (false, Some(message)) = (calls.is_empty(), message.as_object_mut()) {
                    let calls = calls.iter().map(|call| {
                        json!({"function": {"name": call.name, "arguments": request::object(&call.arguments)}})
                    });
                    message.insert("tool_calls".to_owned(), calls.collect());
                }
                out.push(message);
            }
            Message::Results(results) => out.extend(
                results
                    .iter()
                    .map(|result| json!({"role": "tool", "tool_name": result.name, "content": result.text})),
            ),
        }
    }
    out
}

/// Reads an answer; its lines have the form of the whole.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    text: String,
    thinking: String,
    calls: Vec<ToolCall>,
    usage: Usage,
    stop: Option<String>,
    done: bool,
}

impl Reader {
    /// Takes a line, or the whole answer.
    pub(crate) fn event(&mut self, line: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        if line.get("error").is_some() {
            return Err(failure::of_event(line));
        }
        let message = &line["message"];
        let piece = |key: &str| message[key].as_str().unwrap_or_default();
        self.thinking.push_str(piece("thinking"));
        live.thinking(piece("thinking"));
        self.text.push_str(piece("content"));
        live.text(piece("content"));
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let name = function["name"].as_str().unwrap_or_default().to_owned();
            live.tell(Delta::Call(&name));
            let arguments = match &function["arguments"] {
                Value::String(text) => request::arguments(text),
                Value::Null => json!({}),
                arguments => arguments.clone(),
            };
            let id = call["id"].as_str().unwrap_or_default().to_owned();
            self.calls.push(ToolCall { id, name, arguments });
        }
        if line["done"] == true {
            self.done = true;
            self.stop = line["done_reason"].as_str().map(str::to_owned);
            self.usage = Usage {
                input_tokens: line["prompt_eval_count"].as_u64().unwrap_or(0),
                output_tokens: line["eval_count"].as_u64().unwrap_or(0),
                ..Usage::default()
            };
        }
        Ok(())
    }

    /// The reply, if the answer came to its end.
    pub(crate) fn finish(self) -> Result<Reply, ProviderError> {
        if !self.done {
            return Err(ProviderError::Cut("the stream ended before the message did".to_owned()));
        }
        Ok(Reply {
            text: self.text,
            calls: self.calls,
            echo: None,
            thinking: self.thinking,
            usage: self.usage,
            stop: if self.stop.as_deref() == Some("length") { Stop::Length } else { Stop::Whole },
            ..Reply::default()
        })
    }
}
