//! The tools by how well they fit the words of a message.

use std::collections::BTreeSet;
use std::sync::Arc;

use siteclaw_core::Entry;
use siteclaw_core::router::{self, Budget, Request, RouterTool, Signal, TokenBudget};

use super::fields::fields;
use super::values;
use super::vocabulary::is_small;
use super::words::{self, Reading, singular};

/// A tool of the ranking.
pub(super) struct Ranked<'a> {
    pub(super) entry: &'a Entry,
    /// The words by which it was found, as the router compares them.
    pub(super) words: BTreeSet<String>,
    /// How far it may be trusted where another tool comes first.
    pub(super) found: Found,
}

/// By what a tool was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// By its exact name, which leaves no choice.
    Name,
    /// By its own words, or a whole value.
    Words,
    /// By words of its description only.
    Description,
    /// By one word that is a value of one of its arguments.
    Value,
}

/// The tools by how well their words fit those of the message. Words of asking alone fit nothing.
pub(super) fn ranked<'a>(available: &'a [Arc<Entry>], reading: &Reading) -> Vec<Ranked<'a>> {
    let named = (0..reading.words.len()).find_map(|place| {
        let name = reading.at(place);
        available.iter().find(|entry| name.contains('_') && entry.spec().name() == name)
    });
    let text: Vec<&str> = reading.words.iter().map(|word| word.lower.as_str()).collect();
    let text = text.join(" ");
    let tools: Vec<RouterTool<'_>> = available
        .iter()
        .map(|entry| RouterTool {
            name: entry.spec().name(),
            description: entry.spec().description(),
            routing: entry.spec().routing(),
            schema_chars: 0,
            pinned: false,
        })
        .collect();
    let request = Request {
        budget: Budget::Unlimited,
        request_tokens: TokenBudget::Unlimited,
        ..Request::new("", "", &text)
    };
    let mut scored = router::route(&request, &tools).ranked;
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
    let valued = valued(available, reading);
    let named =
        named.map(|entry| Ranked { entry: entry.as_ref(), words: BTreeSet::new(), found: Found::Name });
    let others = scored.into_iter().filter(|tool| tool.score > 0.0).filter_map(|tool| {
        let entry = available.iter().find(|entry| entry.spec().name() == tool.name)?;
        let telling = |word: &&String| !is_empty_word(word);
        let words: BTreeSet<String> =
            tool.signals.iter().flat_map(|signal| &signal.words).filter(telling).cloned().collect();
        let strong = tool.signals.iter().any(|signal| {
            signal.signal != Signal::Description && signal.words.iter().any(|word| telling(&word))
        });
        let found = if strong { Found::Words } else { Found::Description };
        (!words.is_empty()).then_some(Ranked { entry: entry.as_ref(), words, found })
    });
    // A value of several words says which tool is meant better than the words in it.
    let (exact, likely): (Vec<_>, Vec<_>) = valued.into_iter().partition(|(length, _)| *length > 1);
    let tools = |list: Vec<(usize, &'a Entry)>, found| {
        list.into_iter().map(move |(_, entry)| Ranked { entry, words: BTreeSet::new(), found })
    };
    let mut ranked: Vec<Ranked<'a>> = Vec::new();
    for tool in
        named.into_iter().chain(tools(exact, Found::Words)).chain(others).chain(tools(likely, Found::Value))
    {
        if !ranked.iter().any(|other| std::ptr::eq(other.entry, tool.entry)) {
            ranked.push(tool);
        }
    }
    ranked
}

/// Tools of which the message names a value of an argument that takes any text, with the words of the longest
/// such name: `shop managers` is a role, `admin email` a setting.
fn valued<'a>(available: &'a [Arc<Entry>], reading: &Reading) -> Vec<(usize, &'a Entry)> {
    let of = |entry: &'a Arc<Entry>| {
        let fields = fields(entry.input_schema());
        let open = fields.iter().filter(|field| field.is_open());
        let names = open.flat_map(|field| values::matches(reading, &field.values));
        // Only the value itself is as good as a name; other words for it are said of many things.
        let itself = |hit: &values::Match<'_>| {
            let said: String = hit.places.clone().map(|place| values::plain(reading.at(place))).collect();
            singular(&said) == singular(&values::plain(hit.value))
        };
        let length = |hit: values::Match<'_>| if itself(&hit) { hit.places.len() } else { 1 };
        let longest = names.filter(|hit| !hit.denied).map(length).max();
        let code = || {
            let finds = fields.iter().any(|field| {
                field.is_open()
                    && field.description().split(|c: char| !c.is_alphanumeric()).any(|word| word == "SKU")
            });
            (finds && reading.words.iter().any(|word| words::is_code(&word.raw))).then_some(1)
        };
        Some((longest.or_else(code)?, entry.as_ref()))
    };
    let mut found: Vec<(usize, &'a Entry)> = available.iter().filter_map(of).collect();
    found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    found
}
/// Whether a word of a tool says nothing of what it is about.
fn is_empty_word(word: &str) -> bool {
    const EMPTY: &[&str] = &[
        "find",
        "search",
        "look",
        "show",
        "list",
        "get",
        "give",
        "tell",
        "display",
        "see",
        "view",
        "want",
        "need",
        "help",
        "site",
        "website",
        "shop",
        "store",
        "wordpress",
        "check",
        "read",
        "run",
        "recent",
        "latest",
        "count",
        "value",
        "what",
        "use",
        "new",
        "title",
        "name",
        "date",
        "number",
        "text",
        "total",
        "home",
        "top",
        "best",
        "low",
    ];
    is_small(word) || EMPTY.contains(&word)
}
