//! A site whose configuration and database are known and whose platform brings no tools of its own yet.

use std::sync::Arc;

use serde_json::{Map, Value};
use siteclaw_core::ToolError;
use siteclaw_db::{Prefixes, Statement};
use siteclaw_tools::root::Root;

use crate::attach::AttachOptions;
use crate::checkup::Check;
use crate::connection::{Connection, not_installed};
use crate::core_tables::{self, Expected};
use crate::detect::{Evidence, Platform};
use crate::live::{Live, Place, Reading};
use crate::{drupal, joomla, laravel, magento, opencart, prestashop, symfony};

/// What is particular to a platform as long as it has no tools.
pub(crate) struct Traits {
    /// Reads the configuration.
    pub(crate) read: fn(&Place, &Root) -> Result<Reading<Read>, ToolError>,
    /// Tables without which the platform does not run, without prefix.
    pub(crate) core_tables: &'static [&'static str],
    /// A table of content, and what its rows are.
    pub(crate) counted: Option<(&'static str, &'static str)>,
    /// What to look at when tables are missing.
    pub(crate) fix: &'static str,
}

/// The names of what was read, for a person.
pub(crate) struct Read(pub(crate) String);

/// An attached site. Clones are the same site.
#[derive(Clone)]
pub(crate) struct Configured(Arc<Inner>);

struct Inner {
    platform: Platform,
    traits: &'static Traits,
    live: Live<Read>,
}

impl Configured {
    /// The site; nothing for WordPress, which has a handle of its own.
    pub(crate) fn new(evidence: &Evidence, options: AttachOptions) -> Option<Self> {
        let traits = match evidence.platform {
            Platform::Drupal => &drupal::TRAITS,
            Platform::Joomla => &joomla::TRAITS,
            Platform::Magento => &magento::TRAITS,
            Platform::PrestaShop => &prestashop::TRAITS,
            Platform::OpenCart => &opencart::TRAITS,
            Platform::Laravel => &laravel::TRAITS,
            Platform::Symfony => &symfony::TRAITS,
            Platform::WordPress => return None,
        };
        let live = Live::new(Place::new(evidence, options), traits.read);
        Some(Self(Arc::new(Inner { platform: evidence.platform, traits, live })))
    }

    /// What may be shown of the configuration.
    pub(crate) fn summary(&self) -> Map<String, Value> {
        self.0.live.connection_summary()
    }

    /// Checks the configuration, the connection and the core tables.
    pub(crate) async fn checkup(&self) -> Vec<Check> {
        let snapshot = match self.0.live.snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return vec![core_tables::failed("configuration", &error)],
        };
        let traits = self.0.traits;
        let prefixes = snapshot.prefixes();
        let expected = Expected {
            title: self.0.platform.title(),
            tables: traits.core_tables.iter().map(|name| prefixes.table(name)).collect(),
            count: traits
                .counted
                .map(|(table, what)| (Statement::new(format!("SELECT COUNT(*) FROM {{{table}}}")), what)),
            fix: traits.fix,
        };
        core_tables::run(&snapshot, &snapshot.settings.0, expected).await
    }
}

/// The configuration's path, or that there is none.
pub(crate) fn config_of<'a>(
    place: &'a Place,
    title: &str,
    expected: &str,
) -> Result<&'a std::path::Path, ToolError> {
    place.config.as_deref().ok_or_else(|| not_installed(title, expected, &place.core))
}

/// The name of a file as seen from the site's folder.
pub(crate) fn shown(path: &std::path::Path, place: &Place) -> String {
    path.strip_prefix(&place.root).unwrap_or(path).display().to_string()
}

/// A connection whose tables have one prefix.
pub(crate) fn connection(
    database: Result<siteclaw_db::ConnectSettings, ToolError>,
    prefix: String,
    notes: Vec<String>,
) -> Connection {
    Connection { database, prefixes: Prefixes::single(prefix), notes }
}
