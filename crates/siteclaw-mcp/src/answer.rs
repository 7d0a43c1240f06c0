//! Envelopes as answers of the protocol.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;
use siteclaw_core::{Envelope, ToolError, code};

/// The answer to a call.
///
/// A success is the envelope twice: structured, as the output schema says, and as text for clients that
/// read only that. A failure is text alone, because the output schema describes successes. A name that is
/// not on the list is an error of the request itself, which the protocol answers with -32602.
pub(crate) fn of(envelope: &Envelope) -> Result<CallToolResult, ErrorData> {
    let value = envelope.to_value();
    match envelope {
        Envelope::Success { .. } => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            Ok(result)
        }
        Envelope::Failure { code: failed, message, hint, .. }
            if *failed == code::UNKNOWN_TOOL || *failed == code::TOOL_NOT_OFFERED =>
        {
            let text = match hint {
                Some(hint) => format!("{message} {hint}"),
                None => message.clone(),
            };
            Err(ErrorData::invalid_params(text, value.get("error").cloned()))
        }
        Envelope::Failure { .. } => Ok(failure(&value)),
    }
}

/// The answer to a call that the queue had no room for.
pub(crate) fn busy(most: usize) -> CallToolResult {
    let error = ToolError::new(code::BUSY, format!("{most} calls are under way; there is no room for more."))
        .hint("Wait for an answer and make the call again.")
        .retryable();
    failed(&error)
}

/// What a cancelled call ends with. The client has asked not to hear of it, so it is never sent.
pub(crate) fn cancelled() -> CallToolResult {
    failed(&ToolError::new(code::CANCELLED, "The call was cancelled."))
}

/// The answer to a call whose handling panicked outside the tool.
pub(crate) fn broken() -> CallToolResult {
    let error = ToolError::new(code::INTERNAL, "The call failed by a fault of the program.")
        .hint("The operator finds the reason in the log.");
    failed(&error)
}

fn failed(error: &ToolError) -> CallToolResult {
    failure(&Envelope::failure(error, Vec::new()).to_value())
}

fn failure(envelope: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(envelope.to_string())])
}
