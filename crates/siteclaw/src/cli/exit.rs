//! How commands end.

use std::fmt;
use std::process::ExitCode;

use siteclaw_core::{Envelope, code};

/// The exit codes, which scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Done,
    /// 1: the tool or run failed.
    Failed,
    /// 2: wrong usage or configuration.
    Usage,
    /// 3: denied, or waiting for a decision.
    Denied,
    /// 4: the model's provider failed.
    Provider,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The exit code that an envelope stands for.
    pub(crate) fn of(envelope: &Envelope) -> Self {
        match envelope.code() {
            None => Self::Done,
            Some(code::FORBIDDEN | code::APPROVAL_DENIED | code::APPROVAL_PENDING | code::STALE_APPROVAL) => {
                Self::Denied
            }
            Some(
                code::UNKNOWN_TOOL
                | code::UNKNOWN_ARGUMENT
                | code::MISSING_ARGUMENT
                | code::INVALID_ARGUMENT
                | code::INVALID_LIMIT
                | code::INVALID_OFFSET,
            ) => Self::Usage,
            Some(_) => Self::Failed,
        }
    }
}

/// A command that cannot go on: one line that says what, where and how to fix it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into() }
    }

    pub(crate) fn usage(error: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }
}
