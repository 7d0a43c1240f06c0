//! What a tool states about itself.

use std::borrow::Cow;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::effects::Effects;
use crate::error::Code;
use crate::schema;

/// The capability of the core tools.
pub const CORE_CAPABILITY: &str = "phpclaw_use_tools";

/// Whether what a tool returns may have been written by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Site or web content: it taints the run.
    Untrusted,
    /// Made by this program alone.
    Trusted,
}

/// Who sees a tool in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eligibility {
    /// Everybody; whoever lacks the capability is refused at the call.
    Everyone,
    /// Only callers who would be allowed.
    Allowed,
}

/// Words by which the router finds a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Routing {
    /// Broad areas, such as `commerce`.
    pub domains: Vec<Cow<'static, str>>,
    /// Keywords a user types.
    pub tags: Vec<Cow<'static, str>>,
    /// Verb phrases, such as `list orders`; they weigh most.
    pub intents: Vec<Cow<'static, str>>,
    /// Short whole requests.
    pub examples: Vec<Cow<'static, str>>,
}

/// A request with the arguments that answer it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// What a person would ask.
    pub prompt: Cow<'static, str>,
    /// The arguments of the call that answers it.
    pub arguments: Value,
}

/// Name, texts, effects and limits of a tool. Made with [`ToolSpec::new`] and the methods below.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    pub(crate) name: Cow<'static, str>,
    pub(crate) key: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) short: Cow<'static, str>,
    pub(crate) effects: Effects,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
    pub(crate) capabilities: Vec<Cow<'static, str>>,
    pub(crate) interactive: bool,
    pub(crate) eligibility: Eligibility,
    pub(crate) default: bool,
    pub(crate) deadline: Duration,
    pub(crate) retries: u32,
    pub(crate) trust: Trust,
    pub(crate) content_fields: Vec<&'static str>,
    pub(crate) field_codes: Vec<(&'static str, Code)>,
    pub(crate) settings: Option<Value>,
    pub(crate) routing: Routing,
    pub(crate) examples: Vec<Example>,
}

