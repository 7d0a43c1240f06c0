//! What tokens cost.
//!
//! Providers report tokens, not money, so a table stands here: list prices as their providers published them, each
//! part with the day on which that was looked up. Whoever pays others, or less, says so. A model that is not in the
//! table has no price: nothing is guessed from a model with a similar name.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::provider::Usage;

/// Picodollars of a dollar for a million tokens, a token.
const PER_MILLION: f64 = 1_000_000.0;
/// A price beyond this is a slip of the pen: 100,000 dollars for a million tokens.
const DEAREST: f64 = 100_000.0;

/// US dollars, exact to a billionth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(u64);

impl Cost {
    /// So many billionths of a dollar.
    pub const fn nanodollars(amount: u64) -> Self {
        Self(amount)
    }

    /// Dollars as they are written; `None` for what is negative, not finite, or more than a billion.
    pub fn dollars(amount: f64) -> Option<Self> {
        (0.0..=1e9).contains(&amount).then(|| Self((amount * 1e9).round() as u64))
    }

    /// Billionths of a dollar.
    pub const fn in_nanodollars(self) -> u64 {
        self.0
    }

    /// The sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Cost {
    /// `$0.0012`: two decimals, or four where it is less than a dollar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.0 as f64 / 1e9;
        if self.0 == 0 || dollars >= 1.0 { write!(f, "${dollars:.2}") } else { write!(f, "${dollars:.4}") }
    }
}

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1e9)
    }
}

/// The price of a model's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl Price {
    /// Dollars for a million tokens read and written. Cached ones cost what others do.
    pub fn per_million(input: f64, output: f64) -> Option<Self> {
        let (input, output) = (pico(input)?, pico(output)?);
        Some(Self { input, output, cache_read: input, cache_write: input })
    }

    /// Dollars for a million tokens read from the provider's cache and written to it.
    pub fn cached(mut self, read: f64, write: f64) -> Option<Self> {
        self.cache_read = pico(read)?;
        self.cache_write = pico(write)?;
        Some(self)
    }

    fn of(self, usage: Usage) -> Cost {
        let parts = [
            (usage.input_tokens, self.input),
            (usage.output_tokens, self.output),
            (usage.cache_read_tokens, self.cache_read),
            (usage.cache_write_tokens, self.cache_write),
        ];
        let pico: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
        Cost(u64::try_from(pico / 1_000).unwrap_or(u64::MAX))
    }
}

fn pico(dollars: f64) -> Option<u64> {
    (0.0..=DEAREST).contains(&dollars).then(|| (dollars * PER_MILLION).round() as u64)
}

/// A row of the table: provider, model, and dollars for a million tokens read, written, read from the cache and
/// written to it.
type Row = (&'static str, &'static str, [f64; 4]);

