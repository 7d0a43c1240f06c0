//! Google's Gemini.
//!
//! Calls carry a signature of the thinking that led to them, without which the results are not taken; a reply's parts
//! are kept as they came. Tools are described in a part of JSON Schema, so what it lacks is left out or said in words.

use serde_json::{Map, Value, json};
use siteclaw_core::ToolCall;

use super::failure;
use super::request::{self, Effort, Options};
use crate::message::{CallResult, Echo, Message};
use crate::provider::{Choice, Delta, Live, ProviderError, Reply, Shape, Stop, Turn, Usage};

/// What stands for the signature of a call that another model made, as Google's page on thought signatures says.
const FOREIGN: &str = "skip_thought_signature_validator";
/// Levels of a schema that are looked into.
const MAX_DEPTH: usize = 64;
/// What its schemas do not take.
const UNKNOWN: [&str; 11] = [
    "additionalProperties",
    "$schema",
    "$id",
    "$ref",
    "const",
    "patternProperties",
    "minProperties",
    "maxProperties",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// The path below the base.
pub(crate) fn path(options: &Options, streamed: bool) -> String {
    let model = options.model.strip_prefix("models/").unwrap_or(&options.model);
    let method = if streamed { "streamGenerateContent?alt=sse" } else { "generateContent" };
    format!("/v1beta/models/{model}:{method}")
}

/// The document that is sent.
pub(crate) fn body(options: &Options, turn: &Turn<'_>) -> Value {
    // A form for the answer and tools exclude each other in most models, so beside tools the answer is a call.
    let native = turn.tools.is_empty();
    let tools = request::tools(turn, !native);
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    if let Some(text) = request::system(turn.messages) {
        set("systemInstruction", json!({"parts": [{"text": text}]}));
    }
    set("contents", Value::Array(contents(options, turn)));
    if !tools.is_empty() {
        let list = tools.iter().map(|tool| {
            let mut function = json!({"name": tool.name, "description": tool.description});
            let parameters = adapted(tool.schema, 0);
            // An object without properties is refused; no parameters at all are taken.
            let has_any =
                parameters["properties"].as_object().is_some_and(|properties| !properties.is_empty());
            if let (true, Some(function)) = (has_any, function.as_object_mut()) {
                function.insert("parameters".to_owned(), parameters);
            }
            function
        });
        set("tools", json!([{"functionDeclarations": list.collect::<Vec<Value>>()}]));
        match turn.choice {
            Choice::Free => {}
            Choice::Nothing => set("toolConfig", json!({"functionCallingConfig": {"mode": "NONE"}})),
            Choice::Shaped => {
                let config = json!({"mode": "ANY", "allowedFunctionNames": [Shape::CALL]});
                set("toolConfig", json!({"functionCallingConfig": config}));
            }
        }
    }
    let mut generation = Map::new();
    if let Some(most) = options.max_tokens {
        generation.insert("maxOutputTokens".to_owned(), json!(most));
    }
    if let (true, Some(shape)) = (native, turn.shape) {
        generation.insert("responseMimeType".to_owned(), json!("application/json"));
        generation.insert("responseSchema".to_owned(), adapted(&shape.schema, 0));
    }
    match (options.thinking_tokens, options.effort) {
        (Some(tokens), _) => {
            generation.insert(
                "thinkingConfig".to_owned(),
                json!({"thinkingBudget": tokens, "includeThoughts": true}),
            );
        }
        (None, Some(effort)) => {
            // Models of the third generation know two levels.
            let level = if effort == Effort::Low { "low" } else { "high" };
            generation.insert(
                "thinkingConfig".to_owned(),
                json!({"thinkingLevel": level, "includeThoughts": true}),
            );
        }
        (None, None) => {}
    }
    if !generation.is_empty() {
        set("generationConfig", Value::Object(generation));
    }
    Value::Object(body)
}

fn contents(options: &Options, turn: &Turn<'_>) -> Vec<Value> {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in request::said(turn) {
        let (role, parts) = match message {
            Message::System(_) => continue,
            Message::User(text) | Message::Note(text) => ("user", vec![json!({"text": text})]),
            Message::Assistant { text, calls, echo } => {
                let own = request::own(echo.as_ref(), &options.origin).and_then(Value::as_array);
                let own = own.filter(|parts| same_calls(parts, calls));
                ("model", own.map_or_else(|| said(text, calls), Clone::clone))
            }
            Message::Results(results) => ("user", results.iter().map(response).collect()),
        };
        match out.last_mut() {
            Some((last, content)) if *last == role => content.extend(parts),
            _ => out.push((role, parts)),
        }
    }
    out.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}

