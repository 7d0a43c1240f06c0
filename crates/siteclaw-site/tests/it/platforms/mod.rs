//! From the configuration texts of eight platforms to a database: nothing connects, and no password shows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siteclaw_core::Secret;
use siteclaw_site::{AttachOptions, Site};
use tempfile::TempDir;

mod alike;
mod applications;
mod content;
mod shops;

/// The files by which each platform is known, without its configuration.
fn skeleton(platform: &str) -> &'static [(&'static str, &'static str)] {
    match platform {
        "drupal" => &[
            ("web/core/lib/Drupal.php", "<?php class Drupal { const VERSION = '10.5.6'; }"),
            ("composer.json", r#"{"require": {"drupal/core-recommended": "^10"}}"#),
        ],
        "joomla" => &[
            ("administrator/manifests/files/joomla.xml", "<extension><version>5.2.3</version></extension>"),
            ("includes/framework.php", "<?php"),
        ],
        "magento" => &[("bin/magento", ""), ("app/etc/di.xml", "<config/>")],
        "prestashop" => &[
            ("config/config.inc.php", "<?php"),
            ("classes/PrestaShopAutoload.php", "<?php"),
            ("config/defines.inc.php", "<?php"),
            ("modules/index.php", "<?php"),
            ("override/index.php", "<?php"),
        ],
        "opencart" => &[
            ("index.php", "<?php define('VERSION', '4.1.0.4');"),
            ("system/startup.php", "<?php"),
            ("catalog/controller/x.php", "<?php"),
        ],
        "laravel" => &[
            ("artisan", "#!/usr/bin/env php"),
            (
                "bootstrap/app.php",
                "<?php use Illuminate\\Foundation\\Application; return Application::configure()->create();",
            ),
            ("composer.json", r#"{"require": {"laravel/framework": "^12"}}"#),
            ("composer.lock", r#"{"packages": [{"name": "laravel/framework", "version": "v12.20.0"}]}"#),
        ],
        "symfony" => &[
            ("bin/console", ""),
            ("config/bundles.php", "<?php return [];"),
            ("src/Kernel.php", "<?php"),
            ("composer.json", r#"{"require": {"symfony/framework-bundle": "7.*"}}"#),
        ],
        "wordpress" => &[
            ("wp-load.php", "<?php"),
            ("wp-settings.php", "<?php"),
            ("wp-includes/version.php", "<?php $wp_version = '7.1';"),
            ("wp-admin/index.php", "<?php"),
        ],
        other => panic!("{other} has no skeleton"),
    }
}

/// Where each platform keeps its configuration.
fn config(platform: &str) -> &'static str {
    match platform {
        "drupal" => "web/sites/default/settings.php",
        "joomla" => "configuration.php",
        "magento" => "app/etc/env.php",
        "prestashop" => "app/config/parameters.php",
        "opencart" => "config.php",
        "laravel" | "symfony" => ".env",
        "wordpress" => "wp-config.php",
        other => panic!("{other} has no configuration"),
    }
}

struct Place {
    folder: TempDir,
    options: AttachOptions,
    secrets: Arc<Mutex<Vec<Secret>>>,
}

impl Place {
    fn of(platform: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secrets: Arc<Mutex<Vec<Secret>>> = Arc::default();
        let kept = Arc::clone(&secrets);
        let options = AttachOptions {
            on_secrets: Some(Arc::new(move |found| kept.lock().unwrap().extend(found))),
            ..AttachOptions::default()
        };
        let place = Self { folder, options, secrets };
        for (path, text) in skeleton(platform).iter().chain(files) {
            place.write(path, text);
        }
        place
    }

    /// The platform with one configuration text.
    fn with(platform: &str, text: &str) -> Self {
        Self::of(platform, &[(config(platform), text)])
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn process(mut self, variables: &[(&str, &str)]) -> Self {
        let all: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.options.process_env = Some(Arc::new(move |name| all.get(name).cloned()));
        self
    }

    fn attach(&self) -> Site {
        Site::attach(self.folder.path(), self.options.clone()).unwrap()
    }

    fn summary(&self) -> Value {
        self.attach().summary()
    }

    /// Engine, hosts, name, user and prefix on one line, or the error.
    fn line(&self) -> String {
        let summary = self.summary();
        let database = &summary["database"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(error) = database["error"].as_str() {
            return format!("error: {error}");
        }
        if database["engine"] == json!("sqlite") {
            let file = text(&database["file"]);
            let file = Path::new(&file)
                .strip_prefix(self.root())
                .map_or(file.clone(), |path| path.display().to_string());
            return format!("sqlite {file} [{}]", text(&summary["prefix"]));
        }
        let hosts: Vec<String> = database["hosts"].as_array().unwrap().iter().map(text).collect();
        let schema = match database["schema"].as_str() {
            None | Some("public") => String::new(),
            Some(schema) => format!(" schema {schema}"),
        };
        format!(
            "{} {}/{} as {}{schema} [{}]",
            text(&database["engine"]),
            hosts.join("|"),
            text(&database["name"]),
            text(&database["user"]),
            text(&summary["prefix"])
        )
    }

    fn knows_secret(&self, text: &str) -> bool {
        self.secrets.lock().unwrap().iter().any(|secret| secret.expose() == text)
    }
}

fn check(table: &[(&str, &str, &str)]) {
    for (platform, text, expected) in table {
        assert_eq!(&Place::with(platform, text).line(), expected, "{platform}: {text}");
    }
}
