//! `siteclaw site`: what was detected, without secrets.

use serde_json::Value;

use crate::cli::app::App;
use crate::cli::args::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;

pub(crate) fn run(global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let app = App::start(global, Vec::new())?;
    let mut summary = app.site()?.summary();
    app.executor.masker().mask_value(&mut summary);
    if printer.is_json() {
        printer.document(&summary)?;
    } else {
        printer.text(&page(&summary))?;
    }
    Ok(Exit::Done)
}

/// The summary on a page: one fact a line, evidence last.
fn page(summary: &Value) -> String {
    let mut lines = Vec::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{name:<11} {value}"));
        }
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let version = [&summary["platform"], &summary["version"], &summary["edition"]].map(text).join(" ");
    fact("platform", version.trim().to_owned());
    fact("root", text(&summary["root"]));
    if summary["place"] == "beneath" {
        fact("note", "this site lies beneath the folder that was named".to_owned());
    }
    fact("config", text(&summary["config"]));
    fact("database", database(&summary["database"]));
    fact("prefix", text(&summary["prefix"]));
    if summary["multisite"] == Value::Bool(true) {
        fact("network", format!("blog {}", summary["blog"]));
    }
    for extension in summary["extensions"].as_array().into_iter().flatten() {
        let name = [&extension["name"], &extension["version"]].map(text).join(" ");
        fact("extension", format!("{} ({})", name.trim(), text(&extension["path"])));
    }
    for note in summary["notes"].as_array().into_iter().flatten() {
        fact("note", text(note));
    }
    for rival in summary["rivals"].as_array().into_iter().flatten() {
        fact(
            "also",
            format!("{} in {} (score {})", text(&rival["platform"]), text(&rival["root"]), rival["score"]),
        );
    }
    for marker in summary["evidence"].as_array().into_iter().flatten() {
        let weight = marker["weight"].as_i64().unwrap_or(0);
        fact("evidence", format!("{weight:+} {} ({})", text(&marker["path"]), text(&marker["meaning"])));
    }
    lines.join("\n")
}

fn database(database: &Value) -> String {
    let text = |key: &str| database[key].as_str().unwrap_or_default();
    if let Some(error) = database["error"].as_str() {
        return format!("not known: {error}");
    }
    match text("engine") {
        "sqlite" => format!("sqlite {}", text("file")),
        engine @ ("mysql" | "postgres") => {
            let hosts: Vec<&str> =
                database["hosts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            format!("{engine} {} as {} at {}", text("name"), text("user"), hosts.join(" or "))
        }
        other => other.to_owned(),
    }
}
