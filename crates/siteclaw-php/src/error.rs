//! What can go wrong before a value is reached.
//!
//! Findings inside a file (an unknown function, an unset variable) are values, not errors: see
//! [`crate::Config`]. An error means that the entry file itself gave nothing. No variant carries text of
//! a file beyond its path.

use std::path::PathBuf;

/// Why a configuration, an environment file or a parser gave nothing at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PhpError {
    /// The entry file cannot be opened.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file as it was asked for.
        path: PathBuf,
        /// What the caller's [`Source`](crate::Source) answered.
        source: SourceError,
    },
    /// A file is longer than configuration files are read.
    #[error("{what} is {size} bytes long; at most {limit} bytes are read")]
    TooLarge {
        /// The file or kind of file.
        what: String,
        /// Its length in bytes.
        size: usize,
        /// The longest accepted length in bytes.
        limit: usize,
    },
    /// The parser cannot be given this file, or gave up on it.
    #[error("{} cannot be parsed: {reason}", path.display())]
    Unparsable {
        /// The file as it was asked for.
        path: PathBuf,
        /// What was met.
        reason: &'static str,
    },
}

/// Why a [`Source`](crate::Source) did not give a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is no such file.
    #[error("there is no such file")]
    NotFound,
    /// The path lies where the caller does not read.
    #[error("the path is outside the folders that may be read")]
    Refused,
    /// The system refused; the text is the system's, for the operator.
    #[error("{0}")]
    Io(String),
}
