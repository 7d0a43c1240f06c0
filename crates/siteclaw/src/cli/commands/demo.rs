//! `siteclaw demo [DIR]`: a shop to try things on, and three questions to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use siteclaw_core::{Clock, FixedClock, Surface};
use siteclaw_site::detect::{Place, detect};

use super::send::{agent, ask, exit_of};
use crate::cli::app::{App, clock};
use crate::cli::args::Global;
use crate::cli::config::Config;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;
use crate::cli::state::State;
use crate::demo::{self, DemoError, DemoOptions, Summary};

/// What the shop is asked.
const QUESTIONS: [&str; 3] = [
    "Which products are low in stock?",
    "How many orders are on hold?",
    "Show me the last 5 pending comments",
];
/// What lies in the demo's folder. The state stays beside the shop: the demo writes nowhere else.
const SHOP: &str = "shop";
const STATE: &str = "state";
/// The hour, in UTC, at which a demo's data ends.
const ENDS_AT: SignedDuration = SignedDuration::from_hours(18);

pub(crate) async fn run(
    global: &Global,
    printer: &Printer,
    folder: &Path,
    fresh: bool,
) -> Result<Exit, Failure> {
    if global.site.is_some() {
        return Err(Failure::usage("demo makes its own site; name its folder as demo DIR, without --site."));
    }
    is_fit(folder)?;
    let now = clock()?.now();
    let shop = folder.join(SHOP);
    let summary = provide(&shop, fresh, now).await?;
    let counts: Vec<String> =
        summary.counts.iter().map(|count| format!("{} {}", count.count, count.kind)).collect();
    let verb = if summary.reused { "Found" } else { "Made" };
    printer.note(&format!("{verb} the demo shop in {}: {}.", shop.display(), counts.join(", ")));

    // To the questions it is always the evening on which the data ends: "this week" is never empty.
    let end: Timestamp = summary.now.parse().map_err(|_| damaged(&shop))?;
    let app = attach(global, &shop, folder, Arc::new(FixedClock(end)))?;
    let agent = agent(&app, &asker(global), false)?;
    let mut answers = Vec::new();
    let mut exit = Exit::Done;
    for question in QUESTIONS {
        let run = app.run(Surface::Agent);
        let answer = ask(&app, &agent, &run, question, &|_| ()).await?;
        if exit == Exit::Done {
            exit = exit_of(&answer);
        }
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
        printer.document(&json!({
            "site": shop.to_string_lossy(),
            "reused": summary.reused,
            "now": summary.now,
            "answers": answers,
        }))?;
    } else {
        printer.note(&format!("\n{}", hint(&shop, end, now)));
    }
    Ok(exit)
}

/// The demo that is there, whatever its date; a new one ends on the last evening.
async fn provide(shop: &Path, fresh: bool, now: Timestamp) -> Result<Summary, Failure> {
    if !fresh && let Some(summary) = demo::find(shop).map_err(|error| failed(&error))? {
        return Ok(summary);
    }
    let options = DemoOptions { fresh, ends_on: last_evening(now), ..DemoOptions::default() };
    demo::create(shop, &options).await.map_err(|error| failed(&error))
}

/// The day of the last end that is not in the future.
fn last_evening(now: Timestamp) -> Date {
    let moment = now.checked_sub(ENDS_AT).unwrap_or(now);
    moment.to_zoned_datetime(jiff::tz::TimeZone::UTC).date()
}

/// The user's own configuration holds only where it is named: what it says is about other sites.
fn attach(global: &Global, shop: &Path, folder: &Path, clock: Arc<dyn Clock>) -> Result<App, Failure> {
    let config = match &global.config {
        Some(path) => Config::load(Some(path))?,
        None => Config::default(),
    };
    let site = Global {
        site: Some(shop.to_owned()),
        workspace: None,
        config: global.config.clone(),
        provider: global.provider.clone(),
        model: global.model.clone(),
        json: global.json,
        verbose: global.verbose,
    };
    App::with(&site, config, State::at(folder.join(STATE)), clock, Vec::new())
}