/// What somebody else said, in this form.
fn said(text: &str, calls: &[ToolCall]) -> Vec<Value> {
    let mut parts = Vec::new();
    if !text.trim().is_empty() {
        parts.push(json!({"text": text}));
    }
    parts.extend(calls.iter().map(|call| {
        let call = json!({"id": call.id, "name": call.name, "args": request::object(&call.arguments)});
        json!({"functionCall": call, "thoughtSignature": FOREIGN})
    }));
    parts
}

fn response(result: &CallResult) -> Value {
    json!({"functionResponse": {"id": result.id, "name": result.name, "response": {"content": result.text}}})
}

/// Whether the parts make these calls, in this order.
fn same_calls(parts: &[Value], calls: &[ToolCall]) -> bool {
    let mut made = parts.iter().filter_map(|part| part.get("functionCall"));
    let same = calls.iter().all(|call| {
        made.next().is_some_and(|function| {
            function["name"] == call.name.as_str() && function["id"] == call.id.as_str()
        })
    });
    same && made.next().is_none()
}

/// A schema in the part of the language that is taken. `exclusive` bounds of whole numbers become inclusive ones;
/// values that are not text cannot be listed, so they are said in the description.
fn adapted(schema: &Value, depth: usize) -> Value {
    let Some(map) = schema.as_object() else { return schema.clone() };
    if depth > MAX_DEPTH {
        return json!({"type": "string"});
    }
    let mut out = Map::new();
    for (key, value) in map {
        match key.as_str() {
            "type" => {
                let (kind, nullable) = kind(value);
                out.insert("type".to_owned(), kind);
                if nullable {
                    out.insert("nullable".to_owned(), Value::Bool(true));
                }
            }
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                let properties = properties.map(|(name, value)| (name.clone(), adapted(value, depth + 1)));
                out.insert(key.clone(), Value::Object(properties.collect()));
            }
            "items" => {
                out.insert(key.clone(), adapted(value, depth + 1));
            }
            "anyOf" => {
                let branches = value.as_array().into_iter().flatten();
                out.insert(key.clone(), branches.map(|branch| adapted(branch, depth + 1)).collect());
            }
            key if UNKNOWN.contains(&key) => {}
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    let bound = |key: &str| map.get(key).and_then(Value::as_i64);
    if map.get("type") == Some(&json!("integer")) {
        if let Some(low) = bound("exclusiveMinimum").and_then(|low| low.checked_add(1)) {
            out.insert("minimum".to_owned(), json!(low));
        }
        if let Some(high) = bound("exclusiveMaximum").and_then(|high| high.checked_sub(1)) {
            out.insert("maximum".to_owned(), json!(high));
        }
    }
    let listed = map.get("enum").or_else(|| map.get("const")).cloned();
    let listed = match listed {
        Some(Value::Array(values)) => values,
        Some(value) => vec![value],
        None => Vec::new(),
    };
    let listed: Vec<Value> = listed.into_iter().filter(|value| !value.is_null()).collect();
    if !listed.is_empty() {
        if listed.iter().all(Value::is_string) {
            out.insert("type".to_owned(), json!("string"));
            out.insert("enum".to_owned(), Value::Array(listed));
        } else {
            out.remove("enum");
            let values: Vec<String> = listed.iter().map(Value::to_string).collect();
            let before = out.get("description").and_then(Value::as_str).unwrap_or_default();
            let text = format!("{before} One of: {}.", values.join(", "));
            out.insert("description".to_owned(), json!(text.trim_start()));
        }
    }
    Value::Object(out)
}

/// The first type that is not null, and whether null was among them.
fn kind(value: &Value) -> (Value, bool) {
    match value.as_array() {
        None => (value.clone(), false),
        Some(kinds) => {
            let first = kinds.iter().find(|kind| *kind != "null");
            (first.cloned().unwrap_or_else(|| json!("string")), kinds.iter().any(|kind| kind == "null"))
        }
    }
}

/// Reads an answer; its events have the form of the whole.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    parts: Vec<Value>,
    text: String,
    thinking: String,
    calls: Vec<ToolCall>,
    usage: Usage,
    stop: Option<String>,
    blocked: bool,
    signed: bool,
}

impl Reader {
    /// Takes an event, or the whole answer.
    pub(crate) fn event(&mut self, event: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        // Errors within a stream may come as a list of one.
        let event = event.as_array().and_then(|list| list.first()).unwrap_or(event);
        if event.get("error").is_some() {
            return Err(failure::of_event(event));
        }
        self.count(&event["usageMetadata"]);
        self.blocked |= event["promptFeedback"]["blockReason"].is_string();
        let candidate = &event["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.part(part, live);
        }
        if let Some(stop) = candidate["finishReason"].as_str() {
            self.stop = Some(stop.to_owned());
        }
        Ok(())
    }

