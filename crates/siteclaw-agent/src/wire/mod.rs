//! Language models elsewhere, over HTTP.
//!
//! A [`Remote`] is a provider that answers over the network. There are four forms in which one is spoken to, one
//! file each: Anthropic's Messages, OpenAI's chat completions (which Groq, Mistral, DeepSeek and most servers of
//! one's own took over), Gemini's, and Ollama's. What differs between providers of one form stands in one table.
//!
//! It sends one request a turn, to one address, with the key that belongs there, and nothing else ever. Whether
//! something is asked again is decided by who asks.

mod anthropic;
mod endpoint;
mod failure;
mod gemini;
mod http;
mod lines;
mod ollama;
mod openai;
mod preset;
mod request;
mod settings;
mod written;

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};
use siteclaw_core::{BoxFuture, Secret, router};

use crate::provider::{Delta, Live, Provider, ProviderError, Reply, Sent, Turn};
use endpoint::Endpoint;
use http::{Answer, Event, Http};
use lines::Framing;
use preset::Family;
use request::Options;
use written::Gate;

pub use endpoint::EndpointError;
pub use preset::Kind;
pub use request::Effort;
pub use settings::{Chosen, Fallback, PriceSection, ProviderSection, SetupError, Wishes, choose, choose_all};

/// How long a provider may say nothing, unless it is configured.
pub const SILENCE: Duration = Duration::from_secs(120);

/// What a [`Remote`] is made of. Start with [`Setup::new`].
#[derive(Clone, Debug)]
pub struct Setup {
    /// The provider.
    pub kind: Kind,
    /// The model's id; the provider's usual one where there is none.
    pub model: Option<String>,
    /// Where requests go, if not to the provider itself.
    pub base_url: Option<String>,
    /// The key for that address.
    pub key: Option<Secret>,
    /// Whether the key may travel to another machine without TLS.
    pub plain_http: bool,
    /// Whether answers come piece by piece.
    pub stream: bool,
    /// The most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// How much the model is to think; nothing is said about it where there is none.
    pub effort: Option<Effort>,
    /// Tokens for thinking, for models that are told a number.
    pub thinking_tokens: Option<u32>,
    /// Whether the provider is asked to keep what stays the same between requests.
    pub prompt_cache: bool,
    /// Tokens of one request that the model takes, its answer included.
    pub context: Option<usize>,
    /// How long the provider may say nothing.
    pub silence: Duration,
}

impl Setup {
    /// The provider as it usually is, with the key for it.
    pub const fn new(kind: Kind, key: Option<Secret>) -> Self {
        Self {
            kind,
            model: None,
            base_url: None,
            key,
            plain_http: false,
            stream: true,
            max_tokens: None,
            effort: None,
            thinking_tokens: None,
            prompt_cache: true,
            context: None,
            silence: SILENCE,
        }
    }
}

/// A provider over HTTP.
#[derive(Clone, Debug)]
pub struct Remote {
    kind: Kind,
    family: Family,
    endpoint: Endpoint,
    options: Options,
    stream: bool,
    http: Http,
}

