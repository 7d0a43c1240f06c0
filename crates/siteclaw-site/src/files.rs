//! The files that a configuration may consist of: those of the site, and those the operator trusts.

use std::io::Read;
use std::path::{Path, PathBuf};

use siteclaw_php::{MAX_CONFIG_BYTES, Source, SourceError};
use siteclaw_tools::root::{RelPath, Root, RootError};

use crate::watch::Watch;

/// Opens files beneath the site's root, and others only where the operator trusts them.
pub(crate) struct SiteFiles {
    root: Root,
    trust: Vec<PathBuf>,
    watch: Watch,
}

impl SiteFiles {
    /// Notes in `watch` every file before it is looked at.
    pub(crate) fn new(root: Root, trust: Vec<PathBuf>, watch: Watch) -> Self {
        Self { root, trust, watch }
    }
}

impl Source for SiteFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>, SourceError> {
        self.watch.note(path);
        let file = self.root.trusted_file(path, &self.trust).map_err(refused)?;
        let mut bytes = Vec::new();
        // One byte more than is evaluated, so that a longer file is seen to be longer.
        file.take(MAX_CONFIG_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| SourceError::Io(error.to_string()))?;
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> Result<bool, SourceError> {
        self.watch.note(path);
        match self.root.relative(path) {
            Ok(below) => Ok(self.root.exists(&below)),
            Err(_) => match self.root.trusted_file(path, &self.trust) {
                Ok(_) => Ok(true),
                Err(error) => match refused(error) {
                    SourceError::NotFound => Ok(false),
                    other => Err(other),
                },
            },
        }
    }
}

fn refused(error: RootError) -> SourceError {
    match error {
        RootError::NotFound { .. } | RootError::NotADirectory { .. } => SourceError::NotFound,
        RootError::Untrusted { .. } | RootError::Link { .. } | RootError::Outside { .. } => {
            SourceError::Refused
        }
        other => SourceError::Io(other.to_string()),
    }
}

/// The path beneath the root of an absolute path, if it lies there.
pub(crate) fn below(root: &Root, path: &Path) -> Option<RelPath> {
    root.relative(path).ok()
}
