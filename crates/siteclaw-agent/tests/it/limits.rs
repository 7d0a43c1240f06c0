//! What the loop does where something is at its end: turns, tokens, room, patience.

use serde_json::{Value, json};
use siteclaw_agent::{
    AgentError, Choice, Conversation, End, Message, ProviderError, REPEATED_CALL, Reply, Stop, Update, Usage,
};
use siteclaw_core::{Caller, Cancel, Run, Surface, ToolCall, code};
use std::sync::Mutex;

use super::script::{Seen, Step, agent, agent_with, calls, say};
use super::shop::run;

fn last_results(seen: &Seen) -> Vec<(Option<&'static str>, String)> {
    match seen.messages.iter().rev().find(|message| matches!(message, Message::Results(_))) {
        Some(Message::Results(results)) => results
            .iter()
            .map(|result| (result.envelope.code().map(|code| code.as_str()), result.text.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn the_last_turn_gives_an_answer() {
    let again = || calls(&[("a", "double", json!({"n": 1}))]);
    let (builder, seen) = agent("anthropic", vec![again(), again(), say("As far as I got: 2.")]);
    let answer = builder.iterations(3).build().send(&run(), "double 1").await.unwrap();
    assert_eq!(
        (answer.end, answer.text.as_str(), answer.tools_called.len()),
        (End::OutOfIterations, "As far as I got: 2.", 2)
    );
    assert_eq!(serde_json::to_value(&answer).unwrap()["end"], "out_of_iterations");
    assert_eq!(seen.lock().unwrap()[2].choice, Choice::Nothing);
}

#[tokio::test]
async fn arguments_that_are_no_json_come_back_with_what_is_wrong() {
    let broken = |text: &str, stop| {
        let call = ToolCall::new("double", json!(text)).with_id("a");
        Step::Say(Box::new(Reply { stop, ..Reply::calls(vec![call]) }))
    };
    let steps = vec![
        broken("{\"n\": }", Stop::Whole),
        broken("{\"n\": 1", Stop::Length),
        calls(&[("b", "double", json!({"n": "many"}))]),
        calls(&[("c", "double", json!({"n": 4}))]),
        say("8."),
    ];
    let (builder, seen) = agent("anthropic", steps);
    let answer = builder.build().send(&run(), "double 4").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.end), ("8.", End::Answered));
    assert_eq!(
        answer.tools_called.iter().map(|call| call.success).collect::<Vec<_>>(),
        [false, false, false, true]
    );
    let seen = seen.lock().unwrap();
    let invalid = Some(code::INVALID_ARGUMENT.as_str());
    let (code, text) = &last_results(&seen[1])[0];
    assert_eq!(*code, invalid);
    assert!(
        text.contains("not JSON") && text.contains("column 7") && text.contains("{\\\"n\\\": }"),
        "{text}"
    );
    let (code, text) = &last_results(&seen[2])[0];
    assert_eq!(*code, invalid);
    assert!(text.contains("cut off by the limit of output"), "{text}");
    let (code, text) = &last_results(&seen[3])[0];
    assert_eq!(*code, invalid);
    assert!(text.contains("n must be integer"), "{text}");
}

#[tokio::test]
async fn a_call_that_keeps_failing_is_not_made_again_and_ends_in_an_answer() {
    let again = || calls(&[("a", "find", json!({"n": 1}))]);
    let steps = vec![again(), again(), again(), say("I did not find it.")];
    let (builder, seen) = agent("anthropic", steps);
    let answer = builder.build().send(&run(), "find 1").await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.end, answer.iterations),
        ("I did not find it.", End::Answered, 4)
    );
    let seen = seen.lock().unwrap();
    let codes: Vec<_> = (1..4).map(|turn| last_results(&seen[turn])[0].0.unwrap()).collect();
    assert_eq!(codes, ["NOT_FOUND", "NOT_FOUND", REPEATED_CALL.as_str()]);
    assert_eq!([seen[2].choice, seen[3].choice], [Choice::Free, Choice::Nothing]);
}

