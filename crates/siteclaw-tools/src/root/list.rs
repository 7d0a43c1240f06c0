//! Listing a folder: sorted, bounded, links shown and not followed.

use std::collections::BinaryHeap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;

use super::hidden::Identity;
use super::resolve::look;
use super::{Kind, Metadata, RelPath, Root, RootError};

pub(super) const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Names looked at in one folder before the listing gives up counting.
pub(super) const MAX_SCANNED: u64 = 1_000_000;

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name, as the file system has it: it may hold control characters or be no UTF-8.
    pub name: OsString,
    /// What it is. A link is a link here, also where links are followed.
    pub kind: Kind,
    /// Length in bytes.
    pub size: u64,
    /// Last change of the content; absent for dates before 1970.
    pub modified: Option<SystemTime>,
}

/// The names in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The first names by their bytes.
    pub entries: Vec<Entry>,
    /// How many names more the folder has; counting ends at a million names.
    pub left_out: u64,
}

impl IntoIterator for Listing {
    type Item = Entry;
    type IntoIter = std::vec::IntoIter<Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl Root {
    /// Lists a folder: its first `max_entries` names in the order of their bytes. Memory use is bounded
    /// by `max_entries`, however many names there are.
    pub fn list(&self, path: &RelPath, max_entries: usize) -> Result<Listing, RootError> {
        self.following(path, |path| self.list_here(path, max_entries))
    }

    fn list_here(&self, path: &RelPath, max_entries: usize) -> Result<Listing, RootError> {
        let fail = |errno| self.explain(path, errno);
        let handle = if path.is_root() {
            rustix::fs::openat(self.handle(), ".", LIST, Mode::empty()).map_err(fail)?
        } else {
            let (parent, name) = self.open_parent(path)?;
            rustix::fs::openat(&parent, name, LIST, Mode::empty()).map_err(fail)?
        };
        if self.0.hidden.holds(&handle, self.0.identity).map_err(fail)? {
            return Err(fail(Errno::ACCESS));
        }
        let mut names: BinaryHeap<Vec<u8>> = BinaryHeap::new();
        let mut seen = 0;
        for entry in Dir::read_from(&handle).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            seen += 1;
            names.push(name.to_owned());
            if names.len() > max_entries {
                names.pop();
            }
            if seen == MAX_SCANNED {
                break;
            }
        }
        let mut entries = Vec::with_capacity(names.len());
        for name in names.into_sorted_vec() {
            let name = OsStr::from_bytes(&name);
            let metadata = match look(&handle, name) {
                Ok((_, stat)) if !self.0.hidden.is(Identity::of(&stat)) => Metadata::from_stat(&stat),
                // Hidden, or gone since its name was read: not left out, but not there.
                Ok(_) | Err(Errno::NOENT) => {
                    seen -= 1;
                    continue;
                }
                Err(errno) => return Err(fail(errno)),
            };
            let Metadata { kind, size, modified } = metadata;
            entries.push(Entry { name: name.to_owned(), kind, size, modified });
        }
        let kept = u64::try_from(entries.len()).unwrap_or(u64::MAX);
        Ok(Listing { entries, left_out: seen.saturating_sub(kept) })
    }
}
