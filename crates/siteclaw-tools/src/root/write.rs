//! Writing: a whole new file or nothing, in place of nothing or of exactly what was read.
//!
//! A file is written beside its target, flushed to the disk, and takes the target's name in one step. A new
//! file takes a name only if it is free. A replacement is exchanged with what bears the name, and what comes
//! back must be the very file that was read, byte for byte; if it is not, the two are exchanged back. So a
//! file or link that was put there meanwhile is neither lost nor written through.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, RenameFlags, Uid};
use rustix::io::Errno;

use super::hidden::Identity;
use super::resolve::{look, step};
use super::{RelPath, Root, RootError};

/// What a draft's name begins with.
const DRAFT: &str = ".siteclaw-draft-";
/// Tries to find a free name for a draft.
const TRIES: usize = 16;
/// Bytes of an extended attribute that are kept.
const MAX_ATTRIBUTE: usize = 64 * 1024;

/// A file as it was read, to be replaced only if it still is that. `Debug` does not show what it holds.
pub struct Held {
    file: File,
    identity: Identity,
    bytes: Vec<u8>,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Held({} bytes)", self.bytes.len())
    }
}

impl Held {
    /// What the file holds.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A file that is being written. It is gone when it is dropped before it got its name.
#[derive(Debug)]
pub struct Draft {
    folder: OwnedFd,
    name: OsString,
    target: OsString,
    path: RelPath,
    file: File,
    named: bool,
}

impl Root {
    /// Reads a whole regular file, to replace it later. Fails with [`RootError::TooLarge`] beyond `max_bytes`.
    pub fn hold(&self, path: &RelPath, max_bytes: usize) -> Result<Held, RootError> {
        let fail = |error| RootError::from_io(path.as_path(), error);
        let file = self.open_file(path)?;
        let stat = rustix::fs::fstat(&file).map_err(|errno| RootError::from_errno(path.as_path(), errno))?;
        let mut bytes = Vec::new();
        (&file).take(max_bytes as u64 + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() > max_bytes {
            let size = file.metadata().map_err(fail)?.len();
            return Err(RootError::too_large(path.as_path(), size, max_bytes as u64));
        }
        Ok(Held { file, identity: Identity::of(&stat), bytes })
    }

    /// Makes the folders of a path that are not there yet, with the process's usual rights. Links on the way are
    /// refused.
    pub fn make_folders(&self, path: &RelPath) -> Result<(), RootError> {
        let fail = |errno| self.explain(path, errno);
        let mut made = RelPath::root();
        let mut folder = self.open_folder(&made)?;
        for name in path.components() {
            match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(fail(errno)),
            }
            folder = step(&folder, name).map_err(fail)?;
            made = made.join(name)?;
            self.refuse_hidden(&folder, path)?;
        }
        Ok(())
    }

    /// Makes a folder that only its owner may enter, or tightens the one that is there. Its parent must be there.
    pub fn make_private_folder(&self, path: &RelPath) -> Result<(), RootError> {
        let fail = |errno| self.explain(path, errno);
        let (parent, name) = self.open_parent(path)?;
        match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o700)) {
            Ok(()) => return Ok(()),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(fail(errno)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&parent, name, flags, Mode::empty()).map_err(fail)?;
        self.refuse_hidden(&folder, path)?;
        rustix::fs::fchmod(&folder, Mode::from_raw_mode(0o700)).map_err(fail)
    }

