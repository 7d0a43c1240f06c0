//! The calls of one model turn: in order, reads side by side.

use futures_util::future::join_all;
use serde_json::Value;

use super::{Executor, Outcome, ToolCall};
use crate::run::Run;
use crate::tidy;

/// What happens to a call of a turn.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// It is passed to the door. It may still wait for its turn there.
    Begins(&'a ToolCall),
    /// It has an outcome.
    Ends(&'a Outcome),
}

impl Executor {
    /// Passes the calls of one turn. Neighbouring reads work together; a mutating call waits for all before
    /// it and holds up all after it. Outcomes come in the order of the calls.
    pub async fn call_turn(&self, run: &Run, calls: Vec<ToolCall>) -> Vec<Outcome> {
        self.call_turn_heard(run, calls, &|_| ()).await
    }

    /// As [`call_turn`](Self::call_turn), and tells of each call when it begins and when it ends.
    pub async fn call_turn_heard(
        &self,
        run: &Run,
        calls: Vec<ToolCall>,
        heard: &(dyn Fn(Step<'_>) + Send + Sync),
    ) -> Vec<Outcome> {
        let pass = |call: ToolCall| async move {
            heard(Step::Begins(&call));
            let outcome = self.call(run, call).await;
            heard(Step::Ends(&outcome));
            outcome
        };
        let mut outcomes = Vec::with_capacity(calls.len());
        let mut reads = Vec::new();
        for call in calls {
            if self.would_write(&call) {
                outcomes.extend(join_all(reads.drain(..).map(pass)).await);
                outcomes.push(pass(call).await);
            } else {
                reads.push(call);
            }
        }
        outcomes.extend(join_all(reads.into_iter().map(pass)).await);
        outcomes
    }

    /// Whether the call would be mutating. One that will be refused is not.
    fn would_write(&self, call: &ToolCall) -> bool {
        let Some(entry) = self.registry().get(&call.name) else { return false };
        if !entry.spec().effects.writes {
            return false;
        }
        let Value::Object(mut arguments) = call.arguments.clone() else { return false };
        tidy::tidy(&mut arguments, entry.input_schema());
        let arguments = Value::Object(arguments);
        if entry.checker.check(&arguments).is_err() {
            return false;
        }
        match entry.erased.parse(&arguments) {
            Ok(input) => input.effects.unwrap_or(entry.spec().effects).writes,
            Err(_) => false,
        }
    }
}
