//! Recognises OpenCart 3 and 4 and its forks.
//!
//! The shop's folder has an `index.php` that defines `VERSION` and a `config.php` that defines `DB_DRIVER`
//! and `DB_PREFIX`, with `catalog/` and `system/` unless `config.php` places them elsewhere. The
//! administration's folder looks the same but for `HTTP_CATALOG`, or `APPLICATION` being `Admin`, in its
//! configuration: it is not a shop of its own, and its name, often changed, is never mentioned.

use super::evidence::{Evidence, Findings};
use super::folder::Folder;
use super::php::Php;
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector = Detector {
    platform: Platform::OpenCart,
    signs: "index.php with VERSION beside config.php with DB_DRIVER, system/startup.php",
    examine,
};

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::OpenCart, folder);
    let config = folder.php("config.php");
    if config.as_ref().is_some_and(is_administration) {
        return findings.finish();
    }
    let index = folder.php("index.php");
    if index.as_ref().is_some_and(|php| php.constant("VERSION").is_some()) {
        findings.mark("index.php", 20, "states a version");
    }
    if let Some(config) = config {
        if config.defines("DB_DRIVER") && config.defines("DB_PREFIX") {
            findings.config("config.php");
            findings.mark("config.php", 30, "OpenCart's configuration");
        }
        if config.defines("DIR_APPLICATION") && config.defines("DIR_SYSTEM") {
            findings.mark("config.php", 20, "places OpenCart's folders");
        }
    }
    findings.file("system/startup.php", 20, "OpenCart's start");
    findings.file("system/framework.php", 10, "OpenCart's framework");
    findings.folder("catalog/controller", 10, "the shop's pages");
    if findings.file("config-dist.php", 10, "OpenCart's configuration before installation") {
        findings.folder("install/controller", 10, "OpenCart's installer");
    }
    if findings.sum() > 0 {
        findings.version_constant("index.php", "VERSION");
    }
    if let Some(fork) = index.and_then(|php| php.constant("VERSION_CORE")).filter(|name| name == "ocStore") {
        findings.edition(&fork);
    }
    findings.finish()
}

fn is_administration(config: &Php) -> bool {
    config.defines("HTTP_CATALOG") || config.constant("APPLICATION").as_deref() == Some("Admin")
}
