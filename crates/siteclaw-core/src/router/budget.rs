//! How many tools, and how large a request, a model gets.

use serde::Serialize;

/// Parts of model ids and the number of tools such a model is offered. The first that occurs counts.
const MODELS: [(&str, usize); 8] = [
    ("haiku", 6),
    ("flash", 6),
    ("gpt-3.5", 5),
    ("mini", 8),
    ("gemini", 15),
    ("sonnet", 12),
    ("gpt-4o", 15),
    ("opus", 20),
];

/// Tools for a model that none of [`MODELS`] describes.
const OTHER_MODELS: usize = 10;

/// Parts of the ids of models that are neither small nor large.
const MEDIUM: [&str; 7] = ["30b", "32b", "34b", "35b", "65b", "70b", "72b"];

/// How much a model can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// A small model: 5 tools with one-line descriptions, 3,000 tokens.
    Minimal,
    /// A medium model: 8 tools, 6,000 tokens.
    Standard,
    /// Any other: no cap of its own.
    Full,
}

impl Profile {
    /// The profile for a provider's exact name and a model's id.
    pub fn of(provider: &str, model: &str) -> Self {
        if !matches!(provider, "ollama" | "groq") {
            return Self::Full;
        }
        let model = model.to_ascii_lowercase();
        if MEDIUM.iter().any(|part| model.contains(part)) { Self::Standard } else { Self::Minimal }
    }

    /// The profile of this name; an unknown name caps nothing.
    pub fn named(name: &str) -> Self {
        match name {
            "minimal" => Self::Minimal,
            "standard" => Self::Standard,
            _ => Self::Full,
        }
    }

    /// The most tools, if the profile says so.
    pub const fn tools(self) -> Option<usize> {
        match self {
            Self::Minimal => Some(5),
            Self::Standard => Some(8),
            Self::Full => None,
        }
    }

    /// The most tokens of a request, if the profile says so.
    pub const fn tokens(self) -> Option<usize> {
        match self {
            Self::Minimal => Some(3_000),
            Self::Standard => Some(6_000),
            Self::Full => None,
        }
    }

    /// Whether only the first line of each description is sent.
    pub const fn is_lean(self) -> bool {
        matches!(self, Self::Minimal)
    }
}

/// The most tools of a turn, as it is configured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budget {
    /// That of the profile, else that of the model.
    #[default]
    Auto,
    /// This many; 0 means [`Auto`](Self::Auto).
    Count(usize),
    /// No cap: every tool is offered.
    Unlimited,
}

impl Budget {
    /// The budget a configured number stands for: -1 is unlimited; 0 and any other negative number leave it
    /// to the model.
    pub fn from_setting(number: i64) -> Self {
        match usize::try_from(number) {
            Ok(0) => Self::Auto,
            Ok(count) => Self::Count(count),
            Err(_) if number == -1 => Self::Unlimited,
            Err(_) => Self::Auto,
        }
    }
}

/// Where a turn's budget comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetSource {
    /// Somebody configured it.
    Configured,
    /// The profile caps it.
    Profile,
    /// A part of the model's id.
    Model,
    /// Nothing is known about the model.
    Fallback,
}

/// The most tokens of a request: prompt, history and tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenBudget {
    /// That of the profile.
    #[default]
    Profile,
    /// This many.
    Count(usize),
    /// No limit.
    Unlimited,
}

/// The number of tools, or `None` for no cap, and where it comes from.
pub(super) fn tools(budget: Budget, profile: Profile, model: &str) -> (Option<usize>, BudgetSource) {
    match budget {
        Budget::Unlimited => (None, BudgetSource::Configured),
        Budget::Count(count) if count > 0 => (Some(count), BudgetSource::Configured),
        Budget::Count(_) | Budget::Auto => match profile.tools() {
            Some(count) => (Some(count), BudgetSource::Profile),
            None => match of_model(model) {
                Some(count) => (Some(count), BudgetSource::Model),
                None => (Some(OTHER_MODELS), BudgetSource::Fallback),
            },
        },
    }
}

/// The number of tools for a model's id. A part counts only where no letter or digit touches it: `mini` is
/// no part of `gemini`.
fn of_model(model: &str) -> Option<usize> {
    let model = model.to_ascii_lowercase();
    MODELS.iter().find(|(part, _)| occurs(part, &model)).map(|&(_, count)| count)
}

