//! Which provider answers: what was asked for, what is configured, and which keys there are.
//!
//! The first that says something counts: the wish (a flag or variable of the program's own), the configuration, the
//! first provider whose key is in the environment, an Ollama server named there. If nothing does, nothing is asked
//! of anybody: there is no model.
//!
//! A key found under a provider's own variable goes to that provider's own address and to no other. Where another
//! address is configured, its key has to be named too.

mod section;

use std::time::Duration;

use siteclaw_core::{Secret, suggestion};

use super::endpoint::EndpointError;
use super::preset::Kind;
use super::{Remote, SILENCE, Setup};

pub use section::{Fallback, PriceSection, ProviderSection};

/// The name of the provider without a model.
const OFFLINE: &str = "offline";
/// The variable with the key for a server of one's own, unless another is named.
const CUSTOM_KEY: &str = "SITECLAW_PROVIDER_KEY";
/// The variable with the address of a server of one's own.
const CUSTOM_ADDRESS: &str = "OPENAI_BASE_URL";
/// The variable with the address of Ollama.
const OLLAMA_ADDRESS: &str = "OLLAMA_HOST";

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
    /// An entry of the fallback says nobody.
    #[error("an entry of [[provider.fallback]] needs a name or a base_url")]
    NamelessFallback,
    /// A price is negative or beyond all measure.
    #[error("the price of '{0}' in [provider.prices] is no price of a million tokens in US dollars")]
    Price(String),
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
}

/// Decides who answers, and who is asked in that one's place. Whoever was wished for and is not the one configured
/// stands alone: a wish for a server of one's own must not end with somebody else.
pub fn choose_all(
    wishes: Wishes<'_>,
    section: &ProviderSection,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Chosen>, SetupError> {
    let mut all = vec![choose(wishes, section, env)?];
    let wished = wishes.provider.map(str::trim).filter(|wish| !wish.is_empty());
    let alone = wished.is_some_and(|wish| section.name.as_deref().map(str::trim) != Some(wish));
    if alone || matches!(all[..], [Chosen::Offline]) {
        return Ok(all);
    }
    for fallback in section.fallback.iter().cloned() {
        let Fallback { name, model, base_url, key_env, key, plain_http } = fallback;
        let other = ProviderSection { name, model, base_url, key_env, key, plain_http, ..section.clone() };
        if other.name.is_none() && other.base_url.is_none() {
            return Err(SetupError::NamelessFallback);
        }
        // What is said about thinking and length was said about the first one's model.
        let other =
            ProviderSection { max_tokens: None, effort: None, thinking_tokens: None, context: None, ..other };
        all.push(choose(Wishes { without_key: wishes.without_key, ..Wishes::default() }, &other, env)?);
    }
    Ok(all)
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
mod tests;
