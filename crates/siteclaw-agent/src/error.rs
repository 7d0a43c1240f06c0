//! Why a message got no answer.

use crate::answer::Answer;
use crate::provider::ProviderError;

/// A message that got no answer. Failures of tools are none: they go back to the provider as results.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// There is nothing to answer.
    #[error("the message is empty; say what you want to know or have done")]
    EmptyMessage,
    /// The message is too long to be read.
    #[error("the message has {bytes} bytes and may have {limit}; put long text into a file and name it")]
    MessageTooLong {
        /// Its bytes.
        bytes: usize,
        /// The most bytes.
        limit: usize,
    },
    /// The provider failed.
    #[error("the provider '{}' gave no answer: {source}", done.provider)]
    Provider {
        /// Why.
        source: ProviderError,
        /// The calls that were made before.
        done: Box<Answer>,
    },
    /// The provider answered with neither text nor calls.
    #[error("the provider '{}' gave an empty answer; ask again, or choose another model", done.provider)]
    EmptyReply {
        /// The calls that were made before.
        done: Box<Answer>,
    },
    /// The answer never had the form that was asked for.
    #[error("the provider '{}' gave no answer in the form that was asked for: {problem}", done.provider)]
    Unshaped {
        /// What was wrong with the last one.
        problem: String,
        /// The calls that were made before, and the last text.
        done: Box<Answer>,
    },
    /// The form that is asked for is no JSON Schema of an object.
    #[error("the form of the answer is no JSON Schema of an object: {0}")]
    Schema(String),
}

impl AgentError {
    /// What was done before the failure.
    pub fn done(&self) -> Option<&Answer> {
        match self {
            Self::Provider { done, .. } | Self::EmptyReply { done } | Self::Unshaped { done, .. } => {
                Some(done)
            }
            Self::EmptyMessage | Self::MessageTooLong { .. } | Self::Schema(_) => None,
        }
    }
}
