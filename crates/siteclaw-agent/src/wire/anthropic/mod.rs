//! Anthropic's Messages.
//!
//! Thinking comes in signed blocks that must go back unchanged with the results of the calls it led to, so a reply's
//! blocks are kept as they came. The prompt is cached by marks on its parts: the system text (tools come before it),
//! the end of this request, and the end of the one before, whose cached part this one reads.

mod reader;

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};
use siteclaw_core::ToolCall;

use super::request::{self, Options};
use crate::message::Message;
use crate::provider::{Choice, Shape, Turn};

pub(crate) use reader::Reader;

/// The path below the base.
pub(crate) const PATH: &str = "/v1/messages";
/// The least tokens that a thinking budget may have.
const LEAST_THINKING: u32 = 1_024;

/// The version of the form.
pub(crate) fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    headers
}

/// The most tokens of an answer where nobody says: the form requires a number.
fn most(model: &str) -> u32 {
    if model.contains("claude-3") {
        4_096
    } else if model.contains("haiku") {
        8_192
    } else {
        16_000
    }
}

/// The version in a model's id, such as (4, 5) in `claude-haiku-4-5-20251001`.
fn version(model: &str) -> Option<(u32, u32)> {
    let numbers: Vec<u32> =
        model.split(['-', '.']).filter(|part| part.len() <= 2).filter_map(|part| part.parse().ok()).collect();
    let major = *numbers.first()?;
    Some((major, numbers.get(1).copied().unwrap_or(0)))
}

/// Whether the model gives answers in the form of a schema: those from 4.5 on do.
fn has_shapes(model: &str) -> bool {
    model.starts_with("claude-") && version(model).is_some_and(|version| version >= (4, 5))
}

/// The document that is sent.
pub(crate) fn body(options: &Options, turn: &Turn<'_>, streamed: bool) -> Value {
    let native = has_shapes(&options.model);
    let tools = request::tools(turn, !native);
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    let mut most = options.max_tokens.unwrap_or_else(|| most(&options.model));
    let budget = options.thinking_tokens.filter(|tokens| *tokens >= LEAST_THINKING);
    let thinks = budget.is_some() || options.effort.is_some();
    if let Some(budget) = budget {
        most = most.max(budget.saturating_add(1_000));
    }
    set("model", json!(options.model));
    set("max_tokens", json!(most));
    set("stream", json!(streamed));
    match budget {
        Some(budget) => set("thinking", json!({"type": "enabled", "budget_tokens": budget})),
        None if options.effort.is_some() => set("thinking", json!({"type": "adaptive"})),
        None => {}
    }
    let mut output = Map::new();
    if let Some(effort) = options.effort {
        output.insert("effort".to_owned(), json!(effort.word()));
    }
    if let (true, Some(shape)) = (native, turn.shape) {
        output.insert("format".to_owned(), json!({"type": "json_schema", "schema": closed(&shape.schema)}));
    }
    if !output.is_empty() {
        set("output_config", Value::Object(output));
    }
    if let Some(text) = request::system(turn.messages) {
        let mut block = json!({"type": "text", "text": text});
        if options.prompt_cache {
            mark(&mut block);
        }
        set("system", json!([block]));
    }
    if !tools.is_empty() {
        let mut list: Vec<Value> = tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}))
            .collect();
        if let (true, Some(last)) = (options.prompt_cache, list.last_mut()) {
            mark(last);
        }
        set("tools", Value::Array(list));
        match turn.choice {
            Choice::Free => {}
            Choice::Nothing => set("tool_choice", json!({"type": "none"})),
            Choice::Shaped if native => set("tool_choice", json!({"type": "none"})),
            // A call cannot be forced on a model that thinks.
            Choice::Shaped if thinks || turn.shape.is_none() => {}
            Choice::Shaped => set("tool_choice", json!({"type": "tool", "name": Shape::CALL})),
        }
    }
    let mut messages = messages(options, turn);
    if options.prompt_cache {
        mark_messages(&mut messages);
    }
    set("messages", Value::Array(messages));
    Value::Object(body)
}

