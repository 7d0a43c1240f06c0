//! The handle that tools hold on a site, and the snapshot that each call takes of it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value, json};
use siteclaw_core::{Secret, ToolError};
use siteclaw_db::{Database, Prefixes, Row, Rows, Statement};
use siteclaw_tools::root::{Links, Options as RootOptions, Root};

use crate::attach::AttachOptions;
use crate::connection::{CONFIG_UNRESOLVED, Connection, sentence};
use crate::detect::Evidence;

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
    /// Files whose change makes this stale; they need not be there yet.
    pub(crate) files: Vec<PathBuf>,
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
        let reading = (self.read)(place, &root)?;
        if let Some(hook) = &place.options.on_secrets {
            let mut secrets = reading.secrets;
            secrets.extend(place.options.database.password.clone());
            hook(secrets);
        }
        let connection = reading.connection;
        let database =
            connection.database.as_ref().ok().map(|to| Database::new(to.clone(), place.options.limits));
        let stamps = reading.files.into_iter().map(|path| (path.clone(), Stamp::of(&path))).collect();
        Ok(Snapshot { root, connection, settings: reading.settings, database, stamps })
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
        self.stamps.iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
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
