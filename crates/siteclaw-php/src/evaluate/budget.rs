//! Bounds on what evaluation may cost.

use crate::value::PhpValue;

/// Longest string, in bytes.
pub(super) const MAX_STRING: usize = 256 * 1024;
/// Most values in one array, nested ones included.
pub(super) const MAX_NODES: u32 = 200_000;
/// Deepest value. Dropping, comparing and showing a value recurse this far.
pub(super) const MAX_VALUE_DEPTH: u16 = 64;
/// Deepest expression that is evaluated.
pub(super) const MAX_EXPRESSION_DEPTH: u32 = 400;
/// Deepest chain of user functions.
pub(super) const MAX_CALL_DEPTH: usize = 16;
/// Deepest chain of included files.
pub(super) const MAX_INCLUDE_DEPTH: usize = 5;
/// Most files of one configuration.
pub(super) const MAX_FILES: usize = 64;
/// Expressions and statements; a large real configuration needs a few thousand.
const MAX_STEPS: u32 = 1_000_000;
/// Bytes of strings made.
const MAX_PRODUCED: usize = 64 * 1024 * 1024;

/// What is left of the allowance.
#[derive(Default)]
pub(super) struct Budget {
    steps: u32,
    produced: usize,
}

impl Budget {
    /// Counts work; false when the allowance is used up.
    pub(super) fn spend(&mut self, steps: u32) -> bool {
        self.steps = self.steps.saturating_add(steps);
        !self.is_spent()
    }

    /// Counts bytes of a new string.
    pub(super) fn produce(&mut self, bytes: usize) -> bool {
        self.produced = self.produced.saturating_add(bytes);
        !self.is_spent()
    }

    /// Counts work that looks at all of these values, or copies them.
    pub(super) fn handle<'v>(&mut self, values: impl IntoIterator<Item = &'v PhpValue>) -> bool {
        let steps = values.into_iter().fold(0u32, |steps, value| {
            let weight = match value {
                PhpValue::Str(text) => u32::try_from(text.len() / 64).unwrap_or(u32::MAX),
                other => other.nodes() / 4,
            };
            steps.saturating_add(weight)
        });
        self.spend(steps)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.steps > MAX_STEPS || self.produced > MAX_PRODUCED
    }
}

/// Whether a value is of a size that is kept.
pub(super) fn fits(value: &PhpValue) -> bool {
    match value {
        PhpValue::Str(text) => text.len() <= MAX_STRING,
        _ => value.nodes() <= MAX_NODES && value.depth() <= MAX_VALUE_DEPTH,
    }
}
