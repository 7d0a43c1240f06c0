//! What comes of a message.

use serde::Serialize;
use serde_json::Value;

use crate::prices::Cost;
use crate::provider::Usage;

/// The answer to a message. As JSON it has the fields that `send --json` prints: text, provider, model,
/// tools_called, usage and run_id.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The text for the user. Empty only where [`end`](Self::end) says that there is no answer.
    pub text: String,
    /// The provider that answered.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Every call, in the order of the calls, refused ones too.
    pub tools_called: Vec<CalledTool>,
    /// What all turns together cost.
    pub usage: Usage,
    /// The run.
    pub run_id: String,
    /// What all turns together cost, where the price of each is known.
    #[serde(rename = "cost_usd", skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The model's thinking as far as it may be shown, of all turns.
    #[serde(skip)]
    pub thinking: String,
    /// Turns of the provider.
    #[serde(skip)]
    pub iterations: u32,
    /// Whether this is the whole answer. As JSON it stands only where it is not.
    #[serde(skip_serializing_if = "End::is_answered")]
    pub end: End,
}

/// A call that was made or refused on the way to an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalledTool {
    /// The tool as it was named.
    pub name: String,
    /// The arguments as they ran, secrets masked.
    pub input: Value,
    /// Whether the tool did its work.
    pub success: bool,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With an answer.
    #[default]
    Answered,
    /// With an answer that the model's limit of output cut short.
    CutShort,
    /// Without one: the model or its provider declined.
    Declined,
    /// The run was cancelled; the calls until then stand.
    Cancelled,
    /// The limit of iterations was reached; the calls until then stand. The text is what the model could say when it
    /// was asked for an answer without further calls.
    OutOfIterations,
    /// The limit of tokens was reached; the calls until then stand.
    OutOfTokens,
}

impl End {
    /// Whether there is a whole answer.
    pub const fn is_answered(&self) -> bool {
        matches!(self, Self::Answered)
    }
}

/// An answer in the form of a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// The value; it fits the schema.
    pub value: Value,
    /// The answer that it was taken from.
    pub answer: Answer,
}
