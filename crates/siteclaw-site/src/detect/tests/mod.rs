//! Detection over small trees. The versions and folders expected are those the trees are built with.

mod layouts;
mod search;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{Detection, Evidence, NotFound, Platform, detect};

/// A folder for one test.
struct Tree {
    dir: TempDir,
}

impl Tree {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// The real path, as detection gives it.
    fn at(&self, path: &str) -> PathBuf {
        let top = self.dir.path().canonicalize().unwrap();
        if path.is_empty() { top } else { top.join(path) }
    }

    fn file(&self, path: &str, content: &str) -> &Self {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn folder(&self, path: &str) -> &Self {
        fs::create_dir_all(self.at(path)).unwrap();
        self
    }

    fn link(&self, target: &str, path: &str) -> &Self {
        symlink(target, self.at(path)).unwrap();
        self
    }

    fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.at(path)).unwrap();
        self
    }

    fn detect(&self, start: &str) -> Result<Detection, NotFound> {
        detect(&self.at(start))
    }

    /// The site found from `start`, which must be the only candidate.
    fn site(&self, start: &str) -> Evidence {
        let found = self.detect(start).unwrap();
        assert_eq!(found.rivals, [], "from {start:?}");
        found.site
    }

    fn wordpress(&self, at: &str) -> &Self {
        self.file(&format!("{at}wp-includes/version.php"), "<?php\n$wp_version = '7.1';\n")
            .file(&format!("{at}wp-load.php"), "<?php")
            .file(&format!("{at}wp-settings.php"), "<?php")
            .file(&format!("{at}wp-config-sample.php"), "<?php")
            .folder(&format!("{at}wp-content/plugins"))
            .folder(&format!("{at}wp-content/themes/plain"))
    }

    fn drupal(&self, at: &str) -> &Self {
        self.file(&format!("{at}core/lib/Drupal.php"), "<?php class Drupal { const VERSION = '10.5.6'; }")
            .file(&format!("{at}core/core.services.yml"), "")
            .file(&format!("{at}sites/default/settings.php"), "<?php")
    }

    fn joomla(&self, at: &str) -> &Self {
        self.file(&format!("{at}configuration.php"), "<?php class JConfig { public $db = 'x'; }")
            .file(
                &format!("{at}administrator/manifests/files/joomla.xml"),
                "<extension version=\"9.9\"><!-- <version>4.0.0</version> --><version>5.2.3</version></extension>",
            )
            .folder(&format!("{at}plugins/system/cache"))
    }

    fn magento(&self, at: &str) -> &Self {
        self.file(&format!("{at}app/etc/env.php"), "<?php return [];")
            .file(&format!("{at}app/etc/di.xml"), "")
            .file(&format!("{at}bin/magento"), "")
            .file(&format!("{at}pub/index.php"), "<?php")
            .file(
                &format!("{at}composer.lock"),
                r#"{"packages": [{"name": "magento/product-community-edition", "version": "2.4.7-p3"},
                    {"name": "symfony/console", "version": "v6.4.1"}]}"#,
            )
            .folder(&format!("{at}vendor/magento/framework"))
    }

    fn prestashop(&self, at: &str) -> &Self {
        self.file(&format!("{at}config/config.inc.php"), "<?php")
            .file(&format!("{at}config/defines.inc.php"), "<?php")
            .file(&format!("{at}classes/PrestaShopAutoload.php"), "<?php")
            .file(&format!("{at}app/AppKernel.php"), "<?php class AppKernel { const VERSION = '8.0.0'; }")
            .file(&format!("{at}app/config/parameters.php"), "<?php return ['parameters' => []];")
            .file(&format!("{at}bin/console"), "")
            .file(&format!("{at}composer.json"), r#"{"require": {"symfony/symfony": "^4.4"}}"#)
            .folder(&format!("{at}modules/ps_banner"))
    }

    fn opencart(&self, at: &str) -> &Self {
        let config = "<?php define('APPLICATION', 'Catalog'); define('DIR_APPLICATION', '/x/catalog/');
            define('DIR_SYSTEM', '/x/system/'); define('DB_DRIVER', 'mysqli'); define('DB_PREFIX', 'oc_');";
        let admin = config.replace("Catalog", "Admin").replace("/x/catalog", "/x/secret-name");
        self.file(&format!("{at}index.php"), "<?php define('VERSION', '4.1.0.4');")
            .file(&format!("{at}config.php"), config)
            .file(&format!("{at}secret-name/index.php"), "<?php define('VERSION', '4.1.0.4');")
            .file(&format!("{at}secret-name/config.php"), &admin)
            .folder(&format!("{at}secret-name/controller"))
            .folder(&format!("{at}catalog/controller"))
            .file(&format!("{at}system/startup.php"), "<?php")
    }

    fn laravel(&self, at: &str) -> &Self {
        self.file(&format!("{at}artisan"), "#!/usr/bin/env php")
            .file(
                &format!("{at}bootstrap/app.php"),
                "<?php use Illuminate\\Foundation\\Application; return Application::configure();",
            )
            .file(&format!("{at}composer.json"), r#"{"require": {"laravel/framework": "^12.0"}}"#)
            .file(
                &format!("{at}composer.lock"),
                r#"{"packages": [{"name": "laravel/framework", "version": "v12.20.0"},
                    {"name": "symfony/http-kernel", "version": "v7.2.0"}]}"#,
            )
            .file(&format!("{at}public/index.php"), "<?php")
            .file(&format!("{at}.env"), "")
    }

    fn symfony(&self, at: &str) -> &Self {
        self.file(&format!("{at}bin/console"), "#!/usr/bin/env php")
            .file(&format!("{at}config/bundles.php"), "<?php return [];")
            .file(&format!("{at}src/Kernel.php"), "<?php class Kernel {}")
            .file(&format!("{at}composer.json"), r#"{"require": {"symfony/framework-bundle": "7.2.*"}}"#)
            .file(
                &format!("{at}composer.lock"),
                r#"{"packages": [{"name": "symfony/framework-bundle", "version": "v7.2.0"}]}"#,
            )
            .file(&format!("{at}public/index.php"), "<?php")
            .file(&format!("{at}.env"), "")
    }

    fn of(&self, platform: Platform, at: &str) -> &Self {
        match platform {
            Platform::WordPress => self.wordpress(at).file(&format!("{at}wp-config.php"), "<?php"),
            Platform::Drupal => self.drupal(at),
            Platform::Joomla => self.joomla(at),
            Platform::Magento => self.magento(at),
            Platform::PrestaShop => self.prestashop(at),
            Platform::OpenCart => self.opencart(at),
            Platform::Laravel => self.laravel(at),
            Platform::Symfony => self.symfony(at),
        }
    }
}

/// Each platform with what its tree must be recognised by: version, docroot, configuration, a folder deep
/// inside.
const ALL: [(Platform, &str, &str, &str, &str); 8] = [
    (Platform::WordPress, "7.1", "", "wp-config.php", "wp-content/themes/plain"),
    (Platform::Drupal, "10.5.6", "", "sites/default/settings.php", "core/lib"),
    (Platform::Joomla, "5.2.3", "", "configuration.php", "plugins/system/cache"),
    (Platform::Magento, "2.4.7-p3", "pub", "app/etc/env.php", "vendor/magento/framework"),
    (Platform::PrestaShop, "8.0.0", "", "app/config/parameters.php", "modules/ps_banner"),
    (Platform::OpenCart, "4.1.0.4", "", "config.php", "secret-name/controller"),
    (Platform::Laravel, "12.20.0", "public", ".env", "bootstrap"),
    (Platform::Symfony, "7.2.0", "public", ".env", "src"),
];
