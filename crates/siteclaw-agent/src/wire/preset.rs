//! What is known of each provider: where it is, which key it wants, and how its form differs from its family's.

use super::endpoint::KeyHeader;

/// A provider that answers over the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anthropic.
    Anthropic,
    /// OpenAI.
    OpenAi,
    /// Groq.
    Groq,
    /// Google Gemini.
    Gemini,
    /// Mistral.
    Mistral,
    /// DeepSeek.
    DeepSeek,
    /// Ollama, on this machine or another.
    Ollama,
    /// Any server that speaks OpenAI's chat completions.
    Custom,
}

/// The form in which a provider is spoken to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Family {
    Anthropic,
    OpenAi(Quirks),
    Gemini,
    Ollama,
}

/// Where servers that speak OpenAI's form differ from each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quirks {
    /// The field for the most tokens of an answer. Newer models of OpenAI refuse the old one, others know no other.
    pub(crate) most: &'static str,
    /// Whether usage has to be asked for in a stream, and may be.
    pub(crate) ask_usage: bool,
    /// Whether ids of calls are nine letters and digits, and nothing else is taken.
    pub(crate) short_ids: bool,
    /// Whether a message of the user right behind results is refused.
    pub(crate) results_last: bool,
    /// Whether thinking goes back with the calls it led to.
    pub(crate) returns_thinking: bool,
    /// Whether an answer can be had in the form of a schema.
    pub(crate) shapes: bool,
    /// The word that makes a call a must, where one call cannot be named.
    pub(crate) must_call: Option<&'static str>,
}

const PLAIN: Quirks = Quirks {
    most: "max_tokens",
    ask_usage: true,
    short_ids: false,
    results_last: false,
    returns_thinking: false,
    shapes: false,
    must_call: None,
};

/// What is fixed about a provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    /// The variable that holds its key.
    pub(crate) key: Option<&'static str>,
    pub(crate) header: KeyHeader,
    /// Where it is, unless somebody says otherwise.
    pub(crate) base: Option<&'static str>,
    /// The model, unless somebody says otherwise.
    pub(crate) model: Option<&'static str>,
    pub(crate) family: Family,
    /// Tokens of one request, answer included, that its models can be expected to take.
    pub(crate) context: usize,
    /// What addresses of it may end in besides, because people copy them from examples.
    pub(crate) endings: &'static [&'static str],
}

/// A provider of OpenAI's form.
const fn openai(
    name: &'static str,
    key: Option<&'static str>,
    base: Option<&'static str>,
    model: Option<&'static str>,
    quirks: Quirks,
    context: usize,
) -> Preset {
    Preset {
        name,
        key,
        header: KeyHeader::Bearer,
        base,
        model,
        family: Family::OpenAi(quirks),
        context,
        endings: &["/chat/completions"],
    }
}

