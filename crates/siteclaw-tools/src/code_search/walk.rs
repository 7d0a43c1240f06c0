//! A tree in one order: names by their bytes, a folder's content at the place of its name.
//!
//! The walk is done by one thread and hands out files in batches of one folder each; whoever works on a batch opens
//! the files by the folder's handle. Folders are opened one name at a time, links are not followed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::overrides::Override;
use siteclaw_core::ToolError;

use super::cursor::{Resume, Stand};
use super::ignores::Ignores;
use super::skipped::{Reason, Skips};
use crate::classify::{self, PathPolicy, Purpose, Verdict};
use crate::root::{Folder, Kind, RelPath, Root};
use crate::roots::{Located, Place};

/// Files of one batch.
const BATCH: usize = 64;
/// Folders within each other: as many names as a path may have.
const MAX_DEPTH: usize = 64;

/// Which files are wanted.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) globs: Override,
    /// In lower case, without its dot.
    pub(super) extension: Option<String>,
    pub(super) include_ignored: bool,
    pub(super) policy: PathPolicy,
}

impl Filter {
    /// Whether nothing is asked about paths, so that none need be put together.
    pub(super) fn has_globs(&self) -> bool {
        !self.globs.is_empty()
    }
}

/// Files of one folder, in order.
pub(super) struct Batch {
    pub(super) folder: Arc<Folder>,
    /// The folder's path beneath the root.
    pub(super) path: Arc<Path>,
    pub(super) files: Vec<OsString>,
    /// Lines up to this one of the first file were dealt with before.
    pub(super) after_line: Option<u64>,
    pub(super) ignores: Ignores,
    /// What was left out on the way here.
    pub(super) skips: Skips,
}

struct Level {
    folder: Arc<Folder>,
    path: Arc<Path>,
    entries: std::iter::Peekable<std::vec::IntoIter<(OsString, Kind)>>,
    ignores: Ignores,
    resume: Option<Resume>,
}

/// A walk under way.
pub(super) struct Walk<'a> {
    filter: &'a Filter,
    place: Place,
    stack: Vec<Level>,
    skips: Skips,
    /// A walk that is one file.
    single: Option<Batch>,
}

/// Where a walk begins.
pub(super) struct Start<'a> {
    pub(super) root: &'a Root,
    pub(super) at: &'a Located,
    pub(super) resume: Option<Resume>,
}

impl<'a> Walk<'a> {
    /// Opens the folder or file that the walk begins with. What is asked for by name is not left out by ignore
    /// rules.
    pub(super) fn new(filter: &'a Filter, start: Start<'_>) -> Result<Self, ToolError> {
        let Start { root, at, resume } = start;
        let fail = |error| at.error(error);
        let mut walk =
            Self { filter, place: at.place, stack: Vec::new(), skips: Skips::default(), single: None };
        let is_file = !at.path.is_root() && root.metadata(&at.path).map_err(fail)?.kind == Kind::File;
        if is_file {
            let parent = at.path.parent().unwrap_or_default();
            let name = at.path.name().unwrap_or_default().to_owned();
            walk.single = Some(Batch {
                folder: Arc::new(root.walk(&parent).map_err(fail)?),
                path: parent.as_path().into(),
                files: vec![name],
                after_line: resume.as_ref().map(Resume::after_whole),
                ignores: Ignores::default(),
                skips: Skips::default(),
            });
            return Ok(walk);
        }
        let mut ignores = Ignores::default();
        if !filter.include_ignored {
            for above in ancestors(&at.path) {
                let folder = root.walk(&above).map_err(fail)?;
                let entries = folder.entries().map_err(fail)?;
                ignores = ignores.enter(&folder, above.as_path(), &entries);
            }
        }
        let folder = root.walk(&at.path).map_err(fail)?;
        let entries = folder.entries().map_err(fail)?;
        walk.push(folder, at.path.as_path().to_owned(), entries, &ignores, resume);
        Ok(walk)
    }

    fn push(
        &mut self,
        folder: Folder,
        path: PathBuf,
        entries: Vec<(OsString, Kind)>,
        above: &Ignores,
        resume: Option<Resume>,
    ) {
        let ignores = if self.filter.include_ignored {
            Ignores::default()
        } else {
            above.enter(&folder, &path, &entries)
        };
        let entries = entries.into_iter().peekable();
        self.stack.push(Level { folder: Arc::new(folder), path: path.into(), entries, ignores, resume });
    }

