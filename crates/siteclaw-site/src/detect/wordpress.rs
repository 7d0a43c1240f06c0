//! Recognises WordPress in its layouts: all in one folder, in a folder of its own, as a Composer project.
//!
//! A folder whose `wp-includes/version.php` assigns `$wp_version` is WordPress' own folder, `ABSPATH`.
//! The configuration is found by WordPress' own rule (`wp-load.php`): `wp-config.php` beside it, else one
//! level up, unless the folder above is itself a WordPress (has `wp-settings.php`). A `wp-config.php`
//! alone proves nothing, nor does a `wp-content`; together with plugins and themes they do.

use super::evidence::{Evidence, Extra, Findings};
use super::folder::{Folder, version};
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector = Detector {
    platform: Platform::WordPress,
    signs: "wp-includes/version.php, wp-load.php, wp-config.php with wp-content, composer.json with roots/wordpress",
    examine,
};

/// Composer packages that bring WordPress itself.
const PACKAGES: [&str; 6] = [
    "roots/wordpress",
    "roots/wordpress-no-content",
    "roots/wordpress-full",
    "johnpbloch/wordpress",
    "johnpbloch/wordpress-core",
    "pantheon-systems/wordpress-composer",
];

/// Where the parts lie, relative to the root.
struct Layout {
    docroot: String,
    core: String,
    content: Vec<String>,
}

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::WordPress, folder);
    let layout = layout(folder, &mut findings);
    findings.docroot(&layout.docroot);
    findings.core(&layout.core);
    core(folder, &mut findings, &layout.core);
    config(folder, &mut findings, &layout);
    for content in &layout.content {
        if findings.folder(content, 10, "WordPress' content") {
            findings.folder(&at(content, "plugins"), 10, "its plugins");
            findings.folder(&at(content, "themes"), 10, "its themes");
            woocommerce(folder, &mut findings, content);
            break;
        }
    }
    if findings.sum() > 0 {
        findings.version_locked(&PACKAGES);
    }
    findings.finish()
}

fn layout(folder: &Folder, findings: &mut Findings<'_>) -> Layout {
    let here = folder.is_file("wp-settings.php");
    if !here && let Some(layout) = project(folder, findings) {
        return layout;
    }
    let core = if here { None } else { own_folder(folder, findings) }.unwrap_or_default();
    let content = vec![at(&core, "wp-content"), "wp-content".to_owned()];
    Layout { docroot: String::new(), core, content }
}

/// A Composer project that installs WordPress into a folder of the docroot, as Bedrock does. Where that
/// is, `extra.wordpress-install-dir` says.
fn project(folder: &Folder, findings: &mut Findings<'_>) -> Option<Layout> {
    let bedrock = folder.is_file("config/application.php") && folder.is_file("web/wp-config.php");
    let composer = folder.composer();
    let package = composer.requires_any(&PACKAGES);
    if !bedrock && package.is_none() {
        return None;
    }
    let stated = match composer.extra(&["wordpress-install-dir"]) {
        Some(serde_json::Value::Object(by_package)) => by_package.values().next(),
        other => other,
    };
    let stated = stated.and_then(serde_json::Value::as_str);
    let fallback = if bedrock || package.is_some_and(|name| name.starts_with("roots/")) {
        "web/wp"
    } else {
        "wordpress"
    };
    let core = stated.unwrap_or(fallback).trim_start_matches("./").trim_matches('/').to_owned();
    if matches!(core.as_str(), "" | ".") {
        return None;
    }
    findings.required(&PACKAGES, 30, "Composer installs WordPress here");
    if bedrock {
        findings.mark("config/application.php", 30, "Bedrock's configuration");
        findings.edition("Bedrock");
    }
    let docroot = core.rsplit_once('/').map_or_else(String::new, |(above, _)| above.to_owned());
    let content = vec![at(&docroot, "app"), at(&docroot, "wp-content"), at(&core, "wp-content")];
    Some(Layout { docroot, core, content })
}

/// The folder that `index.php` loads WordPress from, if that is not its own.
fn own_folder(folder: &Folder, findings: &mut Findings<'_>) -> Option<String> {
    let index = folder.php("index.php")?;
    let here = format!("{}/", folder.path().to_string_lossy());
    let core = index.texts().find_map(|text| {
        let path = text.strip_suffix("/wp-blog-header.php")?;
        let path = path.strip_prefix(here.as_str()).unwrap_or(path);
        Some(path.trim_start_matches("./").trim_matches('/').to_owned())
    })?;
    if matches!(core.as_str(), "" | ".") || !folder.is_folder(&core) {
        return None;
    }
    findings.mark("index.php", 10, "loads WordPress from a folder of its own");
    Some(core)
}

fn core(folder: &Folder, findings: &mut Findings<'_>, core: &str) {
    let stating = at(core, "wp-includes/version.php");
    let facts = folder.php(&stating);
    if let Some(stated) = facts.as_ref().and_then(|php| php.variable("wp_version")) {
        findings.mark(&*stating, 60, "states WordPress' version");
        findings.version(version(&stated).map(|version| (version, stating)));
    }
    if facts.is_some_and(|php| php.variable("cp_version").is_some()) {
        findings.edition("ClassicPress");
    }
    findings.file(&at(core, "wp-load.php"), 30, "starts WordPress");
    findings.file(&at(core, "wp-settings.php"), 30, "WordPress' set-up");
    findings.folder(&at(core, "wp-admin"), 5, "WordPress' administration");
}

fn config(folder: &Folder, findings: &mut Findings<'_>, layout: &Layout) {
    const ABOVE: &str = "WordPress' configuration, one level up";
    let beside = at(&layout.core, "wp-config.php");
    if findings.config(&beside) {
        findings.mark(beside, 30, "WordPress' configuration");
    } else if !layout.core.is_empty() {
        let above = layout.core.rsplit_once('/').map_or("", |(above, _)| above);
        let config = at(above, "wp-config.php");
        if !folder.is_file(&at(above, "wp-settings.php")) && findings.config(&config) {
            findings.mark(config, 30, ABOVE);
        }
    } else if folder.is_file("wp-settings.php")
        && let Some(above) = folder.path().parent()
        && let Ok(above) = Folder::open(above)
        && above.is_file("wp-config.php")
        && !above.is_file("wp-settings.php")
    {
        findings.config_outside(above.absolute("wp-config.php"));
        findings.mark("../wp-config.php", 30, ABOVE);
    }
}

fn woocommerce(folder: &Folder, findings: &mut Findings<'_>, content: &str) {
    let path = at(content, "plugins/woocommerce/woocommerce.php");
    if folder.is_file(&path) {
        let header = folder.text(&path).map(|text| siteclaw_php::file_header(text.as_bytes()));
        let stated = header.as_ref().and_then(|header| version(header.get("Version")?));
        findings.extra(Extra { name: "WooCommerce".into(), version: stated, path });
    }
}

/// `name` in `folder`, which may be the root.
fn at(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