#[tokio::test]
async fn another_call_beside_a_repeated_one_is_still_made() {
    let both = |n: i64| calls(&[("a", "find", json!({"n": 1})), ("b", "double", json!({"n": n}))]);
    let (builder, seen) = agent("anthropic", vec![both(1), both(2), both(3), say("Done.")]);
    builder.build().send(&run(), "find 1").await.unwrap();
    let seen = seen.lock().unwrap();
    let codes: Vec<_> = last_results(&seen[3]).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, [Some(REPEATED_CALL.as_str()), None]);
    assert_eq!(seen[3].choice, Choice::Free);
}

#[tokio::test]
async fn an_empty_reply_is_asked_for_again_twice() {
    let (builder, seen) = agent("anthropic", vec![say(" "), say("8.")]);
    let answer = builder.build().send(&run(), "double 4").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.iterations), ("8.", 2));
    assert!(matches!(seen.lock().unwrap()[1].messages.last(), Some(Message::Note(_))));
    let (builder, seen) = agent("anthropic", vec![say(" ")]);
    let error = builder.build().send(&run(), "double 4").await.unwrap_err();
    assert!(matches!(error, AgentError::EmptyReply { .. }));
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_call_that_the_provider_could_not_read_is_asked_for_again() {
    let bad = || Step::Fail(ProviderError::BadCall("tool_use_failed".to_owned()));
    let (builder, seen) = agent("groq", vec![bad(), say("8.")]);
    assert_eq!(builder.build().send(&run(), "double 4").await.unwrap().text, "8.");
    let last = seen.lock().unwrap()[1].messages.last().cloned();
    assert!(matches!(last, Some(Message::Note(text)) if text.contains("could not be read")));
    let (builder, seen) = agent("groq", vec![bad()]);
    let error = builder.build().send(&run(), "double 4").await.unwrap_err();
    assert!(matches!(error, AgentError::Provider { source: ProviderError::BadCall(_), .. }));
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_declined_reply_makes_no_calls() {
    let call = ToolCall::new("double", json!({"n": 1})).with_id("a");
    let declined = Reply { stop: Stop::Declined, text: "No.".to_owned(), ..Reply::calls(vec![call]) };
    let (builder, _) = agent("anthropic", vec![Step::Say(Box::new(declined))]);
    let answer = builder.build().send(&run(), "double 4").await.unwrap();
    assert_eq!((answer.end, answer.text.as_str(), answer.tools_called.len()), (End::Declined, "No.", 0));
}

#[tokio::test]
async fn the_tokens_of_all_turns_have_a_limit() {
    let costly = || {
        let call = ToolCall::new("double", json!({"n": 1})).with_id("a");
        let usage = Usage { input_tokens: 4_000, output_tokens: 1_000, ..Usage::default() };
        Step::Say(Box::new(Reply { usage, ..Reply::calls(vec![call]) }))
    };
    let (builder, seen) = agent("anthropic", vec![costly()]);
    let answer = builder.most_tokens(16_000).build().send(&run(), "double 1").await.unwrap();
    assert_eq!(answer.end, End::OutOfTokens);
    // 5,000 a turn; the next request alone is taken for about 4,000.
    assert_eq!((seen.lock().unwrap().len(), answer.usage.total(), answer.tools_called.len()), (3, 15_000, 3));
    let (builder, seen) = agent("anthropic", vec![costly()]);
    let answer = builder.most_tokens(100).build().send(&run(), "double 1").await.unwrap();
    assert_eq!((answer.end, answer.iterations, seen.lock().unwrap().len()), (End::OutOfTokens, 0, 0));
}

/// What the tool says it was given.
fn budgets(seen: &Seen) -> Vec<u64> {
    last_results(seen)
        .into_iter()
        .map(|(_, text)| {
            let json: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
            json["data"]["budget"].as_u64().unwrap()
        })
        .collect()
}

#[tokio::test]
async fn results_are_given_the_room_that_is_left_before_they_are_made() {
    let ask = |count: usize| {
        let calls = (0..count).map(|n| ToolCall::new("rows", json!({"n": 1})).with_id(format!("c{n}")));
        Step::Say(Box::new(Reply::calls(calls.collect())))
    };
    let run = run();
    let (builder, seen) = agent("anthropic", vec![ask(2), say("Done.")]);
    builder.build().send(&run, "show rows").await.unwrap();
    assert_eq!(budgets(&seen.lock().unwrap()[1]), [10_000, 10_000]);
    let (builder, seen) = agent_with("anthropic", 6_000, vec![ask(1), ask(4), say("Done.")]);
    builder.build().send(&run, "show rows").await.unwrap();
    let seen = seen.lock().unwrap();
    let (alone, four) = (budgets(&seen[1]), budgets(&seen[2]));
    assert_eq!((alone.len(), four.len()), (1, 4));
    assert!(alone[0] > four[0] * 2 && four.iter().all(|budget| *budget == four[0]), "{alone:?} {four:?}");
    assert!((1_000..10_000).contains(&four[0]), "{four:?}");
    // Afterwards the run gives what it gave before.
    assert_eq!(run.budget(), 10_000);
}

#[tokio::test]
async fn a_long_conversation_is_shortened_and_stays_paired() {
    let ask = |n: usize| calls(&[(["a", "b", "c", "d", "e", "f"][n], "rows", json!({"n": 3_000}))]);
    let steps = vec![ask(0), ask(1), ask(2), ask(3), ask(4), ask(5), say("Done.")];
    let (builder, seen) = agent_with("anthropic", 5_000, steps);
    let shortened = Mutex::new(0);
    let listener = |update: Update<'_>| {
        if let Update::Shortened { before, after } = update {
            assert!(after < before, "{after} {before}");
            *shortened.lock().unwrap() += 1;
        }
    };
    let mut conversation = Conversation::new();
    builder.build().converse(&run(), &mut conversation, "show rows", &listener).await.unwrap();
    assert!(*shortened.lock().unwrap() > 0);
    let seen = seen.lock().unwrap();
    for seen in seen.iter() {
        let chars: usize = seen.messages.iter().map(Message::chars).sum();
        assert!(chars < 5_000 * 4, "{chars}");
        assert!(seen.messages.iter().any(|message| *message == Message::User("show rows".to_owned())));
    }
    // What is kept is whole: the question, six calls with their results, the answer.
    assert_eq!(conversation.messages().len(), 14);
    let whole = conversation.messages().iter().filter_map(|message| match message {
        Message::Results(results) => Some(results[0].text.len()),
        _ => None,
    });
    assert!(whole.min().unwrap() > 500);
}

