//! OpenAI's chat completions, and where those who took them over differ.

use serde_json::{Value, json};
use siteclaw_agent::wire::{Effort, Kind, Setup};
use siteclaw_agent::{Choice, Message, ProviderError, Stop, Usage};

use super::server::{Part, Prepared, Server, document, event, events};
use super::{KEY, Talk, call, foreign_calls, hello, offers, remote, result, setup, shape};

fn delta(delta: Value) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn stream(pieces: Vec<Value>) -> Prepared {
    events(pieces.iter().map(Value::to_string).chain(["[DONE]".to_owned()]))
}

fn text(words: &str) -> Prepared {
    stream(vec![delta(json!({"role": "assistant", "content": words})), end("stop")])
}

#[tokio::test]
async fn parallel_calls_are_put_together_from_their_pieces() {
    let piece = |index: u64, call: Value| {
        let mut call = call;
        call["index"] = json!(index);
        delta(json!({"tool_calls": [call]}))
    };
    let calls = stream(vec![
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"content": "Look"})),
        delta(json!({"content": "ing."})),
        piece(
            0,
            json!({"id": "call_a", "type": "function", "function": {"name": "wp_query", "arguments": ""}}),
        ),
        piece(0, json!({"function": {"arguments": "{\"sea"}})),
        piece(
            1,
            json!({"id": "call_b", "type": "function", "function": {"name": "wp_users", "arguments": "{}"}}),
        ),
        piece(0, json!({"function": {"arguments": "rch\": \"ä\"}"}})),
        end("tool_calls"),
        json!({"choices": [], "usage": {"prompt_tokens": 9_000_000_000_u64, "completion_tokens": 17,
            "prompt_tokens_details": {"cached_tokens": 8_000_000_000_u64}}}),
    ]);
    let server = Server::start(vec![calls, text("Done.")]).await;
    let provider = remote(Setup { max_tokens: Some(500), ..setup(Kind::OpenAi, &server) });
    let offers = offers(&["wp_query", "wp_users"]);
    let mut messages = hello();
    let (reply, heard) = Talk::new(&messages, &offers).with(&provider).await;
    let reply = reply.unwrap();
    assert_eq!(heard, ["Look", "ing.", "[wp_query]", "[wp_users]"]);
    assert_eq!(call(&reply, 0), ("call_a", "wp_query", &json!({"search": "ä"})));
    assert_eq!(call(&reply, 1), ("call_b", "wp_users", &json!({})));
    let usage = Usage {
        input_tokens: 1_000_000_000,
        output_tokens: 17,
        cache_read_tokens: 8_000_000_000,
        cache_write_tokens: 0,
    };
    assert_eq!((reply.usage, reply.stop), (usage, Stop::Whole));

    messages.push(Message::Assistant { text: reply.text, calls: reply.calls, echo: reply.echo });
    messages.push(Message::Results(vec![
        result("call_a", "wp_query", "found", true),
        result("call_b", "wp_users", "forbidden", false),
    ]));
    let (reply, _) = Talk::new(&messages, &offers).with(&provider).await;
    assert_eq!(reply.unwrap().text, "Done.");

    let asked = server.asked();
    assert_eq!(asked[0].target, "/v1/chat/completions");
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let body = &asked[0].body;
    assert_eq!(
        json!([
            body["model"],
            body["stream"],
            body["stream_options"],
            body["max_completion_tokens"],
            body["tool_choice"]
        ]),
        json!(["gpt-4o-mini", true, {"include_usage": true}, 500, null])
    );
    assert_eq!(
        body["tools"][0],
        json!({"type": "function", "function": {
            "name": "wp_query", "description": "Finds things.\nAt length.", "parameters": {
                "type": "object", "additionalProperties": false, "properties": {
                    "search": {"type": "string", "description": "Words to look for."},
                    "limit": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 50}
                }
            }
        }})
    );
    let made = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    assert_eq!(
        asked[1].body["messages"],
        json!([
            {"role": "system", "content": "You help."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Looking.", "tool_calls": [
                made("call_a", "wp_query", "{\"search\":\"ä\"}"), made("call_b", "wp_users", "{}")
            ]},
            {"role": "tool", "tool_call_id": "call_a", "content": "found"},
            {"role": "tool", "tool_call_id": "call_b", "content": "forbidden"}
        ])
    );
}

