//! What a model is told when a request gives no answer.

use std::error::Error;

use siteclaw_core::{Code, ToolError, code, sanitise_fragment};

use crate::network::{CheckedUrl, Refusal};

/// No answer came: the connection failed, or what came was no HTTP.
pub const HTTP_FAILED: Code = Code::new("HTTP_FAILED");
/// An answer led to a place that is not followed.
pub const REDIRECT_REFUSED: Code = Code::new("REDIRECT_REFUSED");
/// One host was asked too often.
pub const RATE_LIMITED: Code = Code::new("RATE_LIMITED");

/// The client gave up. `safe` says that asking cannot have changed anything.
pub(super) fn transport(error: reqwest::Error, url: &CheckedUrl, safe: bool) -> ToolError {
    let host = url.host().shown();
    let reason = reason(&error);
    if !safe && !error.is_connect() {
        return unknown(format!("'{host}' was sent the request and gave no answer: {reason}.")).source(error);
    }
    let what = if error.is_connect() { "could not be reached" } else { "gave no answer" };
    let failed = ToolError::new(HTTP_FAILED, format!("'{host}' {what}: {reason}.")).source(error);
    if safe { failed.retryable() } else { failed }
}

/// The time of the request was over before an answer began.
pub(super) fn timeout(url: &CheckedUrl, safe: bool) -> ToolError {
    let host = url.host().shown();
    if !safe {
        return unknown(format!("'{host}' did not answer in time; it may have the request."));
    }
    ToolError::new(code::TIMEOUT, format!("'{host}' did not answer in time."))
        .hint("Try again later.")
        .retryable()
}

fn unknown(message: String) -> ToolError {
    ToolError::new(code::OUTCOME_UNKNOWN, message)
        .hint("Look at the present state before anything is repeated.")
}

/// An answer of `from` that leads to a place that is refused.
pub(super) fn redirect(from: &CheckedUrl, status: u16, why: &str) -> ToolError {
    let host = from.host().shown();
    ToolError::new(
        REDIRECT_REFUSED,
        format!("'{host}' answered {status} and leads on, which is refused: {why}"),
    )
}

/// As [`redirect`], with the code of the refusal.
pub(super) fn redirect_to(from: &CheckedUrl, status: u16, refused: &Refusal) -> ToolError {
    redirect(from, status, &refused.to_string()).with("cause", refused.code().as_str())
}

pub(super) fn too_often(url: &CheckedUrl, seconds: i64) -> ToolError {
    let host = url.host().shown();
    ToolError::new(RATE_LIMITED, format!("'{host}' was asked too often."))
        .hint(format!("Ask again in {seconds} seconds."))
        .with("retry_after_seconds", seconds)
        .retryable()
}

/// The innermost cause in a few words: it says most, and names no address.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it took too long".to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    sanitise_fragment(cause.to_string().trim_end_matches('.'), 160)
}
