//! Why there are no figures.

use std::fmt::Display;

/// What was being done, and what came between.
#[derive(Debug, thiserror::Error)]
#[error("{doing}: {reason}")]
pub(crate) struct BenchError {
    doing: String,
    reason: String,
}

impl BenchError {
    pub(crate) fn new(doing: impl Into<String>, reason: impl Display) -> Self {
        Self { doing: doing.into(), reason: reason.to_string() }
    }
}

/// Says what was being done when an error came up.
pub(crate) trait Context<T> {
    fn context(self, doing: impl FnOnce() -> String) -> Result<T, BenchError>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn context(self, doing: impl FnOnce() -> String) -> Result<T, BenchError> {
        self.map_err(|error| BenchError::new(doing(), error))
    }
}
