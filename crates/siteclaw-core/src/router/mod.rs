//! Which tools a turn sees.
//!
//! Sending every tool on every turn wastes context and confuses smaller models. [`route`] narrows the set:
//! tools that the message names are pinned, the others are ranked by the words they share with it, the
//! budget is filled from the top, and what does not fit the tokens of a request is dropped again.
//!
//! It is a pure function: the same message and the same tools give the same answer, whatever the order in
//! which tools were registered. The exceptions are stated with [`Routed::offered`].
//!
//! ```
//! use siteclaw_core::Routing;
//! use siteclaw_core::router::{Request, RouterTool, route};
//!
//! let routing = Routing { intents: vec!["list orders".into()], ..Routing::default() };
//! let tool = RouterTool {
//!     name: "wc_get_orders", description: "Lists orders.", routing: &routing, schema_chars: 120, pinned: false,
//! };
//! let routed = route(&Request::new("anthropic", "claude-opus-5", "show my orders"), &[tool]);
//! assert_eq!(routed.budget, Some(20));
//! assert_eq!(routed.offered, ["wc_get_orders"]);
//! ```

mod budget;
mod score;
mod words;

use std::cmp::Ordering;

use serde::{Serialize, Serializer};

use crate::dialect::Dialect;
use crate::registry::Entry;
use crate::spec::Routing;
use score::{FULL_SCORE, Vocabulary, Weights};

pub use budget::{Budget, BudgetSource, Profile, TokenBudget};
pub use score::{Signal, SignalScore};
pub use words::keywords;

/// The tool that is pinned in every turn.
const ALWAYS_PINNED: &str = "load_skill";

/// On the minimal profile a tool below this part of the best score is left out.
pub const FLOOR: f64 = 0.2;

/// Characters of JSON that are taken for one token.
const CHARS_PER_TOKEN: usize = 4;

/// Tokens of this many characters, rounded up.
pub const fn tokens(chars: usize) -> usize {
    chars.div_ceil(CHARS_PER_TOKEN)
}

/// What is asked of the router.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The user's message as it was written.
    pub message: &'a str,
    /// The model's id; empty if there is none.
    pub model: &'a str,
    /// How much the model can take.
    pub profile: Profile,
    /// The most tools.
    pub budget: Budget,
    /// Tools that are offered whatever the message says, beside the budget. Letter case does not matter, and
    /// names that no tool has are skipped.
    pub always_include: &'a [String],
    /// The part of the best score, from 0 to 1, below which the minimal profile drops a tool; 0 drops none.
    pub floor: f64,
    /// Tokens of the system prompt.
    pub fixed_tokens: usize,
    /// Tokens of the history, the message included.
    pub history_tokens: usize,
    /// The most tokens of the whole request.
    pub request_tokens: TokenBudget,
}

impl<'a> Request<'a> {
    /// A request with the profile of this provider and model, and no tokens spent yet.
    pub fn new(provider: &str, model: &'a str, message: &'a str) -> Self {
        Self {
            message,
            model,
            profile: Profile::of(provider, model),
            budget: Budget::Auto,
            always_include: &[],
            floor: FLOOR,
            fixed_tokens: 0,
            history_tokens: 0,
            request_tokens: TokenBudget::Profile,
        }
    }
}

/// What the router knows of a tool.
#[derive(Clone, Copy, Debug)]
pub struct RouterTool<'a> {
    /// The name a model calls.
    pub name: &'a str,
    /// The description as the model would read it.
    pub description: &'a str,
    /// Words of its author.
    pub routing: &'a Routing,
    /// Characters of its JSON in the provider's form.
    pub schema_chars: usize,
    /// Whether it is kept whatever its score, within the budget.
    pub pinned: bool,
}

impl<'a> RouterTool<'a> {
    /// A registered tool as a provider would be told of it.
    pub fn of(entry: &'a Entry, dialect: Dialect, lean: bool) -> Self {
        let spec = entry.spec();
        Self {
            name: spec.name(),
            description: if lean { spec.short_description() } else { spec.description() },
            routing: spec.routing(),
            schema_chars: entry.describe(dialect, lean).to_string().chars().count(),
            pinned: false,
        }
    }
}

/// Why a tool is offered or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Configured to be in every turn.
    Always,
    /// The message names it, or it is pinned in every turn.
    Pinned,
    /// All tools fit the budget, so nothing was filtered.
    Fits,
    /// It ranks high enough for the budget.
    Ranked,
    /// The budget was full.
    OverBudget,
    /// Its score is far below the best.
    BelowFloor,
    /// The request would be too long.
    OverTokens,
}

