//! What is said in a run, in the order it was said.

use siteclaw_core::{Envelope, ToolCall};

/// One entry of a conversation. Each provider writes it in its own form.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// What the program tells the model about its work; at most one, the first.
    System(String),
    /// What the user wrote.
    User(String),
    /// What the model answered: text, calls, or both. Never neither.
    Assistant {
        /// Text; may be empty beside calls.
        text: String,
        /// Calls it asks for, each with an id that no other call of the message has.
        calls: Vec<ToolCall>,
    },
    /// The results of all calls of the assistant's message before it, in the order of the calls.
    Results(Vec<CallResult>),
}

/// What became of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// The call's id.
    pub id: String,
    /// The tool as it was named.
    pub name: String,
    /// The answer: masked and within the budget.
    pub envelope: Envelope,
}

impl Message {
    /// Characters that a provider has to be sent for this entry, without its own framing.
    pub fn chars(&self) -> usize {
        match self {
            Self::System(text) | Self::User(text) => text.chars().count(),
            Self::Assistant { text, calls } => {
                let calls = calls.iter().map(|call| call.name.chars().count() + json_chars(&call.arguments));
                text.chars().count() + calls.sum::<usize>()
            }
            Self::Results(results) => {
                results.iter().map(|result| json_chars(&result.envelope.to_value())).sum()
            }
        }
    }
}

fn json_chars(value: &serde_json::Value) -> usize {
    value.to_string().chars().count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_counts_its_texts_and_its_json() {
        assert_eq!(Message::User("größe".to_owned()).chars(), 5);
        let calls = vec![ToolCall::new("ab", json!({"x": 1}))];
        assert_eq!(Message::Assistant { text: "abc".to_owned(), calls }.chars(), 3 + 2 + 7);
    }
}
