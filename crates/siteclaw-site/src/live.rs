//! The handle that tools hold on a site, and the snapshot that each call takes of it.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value, json};
use siteclaw_core::{Secret, ToolError};
use siteclaw_db::{Database, Prefixes, Row, Rows, Statement};
use siteclaw_tools::root::{Links, Options as RootOptions, Root};

use crate::attach::AttachOptions;
use crate::connection::{CONFIG_UNRESOLVED, Connection, sentence};
use crate::detect::Evidence;
use crate::watch::Watch;

/// How often a configuration is read that changes while it is read.
const READINGS: usize = 3;

/// Where a site lies and what its operator allows.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) core: PathBuf,
    pub(crate) config: Option<PathBuf>,
    pub(crate) version: Option<String>,
    pub(crate) options: AttachOptions,
}

impl Place {
    pub(crate) fn new(evidence: &Evidence, options: AttachOptions) -> Self {
        Self {
            root: evidence.root.clone(),
            core: evidence.core.clone(),
            config: evidence.config.clone(),
            version: evidence.version.clone(),
            options,
        }
    }
}

/// What reading a configuration gives. `S` is what the platform's own tools need of it.
pub(crate) struct Reading<S> {
    pub(crate) connection: Connection,
    pub(crate) settings: S,
    /// Values that must be kept out of every answer.
    pub(crate) secrets: Vec<Secret>,
    /// Files whose change makes this stale, as they were before they were read.
    pub(crate) files: Watch,
}

/// Reads a platform's configuration from files alone.
pub(crate) type Reader<S> = fn(&Place, &Root) -> Result<Reading<S>, ToolError>;

/// A site whose configuration is read again once one of its files has changed.
pub(crate) struct Live<S> {
    place: Place,
    read: Reader<S>,
    current: RwLock<Option<Arc<Snapshot<S>>>>,
}

/// The site as it was when a call began; a call keeps it to its end.
pub(crate) struct Snapshot<S> {
    pub(crate) root: Root,
    pub(crate) connection: Connection,
    pub(crate) settings: S,
    database: Option<Database>,
    files: Watch,
}

impl<S> Live<S> {
    pub(crate) fn new(place: Place, read: Reader<S>) -> Self {
        Self { place, read, current: RwLock::new(None) }
    }

    /// The last snapshot, if no file of the configuration has changed since.
    pub(crate) fn current(&self) -> Option<Arc<Snapshot<S>>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        current.filter(|snapshot| snapshot.is_current())
    }

    /// The site as it is now. A changed configuration gives a new snapshot; reading it takes the thread.
    pub(crate) fn snapshot(&self) -> Result<Arc<Snapshot<S>>, ToolError> {
        if let Some(snapshot) = self.current() {
            return Ok(snapshot);
        }
        let mut slot = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(snapshot) = slot.as_ref().filter(|snapshot| snapshot.is_current()) {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = Arc::new(self.open()?);
        *slot = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    fn open(&self) -> Result<Snapshot<S>, ToolError> {
        let place = &self.place;
        let root =
            Root::open_with(&place.root, RootOptions { links: Links::WithinRoot, ..RootOptions::default() })
                .map_err(|error| {
                    ToolError::new(CONFIG_UNRESOLVED, format!("The site's folder cannot be opened: {error}"))
                })?;
        let reading = self.read_settled(&root)?;
        if let Some(hook) = &place.options.on_secrets {
            let mut secrets = reading.secrets;
            secrets.extend(place.options.database.password.clone());
            hook(secrets);
        }
        let connection = reading.connection;
        let database =
            connection.database.as_ref().ok().map(|to| Database::new(to.clone(), place.options.limits));
        Ok(Snapshot { root, connection, settings: reading.settings, database, files: reading.files })
    }

    /// Reads again what was changed while it was read. What never rests is taken as it was read last: its files
    /// show the change, so the next call reads again.
    fn read_settled(&self, root: &Root) -> Result<Reading<S>, ToolError> {
        let mut reading = (self.read)(&self.place, root)?;
        for _ in 1..READINGS {
            if reading.files.is_current() {
                break;
            }
            reading = (self.read)(&self.place, root)?;
        }
        Ok(reading)
    }

    /// What may be shown of the connection, or why it is not known.
    pub(crate) fn connection_summary(&self) -> Map<String, Value> {
        match self.snapshot() {
            Ok(snapshot) => snapshot.connection.summary(),
            Err(error) => Map::from_iter([("database".to_owned(), json!({"error": sentence(&error)}))]),
        }
    }
}

impl<S> Snapshot<S> {
    fn is_current(&self) -> bool {
        self.files.is_current()
    }

    /// The database. It connects at the first query.
    pub(crate) fn database(&self) -> Result<&Database, ToolError> {
        match (&self.database, &self.connection.database) {
            (Some(database), _) => Ok(database),
            (None, Err(error)) => Err(error.clone()),
            (None, Ok(_)) => Err(ToolError::new(CONFIG_UNRESOLVED, "The database is not configured.")),
        }
    }

    /// The prefixes of the part of the site that the tools read.
    pub(crate) fn prefixes(&self) -> &Prefixes {
        &self.connection.prefixes
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A reading during which somebody saves the configuration as often as `saves` says.
    fn read(place: &Place, _: &Root) -> Result<Reading<String>, ToolError> {
        let [config, saves] = ["config", "saves"].map(|name| place.root.join(name));
        let files = Watch::default();
        files.note(&config);
        let text = fs::read_to_string(&config).unwrap();
        let left: usize = fs::read_to_string(&saves).unwrap().parse().unwrap();
        if left > 0 {
            fs::write(&saves, (left - 1).to_string()).unwrap();
            fs::write(&config, format!("{text}+")).unwrap();
        }
        let database = Err(ToolError::new(CONFIG_UNRESOLVED, "None."));
        let connection = Connection { database, prefixes: Prefixes::default(), notes: Vec::new() };
        Ok(Reading { connection, settings: text, secrets: Vec::new(), files })
    }

    fn site(saves: usize) -> (tempfile::TempDir, Live<String>) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config"), "first").unwrap();
        fs::write(folder.path().join("saves"), saves.to_string()).unwrap();
        let root = folder.path().to_owned();
        let place = Place {
            core: root.clone(),
            root,
            config: None,
            version: None,
            options: AttachOptions::default(),
        };
        (folder, Live::new(place, read))
    }

    #[test]
    fn a_configuration_that_is_saved_while_it_is_read_is_read_again() {
        let (_folder, live) = site(1);
        let snapshot = live.snapshot().unwrap();
        assert_eq!(snapshot.settings, "first+");
        assert!(Arc::ptr_eq(&snapshot, &live.snapshot().unwrap()));
    }

    #[test]
    fn one_that_never_rests_is_taken_and_read_again_by_the_next_call() {
        let (_folder, live) = site(4);
        assert_eq!(live.snapshot().unwrap().settings, "first++", "the third reading");
        assert_eq!(live.snapshot().unwrap().settings, "first++++");
    }
}
