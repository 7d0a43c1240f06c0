//! `siteclaw demo [DIR]`: a shop to try things on, and three questions to it.

use std::path::Path;

use serde_json::json;
use siteclaw_core::{Observer, Surface};

use super::send::ask;
use crate::cli::app::App;
use crate::cli::args::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;
use crate::cli::state::State;
use crate::demo::{DemoError, DemoOptions, create};

/// What the shop is asked.
const QUESTIONS: [&str; 3] = [
    "Which products are low in stock?",
    "How many orders are on hold?",
    "Show me the last 5 pending comments",
];

pub(crate) async fn run(
    global: &Global,
    printer: &Printer,
    folder: &Path,
    fresh: bool,
) -> Result<Exit, Failure> {
    if global.site.is_some() {
        return Err(Failure::usage("demo makes its own site; name its folder as demo DIR, without --site."));
    }
    let shop = folder.join("shop");
    let clock = crate::cli::app::clock()?;
    let ends_on = clock.now().to_zoned_datetime(jiff::tz::TimeZone::UTC).date();
    let summary =
        create(&shop, &DemoOptions { fresh, ends_on, ..DemoOptions::default() }).await.map_err(failed)?;
    let counts: Vec<String> =
        summary.counts.iter().map(|count| format!("{} {}", count.count, count.kind)).collect();
    let verb = if summary.reused { "Found" } else { "Made" };
    printer.note(&format!("{verb} the demo shop in {}: {}.", shop.display(), counts.join(", ")));

    // The state stays beside the shop: the demo writes nowhere else.
    let site = Global {
        site: Some(shop.clone()),
        config: global.config.clone(),
        json: global.json,
        verbose: global.verbose,
    };
    let app =
        App::with_state(&site, State::at(folder.join("state")), Vec::<std::sync::Arc<dyn Observer>>::new())?;
    let mut answers = Vec::new();
    for question in QUESTIONS {
        let run = app.run(Surface::Agent);
        let answer = ask(&app, &run, question).await?;
        if !printer.is_json() {
            printer.text(&format!("\n> {question}"))?;
            for call in &answer.tools_called {
                let end = if call.success { "" } else { " (failed)" };
                printer.text(&format!("  called {} {}{end}", call.name, call.input))?;
            }
            printer.text(&answer.text)?;
        }
        answers.push(json!({"question": question, "answer": answer}));
    }
    if printer.is_json() {
        printer.document(
            &json!({"site": shop.to_string_lossy(), "reused": summary.reused, "answers": answers}),
        )?;
    } else {
        printer.note(&format!("\nAsk on: siteclaw --site {} send \"…\"", shop.display()));
    }
    Ok(Exit::Done)
}

fn failed(error: DemoError) -> Failure {
    Failure::new(Exit::Failed, error.to_string())
}
