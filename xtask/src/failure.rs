//! The one error of these commands: a sentence for the person at the terminal.

use std::fmt;

/// What went wrong, and where the reader should look or what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    exit_code: u8,
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: 1 }
    }

    /// The command line was wrong: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: 2 }
    }

    /// A signal ended the command: exit code 128 + the signal's number, as a shell would report.
    pub(crate) fn interrupted(signal: i32) -> Self {
        let exit_code = u8::try_from(128 + signal).unwrap_or(1);
        Self { message: "interrupted".into(), exit_code }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        self.exit_code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Says what was being done when an error of the system came up.
pub(crate) trait Context<T> {
    fn context(self, doing: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Failure::new(format!("{}: {error}", doing())))
    }
}
