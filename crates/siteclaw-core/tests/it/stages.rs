//! The order of the stages, and what each refusal says.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siteclaw_core::{
    ArgumentGuard, Caller, Code, Ctx, Effects, Event, EventKind, Observer, Offered, Planned, Reply, Run,
    Surface, Tool, ToolError, ToolSpec,
};

use crate::engine::{Approve, call, code, console, door, message, ok, reader, writer};

#[tokio::test]
async fn a_refused_caller_learns_nothing_about_arguments() {
    let executor = door(|tools| tools.tool(reader("peek", |_, _| async { ok(1) })).unwrap()).build();
    let stranger = Run::builder("run", Caller::site_user("eve", ["read"], Surface::Web)).build();
    let outcome = call(&executor, &stranger, "peek", json!({"nonsense": true})).await;
    assert_eq!(code(&outcome), "FORBIDDEN");
    assert_eq!(
        message(&outcome),
        "user:eve may not call 'peek': the capability 'phpclaw_use_tools' is missing."
    );
    let member = Run::builder("run", Caller::site_user("anna", ["phpclaw_use_tools"], Surface::Web)).build();
    assert_eq!(code(&call(&executor, &member, "peek", json!({"nonsense": true})).await), "UNKNOWN_ARGUMENT");
    assert_eq!(code(&call(&executor, &member, "peek", json!({})).await), "OK");
}

#[tokio::test]
async fn names_are_exact_and_near_ones_are_suggested() {
    let executor = door(|tools| tools.tool(reader("shell_exec", |_, _| async { ok(1) })).unwrap()).build();
    let run = console().build();
    for name in ["Shell_Exec", "shell_exec ", "ѕhell_exec", "shel_exec", ""] {
        let outcome = call(&executor, &run, name, json!({})).await;
        assert_eq!(code(&outcome), "UNKNOWN_TOOL", "{name:?}");
    }
    let outcome = call(&executor, &run, "shel_exec", json!({})).await;
    assert_eq!(outcome.envelope.to_value()["error"]["hint"], json!("Did you mean 'shell_exec'?"));
}

#[tokio::test]
async fn a_tool_that_is_not_offered_is_not_run() {
    let executor = door(|tools| {
        tools
            .tool(reader("one", |_, _| async { ok(1) }))
            .and_then(|tools| tools.tool(reader("two", |_, _| async { ok(2) })))
            .unwrap()
    })
    .build();
    let run = console().offered(Offered::Only(BTreeSet::from(["one".to_owned()]))).build();
    let outcome = call(&executor, &run, "two", json!({})).await;
    assert_eq!(code(&outcome), "TOOL_NOT_OFFERED");
    assert_eq!(outcome.envelope.to_value()["error"]["offered"], json!(["one"]));
    run.offer(Offered::All);
    assert_eq!(code(&call(&executor, &run, "two", json!({})).await), "OK");
}

#[tokio::test]
async fn arguments_that_are_no_object_are_refused() {
    let executor = door(|tools| tools.tool(reader("peek", |_, _| async { ok(1) })).unwrap()).build();
    let run = console().build();
    for arguments in [json!(null), json!([1]), json!("text"), json!(7)] {
        assert_eq!(code(&call(&executor, &run, "peek", arguments).await), "INVALID_ARGUMENT");
    }
}

#[tokio::test]
async fn tidying_holds_on_every_surface_and_is_told() {
    let executor =
        door(|tools| tools.tool(reader("echo", |_, text| async move { ok(json!({"text": text})) })).unwrap())
            .build();
    let run = console().build();
    let outcome = call(&executor, &run, "echo", json!({"text": "*"})).await;
    let envelope = outcome.envelope.to_value();
    assert_eq!(envelope["data"], json!({"text": ""}));
    assert_eq!(envelope["warnings"][0]["code"], json!("ARGUMENT_ADJUSTED"));
    assert_eq!(outcome.arguments, json!({}));
}

/// A tool whose effects and capabilities depend on its input.
struct Cache;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct CacheInput {
    action: String,
}

impl Tool for Cache {
    type Input = CacheInput;
    type Plan = String;
    type Output = Value;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("cache", "Shows or clears the cache.").effects(Effects::WRITES)
    }

    fn effects(&self, input: &CacheInput) -> Option<Effects> {
        Some(match input.action.as_str() {
            "status" => Effects::READS,
            "mail" => Effects::SENDS,
            _ => Effects::WRITES,
        })
    }

    fn capabilities(&self, input: &CacheInput) -> Vec<Cow<'static, str>> {
        if input.action == "status" { Vec::new() } else { vec![Cow::Borrowed("manage_cache")] }
    }

    async fn plan(&self, _: &Ctx, input: CacheInput) -> Result<Planned<String, Value>, ToolError> {
        Ok(Planned::run(input.action))
    }

    async fn perform(&self, _: &Ctx, action: &String) -> Result<Reply<Value>, ToolError> {
        ok(action.as_str())
    }
}