impl Kind {
    /// All, in the order in which their keys are looked for.
    pub const ALL: [Self; 8] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::Groq,
        Self::Gemini,
        Self::Mistral,
        Self::DeepSeek,
        Self::Ollama,
        Self::Custom,
    ];

    /// The name by which it is configured.
    pub const fn name(self) -> &'static str {
        self.preset().name
    }

    /// The variable that holds its key, if it has one of its own.
    pub const fn key_variable(self) -> Option<&'static str> {
        self.preset().key
    }

    /// The provider of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) const fn preset(self) -> Preset {
        match self {
            Self::Anthropic => Preset {
                name: "anthropic",
                key: Some("ANTHROPIC_API_KEY"),
                header: KeyHeader::Named("x-api-key"),
                base: Some("https://api.anthropic.com"),
                model: Some("claude-haiku-4-5-20251001"),
                family: Family::Anthropic,
                context: 180_000,
                endings: &["/v1/messages", "/v1"],
            },
            Self::OpenAi => openai(
                "openai",
                Some("OPENAI_API_KEY"),
                Some("https://api.openai.com/v1"),
                Some("gpt-4o-mini"),
                Quirks { most: "max_completion_tokens", shapes: true, ..PLAIN },
                120_000,
            ),
            Self::Groq => openai(
                "groq",
                Some("GROQ_API_KEY"),
                Some("https://api.groq.com/openai/v1"),
                Some("llama-3.1-8b-instant"),
                Quirks { most: "max_completion_tokens", ..PLAIN },
                120_000,
            ),
            Self::Mistral => openai(
                "mistral",
                Some("MISTRAL_API_KEY"),
                Some("https://api.mistral.ai/v1"),
                Some("mistral-small-latest"),
                // It sends usage unasked and refuses fields it does not know.
                Quirks {
                    ask_usage: false,
                    short_ids: true,
                    results_last: true,
                    must_call: Some("any"),
                    ..PLAIN
                },
                120_000,
            ),
            Self::DeepSeek => openai(
                "deepseek",
                Some("DEEPSEEK_API_KEY"),
                Some("https://api.deepseek.com/v1"),
                Some("deepseek-flash"),
                Quirks { returns_thinking: true, ..PLAIN },
                120_000,
            ),
            Self::Custom => openai(
                "custom",
                // A key of somebody else's must not go to whatever address stands here.
                None,
                None,
                None,
                Quirks { returns_thinking: true, ..PLAIN },
                32_000,
            ),
            Self::Gemini => Preset {
                name: "gemini",
                key: Some("GEMINI_API_KEY"),
                header: KeyHeader::Named("x-goog-api-key"),
                base: Some("https://generativelanguage.googleapis.com"),
                model: Some("gemini-3.5-flash-lite"),
                family: Family::Gemini,
                context: 500_000,
                endings: &["/v1beta/models", "/v1beta"],
            },
            Self::Ollama => Preset {
                name: "ollama",
                key: None,
                header: KeyHeader::Bearer,
                base: Some("http://127.0.0.1:11434"),
                model: Some("qwen2.5:7b"),
                family: Family::Ollama,
                context: 8_192,
                endings: &["/api/chat", "/api", "/v1/chat/completions", "/v1"],
            },
        }
    }

    /// The address as it was written, without what its family adds by itself. An address of OpenAI's form that is
    /// a host alone gets the usual path.
    pub(crate) fn base(self, written: &str) -> String {
        let preset = self.preset();
        let mut base = written.trim().trim_end_matches('/');
        for ending in preset.endings {
            base = base.strip_suffix(ending).unwrap_or(base);
        }
        let base = base.trim_end_matches('/');
        let bare = base.split_once("://").is_some_and(|(_, rest)| !rest.contains('/'));
        if matches!(preset.family, Family::OpenAi(_)) && bare {
            format!("{base}/v1")
        } else {
            base.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keys_and_models_are_the_documented_ones() {
        let facts: Vec<_> = Kind::ALL
            .into_iter()
            .map(|kind| (kind.name(), kind.key_variable(), kind.preset().base, kind.preset().model))
            .collect();
        assert_eq!(
            facts,
            [
                (
                    "anthropic",
                    Some("ANTHROPIC_API_KEY"),
                    Some("https://api.anthropic.com"),
                    Some("claude-haiku-4-5-20251001")
                ),
                ("openai", Some("OPENAI_API_KEY"), Some("https://api.openai.com/v1"), Some("gpt-4o-mini")),
                (
                    "groq",
                    Some("GROQ_API_KEY"),
                    Some("https://api.groq.com/openai/v1"),
                    Some("llama-3.1-8b-instant")
                ),
                (
                    "gemini",
                    Some("GEMINI_API_KEY"),
                    Some("https://generativelanguage.googleapis.com"),
                    Some("gemini-3.5-flash-lite")
                ),
                (
                    "mistral",
                    Some("MISTRAL_API_KEY"),
                    Some("https://api.mistral.ai/v1"),
                    Some("mistral-small-latest")
                ),
                (
                    "deepseek",
                    Some("DEEPSEEK_API_KEY"),
                    Some("https://api.deepseek.com/v1"),
                    Some("deepseek-flash")
                ),
                ("ollama", None, Some("http://127.0.0.1:11434"), Some("qwen2.5:7b")),
                ("custom", None, None, None),
            ]
        );
    }

    #[test]
    fn addresses_may_be_copied_from_examples() {
        for (kind, written, base) in [
            (Kind::Custom, "https://h", "https://h/v1"),
            (Kind::Custom, "https://h:8000/", "https://h:8000/v1"),
            (Kind::Custom, "https://h/v1/", "https://h/v1"),
            (Kind::Custom, "https://h/api/v1/chat/completions", "https://h/api/v1"),
            (Kind::Anthropic, "https://h/v1/messages", "https://h"),
            (Kind::Anthropic, "https://h/proxy/v1", "https://h/proxy"),
            (Kind::Ollama, "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
            (Kind::Ollama, "http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434"),
            (Kind::Gemini, "https://h/v1beta", "https://h"),
        ] {
            assert_eq!(kind.base(written), base, "{written}");
        }
    }
}