impl Remote {
    /// Makes it. Nothing is connected to yet.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let Setup { kind, .. } = setup;
        let preset = kind.preset();
        let base = match (&setup.base_url, preset.base) {
            (Some(written), _) => kind.base(written),
            (None, Some(base)) => base.to_owned(),
            (None, None) => return Err(SetupError::NoAddress),
        };
        let model = match (setup.model, preset.model) {
            (Some(model), _) => model.trim().to_owned(),
            (None, Some(model)) => model.to_owned(),
            (None, None) => return Err(SetupError::NoModel),
        };
        let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '%' | '\\');
        if model.is_empty() || model.len() > 200 || model.contains(odd) {
            return Err(SetupError::Model(siteclaw_core::sanitise_fragment(&model, 80)));
        }
        let source = preset.key.unwrap_or("the configuration");
        let key = setup.key.as_ref().filter(|key| !key.is_empty()).map(|key| (preset.header, key));
        let endpoint = Endpoint::new(&base, key, source, setup.plain_http)?;
        let http = Http::new(endpoint.is_encrypted(), setup.silence).map_err(SetupError::Client)?;
        let options = Options {
            origin: format!("{} {} {model}", preset.name, endpoint.base()),
            model,
            max_tokens: setup.max_tokens,
            effort: setup.effort,
            thinking_tokens: setup.thinking_tokens,
            prompt_cache: setup.prompt_cache,
            context: setup.context.unwrap_or(preset.context),
        };
        Ok(Self { kind, family: preset.family, endpoint, options, stream: setup.stream, http })
    }

    /// The host that requests go to, with its port where that is not the usual one.
    pub fn host(&self) -> String {
        self.endpoint.host()
    }

    /// Whether requests leave this machine.
    pub fn is_remote(&self) -> bool {
        self.endpoint.is_remote()
    }

    /// Whether it has a key.
    pub fn has_key(&self) -> bool {
        self.endpoint.key_header().is_some()
    }

    fn path(&self) -> String {
        match self.family {
            Family::Anthropic => anthropic::PATH.to_owned(),
            Family::OpenAi(_) => openai::PATH.to_owned(),
            Family::Gemini => gemini::path(&self.options, self.stream),
            Family::Ollama => ollama::PATH.to_owned(),
        }
    }

    fn headers(&self) -> HeaderMap {
        match self.family {
            Family::Anthropic => anthropic::headers(),
            Family::OpenAi(_) | Family::Gemini | Family::Ollama => HeaderMap::new(),
        }
    }

    fn body(&self, turn: &Turn<'_>) -> Value {
        match &self.family {
            Family::Anthropic => anthropic::body(&self.options, turn, self.stream),
            Family::OpenAi(quirks) => openai::body(&self.options, quirks, turn, self.stream),
            Family::Gemini => gemini::body(&self.options, turn),
            Family::Ollama => ollama::body(&self.options, turn, self.stream),
        }
    }

    /// Asks, and reads the answer as it comes.
    async fn ask(&self, turn: Turn<'_>) -> Result<Reply, ProviderError> {
        let body = self.body(&turn).to_string();
        if matches!(self.family, Family::Ollama) && router::tokens(body.len()) > self.options.context {
            // It would cut the beginning off and not say so.
            let context = self.options.context;
            return Err(ProviderError::TooLong(format!("it is given room for {context} tokens")));
        }
        let sent = Sent { host: self.endpoint.host(), bytes: body.len() as u64 };
        let framing = self.stream.then_some(match self.family {
            Family::Ollama => Framing::Lines,
            _ => Framing::Events,
        });
        let answer = self.http.post(&self.endpoint, &self.path(), self.headers(), body, framing).await?;
        let writes_calls = matches!(self.kind, Kind::Groq | Kind::Ollama | Kind::Custom);
        if !writes_calls || turn.tools.is_empty() {
            let reply = self.read(answer, turn.live).await?;
            return Ok(Reply { sent: Some(sent), ..reply });
        }
        let gate = Gate::new(turn.live);
        let listener = |delta: Delta<'_>| gate.tell(delta);
        let reply = self.read(answer, Live::to(&listener)).await?;
        let offered: Vec<&str> = turn.tools.iter().map(|offer| offer.entry.spec().name()).collect();
        Ok(gate.finish(Reply { sent: Some(sent), ..reply }, &offered))
    }

    async fn read(&self, answer: Answer, live: Live<'_>) -> Result<Reply, ProviderError> {
        let mut reader = match self.family {
            Family::Anthropic => Reader::Anthropic(anthropic::Reader::default()),
            Family::OpenAi(_) => Reader::OpenAi(openai::Reader::default()),
            Family::Gemini => Reader::Gemini(gemini::Reader::default()),
            Family::Ollama => Reader::Ollama(ollama::Reader::default()),
        };
        match answer {
            Answer::Whole(value) => reader.whole(&value, live)?,
            Answer::Stream(mut stream) => {
                while let Some(event) = stream.next().await? {
                    match event {
                        Event::Data(value) => reader.event(&value, live)?,
                        Event::Done => reader.end(),
                    }
                }
            }
        }
        let origin = &self.options.origin;
        match (reader, &self.family) {
            (Reader::OpenAi(reader), Family::OpenAi(quirks)) => reader.finish(origin, quirks),
            (Reader::OpenAi(_), _) => Err(ProviderError::Unreadable("it has another form".to_owned())),
            (Reader::Anthropic(reader), _) => reader.finish(origin),
            (Reader::Gemini(reader), _) => reader.finish(origin),
            (Reader::Ollama(reader), _) => reader.finish(),
        }
    }

    /// Adds to a refusal what somebody can do about it.
    fn advised(&self, error: ProviderError) -> ProviderError {
        let ProviderError::Refused { status, message } = error else { return error };
        let advice = match status {
            401 | 403 => match (self.kind.key_variable(), self.has_key()) {
                (Some(variable), true) => format!("; check the key in {variable}"),
                (_, true) => "; check the key".to_owned(),
                (_, false) => "; it wants a key: name its variable with key_env in [provider]".to_owned(),
            },
            404 if self.kind == Kind::Ollama => format!("; get it with `ollama pull {}`", self.options.model),
            404 => format!("; check the model '{}' and the address", self.options.model),
            _ => String::new(),
        };
        ProviderError::Refused { status, message: format!("{}{advice}", message.trim_end_matches('.')) }
    }
}

/// The reader of one answer.
enum Reader {
    Anthropic(anthropic::Reader),
    OpenAi(openai::Reader),
    Gemini(gemini::Reader),
    Ollama(ollama::Reader),
}

impl Reader {
    fn event(&mut self, event: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        match self {
            Self::Anthropic(reader) => reader.event(event, live),
            Self::OpenAi(reader) => reader.event(event, live),
            Self::Gemini(reader) => reader.event(event, live),
            Self::Ollama(reader) => reader.event(event, live),
        }
    }

    fn whole(&mut self, answer: &Value, live: Live<'_>) -> Result<(), ProviderError> {
        match self {
            Self::Anthropic(reader) => reader.whole(answer, live),
            Self::OpenAi(reader) => reader.whole(answer, live),
            Self::Gemini(reader) => reader.event(answer, live),
            Self::Ollama(reader) => reader.event(answer, live),
        }
    }

    const fn end(&mut self) {
        if let Self::OpenAi(reader) = self {
            reader.end();
        }
    }
}

impl Provider for Remote {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn model(&self) -> &str {
        &self.options.model
    }

    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(async move { self.ask(turn).await.map_err(|error| self.advised(error)) })
    }

    fn preview(&self, turn: Turn<'_>) -> Option<Value> {
        let mut headers = Map::new();
        for (name, value) in &self.headers() {
            headers.insert(name.to_string(), json!(value.to_str().unwrap_or_default()));
        }
        headers.insert("content-type".to_owned(), json!("application/json"));
        if let Some(name) = self.endpoint.key_header() {
            headers.insert(name.to_owned(), json!("(the key)"));
        }
        Some(json!({
            "method": "POST", "url": self.endpoint.url(&self.path()).as_str(), "headers": headers,
            "body": self.body(&turn),
        }))
    }

    fn context(&self) -> usize {
        self.options.context
    }
}
