//! What a configuration says besides where the database is: switches, folders, limits, and how good its keys are.
//!
//! Facts: `wp-includes/default-constants.php`, the handbook's page on wp-config.php.

use std::collections::BTreeMap;

use siteclaw_php::{Config, PhpValue};

/// Constants that tools ask for. None of them is a secret.
const KEPT: [&str; 41] = [
    "WP_DEBUG",
    "WP_DEBUG_LOG",
    "WP_DEBUG_DISPLAY",
    "SCRIPT_DEBUG",
    "SAVEQUERIES",
    "WP_DISABLE_FATAL_ERROR_HANDLER",
    "WP_ENVIRONMENT_TYPE",
    "WP_DEVELOPMENT_MODE",
    "DISABLE_WP_CRON",
    "ALTERNATE_WP_CRON",
    "WP_CRON_LOCK_TIMEOUT",
    "AUTOMATIC_UPDATER_DISABLED",
    "WP_AUTO_UPDATE_CORE",
    "DISALLOW_FILE_MODS",
    "DISALLOW_FILE_EDIT",
    "DISALLOW_UNFILTERED_HTML",
    "WP_MEMORY_LIMIT",
    "WP_MAX_MEMORY_LIMIT",
    "WP_POST_REVISIONS",
    "AUTOSAVE_INTERVAL",
    "EMPTY_TRASH_DAYS",
    "MEDIA_TRASH",
    "WP_CACHE",
    "FORCE_SSL_ADMIN",
    "WP_CONTENT_URL",
    "WP_PLUGIN_URL",
    "UPLOADS",
    "WP_LANG_DIR",
    "WP_TEMP_DIR",
    "WP_HTTP_BLOCK_EXTERNAL",
    "WP_ACCESSIBLE_HOSTS",
    "WP_ALLOW_REPAIR",
    "WP_ALLOW_MULTISITE",
    "SUBDOMAIN_INSTALL",
    "DOMAIN_CURRENT_SITE",
    "PATH_CURRENT_SITE",
    "SITE_ID_CURRENT_SITE",
    "BLOG_ID_CURRENT_SITE",
    "SUNRISE",
    "DB_CHARSET",
    "DB_COLLATE",
];

/// The eight constants that sign cookies and nonces.
const KEYS: [&str; 8] = [
    "AUTH_KEY",
    "SECURE_AUTH_KEY",
    "LOGGED_IN_KEY",
    "NONCE_KEY",
    "AUTH_SALT",
    "SECURE_AUTH_SALT",
    "LOGGED_IN_SALT",
    "NONCE_SALT",
];
/// What stands in the sample configuration and in Bedrock's.
const PLACEHOLDERS: [&str; 2] = ["put your unique phrase here", "generateme"];
/// The generator of WordPress writes 64 characters.
const SHORTEST_KEY: usize = 60;

/// What a configuration says, without its secrets.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    constants: BTreeMap<&'static str, PhpValue>,
    /// Names of the keys that are not defined; WordPress then keeps keys of its own in the options.
    pub(crate) missing_keys: Vec<&'static str>,
    /// Names of the keys that are a sample's words, short, or the same as another.
    pub(crate) weak_keys: Vec<&'static str>,
}

impl Facts {
    pub(crate) fn of(config: &Config) -> Self {
        let kept = KEPT.iter().filter_map(|&name| Some((name, config.constant(name)?.clone())));
        let mut facts = Self { constants: kept.collect(), ..Self::default() };
        let mut seen: Vec<String> = Vec::new();
        for name in KEYS {
            let Some(value) = config.constant(name) else {
                facts.missing_keys.push(name);
                continue;
            };
            // A value that cannot be evaluated is neither good nor bad.
            let Some(key) = value.to_text() else { continue };
            let is_sample = PLACEHOLDERS.iter().any(|sample| key.eq_ignore_ascii_case(sample));
            if is_sample || key.chars().count() < SHORTEST_KEY || seen.contains(&key) {
                facts.weak_keys.push(name);
            }
            seen.push(key);
        }
        facts
    }

    /// A constant, if the configuration defines it.
    pub(crate) fn constant(&self, name: &str) -> Option<&PhpValue> {
        self.constants.get(name)
    }

    /// A constant as a text; `None` where it is absent, empty or unknown.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.constant(name)?.to_text().filter(|text| !text.is_empty())
    }

    /// A constant as a truth; `None` where it is absent or unknown.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.constant(name)?.to_bool()
    }

    /// A constant as a whole number.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.constant(name)?.to_text()?.trim().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn keys_are_judged_and_never_kept() {
        let good = "x7".repeat(32);
        let text = format!(
            "<?php define('AUTH_KEY', '{good}'); define('AUTH_SALT', '{good}'); define('NONCE_KEY', 'short'); \
             define('NONCE_SALT', 'put your unique phrase here'); define('WP_DEBUG', true); define('WP_MEMORY_LIMIT', '256M');"
        );
        let path = Path::new("/s/wp-config.php");
        let files = BTreeMap::from([(path.to_path_buf(), text.into_bytes())]);
        let config =
            siteclaw_php::evaluate(path, &files, &BTreeMap::new(), &siteclaw_php::Options::default())
                .unwrap();
        let facts = Facts::of(&config);
        assert_eq!(facts.weak_keys, ["NONCE_KEY", "AUTH_SALT", "NONCE_SALT"]);
        assert_eq!(
            facts.missing_keys,
            ["SECURE_AUTH_KEY", "LOGGED_IN_KEY", "SECURE_AUTH_SALT", "LOGGED_IN_SALT"]
        );
        assert_eq!((facts.flag("WP_DEBUG"), facts.flag("SCRIPT_DEBUG")), (Some(true), None));
        assert_eq!(facts.text("WP_MEMORY_LIMIT").as_deref(), Some("256M"));
        assert!(!format!("{facts:?}").contains(&good));
    }
}