/// Anthropic, 24 October 2026: platform.claude.com, "Pricing".
const ANTHROPIC: &[Row] = &[
    ("anthropic", "claude-fable-5-1", [10.0, 50.0, 0.25, 12.5]),
    ("anthropic", "claude-opus-5-5", [4.0, 20.0, 0.2, 5.0]),
    ("anthropic", "claude-opus-5", [5.0, 25.0, 0.5, 6.25]),
    ("anthropic", "claude-opus-4-8", [5.0, 25.0, 0.5, 6.25]),
    ("anthropic", "claude-opus-4-7", [5.0, 25.0, 0.5, 6.25]),
    ("anthropic", "claude-opus-4-6", [5.0, 25.0, 0.5, 6.25]),
    ("anthropic", "claude-opus-4-5", [5.0, 25.0, 0.5, 6.25]),
    ("anthropic", "claude-opus-4-1", [15.0, 75.0, 1.5, 18.75]),
    ("anthropic", "claude-sonnet-5-5", [2.0, 10.0, 0.1, 2.5]),
    ("anthropic", "claude-sonnet-5", [2.0, 10.0, 0.2, 2.5]),
    ("anthropic", "claude-sonnet-4-6", [3.0, 15.0, 0.3, 3.75]),
    ("anthropic", "claude-sonnet-4-5", [3.0, 15.0, 0.3, 3.75]),
    ("anthropic", "claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125]),
    ("anthropic", "claude-haiku-4-5", [1.0, 5.0, 0.1, 1.25]),
];
/// The others, 30 April 2026: their own price pages.
const OTHERS: &[Row] = &[
    ("openai", "gpt-5.5", [5.0, 30.0, 0.5, 5.0]),
    ("openai", "gpt-5.4", [2.5, 15.0, 0.25, 2.5]),
    ("openai", "gpt-5.4-mini", [0.75, 4.5, 0.075, 0.75]),
    ("openai", "gpt-4.1", [2.0, 8.0, 0.5, 2.0]),
    ("openai", "gpt-4.1-mini", [0.4, 1.6, 0.1, 0.4]),
    ("openai", "gpt-4o", [2.5, 10.0, 1.25, 2.5]),
    ("openai", "gpt-4o-mini", [0.15, 0.6, 0.075, 0.15]),
    ("groq", "llama-3.1-8b-instant", [0.05, 0.08, 0.05, 0.05]),
    ("groq", "llama-3.3-70b-versatile", [0.59, 0.79, 0.59, 0.59]),
    ("gemini", "gemini-3.1-pro-preview", [2.0, 12.0, 0.2, 2.0]),
    ("gemini", "gemini-3.1-flash-lite", [0.25, 1.5, 0.025, 0.25]),
    ("gemini", "gemini-2.5-pro", [1.25, 10.0, 0.125, 1.25]),
    ("gemini", "gemini-2.5-flash", [0.3, 2.5, 0.03, 0.3]),
    ("gemini", "gemini-2.5-flash-lite", [0.1, 0.4, 0.01, 0.1]),
    ("mistral", "mistral-small-latest", [0.1, 0.3, 0.1, 0.1]),
    ("deepseek", "deepseek-v4-flash", [0.14, 0.28, 0.0028, 0.14]),
];
/// Requests with more tokens than the second number cost so many times as much for what is read, and for what is
/// written, where the provider has two prices.
const LONG: &[(&str, u64, [f64; 2])] = &[
    ("claude-haiku-5-5", 100_000, [5.0, 5.0]),
    ("gemini-3.1-pro-preview", 200_000, [2.0, 1.5]),
    ("gemini-2.5-pro", 200_000, [2.0, 1.5]),
];

/// Prices by model: the table, and what somebody says instead of it.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    own: Vec<(String, Price)>,
}

impl Prices {
    /// The table as it stands.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another price for the model of exactly this id.
    #[must_use]
    pub fn with(mut self, model: impl Into<String>, price: Price) -> Self {
        self.own.push((model.into(), price));
        self
    }

    /// Whether there is a price for this model.
    pub fn knows(&self, provider: &str, model: &str) -> bool {
        self.cost(provider, model, Usage::default()).is_some()
    }

    /// What one request cost; `None` where the price is not known. Models on a machine of one's own cost nothing.
    pub fn cost(&self, provider: &str, model: &str, usage: Usage) -> Option<Cost> {
        if let Some((_, price)) = self.own.iter().rev().find(|(own, _)| own == model) {
            return Some(price.of(usage));
        }
        if provider == "ollama" {
            return Some(Cost::default());
        }
        let (_, id, mut dollars) =
            ANTHROPIC.iter().chain(OTHERS).copied().find(|(who, id, _)| *who == provider && is(model, id))?;
        let read = usage.total().saturating_sub(usage.output_tokens);
        if let Some((_, _, [reading, writing])) =
            LONG.iter().find(|(long, limit, _)| *long == id && read > *limit)
        {
            dollars =
                [dollars[0] * reading, dollars[1] * writing, dollars[2] * reading, dollars[3] * reading];
        }
        let [input, output, cache_read, cache_write] = dollars;
        Some(Price::per_million(input, output)?.cached(cache_read, cache_write)?.of(usage))
    }
}

