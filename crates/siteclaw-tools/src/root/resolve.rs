//! The two ways from the open folder to a folder beneath it, and the step from there to a name in it.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::{RelPath, Root, RootError};

/// Opens a folder to go on from, without asking for the right to list it.
#[cfg(target_os = "linux")]
pub(super) const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(super) const SEARCH: OFlags = OFlags::RDONLY;

const FOLDER: OFlags = SEARCH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Root {
    /// The folder at `path`, with no link on the way.
    pub(super) fn open_folder(&self, path: &RelPath) -> Result<OwnedFd, RootError> {
        self.descend(path).map_err(|errno| self.explain(path, errno))
    }

    fn descend(&self, path: &RelPath) -> Result<OwnedFd, Errno> {
        let folder = self.descend_anywhere(path)?;
        if self.0.hidden.holds(&folder, self.0.identity)? { Err(Errno::ACCESS) } else { Ok(folder) }
    }

    fn descend_anywhere(&self, path: &RelPath) -> Result<OwnedFd, Errno> {
        if path.is_root() {
            return rustix::io::fcntl_dupfd_cloexec(self.handle(), 0);
        }
        if !self.walks() {
            match by_kernel(self.handle(), path) {
                // ENOSYS: an old kernel or a user-space one. EPERM: a seccomp filter that predates the
                // call; an honest EPERM does not exist for a read, and the walk would meet it again.
                Err(Errno::NOSYS | Errno::PERM) => self.0.walk.store(true, Ordering::Relaxed),
                result => return result,
            }
        }
        by_walk(self.handle(), path)
    }

    /// The open parent folder of `path` and its last name. The folder itself has no name: a caller that
    /// wants a file gets [`RootError::NotAFile`].
    pub(super) fn open_parent<'a>(&self, path: &'a RelPath) -> Result<(OwnedFd, &'a OsStr), RootError> {
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            return Err(RootError::not_a_file(path.as_path()));
        };
        let folder = self.descend(&parent).map_err(|errno| self.explain(path, errno))?;
        Ok((folder, name))
    }

    /// Turns a refusal into the error for the caller; for a link on the way it says where that leads.
    pub(super) fn explain(&self, path: &RelPath, errno: Errno) -> RootError {
        if matches!(errno, Errno::LOOP | Errno::NOTDIR)
            && let Some(target) = self.first_link(path)
        {
            return RootError::link(path.as_path(), Some(target));
        }
        RootError::from_errno(path.as_path(), errno)
    }
}

#[cfg(target_os = "linux")]
fn by_kernel(folder: impl AsFd, path: &RelPath) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(folder, path.as_path(), FOLDER, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn by_kernel(_folder: impl AsFd, _path: &RelPath) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Goes down one name at a time. The path has no `..`, so no rename on the way can lead it up.
fn by_walk(folder: impl AsFd, path: &RelPath) -> Result<OwnedFd, Errno> {
    let mut current = rustix::io::fcntl_dupfd_cloexec(folder, 0)?;
    for name in path.components() {
        current = step(&current, name)?;
    }
    Ok(current)
}

/// Opens the folder `name` in `folder`; `NOTDIR` or `LOOP` for a link.
pub(super) fn step(folder: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(folder, name, FOLDER, Mode::empty())
}

/// What `name` in `folder` is, itself, not what it may point at.
pub(super) fn look(folder: impl AsFd, name: &OsStr) -> Result<(FileType, Stat), Errno> {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok((FileType::from_raw_mode(stat.st_mode), stat))
}
