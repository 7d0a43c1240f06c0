//! Anthropic's Messages.

use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_agent::wire::{Effort, Kind, Setup};
use siteclaw_agent::{Choice, Delta, Message, ProviderError, Stop, Usage};
use tokio::sync::Notify;

use super::server::{Part, Prepared, Server, document, event, events};
use super::{KEY, Talk, call, foreign_calls, hello, offers, remote, result, setup, shape};

fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "usage": {"input_tokens": 25, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 5_000_000_000_u64,
                  "output_tokens": 1}}})
}

fn block(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 89}}),
        json!({"type": "message_stop"}),
    ]
}

/// Signed thinking, a text, and two calls whose arguments come in pieces.
fn thinking_and_calls() -> Prepared {
    let mut all = vec![
        start(),
        block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Let me "})),
        json!({"type": "ping"}),
        delta(0, json!({"type": "thinking_delta", "thinking": "see."})),
        delta(0, json!({"type": "signature_delta", "signature": "EqQB+/=="})),
        stop(0),
        block(1, json!({"type": "redacted_thinking", "data": "hidden=="})),
        stop(1),
        block(2, json!({"type": "text", "text": ""})),
        delta(2, json!({"type": "text_delta", "text": "Look"})),
        delta(2, json!({"type": "text_delta", "text": "ing."})),
        stop(2),
        block(3, json!({"type": "tool_use", "id": "toolu_1", "name": "wp_query", "input": {}})),
        delta(3, json!({"type": "input_json_delta", "partial_json": ""})),
        delta(3, json!({"type": "input_json_delta", "partial_json": "{\"sea"})),
        delta(3, json!({"type": "input_json_delta", "partial_json": "rch\": \"ä\"}"})),
        stop(3),
        block(4, json!({"type": "tool_use", "id": "toolu_2", "name": "wp_users", "input": {}})),
        stop(4),
    ];
    all.extend(end("tool_use"));
    events(all)
}

#[tokio::test]
async fn a_stream_is_heard_as_it_comes_and_its_signed_blocks_go_back_unchanged() {
    let mut answer = vec![
        start(),
        block(0, json!({"type": "text", "text": ""})),
        delta(0, json!({"type": "text_delta", "text": "Done."})),
        stop(0),
    ];
    answer.extend(end("end_turn"));
    let server = Server::start(vec![thinking_and_calls(), events(answer)]).await;
    let provider = remote(setup(Kind::Anthropic, &server));
    let offers = offers(&["wp_query", "wp_users"]);
    let mut messages = hello();
    let (reply, heard) = Talk::new(&messages, &offers).with(&provider).await;
    let reply = reply.unwrap();
    assert_eq!(heard, ["(Let me )", "(see.)", "Look", "ing.", "[wp_query]", "[wp_users]"]);
    assert_eq!(
        (reply.text.as_str(), reply.thinking.as_str(), reply.stop),
        ("Looking.", "Let me see.", Stop::Whole)
    );
    assert_eq!(call(&reply, 0), ("toolu_1", "wp_query", &json!({"search": "ä"})));
    assert_eq!(call(&reply, 1), ("toolu_2", "wp_users", &json!({})));
    let usage = Usage {
        input_tokens: 25,
        output_tokens: 89,
        cache_read_tokens: 5_000_000_000,
        cache_write_tokens: 7,
    };
    assert_eq!(reply.usage, usage);

    messages.push(Message::Assistant { text: reply.text, calls: reply.calls, echo: reply.echo });
    messages.push(Message::Results(vec![
        result("toolu_1", "wp_query", "found", true),
        result("toolu_2", "wp_users", "forbidden", false),
    ]));
    let (reply, _) = Talk::new(&messages, &offers).with(&provider).await;
    assert_eq!(reply.unwrap().text, "Done.");

    let asked = server.asked();
    let first = &asked[0];
    assert_eq!(first.target, "/v1/messages");
    assert_eq!(first.header("x-api-key"), Some(KEY));
    assert_eq!(
        (first.header("authorization"), first.header("anthropic-version")),
        (None, Some("2023-06-01"))
    );
    assert_eq!(first.header("user-agent").map(|agent| agent.starts_with("siteclaw/")), Some(true));
    let schema = json!({
        "type": "object", "additionalProperties": false, "properties": {
            "search": {"type": "string", "description": "Words to look for."},
            "limit": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 50}
        }
    });
    let mark = json!({"type": "ephemeral"});
    assert_eq!(
        first.body,
        json!({
            "model": "claude-haiku-4-5-20251001", "max_tokens": 8192, "stream": true,
            "system": [{"type": "text", "text": "You help.", "cache_control": mark}],
            "tools": [
                {"name": "wp_query", "description": "Finds things.\nAt length.", "input_schema": schema},
                {"name": "wp_users", "description": "Finds things.\nAt length.", "input_schema": schema,
                 "cache_control": mark}
            ],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hello", "cache_control": mark}]}
            ]
        })
    );
    assert_eq!(
        asked[1].body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Hello", "cache_control": mark}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Let me see.", "signature": "EqQB+/=="},
                {"type": "redacted_thinking", "data": "hidden=="},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "toolu_1", "name": "wp_query", "input": {"search": "ä"}},
                {"type": "tool_use", "id": "toolu_2", "name": "wp_users", "input": {}}
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": false,
                 "content": [{"type": "text", "text": "found"}]},
                {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": true,
                 "content": [{"type": "text", "text": "forbidden"}], "cache_control": mark}
            ]}
        ])
    );
}

