//! What a message has in common with each tool, as a number.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::RouterTool;
use super::words;

/// A place where a word of the message may stand in a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Verb phrases the tool answers.
    Intents,
    /// Broad areas.
    Domains,
    /// Words a user types.
    Tags,
    /// Whole requests.
    Examples,
    /// The tool's name.
    Name,
    /// The description as the model would read it.
    Description,
}

impl Signal {
    /// All signals, the heaviest first.
    pub const ALL: [Self; 6] =
        [Self::Intents, Self::Domains, Self::Tags, Self::Examples, Self::Name, Self::Description];

    /// How much a matching word of weight 1 counts.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Intents => 16.0,
            Self::Domains => 8.0,
            Self::Tags => 4.0,
            Self::Examples => 2.0,
            Self::Name | Self::Description => 1.0,
        }
    }

    fn text(self, tool: &RouterTool<'_>) -> String {
        match self {
            Self::Intents => tool.routing.intents.join(" "),
            Self::Domains => tool.routing.domains.join(" "),
            Self::Tags => tool.routing.tags.join(" "),
            Self::Examples => tool.routing.examples.join(" "),
            Self::Name => tool.name.to_owned(),
            Self::Description => tool.description.to_owned(),
        }
    }
}

/// The sum of all weights: a score of this is full confidence.
pub(super) const FULL_SCORE: f64 = 32.0;

/// What one signal gives a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SignalScore {
    /// Which signal.
    pub signal: Signal,
    /// Its part of the score.
    pub score: f64,
    /// The words that matched, singular, in the order of the message.
    pub words: Vec<String>,
}

/// The keywords of a tool by signal.
pub(super) struct Vocabulary([BTreeSet<String>; 6]);

impl Vocabulary {
    pub(super) fn of(tool: &RouterTool<'_>) -> Self {
        Self(Signal::ALL.map(|signal| words::keywords(&signal.text(tool))))
    }

    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|set| set.contains(word))
    }

    /// The signals with at least one matching word, the heaviest first.
    pub(super) fn signals(&self, weights: &Weights) -> Vec<SignalScore> {
        Signal::ALL
            .iter()
            .zip(&self.0)
            .filter_map(|(&signal, set)| {
                let matched: Vec<&(String, f64)> =
                    weights.0.iter().filter(|(word, _)| set.contains(word)).collect();
                let sum: f64 = matched.iter().map(|(_, weight)| weight).sum();
                (!matched.is_empty()).then(|| SignalScore {
                    signal,
                    score: signal.weight() * sum,
                    words: matched.iter().map(|(word, _)| word.clone()).collect(),
                })
            })
            .collect()
    }
}

/// The message's words in order, each with its weight.
pub(super) struct Weights(Vec<(String, f64)>);