#[tokio::test]
async fn what_the_provider_finds_too_long_is_shortened_and_asked_again() {
    let ask = || calls(&[("a", "rows", json!({"n": 9_000}))]);
    let too_long = Step::Fail(ProviderError::TooLong("maximum context length is 4096".to_owned()));
    let (builder, seen) = agent("anthropic", vec![ask(), ask(), too_long, say("Done.")]);
    let answer = builder.build().send(&run(), "show rows").await.unwrap();
    assert_eq!(answer.text, "Done.");
    let chars = |turn: usize| seen.lock().unwrap()[turn].messages.iter().map(Message::chars).sum::<usize>();
    let (before, after) = (chars(2), chars(3));
    assert!(after < before / 2 + 1_000, "{after} {before}");
    let (builder, _) = agent("anthropic", vec![Step::Fail(ProviderError::TooLong(String::new()))]);
    let error = builder.build().send(&run(), "hello").await.unwrap_err();
    assert!(matches!(error, AgentError::Provider { source: ProviderError::TooLong(_), .. }), "{error}");
}

#[tokio::test]
async fn a_cancelled_reply_keeps_what_was_heard_of_it() {
    let cancel = Cancel::new();
    let run = Run::builder("r", Caller::console(Surface::Agent, false)).cancel(cancel.clone()).build();
    let steps = vec![calls(&[("a", "double", json!({"n": 1}))]), Step::Break("It is tw", cancel)];
    let (builder, _) = agent("anthropic", steps);
    let mut conversation = Conversation::new();
    let answer = builder.build().converse(&run, &mut conversation, "double 1", &|_| ()).await.unwrap();
    assert_eq!(
        (answer.end, answer.text.as_str(), answer.tools_called.len()),
        (End::Cancelled, "It is tw", 1)
    );
    // The step that was done is kept, and a next question can follow.
    assert_eq!(conversation.messages().len(), 4);
    assert!(
        matches!(conversation.messages().last(), Some(Message::Assistant { calls, .. }) if calls.is_empty())
    );
}