#[tokio::test]
async fn effects_and_capabilities_may_depend_on_the_input() {
    let executor = door(|tools| tools.tool(Cache).unwrap()).build();
    let gate = Arc::new(Approve::default());
    let run = Run::builder("run", Caller::token("t", ["phpclaw_use_tools"], Surface::Mcp))
        .gate(gate.clone())
        .build();
    let outcome = call(&executor, &run, "cache", json!({"action": "status"})).await;
    assert_eq!((code(&outcome), outcome.effects), ("OK", Some(Effects::READS)));
    let outcome = call(&executor, &run, "cache", json!({"action": "clear"})).await;
    assert_eq!(code(&outcome), "FORBIDDEN");
    assert!(message(&outcome).contains("manage_cache"));
    assert!(gate.0.lock().unwrap().is_empty(), "nobody is asked about a call that is refused");
    // SENDS is not within the WRITES that the tool states: a fault of the tool, not a way around the gate.
    let run = console().gate(gate.clone()).build();
    assert_eq!(code(&call(&executor, &run, "cache", json!({"action": "mail"})).await), "INTERNAL");
    assert_eq!(code(&call(&executor, &run, "cache", json!({"action": "clear"})).await), "OK");
    assert_eq!(gate.0.lock().unwrap().len(), 1);
}

struct NoSpells;
impl ArgumentGuard for NoSpells {
    fn check(&self, tool: &str, path: &str, text: &str) -> Result<(), ToolError> {
        if text.contains("abracadabra") {
            return Err(ToolError::new(Code::new("ARGUMENT_REFUSED"), format!("{tool} {path}")));
        }
        Ok(())
    }
}

#[tokio::test]
async fn guards_see_every_string_except_declared_content() {
    let mut content = reader("content", |_, _| async { ok(1) });
    content.spec = content.spec.content_fields(&["text"]);
    let executor = door(|tools| {
        tools.tool(reader("plain", |_, _| async { ok(1) })).and_then(|tools| tools.tool(content)).unwrap()
    })
    .argument_guard(Arc::new(NoSpells))
    .build();
    let run = console().build();
    let outcome = call(&executor, &run, "plain", json!({"text": "say abracadabra"})).await;
    assert_eq!((code(&outcome), message(&outcome).as_str()), ("ARGUMENT_REFUSED", "plain text"));
    assert_eq!(code(&call(&executor, &run, "content", json!({"text": "say abracadabra"})).await), "OK");
}

#[derive(Default)]
struct Seen(Mutex<Vec<String>>);
impl Observer for Seen {
    fn observe(&self, event: &Event) {
        let kind = match &event.kind {
            EventKind::Ended { code, .. } => format!("Ended {}", code.unwrap_or("OK")),
            other => format!("{other:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
        };
        self.0.lock().unwrap().push(kind);
    }
}

#[tokio::test]
async fn observers_see_each_stage_once_and_in_order() {
    let seen = Arc::new(Seen::default());
    let act = |ctx: Ctx, _| async move {
        ctx.progress("half way", Some(0.5));
        ok(1)
    };
    let executor = door(|tools| tools.tool(writer("write", act)).unwrap()).observer(seen.clone()).build();
    let run = console().gate(Arc::new(Approve::default())).build();
    call(&executor, &run, "write", json!({})).await;
    call(&executor, &run, "write", json!({"x": 1})).await;
    drop((executor, run));
    assert_eq!(
        *seen.0.lock().unwrap(),
        [
            "Found",
            "Allowed",
            "Tidied",
            "Validated",
            "Guarded",
            "Planned",
            "ApprovalAsked",
            "ApprovalDecided",
            "Planned",
            "Performing",
            "Progress",
            "Finished",
            "Ended OK",
            "Found",
            "Allowed",
            "Tidied",
            "Ended UNKNOWN_ARGUMENT",
        ]
    );
}

#[tokio::test]
async fn a_callers_own_context_reaches_the_tool() {
    struct Tenant(&'static str);
    let act = |ctx: Ctx, _| async move { ok(ctx.extension::<Tenant>().map_or("none", |tenant| tenant.0)) };
    let executor = door(|tools| tools.tool(reader("who", act)).unwrap()).build();
    let run = console().extension(Tenant("acme")).build();
    assert_eq!(call(&executor, &run, "who", json!({})).await.envelope.to_value()["data"], json!("acme"));
    let run = console().build();
    assert_eq!(call(&executor, &run, "who", json!({})).await.envelope.to_value()["data"], json!("none"));
}
