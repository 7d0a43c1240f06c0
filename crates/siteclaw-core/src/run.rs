//! A run: calls that belong together, with their lock, state and taint.

use std::any::{Any, TypeId};
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::approval::{ApprovalGate, DenyAll};
use crate::caller::Caller;
use crate::cancel::Cancel;
use crate::code;
use crate::error::ToolError;

/// Non-mutating calls of one run that may work at once.
pub const PARALLEL_READS: usize = 8;
/// Characters of one result unless the run says otherwise.
pub const RESULT_BUDGET: usize = 10_000;
/// The fewest characters that a result is cut to.
const LEAST_BUDGET: usize = 500;

/// State that a tool keeps for the length of a run, saved with a durable run.
pub trait RunState: Serialize + DeserializeOwned + Default {
    /// The name under which it is saved. One type, one name.
    const KEY: &'static str;
}

/// Which tools a caller may be offered now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offered {
    /// All that are registered.
    All,
    /// These names.
    Only(BTreeSet<String>),
}

/// What of a run outlives its process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSnapshot {
    /// The run's id.
    pub id: String,
    /// Who calls.
    pub caller: Caller,
    /// Whether untrusted text has entered.
    pub tainted: bool,
    /// What tools keep, by [`RunState::KEY`].
    pub state: Map<String, Value>,
}

/// Calls that belong together: one agent run, one protocol session, or one call from the command line.
///
/// Clones are the same run.
#[derive(Clone)]
pub struct Run(Arc<Inner>);

struct Inner {
    id: Arc<str>,
    caller: Caller,
    gate: Arc<dyn ApprovalGate>,
    offered: RwLock<Offered>,
    tainted: AtomicBool,
    taints: bool,
    state: RwLock<Map<String, Value>>,
    extensions: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    budget: AtomicUsize,
    cancel: Cancel,
    order: tokio::sync::RwLock<()>,
    reads: Semaphore,
}

/// Makes a [`Run`]. Start with [`Run::builder`].
pub struct RunBuilder {
    id: String,
    caller: Caller,
    gate: Arc<dyn ApprovalGate>,
    offered: Offered,
    tainted: bool,
    taints: bool,
    state: Map<String, Value>,
    extensions: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    budget: usize,
    cancel: Cancel,
}

impl RunBuilder {
    /// The gate that decides about mutating calls. Without one they are denied.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn ApprovalGate>) -> Self {
        self.gate = gate;
        self
    }

    /// The tools offered at first.
    #[must_use]
    pub fn offered(mut self, offered: Offered) -> Self {
        self.offered = offered;
        self
    }

    /// Starts tainted, as every protocol client's run does.
    #[must_use]
    pub const fn tainted(mut self) -> Self {
        self.tainted = true;
        self
    }

    /// Never becomes tainted: a person makes each call.
    #[must_use]
    pub const fn never_tainted(mut self) -> Self {
        self.taints = false;
        self
    }

    /// The most characters of one result, at least 500.
    #[must_use]
    pub fn budget(mut self, chars: usize) -> Self {
        self.budget = chars.max(LEAST_BUDGET);
        self
    }

    /// The switch that cancels the run.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// A value of the caller's own that tools reach with [`Ctx::extension`](crate::Ctx::extension).
    #[must_use]
    pub fn extension<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.extensions.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// Finishes the run.
    pub fn build(self) -> Run {
        Run(Arc::new(Inner {
            id: self.id.into(),
            caller: self.caller,
            gate: self.gate,
            offered: RwLock::new(self.offered),
            tainted: AtomicBool::new(self.tainted && self.taints),
            taints: self.taints,
            state: RwLock::new(self.state),
            extensions: self.extensions,
            budget: AtomicUsize::new(self.budget),
            cancel: self.cancel,
            order: tokio::sync::RwLock::new(()),
            reads: Semaphore::new(PARALLEL_READS),
        }))
    }
}

impl Run {
    /// A run of this caller: everything offered, nothing approved, not tainted.
    pub fn builder(id: impl Into<String>, caller: Caller) -> RunBuilder {
        RunBuilder {
            id: id.into(),
            caller,
            gate: Arc::new(DenyAll),
            offered: Offered::All,
            tainted: false,
            taints: true,
            state: Map::new(),
            extensions: HashMap::new(),
            budget: RESULT_BUDGET,
            cancel: Cancel::new(),
        }
    }

    /// A run that goes on where a saved one stopped. The caller is looked up afresh by whoever resumes.
    pub fn resume(saved: RunSnapshot) -> RunBuilder {
        let mut builder = Self::builder(saved.id, saved.caller);
        builder.tainted = saved.tainted;
        builder.state = saved.state;
        builder
    }

