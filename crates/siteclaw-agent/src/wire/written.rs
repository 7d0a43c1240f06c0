//! Calls that a model wrote into its text.
//!
//! Small models on servers of one's own often write a call as text: between `<tool_call>` tags, between three
//! parentheses, or as a bare object. Only an answer that is nothing but such calls, of tools that are offered, is
//! taken for one; and while an answer may still turn out to be one, its text is held back.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use siteclaw_core::ToolCall;

use crate::provider::{Delta, Live, Reply};

/// How such an answer begins.
const STARTS: [&str; 5] = ["<tool_call>", "(((", "{\"name\":", "```json{\"name\":", "</tool_call>"];
/// The most calls of one text.
const MAX_CALLS: usize = 32;

/// The calls in a text, if it is nothing but calls of these tools.
fn calls(text: &str, offered: &[&str]) -> Option<Vec<ToolCall>> {
    let mut calls = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (call, after) = first(rest, offered)?;
        calls.push(call);
        rest = after.trim_start();
        if calls.len() > MAX_CALLS {
            return None;
        }
    }
    (!calls.is_empty()).then_some(calls)
}

/// The call at the beginning of a text, and what comes after it.
fn first<'a>(text: &'a str, offered: &[&str]) -> Option<(ToolCall, &'a str)> {
    if let Some(inner) = text.strip_prefix("<tool_call>") {
        // Some models forget to close the last one.
        let (inner, after) = inner.split_once("</tool_call>").unwrap_or((inner, ""));
        return Some((object(inner, offered)?, after));
    }
    if let Some(inner) = text.strip_prefix("(((") {
        let (inner, after) = inner.split_once(")))")?;
        let (name, arguments) = inner.trim().split_at_checked(inner.trim().find(['{', ' ', '\n'])?)?;
        let arguments: Value = serde_json::from_str(arguments.trim()).ok()?;
        return Some((call(name, arguments, offered)?, after));
    }
    if let Some(inner) = text.strip_prefix("```json") {
        let (inner, after) = inner.split_once("```")?;
        return Some((object(inner, offered)?, after));
    }
    // A fragment of which only the closing tag is left, or a bare object.
    let (inner, after) = text.split_once("</tool_call>").unwrap_or((text, ""));
    Some((object(inner, offered)?, after))
}

fn object(text: &str, offered: &[&str]) -> Option<ToolCall> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let name = value["name"].as_str()?;
    let arguments = value.get("arguments").or_else(|| value.get("parameters"))?;
    let arguments = match arguments {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    call(name, arguments, offered)
}

fn call(name: &str, arguments: Value, offered: &[&str]) -> Option<ToolCall> {
    (offered.contains(&name) && arguments.is_object()).then(|| ToolCall::new(name, arguments))
}

/// Whether a text may still become a written call; what stands between its words is left out of account.
fn may_be(text: &str) -> bool {
    let start: String = text.chars().filter(|c| !c.is_whitespace()).take(24).collect();
    STARTS.iter().any(|known| known.starts_with(&start) || start.starts_with(known))
}

/// Holds text back while it may still be a call.
pub(crate) struct Gate<'a> {
    live: Live<'a>,
    held: Mutex<Option<String>>,
}

impl<'a> Gate<'a> {
    pub(crate) const fn new(live: Live<'a>) -> Self {
        Self { live, held: Mutex::new(Some(String::new())) }
    }

    /// Passes on what the provider says, or keeps it for the end.
    pub(crate) fn tell(&self, delta: Delta<'_>) {
        let Delta::Text(text) = delta else { return self.live.tell(delta) };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_mut() {
            None => self.live.tell(delta),
            Some(known) => {
                known.push_str(text);
                if !may_be(known) {
                    let known = held.take().unwrap_or_default();
                    self.live.tell(Delta::Text(&known));
                }
            }
        }
    }

