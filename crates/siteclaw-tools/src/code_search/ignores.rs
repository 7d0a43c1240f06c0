//! The rules of `.gitignore` and `.ignore` files, folder by folder.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::root::Folder;

/// The most bytes of one file of rules; what stands beyond does not count.
const MAX_RULES: u64 = 256 * 1024;

/// The rules that hold in a folder: its own before those of the folders above.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignores(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    /// Stronger first.
    rules: Vec<Gitignore>,
    above: Ignores,
    /// Whether a repository was met on the way: outside of one nobody reads its rules.
    repository: bool,
}

impl Ignores {
    /// The rules for a folder with these names in it. `path` is its path beneath the root.
    pub(super) fn enter(
        &self,
        folder: &Folder,
        path: &Path,
        names: &[(std::ffi::OsString, crate::root::Kind)],
    ) -> Self {
        let has =
            |name: &str| names.binary_search_by(|(entry, _)| entry.as_os_str().cmp(OsStr::new(name))).is_ok();
        let above = self.0.as_ref().is_some_and(|level| level.repository);
        let repository = above || has(".git");
        let mut rules = Vec::new();
        if has(".ignore") {
            rules.extend(read(folder, path, ".ignore"));
        }
        if repository && has(".gitignore") {
            rules.extend(read(folder, path, ".gitignore"));
        }
        if rules.is_empty() && repository == above {
            return self.clone();
        }
        Self(Some(Arc::new(Level { rules, above: self.clone(), repository })))
    }

    /// Whether there are any rules at all.
    pub(super) fn is_empty(&self) -> bool {
        let mut next = &self.0;
        while let Some(level) = next {
            if !level.rules.is_empty() {
                return false;
            }
            next = &level.above.0;
        }
        true
    }

    /// Whether the nearest rule that speaks of the path leaves it out. `path` is beneath the root.
    pub(super) fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        let mut next = &self.0;
        while let Some(level) = next {
            for rules in &level.rules {
                match rules.matched(path, is_folder) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
            next = &level.above.0;
        }
        false
    }
}

fn read(folder: &Folder, path: &Path, name: &str) -> Option<Gitignore> {
    use std::io::Read;
    let found = folder.file(OsStr::new(name)).ok()?;
    let mut bytes = Vec::new();
    found.file.take(MAX_RULES).read_to_end(&mut bytes).ok()?;
    let mut builder = GitignoreBuilder::new(path);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // A line that is no glob is passed over, as git does.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