    fn skip(&mut self, reason: Reason, path: &Path) {
        let place = self.place;
        self.skips.add(reason, || shown(place, path));
    }

    /// Enters a folder unless something speaks against it.
    fn descend(&mut self, name: &std::ffi::OsStr, resume: Option<Resume>) {
        let depth = self.stack.len();
        let Some(level) = self.stack.last() else { return };
        let (folder, ignores) = (Arc::clone(&level.folder), level.ignores.clone());
        let path = level.path.join(name);
        let relative = match RelPath::from_path(&path) {
            Ok(relative) if depth < MAX_DEPTH => relative,
            Ok(_) => return self.skip(Reason::TooDeep, &path),
            Err(_) => return self.skip(Reason::Name, &path),
        };
        match self.filter.policy.judge_folder(Purpose::Search, &relative) {
            Verdict::Refused(classify::Reason::NoiseFolder) => return self.skip(Reason::Packages, &path),
            Verdict::Refused(_) => return self.skip(Reason::ClosedFolder, &path),
            Verdict::Allowed | Verdict::IfHarmless => {}
        }
        if self.filter.globs.matched(&path, true).is_ignore() {
            return;
        }
        if ignores.leave_out(&path, true) {
            return self.skip(Reason::Ignored, &path);
        }
        match folder.folder(name).and_then(|folder| folder.entries().map(|entries| (folder, entries))) {
            Ok((folder, entries)) => self.push(folder, path, entries, &ignores, resume),
            Err(_) => self.skip(Reason::Unreadable, &path),
        }
    }

    fn batch(&mut self, files: Vec<OsString>, after_line: Option<u64>) -> Option<Batch> {
        let level = self.stack.last()?;
        Some(Batch {
            folder: Arc::clone(&level.folder),
            path: Arc::clone(&level.path),
            files,
            after_line,
            ignores: level.ignores.clone(),
            skips: std::mem::take(&mut self.skips),
        })
    }

    /// What was left out after the last batch.
    pub(super) fn rest(&mut self) -> Skips {
        std::mem::take(&mut self.skips)
    }
}

impl Iterator for Walk<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        if let Some(single) = self.single.take() {
            return Some(single);
        }
        let mut files = Vec::new();
        let mut after_line = None;
        loop {
            let level = self.stack.last_mut()?;
            // Files come before the folder that follows them.
            let ends = match level.entries.peek() {
                None => true,
                Some((_, kind)) => *kind == Kind::Folder,
            };
            if !files.is_empty() && (ends || files.len() == BATCH) {
                return self.batch(files, after_line);
            }
            let Some((name, kind)) = level.entries.next() else {
                self.stack.pop();
                continue;
            };
            let resume = match level.resume.as_ref().map(|resume| resume.stand(&name)) {
                Some(Stand::Before) => continue,
                // From here on all is ahead.
                Some(Stand::Within) => level.resume.take(),
                Some(Stand::Ahead) | None => {
                    level.resume = None;
                    None
                }
            };
            match kind {
                Kind::Folder => self.descend(&name, resume.map(|resume| resume.within())),
                Kind::File => {
                    if let Some(line) = resume.and_then(|resume| resume.line()) {
                        after_line = Some(line);
                    }
                    files.push(name);
                }
                Kind::Link | Kind::Other => {
                    let path = level.path.join(&name);
                    self.skip(if kind == Kind::Link { Reason::Link } else { Reason::Special }, &path);
                }
            }
        }
    }
}

/// A path with its root, fit to print.
pub(super) fn shown(place: Place, path: &Path) -> String {
    match RelPath::from_path(path) {
        Ok(path) => Located { place, path }.to_string(),
        Err(_) => {
            format!("{}{}", place.prefix(), siteclaw_core::sanitise_fragment(&path.to_string_lossy(), 200))
        }
    }
}

/// The folders above a path, the root first.
fn ancestors(path: &RelPath) -> Vec<RelPath> {
    let mut all = Vec::new();
    let mut next = path.parent();
    while let Some(above) = next {
        next = above.parent();
        all.push(above);
    }
    all.reverse();
    all
}