fn occurs(part: &str, model: &str) -> bool {
    let touches = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    model.match_indices(part).any(|(start, _)| {
        let before = model.get(..start).and_then(|text| text.chars().next_back());
        let after = model.get(start + part.len()..).and_then(|text| text.chars().next());
        !touches(before) && !touches(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_ids_give_the_documented_budgets() {
        let table = [
            ("claude-opus-5", 20, BudgetSource::Model),
            ("claude-haiku-4-5-20251001", 6, BudgetSource::Model),
            ("Claude-Sonnet-4", 12, BudgetSource::Model),
            ("gpt-4o", 15, BudgetSource::Model),
            ("gpt-4o-mini", 8, BudgetSource::Model),
            ("gpt-3.5-turbo", 5, BudgetSource::Model),
            ("o1-mini", 8, BudgetSource::Model),
            ("gemini-2.0-flash-lite", 6, BudgetSource::Model),
            ("gemini-3.5-flash-lite", 6, BudgetSource::Model),
            ("models/gemini-1.5-pro-latest", 15, BudgetSource::Model),
            ("gpt-4-turbo", 10, BudgetSource::Fallback),
            ("llama3", 10, BudgetSource::Fallback),
            ("qwen2.5:7b", 10, BudgetSource::Fallback),
            ("mistral-large", 10, BudgetSource::Fallback),
            ("deepseek-chat", 10, BudgetSource::Fallback),
            ("", 10, BudgetSource::Fallback),
            // Touched by a letter or a digit: no part.
            ("chatgpt-4o-latest", 10, BudgetSource::Fallback),
            ("minimax", 10, BudgetSource::Fallback),
            ("opus2", 10, BudgetSource::Fallback),
            // The first occurrence is touched, the second is not.
            ("minimal-mini", 8, BudgetSource::Model),
        ];
        for (model, count, source) in table {
            assert_eq!(tools(Budget::Auto, Profile::Full, model), (Some(count), source), "{model}");
        }
    }

    #[test]
    fn a_configured_number_comes_before_the_profile_and_the_profile_before_the_model() {
        assert_eq!(tools(Budget::Count(3), Profile::Minimal, "opus"), (Some(3), BudgetSource::Configured));
        assert_eq!(tools(Budget::Unlimited, Profile::Minimal, "opus"), (None, BudgetSource::Configured));
        assert_eq!(tools(Budget::Auto, Profile::Minimal, "opus"), (Some(5), BudgetSource::Profile));
        assert_eq!(tools(Budget::Count(0), Profile::Standard, "opus"), (Some(8), BudgetSource::Profile));
        assert_eq!(tools(Budget::Count(0), Profile::Full, "opus"), (Some(20), BudgetSource::Model));
    }

    #[test]
    fn only_minus_one_lifts_the_cap() {
        assert_eq!(Budget::from_setting(7), Budget::Count(7));
        assert_eq!(Budget::from_setting(-1), Budget::Unlimited);
        for auto in [0, -2, i64::MIN] {
            assert_eq!(Budget::from_setting(auto), Budget::Auto, "{auto}");
        }
    }

    #[test]
    fn two_providers_have_profiles_by_the_size_of_the_model() {
        let table = [
            ("ollama", "qwen2.5:7b", Profile::Minimal),
            ("groq", "llama-3.1-8b-instant", Profile::Minimal),
            ("ollama", "", Profile::Minimal),
            ("groq", "llama-3.3-70B-versatile", Profile::Standard),
            ("ollama", "qwen3:30b", Profile::Standard),
            ("ollama", "command-r:35b", Profile::Standard),
            // Matched as plain parts of the id.
            ("ollama", "gpt-oss:130b", Profile::Standard),
            ("Ollama", "qwen2.5:7b", Profile::Full),
            ("anthropic", "claude-haiku-4-5", Profile::Full),
            ("", "llama3:70b", Profile::Full),
        ];
        for (provider, model, profile) in table {
            assert_eq!(Profile::of(provider, model), profile, "{provider} {model}");
        }
        for part in ["30b", "32b", "34b", "35b", "65b", "70b", "72b"] {
            assert_eq!(Profile::of("groq", part), Profile::Standard, "{part}");
        }
    }

    #[test]
    fn profiles_have_the_documented_limits() {
        let facts = |profile: Profile| (profile.tools(), profile.tokens(), profile.is_lean());
        assert_eq!(facts(Profile::Minimal), (Some(5), Some(3_000), true));
        assert_eq!(facts(Profile::Standard), (Some(8), Some(6_000), false));
        assert_eq!(facts(Profile::Full), (None, None, false));
        assert_eq!(Profile::named("minimal"), Profile::Minimal);
        assert_eq!(Profile::named("standard"), Profile::Standard);
        assert_eq!((Profile::named("full"), Profile::named("huge")), (Profile::Full, Profile::Full));
    }
}
