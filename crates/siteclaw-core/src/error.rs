//! Failures and refusals of tools, as values.
//!
//! One [`ToolError`] serves three readers: the model gets `code`, `message` and `hint` in the envelope,
//! a program branches on `code` and `retryable`, and the operator finds `source` in the log. The source
//! never reaches an envelope, because drivers put host names and statements into their messages.
//!
//! ```
//! use siteclaw_core::{ToolError, code};
//! let error = ToolError::new(code::NOT_FOUND, "No post has the id 7.").hint("List posts with wp_query first.");
//! assert_eq!(error.code().as_str(), "NOT_FOUND");
//! assert!(!error.is_retryable());
//! ```

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// A stable machine code, in capitals with underscores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

impl Code {
    /// Names a code. Codes of one meaning are shared: look in [`code`](crate::code) first.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The code as it stands in envelopes.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Why a call did not give a result.
#[derive(Clone, Debug)]
pub struct ToolError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    code: Code,
    message: String,
    hint: Option<String>,
    retryable: bool,
    context: Map<String, Value>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl ToolError {
    /// A failure with a sentence that says what was wrong and where.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            hint: None,
            retryable: false,
            context: Map::new(),
            source: None,
        }))
    }

    /// Adds one sentence that says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Marks the failure as one that may pass when the same call is made again.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.0.retryable = true;
        self
    }

    /// Adds a fact that a program can read, such as the list of allowed values.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.context.insert(key.to_owned(), value.into());
        self
    }

    /// Keeps the cause for the operator's log.
    #[must_use]
    pub fn source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What was wrong, for a person or a model.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do next, if that is known.
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// Facts beside the message.
    pub fn context(&self) -> &Map<String, Value> {
        &self.0.context
    }

    /// The causes, outermost first, on one line: for the operator's log only.
    pub fn cause_chain(&self) -> Option<String> {
        let mut cause: &dyn Error = self.0.source.as_deref()?;
        let mut text = cause.to_string();
        while let Some(next) = cause.source() {
            text.push_str(": ");
            text.push_str(&next.to_string());
            cause = next;
        }
        Some(text)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)?;
        if let Some(hint) = &self.0.hint {
            write!(f, " {hint}")?;
        }
        Ok(())
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

/// Makes outside text fit to stand inside a message: control and invisible characters become `?`, at
/// most `max` characters stay.
pub fn sanitise_fragment(text: &str, max: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == max {
            out.push('…');
            break;
        }
        out.push(if c.is_control() || is_invisible(c) { '?' } else { c });
    }
    out
}

/// Characters that change what a reader sees without showing themselves: zero-width, joiners, direction
/// marks, the byte order mark, soft hyphens, variation selectors and the tag block.
pub fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x034F | 0x061C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_lose_what_could_deceive_and_keep_the_rest() {
        assert_eq!(sanitise_fragment("a\nb\u{202e}c", 64), "a?b?c");
        assert_eq!(sanitise_fragment("größe", 3), "grö…");
        assert_eq!(sanitise_fragment("größe", 5), "größe");
    }

    #[test]
    fn the_cause_chain_stays_out_of_the_display() {
        let cause = std::io::Error::other("db.internal refused");
        let error = ToolError::new(Code::new("SQL_FAILED"), "The query failed.").source(cause);
        assert_eq!(error.to_string(), "SQL_FAILED: The query failed.");
        assert_eq!(error.cause_chain().as_deref(), Some("db.internal refused"));
    }
}
