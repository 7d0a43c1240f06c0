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
}

impl AgentError {
    /// What was done before the failure.
    pub fn done(&self) -> Option<&Answer> {
        match self {
            Self::Provider { done, .. } | Self::EmptyReply { done } => Some(done),
            Self::EmptyMessage | Self::MessageTooLong { .. } => None,
        }
    }
}
