//! What is said in plain words: what was asked, what could not be used, and why nothing was asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use siteclaw_core::Entry;

use super::fields::{Field, Kind, fields};
use super::plan::Call;
use crate::render;

/// How every answer begins.
pub(super) const NOTICE: &str = "No language model was used";

/// Examples that are shown where nothing fits.
const SHOWN: usize = 5;

/// What stands above the result of a call. What was not used comes first.
pub(super) fn above(
    call: &Call<'_>,
    name: &str,
    arguments: Option<&Map<String, Value>>,
    ignored: &[String],
) -> String {
    let mut first = Vec::new();
    if !call.corrections.is_empty() {
        let read: Vec<String> = call
            .corrections
            .iter()
            .map(|one| format!("“{}” was read as “{}”", line(&one.written), one.read))
            .collect();
        first.push(format!("{}.", read.join(", ")));
    }
    if !call.left.is_empty() {
        first.push(format!("Not used: {}. The answer may be wider than the question.", left(call)));
    }
    if !ignored.is_empty() {
        let ignored: Vec<String> = ignored.iter().map(|one| line(one)).collect();
        first.push(format!(
            "Made no difference: {} The answer may be wider than the question.",
            ignored.join(" ")
        ));
    }
    if let Some(words) = &call.near {
        let status = fields(call.entry.input_schema())
            .iter()
            .any(|field| field.has("status") && field.closed && !call.arguments.contains_key(field.name));
        let which = if status { " They cover every status: name one for less." } else { "" };
        first.push(format!("No tool works out “{}”; the sums of {name} come nearest.{which}", line(words)));
    }
    let asked = format!("Asked of {name}: {}.", said(arguments));
    if first.is_empty() {
        format!("{NOTICE}. {asked}")
    } else {
        format!("{NOTICE}. {}\n{asked}", first.join(" "))
    }
}

/// Why a tool that fits was not called: it cannot use words that narrow.
pub(super) fn narrower(call: &Call<'_>) -> String {
    let name = call.entry.spec().name();
    let mut text = format!(
        "{NOTICE}, and nothing was asked of the site. {name} fits, but these words could not be used: {}.\n\
         Without them the answer would be wider than the question.",
        left(call)
    );
    let plain =
        ["columns", "schema", "aggregate", "limit", "offset", "orderby", "order", "paged", "posts_per_page"];
    let narrowing: Vec<&str> = fields(call.entry.input_schema())
        .iter()
        .map(|field| field.name)
        .filter(|name| !plain.contains(name))
        .collect();
    if !narrowing.is_empty() {
        text.push_str(&format!("\nIt narrows by: {}.", narrowing.join(", ")));
    }
    if !call.arguments.is_empty() {
        text.push_str(&format!("\nUnderstood: {}.", said(Some(&call.arguments))));
    }
    text.push_str("\nAsk in other words or without them, with names between quotation marks.");
    text
}

/// Why no figure comes, and what comes near.
pub(super) fn no_figure(words: &str, about: Option<&Entry>, near: &[&Entry]) -> String {
    let mut text =
        format!("{NOTICE}, and nothing was asked of the site. No tool works out “{}”", line(words));
    match about {
        Some(entry) => text.push_str(&format!(" over the rows of {}.", entry.spec().name())),
        None => text.push('.'),
    }
    for entry in near {
        let what = if entry.input_schema().pointer("/properties/sql").is_some() {
            "runs one SELECT that you write".to_owned()
        } else {
            let example =
                entry.spec().examples().iter().find(|example| example.arguments.get("aggregate").is_some());
            let ask = example.map(|example| format!(", for example: {}", example.prompt)).unwrap_or_default();
            format!("counts and sums{ask}")
        };
        text.push_str(&format!("\nNearest: {} {what}.", entry.spec().name()));
    }
    text
}

/// Why nothing was changed, and what can be looked at.
pub(super) fn no_change(verb: &str, look: Option<&Call<'_>>) -> String {
    let mut text = format!("{NOTICE}. No registered tool can {verb} that. Nothing was changed.");
    if let Some(call) = look {
        let name = call.entry.spec().name();
        let with = if call.arguments.is_empty() {
            String::new()
        } else {
            format!(" ({})", said(Some(&call.arguments)))
        };
        text.push_str(&format!("\n{name} can show what is there{with}: ask without “{verb}”."));
    }
    text
}

