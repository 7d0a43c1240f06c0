//! What `wp-config.php` says, as far as the tools need it.
//!
//! Facts: `wp-load.php` finds the configuration, `wp-includes/default-constants.php` holds the defaults of
//! folders, `wp-includes/class-wpdb.php` the grammar of `DB_HOST`, the SQLite integration's `constants.php`
//! and `db.copy` the place of its database.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use siteclaw_core::{Secret, ToolError};
use siteclaw_db::{ConnectSettings, Engine, Prefixes, Tls};
use siteclaw_php::{Config, PhpValue};
use siteclaw_tools::root::{RelPath, Root};

use super::facts::Facts;
use crate::attach::{AttachOptions, DatabaseOverride};
pub(crate) use crate::connection::CONFIG_UNRESOLVED;
use crate::connection::{self, Connection, Field, Origin, Server};
use crate::secrets;

/// Values that the official container image puts where no variable is set.
const PLACEHOLDERS: [(&str, &str, &str); 2] = [
    ("DB_USER", "example username", "WORDPRESS_DB_USER"),
    ("DB_PASSWORD", "example password", "WORDPRESS_DB_PASSWORD"),
];

/// The part of MySQL's client flags that asks for TLS (`MYSQLI_CLIENT_SSL`).
const CLIENT_SSL: i64 = 2048;

/// The configuration of a WordPress.
#[derive(Debug)]
pub(crate) struct Settings {
    /// `ABSPATH`.
    pub(crate) core: PathBuf,
    /// Files and folders outside the site that its operator trusts.
    pub(crate) trust: Vec<PathBuf>,
    /// `WP_CONTENT_DIR`.
    pub(crate) content: PathBuf,
    /// `WP_PLUGIN_DIR`.
    pub(crate) plugins: PathBuf,
    /// `WPMU_PLUGIN_DIR`.
    pub(crate) must_use: PathBuf,
    /// Whether this is a network of sites.
    pub(crate) multisite: bool,
    /// The blog whose tables the prefixes lead to.
    pub(crate) blog: u64,
    /// Constants `WP_HOME` and `WP_SITEURL`, which overrule the options `home` and `siteurl`.
    pub(crate) home: Option<String>,
    pub(crate) siteurl: Option<String>,
    /// What else is defined.
    pub(crate) facts: Facts,
}

/// What a configuration says, with the secrets that stand in it.
pub(crate) struct Derived {
    pub(crate) connection: Connection,
    pub(crate) settings: Settings,
    pub(crate) secrets: Vec<Secret>,
}

impl Settings {
    /// Derives the settings from an evaluated configuration. `core` is `ABSPATH`.
    pub(crate) fn derive(
        config: &Config,
        core: &Path,
        root: &Root,
        options: &AttachOptions,
        env_problem: Option<&str>,
    ) -> Derived {
        let constants = Constants { config };
        let folder = |name: &str, default: PathBuf| {
            constants.text(name).map_or(default, |text| PathBuf::from(text.trim_end_matches('/')))
        };
        let content = folder("WP_CONTENT_DIR", core.join("wp-content"));
        let plugins = folder("WP_PLUGIN_DIR", content.join("plugins"));
        let must_use = folder("WPMU_PLUGIN_DIR", content.join("mu-plugins"));
        let multisite = constants.is_multisite();
        let blog =
            constants.number("BLOG_ID_CURRENT_SITE").and_then(|id| u64::try_from(id).ok()).unwrap_or(1);
        let mut notes = Vec::new();
        if let Some(problem) = env_problem {
            notes.push(problem.to_owned());
        }
        let prefix = prefix(config, &mut notes);
        let mut prefixes = match blog {
            // The first blog's tables have no number, as in `wpdb::get_blog_prefix()`.
            2.. if multisite => Prefixes::new(format!("{prefix}{blog}_"), prefix.clone()),
            _ => Prefixes::single(prefix.clone()),
        };
        for (constant, table) in [("CUSTOM_USER_TABLE", "users"), ("CUSTOM_USER_META_TABLE", "usermeta")] {
            if let Some(name) = constants.text(constant) {
                prefixes.renamed.insert(table.to_owned(), name);
            }
        }
        let database = database(&constants, &content, root, options, env_problem, &mut notes);
        notes.extend(connection::notes(config, &[]));
        let settings = Self {
            core: core.to_path_buf(),
            trust: options.trust.clone(),
            facts: Facts::of(config),
            content,
            plugins,
            must_use,
            multisite,
            blog,
            home: constants.text("WP_HOME"),
            siteurl: constants.text("WP_SITEURL"),
        };
        let connection = Connection { database, prefixes, notes };
        Derived { connection, settings, secrets: constants.secrets() }
    }

