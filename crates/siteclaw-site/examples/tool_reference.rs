//! Prints the reference of the tools, `docs/tools.md`, from what they state about themselves.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs;
use std::sync::Arc;

use serde_json::Value;
use siteclaw_core::{Entry, Masker};
use siteclaw_site::detect::Detectors;
use siteclaw_site::{AttachOptions, Site};
use siteclaw_tools::roots::{Roots, RootsOptions};
use siteclaw_tools::{CoreParts, Settings, core_tools};

fn main() -> Result<(), Box<dyn Error>> {
    // A folder that looks like a shop is enough: the list of tools comes from files alone.
    let folder = tempfile::tempdir()?;
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)
    };
    write("wp-includes/version.php", "<?php $wp_version = '7.1';")?;
    write("wp-load.php", "<?php")?;
    write("wp-settings.php", "<?php")?;
    write("wp-config.php", "<?php define('DB_ENGINE', 'sqlite'); $table_prefix = 'wp_';")?;
    write(
        "wp-content/plugins/woocommerce/woocommerce.php",
        "<?php\n/* Plugin Name: WooCommerce\nVersion: 11.0.1 */",
    )?;
    let site = Site::attach(folder.path(), AttachOptions::default())?;

    println!("# Tools\n");
    println!(
        "Written by `cargo xtask docs` from the tools themselves. Every tool also answers `siteclaw tools NAME`.\n"
    );
    println!("## Core tools\n");
    println!(
        "They need no site: without one there is only the workspace. `site:/` is the site's folder and is only read, \
         `workspace:/` is the folder in which files are made and changed. Settings stand under `[tools.NAME]` of the \
         configuration.\n"
    );
    let parts = CoreParts {
        roots: Roots::open(RootsOptions { site: Some(folder.path().to_owned()), ..RootsOptions::default() })?,
        settings: Settings::default(),
        masker: Arc::new(Masker::new([0; 32])),
        platforms: Arc::new(Detectors),
    };
    for entry in core_tools(&parts)? {
        println!("{}", section(&entry));
    }
    println!("## WordPress and WooCommerce\n");
    println!(
        "Tools of WooCommerce are listed when its plugin is on disk, and answer `FEATURE_OFF` when it is not active.\n"
    );
    for entry in site.tools()? {
        println!("{}", section(&entry));
    }
    Ok(())
}

fn section(entry: &Entry) -> String {
    let spec = entry.spec();
    let mut lines = vec![format!("### `{}`: {}\n", spec.name(), spec.display_title())];
    lines.push(format!("{}\n", spec.description().replace('\n', " ")));
    let effect = if spec.widest_effects().is_mutating() { "Changes something" } else { "Reads only" };
    lines.push(format!("{effect}. Asks for: `{}`.\n", spec.required_capabilities().join("`, `")));
    let schema = entry.input_schema();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    lines.push("| argument | type | meaning |\n| --- | --- | --- |".to_owned());
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let must = if required.iter().any(|entry| entry == name.as_str()) { ", required" } else { "" };
        let text = property["description"].as_str().unwrap_or_default();
        lines.push(format!("| `{name}` | {}{must} | {} |", kind(property), text.replace('|', "\\|")));
    }
    if let Some(settings) = spec.settings_schema() {
        lines.push("\n| setting | type | meaning |\n| --- | --- | --- |".to_owned());
        for (name, property) in settings["properties"].as_object().into_iter().flatten() {
            let text = property["description"].as_str().unwrap_or_default();
            lines.push(format!("| `{name}` | {} | {} |", kind(property), text.replace('|', "\\|")));
        }
    }
    if !spec.examples().is_empty() {
        lines.push("\n| asked | arguments |\n| --- | --- |".to_owned());
        for example in spec.examples() {
            lines.push(format!(
                "| {} | `{}` |",
                example.prompt,
                example.arguments.to_string().replace('|', "\\|")
            ));
        }
    }
    lines.join("\n") + "\n"
}

fn kind(property: &Value) -> String {
    if let Some(values) = property["enum"].as_array() {
        let values: Vec<String> =
            values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect();
        return values.join(", ");
    }
    if let Some(branches) = property["anyOf"].as_array() {
        return branches.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    let name = property["type"].as_str().unwrap_or("any value");
    if name == "array" {
        return format!("list of {}", kind(&property["items"]));
    }
    let mut text = name.to_owned();
    match (property["minimum"].as_f64(), property["maximum"].as_f64()) {
        (Some(low), Some(high)) => text.push_str(&format!(" {low} to {high}")),
        (Some(low), None) => text.push_str(&format!(" from {low}")),
        _ => {}
    }
    text
}
