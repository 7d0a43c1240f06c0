//! Google's Gemini.

use serde_json::{Value, json};
use siteclaw_agent::wire::{Effort, Kind, Setup};
use siteclaw_agent::{Choice, Message, ProviderError, Stop, Usage};

use super::server::{Part, Server, document, event, events};
use super::{KEY, Talk, call, foreign_calls, hello, offers, remote, result, setup, shape};

fn parts(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]})
}

fn end(reason: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason, "index": 0}],
        "usageMetadata": {"promptTokenCount": 5_000_000_100_u64, "cachedContentTokenCount": 5_000_000_000_u64,
            "candidatesTokenCount": 20, "thoughtsTokenCount": 30, "totalTokenCount": 5_000_000_150_u64}})
}

#[tokio::test]
async fn signatures_go_back_with_the_parts_they_came_with() {
    let calls = events([
        parts(json!([{"text": "Thinking of it.", "thought": true}])),
        parts(json!([{"text": "Look"}])),
        parts(json!([{"text": "ing."}])),
        parts(json!([
            {"functionCall": {"name": "wp_query", "args": {"search": "ä"}}, "thoughtSignature": "c2lnbmVk"},
            {"functionCall": {"id": "f2", "name": "wp_users", "args": {}}}
        ])),
        end("STOP"),
    ]);
    let server = Server::start(vec![calls, events([parts(json!([{"text": "Done."}])), end("STOP")])]).await;
    let provider = remote(setup(Kind::Gemini, &server));
    let offers = offers(&["wp_query", "wp_users"]);
    let mut messages = hello();
    let (reply, heard) = Talk::new(&messages, &offers).with(&provider).await;
    let reply = reply.unwrap();
    assert_eq!(heard, ["(Thinking of it.)", "Look", "ing.", "[wp_query]", "[wp_users]"]);
    let (id, name, arguments) = call(&reply, 0);
    assert!(id.starts_with("call_"), "{id}");
    assert_eq!((name, arguments), ("wp_query", &json!({"search": "ä"})));
    assert_eq!(call(&reply, 1), ("f2", "wp_users", &json!({})));
    let usage = Usage {
        input_tokens: 100,
        output_tokens: 50,
        cache_read_tokens: 5_000_000_000,
        cache_write_tokens: 0,
    };
    assert_eq!((reply.usage, reply.stop, reply.thinking.as_str()), (usage, Stop::Whole, "Thinking of it."));

    let id = id.to_owned();
    messages.push(Message::Assistant { text: reply.text, calls: reply.calls, echo: reply.echo });
    messages.push(Message::Results(vec![
        result(&id, "wp_query", "found", true),
        result("f2", "wp_users", "forbidden", false),
    ]));
    let (reply, _) = Talk::new(&messages, &offers).with(&provider).await;
    assert_eq!(reply.unwrap().text, "Done.");

    let asked = server.asked();
    assert_eq!(asked[0].target, "/v1beta/models/gemini-3.5-flash-lite:streamGenerateContent?alt=sse");
    assert_eq!((asked[0].header("x-goog-api-key"), asked[0].header("authorization")), (Some(KEY), None));
    assert_eq!(
        asked[0].body,
        json!({
            "systemInstruction": {"parts": [{"text": "You help."}]},
            "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
            "tools": [{"functionDeclarations": [
                {"name": "wp_query", "description": "Finds things.\nAt length.", "parameters": {
                    "type": "object", "properties": {
                        "search": {"type": "string", "description": "Words to look for."},
                        "limit": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 50}
                    }
                }},
                {"name": "wp_users", "description": "Finds things.\nAt length.", "parameters": {
                    "type": "object", "properties": {
                        "search": {"type": "string", "description": "Words to look for."},
                        "limit": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 50}
                    }
                }}
            ]}]
        })
    );
    assert_eq!(
        asked[1].body["contents"],
        json!([
            {"role": "user", "parts": [{"text": "Hello"}]},
            {"role": "model", "parts": [
                {"text": "Thinking of it.", "thought": true},
                {"text": "Looking."},
                {"functionCall": {"name": "wp_query", "args": {"search": "ä"}, "id": id},
                 "thoughtSignature": "c2lnbmVk"},
                {"functionCall": {"id": "f2", "name": "wp_users", "args": {}}},
                {"text": ""}
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": id, "name": "wp_query", "response": {"content": "found"}}},
                {"functionResponse": {"id": "f2", "name": "wp_users", "response": {"content": "forbidden"}}}
            ]}
        ])
    );
}

