//! A site: what was detected, how it may be opened, and its tools.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_core::{Entry, RegistryError, Secret};
use siteclaw_db::Limits;

use crate::checkup::Check;
use crate::configured::Configured;
use crate::detect::{self, Detection, NotFound, Platform};
use crate::wordpress::WordPress;

/// Looks a variable of the process up.
pub type ProcessEnv = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Takes the secrets of a configuration, so that they can be kept out of every answer.
pub type SecretsHook = Arc<dyn Fn(Vec<Secret>) + Send + Sync>;

/// How a site may be opened. Everything comes from the operator, nothing from the site.
#[derive(Clone, Default)]
pub struct AttachOptions {
    /// Files, or folders of files, outside the site that its configuration may include.
    pub trust: Vec<PathBuf>,
    /// A file with variables that only the web server has.
    pub env_file: Option<PathBuf>,
    /// The process's own variables, as far as the configuration names them.
    pub process_env: Option<ProcessEnv>,
    /// What holds in place of the configuration's words about the database.
    pub database: DatabaseOverride,
    /// What one site may take of its database server.
    pub limits: Limits,
    /// Who keeps secrets out of answers.
    pub on_secrets: Option<SecretsHook>,
}

impl fmt::Debug for AttachOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttachOptions")
            .field("trust", &self.trust)
            .field("env_file", &self.env_file)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// What holds in place of the configuration's words about the database; absent parts stay as configured.
#[derive(Clone, Debug, Default)]
pub struct DatabaseOverride {
    /// Host, with a port or socket as the platform writes it.
    pub host: Option<String>,
    /// The database; for SQLite the file.
    pub name: Option<String>,
    /// The account.
    pub user: Option<String>,
    /// Its password.
    pub password: Option<Secret>,
}

/// A folder that is no site, or a site that cannot be chosen.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// No platform was recognised; the message says where was looked and for what.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// More than one site was found beneath the folder.
    #[error("{start} holds several sites: {list}. Name one of them with --site.")]
    Several {
        /// Where was looked.
        start: String,
        /// The sites.
        list: String,
    },
}

/// An attached site.
#[derive(Clone)]
pub struct Site {
    detection: Arc<Detection>,
    platform: Attached,
}

#[derive(Clone)]
enum Attached {
    WordPress(WordPress),
    /// Its configuration and database are known; its tools come with its own part.
    Other(Configured),
}

impl Site {
    /// Recognises the site that a folder belongs to.
    pub fn attach(start: &Path, options: AttachOptions) -> Result<Self, SiteError> {
        Self::attach_with(start, options, |_, _| {})
    }

    /// As [`attach`](Self::attach); `configure` may change the options once the root is known.
    pub fn attach_with(
        start: &Path,
        mut options: AttachOptions,
        configure: impl FnOnce(&Path, &mut AttachOptions),
    ) -> Result<Self, SiteError> {
        let detection = detect::detect(start)?;
        if detection.place == detect::Place::Beneath && detection.is_ambiguous() {
            let sites = std::iter::once(&detection.site).chain(&detection.rivals);
            let list: Vec<String> =
                sites.map(|site| format!("{} ({})", site.root.display(), site.platform.title())).collect();
            return Err(SiteError::Several { start: start.display().to_string(), list: list.join(", ") });
        }
        configure(&detection.site.root, &mut options);
        let platform = match Configured::new(&detection.site, options.clone()) {
            Some(other) => Attached::Other(other),
            None => Attached::WordPress(WordPress::new(&detection.site, options)),
        };
        Ok(Self { detection: Arc::new(detection), platform })
    }

    /// The real path of the folder that holds the whole site.
    pub fn root(&self) -> &Path {
        &self.detection.site.root
    }

    /// Which platform it is.
    pub fn platform(&self) -> Platform {
        self.detection.site.platform
    }

    /// How the platform was recognised.
    pub fn detection(&self) -> &Detection {
        &self.detection
    }

    /// Reads the configuration if that was not done since it last changed, so that its secrets reach
    /// [`AttachOptions::on_secrets`]. It may take the thread for a while; what cannot be read is left to the
    /// tools that need it. Nothing connects.
    pub fn learn_secrets(&self) {
        match &self.platform {
            Attached::WordPress(site) => drop(site.snapshot()),
            Attached::Other(site) => drop(site.summary()),
        }
    }

    /// The tools of the site, from its files alone. Nothing connects.
    pub fn tools(&self) -> Result<Vec<Entry>, RegistryError> {
        match &self.platform {
            Attached::WordPress(site) => site.tools(),
            Attached::Other(_) => Ok(Vec::new()),
        }
    }

    /// The platform's names for sets of tools, for deny lists.
    pub fn groups(&self) -> &'static [(&'static str, &'static [&'static str])] {
        match &self.platform {
            Attached::WordPress(_) => crate::wordpress::GROUPS,
            Attached::Other(_) => &[],
        }
    }

    /// Tools that a group may name although this site lacks them.
    pub fn known_names(&self) -> &'static [&'static str] {
        match &self.platform {
            Attached::WordPress(_) => crate::wordpress::KNOWN_NAMES,
            Attached::Other(_) => &[],
        }
    }

    /// What was detected and configured, without secrets. Nothing connects.
    pub fn summary(&self) -> Value {
        let site = &self.detection.site;
        let mut summary = json!({
            "platform": site.platform.as_str(),
            "edition": site.edition,
            "version": site.version,
            "root": site.root.to_string_lossy(),
            "docroot": site.docroot.to_string_lossy(),
            "config": site.config.as_ref().map(|path| path.to_string_lossy()),
            "extensions": site.extras.iter().map(|extra| json!({
                "name": extra.name, "version": extra.version, "path": extra.path
            })).collect::<Vec<_>>(),
            "evidence": site.markers.iter().map(|marker| json!({
                "path": marker.path, "weight": marker.weight, "meaning": marker.meaning
            })).collect::<Vec<_>>(),
            "score": site.score,
            "place": self.detection.place,
            "rivals": self.detection.rivals.iter().map(|rival| json!({
                "platform": rival.platform.as_str(), "root": rival.root.to_string_lossy(), "score": rival.score
            })).collect::<Vec<_>>(),
        });
        if let Value::Object(summary) = &mut summary {
            summary.extend(match &self.platform {
                Attached::WordPress(site) => site.summary(),
                Attached::Other(site) => site.summary(),
            });
        }
        summary
    }

    /// Checks everything a tool needs: configuration, connection, tables, folders.
    pub async fn checkup(&self) -> Vec<Check> {
        match &self.platform {
            Attached::WordPress(site) => site.checkup().await,
            Attached::Other(site) => site.checkup().await,
        }
    }
}