#[tokio::test]
async fn the_first_word_is_heard_before_the_second_is_written() {
    let go = Arc::new(Notify::new());
    let prepared = events([start(), block(0, json!({"type": "text", "text": "First"}))])
        .then(Part::Wait(Arc::clone(&go)))
        .then(Part::Send(event(delta(0, json!({"type": "text_delta", "text": " second"})))))
        .then(Part::Send(end("end_turn").map(event).concat()));
    let server = Server::start(vec![prepared]).await;
    let provider = remote(setup(Kind::Anthropic, &server));
    // The server goes on only when the first word was heard: otherwise this would never end.
    let heard = |delta: Delta<'_>| {
        if delta == Delta::Text("First") {
            go.notify_one();
        }
    };
    let reply = Talk::new(&hello(), &[]).heard_by(&provider, &heard).await.unwrap();
    assert_eq!(reply.text, "First second");
}

#[tokio::test]
async fn an_answer_in_one_piece_is_read_as_well() {
    let answer = json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "toolu_1", "name": "wp_query", "input": {"search": "a"}}
        ],
        "usage": {"input_tokens": 3, "output_tokens": 4}
    });
    let server = Server::start(vec![document(200, answer)]).await;
    let provider = remote(Setup { stream: false, ..setup(Kind::Anthropic, &server) });
    let (reply, heard) = Talk::new(&hello(), &offers(&["wp_query"])).with(&provider).await;
    let reply = reply.unwrap();
    assert_eq!(heard, ["Looking.", "[wp_query]"]);
    assert_eq!(call(&reply, 0), ("toolu_1", "wp_query", &json!({"search": "a"})));
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (3, 4));
    // Nothing in it that could not be written again.
    assert_eq!(reply.echo, None);
    assert_eq!(server.asked()[0].body["stream"], false);
}

#[tokio::test]
async fn what_another_model_said_is_written_in_this_form() {
    let server = Server::start(vec![events(end("end_turn"))]).await;
    let provider = remote(Setup { prompt_cache: false, ..setup(Kind::Anthropic, &server) });
    let _ = Talk::new(&foreign_calls(), &offers(&["wp_query"])).with(&provider).await;
    let body = &server.asked()[0].body;
    assert!(!body.to_string().contains("cache_control"));
    let messages = &body["messages"];
    let ids: Vec<&str> = (1..=2).map(|place| messages[1]["content"][place]["id"].as_str().unwrap()).collect();
    assert!(ids[0].chars().all(|c| c.is_ascii_alphanumeric()) && ids[1] == "call_2", "{ids:?}");
    assert_eq!(
        *messages,
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Find a"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": ids[0], "name": "wp_query", "input": {"search": "a"}},
                // What was no JSON goes back as nothing; the result says what it was.
                {"type": "tool_use", "id": ids[1], "name": "wp_users", "input": {}}
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": ids[0], "is_error": false,
                 "content": [{"type": "text", "text": "found"}]},
                {"type": "tool_result", "tool_use_id": ids[1], "is_error": true,
                 "content": [{"type": "text", "text": "not JSON"}]},
                {"type": "text", "text": "Answer now."}
            ]}
        ])
    );
}

#[tokio::test]
async fn arguments_that_are_no_json_stay_as_they_came() {
    let cut = |reason: &str, pieces: &[&str]| {
        let mut all =
            vec![start(), block(0, json!({"type": "tool_use", "id": "t", "name": "wp_query", "input": {}}))];
        all.extend(
            pieces.iter().map(|piece| delta(0, json!({"type": "input_json_delta", "partial_json": piece}))),
        );
        all.extend(end(reason));
        events(all)
    };
    let server = Server::start(vec![
        cut("tool_use", &["{\"search\": ", "unquoted}"]),
        cut("max_tokens", &["{\"search\": \"a"]),
        cut("max_tokens", &[]),
    ])
    .await;
    let provider = remote(setup(Kind::Anthropic, &server));
    let offers = offers(&["wp_query"]);
    for (arguments, stop) in
        [("{\"search\": unquoted}", Stop::Whole), ("{\"search\": \"a", Stop::Length), ("", Stop::Length)]
    {
        let (reply, _) = Talk::new(&hello(), &offers).with(&provider).await;
        let reply = reply.unwrap();
        assert_eq!((&reply.calls[0].arguments, reply.stop), (&json!(arguments), stop));
    }
}