    /// The reply with its written calls made real; or, if there are none, with its text told.
    pub(crate) fn finish(self, mut reply: Reply, offered: &[&str]) -> Reply {
        let held = self.held.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();
        if reply.calls.is_empty()
            && may_be(&reply.text)
            && let Some(calls) = calls(&reply.text, offered)
        {
            calls.iter().for_each(|call| self.live.tell(Delta::Call(&call.name)));
            reply.calls = calls;
            reply.text.clear();
        } else if !held.is_empty() {
            self.live.tell(Delta::Text(&held));
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const OFFERED: [&str; 2] = ["wp_query", "wp_users"];

    #[test]
    fn an_answer_of_nothing_but_calls_is_calls() {
        let one = ("wp_query", json!({"search": "a"}));
        let other = ("wp_users", json!({}));
        let table = [
            (
                "<tool_call>\n{\"name\": \"wp_query\", \"arguments\": {\"search\": \"a\"}}\n</tool_call>",
                vec![one.clone()],
            ),
            (
                "<tool_call>{\"name\":\"wp_query\",\"arguments\":{\"search\":\"a\"}}</tool_call>\n\
                 <tool_call>{\"name\":\"wp_users\",\"arguments\":{}}",
                vec![one.clone(), other.clone()],
            ),
            ("(((wp_query {\"search\": \"a\"})))", vec![one.clone()]),
            ("{\"name\": \"wp_query\", \"parameters\": {\"search\": \"a\"}}", vec![one.clone()]),
            ("{\"name\":\"wp_users\",\"arguments\":\"{}\"}", vec![other.clone()]),
            ("```json\n{\"name\":\"wp_users\",\"arguments\":{}}\n```", vec![other.clone()]),
            ("{\"name\":\"wp_users\",\"arguments\":{}}\n</tool_call>", vec![other]),
            // Prose, other tools, other objects.
            ("I would call {\"name\":\"wp_users\",\"arguments\":{}}", vec![]),
            ("{\"name\":\"shell\",\"arguments\":{}}", vec![]),
            ("{\"name\":\"wp_users\"}", vec![]),
            ("<tool_call>{\"name\":\"wp_users\",\"arguments\":[]}</tool_call>", vec![]),
            ("<tool_call>wp_users</tool_call>", vec![]),
            ("(((wp_users)))", vec![]),
            ("", vec![]),
        ];
        for (text, wanted) in table {
            let found = calls(text, &OFFERED).unwrap_or_default();
            let found: Vec<_> =
                found.iter().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }

    fn told(pieces: &[&str]) -> (Vec<String>, Reply) {
        let heard = Mutex::new(Vec::new());
        let listener = |delta: Delta<'_>| heard.lock().unwrap().push(format!("{delta:?}"));
        let gate = Gate::new(Live::to(&listener));
        pieces.iter().for_each(|piece| gate.tell(Delta::Text(piece)));
        let reply = gate.finish(Reply::text(pieces.concat()), &OFFERED);
        (heard.into_inner().unwrap(), reply)
    }

    #[test]
    fn text_is_held_back_only_as_long_as_it_may_be_a_call() {
        let (heard, reply) =
            told(&["<tool", "_call>{\"name\":\"wp_users\",", "\"arguments\":{}}</tool_call>"]);
        assert_eq!(
            (heard, reply.text.as_str(), reply.calls.len()),
            (vec!["Call(\"wp_users\")".to_owned()], "", 1)
        );
        let (heard, reply) = told(&["<", "b>Hi</b>", " there"]);
        assert_eq!(
            (heard, reply.calls.len()),
            (vec!["Text(\"<b>Hi</b>\")".to_owned(), "Text(\" there\")".to_owned()], 0)
        );
        let (heard, _) = told(&["{\"name\": \"Ada\"}"]);
        assert_eq!(heard, ["Text(\"{\\\"name\\\": \\\"Ada\\\"}\")"]);
    }

    proptest! {
        #[test]
        fn nothing_that_is_said_is_lost(pieces in prop::collection::vec("[<({`\"nametool_cl:>)} ]{0,6}", 0..12)) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let said = Mutex::new(String::new());
            let listener = |delta: Delta<'_>| {
                if let Delta::Text(text) = delta {
                    said.lock().unwrap().push_str(text);
                }
            };
            let gate = Gate::new(Live::to(&listener));
            pieces.iter().for_each(|piece| gate.tell(Delta::Text(piece)));
            let reply = gate.finish(Reply::text(pieces.concat()), &OFFERED);
            prop_assert_eq!(said.into_inner().unwrap(), reply.text);
        }
    }
}
