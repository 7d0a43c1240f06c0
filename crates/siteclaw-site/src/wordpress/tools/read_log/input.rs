//! The arguments, and the plan they make.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{ToolError, Warning, code};

use crate::wordpress::logs::{Entry, Level};
use crate::wordpress::modes::{Given, Mode, checked_search, shown};
use crate::wordpress::zone::{Edge, Zone, parse_edge};

pub(super) const DEFAULT_LINES: u64 = 50;
pub(super) const MAX_LINES: u64 = 200;

/// Arguments of `read_log`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Entries to return, the newest first; with group, groups. Default 50.
    #[schemars(range(min = 1, max = 200))]
    lines: Option<u64>,
    /// Text that an entry must hold, in any case of letters.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Only entries of this level; error takes fatal and parse with it.
    level: Option<Wanted>,
    /// Only entries since then: 24h, 7d, or a day or time on the site's clock such as 2026-11-30.
    #[schemars(length(min = 2, max = 30))]
    since: Option<String>,
    /// Which log, by its name in meta.sources: wordpress, php, wc:fatal-errors. Default the freshest with PHP's errors.
    #[schemars(length(min = 1, max = 100))]
    source: Option<String>,
    /// Put entries of one cause together: how often, since when, and which plugin or theme.
    #[serde(default)]
    group: bool,
    /// Count by level instead of listing.
    #[serde(default)]
    aggregate: bool,
    /// Show which logs there are, without reading them.
    #[serde(default)]
    schema: bool,
}

/// A level to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    Error,
    Warning,
    Fatal,
    Notice,
    Deprecated,
    Parse,
}

impl Wanted {
    const fn levels(self) -> &'static [Level] {
        match self {
            Self::Error => &[Level::Error, Level::Fatal, Level::Parse],
            Self::Warning => &[Level::Warning],
            Self::Fatal => &[Level::Fatal],
            Self::Notice => &[Level::Notice],
            Self::Deprecated => &[Level::Deprecated],
            Self::Parse => &[Level::Parse],
        }
    }
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) mode: Mode,
    pub(super) group: bool,
    pub(super) lines: u64,
    pub(super) source: Option<String>,
    pub(super) unused: Vec<Warning>,
    search: Option<String>,
    levels: Option<&'static [Level]>,
    since: Option<Since>,
}

/// A beginning, before the site's clock is known.
#[derive(Clone, Debug)]
enum Since {
    Ago(SignedDuration),
    Clock(jiff::civil::DateTime),
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        if input.group && mode == Mode::Aggregate {
            return Err(ToolError::new(code::CONFLICTING_MODES, "group and aggregate exclude each other."));
        }
        let given = Given::of(&input);
        let unused = match mode {
            Mode::Schema => given.ignored("schema", |name| name != "schema"),
            Mode::Aggregate => given.ignored("aggregate", |name| name == "lines"),
            Mode::Query => Vec::new(),
        };
        Ok(Self {
            mode,
            group: input.group,
            lines: input.lines.unwrap_or(DEFAULT_LINES),
            source: input.source,
            unused,
            search: checked_search(input.search.as_deref())?.map(|text| text.to_lowercase()),
            levels: input.level.map(Wanted::levels),
            since: input.since.as_deref().map(since).transpose()?,
        })
    }

    /// The filters, as `meta.filters` tells them.
    pub(super) fn filters(&self) -> serde_json::Value {
        let levels = self.levels.map(|levels| levels.iter().map(|level| level.name()).collect::<Vec<_>>());
        serde_json::json!({"levels": levels, "search": self.search})
    }

    /// The filter, with the moment from which on entries count.
    pub(super) fn filter(&self, zone: &Zone, now: Timestamp) -> Filter {
        let since = match &self.since {
            None => None,
            Some(Since::Ago(span)) => now.checked_sub(*span).ok(),
            Some(Since::Clock(clock)) => zone.zone().to_timestamp(*clock).ok(),
        };
        Filter { search: self.search.clone(), levels: self.levels, since }
    }
}

/// Which entries are wanted.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    search: Option<String>,
    levels: Option<&'static [Level]>,
    since: Option<Timestamp>,
}

impl Filter {
    pub(super) fn admits(&self, entry: &Entry<'_>) -> bool {
        self.levels.is_none_or(|levels| levels.contains(&entry.level))
            && self.since.is_none_or(|since| entry.at.is_some_and(|at| at >= since))
            && self.search.as_ref().is_none_or(|text| entry.raw.to_lowercase().contains(text))
    }
}

fn since(text: &str) -> Result<Since, ToolError> {
    let text = text.trim();
    let ago = text.split_at_checked(text.len().saturating_sub(1)).and_then(|(number, unit)| {
        let number: i64 = number.parse().ok().filter(|number| (1..=10_000).contains(number))?;
        Some(match unit {
            "m" => SignedDuration::from_mins(number),
            "h" => SignedDuration::from_hours(number),
            "d" => SignedDuration::from_hours(number * 24),
            _ => return None,
        })
    });
    if let Some(ago) = ago {
        return Ok(Since::Ago(ago));
    }
    parse_edge(text, Edge::After).map(Since::Clock).ok_or_else(|| {
        ToolError::new(code::INVALID_ARGUMENT, format!("since is no time: '{}'.", shown(text)))
            .hint("Write it like 24h, 7d, 2026-11-30 or 2026-11-30T08:00:00.")
    })
}
