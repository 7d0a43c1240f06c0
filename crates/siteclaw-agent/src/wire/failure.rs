//! What a refusal of a model server means.
//!
//! Servers put the reason in different places and mean different things by one status. What counts is whether asking
//! again can help, and what a person has to do if not.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use siteclaw_core::sanitise_fragment;

use crate::provider::ProviderError;

/// Characters of a server's words that are kept.
const MAX_MESSAGE: usize = 300;
/// A longer wait is no wait but a date, and not kept as one.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Parts of the words with which servers say that a conversation is too long for the model.
const TOO_LONG: [&str; 10] = [
    "context_length_exceeded",
    "context length",
    "context window",
    "prompt is too long",
    "input is too long",
    "maximum number of tokens",
    "too many tokens",
    "request_too_large",
    "reduce the length",
    "request too large",
];
/// Parts of the words with which a server says that it could not read its own model's call.
const BAD_CALL: [&str; 5] = [
    "tool_use_failed",
    "failed to call a function",
    "tool call validation failed",
    "not in request.tools",
    "malformed_function_call",
];
/// Parts of the words with which a server says that there is no money left: waiting does not help.
const NO_CREDIT: [&str; 4] = ["insufficient_quota", "billing", "credit balance", "insufficient balance"];

/// The error that a body with this status stands for.
pub(crate) fn of_body(status: StatusCode, body: &str, wait: Option<Duration>) -> ProviderError {
    let json: Option<Value> = serde_json::from_str(body).ok();
    // Gemini's streams put their error into a list.
    let json = json.map(|value| match value {
        Value::Array(mut list) if !list.is_empty() => list.swap_remove(0),
        other => other,
    });
    let message = json.as_ref().and_then(words).unwrap_or_else(|| plain(body));
    let wait = wait.or_else(|| json.as_ref().and_then(retry_info));
    let signs = json.map_or_else(|| body.to_owned(), |json| json.to_string()).to_ascii_lowercase();
    classify(status, &signs, message, wait)
}

/// The error that an event within a stream stands for. It has no status of its own.
pub(crate) fn of_event(event: &Value) -> ProviderError {
    let signs = event.to_string().to_ascii_lowercase();
    let message = words(event).unwrap_or_default();
    let error = event.get("error").unwrap_or(event);
    let number = ["code", "status", "status_code"]
        .iter()
        .find_map(|key| error.get(key).and_then(Value::as_u64))
        .and_then(|code| u16::try_from(code).ok())
        .and_then(|code| StatusCode::from_u16(code).ok())
        .filter(|status| status.as_u16() >= 400);
    // The statuses that the types of Anthropic's errors come with outside of a stream.
    let status = number.unwrap_or_else(|| {
        let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
        let code = match kind {
            "invalid_request_error" => 400,
            "authentication_error" => 401,
            "permission_error" => 403,
            "not_found_error" => 404,
            "rate_limit_error" => 429,
            "overloaded_error" => 529,
            _ => 500,
        };
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    });
    classify(status, &signs, message, retry_info(event))
}

fn classify(
    status: StatusCode,
    signs: &str,
    message: String,
    retry_after: Option<Duration>,
) -> ProviderError {
    let has = |parts: &[&str]| parts.iter().any(|part| signs.contains(part));
    let code = status.as_u16();
    let refused = |message: String| ProviderError::Refused {
        status: code,
        message: if message.is_empty() { "it gives no reason".to_owned() } else { message },
    };
    match code {
        400 | 413 | 422 | 500 if has(&BAD_CALL) => ProviderError::BadCall(message),
        400 | 413 | 422 | 500 if has(&TOO_LONG) => ProviderError::TooLong(message),
        402 => refused(message),
        429 if has(&NO_CREDIT) => refused(message),
        429 => ProviderError::Limited { retry_after, message },
        408 | 425 | 500.. => ProviderError::Failed { status: code, retry_after, message },
        _ => refused(message),
    }
}

/// The server's words, wherever it puts them.
fn words(json: &Value) -> Option<String> {
    let error = json.get("error").unwrap_or(json);
    let text = error
        .as_str()
        .or_else(|| error.get("message").and_then(Value::as_str))
        .or_else(|| json.get("message").and_then(Value::as_str))
        .or_else(|| json.get("detail").and_then(Value::as_str))
        .or_else(|| json.pointer("/detail/0/msg").and_then(Value::as_str))
        .or_else(|| json.pointer("/message/detail/0/msg").and_then(Value::as_str))
        .or_else(|| error.get("status").and_then(Value::as_str))?;
    Some(on_one_line(text, MAX_MESSAGE))
}

