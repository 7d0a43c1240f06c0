//! Recognises PrestaShop.
//!
//! `config/config.inc.php` and `classes/` are mandatory, and three of the known files must be there. The
//! shop brings a `bin/console` and a kernel of Symfony, which is why Symfony's detector counts its class
//! loader against itself. The back office's folder has a secret name: it is neither looked for nor named.

use super::evidence::{Evidence, Findings};
use super::folder::{Folder, version};
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector = Detector {
    platform: Platform::PrestaShop,
    signs: "config/config.inc.php with classes/PrestaShopAutoload.php",
    examine,
};

const CONFIG: [&str; 3] =
    ["app/config/parameters.php", "app/config/parameters.yml", "config/settings.inc.php"];

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::PrestaShop, folder);
    if !folder.is_file("config/config.inc.php") || !folder.is_folder("classes") {
        return findings.finish();
    }
    findings.mark("config/config.inc.php", 20, "PrestaShop's start");
    findings.file("classes/PrestaShopAutoload.php", 40, "PrestaShop's class loader");
    findings.file("config/defines.inc.php", 20, "PrestaShop's constants");
    findings.any_file(&["app/AppKernel.php", "app/FrontKernel.php"], 10, "PrestaShop's kernel");
    findings.folder("app/config", 5, "settings of the kernel");
    findings.folder("modules", 5, "PrestaShop's modules");
    findings.folder("override", 5, "PrestaShop's overrides");
    if CONFIG.iter().any(|path| findings.config(path)) {
        findings.any_file(&CONFIG, 10, "PrestaShop's configuration");
    }
    findings.version_constant("src/Core/Version.php", "VERSION");
    findings.version_constant("app/AppKernel.php", "VERSION");
    findings.version_constant("config/settings.inc.php", "_PS_VERSION_");
    findings.version(install_text(folder));
    findings.finish()
}

/// Up to 1.7 the installation notes state the version on a line of its own.
fn install_text(folder: &Folder) -> Option<(String, String)> {
    let text = folder.text("INSTALL.txt")?;
    let stated = text.lines().find_map(|line| line.strip_prefix("VERSION:"))?;
    Some((version(stated)?, "INSTALL.txt".to_owned()))
}