/// The conversation: user and assistant in turn, each with its blocks.
fn messages(options: &Options, turn: &Turn<'_>) -> Vec<Value> {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut add = |role: &'static str, blocks: Vec<Value>| match out.last_mut() {
        Some((last, content)) if *last == role => content.extend(blocks),
        _ if blocks.is_empty() => {}
        _ => out.push((role, blocks)),
    };
    for message in request::said(turn) {
        match message {
            Message::System(_) => {}
            Message::User(text) | Message::Note(text) => {
                add("user", vec![json!({"type": "text", "text": text})])
            }
            Message::Assistant { text, calls, echo } => {
                let own = request::own(echo.as_ref(), &options.origin).and_then(Value::as_array);
                let blocks = match own.filter(|blocks| same_calls(blocks, calls)) {
                    Some(blocks) => blocks.clone(),
                    None => said(text, calls),
                };
                add("assistant", blocks);
            }
            Message::Results(results) => {
                let blocks = results.iter().map(|result| {
                    json!({
                        "type": "tool_result", "tool_use_id": id(&result.id), "is_error": !result.envelope.is_success(),
                        "content": [{"type": "text", "text": result.text}],
                    })
                });
                add("user", blocks.collect());
            }
        }
    }
    out.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// What somebody else said, in this form.
fn said(text: &str, calls: &[ToolCall]) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text.trim_end()}));
    }
    blocks.extend(calls.iter().map(|call| {
        json!({"type": "tool_use", "id": id(&call.id), "name": call.name, "input": request::object(&call.arguments)})
    }));
    blocks
}

fn id(id: &str) -> String {
    request::id(id, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Whether the blocks make exactly these calls. The loop gives calls that share an id other ones.
fn same_calls(blocks: &[Value], calls: &[ToolCall]) -> bool {
    let ids = blocks.iter().filter(|block| block["type"] == "tool_use").map(|block| &block["id"]);
    ids.eq(calls
        .iter()
        .map(|call| &call.id)
        .map(|id| id.as_str())
        .map(Value::from)
        .collect::<Vec<_>>()
        .iter())
}

fn mark(block: &mut Value) {
    if let Some(block) = block.as_object_mut() {
        block.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}

/// Marks the end of this request and of the one before it: the user's last two messages.
fn mark_messages(messages: &mut [Value]) {
    let users = messages.iter_mut().rev().filter(|message| message["role"] == "user");
    for message in users.take(2) {
        if let Some(last) =
            message.get_mut("content").and_then(Value::as_array_mut).and_then(|list| list.last_mut())
        {
            mark(last);
        }
    }
}

/// The schema as the form of an answer: every object closed, and without limits that it does not take. Those are
/// checked when the answer is here.
fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut out: Map<String, Value> = map
                .iter()
                .filter(|(key, value)| {
                    let limit = [
                        "minimum",
                        "maximum",
                        "minLength",
                        "maxLength",
                        "exclusiveMinimum",
                        "exclusiveMaximum",
                    ];
                    !(limit.contains(&key.as_str()) && value.is_number())
                })
                .map(|(key, value)| (key.clone(), closed(value)))
                .collect();
            if map.get("type") == Some(&json!("object")) && !map.contains_key("additionalProperties") {
                out.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            Value::Object(out)
        }
        Value::Array(items) => items.iter().map(closed).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_decide_who_answers_in_shapes() {
        for (model, shapes) in [
            ("claude-haiku-4-5-20251001", true),
            ("claude-opus-5", true),
            ("claude-sonnet-4-6", true),
            ("claude-opus-4-1-20250805", false),
            ("claude-sonnet-4-20250514", false),
            ("claude-3-5-haiku-20241022", false),
            ("some-model-9", false),
        ] {
            assert_eq!(has_shapes(model), shapes, "{model}");
        }
    }

    #[test]
    fn the_form_of_an_answer_is_closed_and_has_no_limits() {
        let schema = json!({"type": "object", "properties": {
            "minimum": {"type": "integer", "minimum": 1, "maximum": 9},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}}
        }});
        assert_eq!(
            closed(&schema),
            json!({"type": "object", "properties": {
                "minimum": {"type": "integer"},
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}},
                    "additionalProperties": false}}
            }, "additionalProperties": false})
        );
    }
}
