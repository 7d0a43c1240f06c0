//! What was checked, how it stands and what to do about it.

use serde::Serialize;

/// How a checked thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Works, but could be better or will matter later.
    Warning,
    /// Tools will fail because of it.
    Failed,
}

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What: `configuration`, `connection`, `tables`.
    pub name: &'static str,
    /// How it stands.
    pub verdict: Verdict,
    /// What was seen.
    pub message: String,
    /// What to do, where something is to be done.
    pub fix: Option<String>,
}

impl Check {
    /// All is well.
    pub fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Ok, message: message.into(), fix: None }
    }

    /// Worth knowing.
    pub fn warning(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Warning, message: message.into(), fix: Some(fix.into()) }
    }

    /// Tools will fail.
    pub fn failed(name: &'static str, message: impl Into<String>, fix: Option<String>) -> Self {
        Self { name, verdict: Verdict::Failed, message: message.into(), fix }
    }
}
