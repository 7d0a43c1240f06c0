//! The handle that the tools hold.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use siteclaw_core::{Ctx, Entry, RegistryError, ToolError};
use siteclaw_php::PhpValue;
use siteclaw_tools::root::Root;

use super::settings::{CONFIG_UNRESOLVED, Settings};
use super::tools;
use crate::attach::AttachOptions;
use crate::checkup::Check;
use crate::detect::Evidence;
use crate::evaluated::Evaluated;
use crate::live::{self, Live, Place, Reading};

/// An attached WordPress. Clones are the same site.
#[derive(Clone)]
pub(crate) struct WordPress(Arc<Inner>);

struct Inner {
    extensions: Vec<String>,
    live: Live<Settings>,
}

/// The site as it was when a call began; a call keeps it to its end.
pub(crate) type Snapshot = live::Snapshot<Settings>;

impl Snapshot {
    /// Whether a table of the blog exists.
    pub(crate) async fn has_table(&self, name: &str) -> Result<bool, ToolError> {
        let table = self.prefixes().table(name);
        let schema = self.database()?.schema().await?;
        Ok(schema.tables.keys().any(|name| name.eq_ignore_ascii_case(&table)))
    }

    /// Whether a persistent object cache may hold what the tables lack.
    pub(crate) fn has_object_cache(&self) -> bool {
        let file = self.settings.content.join("object-cache.php");
        crate::files::below(&self.root, &file).is_some_and(|path| self.root.exists(&path))
    }
}

impl WordPress {
    pub(crate) fn new(evidence: &Evidence, options: AttachOptions) -> Self {
        Self(Arc::new(Inner {
            extensions: evidence.extras.iter().map(|extra| extra.name.clone()).collect(),
            live: Live::new(Place::new(evidence, options), read),
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
        self.0.live.snapshot()
    }

    /// The site as it is now, for a call. A configuration that must be read is read in the pool for blocking
    /// work: a long or hostile one must not hold up the other calls.
    pub(crate) async fn for_call(&self, ctx: &Ctx) -> Result<Arc<Snapshot>, ToolError> {
        if let Some(snapshot) = self.0.live.current() {
            return Ok(snapshot);
        }
        let site = self.clone();
        ctx.blocking(move |_| site.snapshot()).await
    }

    /// What may be shown of the configuration.
    pub(crate) fn summary(&self) -> Map<String, Value> {
        let mut summary = self.0.live.connection_summary();
        if let Ok(snapshot) = self.snapshot() {
            summary.extend(snapshot.settings.summary());
        }
        summary
    }

    pub(crate) async fn checkup(&self) -> Vec<Check> {
        super::checkup::run(self).await
    }
}

fn read(place: &Place, root: &Root) -> Result<Reading<Settings>, ToolError> {
    let path = config(place)?;
    let read = Evaluated::plain(place, root, path, |beforehand| {
        let abspath = format!("{}/", place.core.display());
        beforehand.constants.insert("ABSPATH".to_owned(), PhpValue::from(abspath.as_str()));
    })?;
    let problem = read.variables.problem.as_deref();
    let derived = Settings::derive(&read.config, &place.core, root, &place.options, problem);
    let mut secrets = derived.secrets;
    secrets.extend(read.variables.secrets());
    Ok(Reading { connection: derived.connection, settings: derived.settings, secrets, files: read.files() })
}

fn config(place: &Place) -> Result<&Path, ToolError> {
    if let Some(path) = &place.config {
        return Ok(path);
    }
    let path = place.core.join("wp-config.php");
    if path.symlink_metadata().is_ok() {
        return Err(ToolError::new(CONFIG_UNRESOLVED, format!("{} is not a file.", path.display()))
            .hint("Put the site's configuration in its place."));
    }
    Err(ToolError::new(
        CONFIG_UNRESOLVED,
        format!("There is no wp-config.php in {} nor in the folder above it.", place.core.display()),
    )
    .hint("Finish WordPress' installation, or name the site's folder with --site."))
}
