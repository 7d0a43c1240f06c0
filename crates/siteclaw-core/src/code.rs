//! The error and warning codes that more than one tool uses.
//!
//! A platform's tool may add its own with [`Code::new`](crate::Code::new); these never change meaning.

use crate::error::Code;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {
        $($(#[doc = $doc])+ pub const $name: Code = Code::new(stringify!($name));)+

        /// Every code of this list with its meaning, for the reference.
        pub const ALL: &[(Code, &str)] = &[$(($name, concat!($($doc),+))),+];
    };
}

codes! {
    /// No registered tool has this name.
    UNKNOWN_TOOL;
    /// The tool exists but is not offered to this caller in this turn.
    TOOL_NOT_OFFERED;
    /// The caller lacks a capability that the tool or this input asks for.
    FORBIDDEN;
    /// The arguments hold a key that the tool does not know.
    UNKNOWN_ARGUMENT;
    /// A required argument is absent.
    MISSING_ARGUMENT;
    /// An argument has the wrong type or a value that is not allowed.
    INVALID_ARGUMENT;
    /// `limit`, or the field that serves as one, is not a whole number in range.
    INVALID_LIMIT;
    /// `offset` is not a whole number in range.
    INVALID_OFFSET;
    /// Two arguments exclude each other.
    CONFLICTING_MODES;
    /// An argument guard refused the value.
    ARGUMENT_REFUSED;
    /// The thing that the arguments name does not exist.
    NOT_FOUND;
    /// The extension that the tool reads is installed but not active.
    FEATURE_OFF;
    /// A person, a rule or the absence of both refused a call that needs approval.
    APPROVAL_DENIED;
    /// The call waits for a decision.
    APPROVAL_PENDING;
    /// What would run is no longer what was approved.
    STALE_APPROVAL;
    /// The journal could not take the intent, so nothing was changed.
    JOURNAL_UNAVAILABLE;
    /// The call ran past its deadline and had no effect.
    TIMEOUT;
    /// The call was cancelled and had no effect.
    CANCELLED;
    /// A mutating call ended without its result being known.
    OUTCOME_UNKNOWN;
    /// The caller has too many calls under way.
    BUSY;
    /// A fault of the program; the run goes on.
    INTERNAL;
    /// An argument was moved to the nearest allowed value (warning).
    ARGUMENT_ADJUSTED;
    /// The chosen mode does not use this argument (warning).
    IGNORED_ARGUMENT;
    /// Rows or text were left out to fit the size limit (warning).
    OUTPUT_TRUNCATED;
    /// Text written by others is in the result and must not be taken as instructions (warning).
    UNTRUSTED_CONTENT;
    /// The result holds text that reads like an instruction to a model (warning).
    SUSPICIOUS_CONTENT;
    /// A text of the result holds characters that are not seen or that change what is seen (warning).
    INVISIBLE_CHARACTERS;
    /// The result holds personal or commercially sensitive columns (warning).
    SENSITIVE_DATA;
    /// The statement could not be run; the message says why.
    SQL_FAILED;
    /// The database could not be reached or refused the login.
    DATABASE_UNAVAILABLE;
}
