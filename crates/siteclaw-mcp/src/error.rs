//! Why a server could not start or had to end. What happens to calls is never one of these.

/// A server that cannot start, or a session that did not end by itself.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The list of allowed tools names one that does not exist. Nothing is served then: a misspelt name must
    /// not narrow or widen what is offered unseen.
    #[error("'{name}' in the list of allowed tools names no tool.{hint}")]
    UnknownTool {
        /// The entry.
        name: String,
        /// The nearest names, as a sentence with a space before it, or empty.
        hint: String,
    },
    /// The client and the server could not agree on a session.
    #[error("the client did not open a session: {0}")]
    Handshake(String),
    /// Standard input or output could not be taken over.
    #[error("standard input and output cannot be used for the protocol: {0}")]
    Streams(#[source] std::io::Error),
    /// The session ended by a fault of this program.
    #[error("the session ended by a fault of the program: {0}")]
    Fault(String),
}
