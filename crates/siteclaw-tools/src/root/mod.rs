//! One folder, opened once: everything in it is opened beneath that handle, never by a path from `/`.
//!
//! A site's files are written by others. A path that was checked as text and then opened by name can be
//! swapped for a link in between, so nothing here compares prefixes: the kernel resolves each path
//! beneath the open folder and refuses links on the way (`openat2`; where the kernel or a sandbox lacks
//! it, a walk that opens one component at a time with `O_NOFOLLOW`). The last component is opened with
//! `O_NOFOLLOW` relative to its folder, and what was opened is asked again what it is.
//!
//! Refused: absolute paths, `..` above the folder, control characters, over-long paths ([`RelPath`]);
//! links, unless [`Links::WithinRoot`] and the target stays beneath the folder; FIFOs, sockets, devices
//! and the pseudo-files of `/proc` and `/sys`, without hanging; private files of another owner that were
//! hard-linked in. Every read has a bound that the caller names. A file is written whole or not at all, and only
//! in place of nothing or of exactly what was read ([`Draft`]).
//!
//! ```
//! use siteclaw_tools::root::{RelPath, Root};
//! # let folder = tempfile::tempdir().unwrap();
//! # std::fs::write(folder.path().join("index.php"), "<?php // hello").unwrap();
//! let root = Root::open(folder.path()).unwrap();
//! let bytes = root.read(&RelPath::parse("./sub/../index.php").unwrap(), 5).unwrap();
//! assert_eq!((bytes.data.as_slice(), bytes.size, bytes.cut), (&b"<?php"[..], 14, true));
//! assert!(RelPath::parse("../index.php").is_err());
//! ```

mod error;
mod folder;
mod hidden;
mod links;
mod list;
mod path;
mod read;
mod resolve;
mod trust;
mod write;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod write_tests;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

pub use error::RootError;
pub use folder::{Folder, Found};
pub use list::{Entry, Listing};
pub use path::RelPath;
pub use read::Bytes;
pub use trust::TrustedPlace;
pub use write::{Draft, Held};

use hidden::{Hidden, Identity};
use resolve::SEARCH;
use rustix::fs::{Mode, OFlags};

/// What to do with a symbolic link beneath the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// Every link is refused, also one that stays inside.
    #[default]
    Refuse,
    /// A link whose target lies beneath the folder is followed; any other is refused. Hosts link
    /// `wp-config.php`, plugins and uploads, and deployments link `current`.
    WithinRoot,
}

/// Who resolves a path beneath the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolution {
    /// The kernel, by `openat2`; the walk takes over where the kernel does not offer it.
    #[default]
    Kernel,
    /// Component by component, as on a kernel without `openat2`.
    Walk,
}

/// How a [`Root`] treats links and resolves paths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What to do with links.
    pub links: Links,
    /// Who resolves paths.
    pub resolution: Resolution,
    /// Whether files that root keeps to itself are refused although this process is root.
    pub refuse_private_of_root: bool,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, not followed.
    Link,
    /// A FIFO, socket, device or anything else that is never opened.
    Other,
}

/// What is known of a file or folder without opening it.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// Length in bytes; of a folder, what the file system says.
    pub size: u64,
    /// Last change of the content; absent for dates before 1970.
    pub modified: Option<SystemTime>,
}

/// An open folder. Cloning is cheap and shares the handle.
#[derive(Clone, Debug)]
pub struct Root(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: OwnedFd,
    path: PathBuf,
    owner: u32,
    group: u32,
    links: Links,
    refuse_private_of_root: bool,
    identity: Identity,
    /// Whether the folder itself lies in `/proc` or `/sys`.
    pseudo: bool,
    hidden: Hidden,
    /// Set at the first sign that `openat2` is not to be had here.
    walk: AtomicBool,
}

