//! A period that a call names by its two ends, on the site's clock.

use jiff::civil::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{ToolError, code};

use super::condition::Condition;
use super::modes::shown;
use super::zone::{Edge, parse_edge, wall};

/// The arguments of a period, to be flattened into a tool's own.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Period {
    /// From this day or time on, inclusive, on the site's clock: 2026-11-30, 2026-11, 2026 or 2026-11-30T08:00:00.
    #[schemars(length(max = 50))]
    date_after: Option<String>,
    /// Up to this day or time, inclusive.
    #[schemars(length(max = 50))]
    date_before: Option<String>,
}

impl Period {
    /// The period, if its ends are dates.
    pub(crate) fn checked(&self) -> Result<Range, ToolError> {
        Ok(Range {
            after: edge("date_after", self.date_after.as_deref(), Edge::After)?,
            before: edge("date_before", self.date_before.as_deref(), Edge::Before)?,
        })
    }
}

fn edge(name: &str, text: Option<&str>, edge: Edge) -> Result<Option<DateTime>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    parse_edge(text, edge).map(Some).ok_or_else(|| {
        ToolError::new(code::INVALID_ARGUMENT, format!("{name} is no date: '{}'.", shown(text)))
            .hint("Write it like 2026-11-30, 2026-11, 2026 or 2026-11-30T08:00:00.")
    })
}

/// A period whose ends belong to it; a missing end leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) after: Option<DateTime>,
    pub(crate) before: Option<DateTime>,
}

impl Range {
    /// Adds the condition that a column with the site's wall clock lies in the period.
    pub(crate) fn narrow(self, condition: &mut Condition, column: &str) {
        for (end, operator) in [(self.after, ">="), (self.before, "<=")] {
            if let Some(end) = end {
                condition.one(&format!("{column} {operator} ?"), wall(end));
            }
        }
    }
}