impl Reason {
    /// The reason in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Always => "in every turn",
            Self::Pinned => "named by the message or pinned",
            Self::Fits => "all tools fit the budget",
            Self::Ranked => "ranked within the budget",
            Self::OverBudget => "the budget is full",
            Self::BelowFloor => "scores far below the best",
            Self::OverTokens => "the request would be too long",
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

/// A tool's place in the ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// The tool.
    pub name: String,
    /// The sum of its signals, 0 or more.
    pub score: f64,
    /// Whether it is kept whatever its score.
    pub pinned: bool,
    /// Whether it is in every turn.
    pub always: bool,
    /// Whether this turn sees it.
    pub offered: bool,
    /// Why.
    pub reason: Reason,
    /// Where words of the message were found, the heaviest signal first; empty ones are left out.
    pub signals: Vec<SignalScore>,
}

/// The answer of the router.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Routed {
    /// The names of the tools that the turn sees, by name. When every tool fits the budget they keep the
    /// order of registration instead, unless some had to be dropped for the tokens.
    pub offered: Vec<String>,
    /// Every tool: pinned ones, then those in every turn, then the ranking; each part by score and name. As
    /// JSON they are the `tools` of the explanation.
    #[serde(rename = "tools")]
    pub ranked: Vec<Scored>,
    /// How much the model can take.
    pub profile: Profile,
    /// The most tools beside those in every turn; `None` for no cap.
    pub budget: Option<usize>,
    /// Where the budget comes from.
    pub budget_source: BudgetSource,
    /// The most tokens of the request; `None` for no limit.
    pub token_budget: Option<usize>,
    /// The tokens that prompt, history and offered tools are taken for.
    pub tokens: usize,
    /// The best score against full marks, from 0 to 1, with four decimals.
    pub confidence: f64,
}

/// A tool on its way through the steps.
struct Candidate<'a> {
    tool: &'a RouterTool<'a>,
    registered: usize,
    always: bool,
    pinned: bool,
    score: f64,
    signals: Vec<SignalScore>,
    reason: Reason,
    offered: bool,
}

impl Candidate<'_> {
    /// Pinned, then always, then ranked.
    const fn part(&self) -> u8 {
        if self.always {
            1
        } else if self.pinned {
            0
        } else {
            2
        }
    }

    fn before(&self, other: &Self) -> Ordering {
        self.part()
            .cmp(&other.part())
            .then_with(|| other.score.total_cmp(&self.score))
            .then_with(|| self.tool.name.to_ascii_lowercase().cmp(&other.tool.name.to_ascii_lowercase()))
            .then_with(|| self.tool.name.cmp(other.tool.name))
    }
}

/// Chooses the tools of a turn.
pub fn route(request: &Request<'_>, tools: &[RouterTool<'_>]) -> Routed {
    let mut candidates = scored(request, tools);
    let (budget, budget_source) = budget::tools(request.budget, request.profile, request.model);
    let routed = candidates.iter().filter(|candidate| !candidate.always).count();
    let fits = budget.is_none_or(|budget| routed <= budget);
    match budget {
        Some(budget) if !fits => cut(&mut candidates, budget, request),
        _ => candidates.iter_mut().filter(|candidate| !candidate.always).for_each(|candidate| {
            candidate.reason = Reason::Fits;
            candidate.offered = true;
        }),
    }

    let token_budget = match request.request_tokens {
        TokenBudget::Profile => request.profile.tokens(),
        TokenBudget::Count(count) => Some(count),
        TokenBudget::Unlimited => None,
    };
    let dropped = token_budget.is_some_and(|limit| drop_to_fit(&mut candidates, request, limit, fits));
    let tokens = estimate(&candidates, request);

    let mut offered: Vec<&Candidate<'_>> = candidates.iter().filter(|candidate| candidate.offered).collect();
    if fits && !dropped {
        offered.sort_by_key(|candidate| candidate.registered);
    } else {
        offered.sort_by_key(|candidate| candidate.tool.name);
    }
    let best = candidates.iter().map(|candidate| candidate.score).fold(0.0, f64::max);
    Routed {
        offered: offered.iter().map(|candidate| candidate.tool.name.to_owned()).collect(),
        profile: request.profile,
        budget,
        budget_source,
        token_budget,
        tokens,
        confidence: ((best / FULL_SCORE).min(1.0) * 10_000.0).round() / 10_000.0,
        ranked: candidates
            .into_iter()
            .map(|candidate| Scored {
                name: candidate.tool.name.to_owned(),
                score: candidate.score,
                pinned: candidate.pinned,
                always: candidate.always,
                offered: candidate.offered,
                reason: candidate.reason,
                signals: candidate.signals,
            })
            .collect(),
    }
}

