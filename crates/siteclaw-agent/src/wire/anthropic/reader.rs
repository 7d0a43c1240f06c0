//! Reading an answer of Anthropic's: blocks that begin, grow and end.

use serde_json::{Map, Value, json};
use siteclaw_core::ToolCall;

use crate::message::Echo;
use crate::provider::{Delta, Live, ProviderError, Reply, Stop, Usage};
use crate::wire::{failure, request};

/// Reads an answer, in events or whole.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    blocks: Vec<Block>,
    usage: Usage,
    stop: Option<String>,
    whole: bool,
}

/// A block as it began, and what came after.
#[derive(Debug)]
struct Block {
    value: Value,
    /// Arguments of a call as text; they come in pieces.
    json: String,
}

impl Reader {
    /// Takes an event.
    pub(crate) fn event(&mut self, event: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.count(&event["message"]["usage"]),
            "content_block_start" => {
                let block = &event["content_block"];
                match block["type"].as_str() {
                    Some("tool_use") => live.tell(Delta::Call(block["name"].as_str().unwrap_or_default())),
                    Some("text") => live.text(block["text"].as_str().unwrap_or_default()),
                    _ => {}
                }
                self.blocks.push(Block { value: block.clone(), json: String::new() });
            }
            "content_block_delta" => self.grow(&event["delta"], live),
            "message_delta" => {
                if let Some(stop) = event["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop.to_owned());
                }
                self.count(&event["usage"]);
            }
            "message_stop" => self.whole = true,
            "error" => return Err(failure::of_event(event)),
            // Pings, ends of blocks, and what may be added to the form later.
            _ => {}
        }
        Ok(())
    }

    /// Takes an answer that came in one piece.
    pub(crate) fn whole(&mut self, message: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        if message["type"] == "error" {
            return Err(failure::of_event(message));
        }
        let Some(content) = message["content"].as_array() else {
            return Err(ProviderError::Unreadable("it has no content".to_owned()));
        };
        for block in content {
            match block["type"].as_str() {
                Some("text") => live.text(block["text"].as_str().unwrap_or_default()),
                Some("thinking") => live.thinking(block["thinking"].as_str().unwrap_or_default()),
                Some("tool_use") => live.tell(Delta::Call(block["name"].as_str().unwrap_or_default())),
                _ => {}
            }
        }
        self.blocks =
            content.iter().map(|block| Block { value: block.clone(), json: String::new() }).collect();
        self.stop = message["stop_reason"].as_str().map(str::to_owned);
        self.count(&message["usage"]);
        self.whole = true;
        Ok(())
    }

    /// A piece of the last block. Blocks come one after the other.
    fn grow(&mut self, delta: &Value, live: Live<'_>) {
        let Some(block) = self.blocks.last_mut() else { return };
        let piece = |key: &str| delta[key].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                append(&mut block.value, "text", piece("text"));
                live.text(piece("text"));
            }
            "thinking_delta" => {
                append(&mut block.value, "thinking", piece("thinking"));
                live.thinking(piece("thinking"));
            }
            "signature_delta" => append(&mut block.value, "signature", piece("signature")),
            "input_json_delta" => block.json.push_str(piece("partial_json")),
            "citations_delta" => {
                if let Some(map) = block.value.as_object_mut() {
                    let list = map.entry("citations").or_insert_with(|| json!([]));
                    if let Some(list) = list.as_array_mut() {
                        list.push(delta["citation"].clone());
                    }
                }
            }
            _ => {}
        }
    }

    /// Figures that are named replace what was known: those of the end include those of the beginning.
    fn count(&mut self, usage: &Value) {
        let set = |key: &str, field: &mut u64| {
            if let Some(count) = usage[key].as_u64() {
                *field = count;
            }
        };
        set("input_tokens", &mut self.usage.input_tokens);
        set("output_tokens", &mut self.usage.output_tokens);
        set("cache_read_input_tokens", &mut self.usage.cache_read_tokens);
        set("cache_creation_input_tokens", &mut self.usage.cache_write_tokens);
    }

    /// The reply, if the answer came to its end.
    pub(crate) fn finish(self, origin: &str) -> Result<Reply, ProviderError> {
        if !self.whole {
            return Err(ProviderError::Cut("the stream ended before the message did".to_owned()));
        }
        let stop = match self.stop.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
            Some("refusal") => Stop::Declined,
            Some("pause_turn") => Stop::Paused,
            _ => Stop::Whole,
        };
        let mut reply = Reply { usage: self.usage, stop, ..Reply::default() };
        let mut parts = Vec::with_capacity(self.blocks.len());
        let mut signed = false;
        for Block { mut value, json } in self.blocks {
            let kind = value["type"].as_str().unwrap_or_default().to_owned();
            let mut input = if json.is_empty() { value["input"].clone() } else { request::arguments(&json) };
            // No arguments, where the limit cut the answer off, are arguments that did not come.
            if stop == Stop::Length && input.as_object().is_some_and(Map::is_empty) {
                input = Value::String(json);
            }
            if matches!(kind.as_str(), "tool_use" | "server_tool_use")
                && let Some(map) = value.as_object_mut()
            {
                map.insert("input".to_owned(), request::object(&input));
            }
            match kind.as_str() {
                "text" => {
                    let text = value["text"].as_str().unwrap_or_default();
                    // The form refuses to take empty blocks back, though it gives them.
                    if text.is_empty() {
                        continue;
                    }
                    reply.text.push_str(text);
                }
                "thinking" => {
                    signed = true;
                    reply.thinking.push_str(value["thinking"].as_str().unwrap_or_default());
                }
                "tool_use" => {
                    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
                    reply.calls.push(ToolCall { id: text("id"), name: text("name"), arguments: input });
                }
                _ => signed = true,
            }
            parts.push(value);
        }
        // Text and calls alone can be written again from what the loop keeps.
        reply.echo = signed.then(|| Echo { origin: origin.to_owned(), parts: Value::Array(parts) });
        Ok(reply)
    }
}

fn append(block: &mut Value, key: &str, piece: &str) {
    match block.get_mut(key) {
        Some(Value::String(text)) => text.push_str(piece),
        _ => {
            if let Some(map) = block.as_object_mut() {
                map.insert(key.to_owned(), json!(piece));
            }
        }
    }
}
