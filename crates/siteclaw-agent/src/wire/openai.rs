//! OpenAI's chat completions, as OpenAI and those who took over its form speak it.

use serde_json::{Map, Value, json};
use siteclaw_core::ToolCall;

use super::failure;
use super::preset::Quirks;
use super::request::{self, Options};
use crate::message::{CallResult, Echo, Message};
use crate::provider::{Choice, Delta, Live, ProviderError, Reply, Shape, Stop, Turn, Usage};

/// The path below the base.
pub(crate) const PATH: &str = "/chat/completions";
/// Parts of a message that carry thinking and go back with it, by the name a server gives them.
const THINKING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

/// The document that is sent.
pub(crate) fn body(options: &Options, quirks: &Quirks, turn: &Turn<'_>, streamed: bool) -> Value {
    let tools = request::tools(turn, !quirks.shapes);
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    set("model", json!(options.model));
    set("stream", json!(streamed));
    if streamed && quirks.ask_usage {
        set("stream_options", json!({"include_usage": true}));
    }
    if let Some(most) = options.max_tokens {
        set(quirks.most, json!(most));
    }
    if let Some(effort) = options.effort {
        set("reasoning_effort", json!(effort.word()));
    }
    if let (true, Some(shape)) = (quirks.shapes, turn.shape) {
        let form = json!({"name": Shape::CALL, "schema": shape.schema, "strict": false});
        set("response_format", json!({"type": "json_schema", "json_schema": form}));
    }
    if !tools.is_empty() {
        let list = tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.schema,
            }})
        });
        set("tools", list.collect());
        match (turn.choice, quirks.must_call) {
            (Choice::Free, _) => {}
            (Choice::Nothing, _) => set("tool_choice", json!("none")),
            (Choice::Shaped, _) if quirks.shapes => set("tool_choice", json!("none")),
            (Choice::Shaped, Some(word)) => set("tool_choice", json!(word)),
            (Choice::Shaped, None) => {
                set("tool_choice", json!({"type": "function", "function": {"name": Shape::CALL}}));
            }
        }
    }
    set("messages", Value::Array(messages(options, quirks, turn)));
    Value::Object(body)
}

fn messages(options: &Options, quirks: &Quirks, turn: &Turn<'_>) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for message in request::said(turn) {
        match message {
            Message::System(text) => out.push(json!({"role": "system", "content": text})),
            Message::User(text) => out.push(json!({"role": "user", "content": text})),
            Message::Note(text) => note(&mut out, text, quirks),
            Message::Assistant { text, calls, echo } => {
                out.push(assistant(options, quirks, text, calls, echo.as_ref()));
            }
            Message::Results(results) => out.extend(results.iter().map(|result| tool(result, quirks))),
        }
    }
    out
}

fn assistant(
    options: &Options,
    quirks: &Quirks,
    text: &str,
    calls: &[ToolCall],
    echo: Option<&Echo>,
) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), if text.is_empty() { Value::Null } else { json!(text) });
    if !calls.is_empty() {
        let calls = calls.iter().map(|call| {
            let arguments = request::object(&call.arguments).to_string();
            json!({
                "id": id(&call.id, quirks), "type": "function",
                "function": {"name": call.name, "arguments": arguments},
            })
        });
        message.insert("tool_calls".to_owned(), calls.collect());
    }
    if let Some(Value::Object(parts)) = request::own(echo, &options.origin) {
        for (key, value) in parts {
            message.insert(key.clone(), value.clone());
        }
    }
    Value::Object(message)
}

fn tool(result: &CallResult, quirks: &Quirks) -> Value {
    let mut message = json!({"role": "tool", "tool_call_id": id(&result.id, quirks), "content": result.text});
    // Only where it is known to be taken: others refuse fields they do not expect.
    if let (true, Some(message)) = (quirks.short_ids, message.as_object_mut()) {
        message.insert("name".to_owned(), json!(result.name));
    }
    message
}

/// What the program says: as the user's words, or behind the last result where nothing else may follow one.
fn note(out: &mut Vec<Value>, text: &str, quirks: &Quirks) {
    let last = out.last_mut().filter(|last| quirks.results_last && last["role"] == "tool");
    match last.and_then(|last| last.get_mut("content")) {
        Some(Value::String(content)) => {
            content.push_str("\n\n");
            content.push_str(text);
        }
        _ => out.push(json!({"role": "user", "content": text})),
    }
}

fn id(id: &str, quirks: &Quirks) -> String {
    if quirks.short_ids {
        // Exactly nine: a shorter one is refused too.
        let fits = id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
        return if fits { id.to_owned() } else { request::digest(id, 9) };
    }
    request::id(id, 64, |c| c.is_ascii_graphic())
}

/// Reads an answer, in events or whole.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    text: String,
    refusal: String,
    thinking: String,
    /// Thinking in the server's own fields.
    echo: Map<String, Value>,
    calls: Vec<Call>,
    usage: Usage,
    stop: Option<String>,
    done: bool,
}

#[derive(Debug, Default)]
struct Call {
    /// The place that the server gives it; a server may give none.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    told: bool,
}

