//! Answers in the form of a schema.

use std::sync::Mutex;

use serde_json::{Value, json};
use siteclaw_agent::{AgentError, Choice, End, Message, Update};

use super::script::{agent, calls, say};
use super::shop::run;

fn schema() -> Value {
    json!({
        "type": "object", "properties": {"total": {"type": "integer", "minimum": 0}}, "required": ["total"],
        "additionalProperties": false
    })
}

#[tokio::test]
async fn the_answer_may_be_text_or_a_call_after_other_calls() {
    for last in [say("```json\n{\"total\": 8}\n```"), calls(&[("b", "give_answer", json!({"total": 8}))])] {
        let (builder, seen) = agent("anthropic", vec![calls(&[("a", "double", json!({"n": 4}))]), last]);
        let shaped = builder.build().send_structured(&run(), "double 4", &schema(), &|_| ()).await.unwrap();
        assert_eq!((shaped.value, shaped.answer.end), (json!({"total": 8}), End::Answered));
        assert_eq!(shaped.answer.tools_called.len(), 1);
        let seen = seen.lock().unwrap();
        assert!(seen.iter().all(|seen| seen.shaped && seen.choice == Choice::Free));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again_with_what_is_wrong() {
    let steps = vec![
        calls(&[("b", "give_answer", json!({"total": -1}))]),
        say("{\"total\": 8, \"unit\": \"EUR\"}"),
        say("{\"total\": 8}"),
    ];
    let (builder, seen) = agent("anthropic", steps);
    let repairs = Mutex::new(Vec::new());
    let listener = |update: Update<'_>| {
        if let Update::Repairing { attempt, problem } = update {
            repairs.lock().unwrap().push(format!("{attempt} {problem}"));
        }
    };
    let shaped = builder.build().send_structured(&run(), "double 4", &schema(), &listener).await.unwrap();
    assert_eq!(shaped.value, json!({"total": 8}));
    let repairs = repairs.into_inner().unwrap();
    assert!(
        repairs[0].starts_with("1 total must be at least 0") && repairs[1].contains("'unit'"),
        "{repairs:?}"
    );
    let seen = seen.lock().unwrap();
    assert_eq!([seen[1].choice, seen[2].choice], [Choice::Shaped, Choice::Shaped]);
    assert!(
        matches!(seen[1].messages.last(), Some(Message::Results(results)) if !results[0].envelope.is_success())
    );
    assert!(matches!(seen[2].messages.last(), Some(Message::Note(text)) if text.contains("'unit'")));
}

#[tokio::test]
async fn after_two_repairs_it_is_an_error_that_keeps_the_last_text() {
    let (builder, seen) = agent("anthropic", vec![say("eight")]);
    let error = builder.build().send_structured(&run(), "double 4", &schema(), &|_| ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the provider 'anthropic' gave no answer in the form that was asked for: The answer is not JSON."
    );
    assert_eq!((seen.lock().unwrap().len(), error.done().unwrap().text.as_str()), (3, "eight"));
}

#[tokio::test]
async fn a_schema_that_is_none_is_refused_before_anybody_is_asked() {
    for schema in [json!({"type": "array"}), json!({}), json!({"type": "object", "properties": 7})] {
        let (builder, seen) = agent("anthropic", vec![say("{}")]);
        let error = builder.build().send_structured(&run(), "x", &schema, &|_| ()).await.unwrap_err();
        assert!(matches!(error, AgentError::Schema(_)), "{error}");
        assert!(seen.lock().unwrap().is_empty());
    }
}