impl Root {
    /// Opens a folder by its path with the default [`Options`]: links beneath it are refused.
    ///
    /// Links in `path` itself are followed: it is the operator's own words. Fails when it is not a
    /// folder or may not be entered.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RootError> {
        Self::open_with(path, Options::default())
    }

    /// Opens a folder by its path. See [`Root::open`].
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, RootError> {
        let given = path.as_ref();
        let real = given.canonicalize().map_err(|error| RootError::from_io(given, error))?;
        let flags = SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&real, flags, Mode::empty())
            .map_err(|errno| RootError::from_errno(given, errno))?;
        Self::from_handle(folder, real, options, Hidden::default())
    }

    fn from_handle(
        folder: OwnedFd,
        path: PathBuf,
        options: Options,
        hidden: Hidden,
    ) -> Result<Self, RootError> {
        let stat = rustix::fs::fstat(&folder).map_err(|errno| RootError::from_errno(&path, errno))?;
        let pseudo = read::is_pseudo(&folder).map_err(|errno| RootError::from_errno(&path, errno))?;
        Ok(Self(Arc::new(Inner {
            folder,
            path,
            owner: stat.st_uid,
            group: stat.st_gid,
            links: options.links,
            refuse_private_of_root: options.refuse_private_of_root,
            identity: Identity::of(&stat),
            pseudo,
            hidden,
            walk: AtomicBool::new(options.resolution == Resolution::Walk),
        })))
    }

    /// The same folder without these places, which are absolute paths of files or folders and need not exist
    /// yet. What lies in them is [`RootError::PermissionDenied`] and is not listed, by whatever name it is
    /// reached.
    pub fn without(&self, places: &[PathBuf]) -> Result<Self, RootError> {
        let folder = rustix::io::fcntl_dupfd_cloexec(self.handle(), 0)
            .map_err(|errno| RootError::from_errno(self.path(), errno))?;
        let mut hidden = self.0.hidden.clone();
        hidden.add(Hidden::beneath(self.0.identity, places));
        Self::from_handle(folder, self.0.path.clone(), self.options(), hidden)
    }

    /// The real path that the folder had when it was opened. For display and for other programs: this
    /// type itself never opens by it.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The user and group that the folder belonged to when it was opened.
    pub fn owner(&self) -> (u32, u32) {
        (self.0.owner, self.0.group)
    }

    /// Where a file beneath the folder is, for display.
    pub fn absolute(&self, path: &RelPath) -> PathBuf {
        if path.is_root() { self.0.path.clone() } else { self.0.path.join(path.as_path()) }
    }

    /// The path beneath the folder that an absolute path names, by its text. Fails with
    /// [`RootError::Outside`] when it does not lie beneath [`Root::path`].
    pub fn relative(&self, absolute: &Path) -> Result<RelPath, RootError> {
        let below = absolute.strip_prefix(&self.0.path).map_err(|_| RootError::outside(absolute))?;
        RelPath::from_path(below)
    }

    /// Opens a folder beneath this one as a root of its own, with the same options. Links that the new
    /// root follows must stay beneath the new root.
    pub fn folder(&self, path: &RelPath) -> Result<Self, RootError> {
        self.following(path, |path| {
            let handle = self.open_folder(path)?;
            Self::from_handle(handle, self.absolute(path), self.options(), self.0.hidden.clone())
        })
    }

    fn options(&self) -> Options {
        let resolution = if self.walks() { Resolution::Walk } else { Resolution::Kernel };
        let refuse_private_of_root = self.0.refuse_private_of_root;
        Options { links: self.0.links, resolution, refuse_private_of_root }
    }

    fn handle(&self) -> BorrowedFd<'_> {
        self.0.folder.as_fd()
    }

    fn walks(&self) -> bool {
        self.0.walk.load(Ordering::Relaxed)
    }

    /// Runs `open` on the path, and once more on what it resolves to when a link is in the way and the
    /// options allow following it. The second run refuses links as the first does, so a link that is
    /// swapped in meanwhile is refused too.
    fn following<T>(
        &self,
        path: &RelPath,
        open: impl Fn(&RelPath) -> Result<T, RootError>,
    ) -> Result<T, RootError> {
        match open(path) {
            Err(RootError::Link { .. }) if self.0.links == Links::WithinRoot => open(&self.resolve(path)?),
            result => result,
        }
    }
}