/// Why nobody explains how to do something.
pub(super) fn no_guide(verb: &str) -> String {
    format!(
        "{NOTICE}, and no tool explains how to {verb} something. Tools show what is there; nothing was asked of the site."
    )
}

/// What can be asked about, where nothing fits.
pub(super) fn areas(available: &[Arc<Entry>]) -> String {
    let domains: BTreeSet<&str> =
        available.iter().flat_map(|entry| entry.spec().routing().domains.iter()).map(AsRef::as_ref).collect();
    let names: BTreeSet<&str> = available.iter().map(|entry| entry.spec().name()).collect();
    if names.is_empty() {
        return format!("{NOTICE}, and there is no tool that could answer.");
    }
    let (what, list) =
        if domains.is_empty() { ("These tools can answer", names) } else { ("Ask about", domains) };
    let list: Vec<&str> = list.into_iter().collect();
    let mut text =
        format!("{NOTICE}, and no tool fits the words of the message.\n{what}: {}.", list.join(", "));
    let examples: Vec<&str> = available
        .iter()
        .filter_map(|entry| entry.spec().examples().first())
        .map(|example| example.prompt.as_ref())
        .take(SHOWN)
        .collect();
    if !examples.is_empty() {
        text.push_str(&format!("\nFor example: {}.", examples.join("; ")));
    }
    text
}

/// The question for what a message does not give. One of several is enough where the tool says so.
pub(super) fn asked(entry: &Entry, missing: &[String]) -> String {
    let fields = fields(entry.input_schema());
    let missing: Vec<&Field<'_>> =
        missing.iter().filter_map(|name| fields.iter().find(|field| field.name == *name)).collect();
    let name = entry.spec().name();
    let one_of = missing.len() > 1 && missing.iter().all(|field| !field.required);
    let what = match missing.len() {
        1 => "an argument",
        _ if one_of => "one of these arguments",
        _ => "arguments",
    };
    let mut text =
        format!("{NOTICE}. The tool {name} fits the message but needs {what} that it does not give:");
    for field in &missing {
        text.push_str(&format!("\n  {}: {}", field.name, expected(field)));
    }
    let gives = |field: &&Field<'_>, arguments: &Value| arguments.get(field.name).is_some();
    let example = entry.spec().examples().iter().find(|example| {
        if one_of {
            missing.iter().any(|field| gives(field, &example.arguments))
        } else {
            missing.iter().all(|field| gives(field, &example.arguments))
        }
    });
    match example {
        Some(example) => text.push_str(&format!("\nAsk for example: {}", example.prompt)),
        None => text.push_str("\nAsk again and say it, with text between quotation marks."),
    }
    text
}

/// What an argument takes, in words.
fn expected(field: &Field<'_>) -> String {
    let bound = |keyword: &str| field.schema.get(keyword).map(Value::to_string);
    let kind = match field.kind {
        _ if field.closed => format!("one of {}", field.values.join(", ")),
        Kind::Flag => "true or false".to_owned(),
        Kind::Whole | Kind::Number => {
            let noun = if field.kind == Kind::Whole { "a whole number" } else { "a number" };
            match (bound("minimum"), bound("maximum")) {
                (Some(least), Some(most)) => format!("{noun} from {least} to {most}"),
                (Some(least), None) => format!("{noun} of at least {least}"),
                (None, Some(most)) => format!("{noun} of at most {most}"),
                (None, None) => noun.to_owned(),
            }
        }
        Kind::Text => "text".to_owned(),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::Other => "a value".to_owned(),
    };
    let description = field.description();
    if description.is_empty() { format!("{kind}.") } else { format!("{kind}. {description}") }
}

/// Arguments on one line.
fn said(arguments: Option<&Map<String, Value>>) -> String {
    let Some(arguments) = arguments.filter(|arguments| !arguments.is_empty()) else {
        return "no arguments".to_owned();
    };
    let pairs: Vec<String> =
        arguments.iter().map(|(name, value)| format!("{name} = {}", render::inline(value))).collect();
    pairs.join(", ")
}

/// The words that were not used, between quotation marks.
fn left(call: &Call<'_>) -> String {
    let words: Vec<String> = call.left.iter().map(|left| format!("“{}”", line(&left.text))).collect();
    words.join(", ")
}

fn line(text: &str) -> String {
    render::inline(&Value::from(text))
}