/// Who answers in the demo: nobody who has to be paid, unless somebody is named. A key in the environment is no
/// wish to spend money on looking around.
fn asker(global: &Global) -> Global {
    let provider = global.provider.clone().or_else(|| Some("offline".to_owned()));
    Global { provider, ..global.clone() }
}

/// Refuses a folder with anything but a demo in it, and one that belongs to a site: sites are never written to.
fn is_fit(folder: &Path) -> Result<(), Failure> {
    let shown = folder.display();
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            let foreign = entries
                .filter_map(Result::ok)
                .map(|entry| entry.file_name())
                .find(|name| name != SHOP && name != STATE && !is_leftover(name));
            if let Some(name) = foreign {
                return Err(Failure::usage(format!(
                    "{shown} holds something else than a demo ({}); name a new or an empty folder: demo DIR.",
                    name.to_string_lossy()
                )));
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => {
            return Err(Failure::usage(format!(
                "{shown} cannot be used for a demo: {error}. Name another folder."
            )));
        }
    }
    let existing = existing_part(folder);
    match detect(&existing) {
        Ok(found) if found.place != Place::Beneath => Err(Failure::usage(format!(
            "{shown} lies in the {} site {}, and sites are never written to; name a folder elsewhere: demo DIR.",
            found.site.platform.title(),
            found.site.root.display()
        ))),
        _ => Ok(()),
    }
}

/// What a killed run left behind.
fn is_leftover(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().starts_with(&format!(".{SHOP}.siteclaw-"))
}

/// The nearest folder on the way that is there.
fn existing_part(folder: &Path) -> PathBuf {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    whole.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/")).to_owned()
}

/// How to go on. Once the data is older than a day, "this week" needs the day it was made for.
fn hint(shop: &Path, end: Timestamp, now: Timestamp) -> String {
    let command = format!("siteclaw --site {} send \"…\"", word(&shop.to_string_lossy()));
    if now.duration_since(end).abs() <= SignedDuration::from_hours(24) {
        return format!("Ask on: {command}");
    }
    format!(
        "Ask on: SITECLAW_NOW={end} {command}\nThe data ends on that day; --fresh makes a shop whose data ends today."
    )
}

/// The text as one word of a shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn damaged(shop: &Path) -> Failure {
    let shown = shop.display();
    Failure::new(Exit::Failed, format!("The demo in {shown} is damaged; make it anew with --fresh."))
}

/// One sentence; the way out is the option's name here.
fn failed(error: &DemoError) -> Failure {
    let exit = match error {
        DemoError::Date { .. }
        | DemoError::Foreign { .. }
        | DemoError::NotAFolder { .. }
        | DemoError::Unnamed { .. }
        | DemoError::Other { .. } => Exit::Usage,
        _ => Exit::Failed,
    };
    let fix = match error {
        DemoError::Other { .. } | DemoError::Damaged { .. } => " (--fresh)",
        _ => "",
    };
    Failure::new(exit, format!("{error}{fix}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn new_data_never_ends_in_the_future() {
        let day = |now: &str| last_evening(at(now)).to_string();
        assert_eq!(day("2026-12-05T17:59:59Z"), "2026-12-04");
        assert_eq!(day("2026-12-05T18:00:00Z"), "2026-12-05");
        assert_eq!(day("2027-01-01T00:00:00Z"), "2026-12-31");
    }

    #[test]
    fn an_old_shop_is_asked_as_of_its_own_day() {
        let end = at("2026-12-04T18:00:00Z");
        let shop = Path::new("/tmp/my demo/shop");
        assert_eq!(
            hint(shop, end, at("2026-12-05T17:00:00Z")),
            "Ask on: siteclaw --site '/tmp/my demo/shop' send \"…\""
        );
        let old = hint(shop, end, at("2026-12-05T18:00:01Z"));
        assert!(old.starts_with("Ask on: SITECLAW_NOW=2026-12-04T18:00:00Z siteclaw --site "), "{old}");
        assert!(old.contains("--fresh"), "{old}");
    }
}
