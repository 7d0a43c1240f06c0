//! A conversation that goes on from question to question.

use crate::message::Message;

/// What was said so far: questions, answers, calls and their results, without the system message, which is made anew
/// for each question. It is kept whole; what is too long for a model is shortened only in what is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    messages: Vec<Message>,
}

impl Conversation {
    /// One in which nothing was said.
    pub fn new() -> Self {
        Self::default()
    }

    /// One in which this was said. System messages are left out, and so are calls without results.
    pub fn of(messages: Vec<Message>) -> Self {
        let mut conversation = Self { messages };
        conversation.messages.retain(|message| !matches!(message, Message::System(_)));
        conversation.settle();
        conversation
    }

    /// What was said, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub(crate) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Makes the end fit for a next question: calls that were never made go, and results without an answer get one
    /// that says so, because some providers take no question right behind them.
    pub(crate) fn settle(&mut self) {
        if matches!(self.messages.last(), Some(Message::Assistant { calls, .. }) if !calls.is_empty()) {
            self.messages.pop();
        }
        if matches!(self.messages.last(), Some(Message::Results(_) | Message::User(_) | Message::Note(_))) {
            let text = "(There was no answer.)".to_owned();
            self.messages.push(Message::Assistant { text, calls: Vec::new(), echo: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use siteclaw_core::ToolCall;

    use super::*;

    #[test]
    fn whatever_it_stopped_at_a_question_can_follow() {
        let asked = || Message::User("a".to_owned());
        let calls = Message::Assistant {
            text: String::new(),
            calls: vec![ToolCall::new("double", json!({}))],
            echo: None,
        };
        let none =
            Message::Assistant { text: "(There was no answer.)".to_owned(), calls: Vec::new(), echo: None };
        let of = |messages| Conversation::of(messages).messages().to_vec();
        assert_eq!(of(vec![Message::System("s".to_owned()), asked()]), [asked(), none.clone()]);
        assert_eq!(of(vec![asked(), calls.clone()]), [asked(), none.clone()]);
        let results = Message::Results(Vec::new());
        assert_eq!(
            of(vec![asked(), calls.clone(), results.clone()]),
            [asked(), calls, results, none.clone()]
        );
        assert_eq!(of(vec![asked(), none.clone()]), [asked(), none]);
        assert_eq!(of(Vec::new()), []);
    }
}
