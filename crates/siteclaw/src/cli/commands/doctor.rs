//! `siteclaw doctor`: everything is checked, and what is to be fixed is said.

use serde_json::json;
use siteclaw_site::{Check, Verdict};

use crate::cli::app::App;
use crate::cli::args::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;
use crate::cli::provider;

pub(crate) async fn run(global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let app = App::start(global, Vec::new())?;
    let mut checks = vec![configuration(&app), state(&app), asked(&app, global)];
    match app.site() {
        Ok(site) => {
            let what = format!("{} in {}", site.platform().title(), site.root().display());
            checks.push(Check::ok("site", what));
            checks.extend(site.checkup().await);
        }
        Err(failure) => checks.push(Check::failed("site", failure.message, None)),
    }
    for check in &mut checks {
        check.message = app.executor.masker().mask(&check.message).into_owned();
        check.fix = check.fix.take().map(|fix| app.executor.masker().mask(&fix).into_owned());
    }
    let worst = checks.iter().map(|check| check.verdict).max().unwrap_or(Verdict::Ok);
    if printer.is_json() {
        printer.document(&json!({"verdict": worst, "checks": checks}))?;
    } else {
        printer.text(&checks.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(if worst == Verdict::Failed { Exit::Failed } else { Exit::Done })
}

fn configuration(app: &App) -> Check {
    match (&app.config.path, app.config.found) {
        (Some(path), true) => Check::ok("settings", format!("{} was read.", path.display())),
        (Some(path), false) => {
            Check::ok("settings", format!("There is no {}; defaults hold.", path.display()))
        }
        (None, _) => Check::ok("settings", "There is no home folder; defaults hold."),
    }
}

fn state(app: &App) -> Check {
    match app.state.folder() {
        Some(folder) if folder.exists() => Check::ok("state", format!("{} is there.", folder.display())),
        Some(folder) => Check::ok("state", format!("{} will be made when it is needed.", folder.display())),
        None => Check::warning(
            "state",
            "There is no place for state, so placeholders of secrets differ from run to run.",
            "Set SITECLAW_STATE to a private folder.",
        ),
    }
}

/// Who would answer `send`. Nobody is asked: that may cost money.
fn asked(app: &App, global: &Global) -> Check {
    match provider::of(app, global, false) {
        Ok(provider) if provider.name() == "offline" => {
            Check::ok("provider", "No provider is configured; offline answers, without a language model.")
        }
        Ok(provider) => {
            let what = format!("{} with {} is set; it was not asked.", provider.name(), provider.model());
            Check::ok("provider", what)
        }
        Err(failure) => Check::failed("provider", failure.message, None),
    }
}

fn line(check: &Check) -> String {
    let verdict = match check.verdict {
        Verdict::Ok => "ok     ",
        Verdict::Warning => "warning",
        Verdict::Failed => "failed ",
    };
    let mut text = format!("{verdict}  {:<13} {}", check.name, check.message);
    if let Some(fix) = &check.fix {
        text.push_str(&format!("\n                       → {fix}"));
    }
    text
}
