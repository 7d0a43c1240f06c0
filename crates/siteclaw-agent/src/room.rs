//! Keeping a conversation within what its model can take.
//!
//! What is too long is shortened from its oldest end: first results lose their text, then whole steps go, each call
//! with its result. The system message, the question that is being answered, and the last results stay. Nothing is
//! summarised by a model: that would cost money, lose goals, and say things nobody said.

use std::collections::BTreeMap;

use serde_json::Value;
use siteclaw_core::router;

use crate::message::{CallResult, Message};

/// Characters of a result that are not worth taking away.
const SHORT: usize = 240;
/// The least that the last results are cut to, in characters.
const LEAST: usize = 800;

/// Tells tokens from characters. The first guess is corrected by what the provider reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    factor: f64,
}

impl Default for Meter {
    fn default() -> Self {
        Self { factor: 1.0 }
    }
}

impl Meter {
    /// Tokens that so many characters are taken for.
    pub(crate) fn tokens(self, chars: usize) -> usize {
        (router::tokens(chars) as f64 * self.factor).ceil() as usize
    }

    /// Characters that fit so many tokens.
    pub(crate) fn chars(self, tokens: usize) -> usize {
        let least = router::tokens(4_000) as f64 / 4_000.0;
        (tokens as f64 / (least * self.factor)) as usize
    }

    /// Learns that a request of so many characters was counted as so many tokens. Texts in other alphabets have up
    /// to six times the tokens that are first assumed.
    pub(crate) fn learn(&mut self, chars: usize, reported: u64) {
        let guess = router::tokens(chars);
        if guess > 200 && reported > 0 {
            self.factor = (reported as f64 / guess as f64).clamp(0.5, 6.0);
        }
    }
}

/// Characters of the conversation as it is sent.
pub(crate) fn chars(messages: &[Message]) -> usize {
    messages.iter().map(Message::chars).sum()
}

/// Shortens the conversation to so many characters, if that is possible. Returns whether something was left out.
pub(crate) fn shorten(messages: &mut Vec<Message>, most: usize) -> bool {
    let before = chars(messages);
    if before <= most {
        return false;
    }
    let mut excess = before - most;
    let last_results = messages.iter().rposition(|message| matches!(message, Message::Results(_)));
    for (place, message) in messages.iter_mut().enumerate() {
        if excess == 0 || Some(place) >= last_results {
            break;
        }
        if let Message::Results(results) = message {
            for result in results {
                excess = excess.saturating_sub(empty(result));
            }
        }
    }
    while excess > 0 {
        let freed = drop_oldest(messages);
        if freed == 0 {
            break;
        }
        excess = excess.saturating_sub(freed);
    }
    if excess > 0 {
        cut_last(messages, excess);
    }
    chars(messages) < before
}

/// Takes a result's text away; returns the characters that this frees.
fn empty(result: &mut CallResult) -> usize {
    let long = result.text.chars().count();
    if long <= SHORT {
        return 0;
    }
    let what = if result.envelope.is_success() { "It succeeded" } else { "It failed" };
    result.text = format!(
        "{what}. The result is left out, because the conversation grew too long; call again if you need it."
    );
    long - result.text.chars().count()
}

/// Takes the oldest step out: an earlier question with all that followed it, or, of the present one, the oldest calls
/// with their results. Returns the characters that this frees.
fn drop_oldest(messages: &mut Vec<Message>) -> usize {
    let first = messages.iter().position(|message| !matches!(message, Message::System(_))).unwrap_or(0);
    let question = messages.iter().rposition(|message| matches!(message, Message::User(_))).unwrap_or(first);
    let gone: Vec<Message> = if question > first {
        // Earlier questions.
        let next = messages
            .iter()
            .enumerate()
            .skip(first + 1)
            .find(|(_, message)| matches!(message, Message::User(_)))
            .map_or(question, |(place, _)| place);
        messages.drain(first..next).collect()
    } else {
        let steps: Vec<usize> = messages
            .iter()
            .enumerate()
            .skip(question)
            .filter(|(_, message)| matches!(message, Message::Results(_)))
            .map(|(place, _)| place)
            .collect();
        let [oldest, _, ..] = steps[..] else { return 0 };
        // A note that tells of what went before stays in front.
        let start = messages
            .iter()
            .enumerate()
            .skip(question + 1)
            .find(|(_, message)| matches!(message, Message::Assistant { .. }))
            .map_or(oldest, |(place, _)| place);
        let gone: Vec<Message> = messages.drain(start..=oldest).collect();
        tell(messages, question, &gone);
        gone
    };
    chars(&gone)
}

/// How a note about calls that were taken out begins.
const GONE: &str = "Earlier calls were left out, because the conversation grew too long:";

/// Says behind the question which calls are no longer there, so that they are not made once more for nothing.
fn tell(messages: &mut Vec<Message>, question: usize, gone: &[Message]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for message in gone {
        if let Message::Results(results) = message {
            for result in results {
                *counts.entry(&result.name).or_default() += 1;
            }
        }
    }
    let names: Vec<String> = counts.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    match messages.get_mut(question + 1) {
        Some(Message::Note(text)) if text.starts_with(GONE) => {
            // The list stays short: names that are there already are not repeated.
            for name in names {
                let word = name.split(' ').next().unwrap_or_default();
                if !text.contains(word) {
                    text.push_str(&format!(" {name}"));
                }
            }
        }
        _ => messages.insert(question + 1, Message::Note(format!("{GONE} {}", names.join(" ")))),
    }
}