#[tokio::test]
async fn servers_that_number_calls_badly_are_understood() {
    let whole = |index: Value, id: &str, arguments: Value| {
        let mut call =
            json!({"id": id, "type": "function", "function": {"name": "wp_query", "arguments": arguments}});
        if !index.is_null() {
            call["index"] = index;
        }
        delta(json!({"tool_calls": [call]}))
    };
    let answers = [
        // Every call has the number 0.
        vec![whole(json!(0), "a", json!("{\"limit\":1}")), whole(json!(0), "b", json!("{\"limit\":2}"))],
        // None has a number.
        vec![
            whole(Value::Null, "a", json!("{\"limit\":1}")),
            whole(Value::Null, "b", json!("{\"limit\":2}")),
        ],
        // Arguments are an object.
        vec![whole(json!(0), "a", json!({"limit": 1})), whole(json!(1), "b", json!({"limit": 2}))],
        // Id and name come again with every piece.
        vec![
            whole(json!(0), "a", json!("{\"limit\"")),
            whole(json!(0), "a", json!(":1}")),
            whole(json!(1), "b", json!("{\"limit\":2}")),
        ],
    ];
    let prepared = answers.into_iter().map(|mut pieces| {
        pieces.push(end("tool_calls"));
        stream(pieces)
    });
    let server = Server::start(prepared.collect()).await;
    let provider = remote(setup(Kind::Custom, &server));
    for round in 0..4 {
        let (reply, _) = Talk::new(&hello(), &offers(&["wp_query"])).with(&provider).await;
        let reply = reply.unwrap();
        assert_eq!(reply.calls.len(), 2, "{round}: {reply:?}");
        assert_eq!(call(&reply, 0), ("a", "wp_query", &json!({"limit": 1})), "{round}");
        assert_eq!(call(&reply, 1), ("b", "wp_query", &json!({"limit": 2})), "{round}");
    }
}

#[tokio::test]
async fn an_answer_in_one_piece_is_read_whether_it_was_asked_for_or_not() {
    let answer = || {
        json!({
            "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": null, "refusal": null,
                "tool_calls": [{"id": "a", "type": "function", "function": {"name": "wp_query", "arguments": "{}"}}]
            }}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4}
        })
    };
    let server = Server::start(vec![document(200, answer()), document(200, answer())]).await;
    for stream in [false, true] {
        let provider = remote(Setup { stream, ..setup(Kind::OpenAi, &server) });
        let (reply, heard) = Talk::new(&hello(), &offers(&["wp_query"])).with(&provider).await;
        let reply = reply.unwrap();
        assert_eq!((call(&reply, 0), reply.usage.output_tokens), (("a", "wp_query", &json!({})), 4));
        assert_eq!(heard, ["[wp_query]"]);
    }
    let asked = server.asked();
    assert_eq!(json!([asked[0].body["stream"], asked[0].body["stream_options"]]), json!([false, null]));
}

#[tokio::test]
async fn a_refusal_and_a_cut_answer_are_shown_as_such() {
    let answers = [
        (
            vec![delta(json!({"refusal": "I can't "})), delta(json!({"refusal": "help."})), end("stop")],
            Stop::Declined,
            "I can't help.",
        ),
        (vec![delta(json!({"content": "Half a"})), end("length")], Stop::Length, "Half a"),
        (vec![delta(json!({"content": "So"})), end("content_filter")], Stop::Declined, "So"),
    ];
    let server = Server::start(answers.iter().map(|(pieces, ..)| stream(pieces.clone())).collect()).await;
    let provider = remote(setup(Kind::OpenAi, &server));
    for (_, stop, words) in answers {
        let (reply, heard) = Talk::new(&hello(), &[]).with(&provider).await;
        let reply = reply.unwrap();
        assert_eq!((reply.stop, reply.text.as_str()), (stop, words));
        assert_eq!(heard.concat(), words);
    }
}