impl Weights {
    /// Weighs the words of a message by how few of the ranked tools carry them and how seldom the message
    /// repeats them. With fewer than three tools rarity says nothing, and every word weighs 1.
    pub(super) fn of(message: &str, ranked: &[&Vocabulary]) -> Self {
        let words = words::counted(message);
        if ranked.len() < 3 {
            return Self(words.into_iter().map(|(word, _)| (word, 1.0)).collect());
        }
        let mut carriers: BTreeMap<&str, usize> = BTreeMap::new();
        for (word, _) in &words {
            carriers.insert(word, ranked.iter().filter(|tool| tool.has(word)).count());
        }
        let weigh = |word: &str, repeats: usize| {
            let carriers = carriers.get(word).copied().unwrap_or(0);
            let rarity = if carriers == 0 { 1.0 } else { (ranked.len() as f64 / carriers as f64).ln() };
            rarity / (1.0 + (repeats as f64).ln())
        };
        Self(words.iter().map(|(word, repeats)| (word.clone(), weigh(word, *repeats))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Routing;

    fn routing(
        intents: &'static str,
        domains: &'static str,
        tags: &'static str,
        example: &'static str,
    ) -> Routing {
        Routing {
            domains: vec![domains.into()],
            tags: vec![tags.into()],
            intents: vec![intents.into()],
            examples: vec![example.into()],
        }
    }

    fn tool<'a>(name: &'a str, description: &'a str, routing: &'a Routing) -> RouterTool<'a> {
        RouterTool { name, description, routing, schema_chars: 0, pinned: false }
    }

    fn total(signals: &[SignalScore]) -> f64 {
        signals.iter().map(|signal| signal.score).sum()
    }

    #[test]
    fn the_weights_add_up_to_full_confidence() {
        assert_eq!(Signal::ALL.iter().map(|signal| signal.weight()).sum::<f64>(), FULL_SCORE);
    }

    #[test]
    fn one_word_can_count_in_all_six_signals() {
        let routing = routing("list orders", "orders", "order", "orders of today");
        let vocabulary = Vocabulary::of(&tool("order", "Lists orders.", &routing));
        let signals = vocabulary.signals(&Weights::of("orders", &[&vocabulary]));
        assert_eq!(
            signals.iter().map(|signal| signal.score).collect::<Vec<_>>(),
            [16.0, 8.0, 4.0, 2.0, 1.0, 1.0]
        );
        assert!(signals.iter().all(|signal| signal.words == ["order"]));
    }

    #[test]
    fn with_three_tools_a_word_counts_by_its_rarity_and_a_word_of_all_not_at_all() {
        let texts = [
            routing("list orders", "shop", "", ""),
            routing("list products", "shop", "", ""),
            routing("check stock", "shop", "", ""),
        ];
        let vocabularies: Vec<Vocabulary> =
            texts.iter().map(|routing| Vocabulary::of(&tool("t", "", routing))).collect();
        let all: Vec<&Vocabulary> = vocabularies.iter().collect();
        let weights = Weights::of("list the orders of my shop", &all);
        let scores: Vec<f64> = all.iter().map(|tool| total(&tool.signals(&weights))).collect();
        // list: 2 of 3 carry it; orders: 1 of 3; shop: all three, which weighs nothing.
        let (list, order) = (1.5_f64.ln(), 3.0_f64.ln());
        assert!((scores[0] - 16.0 * (list + order)).abs() < 1e-9, "{scores:?}");
        assert!((scores[1] - 16.0 * list).abs() < 1e-9, "{scores:?}");
        assert!(scores[2].abs() < 1e-9, "{scores:?}");
    }

    #[test]
    fn two_tools_leave_every_word_at_one_even_a_repeated_one() {
        let texts = [routing("list orders", "", "", ""), routing("list stock", "", "", "")];
        let vocabularies: Vec<Vocabulary> =
            texts.iter().map(|routing| Vocabulary::of(&tool("t", "", routing))).collect();
        let all: Vec<&Vocabulary> = vocabularies.iter().collect();
        let weights = Weights::of("list list orders", &all);
        assert_eq!(total(&all[0].signals(&weights)), 32.0);
        assert_eq!(total(&all[1].signals(&weights)), 16.0);
    }

    #[test]
    fn a_repeated_word_is_damped() {
        let texts =
            [routing("orders", "", "", ""), routing("stock", "", "", ""), routing("users", "", "", "")];
        let vocabularies: Vec<Vocabulary> =
            texts.iter().map(|routing| Vocabulary::of(&tool("t", "", routing))).collect();
        let all: Vec<&Vocabulary> = vocabularies.iter().collect();
        let weights = Weights::of("orders orders orders stock", &all);
        let scores: Vec<f64> = all.iter().map(|tool| total(&tool.signals(&weights))).collect();
        let rarity = 3.0_f64.ln();
        assert!((scores[0] - 16.0 * rarity / (1.0 + rarity)).abs() < 1e-9, "{scores:?}");
        assert!((scores[1] - 16.0 * rarity).abs() < 1e-9, "{scores:?}");
    }

    #[test]
    fn a_word_that_no_tool_carries_changes_nothing() {
        let texts =
            [routing("orders", "", "", ""), routing("stock", "", "", ""), routing("users", "", "", "")];
        let vocabularies: Vec<Vocabulary> =
            texts.iter().map(|routing| Vocabulary::of(&tool("t", "", routing))).collect();
        let all: Vec<&Vocabulary> = vocabularies.iter().collect();
        let weights = Weights::of("zebra orders", &all);
        assert!((total(&all[0].signals(&weights)) - 16.0 * 3.0_f64.ln()).abs() < 1e-9);
    }
}
