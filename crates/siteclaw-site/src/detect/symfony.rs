//! Recognises Symfony applications and the products built as such.
//!
//! Two of three are decisive: `bin/console`, `config/bundles.php`, `src/Kernel.php`; or one of them with
//! the framework among Composer's requirements. The layout of Symfony 3 has `app/AppKernel.php` and
//! `app/config/parameters.yml`. Drupal, Laravel and PrestaShop use parts of Symfony and may have a
//! `bin/console`: their own files count against it.

use super::evidence::{Evidence, Findings};
use super::folder::Folder;
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector = Detector {
    platform: Platform::Symfony,
    signs: "bin/console, config/bundles.php, src/Kernel.php, composer.json with symfony/framework-bundle",
    examine,
};

const PACKAGES: [&str; 2] = ["symfony/framework-bundle", "symfony/symfony"];

/// Products that are Symfony applications; the more particular first.
const PRODUCTS: [(&str, &str); 16] = [
    ("sylius/sylius", "Sylius"),
    ("shopware/core", "Shopware 6"),
    ("shopware/platform", "Shopware 6"),
    ("sulu/sulu", "Sulu"),
    ("pimcore/pimcore", "Pimcore"),
    ("contao/manager-bundle", "Contao"),
    ("contao/core-bundle", "Contao"),
    ("akeneo/pim-community-dev", "Akeneo PIM"),
    ("akeneo/pim-enterprise-dev", "Akeneo PIM"),
    ("ibexa/core", "Ibexa DXP"),
    ("ibexa/oss", "Ibexa DXP"),
    ("oro/platform", "Oro"),
    ("easycorp/easyadmin-bundle", "EasyAdmin"),
    ("api-platform/core", "API Platform"),
    ("api-platform/symfony", "API Platform"),
    ("api-platform/api-pack", "API Platform"),
];

/// Files of other platforms, and what each says.
const OTHERS: [(&str, &str); 6] = [
    ("core/lib/Drupal.php", "Drupal"),
    ("web/core/lib/Drupal.php", "Drupal"),
    ("artisan", "Laravel"),
    ("classes/PrestaShopAutoload.php", "PrestaShop"),
    ("bin/magento", "Magento"),
    ("app/etc/di.xml", "Magento"),
];

const KERNEL: &str = "vendor/symfony/http-kernel/Kernel.php";

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::Symfony, folder);
    findings.file("bin/console", 30, "Symfony's command line");
    findings.file("config/bundles.php", 35, "Symfony's list of bundles");
    findings.file("src/Kernel.php", 30, "the application's kernel");
    findings.file("app/AppKernel.php", 30, "the application's kernel, as in Symfony 3");
    findings.file("app/config/parameters.yml", 20, "its parameters, as in Symfony 3");
    if findings.sum() == 0 {
        return findings.finish();
    }
    if !findings.required(&PACKAGES, 35, "Composer installs Symfony here")
        && folder.composer().extra(&["symfony"]).is_some()
    {
        findings.mark("composer.json (extra.symfony)", 30, "settings of Symfony Flex");
    }
    findings.file("symfony.lock", 10, "Symfony Flex's record");
    findings.any_file(
        &["config/services.yaml", "config/services.php", "config/services.xml"],
        5,
        "Symfony's services",
    );
    for docroot in ["public", "web"] {
        if findings.file(&format!("{docroot}/index.php"), 5, "a web root") {
            findings.docroot(docroot);
            break;
        }
    }
    if let Some((path, _)) = OTHERS.iter().find(|(path, _)| folder.is_file(path)) {
        findings.mark(*path, -70, "belongs to a platform that brings parts of Symfony with it");
    }
    let _ = [".env.local.php", ".env.local", ".env", "app/config/parameters.yml"]
        .into_iter()
        .any(|path| findings.config(path));
    findings.version_locked(&["symfony/framework-bundle", "symfony/http-kernel", "symfony/symfony"]);
    findings.version_constant(KERNEL, "VERSION");
    let product = PRODUCTS
        .iter()
        .find(|(package, _)| folder.composer().requires(package).is_some() || folder.packages().has(package));
    if let Some((_, name)) = product {
        findings.edition(name);
    }
    findings.finish()
}
