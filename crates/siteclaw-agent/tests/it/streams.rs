//! What is heard while a message is answered.

use std::sync::Mutex;

use serde_json::json;
use siteclaw_agent::{Conversation, Message, Reply, Update};
use siteclaw_core::{Secret, ToolCall};

use super::script::{Step, agent, calls, say};
use super::shop::{offline, run};

/// Names of the updates, with what matters of each.
fn line(update: Update<'_>) -> String {
    let what = match update {
        Update::Text(text) => text.to_owned(),
        Update::Asking { iteration, .. } | Update::Replied { iteration, .. } => iteration.to_string(),
        Update::Calling { name, arguments, .. } => format!("{name} {arguments}"),
        Update::Called { name, envelope, .. } => format!("{name} {}", envelope.is_success()),
        Update::Said(message) => match message {
            Message::User(_) => "user",
            Message::Assistant { .. } => "assistant",
            Message::Results(_) => "results",
            _ => "other",
        }
        .to_owned(),
        Update::Ended(answer) => answer.text.clone(),
        _ => String::new(),
    };
    format!("{} {what}", update.name())
}

#[tokio::test]
async fn everything_is_heard_in_its_order() {
    let asked = ToolCall::new("double", json!({"n": "4"})).with_id("a");
    let step = Step::Say(Box::new(Reply { text: "Doubling.".to_owned(), ..Reply::calls(vec![asked]) }));
    let (builder, _) = agent("anthropic", vec![step, Step::Stream(&["It", " is 8."])]);
    let heard = Mutex::new(Vec::new());
    let listener = |update: Update<'_>| heard.lock().unwrap().push(line(update));
    builder.build().stream(&run(), "double 4", &listener).await.unwrap();
    assert_eq!(
        heard.into_inner().unwrap(),
        [
            "conversation.said user",
            "model.asked 1",
            "model.text Doubling.",
            "model.replied 1",
            "tool.called double {\"n\":\"4\"}",
            "tool.answered double true",
            "conversation.said assistant",
            "conversation.said results",
            "model.asked 2",
            "model.text It",
            "model.text  is 8.",
            "model.replied 2",
            "conversation.said assistant",
            "run.ended It is 8."
        ]
    );
}

#[tokio::test]
async fn a_provider_that_says_nothing_on_the_way_is_heard_at_the_end() {
    let heard = Mutex::new(String::new());
    let listener = |update: Update<'_>| {
        if let Update::Text(text) = update {
            heard.lock().unwrap().push_str(text);
        }
    };
    let answer = offline().stream(&run(), "what is running low?", &listener).await.unwrap();
    assert_eq!(heard.into_inner().unwrap(), answer.text);
}

#[tokio::test]
async fn the_next_question_knows_the_calls_and_results_before_it() {
    let steps = vec![calls(&[("a", "double", json!({"n": 4}))]), say("8."), say("Twice four.")];
    let (builder, seen) = agent("anthropic", steps);
    let agent = builder.build();
    let mut conversation = Conversation::new();
    let run = run();
    agent.converse(&run, &mut conversation, "double 4", &|_| ()).await.unwrap();
    let answer = agent.converse(&run, &mut conversation, "why?", &|_| ()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.tools_called.len()), ("Twice four.", 0));
    let seen = seen.lock().unwrap();
    let kinds: Vec<&str> = seen[2]
        .messages
        .iter()
        .map(|message| match message {
            Message::System(_) => "system",
            Message::User(text) => text.as_str(),
            Message::Assistant { calls, .. } if !calls.is_empty() => "calls",
            Message::Assistant { text, .. } => text.as_str(),
            Message::Results(_) => "results",
            Message::Note(_) => "note",
        })
        .collect();
    assert_eq!(kinds, ["system", "double 4", "calls", "results", "8.", "why?"]);
    assert_eq!(conversation.messages().len(), 6);
}

#[tokio::test]
async fn what_is_secret_does_not_leave_with_the_question() {
    let (builder, seen) = agent("anthropic", vec![say("I cannot know.")]);
    let agent = builder.build();
    agent.executor().masker().learn([Secret::new("hunter22-of-the-shop")]);
    agent.send(&run(), "is hunter22-of-the-shop a good password?").await.unwrap();
    let seen = seen.lock().unwrap();
    assert!(
        matches!(seen[0].messages.last(), Some(Message::User(text)) if text.starts_with("is ⟦secret:")),
        "{:?}",
        seen[0].messages
    );
}

#[tokio::test]
async fn a_model_is_told_what_day_it_is() {
    let (builder, seen) = agent("anthropic", vec![say("Monday.")]);
    builder.build().send(&run(), "which day is it?").await.unwrap();
    let seen = seen.lock().unwrap();
    assert!(
        matches!(&seen[0].messages[0], Message::System(text) if text.ends_with("Today is Monday, 30 November 2026, in UTC.")),
        "{:?}",
        seen[0].messages[0]
    );
}