#[tokio::test]
async fn arguments_cut_off_by_the_limit_are_no_arguments() {
    let call = |arguments: &str, reason: &str| {
        let call = json!({"index": 0, "id": "a", "function": {"name": "wp_query", "arguments": arguments}});
        stream(vec![delta(json!({"tool_calls": [call]})), end(reason)])
    };
    let server = Server::start(vec![
        call("{\"search\": \"a", "length"),
        call("", "length"),
        call("{'a': 1}", "tool_calls"),
    ])
    .await;
    let provider = remote(setup(Kind::OpenAi, &server));
    for arguments in ["{\"search\": \"a", "", "{'a': 1}"] {
        let (reply, _) = Talk::new(&hello(), &offers(&["wp_query"])).with(&provider).await;
        assert_eq!(reply.unwrap().calls[0].arguments, json!(arguments));
    }
}

#[tokio::test]
async fn a_stream_without_its_end_is_cut_and_one_without_the_last_mark_is_not() {
    let half = || events([delta(json!({"content": "Half"}))]);
    let server = Server::start(vec![
        half(),
        half().then(Part::Break),
        half().then(Part::Send(event(end("stop")))),
        half().then(Part::Send(event("[DONE]"))),
        half().then(Part::Send(event(json!({"error": {"message": "out of memory", "code": 503}})))),
    ])
    .await;
    let provider = remote(setup(Kind::OpenAi, &server));
    let mut replies = Vec::new();
    for _ in 0..5 {
        replies.push(Talk::new(&hello(), &[]).with(&provider).await.0);
    }
    assert!(matches!(replies[0], Err(ProviderError::Cut(_))), "{:?}", replies[0]);
    assert!(matches!(replies[1], Err(ProviderError::Cut(_))), "{:?}", replies[1]);
    assert_eq!(replies[2].as_ref().unwrap().text, "Half");
    assert_eq!(replies[3].as_ref().unwrap().text, "Half");
    assert!(
        matches!(&replies[4], Err(ProviderError::Failed { status: 503, message, .. }) if message == "out of memory")
    );
}

#[tokio::test]
async fn mistral_gets_short_ids_and_nothing_of_the_users_behind_results() {
    let parts = json!([
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Done."}
    ]);
    let server = Server::start(vec![stream(vec![delta(json!({"content": parts})), end("stop")])]).await;
    let provider = remote(Setup { max_tokens: Some(9), ..setup(Kind::Mistral, &server) });
    let (reply, heard) = Talk::new(&foreign_calls(), &offers(&["wp_query"])).with(&provider).await;
    assert_eq!(
        (reply.unwrap().text.as_str(), heard),
        ("Done.", vec!["(Hm.)".to_owned(), "Done.".to_owned()])
    );
    let body = &server.asked()[0].body;
    assert_eq!(json!([body["max_tokens"], body["stream_options"]]), json!([9, null]));
    let messages = body["messages"].as_array().unwrap();
    let ids: Vec<&str> =
        (0..2).map(|place| messages[2]["tool_calls"][place]["id"].as_str().unwrap()).collect();
    for id in &ids {
        assert!(id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
    }
    assert_eq!(
        messages[3..],
        [
            json!({"role": "tool", "tool_call_id": ids[0], "name": "wp_query", "content": "found"}),
            json!({"role": "tool", "tool_call_id": ids[1], "name": "wp_users", "content": "not JSON\n\nAnswer now."})
        ]
    );
    assert_eq!(messages[2]["tool_calls"][1]["function"]["arguments"], "{}");
}

#[tokio::test]
async fn deepseek_gets_its_thinking_back_with_the_calls_it_led_to() {
    let call = json!({"index": 0, "id": "a", "function": {"name": "wp_query", "arguments": "{}"}});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 6}});
    let server = Server::start(vec![
        stream(vec![
            delta(json!({"reasoning_content": "Let me "})),
            delta(json!({"reasoning_content": "see.", "content": null})),
            delta(json!({"tool_calls": [call]})),
            end("tool_calls"),
            usage,
        ]),
        text("Done."),
    ])
    .await;
    let provider = remote(setup(Kind::DeepSeek, &server));
    let offers = offers(&["wp_query"]);
    let mut messages = hello();
    let (reply, heard) = Talk::new(&messages, &offers).with(&provider).await;
    let reply = reply.unwrap();
    assert_eq!(heard, ["(Let me )", "(see.)", "[wp_query]"]);
    assert_eq!((reply.usage.input_tokens, reply.usage.cache_read_tokens), (4, 6));
    messages.push(Message::Assistant { text: reply.text, calls: reply.calls, echo: reply.echo });
    messages.push(Message::Results(vec![result("a", "wp_query", "found", true)]));
    let (reply, _) = Talk::new(&messages, &offers).with(&provider).await;
    // An answer's thinking is not kept: it is refused when it comes back with a new question.
    assert_eq!(reply.unwrap().echo, None);
    let said = &server.asked()[1].body["messages"][2];
    assert_eq!(json!([said["reasoning_content"], said["content"]]), json!(["Let me see.", null]));
    // Another model does not get it.
    let other_server = Server::start(vec![text("Done.")]).await;
    let _ = Talk::new(&messages, &offers).with(&remote(setup(Kind::DeepSeek, &other_server))).await;
    assert_eq!(other_server.asked()[0].body["messages"][2].get("reasoning_content"), None);
}