#[tokio::test]
async fn what_another_model_called_carries_the_mark_for_that() {
    let server = Server::start(vec![document(200, end("STOP"))]).await;
    let provider = remote(Setup { stream: false, ..setup(Kind::Gemini, &server) });
    let _ = Talk::new(&foreign_calls(), &offers(&["wp_query"])).with(&provider).await;
    let asked = server.asked();
    assert_eq!(asked[0].target, "/v1beta/models/gemini-3.5-flash-lite:generateContent");
    let contents = &asked[0].body["contents"];
    assert_eq!(
        contents[1]["parts"],
        json!([
            {"text": "Looking."},
            {"functionCall": {"id": "call:1 ä", "name": "wp_query", "args": {"search": "a"}},
             "thoughtSignature": "skip_thought_signature_validator"},
            {"functionCall": {"id": "call_2", "name": "wp_users", "args": {}},
             "thoughtSignature": "skip_thought_signature_validator"}
        ])
    );
    assert_eq!(contents[2]["parts"][2], json!({"text": "Answer now."}));
}

#[tokio::test]
async fn each_reason_to_stop_is_told_apart() {
    let reasons = [
        ("STOP", Stop::Whole),
        ("MAX_TOKENS", Stop::Length),
        ("SAFETY", Stop::Declined),
        ("RECITATION", Stop::Declined),
    ];
    let mut prepared: Vec<_> = reasons.iter().map(|(reason, _)| events([end(reason)])).collect();
    prepared.push(events([json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})]));
    prepared.push(events([end("MALFORMED_FUNCTION_CALL")]));
    prepared.push(events([parts(json!([{"text": "Half"}]))]));
    prepared.push(events([parts(json!([{"text": "Half"}]))]).then(Part::Send(event(
        json!([{"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}]),
    ))));
    let server = Server::start(prepared).await;
    let provider = remote(setup(Kind::Gemini, &server));
    let messages = hello();
    let ask = || async { Talk::new(&messages, &[]).with(&provider).await.0 };
    for (reason, stop) in reasons {
        assert_eq!(ask().await.unwrap().stop, stop, "{reason}");
    }
    assert_eq!(ask().await.unwrap().stop, Stop::Declined);
    assert_eq!(ask().await, Err(ProviderError::BadCall("MALFORMED_FUNCTION_CALL".to_owned())));
    assert!(matches!(ask().await, Err(ProviderError::Cut(_))));
    assert!(matches!(ask().await, Err(ProviderError::Failed { status: 503, .. })));
}

#[tokio::test]
async fn calls_can_be_forbidden_and_an_answer_shaped() {
    let server = Server::start((0..4).map(|_| events([end("STOP")])).collect()).await;
    let shape = shape();
    let offers = offers(&["wp_query"]);
    let effort = remote(Setup { effort: Some(Effort::Low), ..setup(Kind::Gemini, &server) });
    let _ = Talk { choice: Choice::Nothing, ..Talk::new(&[], &offers) }.with(&effort).await;
    let budget =
        remote(Setup { thinking_tokens: Some(512), max_tokens: Some(9), ..setup(Kind::Gemini, &server) });
    let _ =
        Talk { choice: Choice::Shaped, shape: Some(&shape), ..Talk::new(&[], &offers) }.with(&budget).await;
    let plain = remote(setup(Kind::Gemini, &server));
    let _ = Talk { choice: Choice::Shaped, shape: Some(&shape), ..Talk::new(&[], &[]) }.with(&plain).await;
    let asked = server.asked();
    assert_eq!(asked[0].body["toolConfig"], json!({"functionCallingConfig": {"mode": "NONE"}}));
    assert_eq!(
        asked[0].body["generationConfig"],
        json!({"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true}})
    );
    assert_eq!(
        asked[1].body["toolConfig"],
        json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["give_answer"]}})
    );
    assert_eq!(
        asked[1].body["generationConfig"],
        json!({"maxOutputTokens": 9, "thinkingConfig": {"thinkingBudget": 512, "includeThoughts": true}})
    );
    assert_eq!(asked[1].body["tools"][0]["functionDeclarations"][1]["name"], "give_answer");
    assert_eq!(
        asked[2].body["generationConfig"],
        json!({"responseMimeType": "application/json", "responseSchema": {
            "type": "object", "properties": {"total": {"type": "integer", "minimum": 0}}, "required": ["total"]
        }})
    );
}