    fn part(&mut self, part: &Value, live: Live<'_>) {
        let signed = part.get("thoughtSignature").is_some();
        self.signed |= signed;
        if let Some(function) = part["functionCall"].as_object() {
            let name = function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            live.tell(Delta::Call(&name));
            let id = match function.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()) {
                Some(id) => id.to_owned(),
                // Older models name none. The place within the answer and the call make one that is its own.
                None => {
                    let place = self.calls.len();
                    format!("call_{}", request::digest(&format!("{place} {}", part["functionCall"]), 16))
                }
            };
            let arguments = function.get("args").cloned().unwrap_or_else(|| json!({}));
            let mut part = part.clone();
            if let Some(function) = part.get_mut("functionCall").and_then(Value::as_object_mut) {
                function.insert("id".to_owned(), json!(id));
            }
            self.calls.push(ToolCall { id, name, arguments });
            self.parts.push(part);
            return;
        }
        let text = part["text"].as_str().unwrap_or_default();
        let thought = part["thought"] == true;
        if thought {
            self.thinking.push_str(text);
            live.thinking(text);
        } else {
            self.text.push_str(text);
            live.text(text);
        }
        // Pieces of one text become one part; a signature belongs to the part that it came with.
        match self.parts.last_mut() {
            Some(last)
                if !signed
                    && last.get("text").is_some()
                    && last.get("thoughtSignature").is_none()
                    && part.get("text").is_some()
                    && (last["thought"] == true) == thought =>
            {
                if let Some(Value::String(known)) = last.get_mut("text") {
                    known.push_str(text);
                }
            }
            _ => self.parts.push(part.clone()),
        }
    }

    fn count(&mut self, usage: &Value) {
        let figure = |key: &str| usage[key].as_u64();
        let Some(read) = figure("promptTokenCount") else { return };
        let cached = figure("cachedContentTokenCount").unwrap_or(0).min(read);
        let written = figure("candidatesTokenCount").unwrap_or(0);
        self.usage = Usage {
            input_tokens: (read - cached).saturating_add(figure("toolUsePromptTokenCount").unwrap_or(0)),
            output_tokens: written.saturating_add(figure("thoughtsTokenCount").unwrap_or(0)),
            cache_read_tokens: cached,
            cache_write_tokens: 0,
        };
    }

    /// The reply, if the answer came to its end.
    pub(crate) fn finish(self, origin: &str) -> Result<Reply, ProviderError> {
        let stop = match self.stop.as_deref() {
            _ if self.blocked => Stop::Declined,
            None => return Err(ProviderError::Cut("the stream ended before the message did".to_owned())),
            Some("MAX_TOKENS") => Stop::Length,
            Some(
                "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
                | "IMAGE_SAFETY",
            ) => Stop::Declined,
            Some(reason @ ("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS")) => {
                return Err(ProviderError::BadCall(reason.to_owned()));
            }
            Some(_) => Stop::Whole,
        };
        let echo = self.signed.then(|| Echo { origin: origin.to_owned(), parts: Value::Array(self.parts) });
        Ok(Reply {
            text: self.text,
            calls: self.calls,
            echo,
            thinking: self.thinking,
            usage: self.usage,
            stop,
            ..Reply::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_said_in_the_part_that_is_taken() {
        let schema = json!({
            "$schema": "x", "type": "object", "additionalProperties": false, "required": ["id"],
            "properties": {
                "id": {"type": "integer", "exclusiveMinimum": 0, "maximum": 9, "multipleOf": 3},
                "order": {"type": ["string", "null"], "enum": ["asc", null], "default": "asc"},
                "level": {"type": "integer", "enum": [1, 2], "description": "How much."},
                "const": {"const": "x"},
                "name": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"const": "a"}}]}
            }
        });
        assert_eq!(
            adapted(&schema, 0),
            json!({
                "type": "object", "required": ["id"],
                "properties": {
                    "id": {"type": "integer", "maximum": 9, "minimum": 1},
                    "order": {"type": "string", "nullable": true, "enum": ["asc"], "default": "asc"},
                    "level": {"type": "integer", "description": "How much. One of: 1, 2."},
                    "const": {"type": "string", "enum": ["x"]},
                    "name": {"anyOf": [
                        {"type": "string", "minLength": 1},
                        {"type": "array", "items": {"type": "string", "enum": ["a"]}}
                    ]}
                }
            })
        );
        let mut deep = json!({"type": "string"});
        for _ in 0..100 {
            deep = json!({"type": "array", "items": deep});
        }
        let mut levels = 0;
        let shallow = adapted(&deep, 0);
        let mut level = &shallow;
        while level["items"].is_object() {
            levels += 1;
            level = &level["items"];
        }
        assert_eq!((levels, level), (MAX_DEPTH + 1, &json!({"type": "string"})));
    }
}
