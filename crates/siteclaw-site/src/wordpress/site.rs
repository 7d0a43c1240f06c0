//! The handle that the tools hold, and the snapshot that each call takes of it.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value, json};
use siteclaw_core::{Entry, RegistryError, ToolError};
use siteclaw_db::{Database, Prefixes, Row, Rows, Statement};
use siteclaw_php::{Options, PhpValue};
use siteclaw_tools::root::{Links, Options as RootOptions, Root};

use super::environment::Variables;
use super::settings::{CONFIG_UNRESOLVED, Settings};
use super::tools;
use crate::attach::AttachOptions;
use crate::checkup::Check;
use crate::detect::Evidence;
use crate::files::SiteFiles;

/// An attached WordPress. Clones are the same site.
#[derive(Clone)]
pub(crate) struct WordPress(Arc<Inner>);

struct Inner {
    root: PathBuf,
    core: PathBuf,
    config: Option<PathBuf>,
    extensions: Vec<String>,
    options: AttachOptions,
    current: RwLock<Option<Arc<Snapshot>>>,
}

/// The site as it was when a call began; a call keeps it to its end.
pub(crate) struct Snapshot {
    pub(crate) root: Root,
    pub(crate) settings: Settings,
    database: Option<Database>,
    stamps: Vec<(PathBuf, Stamp)>,
}

/// What tells that a file has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp(Option<(u64, u64, i64, i64)>);

impl Stamp {
    fn of(path: &Path) -> Self {
        Self(
            std::fs::metadata(path)
                .ok()
                .map(|meta| (meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec())),
        )
    }
}

impl WordPress {
    pub(crate) fn new(evidence: &Evidence, options: AttachOptions) -> Self {
        Self(Arc::new(Inner {
            root: evidence.root.clone(),
            core: evidence.core.clone(),
            config: evidence.config.clone(),
            extensions: evidence.extras.iter().map(|extra| extra.name.clone()).collect(),
            options,
            current: RwLock::new(None),
        }))
    }

    pub(crate) fn tools(&self) -> Result<Vec<Entry>, RegistryError> {
        tools::entries(self)
    }

    /// Whether WooCommerce's files are there, active or not.
    pub(crate) fn has_woocommerce(&self) -> bool {
        self.0.extensions.iter().any(|name| name == "WooCommerce")
    }

    /// The site as it is now. A changed configuration gives a new snapshot.
    pub(crate) fn snapshot(&self) -> Result<Arc<Snapshot>, ToolError> {
        let current = self.0.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(snapshot) = current
            && snapshot.is_current()
        {
            return Ok(snapshot);
        }
        let mut slot = self.0.current.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(snapshot) = slot.as_ref().filter(|snapshot| snapshot.is_current()) {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = Arc::new(self.open()?);
        *slot = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    fn open(&self) -> Result<Snapshot, ToolError> {
        let inner = &self.0;
        let root =
            Root::open_with(&inner.root, RootOptions { links: Links::WithinRoot, ..RootOptions::default() })
                .map_err(|error| {
                    ToolError::new(CONFIG_UNRESOLVED, format!("The site's folder cannot be opened: {error}"))
                })?;
        let Some(path) = &inner.config else {
            return Err(ToolError::new(
                CONFIG_UNRESOLVED,
                format!("There is no wp-config.php in {} nor in the folder above it.", inner.core.display()),
            )
            .hint("Finish WordPress' installation, or name the site's folder with --site."));
        };
        let folders = env_folders(&inner.root, path);
        let variables = Variables::read(&root, &folders, &inner.options);
        let mut trust = inner.options.trust.clone();
        // WordPress itself looks for its configuration one level up, so that one file is part of the site.
        trust.push(path.clone());
        let files = SiteFiles::new(root.clone(), trust);
        let secret_files = SiteFiles::new(root.clone(), variables.secret_files(&inner.options));
        let abspath = format!("{}/", inner.core.display());
        let constants = BTreeMap::from([("ABSPATH".to_owned(), PhpValue::from(abspath.as_str()))]);
        let options =
            Options { constants: &constants, trusted_files: Some(&secret_files), ..Options::default() };
        let config = siteclaw_php::evaluate(path, &files, &variables.environment(&inner.options), &options)
            .map_err(|error| {
            ToolError::new(CONFIG_UNRESOLVED, format!("The configuration cannot be read: {error}."))
                .source(error)
        })?;
        let read =
            Settings::derive(&config, &inner.core, &root, &inner.options, variables.problem.as_deref());
        if let Some(hook) = &inner.options.on_secrets {
            hook(read.secrets);
        }
        let settings = read.settings;
        let database =
            settings.database.as_ref().ok().map(|to| Database::new(to.clone(), inner.options.limits));
        let watched = config.files.iter().chain(&variables.files).chain(std::iter::once(path));
        let stamps = watched.map(|path| (path.clone(), Stamp::of(path))).collect();
        Ok(Snapshot { root, settings, database, stamps })
    }

    /// What may be shown of the configuration.
    pub(crate) fn summary(&self) -> Map<String, Value> {
        match self.snapshot() {
            Ok(snapshot) => snapshot.settings.summary(),
            Err(error) => Map::from_iter([("database".to_owned(), json!({"error": error.to_string()}))]),
        }
    }

    pub(crate) async fn checkup(&self) -> Vec<Check> {
        super::checkup::run(self).await
    }
}

/// Folders whose `.env` files the site may use: that of the configuration and those up to the root.
fn env_folders(root: &Path, config: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = config
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(root))
        .map(Path::to_path_buf)
        .collect();
    folders.reverse();
    folders
}

impl Snapshot {
    fn is_current(&self) -> bool {
        self.stamps.iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
    }

    /// The database. It connects at the first query.
    pub(crate) fn database(&self) -> Result<&Database, ToolError> {
        match (&self.database, &self.settings.database) {
            (Some(database), _) => Ok(database),
            (None, Err(error)) => Err(error.clone()),
            (None, Ok(_)) => Err(ToolError::new(CONFIG_UNRESOLVED, "The database is not configured.")),
        }
    }

    /// The prefixes of the blog that the tools read.
    pub(crate) fn prefixes(&self) -> &Prefixes {
        &self.settings.prefixes
    }

    /// Rows of a statement.
    pub(crate) async fn rows(&self, statement: &Statement) -> Result<Rows, ToolError> {
        Ok(self.database()?.rows(self.prefixes(), statement).await?)
    }

    /// The first row of a statement.
    pub(crate) async fn row(&self, statement: &Statement) -> Result<Option<Row>, ToolError> {
        Ok(self.database()?.row(self.prefixes(), statement).await?)
    }

    /// The name of the engine, for `meta.source`.
    pub(crate) fn source(&self) -> &'static str {
        self.database.as_ref().map_or("files", |database| database.engine().as_str())
    }
}
