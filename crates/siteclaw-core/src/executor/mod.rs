//! The one door: every call of every tool, from every surface, passes [`Executor::call`].
//!
//! Ten stages in a fixed order: lookup, capability, tidy, validate, argument guards, plan, approval,
//! perform, output, record. A refusal at any stage is an envelope that the caller can act on; nothing that
//! happens in a tool ends a run.

mod output;
mod stages;
mod turn;
mod work;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tracing::Instrument;

use crate::blocking::Blocking;
use crate::caller::Policy;
use crate::cancel::Cancel;
use crate::clock::{Clock, Ids};
use crate::context::{Ctx, Shared};
use crate::effects::Effects;
use crate::envelope::{Envelope, Warning};
use crate::error::{Code, ToolError};
use crate::event::{EventKind, Events, Observer};
use crate::guard::{ArgumentGuard, OutputGuard, PhraseGuard};
use crate::journal::{Journal, LogJournal, Record};
use crate::mask::Masker;
use crate::registry::Registry;
use crate::run::Run;

pub use turn::Step;

/// A tool to call and what to call it with.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The caller's id for the call; empty for one of the engine's own.
    pub id: String,
    /// The tool's exact name.
    pub name: String,
    /// The arguments: an object.
    pub arguments: Value,
}

impl ToolCall {
    /// A call with an id of the engine's own.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self { id: String::new(), name: name.into(), arguments }
    }

    /// The same call under the caller's id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }
}

/// What became of a call.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The call's id.
    pub id: String,
    /// The tool as it was named.
    pub name: String,
    /// The arguments as they ran (tidied), or as they came when they never got that far; secrets masked.
    pub arguments: Value,
    /// The answer: masked and within the budget.
    pub envelope: Envelope,
    /// What the call did, if it got as far as being known.
    pub effects: Option<Effects>,
    /// From lookup to record.
    pub duration: Duration,
}

/// Passes calls to tools. One engine has one; clones are the same door.
#[derive(Clone)]
pub struct Executor(Arc<Inner>);

struct Inner {
    registry: Registry,
    policy: Arc<dyn Policy>,
    masker: Arc<Masker>,
    ids: Arc<dyn Ids>,
    journal: Arc<dyn Journal>,
    argument_guards: Vec<Arc<dyn ArgumentGuard>>,
    output_guard: Arc<dyn OutputGuard>,
    shared: Arc<Shared>,
}

/// Makes an [`Executor`]. What decides (policy), hides (masker) and tells the time is always handed in.
pub struct ExecutorBuilder {
    registry: Registry,
    policy: Arc<dyn Policy>,
    masker: Arc<Masker>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    journal: Arc<dyn Journal>,
    argument_guards: Vec<Arc<dyn ArgumentGuard>>,
    output_guard: Arc<dyn OutputGuard>,
    observers: Vec<Arc<dyn Observer>>,
    threads: usize,
}

impl ExecutorBuilder {
    /// Where intents and records are kept. By default they go to the log.
    #[must_use]
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.journal = journal;
        self
    }

    /// Adds a check on arguments.
    #[must_use]
    pub fn argument_guard(mut self, guard: Arc<dyn ArgumentGuard>) -> Self {
        self.argument_guards.push(guard);
        self
    }

    /// Another check on results than the one for phrases.
    #[must_use]
    pub fn output_guard(mut self, guard: Arc<dyn OutputGuard>) -> Self {
        self.output_guard = guard;
        self
    }

    /// Adds somebody who watches.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// The most blocking jobs at once, by default 2 whatever the machine has.
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Finishes the door.
    pub fn build(self) -> Executor {
        Executor(Arc::new(Inner {
            registry: self.registry,
            policy: self.policy,
            masker: self.masker,
            ids: self.ids,
            journal: self.journal,
            argument_guards: self.argument_guards,
            output_guard: self.output_guard,
            shared: Arc::new(Shared {
                clock: self.clock,
                events: Events::new(self.observers),
                blocking: Blocking::new(self.threads),
            }),
        }))
    }
}

/// What the stages learn about a call on its way.
struct Progress {
    arguments: Value,
    effects: Option<Effects>,
    warnings: Vec<Warning>,
}

