//! Providers over HTTP, against servers that speak their form.

mod anthropic;
mod failures;
mod gemini;
mod ollama;
mod openai;
mod server;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use siteclaw_agent::wire::{Kind, Remote, Setup};
use siteclaw_agent::{
    CallResult, Choice, Delta, Live, Message, Offer, Provider, ProviderError, Reply, Shape, Turn,
};
use siteclaw_core::router::{self, Request};
use siteclaw_core::{Ctx, Dialect, Envelope, Registry, Secret, ToolCall, ToolError, ToolSpec, code, tool_fn};

use server::Server;

pub(crate) const KEY: &str = "sesame-open-77";

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is looked at")]
struct Input {
    /// Words to look for.
    search: Option<String>,
    /// How many.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
}

/// The tools that a turn offers.
pub(crate) fn offers(names: &[&'static str]) -> Vec<Offer> {
    let mut builder = Registry::builder();
    for name in names {
        let spec = ToolSpec::new(*name, "Finds things.\nAt length.");
        let tool = tool_fn(spec, |_: Ctx, _: Input| async { Ok::<_, ToolError>(json!({})) });
        builder = builder.tool(tool).unwrap();
    }
    let registry = builder.build(&[]).unwrap();
    let offer = |entry: &Arc<siteclaw_core::Entry>| Offer {
        entry: Arc::clone(entry),
        described: entry.describe(Dialect::Native, false),
    };
    registry.entries().iter().map(offer).collect()
}

pub(crate) fn setup(kind: Kind, server: &Server) -> Setup {
    Setup {
        base_url: Some(server.address.clone()),
        model: (kind == Kind::Custom).then(|| "own-1".to_owned()),
        silence: Duration::from_secs(20),
        ..Setup::new(kind, Some(Secret::new(KEY)))
    }
}

/// One turn, and what was said while it was answered.
pub(crate) struct Talk<'a> {
    pub(crate) messages: &'a [Message],
    pub(crate) tools: &'a [Offer],
    pub(crate) choice: Choice,
    pub(crate) shape: Option<&'a Shape>,
}

impl<'a> Talk<'a> {
    pub(crate) fn new(messages: &'a [Message], tools: &'a [Offer]) -> Self {
        Self { messages, tools, choice: Choice::Free, shape: None }
    }

    pub(crate) async fn with(&self, provider: &dyn Provider) -> (Result<Reply, ProviderError>, Vec<String>) {
        let heard = Mutex::new(Vec::new());
        let reply = self.heard_by(provider, &|delta| heard.lock().unwrap().push(said(delta))).await;
        (reply, heard.into_inner().unwrap())
    }

    pub(crate) async fn heard_by(
        &self,
        provider: &dyn Provider,
        listener: &(dyn Fn(Delta<'_>) + Send + Sync),
    ) -> Result<Reply, ProviderError> {
        let request = Request::new(provider.name(), "claude-opus-5", "find");
        let routed = router::route(&request, &[]);
        let turn = Turn {
            messages: self.messages,
            tools: self.tools,
            available: &[],
            routed: &routed,
            choice: self.choice,
            shape: self.shape,
            live: Live::to(listener),
        };
        provider.complete(turn).await
    }
}

fn said(delta: Delta<'_>) -> String {
    match delta {
        Delta::Text(text) => text.to_owned(),
        Delta::Thinking(text) => format!("({text})"),
        Delta::Call(name) => format!("[{name}]"),
        Delta::Again { .. } | Delta::Instead { .. } => unreachable!("a provider asks once"),
    }
}

pub(crate) fn remote(setup: Setup) -> Remote {
    Remote::new(setup).unwrap()
}

pub(crate) fn hello() -> Vec<Message> {
    vec![Message::System("You help.".to_owned()), Message::User("Hello".to_owned())]
}

/// A result with a text that a test can compare.
pub(crate) fn result(id: &str, name: &str, text: &str, success: bool) -> CallResult {
    let envelope = if success {
        Envelope::Success { data: json!(text), meta: serde_json::Map::new(), warnings: Vec::new() }
    } else {
        Envelope::failure(&ToolError::new(code::NOT_FOUND, text), Vec::new())
    };
    CallResult { text: text.to_owned(), ..CallResult::new(id, name, envelope) }
}

/// Two calls that somebody else's model made, and their results: of one the id fits nowhere.
pub(crate) fn foreign_calls() -> Vec<Message> {
    let calls = vec![
        ToolCall::new("wp_query", json!({"search": "a"})).with_id("call:1 ä"),
        ToolCall::new("wp_users", json!("{\"limit\": ")).with_id("call_2"),
    ];
    vec![
        Message::System("You help.".to_owned()),
        Message::User("Find a".to_owned()),
        Message::Assistant { text: "Looking.".to_owned(), calls, echo: None },
        Message::Results(vec![
            result("call:1 ä", "wp_query", "found", true),
            result("call_2", "wp_users", "not JSON", false),
        ]),
        Message::Note("Answer now.".to_owned()),
    ]
}

pub(crate) fn shape() -> Shape {
    Shape {
        schema: json!({
            "type": "object", "properties": {"total": {"type": "integer", "minimum": 0}},
            "required": ["total"], "additionalProperties": false
        }),
    }
}

pub(crate) fn call(reply: &Reply, place: usize) -> (&str, &str, &Value) {
    let call = &reply.calls[place];
    (call.id.as_str(), call.name.as_str(), &call.arguments)
}
