//! The loop, with a provider that says what it is told to.

use serde_json::json;
use siteclaw_agent::{
    AgentError, CallResult, Choice, DUPLICATE_CALL, End, Message, ProviderError, Reply, Stop, TOO_MANY_CALLS,
    Usage,
};
use siteclaw_core::router::Budget;
use siteclaw_core::{Caller, Cancel, Code, Offered, Run, Surface, ToolCall, code};

use super::script::{Seen, Step, agent, calls, say};
use super::shop::run;

fn results(seen: &Seen) -> &[CallResult] {
    match seen.messages.last() {
        Some(Message::Results(results)) => results,
        other => panic!("no results but {other:?}"),
    }
}

fn codes(seen: &Seen) -> Vec<Option<Code>> {
    results(seen).iter().map(|result| result.envelope.code()).collect()
}

#[tokio::test]
async fn a_text_is_the_answer() {
    let (builder, seen) = agent("anthropic", vec![say("Hello.")]);
    let answer = builder.build().send(&run(), "double 4").await.unwrap();
    assert_eq!(
        serde_json::to_value(&answer).unwrap(),
        json!({
            "text": "Hello.", "provider": "anthropic", "model": "script-1", "tools_called": [],
            "usage": {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0},
            "run_id": "run-7"
        })
    );
    assert_eq!((answer.iterations, answer.end), (1, End::Answered));
    let seen = seen.lock().unwrap();
    assert!(matches!(&seen[0].messages[..], [Message::System(_), Message::User(text)] if text == "double 4"));
    // Fourteen tools, of which a model that nothing is known about gets ten; the one that fits is among them.
    assert_eq!((seen[0].available, seen[0].tools.len()), (14, 10));
    assert!(seen[0].tools.contains(&"double".to_owned()));
    assert_eq!(seen[0].described[0]["name"], "double");
}

#[tokio::test]
async fn parallel_calls_come_back_in_their_order_and_cost_is_added_up() {
    let two = vec![
        ToolCall::new("double", json!({"n": 4})).with_id("a"),
        ToolCall::new("double", json!({"n": "5"})).with_id("b"),
    ];
    let usage = |input_tokens, output_tokens| Usage { input_tokens, output_tokens, ..Usage::default() };
    let steps = vec![
        Step::Say(Box::new(Reply {
            text: "Doubling.".to_owned(),
            calls: two,
            usage: usage(100, 7),
            ..Reply::default()
        })),
        Step::Say(Box::new(Reply { usage: usage(150, 5), ..Reply::text("8 and 10.") })),
    ];
    let (builder, seen) = agent("anthropic", steps);
    let answer = builder.build().send(&run(), "double 4 and 5").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.iterations), ("8 and 10.", 2));
    assert_eq!(answer.usage, usage(250, 12));
    let called: Vec<_> =
        answer.tools_called.iter().map(|called| (called.input.clone(), called.success)).collect();
    assert_eq!(called, [(json!({"n": 4}), true), (json!({"n": 5}), true)]);

    let seen = seen.lock().unwrap();
    assert!(
        matches!(&seen[1].messages[2], Message::Assistant { text, calls, .. } if text == "Doubling." && calls.len() == 2)
    );
    let back: Vec<_> = results(&seen[1])
        .iter()
        .map(|result| (result.id.as_str(), result.envelope.to_value()["data"]["result"].clone()))
        .collect();
    assert_eq!(back, [("a", json!(8)), ("b", json!(10))]);
}

#[tokio::test]
async fn an_unknown_tool_comes_back_as_a_result_and_the_other_call_is_made() {
    let steps =
        vec![calls(&[("a", "duoble", json!({"n": 1})), ("b", "double", json!({"n": 1}))]), say("Done.")];
    let (builder, seen) = agent("anthropic", steps);
    let answer = builder.build().send(&run(), "double 1").await.unwrap();
    assert_eq!(answer.tools_called.iter().map(|called| called.success).collect::<Vec<_>>(), [false, true]);
    let seen = seen.lock().unwrap();
    assert_eq!(codes(&seen[1]), [Some(code::UNKNOWN_TOOL), None]);
    assert_eq!(results(&seen[1])[0].envelope.to_value()["error"]["nearest"], json!(["double"]));
}