fn on_one_line(text: &str, most: usize) -> String {
    sanitise_fragment(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

/// A body that is no JSON: a page of a proxy, mostly. What is between tags is left out.
fn plain(body: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in body.chars().take(4_096) {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                text.push(' ');
            }
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    on_one_line(&text, 200)
}

/// `Retry-After` in seconds or as a date, and the finer header that some servers send beside it. A date is compared
/// with the server's own.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return duration(wait / 1_000.0);
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return duration(seconds);
    }
    let moment = |text: &str| rfc2822::parse(text).ok().map(|moment| moment.timestamp());
    let now = text("date").and_then(moment).unwrap_or_else(Timestamp::now);
    let wait = moment(value)?.duration_since(now);
    Duration::try_from(wait).map_or(Some(Duration::ZERO), |wait| (wait <= LONGEST_WAIT).then_some(wait))
}

/// `google.rpc.RetryInfo` in the details of an error.
fn retry_info(json: &Value) -> Option<Duration> {
    let details = json.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    duration(delay.strip_suffix('s')?.parse().ok()?)
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|wait| *wait <= LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn of(status: u16, body: &str) -> ProviderError {
        of_body(StatusCode::from_u16(status).unwrap(), body, None)
    }

    fn refused(status: u16, message: &str) -> ProviderError {
        ProviderError::Refused { status, message: message.to_owned() }
    }

    #[test]
    fn each_server_says_it_in_its_own_place() {
        let table = [
            (
                401,
                r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
                "invalid x-api-key",
            ),
            (404, r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (403, r#"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#, "PERMISSION_DENIED"),
            (
                422,
                r#"{"object":"error","message":{"detail":[{"type":"missing","msg":"Field required"}]}}"#,
                "Field required",
            ),
            (422, r#"{"detail":[{"loc":["body"],"msg":"Input should be valid"}]}"#, "Input should be valid"),
            (400, r#"[{"error":{"code":400,"message":"Bad\nfield"}}]"#, "Bad field"),
            (
                403,
                "<html><head><title>403</title></head><body>Forbidden\n here</body></html>",
                "403 Forbidden here",
            ),
            (404, "", "it gives no reason"),
        ];
        for (status, body, message) in table {
            assert_eq!(of(status, body), refused(status, message), "{body}");
        }
    }

    #[test]
    fn what_it_means_does_not_follow_from_the_status_alone() {
        let message = |message: &str| json!({"error": {"message": message}}).to_string();
        for (status, words) in [
            (400, "This model's maximum context length is 8192 tokens"),
            (400, "prompt is too long: 212000 tokens > 200000 maximum"),
            (400, "The input token count (1) exceeds the maximum number of tokens allowed (1)."),
            (413, "Request too large for model `x` on tokens per minute (TPM)"),
        ] {
            assert!(matches!(of(status, &message(words)), ProviderError::TooLong(_)), "{words}");
        }
        let failed = json!({"error": {"message": "Failed to call a function.", "code": "tool_use_failed"}});
        assert!(matches!(of(400, &failed.to_string()), ProviderError::BadCall(_)));
        let quota = json!({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}});
        assert!(matches!(of(429, &quota.to_string()), ProviderError::Refused { status: 429, .. }));
        assert!(matches!(of(429, &message("slow down")), ProviderError::Limited { .. }));
        for status in [408, 500, 502, 503, 529] {
            assert!(matches!(of(status, "oops"), ProviderError::Failed { .. }), "{status}");
        }
        assert!(matches!(of(400, &message("bad")), ProviderError::Refused { .. }));
    }

    #[test]
    fn waits_are_read_from_every_place() {
        let table = [
            ("retry-after", "20", Some(Duration::from_secs(20))),
            ("retry-after", "1.5", Some(Duration::from_millis(1_500))),
            ("retry-after-ms", "250", Some(Duration::from_millis(250))),
            ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT", Some(Duration::from_secs(30))),
            ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT", Some(Duration::ZERO)),
            ("retry-after", "-3", None),
            ("retry-after", "1e99", None),
            ("retry-after", "NaN", None),
            ("retry-after", "soon", None),
            ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", None),
        ];
        for (name, value, wait) in table {
            let mut headers = HeaderMap::new();
            headers.insert("date", HeaderValue::from_static("Sun, 06 Nov 1994 08:49:37 GMT"));
            headers.insert(name, HeaderValue::from_static(value));
            assert_eq!(retry_after(&headers), wait, "{value}");
        }
        let body = json!({"error": {"code": 429, "message": "quota", "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
        ]}});
        assert_eq!(of(429, &body.to_string()).retry_after(), Some(Duration::from_millis(34_500)));
    }

    #[test]
    fn an_error_within_a_stream_has_the_status_of_its_kind() {
        let overloaded =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        assert_eq!(
            of_event(&overloaded),
            ProviderError::Failed { status: 529, retry_after: None, message: "Overloaded".to_owned() }
        );
        let limited = json!({"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}});
        assert!(matches!(of_event(&limited), ProviderError::Limited { .. }));
        assert!(matches!(
            of_event(&json!({"error": "out of memory"})),
            ProviderError::Failed { status: 500, .. }
        ));
    }
}
