//! Ollama's chat.

use serde_json::{Value, json};
use siteclaw_agent::wire::{Kind, Setup};
use siteclaw_agent::{Choice, ProviderError, Stop, Usage};

use super::server::{Part, Prepared, Server, document};
use super::{Talk, call, foreign_calls, hello, offers, remote, setup, shape};

fn message(message: Value) -> Value {
    json!({"model": "qwen2.5:7b", "created_at": "2026-11-30T12:00:00Z", "message": message, "done": false})
}

fn end(reason: &str) -> Value {
    json!({"model": "qwen2.5:7b", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "prompt_eval_count": 26, "eval_count": 298})
}

fn lines(lines: &[Value]) -> Prepared {
    Prepared {
        status: 200,
        headers: vec![("content-type", "application/x-ndjson".to_owned())],
        parts: lines.iter().map(|line| Part::Send(format!("{line}\n"))).collect(),
    }
}

#[tokio::test]
async fn lines_are_heard_as_they_come_and_calls_are_whole() {
    let call_of = |name: &str, arguments: Value| json!({"function": {"name": name, "arguments": arguments}});
    let server = Server::start(vec![lines(&[
        message(json!({"role": "assistant", "content": "", "thinking": "Hm."})),
        message(json!({"role": "assistant", "content": "Look"})),
        message(json!({"role": "assistant", "content": "ing."})),
        message(json!({"role": "assistant", "content": "", "tool_calls": [
            call_of("wp_query", json!({"search": "a"})), call_of("wp_users", json!("{\"limit\": 2}"))
        ]})),
        end("stop"),
    ])])
    .await;
    let provider = remote(Setup { key: None, max_tokens: Some(100), ..setup(Kind::Ollama, &server) });
    let (reply, heard) =
        Talk::new(&foreign_calls(), &offers(&["wp_query", "wp_users"])).with(&provider).await;
    let reply = reply.unwrap();
    assert_eq!(heard, ["(Hm.)", "Look", "ing.", "[wp_query]", "[wp_users]"]);
    assert_eq!(call(&reply, 0), ("", "wp_query", &json!({"search": "a"})));
    assert_eq!(call(&reply, 1), ("", "wp_users", &json!({"limit": 2})));
    let usage = Usage { input_tokens: 26, output_tokens: 298, ..Usage::default() };
    assert_eq!((reply.usage, reply.stop), (usage, Stop::Whole));

    let asked = server.asked();
    assert_eq!((asked[0].target.as_str(), asked[0].header("authorization")), ("/api/chat", None));
    let body = &asked[0].body;
    // A small model gets one line a tool, and the room for the conversation is stated.
    assert_eq!(body["tools"][0]["function"]["description"], "Finds things.");
    assert_eq!(json!([body["model"], body["stream"]]), json!(["qwen2.5:7b", true]));
    assert_eq!(body["options"], json!({"num_ctx": 8192, "num_predict": 100}));
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": "You help."},
            {"role": "user", "content": "Find a"},
            {"role": "assistant", "content": "Looking.", "tool_calls": [
                {"function": {"name": "wp_query", "arguments": {"search": "a"}}},
                {"function": {"name": "wp_users", "arguments": {}}}
            ]},
            {"role": "tool", "tool_name": "wp_query", "content": "found"},
            {"role": "tool", "tool_name": "wp_users", "content": "not JSON"},
            {"role": "user", "content": "Answer now."}
        ])
    );
}

#[tokio::test]
async fn an_answer_in_one_piece_and_a_cut_one() {
    let mut whole = end("length");
    whole["message"]["content"] = json!("Half a");
    let half = message(json!({"role": "assistant", "content": "Half"}));
    let server = Server::start(vec![
        document(200, whole),
        lines(std::slice::from_ref(&half)),
        lines(&[half, json!({"error": "llama runner process has terminated"})]),
        document(404, json!({"error": "model 'qwen2.5:7b' not found"})),
    ])
    .await;
    let (reply, heard) =
        Talk::new(&hello(), &[]).with(&remote(Setup { stream: false, ..setup(Kind::Ollama, &server) })).await;
    let reply = reply.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.stop, heard.concat().as_str()),
        ("Half a", Stop::Length, "Half a")
    );
    let provider = remote(setup(Kind::Ollama, &server));
    let messages = hello();
    let ask = || async { Talk::new(&messages, &[]).with(&provider).await.0.unwrap_err() };
    assert!(matches!(ask().await, ProviderError::Cut(_)));
    assert!(
        matches!(ask().await, ProviderError::Failed { status: 500, message, .. } if message.contains("terminated"))
    );
    assert_eq!(
        ask().await.to_string(),
        "it refused the request (404): model 'qwen2.5:7b' not found; get it with `ollama pull qwen2.5:7b`"
    );
}

#[tokio::test]
async fn without_calls_the_answer_can_have_a_shape() {
    let server = Server::start((0..3).map(|_| lines(&[end("stop")])).collect()).await;
    let provider = remote(setup(Kind::Ollama, &server));
    let (shape, offers) = (shape(), offers(&["wp_query"]));
    for choice in [Choice::Free, Choice::Shaped, Choice::Nothing] {
        let _ = Talk { choice, shape: Some(&shape), ..Talk::new(&[], &offers) }.with(&provider).await;
    }
    let asked = server.asked();
    assert_eq!(
        json!([asked[0].body.get("format"), asked[0].body["tools"].as_array().map(Vec::len)]),
        json!([null, 2])
    );
    assert_eq!(json!([asked[1].body["format"], asked[1].body.get("tools")]), json!([shape.schema, null]));
    assert_eq!(asked[2].body.get("tools"), None);
}
