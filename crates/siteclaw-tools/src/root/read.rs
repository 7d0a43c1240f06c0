//! Reading files: bounded, regular files only.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::hidden::Identity;
use super::resolve::look;
use super::{Kind, Metadata, RelPath, Root, RootError};

/// `NONBLOCK` because opening a FIFO would wait for a writer, `NOCTTY` because opening a terminal would
/// adopt it. Neither changes anything for a regular file.
pub(super) const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// What was read, at most as many bytes as were asked for.
    pub data: Vec<u8>,
    /// Length of the whole file when it was opened, in bytes.
    pub size: u64,
    /// Whether the file holds more than `data`.
    pub cut: bool,
}

impl Root {
    /// Opens a regular file for reading. Anything else is [`RootError::NotAFile`], without waiting and,
    /// unless it is swapped in at that moment, without being opened.
    pub fn open_file(&self, path: &RelPath) -> Result<File, RootError> {
        self.following(path, |path| self.open_file_here(path))
    }

    fn open_file_here(&self, path: &RelPath) -> Result<File, RootError> {
        let fail = |errno| self.explain(path, errno);
        let (folder, name) = self.open_parent(path)?;
        match look(&folder, name).map_err(fail)?.0 {
            FileType::RegularFile => {}
            FileType::Symlink => return Err(fail(Errno::LOOP)),
            _ => return Err(RootError::not_a_file(path.as_path())),
        }
        let file = File::from(rustix::fs::openat(&folder, name, FILE, Mode::empty()).map_err(fail)?);
        self.admit(path.as_path(), &file)?;
        Ok(file)
    }

    /// Judges the file by its handle: what was opened, not what was looked at before. Gives its length.
    pub(super) fn admit(&self, path: &Path, file: &File) -> Result<u64, RootError> {
        let stat = rustix::fs::fstat(file).map_err(|errno| RootError::from_errno(path, errno))?;
        let identity = Identity::of(&stat);
        if self.0.hidden.is(identity) {
            return Err(RootError::from_errno(path, Errno::ACCESS));
        }
        // On the folder's own file system there are no pseudo-files: what is asked once need not be asked again.
        let near = identity.same_device(self.0.identity) && !self.0.pseudo;
        let pseudo = || is_pseudo(file).map_err(|errno| RootError::from_errno(path, errno));
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || (!near && pseudo()?) {
            return Err(RootError::not_a_file(path));
        }
        let roots_own = stat.st_uid == 0 && stat.st_mode & 0o044 == 0;
        if self.0.refuse_private_of_root && roots_own {
            return Err(RootError::from_errno(path, Errno::ACCESS));
        }
        let foreign = stat.st_nlink > 1 && stat.st_uid != self.0.owner;
        if foreign && stat.st_mode & 0o004 == 0 {
            return Err(RootError::foreign_hard_link(path));
        }
        Ok(u64::try_from(stat.st_size).unwrap_or(0))
    }

    /// Reads the first `max_bytes` of a file. Memory use is bounded by `max_bytes`, whatever the file's
    /// length and however it grows meanwhile.
    pub fn read(&self, path: &RelPath, max_bytes: usize) -> Result<Bytes, RootError> {
        self.read_part(path, max_bytes, false)
    }

    /// Reads the last `max_bytes` of a file, as it was when it was opened. The first line of the data is
    /// incomplete when `cut` is set.
    pub fn read_tail(&self, path: &RelPath, max_bytes: usize) -> Result<Bytes, RootError> {
        self.read_part(path, max_bytes, true)
    }

    fn read_part(&self, path: &RelPath, max_bytes: usize, tail: bool) -> Result<Bytes, RootError> {
        let fail = |error| RootError::from_io(path.as_path(), error);
        let mut file = self.open_file(path)?;
        let size = file.metadata().map_err(fail)?.len();
        let bound = u64::try_from(max_bytes).unwrap_or(u64::MAX);
        let before = if tail { size.saturating_sub(bound) } else { 0 };
        file.seek(SeekFrom::Start(before)).map_err(fail)?;
        let mut data = Vec::with_capacity(max_bytes.min(usize::try_from(size).unwrap_or(max_bytes)));
        (&mut file).take(bound).read_to_end(&mut data).map_err(fail)?;
        let more = !tail && data.len() == max_bytes && file.read(&mut [0]).map_err(fail)? > 0;
        Ok(Bytes { data, size, cut: before > 0 || more })
    }

    /// What a path is, without opening it. A link is [`RootError::Link`] unless the options follow it.
    pub fn metadata(&self, path: &RelPath) -> Result<Metadata, RootError> {
        self.following(path, |path| {
            let fail = |errno| self.explain(path, errno);
            let stat = if path.is_root() {
                rustix::fs::fstat(self.handle()).map_err(fail)?
            } else {
                let (folder, name) = self.open_parent(path)?;
                look(&folder, name).map_err(fail)?.1
            };
            if self.0.hidden.is(Identity::of(&stat)) {
                return Err(fail(Errno::ACCESS));
            }
            let metadata = Metadata::from_stat(&stat);
            if metadata.kind == Kind::Link { Err(fail(Errno::LOOP)) } else { Ok(metadata) }
        })
    }

    /// Whether there is something at `path` that [`Root::metadata`] tells of. What is refused or cannot
    /// be looked at counts as absent.
    pub fn exists(&self, path: &RelPath) -> bool {
        self.metadata(path).is_ok()
    }
}

impl Metadata {
    pub(super) fn from_stat(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        let seconds = u64::try_from(stat.st_mtime).ok().map(Duration::from_secs);
        let modified = seconds.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
        Self { kind, size: u64::try_from(stat.st_size).unwrap_or(0), modified }
    }
}

/// Whether the file lives in `/proc` or `/sys`: regular by its type, but a window into the machine.
#[cfg(target_os = "linux")]
pub(super) fn is_pseudo(file: impl AsFd) -> Result<bool, Errno> {
    const PROC: u64 = 0x9fa0;
    const SYS: u64 = 0x6265_6572;
    let kind = rustix::fs::fstatfs(file)?.f_type;
    Ok(u64::try_from(kind).is_ok_and(|kind| kind == PROC || kind == SYS))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_pseudo(_file: impl AsFd) -> Result<bool, Errno> {
    Ok(false)
}
