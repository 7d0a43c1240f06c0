//! Opening a session, in both ways that the protocol knows, and the list of tools.

use std::sync::Arc;

use rmcp::model::ProtocolVersion;
use rmcp::{ClientLifecycleMode, ClientServiceExt, ServiceExt};
use serde_json::{Value, json};
use siteclaw_core::{Caller, Cancel, Surface};
use siteclaw_mcp::{McpError, McpOptions, McpServer, serve};

use crate::client::{Client, options};
use crate::tools::{self, Board};

#[tokio::test]
async fn a_session_agrees_on_a_revision_and_advertises_tools_alone() {
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::silent(options().instructions("Ask first."));
        let answer = client.initialize(asked).await;
        assert_eq!(
            answer["result"],
            json!({
                "protocolVersion": agreed,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "test", "version": "1.2.3"},
                "instructions": "Ask first."
            })
        );
    }
}

#[tokio::test]
async fn what_is_not_offered_has_no_method() {
    let mut client = Client::new().await;
    for method in ["resources/list", "prompts/list", "logging/setLevel", "tasks/list", "x"] {
        client.request(1, method, json!({})).await;
        assert_eq!(client.receive().await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn ping_is_answered_before_and_after_a_session_opens() {
    let mut client = Client::silent(options());
    client.sync().await;
    client.initialize("2025-11-25").await;
    client.sync().await;
}

#[tokio::test]
async fn nothing_runs_before_a_session_is_open() {
    let mut client = Client::silent(options());
    client.send(1, "put", json!({"value": 1})).await;
    assert_eq!(client.receive().await["error"]["code"], -32602);
    client.initialize("2025-11-25").await;
    assert_eq!(client.board.log(), Vec::<String>::new());
    assert_eq!(client.call("get", json!({})).await["structuredContent"]["data"], json!({"value": 0}));
}

async fn listed(client: &mut Client) -> Vec<Value> {
    client.request(5, "tools/list", json!({})).await;
    let answer = client.receive().await;
    assert_eq!(answer["result"].get("nextCursor"), None);
    answer["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_tool_is_listed_with_its_texts_schemas_and_hints() {
    let mut client = Client::new().await;
    let tools = listed(&mut client).await;
    let echo = json!({
        "name": "echo",
        "title": "Echo",
        "description": "Repeats a text.\nNothing else.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": {"description": "What to repeat.", "type": "string"},
                "times": {"description": "How often, 1 to 5.", "type": "integer", "minimum": 1, "maximum": 5}
            },
            "required": ["text"],
            "additionalProperties": false
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "success": {"type": "boolean", "const": true},
                "data": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}},
                    "required": ["text"],
                    "additionalProperties": false
                },
                "meta": {"type": "object", "additionalProperties": true},
                "warnings": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
                    "required": ["code", "message"],
                    "additionalProperties": false
                }}
            },
            "required": ["success", "data", "meta", "warnings"],
            "additionalProperties": false
        },
        "annotations":
            {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
    });
    assert_eq!(tools[0], echo);
    let hints = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap()["annotations"].clone();
    assert_eq!(
        hints("put"),
        json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false})
    );
    assert_eq!(
        hints("hold_write"),
        json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": false})
    );
    assert_eq!(
        hints("send"),
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true})
    );
}

#[tokio::test]
async fn the_list_keeps_the_order_of_registration_and_leaves_out_what_the_caller_may_not_call() {
    let mut client = Client::new().await;
    let tools = listed(&mut client).await;
    let expected = [
        "echo",
        "hold",
        "hold_write",
        "put",
        "get",
        "nap",
        "fail",
        "panics",
        "send",
        "report",
        "poll",
        "huge",
    ];
    assert_eq!(names(&tools), expected);

    let nobody = Caller::token("t", Vec::<String>::new(), Surface::Mcp);
    let mut client = Client::open(options().caller(nobody)).await;
    assert_eq!(listed(&mut client).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_cursor_that_was_never_given_out_is_refused() {
    let mut client = Client::new().await;
    client.request(1, "tools/list", json!({"cursor": "2"})).await;
    assert_eq!(client.receive().await["error"]["code"], -32602);
}

#[tokio::test]
async fn allowed_names_narrow_what_is_listed_and_called() {
    let mut client = Client::open(options().allow(["get", "echo"])).await;
    assert_eq!(names(&listed(&mut client).await), ["echo", "get"]);
    client.send(1, "put", json!({"value": 1})).await;
    let answer = client.receive().await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["data"]["code"], "TOOL_NOT_OFFERED");
    assert_eq!(answer["error"]["data"]["offered"], json!(["echo", "get"]));
    assert_eq!(client.board.log(), Vec::<String>::new());
}

#[test]
fn an_allowed_name_that_no_tool_has_stops_the_server() {
    let executor = tools::executor(tools::registry(&Board::new())).build();
    let error = McpServer::new(executor, McpOptions::new("t", "1").allow(["get", "ecko"])).err().unwrap();
    assert!(matches!(&error, McpError::UnknownTool { name, .. } if name == "ecko"));
    assert_eq!(error.to_string(), "'ecko' in the list of allowed tools names no tool. Did you mean 'echo'?");
}

fn serve_to(client: tokio::io::DuplexStream) {
    let executor = tools::executor(tools::registry(&Board::new())).build();
    let server = McpServer::new(executor, options()).unwrap();
    let (reader, writer) = tokio::io::split(client);
    tokio::spawn(serve(server, reader, writer, Cancel::new()));
}

#[tokio::test]
async fn the_official_client_opens_a_session_and_calls() {
    let (near, far) = tokio::io::duplex(64 * 1024);
    serve_to(far);
    let client = ().serve(near).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 12);
    let call = rmcp::model::CallToolRequestParams::new("echo")
        .with_arguments(json!({"text": "hi"}).as_object().unwrap().clone());
    let result = client.call_tool(call).await.unwrap();
    assert_eq!(result.structured_content.unwrap()["data"]["text"], "hi");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn the_revision_without_a_handshake_is_served_as_well() {
    let (near, far) = tokio::io::duplex(64 * 1024);
    serve_to(far);
    let lifecycle = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let client = Arc::new(()).serve_with_lifecycle(near, lifecycle).await.unwrap();
    assert_eq!(client.list_all_tools().await.unwrap().len(), 12);
    let call = rmcp::model::CallToolRequestParams::new("echo")
        .with_arguments(json!({"text": "hi"}).as_object().unwrap().clone());
    let result = client.call_tool(call).await.unwrap();
    assert_eq!(result.structured_content.unwrap()["data"]["text"], "hi");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_request_that_carries_its_revision_needs_no_session() {
    let mut client = Client::silent(options());
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}});
    client.request(1, "server/discover", json!({"_meta": meta})).await;
    let answer = client.receive().await;
    assert!(
        answer["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{answer}"
    );
    client.request(2, "tools/call", json!({"_meta": meta, "name": "get", "arguments": {}})).await;
    let answer = client.receive().await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["data"], json!({"value": 0}));
}
