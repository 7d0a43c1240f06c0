//! The section `[provider]` of the configuration.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use siteclaw_core::Secret;

use super::SetupError;
use crate::chain::Retry;
use crate::prices::{Price, Prices};
use crate::wire::Effort;

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
    /// How often a provider that fails is asked again; twice unless this says otherwise.
    pub retries: Option<u32>,
    /// Who is asked when the provider keeps failing, in this order.
    pub fallback: Vec<Fallback>,
    /// US dollars that models may cost in a calendar month, in UTC.
    pub max_cost_per_month: Option<f64>,
    /// Prices by model, where they differ from the list prices or those lack them.
    pub prices: BTreeMap<String, PriceSection>,
}

/// An entry of `[[provider.fallback]]`; each field as in `[provider]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fallback {
    /// The provider.
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
}

/// An entry of `[provider.prices."MODEL"]`: US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceSection {
    /// Read by the model.
    pub input: f64,
    /// Written by the model.
    pub output: f64,
    /// Read from the provider's cache; as much as `input` unless this says otherwise.
    pub cache_read: Option<f64>,
    /// Written to the provider's cache; as much as `input` unless this says otherwise.
    pub cache_write: Option<f64>,
}

impl ProviderSection {
    /// How a provider that fails is asked again.
    pub fn retry(&self) -> Retry {
        let attempts = self.retries.map_or(Retry::default().attempts, |retries| retries.min(10) + 1);
        Retry { attempts, ..Retry::default() }
    }

    /// The list prices with those that are configured.
    pub fn prices(&self) -> Result<Prices, SetupError> {
        let mut prices = Prices::new();
        for (model, section) in &self.prices {
            let price = Price::per_million(section.input, section.output).and_then(|price| {
                let read = section.cache_read.unwrap_or(section.input);
                price.cached(read, section.cache_write.unwrap_or(section.input))
            });
            prices = prices.with(model.as_str(), price.ok_or_else(|| SetupError::Price(model.clone()))?);
        }
        Ok(prices)
    }
}

/// Text of the file as a secret.
fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Secret>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Secret::new))
}
