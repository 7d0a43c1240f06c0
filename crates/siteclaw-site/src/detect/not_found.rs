//! Why no site was found, on one line.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use siteclaw_core::sanitise_fragment;

use super::DETECTORS;
use super::search::BENEATH;

/// Folders that a message lists before it only counts them.
const SHOWN: usize = 12;
const MAX_PATH: usize = 300;

/// No site was found. The message is one line for the operator and names folders of this machine.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
#[non_exhaustive]
pub struct NotFound {
    /// Where detection started, as given.
    pub start: PathBuf,
    /// What stood in the way.
    pub reason: Reason,
}

/// What kept detection from finding a site.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reason {
    /// Detection would have started in the root of the file system.
    FileSystemRoot,
    /// The start folder does not exist or may not be entered.
    Unreadable {
        /// What the system said.
        error: String,
    },
    /// The nearest site runs something that looks like a known platform and is not.
    Unsupported {
        /// The site's folder.
        folder: PathBuf,
        /// What it runs.
        product: &'static str,
    },
    /// No folder had enough of any platform's files.
    NoMarkers {
        /// The folders looked at, in order.
        looked: Vec<PathBuf>,
        /// Folders that could not be opened.
        unreadable: Vec<PathBuf>,
        /// Places that files or links name and that were not gone to; each with the file or link.
        elsewhere: Vec<(PathBuf, PathBuf)>,
    },
}

impl NotFound {
    fn sentence(&self) -> String {
        let start = shown(&self.start);
        match &self.reason {
            Reason::FileSystemRoot => {
                format!(
                    "{start} is the root of the file system, which is no site. Name the site's own folder."
                )
            }
            Reason::Unreadable { error } => {
                format!(
                    "No site can be looked for in {start}: {error}. Name a folder that is there and that you may enter."
                )
            }
            Reason::Unsupported { folder, product } => {
                let folder = shown(folder);
                format!("The site in {folder} runs {product}, which is not supported.")
            }
            Reason::NoMarkers { looked, unreadable, elsewhere } => {
                self.search(&start, looked, unreadable, elsewhere).unwrap_or_default()
            }
        }
    }

    fn search(
        &self,
        start: &str,
        looked: &[PathBuf],
        unreadable: &[PathBuf],
        elsewhere: &[(PathBuf, PathBuf)],
    ) -> Result<String, fmt::Error> {
        let mut out = format!("No site was found from {start}. Looked in {}", list(looked));
        if !unreadable.is_empty() {
            write!(out, "; could not open {}", list(unreadable))?;
        }
        write!(out, "; beneath {start} in {}; for", BENEATH.join(", "))?;
        for (index, detector) in DETECTORS.iter().enumerate() {
            let comma = if index == 0 { "" } else { ";" };
            write!(out, "{comma} {} ({})", detector.platform.title(), detector.signs)?;
        }
        out.push('.');
        for (from, to) in elsewhere {
            write!(out, " {} leads to {}, which was not looked at.", shown(from), shown(to))?;
        }
        out.push_str(" Name the site's own folder.");
        Ok(out)
    }
}

fn list(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "no folder".to_owned();
    }
    let mut out = folders.iter().take(SHOWN).map(|path| shown(path)).collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = folders.len().checked_sub(SHOWN) {
        out.push_str(&format!(" and {more} more"));
    }
    out
}

fn shown(path: &Path) -> String {
    sanitise_fragment(&path.to_string_lossy(), MAX_PATH)
}
