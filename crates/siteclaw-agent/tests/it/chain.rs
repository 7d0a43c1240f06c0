//! Asking again, and asking somebody else. Time stands still but for the waits.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use siteclaw_agent::testing::ScriptedModel;
use siteclaw_agent::{Agent, AgentError, Chain, Provider, ProviderError, Reply, Retry, Update, Usage};
use siteclaw_core::{Caller, Cancel, Run, Surface};
use tokio::time::Instant;

use super::script::tools;
use super::shop::run;

fn cut() -> ProviderError {
    ProviderError::Cut("the connection was reset".to_owned())
}

fn limited(seconds: u64) -> ProviderError {
    ProviderError::Limited { retry_after: Some(Duration::from_secs(seconds)), message: String::new() }
}

fn refused() -> ProviderError {
    ProviderError::Refused { status: 401, message: "invalid key".to_owned() }
}

fn named(name: &'static str) -> ScriptedModel {
    ScriptedModel::new().named(name, "m")
}

fn agent(provider: impl Provider) -> Agent {
    Agent::builder(tools(), Arc::new(provider)).build()
}

fn chain(first: &ScriptedModel) -> Chain {
    Chain::new(Arc::new(first.clone()), Retry::default())
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_asked_again_after_the_wait_that_is_asked_for() {
    let model = named("anthropic").fails(cut()).fails(limited(7)).says("8.");
    let began = Instant::now();
    let heard = Mutex::new(Vec::new());
    let listener = |update: Update<'_>| {
        if let Update::Again { attempt, wait, .. } = update {
            heard.lock().unwrap().push((attempt, wait));
        }
    };
    let answer = agent(chain(&model)).stream(&run(), "double 4", &listener).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.iterations, model.asked().len()), ("8.", 1, 3));
    let heard = heard.into_inner().unwrap();
    assert_eq!((heard.len(), heard[0].0, heard[1]), (2, 1, (2, Duration::from_secs(7))));
    assert!((250..=500).contains(&heard[0].1.as_millis()), "{heard:?}");
    assert!(
        (heard[0].1 + heard[1].1..heard[0].1 + heard[1].1 + Duration::from_millis(9))
            .contains(&began.elapsed())
    );
}

#[tokio::test(start_paused = true)]
async fn what_lasts_and_what_takes_too_long_is_not_asked_again() {
    for error in [refused(), limited(3_600), ProviderError::Unreadable("x".to_owned())] {
        let model = named("anthropic").fails(error.clone());
        let failure = agent(chain(&model)).send(&run(), "double 4").await.unwrap_err();
        assert!(matches!(failure, AgentError::Provider { source, .. } if source == error));
        assert_eq!(model.asked().len(), 1);
    }
    let model = named("anthropic").fails(cut()).fails(cut()).fails(cut()).says("Too late.");
    agent(chain(&model)).send(&run(), "double 4").await.unwrap_err();
    assert_eq!(model.asked().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn another_provider_of_another_form_goes_on_with_the_same_run() {
    let first = named("anthropic").calls("double", json!({"n": 4})).fails(limited(3_600)).says("I am back.");
    let usage = Usage { input_tokens: 10, ..Usage::default() };
    let second = named("groq").replies(Reply { usage, ..Reply::text("8.") }).says("Not asked.");
    let agent = agent(chain(&first).or(Arc::new(second.clone())));
    let heard = Mutex::new(Vec::new());
    let listener = |update: Update<'_>| match update {
        Update::Instead { from, to, .. } => heard.lock().unwrap().push(format!("{from} {to}")),
        Update::Replied { provider, .. } => heard.lock().unwrap().push(provider.to_owned()),
        _ => {}
    };
    let answer = agent.stream(&run(), "double 4", &listener).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.provider.as_str(), answer.tools_called.len()),
        ("8.", "groq", 1)
    );
    assert_eq!(heard.into_inner().unwrap(), ["anthropic", "anthropic groq", "groq"]);
    assert!(second.asked()[0].results[0].contains("\"result\":8"));
    // Who failed is left alone for as long as it asked for, and is asked first again afterwards.
    tokio::time::advance(Duration::from_secs(3_599)).await;
    assert_eq!(agent.send(&run(), "and now?").await.unwrap().text, "Not asked.");
    tokio::time::advance(Duration::from_secs(2)).await;
    let answer = agent.send(&run(), "and now?").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.provider.as_str()), ("I am back.", "anthropic"));
}

#[tokio::test(start_paused = true)]
async fn a_wrong_key_is_not_hidden_by_another_provider() {
    let first = named("anthropic").fails(refused());
    let second = named("openai").says("8.");
    let error = agent(chain(&first).or(Arc::new(second.clone()))).send(&run(), "double 4").await.unwrap_err();
    assert!(error.to_string().contains("invalid key"), "{error}");
    assert_eq!(second.asked().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn when_all_fail_the_first_one_is_spoken_of() {
    let first = named("anthropic").fails(limited(3_600));
    let second = named("openai").fails(ProviderError::Unreadable("x".to_owned()));
    let error = agent(chain(&first).or(Arc::new(second))).send(&run(), "double 4").await.unwrap_err();
    assert!(
        error.to_string().ends_with("it has had too many requests for now; it asks to wait 3600 seconds"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_does_not_wait() {
    let cancel = Cancel::new();
    let run = Run::builder("r", Caller::console(Surface::Agent, false)).cancel(cancel.clone()).build();
    let model = named("anthropic").fails(limited(15)).says("Too late.");
    let listener = |update: Update<'_>| {
        if let Update::Again { .. } = update {
            cancel.cancel();
        }
    };
    let began = Instant::now();
    let answer = agent(chain(&model)).stream(&run, "double 4", &listener).await.unwrap();
    assert_eq!((answer.end, began.elapsed().as_secs()), (siteclaw_agent::End::Cancelled, 0));
}
