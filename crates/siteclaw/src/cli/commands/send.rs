//! `siteclaw send MESSAGE`: ask once.

use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_agent::{Agent, Answer, End, Offline};
use siteclaw_core::{Observer, Run, Surface};

use crate::cli::app::App;
use crate::cli::args::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;
use crate::cli::progress::Progress;

pub(crate) async fn run(global: &Global, printer: &Printer, message: &[String]) -> Result<Exit, Failure> {
    let app = App::start(global, vec![Arc::new(Progress) as Arc<dyn Observer>])?;
    app.site()?;
    let run = app.run(Surface::Agent);
    let answer = ask(&app, &run, &message.join(" ")).await?;
    if printer.is_json() {
        let document = serde_json::to_value(&answer)
            .map_err(|error| Failure::new(Exit::Failed, format!("The answer is no JSON: {error}.")))?;
        printer.document(&document)?;
    } else {
        printer.text(&answer.text)?;
    }
    Ok(exit_of(&answer))
}

/// The agent with the provider that needs no model.
pub(crate) fn agent(app: &App) -> Agent {
    Agent::builder(app.executor.clone(), Arc::new(Offline::new(Arc::clone(&app.clock)).width(app.width)))
        .build()
}

/// Asks, and lets Ctrl-C end the run with what was done until then.
pub(crate) async fn ask(app: &App, run: &Run, message: &str) -> Result<Answer, Failure> {
    let agent = agent(app);
    let asked = agent.send(run, message);
    tokio::pin!(asked);
    let result = tokio::select! {
        result = &mut asked => result,
        _ = tokio::signal::ctrl_c() => {
            run.cancel().cancel();
            asked.await
        }
    };
    result.map_err(|error| {
        let exit = match error {
            siteclaw_agent::AgentError::EmptyMessage | siteclaw_agent::AgentError::MessageTooLong { .. } => {
                Exit::Usage
            }
            _ => Exit::Provider,
        };
        Failure::new(exit, app.executor.masker().mask(&error.to_string()).into_owned())
    })
}

/// Failed when the run was cut off, or when it made calls of which none did its work.
pub(crate) fn exit_of(answer: &Answer) -> Exit {
    match answer.end {
        End::Answered | End::CutShort => {
            let calls = &answer.tools_called;
            if !calls.is_empty() && calls.iter().all(|call| !call.success) {
                Exit::Failed
            } else {
                Exit::Done
            }
        }
        End::Declined => Exit::Provider,
        End::Cancelled | End::OutOfIterations => Exit::Failed,
    }
}

/// `siteclaw explain MESSAGE`: what a model would see, and why.
pub(crate) fn explain(global: &Global, printer: &Printer, message: &[String]) -> Result<Exit, Failure> {
    let app = App::start(global, Vec::new())?;
    app.site()?;
    let run = app.run(Surface::Agent);
    let routed = agent(&app).explain(&run, &message.join(" "));
    let document = serde_json::to_value(&routed)
        .map_err(|error| Failure::new(Exit::Failed, format!("The explanation is no JSON: {error}.")))?;
    if printer.is_json() {
        printer.document(&document)?;
        return Ok(Exit::Done);
    }
    let limit =
        |value: &Value| value.as_u64().map_or_else(|| "no limit".to_owned(), |limit| limit.to_string());
    let mut lines = vec![format!(
        "profile {}, at most {} tools, tokens {} of {}, confidence {}",
        document["profile"].as_str().unwrap_or_default(),
        limit(&document["budget"]),
        document["tokens"],
        limit(&document["token_budget"]),
        document["confidence"]
    )];
    let rows: Vec<Value> = document["tools"].as_array().into_iter().flatten().map(row).collect();
    lines.push(siteclaw_agent::render::table(&rows, printer.width()));
    printer.text(&lines.join("\n"))?;
    Ok(Exit::Done)
}

/// A tool in the table: its score, what became of it, and the words that matched.
fn row(tool: &Value) -> Value {
    let signals: Vec<String> = tool["signals"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|signal| signal["score"].as_f64().unwrap_or(0.0) > 0.0)
        .map(|signal| {
            let words: Vec<&str> =
                signal["words"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            format!("{}: {}", signal["signal"].as_str().unwrap_or_default(), words.join(" "))
        })
        .collect();
    json!({
        "tool": tool["name"],
        "score": format!("{:.2}", tool["score"].as_f64().unwrap_or(0.0)),
        "offered": if tool["offered"].as_bool().unwrap_or(false) { "yes" } else { "no" },
        "reason": tool["reason"],
        "matched": signals.join("; "),
    })
}
