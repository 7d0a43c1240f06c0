//! What this process has open, to see what SQLite opened.
//!
//! SQLite takes a name, resolves its links by itself and opens the result by name, a handle cannot be given to
//! it. So the files that are open before and after are compared: a new one that is neither the file that was
//! judged nor one of its companions was swapped in between.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the system lists the open files of the process itself.
const LISTS: [&str; 2] = ["/proc/self/fd", "/dev/fd"];
/// How often one looks again: what other threads have open for a moment is gone by then, what SQLite has is not.
const LOOKS: usize = 50;
const PAUSE: Duration = Duration::from_micros(200);

/// Which file something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId {
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl FileId {
    pub(super) fn of(metadata: &fs::Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// The regular files that are open, under their numbers. A file that has no name any more is left out: it is
/// nobody's database.
#[derive(Clone, Debug)]
pub(super) struct Descriptors {
    list: &'static str,
    files: Vec<(u32, FileId)>,
}

impl Descriptors {
    /// Lists them; nothing where the system does not show `open`, a file that the caller has open.
    pub(super) fn now(open: FileId) -> Option<Self> {
        let lists = LISTS.into_iter().map(|list| Self { list, files: read(list) });
        lists.into_iter().find(|now| now.files.iter().any(|(_, id)| *id == open))
    }

    /// Whether a file stays open that was not open then and is not among those that `known` names.
    pub(super) fn has_stranger(&self, known: impl Fn() -> Vec<FileId>) -> bool {
        let mut strangers = self.since();
        for _ in 0..LOOKS {
            let known = known();
            strangers.retain(|(_, id)| !known.contains(id));
            if strangers.is_empty() {
                return false;
            }
            std::thread::sleep(PAUSE);
            let now = self.since();
            strangers.retain(|file| now.contains(file));
        }
        true
    }

    /// The paths of the files that are open now and were not then.
    pub(super) fn newer(&self) -> Vec<(PathBuf, FileId)> {
        let path = |number: u32| fs::read_link(Path::new(self.list).join(number.to_string())).ok();
        self.since().into_iter().filter_map(|(number, id)| Some((path(number)?, id))).collect()
    }

    fn since(&self) -> Vec<(u32, FileId)> {
        let mut now = read(self.list);
        now.retain(|file| !self.files.contains(file));
        now
    }
}

fn read(list: &str) -> Vec<(u32, FileId)> {
    let entries = fs::read_dir(list).into_iter().flatten().flatten();
    let open = entries.filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        let metadata = fs::metadata(entry.path()).ok()?;
        (metadata.is_file() && metadata.nlink() > 0).then(|| (number, FileId::of(&metadata)))
    });
    open.collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn file(folder: &tempfile::TempDir, name: &str) -> (File, FileId) {
        let file = File::create(folder.path().join(name)).unwrap();
        let id = FileId::of(&file.metadata().unwrap());
        (file, id)
    }

    #[test]
    fn a_file_that_stays_open_is_a_stranger_unless_it_is_known_or_nameless() {
        let folder = tempfile::tempdir().unwrap();
        let (_own, own) = file(&folder, "own");
        let before = Descriptors::now(own).unwrap();
        assert!(!before.has_stranger(Vec::new));
        let (_other, other) = file(&folder, "other");
        assert!(before.has_stranger(|| vec![own]));
        assert!(!before.has_stranger(|| vec![own, other]));
        assert!(before.newer().contains(&(folder.path().join("other").canonicalize().unwrap(), other)));
        fs::remove_file(folder.path().join("other")).unwrap();
        assert!(!before.has_stranger(|| vec![own]));
    }

    #[test]
    fn a_list_that_does_not_show_what_is_open_is_none() {
        assert!(Descriptors::now(FileId { device: 0, inode: 0 }).is_none());
    }
}
