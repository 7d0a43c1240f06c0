//! Recognises Laravel applications, and Lumen.
//!
//! Two of three are decisive: `artisan`, `bootstrap/app.php`, and `laravel/framework` among Composer's
//! requirements.

use super::evidence::{Evidence, Findings};
use super::folder::Folder;
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector = Detector {
    platform: Platform::Laravel,
    signs: "artisan, bootstrap/app.php, composer.json with laravel/framework",
    examine,
};

const PACKAGES: [&str; 2] = ["laravel/framework", "laravel/lumen-framework"];

/// Products that are Laravel applications.
const PRODUCTS: [(&str, &str); 5] = [
    ("laravel/lumen-framework", "Lumen"),
    ("statamic/cms", "Statamic"),
    ("october/rain", "October CMS"),
    ("winter/storm", "Winter CMS"),
    ("bagisto/laravel-core", "Bagisto"),
];

const FRAMEWORK: &str = "vendor/laravel/framework/src/Illuminate/Foundation/Application.php";

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::Laravel, folder);
    findings.file("artisan", 35, "Laravel's command line");
    if let Some(start) = folder.php("bootstrap/app.php") {
        let classes = ["Illuminate\\Foundation\\Application", "Laravel\\Lumen\\Application"];
        if classes.iter().any(|class| start.mentions(class)) {
            findings.mark("bootstrap/app.php", 35, "starts Laravel");
        } else {
            findings.mark("bootstrap/app.php", 10, "a start-up file where Laravel has its own");
        }
    }
    findings.required(&PACKAGES, 35, "Composer installs Laravel here");
    findings.folder("routes", 5, "Laravel's routes");
    findings.file("config/app.php", 5, "Laravel's configuration");
    if findings.file("public/index.php", 5, "Laravel's web root") {
        findings.docroot("public");
    }
    if findings.sum() == 0 {
        return findings.finish();
    }
    findings.config(".env");
    findings.version_locked(&PACKAGES);
    findings.version_constant(FRAMEWORK, "VERSION");
    let product = PRODUCTS
        .iter()
        .find(|(package, _)| folder.composer().requires(package).is_some() || folder.packages().has(package));
    if let Some((_, name)) = product {
        findings.edition(name);
    }
    findings.finish()
}
