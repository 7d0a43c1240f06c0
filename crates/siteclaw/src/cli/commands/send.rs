//! `siteclaw send MESSAGE`: ask once.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_agent::{Agent, AgentError, Answer, End, Listener, Update};
use siteclaw_core::{Observer, Run, Surface};

use crate::cli::app::App;
use crate::cli::args::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::live::{Live, shown};
use crate::cli::printer::Printer;
use crate::cli::progress::Progress;
use crate::cli::provider::{self, sentence};
use crate::cli::runlog::RunLog;

pub(crate) async fn run(
    global: &Global,
    printer: &Printer,
    message: &[String],
    log: Option<&Path>,
) -> Result<Exit, Failure> {
    let app = App::start(global, vec![Arc::new(Progress) as Arc<dyn Observer>])?;
    app.site()?;
    let run = app.run(Surface::Agent);
    let agent = agent(&app, global, false)?;
    let open = |path| RunLog::open(path, app.executor.clone(), Arc::clone(&app.clock), run.id());
    let log = log.map(open).transpose()?;
    let live = Live::new(printer);
    let listener = |update: Update<'_>| {
        if let Some(log) = &log {
            log.hear(update);
        }
        live.hear(update);
    };
    let answer = match ask(&app, &agent, &run, &message.join(" "), &listener).await {
        Ok(answer) => answer,
        Err(failure) => {
            if let Some(log) = &log {
                log.failed(&failure.message);
            }
            return Err(failure);
        }
    };
    if printer.is_json() {
        let document = serde_json::to_value(&answer)
            .map_err(|error| Failure::new(Exit::Failed, format!("The answer is no JSON: {error}.")))?;
        printer.document(&document)?;
    } else {
        live.finish(&answer)?;
    }
    if let Some(note) = remark(&answer) {
        printer.note(note);
    }
    if global.verbose > 0 {
        printer.note(&bill(&answer));
    }
    Ok(exit_of(&answer))
}

/// `siteclaw send --dry-run MESSAGE`: the request, whole, but for the key.
pub(crate) fn preview(global: &Global, printer: &Printer, message: &[String]) -> Result<Exit, Failure> {
    let app = App::start(global, Vec::new())?;
    app.site()?;
    let run = app.run(Surface::Agent);
    let agent = agent(&app, global, true)?;
    let request = agent.preview(&run, &message.join(" ")).map_err(|error| failed(&app, &error))?;
    let provider = agent.provider();
    if printer.is_json() {
        printer
            .document(&json!({"provider": provider.name(), "model": provider.model(), "request": request}))?;
        return Ok(Exit::Done);
    }
    let Some(request) = request else {
        printer.text("Nothing would be sent: offline answers on this machine, without a language model.")?;
        return Ok(Exit::Done);
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = vec![format!("{} {}", text(&request["method"]), text(&request["url"]))];
    let headers = request["headers"].as_object().into_iter().flatten();
    lines.extend(headers.map(|(name, value)| format!("{name}: {}", text(value))));
    let body = serde_json::to_string_pretty(&request["body"]).unwrap_or_default();
    printer.text(&shown(&format!("{}\n\n{body}", lines.join("\n"))))?;
    Ok(Exit::Done)
}

/// What an answer cost, on a line.
fn bill(answer: &Answer) -> String {
    let usage = answer.usage;
    let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
    let cost = answer.cost.map_or_else(|| "price not known".to_owned(), |cost| cost.to_string());
    format!(
        "{} {}: {} turns, {} tokens read, {cached} cached, {} written, {cost}",
        answer.provider, answer.model, answer.iterations, usage.input_tokens, usage.output_tokens
    )
}

/// The agent with the provider that is asked for. One that is only looked at needs no key.
pub(crate) fn agent(app: &App, global: &Global, without_key: bool) -> Result<Agent, Failure> {
    let provider = provider::of(app, global, without_key)?;
    let section = app.config.provider();
    let mut builder = Agent::builder(app.executor.clone(), provider)
        .iterations(section.max_iterations.unwrap_or_default())
        .most_tokens(section.max_run_tokens.unwrap_or_default())
        .prices(provider::prices(app)?);
    if let Some(site) = &app.site {
        let summary = site.summary();
        let version = summary["version"].as_str().unwrap_or_default();
        builder = builder.instructions(format!("The site runs {} {version}", site.platform().title()).trim());
    }
    Ok(builder.build())
}

/// What is to be said about an answer that is not a whole one.
const fn remark(answer: &Answer) -> Option<&'static str> {
    match answer.end {
        End::Answered => None,
        End::CutShort => Some("The answer is cut short: the model's limit of output was reached."),
        End::Declined => Some("The model declined to answer."),
        End::Cancelled => Some("Cancelled. The calls until then stand."),
        End::OutOfIterations => Some(
            "The limit of turns was reached. The answer is what could be said until then; the calls stand.",
        ),
        End::OutOfTokens => Some("The limit of tokens was reached. The calls until then stand."),
    }
}

/// Asks, and lets Ctrl-C end the run with what was done until then.
pub(crate) async fn ask(
    app: &App,
    agent: &Agent,
    run: &Run,
    message: &str,
    listener: Listener<'_>,
) -> Result<Answer, Failure> {
    let asked = agent.stream(run, message, listener);
    tokio::pin!(asked);
    let result = tokio::select! {
        result = &mut asked => result,
        _ = tokio::signal::ctrl_c() => {
            run.cancel().cancel();
            asked.await
        }
    };
    result.map_err(|error| failed(app, &error))
}

fn failed(app: &App, error: &AgentError) -> Failure {
    let exit = match error {
        AgentError::EmptyMessage | AgentError::MessageTooLong { .. } => Exit::Usage,
        _ => Exit::Provider,
    };
    Failure::new(exit, app.executor.masker().mask(&sentence(&error.to_string())).into_owned())
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
        End::Cancelled | End::OutOfIterations | End::OutOfTokens => Exit::Failed,
    }
}

/// `siteclaw explain MESSAGE`: what a model would see, and why.
pub(crate) fn explain(global: &Global, printer: &Printer, message: &[String]) -> Result<Exit, Failure> {
    let app = App::start(global, Vec::new())?;
    app.site()?;
    let run = app.run(Surface::Agent);
    let routed = agent(&app, global, true)?.explain(&run, &message.join(" "));
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