    /// What may be shown of the settings.
    pub(crate) fn summary(&self) -> Map<String, Value> {
        let mut summary = Map::new();
        summary.insert("content".to_owned(), json!(self.content.to_string_lossy()));
        summary.insert("multisite".to_owned(), json!(self.multisite));
        if self.multisite {
            summary.insert("blog".to_owned(), json!(self.blog));
        }
        summary
    }
}

/// Constants by name, in the types the tools need.
struct Constants<'a> {
    config: &'a Config,
}

impl Constants<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.config.constant(name).and_then(PhpValue::to_text).filter(|text| !text.is_empty())
    }

    /// As `is_multisite()` decides: the constant, else one of those of networks that are older than it.
    fn is_multisite(&self) -> bool {
        match self.config.constant("MULTISITE") {
            Some(value) => value.to_bool().unwrap_or(false),
            None => ["SUBDOMAIN_INSTALL", "VHOST", "SUNRISE"]
                .iter()
                .any(|name| self.config.constant(name).is_some()),
        }
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.config.constant(name).and_then(|value| value.to_text()?.trim().parse().ok())
    }

    /// Values of constants whose names say that they are secret.
    fn secrets(&self) -> Vec<Secret> {
        let constants = self.config.constants.iter();
        constants.flat_map(|(name, located)| secrets::of_value(name, &located.value)).collect()
    }

    /// A part of the connection; what the image puts where no variable is set is none.
    fn field(&self, name: &str) -> Field {
        let value = self.config.constant(name);
        let text = value.and_then(PhpValue::to_text);
        let placeholder = PLACEHOLDERS
            .iter()
            .find(|(constant, value, _)| *constant == name && text.as_deref() == Some(*value));
        match placeholder {
            Some((_, _, variable)) => Field::lacking(
                name,
                format!("it has the image's placeholder, so the variable {variable} is not set here"),
            ),
            None => Field::new(name, value),
        }
    }
}

/// `$table_prefix`, made of letters, digits and underscores.
fn prefix(config: &Config, notes: &mut Vec<String>) -> String {
    match config.variable("table_prefix") {
        Some(PhpValue::Unknown(why)) => {
            notes.push(format!("$table_prefix is not known ({why}), so wp_ is taken."));
            "wp_".to_owned()
        }
        Some(value) => {
            let text = value.to_text().unwrap_or_default();
            if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                text
            } else {
                notes.push(
                    "$table_prefix holds other characters than letters, digits and _, so wp_ is taken."
                        .to_owned(),
                );
                "wp_".to_owned()
            }
        }
        None => {
            notes.push("$table_prefix is not set in the files that were read, so wp_ is taken.".to_owned());
            "wp_".to_owned()
        }
    }
}