/// Cuts the last results, each by its share, and says so.
fn cut_last(messages: &mut [Message], excess: usize) {
    let last = messages.iter_mut().rev().find_map(|message| match message {
        Message::Results(results) => Some(results),
        _ => None,
    });
    let Some(results) = last else { return };
    let all: usize = results.iter().map(|result| result.text.chars().count()).sum();
    for result in results {
        let long = result.text.chars().count();
        let share = excess.saturating_mul(long) / all.max(1);
        let keep = long.saturating_sub(share + 80).max(LEAST);
        if keep < long {
            let head: String = result.text.chars().take(keep).collect();
            result.text = format!(
                "{head}…\n(The rest is left out: it is too long for this model. Ask for less at once.)"
            );
        }
    }
}

/// Characters of tools as they are described.
pub(crate) fn described(tools: &[crate::provider::Offer]) -> usize {
    tools.iter().map(|offer| json_chars(&offer.described)).sum()
}

fn json_chars(value: &Value) -> usize {
    value.to_string().chars().count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, json};
    use siteclaw_core::{Envelope, ToolCall};

    use super::*;

    fn step(id: &str, size: usize) -> [Message; 2] {
        let calls = vec![ToolCall::new("wp_query", json!({})).with_id(id)];
        let envelope = Envelope::Success { data: json!({}), meta: Map::new(), warnings: Vec::new() };
        let result = CallResult { text: "x".repeat(size), ..CallResult::new(id, "wp_query", envelope) };
        [Message::Assistant { text: String::new(), calls, echo: None }, Message::Results(vec![result])]
    }

    fn conversation(sizes: &[usize]) -> Vec<Message> {
        let mut messages = vec![Message::System("s".to_owned()), Message::User("earlier".to_owned())];
        messages.extend(step("old", 1_000));
        messages.push(Message::Assistant { text: "Said.".to_owned(), calls: Vec::new(), echo: None });
        messages.push(Message::User("the question".to_owned()));
        for (place, size) in sizes.iter().enumerate() {
            messages.extend(step(&format!("c{place}"), *size));
        }
        messages
    }

    fn texts(messages: &[Message]) -> Vec<usize> {
        let results = messages.iter().filter_map(|message| match message {
            Message::Results(results) => Some(results),
            _ => None,
        });
        results.flatten().map(|result| result.text.chars().count()).collect()
    }

    #[test]
    fn the_oldest_results_lose_their_text_first() {
        let mut messages = conversation(&[2_000, 3_000, 4_000]);
        assert!(!shorten(&mut messages, 100_000));
        assert!(shorten(&mut messages, 8_500));
        let texts = texts(&messages);
        assert!(texts[0] < SHORT && texts[1] < SHORT && texts[2] == 3_000 && texts[3] == 4_000, "{texts:?}");
        assert_eq!(messages.len(), conversation(&[0, 0, 0]).len());
    }

    #[test]
    fn then_whole_steps_go_and_the_model_is_told() {
        let mut messages = conversation(&[2_000, 3_000, 4_000]);
        assert!(shorten(&mut messages, 4_200));
        assert_eq!(texts(&messages).last(), Some(&4_000));
        assert!(
            !messages.iter().any(|message| *message == Message::User("earlier".to_owned())),
            "{}",
            messages.len()
        );
        let mut messages = conversation(&[3_000, 3_000, 3_000]);
        assert!(shorten(&mut messages, 3_250));
        let notes: Vec<&Message> =
            messages.iter().filter(|message| matches!(message, Message::Note(_))).collect();
        assert_eq!(notes.len(), 1);
        assert!(matches!(notes[0], Message::Note(text) if text.ends_with(": wp_query (1)")), "{notes:?}");
        assert!(matches!(&messages[1], Message::User(text) if text == "the question"));
    }

    #[test]
    fn at_last_even_the_last_result_is_cut() {
        let mut messages = conversation(&[9_000]);
        assert!(shorten(&mut messages, 2_000));
        assert!(chars(&messages) <= 2_000, "{}", chars(&messages));
    }

    #[test]
    fn tokens_follow_what_was_reported() {
        let mut meter = Meter::default();
        assert_eq!((meter.tokens(4_000), meter.chars(1_000)), (1_000, 4_000));
        meter.learn(4_000, 2_500);
        assert_eq!((meter.tokens(4_000), meter.chars(1_000)), (2_500, 1_600));
        meter.learn(4_000, 90_000);
        assert_eq!(meter.tokens(4_000), 6_000);
        // A request this short says nothing.
        meter.learn(40, 900);
        assert_eq!(meter.tokens(4_000), 6_000);
    }

    proptest! {
        #[test]
        fn calls_and_results_stay_paired_and_the_question_stays(
            sizes in prop::collection::vec(0usize..5_000, 0..8), most in 0usize..20_000,
        ) {
            let mut messages = conversation(&sizes);
            let before = chars(&messages);
            shorten(&mut messages, most);
            prop_assert!(chars(&messages) <= before.max(400));
            prop_assert!(matches!(&messages[0], Message::System(_)));
            let question = messages.iter().any(|message| *message == Message::User("the question".to_owned()));
            prop_assert!(question);
            for (place, message) in messages.iter().enumerate() {
                if let Message::Results(results) = message {
                    let ids: Vec<&str> = results.iter().map(|result| result.id.as_str()).collect();
                    let made = match &messages[place - 1] {
                        Message::Assistant { calls, .. } => calls.iter().map(|call| call.id.as_str()).collect(),
                        _ => Vec::new(),
                    };
                    prop_assert_eq!(ids, made);
                }
                if let Message::Assistant { calls, .. } = message {
                    prop_assert!(calls.is_empty() || matches!(messages.get(place + 1), Some(Message::Results(_))));
                }
            }
            // A second time changes nothing more than the first could not.
            let once = messages.clone();
            shorten(&mut messages, chars(&once));
            prop_assert_eq!(messages, once);
        }
    }
}