    /// What must be saved so that the run can go on elsewhere.
    pub fn snapshot(&self) -> RunSnapshot {
        RunSnapshot {
            id: self.0.id.to_string(),
            caller: self.0.caller.clone(),
            tainted: self.is_tainted(),
            state: self.0.state.read().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// The run's id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    pub(crate) fn shared_id(&self) -> Arc<str> {
        Arc::clone(&self.0.id)
    }

    /// Who calls.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// Who decides about mutating calls.
    pub(crate) fn gate(&self) -> &dyn ApprovalGate {
        self.0.gate.as_ref()
    }

    /// The switch that cancels the run.
    pub fn cancel(&self) -> &Cancel {
        &self.0.cancel
    }

    /// The most characters of one result.
    pub fn budget(&self) -> usize {
        self.0.budget.load(Ordering::Acquire)
    }

    /// Gives results of calls that begin from now on this many characters, at least 500: a loop knows how much its
    /// model can still take.
    pub fn set_budget(&self, chars: usize) {
        self.0.budget.store(chars.max(LEAST_BUDGET), Ordering::Release);
    }

    /// Whether untrusted text has entered the run.
    pub fn is_tainted(&self) -> bool {
        self.0.tainted.load(Ordering::Acquire)
    }

    /// Notes that untrusted text has entered the run.
    pub fn taint(&self) {
        if self.0.taints {
            self.0.tainted.store(true, Ordering::Release);
        }
    }

    /// Whether the named tool is offered now.
    pub fn offers(&self, name: &str) -> bool {
        match &*self.0.offered.read().unwrap_or_else(PoisonError::into_inner) {
            Offered::All => true,
            Offered::Only(names) => names.contains(name),
        }
    }

    /// Offers other tools from now on.
    pub fn offer(&self, offered: Offered) {
        *self.0.offered.write().unwrap_or_else(PoisonError::into_inner) = offered;
    }

    /// The lock that orders calls: shared by reads, alone for a mutating call, fair.
    pub(crate) fn order(&self) -> &tokio::sync::RwLock<()> {
        &self.0.order
    }

    /// Bounds the reads that work at once.
    pub(crate) fn reads(&self) -> &Semaphore {
        &self.0.reads
    }

    /// A value of the caller's own.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let value = self.0.extensions.get(&TypeId::of::<T>())?;
        Arc::clone(value).downcast::<T>().ok()
    }

    /// Reads a tool's state.
    pub fn state<S: RunState>(&self) -> Result<S, ToolError> {
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        stored(&state)
    }

    /// Changes a tool's state in one step and returns what the change returns.
    pub fn update<S: RunState, R>(&self, change: impl FnOnce(&mut S) -> R) -> Result<R, ToolError> {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        let mut value: S = stored(&state)?;
        let result = change(&mut value);
        let saved = serde_json::to_value(&value).map_err(|error| {
            ToolError::new(code::INTERNAL, format!("The state '{}' cannot be saved.", S::KEY)).source(error)
        })?;
        state.insert(S::KEY.to_owned(), saved);
        Ok(result)
    }
}

fn stored<S: RunState>(state: &Map<String, Value>) -> Result<S, ToolError> {
    state.get(S::KEY).map_or_else(
        || Ok(S::default()),
        |value| {
            S::deserialize(value).map_err(|error| {
                ToolError::new(code::INTERNAL, format!("The saved state '{}' cannot be read.", S::KEY))
                    .source(error)
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Surface;

    #[derive(Default, Serialize, Deserialize)]
    struct FilesRead(BTreeSet<String>);
    impl RunState for FilesRead {
        const KEY: &'static str = "files_read";
    }

    #[test]
    fn state_and_taint_survive_a_snapshot() {
        let run = Run::builder("r1", Caller::console(Surface::Agent, false)).build();
        run.update(|files: &mut FilesRead| files.0.insert("a.txt".to_owned())).unwrap();
        run.taint();
        let text = serde_json::to_string(&run.snapshot()).unwrap();
        let resumed = Run::resume(serde_json::from_str(&text).unwrap()).build();
        assert_eq!(resumed.id(), "r1");
        assert!(resumed.is_tainted());
        assert!(resumed.state::<FilesRead>().unwrap().0.contains("a.txt"));
    }

    #[test]
    fn a_persons_own_run_is_never_tainted() {
        let run = Run::builder("r", Caller::console(Surface::Cli, true)).never_tainted().build();
        run.taint();
        assert!(!run.is_tainted());
    }

    #[test]
    fn foreign_state_is_an_error_and_is_kept() {
        let mut saved = Run::builder("r", Caller::console(Surface::Agent, false)).build().snapshot();
        saved.state.insert("files_read".to_owned(), Value::from(7));
        let run = Run::resume(saved).build();
        assert_eq!(run.state::<FilesRead>().err().unwrap().code(), code::INTERNAL);
        assert_eq!(run.snapshot().state["files_read"], Value::from(7));
    }
}
