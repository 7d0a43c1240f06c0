//! Why a statement was not let through, as a value with a stable code.
//!
//! Every message names what was wrong in the statement and never repeats data, a configuration value or
//! text of the driver. Names that came from the statement are shortened and made visible first.

use std::fmt;

use serde_json::{Map, Value};
use siteclaw_core::{Code, ToolError};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// What kind of thing was refused. The names are part of the interface.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum RefusalCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl RefusalCode {
            /// Every code, for the reference.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The code as it stands in envelopes.
            pub const fn code(self) -> Code {
                match self { $(Self::$variant => Code::new($name),)+ }
            }
        }
    };
}

codes! {
    /// Nothing but white space, comments or semicolons.
    Empty = "SQL_EMPTY";
    /// More bytes than the cap.
    TooLong = "SQL_TOO_LONG";
    /// Too deeply nested, too many operators, or a view that unfolds too far.
    TooDeep = "SQL_TOO_DEEP";
    /// Not valid in the SQL of this database, or in a form that cannot be checked.
    Syntax = "SQL_SYNTAX";
    /// More than one statement.
    Multiple = "SQL_MULTIPLE";
    /// Something other than a query, or a query that writes.
    NotSelect = "SQL_NOT_SELECT";
    /// A comment whose text the server would run.
    Comment = "SQL_COMMENT";
    /// A clause, operator or type that a read-only query has no need of.
    BlockedClause = "SQL_BLOCKED_CLAUSE";
    /// A function that is not on the list.
    Function = "SQL_FUNCTION";
    /// A table that does not exist here.
    Table = "SQL_TABLE";
    /// A schema or database other than the site's own.
    Schema = "SQL_SCHEMA";
    /// A column that holds secrets was named.
    RestrictedIdentifier = "SQL_RESTRICTED_IDENTIFIER";
    /// A view that cannot be unfolded to what it reads.
    View = "SQL_VIEW";
    /// A table that the site's policy closes.
    Policy = "SQL_POLICY";
    /// The check itself could not be carried out.
    Unchecked = "SQL_UNCHECKED";
}

/// A refused statement: nothing was sent to the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What kind of thing was refused.
    pub code: RefusalCode,
    /// What was wrong, in one sentence.
    pub message: String,
    /// What to write instead, if that is known.
    pub hint: Option<String>,
    /// Facts a program can read: `suggestions`, `table`, `use_instead`, `function`, `limit`.
    pub context: Box<Map<String, Value>>,
}

impl Refusal {
    pub(super) fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, context: Box::default() }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.context.insert(key.to_owned(), value.into());
        self
    }

    pub(super) fn clause(what: &str) -> Self {
        Self::new(RefusalCode::BlockedClause, format!("{what} is not allowed in a read-only query."))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.code(), self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        let mut error = ToolError::new(refusal.code.code(), refusal.message);
        if let Some(hint) = refusal.hint {
            error = error.hint(hint);
        }
        for (key, value) in *refusal.context {
            error = error.with(&key, value);
        }
        error
    }
}
