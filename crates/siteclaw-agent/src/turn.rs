//! The calls of one turn: which of them run, and what the others are told.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use siteclaw_core::{Code, Envelope, Executor, Run, Step, ToolCall, ToolError, code, sanitise_fragment};

use crate::agent::MAX_CALLS;
use crate::answer::CalledTool;
use crate::message::CallResult;
use crate::provider::Stop;
use crate::repeats::Repeats;
use crate::update::{Listener, Update};

/// Two calls of one turn had the same id.
pub const DUPLICATE_CALL: Code = Code::new("DUPLICATE_CALL");
/// A turn made more calls than one may.
pub const TOO_MANY_CALLS: Code = Code::new("TOO_MANY_CALLS");

/// The calls of a turn, each with an id of its own, and why some of them must not run.
pub(crate) struct Calls {
    pub(crate) calls: Vec<ToolCall>,
    refused: BTreeMap<usize, ToolError>,
}

impl Calls {
    /// Gives every call its own id. Of two with one id neither runs: it cannot be told which one a result or
    /// an approval would belong to. What exceeds the limit does not run either, nor does what is no JSON, nor what
    /// failed too often already.
    pub(crate) fn new(mut calls: Vec<ToolCall>, executor: &Executor, stop: Stop, repeats: &Repeats) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for call in &calls {
            *counts.entry(call.id.clone()).or_default() += 1;
        }
        let mut taken: BTreeSet<String> = counts.keys().cloned().collect();
        let mut refused = BTreeMap::new();
        let all = calls.len();
        for (place, call) in calls.iter_mut().enumerate() {
            let twice = !call.id.is_empty() && counts.get(&call.id).is_some_and(|&count| count > 1);
            let error = if twice {
                let message = "Two calls of this turn have the same id, so neither was made.";
                Some(ToolError::new(DUPLICATE_CALL, message).hint("Make each call with an id of its own."))
            } else if place >= MAX_CALLS {
                let message = format!("A turn may make {MAX_CALLS} calls; this one made {all}.");
                Some(ToolError::new(TOO_MANY_CALLS, message).hint("Make this call in a later turn."))
            } else if let Value::String(text) = &call.arguments {
                Some(unreadable(text, stop))
            } else {
                repeats.refusal(call)
            };
            if let Some(error) = error {
                refused.insert(place, error);
            }
            if twice || call.id.is_empty() {
                call.id = fresh(executor, &taken);
                taken.insert(call.id.clone());
            }
        }
        Self { calls, refused }
    }

    /// Whether no call of the turn runs because all failed too often before.
    pub(crate) fn only_repeats(&self) -> bool {
        self.refused.len() == self.calls.len()
            && self.refused.values().all(|error| error.code() == crate::repeats::REPEATED_CALL)
    }

    /// How many calls run.
    pub(crate) fn running(&self) -> usize {
        self.calls.len() - self.refused.len()
    }

    /// Makes the calls that may run. Results come in the order of the calls.
    pub(crate) async fn make(
        &self,
        executor: &Executor,
        run: &Run,
        repeats: &mut Repeats,
        listener: Listener<'_>,
    ) -> Vec<(CallResult, CalledTool)> {
        let running = self.calls.iter().enumerate().filter(|(place, _)| !self.refused.contains_key(place));
        let heard = |step: Step<'_>| match step {
            Step::Begins(call) => {
                let mut arguments = call.arguments.clone();
                executor.masker().mask_value(&mut arguments);
                listener(Update::Calling { id: &call.id, name: &call.name, arguments: &arguments });
            }
            Step::Ends(outcome) => listener(Update::Called {
                id: &outcome.id,
                name: &outcome.name,
                arguments: &outcome.arguments,
                envelope: &outcome.envelope,
                duration: outcome.duration,
            }),
        };
        let running: Vec<ToolCall> = running.map(|(_, call)| call.clone()).collect();
        let mut outcomes = executor.call_turn_heard(run, running, &heard).await.into_iter();
        let mut made = Vec::with_capacity(self.calls.len());
        for (place, call) in self.calls.iter().enumerate() {
            let (input, envelope) = match self.refused.get(&place) {
                Some(error) => {
                    let envelope = Envelope::failure(error, Vec::new());
                    let mut input = call.arguments.clone();
                    executor.masker().mask_value(&mut input);
                    listener(Update::Called {
                        id: &call.id,
                        name: &call.name,
                        arguments: &input,
                        envelope: &envelope,
                        duration: std::time::Duration::ZERO,
                    });
                    (input, envelope)
                }
                None => match outcomes.next() {
                    Some(outcome) => {
                        repeats.note(call, &outcome.envelope);
                        (outcome.arguments, outcome.envelope)
                    }
                    None => continue,
                },
            };
            let called = CalledTool { name: call.name.clone(), input, success: envelope.is_success() };
            made.push((CallResult::new(call.id.as_str(), call.name.as_str(), envelope), called));
        }
        made
    }
}

/// What a model is told whose arguments are no JSON: what is wrong with them and where.
fn unreadable(text: &str, stop: Stop) -> ToolError {
    if stop == Stop::Length {
        return ToolError::new(
            code::INVALID_ARGUMENT,
            "The call was cut off by the limit of output and was not made.",
        )
        .hint("Make it again with shorter arguments, or do the work in several calls.");
    }
    let wrong = match serde_json::from_str::<Value>(text) {
        Err(error) => format!("The arguments are not JSON: {error}."),
        Ok(_) => "The arguments are a text where an object is wanted.".to_owned(),
    };
    let message = format!("{wrong} They begin with: {}", sanitise_fragment(text, 120));
    ToolError::new(code::INVALID_ARGUMENT, message).hint("Make the call again with one JSON object.")
}

/// An id of the engine that no call of the turn has.
fn fresh(executor: &Executor, taken: &BTreeSet<String>) -> String {
    let id = executor.new_id("call");
    if !taken.contains(&id) {
        return id;
    }
    (2_u64..).map(|number| format!("{id}-{number}")).find(|id| !taken.contains(id)).unwrap_or(id)
}