/// Whether the id is this model's, or this model's with the date of its making.
fn is(model: &str, id: &str) -> bool {
    let model = model.strip_prefix("models/").unwrap_or(model);
    match model.strip_prefix(id) {
        Some("") => true,
        Some(rest) => {
            let digits = rest.chars().filter(char::is_ascii_digit).count();
            rest.starts_with('-') && digits == 8 && rest.chars().all(|c| c.is_ascii_digit() || c == '-')
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64, read: u64, write: u64) -> Usage {
        Usage {
            input_tokens: input,
            output_tokens: output,
            cache_read_tokens: read,
            cache_write_tokens: write,
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let prices = Prices::new();
        let cost = |provider, model, usage| prices.cost(provider, model, usage).map(Cost::in_nanodollars);
        // 1,000 × 1 + 200 × 5 + 10,000 × 0.1 + 400 × 1.25 dollars for a million: 0.0035 dollars.
        let haiku = cost("anthropic", "claude-haiku-4-5-20251001", usage(1_000, 200, 10_000, 400));
        assert_eq!(haiku, Some(3_500_000));
        // 0.075 dollars for a million are 75 billionths a token.
        assert_eq!(cost("openai", "gpt-4o-mini", usage(0, 0, 1, 0)), Some(75));
        assert_eq!(cost("openai", "gpt-4o-mini-2024-07-18", usage(0, 0, 1_000_000, 0)), Some(75_000_000));
        // Twice the price beyond 200,000 tokens, and one and a half times for what is written.
        assert_eq!(cost("gemini", "gemini-2.5-pro", usage(200_000, 1_000, 0, 0)), Some(260_000_000));
        assert_eq!(cost("gemini", "models/gemini-2.5-pro", usage(200_001, 1_000, 0, 0)), Some(515_002_500));
        assert_eq!(cost("ollama", "qwen2.5:7b", usage(9, 9, 0, 0)), Some(0));
    }

    #[test]
    fn what_is_not_known_has_no_price() {
        let prices = Prices::new();
        for (provider, model) in [
            ("openai", "gpt-4o-mini-search-preview"),
            ("openai", "gpt-4o-realtime"),
            ("custom", "gpt-4o-mini"),
            ("anthropic", "claude-opus-5-7"),
            ("anthropic", ""),
        ] {
            assert!(!prices.knows(provider, model), "{model}");
        }
        let own = Price::per_million(1.0, 2.0).unwrap();
        let prices = prices.with("our-model", own).with("gpt-4o", own);
        assert_eq!(prices.cost("custom", "our-model", usage(1, 1, 1, 1)), Some(Cost::nanodollars(5_000)));
        assert_eq!(prices.cost("openai", "gpt-4o", usage(1, 0, 0, 0)), Some(Cost::nanodollars(1_000)));
    }

    #[test]
    fn figures_that_make_no_sense_are_refused_and_sums_do_not_wrap() {
        for bad in [-1.0, f64::NAN, f64::INFINITY, 1e6] {
            assert_eq!(Price::per_million(bad, 1.0), None, "{bad}");
            assert_eq!(Price::per_million(1.0, 1.0).unwrap().cached(1.0, bad), None, "{bad}");
        }
        assert_eq!((Cost::dollars(-0.1), Cost::dollars(f64::NAN)), (None, None));
        let all = Price::per_million(DEAREST, DEAREST).unwrap().of(usage(u64::MAX, u64::MAX, u64::MAX, 1));
        assert_eq!(all.plus(Cost::nanodollars(1)).in_nanodollars(), u64::MAX);
    }

    #[test]
    fn costs_are_written_for_people_and_for_programs() {
        let cost = |dollars| Cost::dollars(dollars).unwrap();
        assert_eq!(
            [cost(0.0), cost(0.00349), cost(0.12), cost(12.345)].map(|cost| cost.to_string()),
            ["$0.00", "$0.0035", "$0.1200", "$12.35"]
        );
        assert_eq!(serde_json::to_string(&cost(0.0035)).unwrap(), "0.0035");
    }
}
