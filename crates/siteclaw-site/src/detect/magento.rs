//! Recognises Magento 2, Adobe Commerce and Mage-OS.
//!
//! A root has `app/etc/env.php` and one of `bin/magento`, `app/etc/di.xml`, the framework in
//! `lib/internal/Magento` or in `vendor`. Without `env.php` it is code that is not installed. The version
//! is that of the product package; the framework's own numbers (103.0.7) are another count.

use super::evidence::{Evidence, Extra, Findings};
use super::folder::{Folder, version};
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector =
    Detector { platform: Platform::Magento, signs: "app/etc/env.php, app/etc/di.xml, bin/magento", examine };

const ENTERPRISE: &str = "magento/product-enterprise-edition";
const COMMUNITY: &str = "magento/product-community-edition";
const MAGE_OS: &str = "mage-os/product-community-edition";
const CLOUD: &str = "magento/magento-cloud-metapackage";

/// The edition that brings the others as requirements comes first.
const EDITIONS: [(&str, &str); 4] = [
    (CLOUD, "Adobe Commerce on cloud"),
    (ENTERPRISE, "Adobe Commerce"),
    (MAGE_OS, "Mage-OS"),
    (COMMUNITY, "Magento Open Source"),
];
const PRODUCTS: [&str; 4] = [ENTERPRISE, MAGE_OS, COMMUNITY, CLOUD];
const FRAMEWORK: &str = "vendor/magento/framework/composer.json";

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::Magento, folder);
    if findings.config("app/etc/env.php") {
        findings.mark("app/etc/env.php", 40, "Magento's configuration");
    }
    findings.file("app/etc/di.xml", 30, "Magento's wiring");
    findings.file("bin/magento", 30, "Magento's command line");
    if !findings.folder("vendor/magento/framework", 20, "Magento's framework") {
        findings.folder("lib/internal/Magento", 20, "Magento's framework");
    }
    findings.file("app/etc/config.php", 10, "Magento's list of modules");
    findings.required(&PRODUCTS, 20, "Composer installs Magento here");
    if findings.file("pub/index.php", 5, "Magento's web root") {
        findings.docroot("pub");
    }
    if findings.sum() == 0 {
        return findings.finish();
    }
    findings.version_locked(&PRODUCTS);
    let composer = folder.composer();
    let checkout = composer.name() == Some("magento/magento2ce");
    let stated = PRODUCTS.iter().find_map(|package| version(composer.requires(package)?));
    let stated = stated.or_else(|| version(composer.version()?).filter(|_| checkout));
    findings.version(stated.map(|version| (version, "composer.json".to_owned())));
    let edition = EDITIONS
        .iter()
        .find(|(package, _)| folder.packages().has(package) || composer.requires(package).is_some());
    if let Some((_, name)) = edition {
        findings.edition(name);
    } else if checkout {
        findings.edition("Magento Open Source");
    }
    if let Some(framework) = folder.composer_at(FRAMEWORK) {
        findings.extra(Extra {
            name: "magento/framework".into(),
            version: framework.version().and_then(version),
            path: FRAMEWORK.into(),
        });
    }
    findings.finish()
}

/// Magento 1 and OpenMage share the name and nothing else.
pub(super) fn stranger(folder: &Folder) -> Option<&'static str> {
    let old = folder.is_file("app/Mage.php") && !folder.is_file("app/etc/di.xml");
    old.then_some("Magento 1 or OpenMage")
}
