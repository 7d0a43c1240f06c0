//! `siteclaw tools [NAME]`: what is registered.

use serde_json::{Value, json};
use siteclaw_core::{Entry, suggestion};

use crate::cli::app::App;
use crate::cli::args::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;

pub(crate) fn run(global: &Global, printer: &Printer, name: Option<&str>) -> Result<Exit, Failure> {
    let app = App::start(global, Vec::new())?;
    let registry = app.executor.registry();
    if let Some(name) = name {
        let Some(entry) = registry.get(name) else {
            app.site()?;
            let hint = suggestion(name, registry.names())
                .unwrap_or_else(|| "`siteclaw tools` lists the names.".to_owned());
            return Err(Failure::usage(format!("There is no tool named '{name}'. {hint}")));
        };
        if printer.is_json() {
            printer.document(&describe(entry))?;
        } else {
            printer.text(&page(entry))?;
        }
        return Ok(Exit::Done);
    }
    let entries = registry.entries();
    if let Err(none) = app.site() {
        printer.note(&none.message);
    }
    if printer.is_json() {
        printer.document(&entries.iter().map(|entry| describe(entry)).collect())?;
        return Ok(Exit::Done);
    }
    let width = entries.iter().map(|entry| entry.spec().name().len()).max().unwrap_or(0);
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            let spec = entry.spec();
            let mark = if spec.widest_effects().is_mutating() { "writes" } else { "reads " };
            format!("{:width$}  {mark}  {}", spec.name(), spec.short_description())
        })
        .collect();
    printer.text(&lines.join("\n"))?;
    Ok(Exit::Done)
}

/// The tool as a document.
fn describe(entry: &Entry) -> Value {
    let spec = entry.spec();
    json!({
        "name": spec.name(),
        "key": spec.catalogue_key(),
        "title": spec.display_title(),
        "description": spec.description(),
        "mutating": spec.widest_effects().is_mutating(),
        "effects": spec.widest_effects(),
        "capabilities": spec.required_capabilities(),
        "input_schema": entry.input_schema(),
        "output_schema": entry.output_schema(),
        "examples": spec.examples(),
    })
}

/// The tool on a page: description, arguments, examples.
fn page(entry: &Entry) -> String {
    let spec = entry.spec();
    let mut lines = vec![format!("{} — {}", spec.name(), spec.display_title()), String::new()];
    lines.push(spec.description().to_owned());
    lines.push(format!("Asks for: {}.", spec.required_capabilities().join(", ")));
    let schema = entry.input_schema();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    lines.extend([String::new(), "Arguments:".to_owned()]);
    for (name, property) in &properties {
        let must = if required.iter().any(|entry| entry == name.as_str()) { ", required" } else { "" };
        lines.push(format!("  {name} ({}{must})", kind(property)));
        if let Some(text) = property["description"].as_str() {
            lines.push(format!("      {text}"));
        }
    }
    if properties.is_empty() {
        lines.push("  none".to_owned());
    }
    if !spec.examples().is_empty() {
        lines.extend([String::new(), "Examples:".to_owned()]);
        for example in spec.examples() {
            lines.push(format!("  {}", example.prompt));
            lines.push(format!("      siteclaw call {} '{}'", spec.name(), example.arguments));
        }
    }
    lines.join("\n")
}

/// The type of an argument in a few words.
fn kind(property: &Value) -> String {
    if let Some(values) = property["enum"].as_array() {
        return values.iter().map(|value| value.as_str().unwrap_or_default()).collect::<Vec<_>>().join(" | ");
    }
    let name = property["type"].as_str().unwrap_or("any").to_owned();
    if name == "array" {
        return format!("list of {}", kind(&property["items"]));
    }
    match (property["minimum"].as_i64(), property["maximum"].as_i64()) {
        (Some(low), Some(high)) => format!("{name} {low} to {high}"),
        (Some(low), None) => format!("{name} from {low}"),
        _ => name,
    }
}
