//! Which provider answers: what was asked for, what is configured, and which keys there are.
//!
//! The first that says something counts: the wish (a flag or variable of the program's own), the configuration, the
//! first provider whose key is in the environment, an Ollama server named there. If nothing does, nothing is asked
//! of anybody: there is no model.
//!
//! A key found under a provider's own variable goes to that provider's own address and to no other. Where another
//! address is configured, its key has to be named too.

use std::time::Duration;

use serde::{Deserialize, Deserializer};
use siteclaw_core::{Secret, suggestion};

use super::endpoint::EndpointError;
use super::preset::Kind;
use super::request::Effort;
use super::{Remote, SILENCE, Setup};

/// The name of the provider without a model.
const OFFLINE: &str = "offline";
/// The variable with the key for a server of one's own, unless another is named.
const CUSTOM_KEY: &str = "SITECLAW_PROVIDER_KEY";
/// The variable with the address of a server of one's own.
const CUSTOM_ADDRESS: &str = "OPENAI_BASE_URL";
/// The variable with the address of Ollama.
const OLLAMA_ADDRESS: &str = "OLLAMA_HOST";

/// The section `[provider]` of the configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderSection {
    /// `anthropic`, `openai`, `groq`, `gemini`, `mistral`, `deepseek`, `ollama`, `custom` or `offline`.
    pub name: Option<String>,
    /// The model's id.
    pub model: Option<String>,
    /// Where requests go instead of to the provider itself.
    pub base_url: Option<String>,
    /// The variable that holds the key for that address.
    pub key_env: Option<String>,
    /// The key itself.
    #[serde(deserialize_with = "secret")]
    pub key: Option<Secret>,
    /// Whether the key may travel to another machine without TLS.
    pub plain_http: bool,
    /// Whether answers come piece by piece; they do unless this is false.
    pub stream: Option<bool>,
    /// The most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// `low`, `medium` or `high`: how much the model is to think.
    pub effort: Option<Effort>,
    /// Tokens for thinking, for models that are told a number; at least 1,024.
    pub thinking_tokens: Option<u32>,
    /// Whether the provider is asked to keep what stays the same between requests; it is unless this is false.
    pub prompt_cache: Option<bool>,
    /// Tokens of one request that the model takes, its answer included.
    pub context: Option<usize>,
    /// Seconds that the provider may say nothing.
    pub timeout: Option<u64>,
    /// Turns for one message; 20 unless this says otherwise.
    pub max_iterations: Option<u32>,
    /// The most tokens that all turns for one message may cost together.
    pub max_run_tokens: Option<u64>,
}

/// Text of the file as a secret.
fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Secret>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Secret::new))
}

/// What was asked for, stronger than the configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes<'a> {
    /// The provider.
    pub provider: Option<&'a str>,
    /// The model.
    pub model: Option<&'a str>,
    /// Whether it does without a key: nothing will be sent.
    pub without_key: bool,
}

/// Who answers.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// No model: rules.
    Offline,
    /// A model elsewhere, and the key it was given, so that it can be kept out of everything that is shown.
    Remote(Box<Remote>, Option<Secret>),
}

/// A provider that cannot be used. Messages hold no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Nobody has this name.
    #[error("there is no provider '{given}'.{hint}")]
    Unknown {
        /// The name.
        given: String,
        /// The nearest names or all of them, as a sentence with a space before it.
        hint: String,
    },
    /// The provider's key is not there.
    #[error("the provider '{provider}' needs a key; put it into the variable {variable}")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// The variable that it was looked for in.
        variable: String,
    },
    /// It is not said where the server is.
    #[error("the provider 'custom' needs an address; set base_url in [provider] or {CUSTOM_ADDRESS}")]
    NoAddress,
    /// It is not said which model.
    #[error("the provider 'custom' needs a model; name it with --model or with model in [provider]")]
    NoModel,
    /// A model is asked for, but no provider.
    #[error(
        "the model '{0}' needs a provider; name it with --provider or with name in [provider], or set a provider's key"
    )]
    ModelAlone(String),
    /// No model can have this name.
    #[error("'{0}' is no name of a model")]
    Model(String),
    /// Address and key do not go together.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
}

