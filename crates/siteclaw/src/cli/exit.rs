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
                | code::CONFLICTING_MODES
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

#[cfg(test)]
mod tests {
    use siteclaw_core::{Code, ToolError};

    use super::*;

    fn exit(code: Code) -> u8 {
        Exit::of(&Envelope::failure(&ToolError::new(code, "x"), Vec::new())) as u8
    }

    #[test]
    fn the_code_says_who_has_to_act() {
        for (code, wanted) in [
            (code::DATABASE_UNAVAILABLE, 1),
            (code::TIMEOUT, 1),
            (code::UNKNOWN_TOOL, 2),
            (code::INVALID_ARGUMENT, 2),
            (code::CONFLICTING_MODES, 2),
            (code::FORBIDDEN, 3),
            (code::APPROVAL_DENIED, 3),
            (code::APPROVAL_PENDING, 3),
            (code::STALE_APPROVAL, 3),
        ] {
            assert_eq!(exit(code), wanted, "{code}");
        }
        assert_eq!([Exit::Done as u8, Exit::Provider as u8], [0, 4]);
    }
}