impl Executor {
    /// A door to these tools. The policy is spelt out by whoever builds the engine.
    pub fn builder(
        registry: Registry,
        policy: Arc<dyn Policy>,
        masker: Arc<Masker>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> ExecutorBuilder {
        ExecutorBuilder {
            registry,
            policy,
            masker,
            clock,
            ids,
            journal: Arc::new(LogJournal),
            argument_guards: Vec::new(),
            output_guard: Arc::new(PhraseGuard),
            observers: Vec::new(),
            threads: 2,
        }
    }

    /// The tools behind the door.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Who decides about capabilities.
    pub fn policy(&self) -> &dyn Policy {
        self.0.policy.as_ref()
    }

    /// Replaces secrets; for surfaces that print something besides envelopes.
    pub fn masker(&self) -> &Masker {
        &self.0.masker
    }

    /// The engine's clock.
    pub fn clock(&self) -> &dyn Clock {
        self.0.shared.clock.as_ref()
    }

    /// Makes an id of the engine's kind.
    pub fn new_id(&self, kind: &str) -> String {
        self.0.ids.next(kind)
    }

    /// Events that observers were too slow for.
    pub fn dropped_events(&self) -> u64 {
        self.0.shared.events.dropped()
    }

    /// Passes one call through the ten stages. It always gives an outcome; failures are in its envelope.
    pub async fn call(&self, run: &Run, call: ToolCall) -> Outcome {
        self.pass(run, call, None).await
    }

    /// As [`call`](Self::call), with a switch that cancels this call and leaves the run alone.
    pub async fn call_with(&self, run: &Run, call: ToolCall, cancel: Cancel) -> Outcome {
        self.pass(run, call, Some(cancel)).await
    }

    async fn pass(&self, run: &Run, call: ToolCall, cancel: Option<Cancel>) -> Outcome {
        let began = Instant::now();
        let ToolCall { id, name, arguments } = call;
        let id = if id.is_empty() { self.0.ids.next("call") } else { id };
        let span = tracing::debug_span!("tool_call", run = run.id(), call = id, tool = name);
        let ctx = Ctx::new(
            run.clone(),
            Arc::clone(&self.0.shared),
            id.as_str().into(),
            name.as_str().into(),
            cancel,
        );
        let mut progress = Progress { arguments, effects: None, warnings: Vec::new() };
        let result = self.stages(&ctx, &name, &mut progress).instrument(span.clone()).await;
        let envelope = match result {
            Ok(envelope) => envelope,
            Err(error) => self.failed(&ctx, &name, error, &mut progress),
        };
        self.0.masker.mask_value(&mut progress.arguments);
        let duration = began.elapsed();
        let outcome = Outcome {
            id,
            name,
            arguments: progress.arguments,
            envelope,
            effects: progress.effects,
            duration,
        };
        self.record(&ctx, &outcome).instrument(span).await;
        outcome
    }

    /// Turns an error into an envelope; its cause goes to the operator's log.
    fn failed(&self, ctx: &Ctx, name: &str, error: ToolError, progress: &mut Progress) -> Envelope {
        if let Some(cause) = error.cause_chain() {
            let cause = self.0.masker.mask(&cause).into_owned();
            tracing::warn!(tool = name, code = error.code().as_str(), cause, "the tool failed");
        }
        let warnings = std::mem::take(&mut progress.warnings);
        let envelope = Envelope::failure(&error, warnings);
        self.fitted_failure(ctx, envelope)
    }

    async fn record(&self, ctx: &Ctx, outcome: &Outcome) {
        let code = outcome.envelope.code().map(Code::as_str);
        ctx.emit(|| EventKind::Ended {
            code,
            duration: outcome.duration,
            chars: crate::fit::chars_of(&outcome.envelope.to_value()),
        });
        let record = Record {
            run: ctx.run().id().to_owned(),
            call: outcome.id.clone(),
            tool: outcome.name.clone(),
            arguments: outcome.arguments.clone(),
            caller: ctx.caller().clone(),
            effects: outcome.effects,
            code,
            at: ctx.now(),
            micros: u64::try_from(outcome.duration.as_micros()).unwrap_or(u64::MAX),
        };
        if let Err(error) = self.0.journal.record(&record).await {
            tracing::error!(%error, tool = outcome.name, "a call could not be recorded");
        }
    }
}