/// Decides who answers. `env` gives the value of a variable; an empty one counts as none.
pub fn choose(
    wishes: Wishes<'_>,
    section: &ProviderSection,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Chosen, SetupError> {
    let env = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let written = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let configured = match written(section.name.as_deref()) {
        // An address alone is one of a server of one's own.
        None if section.base_url.is_some() => Some(Kind::Custom.name().to_owned()),
        name => name,
    };
    let model = written(wishes.model);
    let name = written(wishes.provider).or_else(|| configured.clone()).or_else(|| found(&env));
    let kind = match name.as_deref() {
        None if model.is_some() => return Err(SetupError::ModelAlone(model.unwrap_or_default())),
        None | Some(OFFLINE) => return Ok(Chosen::Offline),
        Some(name) => Kind::named(name).ok_or_else(|| unknown(name))?,
    };
    // What is configured for one provider says nothing about another.
    let blank = ProviderSection::default();
    let section = if configured.as_deref().is_none_or(|configured| configured == kind.name()) {
        section
    } else {
        &blank
    };
    let base_url = section.base_url.clone().or_else(|| match kind {
        Kind::Custom => env(CUSTOM_ADDRESS),
        Kind::Ollama => env(OLLAMA_ADDRESS).map(|host| ollama_address(&host)),
        _ => None,
    });
    let key = key(kind, section, base_url.is_some(), wishes.without_key, &env)?;
    let setup = Setup {
        model: model.or_else(|| written(section.model.as_deref())),
        base_url,
        key: key.clone(),
        plain_http: section.plain_http,
        stream: section.stream.unwrap_or(true),
        max_tokens: section.max_tokens,
        effort: section.effort,
        thinking_tokens: section.thinking_tokens,
        prompt_cache: section.prompt_cache.unwrap_or(true),
        context: section.context,
        silence: section.timeout.map_or(SILENCE, |seconds| Duration::from_secs(seconds.max(1))),
        ..Setup::new(kind, None)
    };
    Ok(Chosen::Remote(Box::new(Remote::new(setup)?), key))
}

/// The first provider that the environment speaks of.
fn found(env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let keyed =
        Kind::ALL.into_iter().find(|kind| kind.key_variable().is_some_and(|name| env(name).is_some()));
    let kind = keyed.or_else(|| env(OLLAMA_ADDRESS).map(|_| Kind::Ollama))?;
    Some(kind.name().to_owned())
}

fn unknown(given: &str) -> SetupError {
    let names: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).chain([OFFLINE]).collect();
    let hint = suggestion(given, names.iter().copied())
        .map_or_else(|| format!(" There are {}.", names.join(", ")), |hint| format!(" {hint}"));
    SetupError::Unknown { given: siteclaw_core::sanitise_fragment(given, 80), hint }
}

