//! What a tool sees of the call it works for.

use std::any::Any;
use std::sync::Arc;

use jiff::Timestamp;

use crate::blocking::Blocking;
use crate::caller::Caller;
use crate::cancel::{Cancel, Stop};
use crate::clock::Clock;
use crate::error::ToolError;
use crate::event::{Event, EventKind, Events};
use crate::run::{Run, RunState};

/// The call a tool works for. Cheap to clone.
#[derive(Clone)]
pub struct Ctx {
    run: Run,
    shared: Arc<Shared>,
    call: Arc<str>,
    tool: Arc<str>,
    stop: Stop,
    cancel: Option<Cancel>,
}

/// What all calls of one engine share.
pub(crate) struct Shared {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) events: Events,
    pub(crate) blocking: Blocking,
}

impl Ctx {
    pub(crate) fn new(
        run: Run,
        shared: Arc<Shared>,
        call: Arc<str>,
        tool: Arc<str>,
        cancel: Option<Cancel>,
    ) -> Self {
        Self { run, shared, call, tool, stop: Stop::default(), cancel }
    }

    /// Who calls.
    pub fn caller(&self) -> &Caller {
        self.run.caller()
    }

    /// The run the call belongs to.
    pub const fn run(&self) -> &Run {
        &self.run
    }

    /// The id of the call.
    pub fn call_id(&self) -> &str {
        &self.call
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// The most characters the result may have, envelope included.
    pub fn budget(&self) -> usize {
        self.run.budget()
    }

    /// Whether the call was cancelled or ran past its deadline.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set() || self.is_cancelled()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.run.cancel().is_cancelled() || self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// Ends when the run or this call is cancelled.
    pub(crate) async fn cancelled(&self) {
        match &self.cancel {
            None => self.run.cancel().cancelled().await,
            Some(own) => tokio::select! {
                () = self.run.cancel().cancelled() => {}
                () = own.cancelled() => {}
            },
        }
    }

    pub(crate) const fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Tells whoever watches what the tool is doing; `fraction` runs from 0 to 1.
    pub fn progress(&self, message: impl Into<String>, fraction: Option<f64>) {
        self.emit(|| EventKind::Progress { message: message.into(), fraction });
    }

    /// A value that the program handed in with the run.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.run.extension()
    }

    /// Reads the tool's state in this run.
    pub fn state<S: RunState>(&self) -> Result<S, ToolError> {
        self.run.state()
    }

    /// Changes the tool's state in this run in one step.
    pub fn update<S: RunState, R>(&self, change: impl FnOnce(&mut S) -> R) -> Result<R, ToolError> {
        self.run.update(change)
    }

    /// Runs work that blocks a thread in the bounded pool. Poll the [`Stop`] at least every 10 ms of work,
    /// and once more just before an effect becomes visible.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Stop) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        self.shared.blocking.run(&self.stop, work).await
    }

    pub(crate) fn emit(&self, kind: impl FnOnce() -> EventKind) {
        if self.shared.events.watched() {
            self.shared.events.send(Event {
                run: self.run.shared_id(),
                call: Arc::clone(&self.call),
                tool: Arc::clone(&self.tool),
                surface: self.run.caller().surface,
                kind: kind(),
            });
        }
    }
}