impl Reader {
    /// Takes an event.
    pub(crate) fn event(&mut self, event: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        if event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::of_event(event));
        }
        self.count(&event["usage"]);
        // Groq puts it here.
        self.count(&event["x_groq"]["usage"]);
        let choice = &event["choices"][0];
        self.add(&choice["delta"], live);
        if let Some(stop) = choice["finish_reason"].as_str() {
            self.stop = Some(stop.to_owned());
        }
        Ok(())
    }

    /// Notes the mark at the end of a stream.
    pub(crate) const fn end(&mut self) {
        self.done = true;
    }

    /// Takes an answer that came in one piece.
    pub(crate) fn whole(&mut self, answer: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        if answer.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::of_event(answer));
        }
        let choice = &answer["choices"][0];
        if !choice["message"].is_object() {
            return Err(ProviderError::Unreadable("it has no message".to_owned()));
        }
        self.count(&answer["usage"]);
        self.add(&choice["message"], live);
        self.stop = choice["finish_reason"].as_str().map(str::to_owned);
        self.done = true;
        Ok(())
    }

    /// A whole message or a piece of one.
    fn add(&mut self, delta: &Value, live: Live<'_>) {
        match &delta["content"] {
            Value::String(text) => self.say(text, live),
            // Mistral's thinking models write parts.
            Value::Array(parts) => {
                for part in parts {
                    match part["type"].as_str() {
                        Some("thinking") => {
                            let texts = part["thinking"].as_array().into_iter().flatten();
                            texts
                                .filter_map(|part| part["text"].as_str())
                                .for_each(|text| self.think(text, live));
                        }
                        _ => self.say(part["text"].as_str().unwrap_or_default(), live),
                    }
                }
            }
            _ => {}
        }
        let refusal = delta["refusal"].as_str().unwrap_or_default();
        self.refusal.push_str(refusal);
        live.text(refusal);
        for key in THINKING {
            match (&delta[key], self.echo.get_mut(key)) {
                (Value::String(text), Some(Value::String(known))) => known.push_str(text),
                (Value::Array(parts), Some(Value::Array(known))) => known.extend(parts.iter().cloned()),
                (value @ (Value::String(_) | Value::Array(_)), _) => {
                    self.echo.insert(key.to_owned(), value.clone());
                }
                _ => {}
            }
        }
        let thought = delta["reasoning_content"].as_str().or_else(|| delta["reasoning"].as_str());
        self.think(thought.unwrap_or_default(), live);
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(call, live);
        }
    }

    fn say(&mut self, text: &str, live: Live<'_>) {
        self.text.push_str(text);
        live.text(text);
    }

    fn think(&mut self, text: &str, live: Live<'_>) {
        self.thinking.push_str(text);
        live.thinking(text);
    }

    /// A call or a piece of one. Some servers number every call 0 and tell them apart by their ids, some give no
    /// number and only whole calls.
    fn call(&mut self, piece: &Value, live: Live<'_>) {
        let index = piece["index"].as_u64();
        let id = piece["id"].as_str().unwrap_or_default();
        let name = piece["function"]["name"].as_str().unwrap_or_default();
        let goes_on = |call: &Call| {
            let same_place = if index.is_some() { call.index == index } else { name.is_empty() };
            same_place && (id.is_empty() || call.id.is_empty() || call.id == id)
        };
        let place = match self.calls.iter().rposition(goes_on) {
            Some(place) => place,
            None => {
                self.calls.push(Call { index, ..Call::default() });
                self.calls.len() - 1
            }
        };
        let Some(call) = self.calls.get_mut(place) else { return };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        // A server that repeats the name with every piece must not double it.
        if call.name != name {
            call.name.push_str(name);
        }
        match &piece["function"]["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            Value::Null => {}
            // An object where the form has its text.
            whole => call.arguments = whole.to_string(),
        }
        if !call.told && !call.name.is_empty() {
            call.told = true;
            live.tell(Delta::Call(&call.name));
        }
    }

    fn count(&mut self, usage: &Value) {
        let figure = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        let Some(read) = figure("/prompt_tokens") else { return };
        let cached = figure("/prompt_tokens_details/cached_tokens")
            .or_else(|| figure("/prompt_cache_hit_tokens"))
            .unwrap_or(0)
            .min(read);
        self.usage = Usage {
            input_tokens: read - cached,
            output_tokens: figure("/completion_tokens").unwrap_or(0),
            cache_read_tokens: cached,
            cache_write_tokens: 0,
        };
    }

    /// The reply, if the answer came to its end.
    pub(crate) fn finish(mut self, origin: &str, quirks: &Quirks) -> Result<Reply, ProviderError> {
        if self.stop.is_none() && !self.done {
            return Err(ProviderError::Cut("the stream ended before the message did".to_owned()));
        }
        let stop = match self.stop.as_deref() {
            _ if !self.refusal.is_empty() => Stop::Declined,
            Some("content_filter") => Stop::Declined,
            Some("length" | "model_length" | "max_tokens") => Stop::Length,
            Some("error") => return Err(ProviderError::Cut("the server gave up on it".to_owned())),
            _ => Stop::Whole,
        };
        let calls = self.calls.into_iter().map(|call| {
            let mut arguments = request::arguments(&call.arguments);
            // No arguments, where the limit cut the answer off, are arguments that did not come.
            if stop == Stop::Length && arguments.as_object().is_some_and(Map::is_empty) {
                arguments = Value::String(call.arguments);
            }
            ToolCall { id: call.id, name: call.name, arguments }
        });
        let calls: Vec<ToolCall> = calls.collect();
        // Thinking goes back with the calls it led to, and only there.
        let returns = quirks.returns_thinking && !calls.is_empty() && !self.echo.is_empty();
        let echo = returns.then(|| Echo { origin: origin.to_owned(), parts: Value::Object(self.echo) });
        self.text.push_str(&self.refusal);
        Ok(Reply {
            text: self.text,
            calls,
            echo,
            thinking: self.thinking,
            usage: self.usage,
            stop,
            ..Reply::default()
        })
    }
}
