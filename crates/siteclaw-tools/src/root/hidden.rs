//! Places beneath the folder that nobody gets at through it: the program's own state and configuration.
//!
//! An operator may name a home folder as the workspace. What decides who may do what must stay out of reach
//! of those who are decided about, so such places are told by device and inode, not by name: the folder
//! that was opened is climbed from, and a file is compared by its handle.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

use super::resolve::SEARCH;

/// Folders above a place that are looked at; deeper trees than Linux can name.
const MAX_CLIMB: usize = 2100;

/// Tells one file or folder of the machine from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(stat: &Stat) -> Self {
        // The types of the fields differ between systems; none is wider than 64 bits.
        #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
        Self { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }

    /// Whether both lie on one file system.
    pub(super) const fn same_device(self, other: Self) -> bool {
        self.device == other.device
    }

    fn at(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self { device: metadata.dev(), inode: metadata.ino() })
    }
}

/// The hidden places that may lie beneath one folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Hidden(Vec<PathBuf>);

impl Hidden {
    /// Keeps of the places those beneath the folder: for all others there is nothing to look out for. A
    /// place need not exist yet.
    pub(super) fn beneath(folder: Identity, places: &[PathBuf]) -> Self {
        let above = |place: &&PathBuf| {
            let real = nearest_real(place);
            real.is_some_and(|real| real.ancestors().any(|path| Identity::at(path) == Some(folder)))
        };
        Self(places.iter().filter(above).cloned().collect())
    }

    pub(super) fn add(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is one of the places, as they are now.
    pub(super) fn is(&self, found: Identity) -> bool {
        self.0.iter().any(|place| Identity::at(place) == Some(found))
    }

    /// Whether an open folder is one of the places or lies in one. `top` is where climbing ends.
    pub(super) fn holds(&self, folder: impl AsFd, top: Identity) -> Result<bool, Errno> {
        if self.is_empty() {
            return Ok(false);
        }
        let places: Vec<Identity> = self.0.iter().filter_map(|place| Identity::at(place)).collect();
        let mut current: OwnedFd = rustix::io::fcntl_dupfd_cloexec(folder, 0)?;
        for _ in 0..MAX_CLIMB {
            let here = Identity::of(&rustix::fs::fstat(&current)?);
            if places.contains(&here) {
                return Ok(true);
            }
            if here == top {
                return Ok(false);
            }
            let up = SEARCH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let above = rustix::fs::openat(&current, "..", up, Mode::empty())?;
            // The root of the file system is above itself: the folder was moved out meanwhile.
            if Identity::of(&rustix::fs::fstat(&above)?) == here {
                return Ok(true);
            }
            current = above;
        }
        Ok(true)
    }
}

/// The real path of what exists of a path.
fn nearest_real(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|path| path.canonicalize().ok())
}