fn key(
    kind: Kind,
    section: &ProviderSection,
    elsewhere: bool,
    without: bool,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Secret>, SetupError> {
    if let Some(key) = &section.key {
        return Ok(Some(key.clone()));
    }
    let missing = |variable: &str| {
        if without {
            Ok(None)
        } else {
            Err(SetupError::NoKey { provider: kind.name(), variable: variable.to_owned() })
        }
    };
    match (&section.key_env, kind.key_variable()) {
        (Some(named), _) => env(named).map_or_else(|| missing(named), |key| Ok(Some(Secret::new(key)))),
        // The provider's own key is not for another address.
        (None, Some(_)) if elsewhere => Ok(None),
        (None, Some(own)) => env(own).map_or_else(|| missing(own), |key| Ok(Some(Secret::new(key)))),
        (None, None) if kind == Kind::Custom => Ok(env(CUSTOM_KEY).map(Secret::new)),
        (None, None) => Ok(None),
    }
}

/// `OLLAMA_HOST` says where its server listens, with or without a scheme or a port; where it listens everywhere it
/// is asked on this machine.
fn ollama_address(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.trim_end_matches('/');
    let (address, path) = rest.split_once('/').map_or((rest, String::new()), |(a, p)| (a, format!("/{p}")));
    let bracketed = address.contains(']');
    let (name, port) = match address.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') && (bracketed || !name.contains(':')) => (name, Some(port)),
        _ => (address, None),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" | "::" => "127.0.0.1".to_owned(),
        bare if bare.contains(':') && !bracketed => format!("[{bare}]"),
        other => other.to_owned(),
    };
    let port = port.unwrap_or(match scheme {
        "https" => "443",
        _ if host.contains("://") => "80",
        _ => "11434",
    });
    format!("{scheme}://{name}:{port}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Provider;

    /// Who is chosen, as `provider model address key`.
    fn chosen(
        wishes: Wishes<'_>,
        section: &ProviderSection,
        env: &[(&str, &str)],
    ) -> Result<String, SetupError> {
        let env =
            |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Ok(match choose(wishes, section, &env)? {
            Chosen::Offline => "offline".to_owned(),
            Chosen::Remote(remote, key) => {
                let key = key.map_or_else(|| "-".to_owned(), |key| key.expose().to_owned());
                format!("{} {} {} {key}", remote.name(), remote.model(), remote.endpoint.base())
            }
        })
    }

    fn env_alone(env: &[(&str, &str)]) -> String {
        chosen(Wishes::default(), &ProviderSection::default(), env).unwrap()
    }

    const ALL_KEYS: [(&str, &str); 7] = [
        ("DEEPSEEK_API_KEY", "d"),
        ("MISTRAL_API_KEY", "m"),
        ("GEMINI_API_KEY", "g"),
        ("GROQ_API_KEY", "q"),
        ("OPENAI_API_KEY", "o"),
        ("ANTHROPIC_API_KEY", "a"),
        ("OLLAMA_HOST", "10.0.0.7"),
    ];

    #[test]
    fn the_first_key_in_the_documented_order_decides() {
        let mut left = ALL_KEYS.to_vec();
        let expected = [
            ("ANTHROPIC_API_KEY", "anthropic claude-haiku-4-5-20251001 https://api.anthropic.com a"),
            ("OPENAI_API_KEY", "openai gpt-4o-mini https://api.openai.com/v1 o"),
            ("GROQ_API_KEY", "groq llama-3.1-8b-instant https://api.groq.com/openai/v1 q"),
            ("GEMINI_API_KEY", "gemini gemini-3.5-flash-lite https://generativelanguage.googleapis.com g"),
            ("MISTRAL_API_KEY", "mistral mistral-small-latest https://api.mistral.ai/v1 m"),
            ("DEEPSEEK_API_KEY", "deepseek deepseek-flash https://api.deepseek.com/v1 d"),
            ("OLLAMA_HOST", "ollama qwen2.5:7b http://10.0.0.7:11434 -"),
        ];
        for (variable, wanted) in expected {
            assert_eq!(env_alone(&left), wanted);
            left.retain(|(name, _)| *name != variable);
        }
        assert_eq!(env_alone(&[]), "offline");
        assert_eq!(env_alone(&[("ANTHROPIC_API_KEY", " ")]), "offline");
    }

    #[test]
    fn a_wish_is_stronger_than_the_configuration_and_that_than_keys() {
        let section = ProviderSection {
            name: Some("mistral".to_owned()),
            model: Some("mistral-large-latest".to_owned()),
            ..ProviderSection::default()
        };
        let ask = |wishes| chosen(wishes, &section, &ALL_KEYS).unwrap();
        assert_eq!(ask(Wishes::default()), "mistral mistral-large-latest https://api.mistral.ai/v1 m");
        let wish = |provider, model| Wishes { provider, model, ..Wishes::default() };
        // The configured model is another provider's.
        assert_eq!(
            ask(wish(Some("groq"), None)),
            "groq llama-3.1-8b-instant https://api.groq.com/openai/v1 q"
        );
        assert_eq!(ask(wish(None, Some("x"))), "mistral x https://api.mistral.ai/v1 m");
        assert_eq!(ask(wish(Some("offline"), None)), "offline");
    }

    #[test]
    fn a_key_goes_to_the_address_it_belongs_to() {
        let section = |name: Option<&str>, base_url: Option<&str>, key_env: Option<&str>| ProviderSection {
            name: name.map(str::to_owned),
            model: Some("m".to_owned()),
            base_url: base_url.map(str::to_owned),
            key_env: key_env.map(str::to_owned),
            ..ProviderSection::default()
        };
        let env = [
            ("OPENAI_API_KEY", "o"),
            ("PROXY_KEY", "p"),
            ("SITECLAW_PROVIDER_KEY", "s"),
            ("OPENAI_BASE_URL", "https://own.example/v1"),
        ];
        let ask = |section| chosen(Wishes::default(), &section, &env).unwrap();
        assert_eq!(ask(section(Some("openai"), None, None)), "openai m https://api.openai.com/v1 o");
        assert_eq!(
            ask(section(Some("openai"), Some("https://p.example"), None)),
            "openai m https://p.example/v1 -"
        );
        assert_eq!(
            ask(section(Some("openai"), Some("https://p.example"), Some("PROXY_KEY"))),
            "openai m https://p.example/v1 p"
        );
        assert_eq!(ask(section(Some("custom"), None, None)), "custom m https://own.example/v1 s");
        assert_eq!(ask(section(None, Some("https://h:1/x"), None)), "custom m https://h:1/x s");
        let none = [("OPENAI_API_KEY", "o")];
        let custom = section(None, Some("http://127.0.0.1:8000"), None);
        assert_eq!(chosen(Wishes::default(), &custom, &none).unwrap(), "custom m http://127.0.0.1:8000/v1 -");
    }

    #[test]
    fn what_is_missing_is_named() {
        let section = ProviderSection::default();
        let wish = |provider, model| Wishes { provider: Some(provider), model, ..Wishes::default() };
        let error = |wishes| chosen(wishes, &section, &[]).unwrap_err().to_string();
        assert_eq!(
            error(wish("anthropic", None)),
            "the provider 'anthropic' needs a key; put it into the variable ANTHROPIC_API_KEY"
        );
        assert_eq!(
            error(wish("antropic", None)),
            "there is no provider 'antropic'. Did you mean 'anthropic'?"
        );
        assert_eq!(
            error(wish("xyz", None)),
            "there is no provider 'xyz'. There are anthropic, openai, groq, gemini, mistral, deepseek, ollama, custom, \
             offline."
        );
        assert!(error(wish("custom", Some("m"))).contains("OPENAI_BASE_URL"));
        assert!(
            error(Wishes { model: Some("gpt-5"), ..Wishes::default() }).contains("'gpt-5' needs a provider")
        );
        let custom = ProviderSection { base_url: Some("https://h".to_owned()), ..section.clone() };
        assert_eq!(chosen(Wishes::default(), &custom, &[]), Err(SetupError::NoModel));
        let odd = Wishes { model: Some("a b"), ..wish("ollama", None) };
        assert_eq!(chosen(odd, &section, &[]), Err(SetupError::Model("a b".to_owned())));
        // Who only wants to see what would be sent needs no key.
        let look = Wishes { without_key: true, ..wish("openai", None) };
        assert_eq!(chosen(look, &section, &[]).unwrap(), "openai gpt-4o-mini https://api.openai.com/v1 -");
    }

    #[test]
    fn the_address_of_ollama_is_where_its_server_listens() {
        for (host, address) in [
            ("127.0.0.1", "http://127.0.0.1:11434"),
            ("0.0.0.0:8000", "http://127.0.0.1:8000"),
            (":8000", "http://127.0.0.1:8000"),
            ("[::]:8000", "http://127.0.0.1:8000"),
            ("::1", "http://[::1]:11434"),
            ("[::1]", "http://[::1]:11434"),
            ("http://gpu.lan", "http://gpu.lan:80"),
            ("https://gpu.lan/", "https://gpu.lan:443"),
            ("https://gpu.lan:1/ollama", "https://gpu.lan:1/ollama"),
        ] {
            assert_eq!(ollama_address(host), address, "{host}");
        }
    }
}