#[tokio::test]
async fn each_reason_to_stop_is_told_apart() {
    let reasons = [
        ("end_turn", Stop::Whole),
        ("stop_sequence", Stop::Whole),
        ("max_tokens", Stop::Length),
        ("model_context_window_exceeded", Stop::Length),
        ("refusal", Stop::Declined),
        ("pause_turn", Stop::Paused),
        ("something_new", Stop::Whole),
    ];
    let server = Server::start(reasons.iter().map(|(reason, _)| events(end(reason))).collect()).await;
    let provider = remote(setup(Kind::Anthropic, &server));
    for (reason, stop) in reasons {
        let (reply, _) = Talk::new(&hello(), &[]).with(&provider).await;
        assert_eq!(reply.unwrap().stop, stop, "{reason}");
    }
}

#[tokio::test]
async fn an_error_within_the_stream_is_an_error_and_so_is_its_early_end() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let begun = || events([start(), block(0, json!({"type": "text", "text": "Half"}))]);
    let server =
        Server::start(vec![begun().then(Part::Send(event(overloaded))), begun(), begun().then(Part::Break)])
            .await;
    let provider = remote(setup(Kind::Anthropic, &server));
    let (failed, heard) = Talk::new(&hello(), &[]).with(&provider).await;
    let wanted = ProviderError::Failed { status: 529, retry_after: None, message: "Overloaded".to_owned() };
    assert_eq!((failed.unwrap_err(), heard), (wanted, vec!["Half".to_owned()]));
    for _ in 0..2 {
        let (cut, _) = Talk::new(&hello(), &[]).with(&provider).await;
        assert!(matches!(cut, Err(ProviderError::Cut(_))), "{cut:?}");
    }
}

#[tokio::test]
async fn thinking_is_asked_for_in_the_form_that_is_configured() {
    let server = Server::start((0..2).map(|_| events(end("end_turn"))).collect()).await;
    let budget = Setup { thinking_tokens: Some(20_000), ..setup(Kind::Anthropic, &server) };
    let _ = Talk::new(&hello(), &[]).with(&remote(budget)).await;
    let effort = Setup {
        effort: Some(Effort::High),
        model: Some("claude-opus-5".to_owned()),
        max_tokens: Some(700),
        ..setup(Kind::Anthropic, &server)
    };
    let _ = Talk::new(&hello(), &[]).with(&remote(effort)).await;
    let asked = server.asked();
    assert_eq!(asked[0].body["thinking"], json!({"type": "enabled", "budget_tokens": 20_000}));
    assert_eq!(asked[0].body["max_tokens"], 21_000);
    assert_eq!(asked[1].body["thinking"], json!({"type": "adaptive"}));
    assert_eq!(asked[1].body["output_config"], json!({"effort": "high"}));
    assert_eq!(asked[1].body["max_tokens"], 700);
}

#[tokio::test]
async fn an_answer_in_a_shape_is_asked_for_natively_or_as_a_call() {
    let server = Server::start((0..3).map(|_| events(end("end_turn"))).collect()).await;
    let shape = shape();
    let offers = offers(&["wp_query"]);
    for (model, choice) in [
        ("claude-opus-5", Choice::Free),
        ("claude-3-5-haiku-20241022", Choice::Shaped),
        ("claude-3-5-haiku-20241022", Choice::Nothing),
    ] {
        let provider = remote(Setup { model: Some(model.to_owned()), ..setup(Kind::Anthropic, &server) });
        let talk = Talk { choice, shape: Some(&shape), ..Talk::new(&[], &offers) };
        let _ = talk.with(&provider).await;
    }
    let asked = server.asked();
    let closed = json!({
        "type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"],
        "additionalProperties": false
    });
    assert_eq!(asked[0].body["output_config"], json!({"format": {"type": "json_schema", "schema": closed}}));
    assert_eq!(asked[0].body["tools"].as_array().unwrap().len(), 1);
    assert_eq!(asked[1].body["tool_choice"], json!({"type": "tool", "name": "give_answer"}));
    assert_eq!(asked[1].body["tools"][1]["input_schema"], shape.schema);
    assert_eq!(asked[2].body["tool_choice"], json!({"type": "none"}));
}