#[tokio::test]
async fn groqs_usage_is_found_and_a_call_written_as_text_is_made() {
    let usage = json!({"choices": [], "x_groq": {"usage": {"prompt_tokens": 8, "completion_tokens": 5}}});
    let written = "<tool_call>{\"name\": \"wp_query\", \"arguments\": {\"limit\": 3}}</tool_call>";
    let server = Server::start(vec![
        stream(vec![
            delta(json!({"content": &written[..15]})),
            delta(json!({"content": &written[15..]})),
            end("stop"),
            usage,
        ]),
        text("{\"name\": \"Ada\"}"),
    ])
    .await;
    let provider = remote(setup(Kind::Groq, &server));
    let offers = offers(&["wp_query"]);
    let (reply, heard) = Talk::new(&hello(), &offers).with(&provider).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), call(&reply, 0)), ("", ("", "wp_query", &json!({"limit": 3}))));
    assert_eq!((heard, reply.usage.input_tokens), (vec!["[wp_query]".to_owned()], 8));
    let (reply, heard) = Talk::new(&hello(), &offers).with(&provider).await;
    assert_eq!(
        (reply.unwrap().text, heard),
        ("{\"name\": \"Ada\"}".to_owned(), vec!["{\"name\": \"Ada\"}".to_owned()])
    );
}

#[tokio::test]
async fn an_answer_in_a_shape_is_asked_for_as_each_server_knows_it() {
    let server = Server::start((0..4).map(|_| text("{}")).collect()).await;
    let shape = shape();
    let offers = offers(&["wp_query"]);
    for kind in [Kind::OpenAi, Kind::Groq, Kind::Mistral] {
        let talk = Talk { choice: Choice::Shaped, shape: Some(&shape), ..Talk::new(&[], &offers) };
        let _ = talk.with(&remote(Setup { effort: Some(Effort::Low), ..setup(kind, &server) })).await;
    }
    let nothing = Talk { choice: Choice::Nothing, ..Talk::new(&[], &offers) };
    let _ = nothing.with(&remote(setup(Kind::OpenAi, &server))).await;
    let asked = server.asked();
    let form = json!({"type": "json_schema", "json_schema": {
        "name": "give_answer", "schema": shape.schema, "strict": false
    }});
    assert_eq!(
        json!([asked[0].body["response_format"], asked[0].body["tool_choice"]]),
        json!([form, "none"])
    );
    assert_eq!(asked[0].body["reasoning_effort"], "low");
    assert_eq!(
        asked[1].body["tool_choice"],
        json!({"type": "function", "function": {"name": "give_answer"}})
    );
    assert_eq!(asked[1].body["tools"][1]["function"]["parameters"], shape.schema);
    assert_eq!(asked[2].body["tool_choice"], "any");
    assert_eq!(
        json!([asked[3].body["tool_choice"], asked[3].body.get("response_format")]),
        json!(["none", null])
    );
}
