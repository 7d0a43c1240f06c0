//! An engine in a few lines: the pieces of the core with sensible defaults.

use std::sync::Arc;

use serde_json::Value;
use siteclaw_core::{
    Caller, Clock, CountingIds, Executor, ExecutorBuilder, Ids, Masker, Observer, Outcome, Policy, Registry,
    RegistryBuilder, RegistryError, Run, RunBuilder, SystemClock, Tool, ToolCall,
};

/// An engine: tools behind one door. Two engines in one process share nothing.
#[derive(Clone)]
pub struct Claw {
    executor: Executor,
}

/// Makes a [`Claw`].
pub struct ClawBuilder {
    tools: RegistryBuilder,
    policy: Arc<dyn Policy>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    key: Option<[u8; 32]>,
    observers: Vec<Arc<dyn Observer>>,
}

impl Claw {
    /// Starts an engine without tools. The policy decides who may call what; there is no default, so that
    /// nobody is allowed by oversight.
    pub fn builder(policy: impl Policy) -> ClawBuilder {
        ClawBuilder {
            tools: Registry::builder(),
            policy: Arc::new(policy),
            clock: Arc::new(SystemClock),
            ids: Arc::new(CountingIds::default()),
            key: None,
            observers: Vec::new(),
        }
    }

    /// The door, for loops and surfaces of your own.
    pub const fn executor(&self) -> &Executor {
        &self.executor
    }

    /// An agent with this engine's tools and this provider, with the feature `agent`.
    #[cfg(feature = "agent")]
    pub fn agent(&self, provider: impl siteclaw_agent::Provider) -> siteclaw_agent::AgentBuilder {
        siteclaw_agent::Agent::builder(self.executor.clone(), Arc::new(provider))
    }

    /// A run of this caller: everything offered, mutating calls denied until it gets a gate.
    pub fn run(&self, caller: Caller) -> RunBuilder {
        Run::builder(self.executor.new_id("run"), caller)
    }

    /// Makes one call.
    pub async fn call(&self, run: &Run, tool: &str, arguments: Value) -> Outcome {
        self.executor.call(run, ToolCall::new(tool, arguments)).await
    }
}

impl ClawBuilder {
    /// Adds a tool. A second tool of one name is an error.
    pub fn tool<T: Tool>(mut self, tool: T) -> Result<Self, RegistryError> {
        self.tools = self.tools.tool(tool)?;
        Ok(self)
    }

    /// Puts a tool in the place of one that has its name.
    pub fn replace<T: Tool>(mut self, tool: T) -> Result<Self, RegistryError> {
        self.tools = self.tools.replace(tool)?;
        Ok(self)
    }

    /// Removes tools by their exact names.
    pub fn deny(mut self, names: &[&str]) -> Result<Self, RegistryError> {
        self.tools = self.tools.deny(names, "deny")?;
        Ok(self)
    }

    /// Another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Another source of ids than a counter.
    #[must_use]
    pub fn ids(mut self, ids: impl Ids) -> Self {
        self.ids = Arc::new(ids);
        self
    }

    /// The key of the placeholders that stand for secrets. Without one they change with every engine.
    #[must_use]
    pub const fn masking_key(mut self, key: [u8; 32]) -> Self {
        self.key = Some(key);
        self
    }

    /// Adds somebody who watches.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Finishes the engine.
    pub fn build(self) -> Result<Claw, BuildError> {
        let key = match self.key {
            Some(key) => key,
            None => random_key()?,
        };
        let masker = Arc::new(Masker::new(key));
        let mut builder: ExecutorBuilder =
            Executor::builder(self.tools.build(&[])?, self.policy, masker, self.clock, self.ids);
        for observer in self.observers {
            builder = builder.observer(observer);
        }
        Ok(Claw { executor: builder.build() })
    }
}

/// An engine that cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A tool or a list of names is at fault.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The system gave no random bytes for the masking key.
    #[error("the system gives no random bytes for the masking key: {0}")]
    Random(getrandom::Error),
}

/// 32 bytes from the system.
pub(crate) fn random_key() -> Result<[u8; 32], BuildError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(BuildError::Random)?;
    Ok(key)
}