#[tokio::test]
async fn a_tool_that_was_not_offered_is_offered_after_the_model_asked_for_it() {
    // By name, write_note comes last of the tools that nothing in the message speaks for.
    let steps = vec![
        calls(&[("a", "write_note", json!({"n": 1}))]),
        calls(&[("b", "filler_9", json!({"n": 1}))]),
        say("Done."),
    ];
    let (builder, seen) = agent("anthropic", steps);
    let run = run();
    builder.budget(Budget::Count(1)).build().send(&run, "double 1").await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].tools, ["double"]);
    assert_eq!(codes(&seen[1]), [Some(code::TOOL_NOT_OFFERED)]);
    assert_eq!(seen[1].tools, ["double", "write_note"]);
    assert_eq!(codes(&seen[2]), [Some(code::TOOL_NOT_OFFERED)]);
    assert_eq!(seen[2].tools, ["double", "write_note", "filler_9"]);
}

#[tokio::test]
async fn a_tool_offered_late_can_then_be_called() {
    let ask = || calls(&[("a", "filler_3", json!({"n": 1}))]);
    let (builder, seen) = agent("anthropic", vec![ask(), ask(), say("Done.")]);
    let answer = builder.budget(Budget::Count(1)).build().send(&run(), "double 1").await.unwrap();
    assert_eq!(answer.tools_called.iter().map(|called| called.success).collect::<Vec<_>>(), [false, true]);
    assert_eq!(codes(&seen.lock().unwrap()[2]), [None]);
}

#[tokio::test]
async fn what_a_run_does_not_offer_is_neither_routed_nor_offered_later() {
    let narrow = Run::builder("narrow", Caller::console(Surface::Agent, false))
        .offered(Offered::Only(["double".to_owned(), "filler_1".to_owned()].into()))
        .build();
    let ask = || calls(&[("a", "filler_2", json!({"n": 1}))]);
    let (builder, seen) = agent("anthropic", vec![ask(), ask(), say("Done.")]);
    builder.build().send(&narrow, "double 1").await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].available, 2);
    assert_eq!(codes(&seen[2]), [Some(code::TOOL_NOT_OFFERED)]);
    // Afterwards the run offers what it offered before.
    assert!(narrow.offers("filler_1") && narrow.offers("double") && !narrow.offers("filler_2"));
}

#[tokio::test]
async fn a_run_offers_everything_again_when_the_answer_is_there() {
    let run = run();
    let (builder, _) = agent("anthropic", vec![say("Done.")]);
    builder.budget(Budget::Count(1)).build().send(&run, "double 1").await.unwrap();
    assert!(run.offers("filler_9"));
}

#[tokio::test]
async fn calls_beyond_the_limit_of_a_turn_are_refused_one_by_one() {
    let many: Vec<ToolCall> =
        (0..34).map(|n| ToolCall::new("double", json!({"n": n})).with_id(format!("c{n}"))).collect();
    let (builder, seen) = agent("anthropic", vec![Step::Say(Box::new(Reply::calls(many))), say("Done.")]);
    let answer = builder.build().send(&run(), "double them").await.unwrap();
    assert_eq!(answer.tools_called.iter().filter(|called| called.success).count(), 32);
    let seen = seen.lock().unwrap();
    let codes = codes(&seen[1]);
    assert_eq!(
        (codes.len(), codes[31], codes[32], codes[33]),
        (34, None, Some(TOO_MANY_CALLS), Some(TOO_MANY_CALLS))
    );
}

