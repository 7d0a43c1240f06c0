//! What all families write in the same way.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::message::{Echo, Message};
use crate::provider::{Choice, Shape, Turn};

/// How much a model is to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Little.
    Low,
    /// As much as is usual.
    Medium,
    /// Much.
    High,
}

impl Effort {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What a request says besides the conversation.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) model: String,
    /// The most tokens of an answer; the provider's own limit where there is none.
    pub(crate) max_tokens: Option<u32>,
    pub(crate) effort: Option<Effort>,
    /// Tokens for thinking, for models that are told a number.
    pub(crate) thinking_tokens: Option<u32>,
    pub(crate) prompt_cache: bool,
    /// Tokens that a model on a server of one's own is given room for.
    pub(crate) context: usize,
    /// What signed parts of this provider and model are marked with.
    pub(crate) origin: String,
}

/// A tool as a model is told of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Described<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) schema: &'a Value,
}

/// The tools of a turn, and the call that gives the answer where the family has no form of its own for it.
pub(crate) fn tools<'a>(turn: &Turn<'a>, shape_is_call: bool) -> Vec<Described<'a>> {
    let lean = turn.routed.profile.is_lean();
    let mut tools: Vec<Described<'a>> = turn
        .tools
        .iter()
        .map(|offer| {
            let spec = offer.entry.spec();
            Described {
                name: spec.name(),
                description: if lean { spec.short_description() } else { spec.description() },
                schema: offer.entry.input_schema(),
            }
        })
        .collect();
    if let (true, Some(shape)) = (shape_is_call, turn.shape) {
        tools.push(Described { name: Shape::CALL, description: Shape::DESCRIPTION, schema: &shape.schema });
    }
    tools
}

/// What a model is told that may make no further call.
static CLOSING: LazyLock<Message> = LazyLock::new(|| {
    Message::Note(
        "No further call can be made. Answer now from what you know, and say what is missing.".to_owned(),
    )
});

/// The conversation as it is sent.
pub(crate) fn said<'a>(turn: &Turn<'a>) -> impl Iterator<Item = &'a Message> {
    let closing = (turn.choice == Choice::Nothing).then(|| &*CLOSING);
    turn.messages.iter().chain(closing)
}

/// The system message.
pub(crate) fn system(messages: &[Message]) -> Option<&str> {
    messages.iter().find_map(|message| match message {
        Message::System(text) => Some(text.as_str()),
        _ => None,
    })
}

/// The parts that this provider and model wrote themselves, if the calls in them are still called what they were.
pub(crate) fn own<'a>(echo: Option<&'a Echo>, origin: &str) -> Option<&'a Value> {
    echo.filter(|echo| echo.origin == origin).map(|echo| &echo.parts)
}

/// Arguments that can be sent back: what was no object stands as an empty one, because servers check it again.
pub(crate) fn object(arguments: &Value) -> Value {
    if arguments.is_object() { arguments.clone() } else { Value::Object(Map::new()) }
}

/// An id in the form that a server takes: itself if it fits, else one that always follows from it.
pub(crate) fn id(id: &str, most: usize, fits: impl Fn(char) -> bool) -> String {
    if !id.is_empty() && id.len() <= most && id.chars().all(fits) {
        return id.to_owned();
    }
    digest(id, most.min(24))
}

/// Letters and digits that follow from a text.
pub(crate) fn digest(text: &str, length: usize) -> String {
    const DIGITS: [char; 36] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j',
        'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
    ];
    let mut out = String::with_capacity(length);
    let mut round = 0_u32;
    while out.len() < length {
        // The hasher starts from fixed keys, so the digest is the same in every process.
        let mut hasher = DefaultHasher::new();
        (round, text).hash(&mut hasher);
        let mut number = hasher.finish();
        for _ in 0..12 {
            if out.len() < length {
                out.push(DIGITS.get((number % 36) as usize).copied().unwrap_or('0'));
            }
            number /= 36;
        }
        round += 1;
    }
    out
}

/// The text of a call's arguments as JSON. An empty text means no arguments; what is no JSON stays text.
pub(crate) fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(text) {
        // Some models write the object as JSON within a JSON string.
        Ok(Value::String(inner)) => serde_json::from_str::<Value>(&inner)
            .ok()
            .filter(Value::is_object)
            .unwrap_or(Value::String(inner)),
        Ok(value) => value,
        Err(_) => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_that_do_not_fit_become_others_that_always_follow() {
        let short = |text: &str| id(text, 9, |c| c.is_ascii_alphanumeric());
        assert_eq!(short("abcDEF123"), "abcDEF123");
        let long = short("call_0123456789");
        assert_eq!((long.len(), long.as_str()), (9, short("call_0123456789").as_str()));
        assert!(long.chars().all(|c| c.is_ascii_alphanumeric()));
        assert_ne!(long, short("call_0123456788"));
        assert_eq!(short("").len(), 9);
    }

    #[test]
    fn arguments_are_read_as_far_as_they_are_json() {
        for (text, value) in [
            ("", json!({})),
            (" ", json!({})),
            ("{\"a\": 1}", json!({"a": 1})),
            ("\"{\\\"a\\\": 1}\"", json!({"a": 1})),
            ("{\"a\": ", json!("{\"a\": ")),
            ("[1]", json!([1])),
        ] {
            assert_eq!(arguments(text), value, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(arguments(&deep), Value::String(deep.clone()));
    }
}