fn database(
    constants: &Constants<'_>,
    content: &Path,
    root: &Root,
    options: &AttachOptions,
    env_problem: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<ConnectSettings, ToolError> {
    if let Some(path) = sqlite_file(constants, content, root, &options.database)? {
        return connection::sqlite(path, root, options);
    }
    let flags = constants.number("MYSQL_CLIENT_FLAGS").unwrap_or(0);
    let ca = constants.text("MYSQL_SSL_CA").map(PathBuf::from);
    let wanted = flags & CLIENT_SSL != 0 || ca.is_some();
    Server {
        engine: Engine::MySql,
        host: constants.field("DB_HOST"),
        port: Field::text("DB_HOST", None),
        socket: None,
        user: constants.field("DB_USER"),
        password: constants.field("DB_PASSWORD"),
        database: constants.field("DB_NAME"),
        tls: if wanted { Tls::Required { ca } } else { Tls::Preferred },
        schema: None,
    }
    .settings(&options.database, Origin { config: Some(constants.config), env_problem }, notes)
}

/// The file of WordPress' SQLite integration, if the site uses it.
fn sqlite_file(
    constants: &Constants<'_>,
    content: &Path,
    root: &Root,
    given: &DatabaseOverride,
) -> Result<Option<PathBuf>, ToolError> {
    let engine = ["DB_ENGINE", "DATABASE_TYPE", "DATABASE_ENGINE"]
        .iter()
        .any(|name| constants.text(name).is_some_and(|value| value.eq_ignore_ascii_case("sqlite")));
    let dropin = dropin(root, &content.join("db.php"));
    let marked = dropin.as_deref().is_some_and(|text| text.contains("SQLITE_DB_DROPIN_VERSION"));
    let folder = content.join("database");
    // A name that is defined in a way that cannot be evaluated, or in a file that may not be read, is no absence.
    let unnamed = constants
        .config
        .constant("DB_NAME")
        .is_none_or(|name| name.to_text().is_some_and(|text| text.is_empty()))
        && constants.config.refused.is_empty()
        && given.name.is_none();
    let is_folder = root.relative(&folder).is_ok_and(|path| root.exists(&path));
    if !(engine || marked || (unnamed && is_folder)) {
        if dropin.as_deref().is_some_and(|text| text.contains("PG4WP")) {
            return Err(ToolError::new(
                CONFIG_UNRESOLVED,
                format!(
                    "{} puts another database under WordPress (PG4WP), which is not supported.",
                    content.join("db.php").display()
                ),
            ));
        }
        return Ok(None);
    }
    if let Some(name) = &given.name {
        return Ok(Some(PathBuf::from(name)));
    }
    if let Some(path) = constants.text("DB_PATH").or_else(|| constants.text("FQDB")) {
        return Ok(Some(PathBuf::from(path)));
    }
    let folder = constants
        .text("FQDBDIR")
        .or_else(|| constants.text("DB_DIR"))
        .map_or(folder, |text| PathBuf::from(text.trim_end_matches('/')));
    if let Some(file) = constants.text("DB_FILE") {
        return Ok(Some(folder.join(file)));
    }
    if let Some(path) = managed_file(root, &folder) {
        return Ok(Some(path));
    }
    let candidates = [folder.join(".ht.sqlite"), folder.join(".ht.sqlite.php")];
    let found = candidates.iter().find(|path| root.relative(path).is_ok_and(|path| root.exists(&path)));
    Ok(Some(found.unwrap_or(&candidates[0]).clone()))
}

/// The text of the database drop-in, as far as markers stand in it.
fn dropin(root: &Root, path: &Path) -> Option<String> {
    let bytes = root.read(&root.relative(path).ok()?, 64 * 1024).ok()?;
    Some(String::from_utf8_lossy(&bytes.data).into_owned())
}

/// The file that `db-path.php` of managed storage returns: a name below its own folder.
fn managed_file(root: &Root, folder: &Path) -> Option<PathBuf> {
    let path = folder.join("db-path.php");
    let bytes = root.read(&root.relative(&path).ok()?, 16 * 1024).ok()?;
    let files = std::collections::BTreeMap::from([(path.clone(), bytes.data)]);
    let config = siteclaw_php::evaluate(
        &path,
        &files,
        &std::collections::BTreeMap::new(),
        &siteclaw_php::Options::default(),
    )
    .ok()?;
    let file = PathBuf::from(config.returned()?.to_text()?);
    RelPath::from_path(file.strip_prefix(folder).ok()?).ok()?;
    Some(file)
}
