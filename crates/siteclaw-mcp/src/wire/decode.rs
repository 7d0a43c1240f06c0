//! A line as a message, or the reason why it is none.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId};
use serde::Deserialize;
use serde_json::Value;
use siteclaw_core::sanitise_fragment;

use super::MAX_VALUES;

/// What a line holds.
pub(super) enum Decoded {
    /// Something for the session.
    Message(Box<ClientJsonRpcMessage>),
    /// A blank line, or a notification nobody understands: neither is answered.
    Nothing,
    /// No message. The error is sent with the id, if there is one that a client could wait for.
    Refused(ErrorData, Option<RequestId>),
}

/// Reads a line. Nesting beyond 128 levels is a parse error.
pub(super) fn decode(line: &[u8]) -> Decoded {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Decoded::Nothing;
    }
    if line.len() > MAX_VALUES && values(line) > MAX_VALUES {
        return refused(&format!("The message holds more than {MAX_VALUES} values."));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            // The error's text names a position and a rule, never what stands there.
            let error = ErrorData::parse_error(format!("The line is not JSON: {error}."), None);
            return Decoded::Refused(error, None);
        }
    };
    let Value::Object(message) = &value else {
        return refused(match value {
            Value::Array(_) => "Batches are not taken: send one message a line.",
            _ => "A message is a JSON object.",
        });
    };
    let method = message.get("method").and_then(Value::as_str).map(|method| sanitise_fragment(method, 64));
    let id = message.get("id");
    let awaited = if method.is_some() { id.and_then(|id| RequestId::deserialize(id).ok()) } else { None };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        let error = ErrorData::invalid_request("The member 'jsonrpc' must be \"2.0\".", None);
        return Decoded::Refused(error, awaited);
    }
    let is_notification = message.contains_key("method") && id.is_none();
    match serde_json::from_value(value) {
        Ok(message) => Decoded::Message(Box::new(message)),
        Err(error) if is_notification => {
            tracing::debug!(%error, "a notification was not understood");
            Decoded::Nothing
        }
        Err(_) => match (method, awaited) {
            (Some(method), Some(id)) => Decoded::Refused(wrong_parameters(&method), Some(id)),
            _ => refused(
                "The message is no request, notification or response: a request has a 'method', and an 'id' that \
                 is a text or a whole number.",
            ),
        },
    }
}

/// The error of a request whose `params` the protocol does not allow. The method's name must be fit to show.
pub(crate) fn wrong_parameters(method: &str) -> ErrorData {
    let text = format!("The parameters of '{method}' do not have the form that the protocol asks for.");
    ErrorData::invalid_params(text, None)
}

fn refused(reason: &str) -> Decoded {
    Decoded::Refused(ErrorData::invalid_request(reason.to_owned(), None), None)
}

/// How many values a line may hold at most, without parsing it: one more than its commas, and one for each
/// bracket that opens.
fn values(line: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage};

    use super::*;

    fn code(line: &[u8]) -> Option<i32> {
        match decode(line) {
            Decoded::Refused(error, _) => Some(error.code.0),
            Decoded::Message(_) | Decoded::Nothing => None,
        }
    }

    #[test]
    fn what_is_not_json_is_a_parse_error_and_what_is_no_message_an_invalid_request() {
        for line in
            [&b"{"[..], b"hello", b"{\"jsonrpc\":\"2.0\",", b"\"\xff\xfe\"", b"{\"a\":\"\xc3\x28\"}", b"\xff"]
        {
            assert_eq!(code(line), Some(-32700), "{line:?}");
        }
        let deep = [vec![b'['; 200], vec![b']'; 200]].concat();
        assert_eq!(code(&deep), Some(-32700));
        for line in [
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            "7",
            "null",
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0"}"#,
        ] {
            assert_eq!(code(line.as_bytes()), Some(-32600), "{line}");
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_is_refused_under_its_id() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}"#, Some(RequestId::Number(7))),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, Some(RequestId::String("a".into()))),
            (r#"{"jsonrpc":"1.0","id":"a","result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, None),
        ] {
            assert!(matches!(decode(line.as_bytes()), Decoded::Refused(_, told) if told == id), "{line}");
        }
    }

    #[test]
    fn blank_lines_and_foreign_notifications_are_passed_over() {
        assert!(matches!(decode(b""), Decoded::Nothing));
        assert!(matches!(decode(b" \t\r"), Decoded::Nothing));
        assert!(matches!(decode(br#"{"jsonrpc":"2.0","method":[]}"#), Decoded::Nothing));
    }

    #[test]
    fn a_request_is_read_with_a_mark_before_it_and_a_carriage_return_behind() {
        let Decoded::Message(message) =
            decode(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\r")
        else {
            panic!("no message")
        };
        assert!(matches!(*message, JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::PingRequest(_))));
    }

    #[test]
    fn a_call_without_an_id_is_a_notification_and_never_a_call() {
        let line =
            br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"file_write","arguments":{}}}"#;
        match decode(line) {
            Decoded::Message(message) => {
                assert!(matches!(*message, JsonRpcMessage::Notification(notification)
                if matches!(notification.notification, ClientNotification::CustomNotification(_))))
            }
            Decoded::Nothing => {}
            Decoded::Refused(error, _) => panic!("{error:?}"),
        }
    }

    #[test]
    fn values_are_counted_outside_texts_only() {
        assert_eq!(values(br#"{"a":[1,2,{"b":"x,[{\",["}]}"#), 6);
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":[{}0]}}"#, "0,".repeat(MAX_VALUES));
        assert_eq!(code(line.as_bytes()), Some(-32600));
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":"{}"}}}}"#,
            ",".repeat(MAX_VALUES)
        );
        assert_eq!(code(text.as_bytes()), None);
    }
}
