//! A provider that says what a test tells it to, and a set of tools for it.

use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_agent::{Agent, AgentBuilder, Choice, Message, Provider, ProviderError, Reply, Turn};
use siteclaw_core::{
    BoxFuture, Cancel, Ctx, Effects, Executor, Registry, ToolCall, ToolError, ToolSpec, Trust, code, tool_fn,
};

use super::shop::executor;

/// What the provider was given in one turn.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<String>,
    pub(crate) described: Vec<Value>,
    pub(crate) available: usize,
    pub(crate) choice: Choice,
    pub(crate) shaped: bool,
}

pub(crate) enum Step {
    Say(Box<Reply>),
    /// Says the pieces one by one, then the same as a whole.
    Stream(&'static [&'static str]),
    /// Says a piece, cancels the run, and never goes on.
    Break(&'static str, Cancel),
    Fail(ProviderError),
    /// Cancels the run while the provider thinks, and never answers.
    Hang(Cancel),
}

/// Plays its steps in order, one a turn; the last one again and again.
pub(crate) struct Script {
    name: &'static str,
    steps: Mutex<Vec<Step>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    context: usize,
}

impl Provider for Script {
    fn name(&self) -> &str {
        self.name
    }

    fn model(&self) -> &str {
        "script-1"
    }

    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        self.seen.lock().unwrap().push(Seen {
            messages: turn.messages.to_vec(),
            tools: turn.tools.iter().map(|offer| offer.entry.spec().name().to_owned()).collect(),
            described: turn.tools.iter().map(|offer| offer.described.clone()).collect(),
            available: turn.available.len(),
            choice: turn.choice,
            shaped: turn.shape.is_some(),
        });
        let mut steps = self.steps.lock().unwrap();
        let step = if steps.len() > 1 {
            steps.remove(0)
        } else {
            match &steps[0] {
                Step::Say(reply) => Step::Say(reply.clone()),
                Step::Fail(error) => Step::Fail(error.clone()),
                Step::Hang(cancel) => Step::Hang(cancel.clone()),
                Step::Stream(pieces) => Step::Stream(pieces),
                Step::Break(piece, cancel) => Step::Break(piece, cancel.clone()),
            }
        };
        match step {
            Step::Say(reply) => Box::pin(std::future::ready(Ok(*reply))),
            Step::Fail(error) => Box::pin(std::future::ready(Err(error))),
            Step::Hang(cancel) => {
                cancel.cancel();
                Box::pin(std::future::pending())
            }
            Step::Stream(pieces) => {
                pieces.iter().for_each(|piece| turn.live.text(piece));
                Box::pin(std::future::ready(Ok(Reply::text(pieces.concat()))))
            }
            Step::Break(piece, cancel) => {
                turn.live.text(piece);
                cancel.cancel();
                Box::pin(std::future::pending())
            }
        }
    }

    fn context(&self) -> usize {
        self.context
    }
}

/// An agent that follows the steps, with what its provider saw.
pub(crate) fn agent(name: &'static str, steps: Vec<Step>) -> (AgentBuilder, Arc<Mutex<Vec<Seen>>>) {
    agent_with(name, 120_000, steps)
}

/// As [`agent`], with a model that takes so many tokens.
pub(crate) fn agent_with(
    name: &'static str,
    context: usize,
    steps: Vec<Step>,
) -> (AgentBuilder, Arc<Mutex<Vec<Seen>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let script = Script { name, steps: Mutex::new(steps), seen: Arc::clone(&seen), context };
    (Agent::builder(tools(), Arc::new(script)), seen)
}

pub(crate) fn say(text: &str) -> Step {
    Step::Say(Box::new(Reply::text(text)))
}

pub(crate) fn calls(calls: &[(&str, &str, Value)]) -> Step {
    let calls =
        calls.iter().map(|(id, name, arguments)| ToolCall::new(*name, arguments.clone()).with_id(*id));
    Step::Say(Box::new(Reply::calls(calls.collect())))
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Number {
    n: i64,
}

/// `double` doubles, `write_note` changes something, `find` finds nothing, `rows` gives as much as it may, `filler_0` to `filler_9`
/// are in the way.
pub(crate) fn tools() -> Executor {
    let double = ToolSpec::new("double", "Doubles a number.\nGive it n.")
        .intents(&["double number"])
        .trust(Trust::Trusted);
    let double =
        tool_fn(
            double,
            |_: Ctx, input: Number| async move { Ok::<_, ToolError>(json!({"result": input.n * 2})) },
        );
    let note =
        ToolSpec::new("write_note", "Writes a note.").effects(Effects { writes: true, ..Effects::READS });
    let note =
        tool_fn(note, |_: Ctx, input: Number| async move { Ok::<_, ToolError>(json!({"note": input.n})) });
    let find = ToolSpec::new("find", "Looks for something.").intents(&["find thing"]);
    let find = tool_fn(find, |_: Ctx, _: Number| async {
        Err::<serde_json::Value, _>(ToolError::new(code::NOT_FOUND, "There is no such thing."))
    });
    let rows = ToolSpec::new("rows", "Gives rows.").intents(&["show rows"]);
    let rows = tool_fn(rows, |ctx: Ctx, input: Number| async move {
        let text = "x".repeat(usize::try_from(input.n).unwrap());
        Ok::<_, ToolError>(json!({"budget": ctx.budget(), "text": text}))
    });
    let mut builder = Registry::builder().tool(note).unwrap().tool(double).unwrap();
    builder = builder.tool(find).unwrap().tool(rows).unwrap();
    for place in 0..10 {
        let spec = ToolSpec::new(format!("filler_{place}"), "Does nothing of note.");
        let tool = tool_fn(spec, |_: Ctx, _: Number| async { Ok::<_, ToolError>(json!({})) });
        builder = builder.tool(tool).unwrap();
    }
    executor(builder.build(&[]).unwrap())
}