    /// Begins a file at this path. Its folder must be there. With `private` nobody else may read it; else it gets
    /// the process's usual rights.
    pub fn draft(&self, path: &RelPath, private: bool) -> Result<Draft, RootError> {
        let fail = |errno| self.explain(path, errno);
        let (folder, target) = self.open_parent(path)?;
        if let Ok((_, stat)) = look(&folder, target)
            && self.0.hidden.is(Identity::of(&stat))
        {
            return Err(fail(Errno::ACCESS));
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(if private { 0o600 } else { 0o666 });
        let random = RandomState::new();
        for attempt in 0..TRIES {
            let mut hasher = random.build_hasher();
            hasher.write_usize(attempt);
            let name = OsString::from(format!("{DRAFT}{:016x}", hasher.finish()));
            match rustix::fs::openat(&folder, &name, flags, mode) {
                Ok(file) => {
                    return Ok(Draft {
                        folder,
                        name,
                        target: target.to_owned(),
                        path: path.clone(),
                        file: file.into(),
                        named: false,
                    });
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(fail(errno)),
            }
        }
        Err(fail(Errno::EXIST))
    }

    /// Whether a name is that of a draft, which an interrupted process may have left.
    pub fn is_draft(name: &OsStr) -> bool {
        name.as_encoded_bytes().starts_with(DRAFT.as_bytes())
    }

    fn refuse_hidden(&self, folder: impl AsFd, path: &RelPath) -> Result<(), RootError> {
        match self.0.hidden.holds(folder, self.0.identity) {
            Ok(false) => Ok(()),
            Ok(true) => Err(RootError::from_errno(path.as_path(), Errno::ACCESS)),
            Err(errno) => Err(RootError::from_errno(path.as_path(), errno)),
        }
    }
}

impl Draft {
    /// The file, for writing and for reading it again.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Writes all bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), RootError> {
        self.file.write_all(bytes).map_err(|error| RootError::from_io(self.path.as_path(), error))
    }

    /// Gives the file its name if that is free, else [`RootError::Exists`]. `go_on` is asked at the last moment.
    pub fn create(mut self, go_on: impl FnOnce() -> bool) -> Result<(), RootError> {
        self.flush(go_on)?;
        let fail = |errno| RootError::from_errno(self.path.as_path(), errno);
        match self.rename(RenameFlags::NOREPLACE) {
            Ok(()) => self.named = true,
            Err(errno) if is_unsupported(errno) => {
                // A second name is refused where the name is taken; the first is removed when this is dropped.
                rustix::fs::linkat(&self.folder, &self.name, &self.folder, &self.target, AtFlags::empty())
                    .map_err(fail)?;
            }
            Err(errno) => return Err(fail(errno)),
        }
        self.sync_folder()
    }

    /// Puts the file in the place of the one that was read, with its mode, owner and attributes, if that is
    /// still there and unchanged, else [`RootError::Changed`]. `go_on` is asked at the last moment. Returns
    /// whether the owner could be kept.
    pub fn replace(mut self, held: &Held, go_on: impl FnOnce() -> bool) -> Result<bool, RootError> {
        let fail = |errno| RootError::from_errno(self.path.as_path(), errno);
        let kept = keep_attributes(&held.file, &self.file).map_err(fail)?;
        self.flush(go_on)?;
        match self.rename(RenameFlags::EXCHANGE) {
            Ok(()) => {
                if !self.is_held(&self.name, held) {
                    // What stood there is put back; ours is removed when this is dropped.
                    self.rename(RenameFlags::EXCHANGE).map_err(|errno| {
                        self.named = true;
                        RootError::from_errno(self.path.as_path(), errno)
                    })?;
                    return Err(RootError::changed(self.path.as_path()));
                }
            }
            Err(errno) if is_unsupported(errno) => {
                if !self.is_held(&self.target, held) {
                    return Err(RootError::changed(self.path.as_path()));
                }
                self.rename(RenameFlags::empty())
                    .map_err(|errno| RootError::from_errno(self.path.as_path(), errno))?;
                self.named = true;
            }
            Err(Errno::NOENT) => return Err(RootError::changed(self.path.as_path())),
            Err(errno) => return Err(RootError::from_errno(self.path.as_path(), errno)),
        }
        self.sync_folder()?;
        Ok(kept)
    }

    fn flush(&self, go_on: impl FnOnce() -> bool) -> Result<(), RootError> {
        let fail = |error| RootError::from_io(self.path.as_path(), error);
        self.file.sync_all().map_err(fail)?;
        if go_on() { Ok(()) } else { Err(fail(io::ErrorKind::Interrupted.into())) }
    }

    fn rename(&self, flags: RenameFlags) -> Result<(), Errno> {
        rustix::fs::renameat_with(&self.folder, &self.name, &self.folder, &self.target, flags)
    }

    /// Whether a name in the folder is the file that was read, with the bytes that were read.
    fn is_held(&self, name: &OsStr, held: &Held) -> bool {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(&self.folder, name, flags, Mode::empty()) else { return false };
        let same = rustix::fs::fstat(&file).is_ok_and(|stat| Identity::of(&stat) == held.identity);
        same && holds(File::from(file), &held.bytes).unwrap_or(false)
    }

    /// Makes the new name last.
    fn sync_folder(&self) -> Result<(), RootError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // A folder that may be written but not read cannot be flushed; the system does it in its own time.
        let Ok(folder) = rustix::fs::openat(&self.folder, ".", flags, Mode::empty()) else { return Ok(()) };
        match rustix::fs::fsync(&folder) {
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(errno) => Err(RootError::from_errno(self.path.as_path(), errno)),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.named {
            // What cannot be removed stays as a file whose name tells what it is.
            let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// File systems without the flags of renameat2 say so in different ways.
const fn is_unsupported(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// Whether a file holds exactly these bytes.
fn holds(mut file: File, bytes: &[u8]) -> io::Result<bool> {
    let mut left = bytes;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        let read = buffer.get(..count).unwrap_or_default();
        if count == 0 {
            return Ok(left.is_empty());
        }
        match left.strip_prefix(read) {
            Some(rest) => left = rest,
            None => return Ok(false),
        }
    }
}

/// Gives a file the mode, the owner and the extended attributes of another. Returns whether the owner was kept:
/// only root may give files away.
fn keep_attributes(from: &File, to: &File) -> Result<bool, Errno> {
    let stat = rustix::fs::fstat(from)?;
    let own = rustix::fs::fstat(to)?;
    let mut kept = true;
    if (stat.st_uid, stat.st_gid) != (own.st_uid, own.st_gid) {
        let (uid, gid) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
        if rustix::fs::fchown(to, Some(uid), Some(gid)).is_err() {
            kept = false;
            // A group that the process is in can be kept.
            let _ = rustix::fs::fchown(to, None, Some(gid));
        }
    }
    copy_extended(from, to);
    // After the owner, since changing it clears bits; without the bits that lend rights.
    let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
    rustix::fs::fchmod(to, mode)?;
    Ok(kept)
}

/// Copies access lists, labels and attributes as far as the system allows.
fn copy_extended(from: &File, to: &File) {
    let mut names = vec![0_u8; MAX_ATTRIBUTE];
    let Ok(length) = rustix::fs::flistxattr(from, &mut names[..]) else { return };
    let mut value = vec![0_u8; MAX_ATTRIBUTE];
    for name in
        names.get(..length).unwrap_or_default().split(|byte| *byte == 0).filter(|name| !name.is_empty())
    {
        if let Ok(length) = rustix::fs::fgetxattr(from, name, &mut value[..])
            && let Some(value) = value.get(..length)
        {
            let _ = rustix::fs::fsetxattr(to, name, value, rustix::fs::XattrFlags::empty());
        }
    }
}