#[tokio::test]
async fn two_calls_with_one_id_are_both_refused_under_ids_of_their_own() {
    let steps = vec![
        calls(&[
            ("same", "double", json!({"n": 1})),
            ("other", "double", json!({"n": 2})),
            ("same", "double", json!({"n": 3})),
        ]),
        say("Done."),
    ];
    let (builder, seen) = agent("anthropic", steps);
    builder.build().send(&run(), "double").await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(codes(&seen[1]), [Some(DUPLICATE_CALL), None, Some(DUPLICATE_CALL)]);
    let ids: Vec<&str> = results(&seen[1]).iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids[1], "other");
    assert!(ids[0] != ids[2] && ids[0] != "same" && ids[2] != "same", "{ids:?}");
    match &seen[1].messages[2] {
        Message::Assistant { calls, .. } => {
            assert_eq!(calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ids);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn calls_without_an_id_get_one_that_no_other_call_has() {
    // The engine counts: its first id would be call-1.
    let steps = vec![
        calls(&[
            ("", "double", json!({"n": 1})),
            ("", "double", json!({"n": 2})),
            ("call-1", "double", json!({"n": 3})),
        ]),
        say("Done."),
    ];
    let (builder, seen) = agent("anthropic", steps);
    let answer = builder.build().send(&run(), "double").await.unwrap();
    assert!(answer.tools_called.iter().all(|called| called.success));
    let seen = seen.lock().unwrap();
    let mut ids: Vec<&str> = results(&seen[1]).iter().map(|result| result.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn a_writing_call_that_nobody_approves_comes_back_as_a_result() {
    let steps = vec![calls(&[("a", "write_note", json!({"n": 1}))]), say("Not allowed.")];
    let (builder, seen) = agent("anthropic", steps);
    let answer = builder.build().send(&run(), "use write_note").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.tools_called[0].success), ("Not allowed.", false));
    assert_eq!(codes(&seen.lock().unwrap()[1]), [Some(code::APPROVAL_DENIED)]);
}

#[tokio::test]
async fn a_cancelled_run_ends_with_what_was_done() {
    let cancel = Cancel::new();
    let run = Run::builder("r", Caller::console(Surface::Agent, false)).cancel(cancel.clone()).build();
    let steps = vec![calls(&[("a", "double", json!({"n": 1}))]), Step::Hang(cancel)];
    let (builder, seen) = agent("anthropic", steps);
    let answer = builder.build().send(&run, "double 1").await.unwrap();
    assert_eq!((answer.end, answer.iterations, answer.tools_called.len()), (End::Cancelled, 2, 1));
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_run_that_was_cancelled_before_asks_no_provider() {
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::builder("r", Caller::console(Surface::Agent, false)).cancel(cancel).build();
    let (builder, seen) = agent("anthropic", vec![say("Too late.")]);
    let answer = builder.build().send(&run, "double 1").await.unwrap();
    assert_eq!((answer.end, answer.iterations, answer.text.as_str()), (End::Cancelled, 0, ""));
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_failing_provider_is_an_error_that_keeps_what_was_done() {
    let limited = ProviderError::Limited { retry_after: None, message: String::new() };
    let steps = vec![calls(&[("a", "double", json!({"n": 1}))]), Step::Fail(limited.clone())];
    let (builder, _) = agent("groq", steps);
    let error = builder.build().send(&run(), "double 1").await.unwrap_err();
    assert_eq!(error.to_string(), "the provider 'groq' gave no answer: it has had too many requests for now");
    assert_eq!(error.done().unwrap().tools_called.len(), 1);
    assert!(matches!(error, AgentError::Provider { source, .. } if source == limited));
}

#[tokio::test]
async fn the_loop_ends_after_twenty_turns_or_after_as_many_as_are_allowed() {
    let again = || vec![calls(&[("a", "double", json!({"n": 1}))])];
    let (builder, seen) = agent("anthropic", again());
    let answer = builder.build().send(&run(), "double 1").await.unwrap();
    assert_eq!((answer.end, answer.iterations, answer.tools_called.len()), (End::OutOfIterations, 20, 19));
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 20);
    // The last turn asks for an answer; the tools stay listed, because the conversation speaks of them.
    let choices: Vec<Choice> = seen.iter().map(|seen| seen.choice).collect();
    assert_eq!((choices[18], choices[19]), (Choice::Free, Choice::Nothing));
    assert_eq!(seen[19].tools, seen[0].tools);
    let (builder, seen) = agent("anthropic", again());
    builder.iterations(3).build().send(&run(), "double 1").await.unwrap();
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_reply_says_why_it_ends() {
    let ends = [(Stop::Length, End::CutShort), (Stop::Declined, End::Declined), (Stop::Whole, End::Answered)];
    for (stop, end) in ends {
        let (builder, _) =
            agent("anthropic", vec![Step::Say(Box::new(Reply { stop, ..Reply::text("Half a") }))]);
        let answer = builder.build().send(&run(), "double 1").await.unwrap();
        assert_eq!((answer.end, answer.text.as_str()), (end, "Half a"));
    }
    let declined = Step::Say(Box::new(Reply { stop: Stop::Declined, ..Reply::default() }));
    let (builder, _) = agent("anthropic", vec![declined]);
    assert_eq!(builder.build().send(&run(), "double 1").await.unwrap().end, End::Declined);
}

#[tokio::test]
async fn a_paused_reply_is_gone_on_with() {
    let paused = Step::Say(Box::new(Reply { stop: Stop::Paused, ..Reply::text("Let me see.") }));
    let (builder, seen) = agent("anthropic", vec![paused, say("8.")]);
    let answer = builder.build().send(&run(), "double 4").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.iterations), ("8.", 2));
    let seen = seen.lock().unwrap();
    assert!(
        matches!(seen[1].messages.last(), Some(Message::Assistant { text, .. }) if text == "Let me see.")
    );
}

#[tokio::test]
async fn an_empty_reply_or_message_is_an_error() {
    let (builder, _) = agent("anthropic", vec![say(" \n")]);
    let agent = builder.build();
    let error = agent.send(&run(), "double 4").await.unwrap_err();
    assert!(matches!(error, AgentError::EmptyReply { .. }));
    assert!(matches!(agent.send(&run(), " \n ").await, Err(AgentError::EmptyMessage)));
    let long = "a".repeat(256 * 1024 + 1);
    let error = agent.send(&run(), &long).await.unwrap_err();
    assert!(matches!(error, AgentError::MessageTooLong { bytes: 262_145, limit: 262_144 }), "{error}");
}

#[tokio::test]
async fn the_dialect_and_the_profile_follow_from_the_provider() {
    let (builder, seen) = agent("ollama", vec![say("Done.")]);
    let agent = builder.instructions("The shop sells shirts.").build();
    agent.send(&run(), "double 4").await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].tools, ["double"], "on the minimal profile a clear winner stands alone");
    assert_eq!(seen[0].described[0]["type"], "function");
    assert_eq!(seen[0].described[0]["function"]["description"], "Doubles a number.");
    assert!(
        matches!(&seen[0].messages[0], Message::System(text) if text.ends_with("\n\nThe shop sells shirts."))
    );
}

#[tokio::test]
async fn explaining_a_message_shows_what_sending_it_would_offer() {
    let (builder, seen) = agent("anthropic", vec![say("Done.")]);
    let agent = builder.budget(Budget::Count(2)).always_include(["WRITE_NOTE"]).build();
    let explained = agent.explain(&run(), "double 4");
    assert_eq!(explained.offered, ["double", "filler_0", "write_note"]);
    agent.send(&run(), "double 4").await.unwrap();
    assert_eq!(seen.lock().unwrap()[0].tools, explained.offered);
    // Prompt and message are counted: the tools alone are less.
    assert!(explained.tokens > 100, "{}", explained.tokens);
}
