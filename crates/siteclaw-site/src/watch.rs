//! Which files a reading depends on, and what they looked like before it opened them.
//!
//! The stamp of a file is taken before its first use and never after: a change while the configuration is
//! being read then shows as a change, whatever of the old and the new content was seen.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files of one reading. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Mutex<BTreeMap<PathBuf, Stamp>>>);

/// What tells that a file has changed; nothing for one that is not there or cannot be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp(Option<Seen>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// Moves when the rights change, which may make an unreadable file readable.
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Self {
        Self(std::fs::metadata(path).ok().map(|meta| Seen {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }))
    }
}

impl Watch {
    /// Notes a file that is about to be looked at; it need not be there. Only the first note counts.
    pub(crate) fn note(&self, path: &Path) {
        let mut files = self.files();
        if !files.contains_key(path) {
            files.insert(path.to_owned(), Stamp::of(path));
        }
    }

    /// Whether every file still is as it was when it was noted.
    pub(crate) fn is_current(&self) -> bool {
        self.files().iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Stamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_a_birth_and_a_death_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let [there, absent] = ["there", "absent"].map(|name| folder.path().join(name));
        std::fs::write(&there, "a").unwrap();
        let noted = || {
            let watch = Watch::default();
            watch.note(&there);
            watch.note(&absent);
            assert!(watch.is_current());
            watch
        };
        let watch = noted();
        std::fs::write(&there, "ab").unwrap();
        assert!(!watch.is_current());
        watch.note(&there);
        assert!(!watch.is_current(), "a later note must not make the change good");
        let watch = noted();
        std::fs::write(&absent, "").unwrap();
        assert!(!watch.is_current());
        let watch = noted();
        std::fs::remove_file(&there).unwrap();
        assert!(!watch.is_current());
    }
}
