//! The record of what is about to change and what became of it.

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;

use crate::caller::Caller;
use crate::effects::Effects;

/// A mutating call that is about to be performed.
#[derive(Clone, Debug)]
pub struct Intent {
    /// The run.
    pub run: String,
    /// The call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The arguments as they run, secrets masked.
    pub arguments: Value,
    /// The digest of the approved plan.
    pub digest: String,
    /// Who asked.
    pub caller: Caller,
    /// When.
    pub at: Timestamp,
}

/// A call that has ended, whatever its outcome.
#[derive(Clone, Debug)]
pub struct Record {
    /// The run.
    pub run: String,
    /// The call.
    pub call: String,
    /// The tool as it was named.
    pub tool: String,
    /// The arguments as they ran, or as they came when they never got that far; secrets masked.
    pub arguments: Value,
    /// Who asked.
    pub caller: Caller,
    /// What the call did, if it got as far as being known.
    pub effects: Option<Effects>,
    /// `None` for a success, else the code.
    pub code: Option<&'static str>,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in microseconds.
    pub micros: u64,
}

/// The journal could not be written. The text is for the operator.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the journal could not be written: {0}")]
pub struct JournalError(pub String);

/// Keeps intents and records. If an intent cannot be kept, the call is not performed.
pub trait Journal: Send + Sync + 'static {
    /// Keeps the intent of a mutating call before it is performed.
    fn intent<'a>(&'a self, intent: &'a Intent) -> BoxFuture<'a, Result<(), JournalError>>;

    /// Keeps what became of a call.
    fn record<'a>(&'a self, record: &'a Record) -> BoxFuture<'a, Result<(), JournalError>>;
}

/// Writes intents and records to the log, under the target `siteclaw::journal`.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogJournal;

impl Journal for LogJournal {
    fn intent<'a>(&'a self, intent: &'a Intent) -> BoxFuture<'a, Result<(), JournalError>> {
        tracing::info!(
            target: "siteclaw::journal",
            run = intent.run, call = intent.call, tool = intent.tool, caller = intent.caller.label(),
            digest = intent.digest, "intent"
        );
        Box::pin(std::future::ready(Ok(())))
    }

    fn record<'a>(&'a self, record: &'a Record) -> BoxFuture<'a, Result<(), JournalError>> {
        tracing::debug!(
            target: "siteclaw::journal",
            run = record.run, call = record.call, tool = record.tool, caller = record.caller.label(),
            code = record.code.unwrap_or("OK"), micros = record.micros, "record"
        );
        Box::pin(std::future::ready(Ok(())))
    }
}
