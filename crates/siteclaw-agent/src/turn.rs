//! The calls of one turn: which of them run, and what the others are told.

use std::collections::{BTreeMap, BTreeSet};

use siteclaw_core::{Code, Envelope, Executor, Run, ToolCall, ToolError};

use crate::agent::MAX_CALLS;
use crate::answer::CalledTool;
use crate::message::CallResult;

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
    /// an approval would belong to. What exceeds the limit does not run either.
    pub(crate) fn new(mut calls: Vec<ToolCall>, executor: &Executor) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for call in &calls {
            *counts.entry(call.id.clone()).or_default() += 1;
        }
        let mut taken: BTreeSet<String> = counts.keys().cloned().collect();
        let mut refused = BTreeMap::new();
        let all = calls.len();
        for (place, call) in calls.iter_mut().enumerate() {
            let twice = !call.id.is_empty() && counts.get(&call.id).is_some_and(|&count| count > 1);
            if twice {
                let message = "Two calls of this turn have the same id, so neither was made.";
                let error =
                    ToolError::new(DUPLICATE_CALL, message).hint("Make each call with an id of its own.");
                refused.insert(place, error);
            } else if place >= MAX_CALLS {
                let message = format!("A turn may make {MAX_CALLS} calls; this one made {all}.");
                let error = ToolError::new(TOO_MANY_CALLS, message).hint("Make this call in a later turn.");
                refused.insert(place, error);
            }
            if twice || call.id.is_empty() {
                call.id = fresh(executor, &taken);
                taken.insert(call.id.clone());
            }
        }
        Self { calls, refused }
    }

    /// Makes the calls that may run. Results come in the order of the calls.
    pub(crate) async fn make(&self, executor: &Executor, run: &Run) -> Vec<(CallResult, CalledTool)> {
        let running = self.calls.iter().enumerate().filter(|(place, _)| !self.refused.contains_key(place));
        let outcomes = executor.call_turn(run, running.map(|(_, call)| call.clone()).collect()).await;
        let mut outcomes = outcomes.into_iter();
        let mut made = Vec::with_capacity(self.calls.len());
        for (place, call) in self.calls.iter().enumerate() {
            let (input, envelope) = match self.refused.get(&place) {
                Some(error) => {
                    tracing::debug!(tool = call.name, code = error.code().as_str(), "a call was not made");
                    let mut input = call.arguments.clone();
                    executor.masker().mask_value(&mut input);
                    (input, Envelope::failure(error, Vec::new()))
                }
                None => match outcomes.next() {
                    Some(outcome) => (outcome.arguments, outcome.envelope),
                    None => continue,
                },
            };
            let called = CalledTool { name: call.name.clone(), input, success: envelope.is_success() };
            made.push((CallResult::new(call.id.as_str(), call.name.as_str(), envelope), called));
        }
        made
    }
}

/// An id of the engine that no call of the turn has.
fn fresh(executor: &Executor, taken: &BTreeSet<String>) -> String {
    let id = executor.new_id("call");
    if !taken.contains(&id) {
        return id;
    }
    (2_u64..).map(|number| format!("{id}-{number}")).find(|id| !taken.contains(id)).unwrap_or(id)
}