/// Every tool with its score, in the order of the ranking.
fn scored<'a>(request: &Request<'_>, tools: &'a [RouterTool<'a>]) -> Vec<Candidate<'a>> {
    let mentions = words::mentions(request.message);
    let mut candidates: Vec<(Candidate<'a>, Vocabulary)> = tools
        .iter()
        .enumerate()
        .map(|(registered, tool)| {
            let always = request.always_include.iter().any(|name| name.eq_ignore_ascii_case(tool.name));
            let named = mentions.iter().any(|mention| words::names(mention, tool.name));
            let candidate = Candidate {
                tool,
                registered,
                always,
                pinned: !always && (tool.pinned || named || tool.name == ALWAYS_PINNED),
                score: 0.0,
                signals: Vec::new(),
                reason: Reason::Always,
                offered: always,
            };
            (candidate, Vocabulary::of(tool))
        })
        .collect();
    let ranked: Vec<&Vocabulary> = candidates
        .iter()
        .filter(|(candidate, _)| candidate.part() == 2)
        .map(|(_, vocabulary)| vocabulary)
        .collect();
    let weights = Weights::of(request.message, &ranked);
    for (candidate, vocabulary) in &mut candidates {
        candidate.signals = vocabulary.signals(&weights);
        // An empty sum of floats is -0.0.
        candidate.score = candidate.signals.iter().map(|signal| signal.score).sum::<f64>() + 0.0;
    }
    let mut candidates: Vec<Candidate<'a>> = candidates.into_iter().map(|(candidate, _)| candidate).collect();
    candidates.sort_by(Candidate::before);
    candidates
}

/// Fills the budget: pinned tools, however many, then the ranking.
fn cut(candidates: &mut [Candidate<'_>], budget: usize, request: &Request<'_>) {
    let pinned = candidates.iter().filter(|candidate| candidate.pinned).count();
    let mut slots = budget.saturating_sub(pinned);
    let best = candidates
        .iter()
        .filter(|candidate| candidate.part() == 2)
        .map(|candidate| candidate.score)
        .fold(0.0, f64::max);
    let floor = if request.profile == Profile::Minimal && best > 0.0 { best * request.floor } else { 0.0 };
    for candidate in candidates.iter_mut().filter(|candidate| !candidate.always) {
        candidate.reason = if candidate.pinned {
            Reason::Pinned
        } else if candidate.score < floor {
            Reason::BelowFloor
        } else if slots == 0 {
            Reason::OverBudget
        } else {
            slots -= 1;
            Reason::Ranked
        };
        candidate.offered = matches!(candidate.reason, Reason::Pinned | Reason::Ranked);
    }
}

/// Drops tools one at a time until the request fits: the last of the ranking first or, when nothing was
/// filtered, the last that was registered. One tool stays, and those of every turn do. Says whether it
/// dropped any.
fn drop_to_fit(
    candidates: &mut [Candidate<'_>],
    request: &Request<'_>,
    limit: usize,
    by_order: bool,
) -> bool {
    let mut order: Vec<usize> = (0..candidates.len())
        .filter(|&place| {
            candidates.get(place).is_some_and(|candidate| candidate.offered && !candidate.always)
        })
        .collect();
    if by_order {
        order.sort_by_key(|&place| candidates.get(place).map(|candidate| candidate.registered));
    }
    let mut dropped = false;
    while order.len() > 1 && estimate(candidates, request) > limit {
        let last = order.pop().and_then(|place| candidates.get_mut(place));
        if let Some(candidate) = last {
            candidate.offered = false;
            candidate.reason = Reason::OverTokens;
            dropped = true;
        }
    }
    dropped
}

/// Tokens of prompt, history and the offered tools as one JSON list.
fn estimate(candidates: &[Candidate<'_>], request: &Request<'_>) -> usize {
    let sizes =
        candidates.iter().filter(|candidate| candidate.offered).map(|candidate| candidate.tool.schema_chars);
    let (count, chars) =
        sizes.fold((0_usize, 0_usize), |(count, chars), size| (count + 1, chars.saturating_add(size)));
    // Two brackets, and a comma between neighbours; without tools no list is sent.
    let list = if count == 0 { 0 } else { chars.saturating_add(count + 1) };
    request.fixed_tokens.saturating_add(request.history_tokens).saturating_add(tokens(list))
}

#[cfg(test)]
mod tests;