fn cows(words: &[&'static str]) -> Vec<Cow<'static, str>> {
    words.iter().map(|&word| Cow::Borrowed(word)).collect()
}

impl ToolSpec {
    /// A read-only tool that returns untrusted text, asks for the core capability, has 30 seconds and is
    /// never retried. `name` is snake_case and unique; the first line of `description` is its short form.
    pub fn new(name: impl Into<Cow<'static, str>>, description: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        let description = description.into();
        let short = match &description {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim().lines().next().unwrap_or_default()),
            Cow::Owned(text) => Cow::Owned(text.trim().lines().next().unwrap_or_default().to_owned()),
        };
        Self {
            key: name.clone(),
            title: name.clone(),
            name,
            description,
            short,
            effects: Effects::READS,
            idempotent: true,
            open_world: false,
            capabilities: vec![Cow::Borrowed(CORE_CAPABILITY)],
            interactive: false,
            eligibility: Eligibility::Allowed,
            default: false,
            deadline: Duration::from_secs(30),
            retries: 0,
            trust: Trust::Untrusted,
            content_fields: Vec::new(),
            field_codes: Vec::new(),
            settings: None,
            routing: Routing::default(),
            examples: Vec::new(),
        }
    }

    /// The key in the catalogue, where it differs from the name.
    #[must_use]
    pub fn key(mut self, key: impl Into<Cow<'static, str>>) -> Self {
        self.key = key.into();
        self
    }

    /// A name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = title.into();
        self
    }

    /// The description for small models, in place of the first line of the full one.
    #[must_use]
    pub fn short(mut self, short: impl Into<Cow<'static, str>>) -> Self {
        self.short = short.into();
        self
    }

    /// The widest effects of any call. A mutating tool is not taken for idempotent.
    #[must_use]
    pub fn effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self.idempotent = !effects.writes;
        self.open_world = effects.sends;
        self
    }

    /// Whether the same call twice leaves what one leaves.
    #[must_use]
    pub const fn idempotent(mut self, yes: bool) -> Self {
        self.idempotent = yes;
        self
    }

    /// The one capability a caller needs, in the platform's own spelling.
    #[must_use]
    pub fn capability(self, capability: &'static str) -> Self {
        self.capabilities(vec![Cow::Borrowed(capability)])
    }

    /// All the capabilities a caller needs. An empty list is refused at registration.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Vec<Cow<'static, str>>) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Lets the console in only where a person sits at it.
    #[must_use]
    pub const fn interactive_console_only(mut self) -> Self {
        self.interactive = true;
        self
    }

    /// Who sees the tool in the list.
    #[must_use]
    pub const fn eligibility(mut self, eligibility: Eligibility) -> Self {
        self.eligibility = eligibility;
        self
    }

    /// Whether `instantiate_defaults` makes the tool.
    #[must_use]
    pub const fn default(mut self, yes: bool) -> Self {
        self.default = yes;
        self
    }

    /// Time for plan and perform together.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How often a retryable failure of a non-mutating call is tried again.
    #[must_use]
    pub const fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Whether results may have been written by others.
    #[must_use]
    pub const fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Arguments that carry content (file text, SQL, patterns), in which guards match no phrases.
    #[must_use]
    pub fn content_fields(mut self, fields: &[&'static str]) -> Self {
        self.content_fields = fields.to_vec();
        self
    }

    /// The code with which a bad value of a top-level argument is refused, in place of `INVALID_ARGUMENT`.
    #[must_use]
    pub fn field_code(mut self, field: &'static str, code: Code) -> Self {
        self.field_codes.push((field, code));
        self
    }

    /// The type of the tool's settings: its JSON Schema is listed for whoever configures it.
    #[must_use]
    pub fn settings<S: JsonSchema>(mut self) -> Self {
        self.settings = schema::of::<S>().ok();
        self
    }

    /// Broad areas the tool belongs to.
    #[must_use]
    pub fn domains(mut self, words: &[&'static str]) -> Self {
        self.routing.domains = cows(words);
        self
    }

    /// Keywords a user types.
    #[must_use]
    pub fn tags(mut self, words: &[&'static str]) -> Self {
        self.routing.tags = cows(words);
        self
    }

    /// Verb phrases the tool answers.
    #[must_use]
    pub fn intents(mut self, phrases: &[&'static str]) -> Self {
        self.routing.intents = cows(phrases);
        self
    }

    /// A whole request with the arguments that answer it. The prompt also feeds the router.
    #[must_use]
    pub fn example(mut self, prompt: &'static str, arguments: Value) -> Self {
        self.routing.examples.push(Cow::Borrowed(prompt));
        self.examples.push(Example { prompt: Cow::Borrowed(prompt), arguments });
        self
    }

    /// The name a model calls.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key in the catalogue.
    pub fn catalogue_key(&self) -> &str {
        &self.key
    }

    /// The name for people.
    pub fn display_title(&self) -> &str {
        &self.title
    }

    /// The full description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The one-line description.
    pub fn short_description(&self) -> &str {
        &self.short
    }

    /// The widest effects.
    pub const fn widest_effects(&self) -> Effects {
        self.effects
    }

    /// Whether the same call twice leaves what one leaves.
    pub const fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// Whether the tool reaches beyond this machine.
    pub const fn is_open_world(&self) -> bool {
        self.open_world
    }

    /// The capabilities a caller needs.
    pub fn required_capabilities(&self) -> &[Cow<'static, str>] {
        &self.capabilities
    }

    /// Whether `instantiate_defaults` makes the tool.
    pub const fn is_default(&self) -> bool {
        self.default
    }

    /// Words for the router.
    pub const fn routing(&self) -> &Routing {
        &self.routing
    }

    /// Worked examples.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// JSON Schema of the settings, if the tool has any.
    pub const fn settings_schema(&self) -> Option<&Value> {
        self.settings.as_ref()
    }
}
