//! The one answer that every call gives.
//!
//! A success carries `data`, `meta` and `warnings`; a failure carries `error` with a stable code. Both are
//! plain JSON, so that a model, a protocol client and a program read the same thing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Code, ToolError};

/// Something that the reader of a result should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A stable code in capitals.
    pub code: String,
    /// One sentence.
    pub message: String,
}

impl Warning {
    /// A warning with one of the codes of [`code`](crate::code).
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code: code.as_str().to_owned(), message: message.into() }
    }
}

/// The answer to a call: what a model reads and `--json` prints.
#[derive(Clone, Debug, PartialEq)]
pub enum Envelope {
    /// The tool did its work.
    Success {
        /// The result, shaped as the tool's output schema says.
        data: Value,
        /// Facts about the result: `mode`, paging fields, sources.
        meta: Map<String, Value>,
        /// What the reader should know.
        warnings: Vec<Warning>,
    },
    /// The call was refused or failed.
    Failure {
        /// The stable code.
        code: Code,
        /// What was wrong and where.
        message: String,
        /// What to do next.
        hint: Option<String>,
        /// Whether the same call may succeed later.
        retryable: bool,
        /// Facts beside the message, merged into `error`.
        context: Map<String, Value>,
        /// What the reader should know.
        warnings: Vec<Warning>,
    },
}

impl Envelope {
    /// The failure envelope of an error. The error's source stays behind.
    pub fn failure(error: &ToolError, warnings: Vec<Warning>) -> Self {
        Self::Failure {
            code: error.code(),
            message: error.message().to_owned(),
            hint: error.hint_text().map(str::to_owned),
            retryable: error.is_retryable(),
            context: error.context().clone(),
            warnings,
        }
    }

    /// Whether the tool did its work.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Success { .. })
    }

    /// The code of a failure.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Success { .. } => None,
            Self::Failure { code, .. } => Some(*code),
        }
    }

    /// The warnings of either kind.
    pub fn warnings(&self) -> &[Warning] {
        match self {
            Self::Success { warnings, .. } | Self::Failure { warnings, .. } => warnings,
        }
    }

    /// The envelope as JSON, keys in a fixed order.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Success { data, meta, warnings } => {
                json!({"success": true, "data": data, "meta": meta, "warnings": warnings})
            }
            Self::Failure { code, message, hint, retryable, context, warnings } => {
                let mut error = Map::new();
                error.insert("code".to_owned(), json!(code.as_str()));
                error.insert("message".to_owned(), json!(message));
                error.insert("retryable".to_owned(), json!(retryable));
                if let Some(hint) = hint {
                    error.insert("hint".to_owned(), json!(hint));
                }
                for (key, value) in context {
                    error.entry(key.clone()).or_insert_with(|| value.clone());
                }
                json!({
                    "success": false, "error": error, "data": null, "meta": {"mode": "error"}, "warnings": warnings
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code;

    #[test]
    fn a_failure_has_the_documented_shape() {
        let error = ToolError::new(code::UNKNOWN_ARGUMENT, "no such key")
            .hint("drop it")
            .with("accepted_arguments", json!(["a"]))
            .with("code", "overwritten?");
        let text = Envelope::failure(&error, vec![]).to_value().to_string();
        assert_eq!(
            text,
            r#"{"success":false,"error":{"code":"UNKNOWN_ARGUMENT","message":"no such key","retryable":false,"hint":"drop it","accepted_arguments":["a"]},"data":null,"meta":{"mode":"error"},"warnings":[]}"#
        );
    }
}
