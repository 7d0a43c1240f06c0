//! A model for tests: it says what it is told to, and keeps what it was asked.
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::json;
//! use siteclaw_agent::{Agent, testing::ScriptedModel};
//! use siteclaw_core::*;
//!
//! # #[derive(Clone, serde::Deserialize, schemars::JsonSchema)] struct Input { n: i64 }
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let double = tool_fn(ToolSpec::new("double", "Doubles a number."), |_: Ctx, input: Input| async move {
//!     Ok::<_, ToolError>(json!({"result": input.n * 2}))
//! });
//! let registry = Registry::builder().tool(double)?.build(&[])?;
//! let clock = Arc::new(FixedClock("2026-11-30T12:00:00Z".parse()?));
//! let executor = Executor::builder(
//!     registry, Arc::new(AllowAll), Arc::new(Masker::new([7; 32])), clock, Arc::new(CountingIds::default()),
//! ).build();
//!
//! let model = ScriptedModel::new().calls("double", json!({"n": 4})).says("It is 8.");
//! let agent = Agent::builder(executor, Arc::new(model.clone())).build();
//! let run = Run::builder("run", Caller::console(Surface::Library, false)).build();
//! let answer = agent.send(&run, "double 4").await?;
//!
//! assert_eq!(answer.text, "It is 8.");
//! assert_eq!(answer.tools_called[0].input, json!({"n": 4}));
//! let asked = model.asked();
//! assert_eq!(asked[0].tools, ["double"]);
//! assert!(asked[1].results[0].contains("\"result\":8"));
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use siteclaw_core::{BoxFuture, ToolCall};

use crate::message::Message;
use crate::provider::{Choice, Provider, ProviderError, Reply, Turn};

/// Plays its steps in order, one a turn. Clones are the same model. Asked more often than it has steps, it fails.
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    name: &'static str,
    model: &'static str,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    steps: VecDeque<Result<Reply, ProviderError>>,
    asked: Vec<Asked>,
}

/// What the model was asked in one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The last thing the user said.
    pub user: String,
    /// The names of the tools that were offered.
    pub tools: Vec<String>,
    /// The results of the calls before this turn, as a model reads them.
    pub results: Vec<String>,
    /// Everything that was said so far.
    pub messages: Vec<Message>,
    /// Whether calls might or had to be made.
    pub choice: Choice,
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new()
    }
}

impl ScriptedModel {
    /// A model without steps, named `scripted`, that takes tools in the form that unknown providers get.
    pub fn new() -> Self {
        Self { name: "scripted", model: "scripted-1", shared: Arc::default() }
    }

    /// Pretends to be this provider with this model, on which form, number and size of tools depend.
    #[must_use]
    pub fn named(mut self, provider: &'static str, model: &'static str) -> Self {
        self.name = provider;
        self.model = model;
        self
    }

    /// Answers with a text.
    #[must_use]
    pub fn says(self, text: impl Into<String>) -> Self {
        self.replies(Reply::text(text))
    }

    /// Makes one call.
    #[must_use]
    pub fn calls(self, tool: impl Into<String>, arguments: Value) -> Self {
        self.replies(Reply::calls(vec![ToolCall::new(tool, arguments)]))
    }

    /// Replies with this, be it several calls, thinking, or an answer that is cut short.
    #[must_use]
    pub fn replies(self, reply: Reply) -> Self {
        self.step(Ok(reply))
    }

    /// Fails.
    #[must_use]
    pub fn fails(self, error: ProviderError) -> Self {
        self.step(Err(error))
    }

    fn step(self, step: Result<Reply, ProviderError>) -> Self {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).steps.push_back(step);
        self
    }

    /// What it was asked until now, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }

    /// Steps that were not played.
    pub fn left(&self) -> usize {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).steps.len()
    }
}

impl Provider for ScriptedModel {
    fn name(&self) -> &str {
        self.name
    }

    fn model(&self) -> &str {
        self.model
    }

    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        let user = turn.messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(text.clone()),
            _ => None,
        });
        let results = match turn.messages.last() {
            Some(Message::Results(results)) => results.iter().map(|result| result.text.clone()).collect(),
            _ => Vec::new(),
        };
        let asked = Asked {
            user: user.unwrap_or_default(),
            tools: turn.tools.iter().map(|offer| offer.entry.spec().name().to_owned()).collect(),
            results,
            messages: turn.messages.to_vec(),
            choice: turn.choice,
        };
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.asked.push(asked);
        let step = shared.steps.pop_front();
        let step = step
            .unwrap_or_else(|| Err(ProviderError::Unreadable("the script has no further step".to_owned())));
        if let Ok(reply) = &step {
            turn.live.text(&reply.text);
        }
        Box::pin(std::future::ready(step))
    }
}
