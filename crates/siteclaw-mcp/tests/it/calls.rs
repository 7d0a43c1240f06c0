//! What a call answers.

use serde_json::{Value, json};

use crate::client::{Client, data, failure, options};

/// The output schema that the server lists for a tool.
async fn output_schema(client: &mut Client, tool: &str) -> Value {
    client.request(1, "tools/list", json!({})).await;
    let answer = client.receive().await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().find(|listed| listed["name"] == tool).unwrap()["outputSchema"].clone()
}

#[tokio::test]
async fn a_success_is_the_envelope_as_the_schema_says_and_the_same_as_text() {
    let mut client = Client::new().await;
    let result = client.call("echo", json!({"text": "hä"})).await;
    let envelope = json!({"success": true, "data": {"text": "hä"}, "meta": {}, "warnings": []});
    assert_eq!(result["isError"], false);
    assert_eq!(result["structuredContent"], envelope);
    assert_eq!(result["content"], json!([{"type": "text", "text": envelope.to_string()}]));
    let schema = output_schema(&mut client, "echo").await;
    assert!(jsonschema::is_valid(&schema, &result["structuredContent"]));
}

#[tokio::test]
async fn a_result_that_was_cut_is_within_its_budget_and_still_as_the_schema_says() {
    for budget in [500, 3_000, 10_000] {
        let mut client = Client::open(options().budget(budget)).await;
        let result = client.call("huge", json!({})).await;
        let envelope = &result["structuredContent"];
        let schema = output_schema(&mut client, "huge").await;
        assert!(jsonschema::is_valid(&schema, envelope), "{envelope}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), envelope);
        if budget > 500 {
            assert!(text.chars().count() <= budget, "{} > {budget}", text.chars().count());
        }
        let kept = data(&result)["rows"].as_array().unwrap().len();
        assert_eq!(envelope["meta"]["next_offset"], kept);
        assert_eq!(envelope["warnings"][0]["code"], "OUTPUT_TRUNCATED");
    }
}

#[tokio::test]
async fn a_failure_is_an_error_with_the_envelope_as_text_alone() {
    let mut client = Client::new().await;
    let result = client.call("fail", json!({})).await;
    let expected = json!({
        "success": false,
        "error": {"code": "NOT_FOUND", "message": "No post has the id 7.", "retryable": false,
                  "hint": "List posts first.", "id": 7},
        "data": null,
        "meta": {"mode": "error"},
        "warnings": []
    });
    assert_eq!(failure(&result), expected);
}

#[tokio::test]
async fn arguments_are_tidied_and_what_was_moved_is_a_warning() {
    let mut client = Client::new().await;
    let result = client.call("echo", json!({"text": "ab", "times": "9"})).await;
    assert_eq!(data(&result), &json!({"text": "ababababab"}));
    assert_eq!(result["structuredContent"]["warnings"][0]["code"], "ARGUMENT_ADJUSTED");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_a_failure_the_model_can_act_on() {
    let mut client = Client::new().await;
    let envelope = failure(&client.call("echo", json!({"txt": "a"})).await);
    assert_eq!(envelope["error"]["code"], "UNKNOWN_ARGUMENT");
    assert_eq!(envelope["error"]["accepted_arguments"], json!(["text", "times"]));
    client.request(1, "tools/call", json!({"name": "echo"})).await;
    let envelope = failure(&client.receive().await["result"]);
    assert_eq!(envelope["error"]["code"], "MISSING_ARGUMENT");
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_request_that_names_the_nearest() {
    let mut client = Client::new().await;
    client.send(1, "ecko", json!({})).await;
    let answer = client.receive().await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "There is no tool named 'ecko'. Did you mean 'echo'?");
    assert_eq!(answer["error"]["data"]["code"], "UNKNOWN_TOOL");
    assert_eq!(answer["error"]["data"]["nearest"], json!(["echo"]));
}

#[tokio::test]
async fn a_call_of_the_wrong_form_is_an_error_of_the_request() {
    let mut client = Client::new().await;
    for params in [
        json!({"name": "echo", "arguments": "text"}),
        json!({"name": "echo", "arguments": [1]}),
        json!({"name": 7, "arguments": {}}),
        json!({"arguments": {}}),
        json!([]),
    ] {
        client.request(1, "tools/call", params.clone()).await;
        let answer = client.receive().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32602)), "{params}");
    }
    client.say(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call"}"#).await;
    assert_eq!(client.receive().await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_panic_is_one_failed_call_and_says_nothing_of_its_reason() {
    let mut client = Client::new().await;
    let result = client.call("panics", json!({})).await;
    assert_eq!(failure(&result)["error"]["code"], "INTERNAL");
    assert!(!result.to_string().contains("the secret reason"));
    assert_eq!(data(&client.call("get", json!({})).await), &json!({"value": 0}));
}

#[tokio::test]
async fn the_run_is_tainted_from_the_start_and_nothing_is_approved_unless_a_gate_says_so() {
    let mut client = Client::open(siteclaw_mcp::McpOptions::new("t", "1")).await;
    for tool in ["send", "hold_write"] {
        let arguments = if tool == "send" { json!({}) } else { json!({"name": "w"}) };
        let envelope = failure(&client.call(tool, arguments).await);
        assert_eq!(envelope["error"]["code"], "APPROVAL_DENIED", "{tool}");
    }
    assert_eq!(client.board.log(), Vec::<String>::new());
}

#[tokio::test]
async fn a_tool_for_persons_is_refused_although_nobody_listed_it() {
    let mut client = Client::new().await;
    assert_eq!(failure(&client.call("attended", json!({})).await)["error"]["code"], "FORBIDDEN");
}

#[tokio::test]
async fn a_call_without_an_id_does_not_run() {
    let mut client = Client::new().await;
    client
        .say(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"put","arguments":{"value":9}}}"#)
        .await;
    assert_eq!(data(&client.call("get", json!({})).await), &json!({"value": 0}));
    assert_eq!(client.board.log(), ["get sees 0"]);
}
