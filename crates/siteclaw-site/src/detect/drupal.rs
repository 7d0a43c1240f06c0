//! Recognises Drupal 8 and later, with the web root in the project's folder or beneath it.
//!
//! `core/lib/Drupal.php` with its constant `VERSION` is decisive; the folder that holds `core` is
//! `DRUPAL_ROOT`. The folder above is the site when Composer says so: it requires Drupal's core, or its
//! scaffold plugin names the web root.

use super::evidence::{Evidence, Findings};
use super::folder::Folder;
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector = Detector {
    platform: Platform::Drupal,
    signs: "core/lib/Drupal.php, composer.json with drupal/core",
    examine,
};

const PACKAGES: [&str; 4] = ["drupal/core", "drupal/core-recommended", "drupal/cms", "drupal/drupal"];

/// Folders that hold `core` when Composer does not name one.
const WEB_ROOTS: [&str; 6] = ["web", "docroot", "html", "public", "public_html", "htdocs"];

/// Sites in `sites/` looked at.
const MAX_SITES: usize = 200;

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::Drupal, folder);
    let stated = folder.composer().extra(&["drupal-scaffold", "locations", "web-root"]);
    let stated = stated
        .and_then(serde_json::Value::as_str)
        .map(|path| path.trim_start_matches("./").trim_matches(['/', '.']));
    let required = findings.required(&PACKAGES, 30, "Composer installs Drupal here");
    let below = if required || stated.is_some() { WEB_ROOTS.as_slice() } else { &[] };
    let candidates: Vec<&str> = stated.into_iter().chain([""]).chain(below.iter().copied()).collect();
    let is_root = |root: &&str| folder.is_file(&at(root, "core/lib/Drupal.php"));
    // Code that Composer has not put there yet leaves the settings to go by.
    let has_sites = |root: &&str| required && folder.is_folder(&at(root, "sites/default"));
    let web = candidates.iter().copied().find(is_root).or_else(|| candidates.iter().copied().find(has_sites));
    let Some(web) = web else {
        return findings.finish();
    };
    findings.docroot(web);
    findings.core(web);
    let stating = at(web, "core/lib/Drupal.php");
    if folder.php(&stating).is_some_and(|php| php.constant("VERSION").is_some()) {
        findings.mark(&*stating, 70, "states Drupal's version");
    }
    findings.file(&at(web, "core/core.services.yml"), 15, "Drupal's services");
    findings.folder(&at(web, "sites/default"), 15, "Drupal's folder of sites");
    if let Some(settings) = settings(folder, web) {
        findings.config(&settings);
        findings.mark(settings, 15, "Drupal's settings");
    }
    findings.version_constant(&stating, "VERSION");
    findings.version_locked(&["drupal/core", "drupal/drupal"]);
    if folder.composer().requires("drupal/cms").is_some() || folder.packages().has("drupal/drupal_cms_helper")
    {
        findings.edition("Drupal CMS");
    }
    findings.finish()
}

/// The settings of the default site, else of the only site. Of several, none is the main one.
fn settings(folder: &Folder, web: &str) -> Option<String> {
    let of = |site: &str| at(web, &format!("sites/{site}/settings.php"));
    let default = of("default");
    if folder.is_file(&default) {
        return Some(default);
    }
    let sites = folder.subfolders(&at(web, "sites"), MAX_SITES);
    let mut found = sites.iter().map(|site| of(site)).filter(|path| folder.is_file(path));
    match (found.next(), found.next()) {
        (only, None) => only,
        _ => None,
    }
}

/// Drupal up to 7 and its fork Backdrop look alike from afar; their data is laid out otherwise.
pub(super) fn stranger(folder: &Folder) -> Option<&'static str> {
    let old = folder.is_file("includes/bootstrap.inc") && folder.is_file("modules/system/system.module");
    if old && !folder.is_folder("core") {
        return Some("Drupal 7 or older");
    }
    let backdrop = folder.is_file("core/includes/bootstrap.inc") && !folder.is_file("core/lib/Drupal.php");
    (backdrop && folder.is_file("settings.php")).then_some("Backdrop CMS")
}

fn at(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
