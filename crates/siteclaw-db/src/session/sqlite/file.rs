//! How a site's SQLite file is opened so that nothing is ever written or left beside it.
//!
//! | beside the file | how |
//! |---|---|
//! | rollback mode, no hot journal | read-only under SQLite's own locks |
//! | WAL mode, no `-wal` | immutable: a read-only connection would make `-wal` and `-shm` files |
//! | WAL mode, `-wal` and `-shm` | read-only: the files are there, and live changes are seen |
//! | WAL mode, `-wal` alone | a private copy of both files: the site's own open would have to make a `-shm` |
//! | a journal that must be rolled back | a private copy of both files, rolled back there |
//! | the system does not show what is open | a private copy, as what SQLite opened could not be seen |
//!
//! The mode is told by bytes 18 and 19 of the file's header (file format, "write version" and "read
//! version": 2 for WAL).

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;

use super::descriptors::FileId;
use crate::DbError;
use crate::error::reason_of;
use crate::file::{OpenFile, SqliteFile, open_in};

/// What SQLite looks for beside a database.
pub(super) const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// How to open a file in the state it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Read-only, with SQLite's locks.
    Locked,
    /// Read-only, without locks: sound as long as the file does not change.
    Immutable,
    /// By way of a private copy.
    Copy,
}

/// What a file and its companions look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) main: Stamp,
    pub(super) wal: Option<Stamp>,
    journal: Option<Stamp>,
    has_shm: bool,
    pub(super) is_wal_mode: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) len: u64,
    modified: Option<SystemTime>,
    id: FileId,
}

/// A database file, opened once and held as long as a connection may use it.
///
/// SQLite's locks are those of the process: closing any descriptor of the file gives all of them up. So nothing
/// here opens the file a second time, and a second descriptor that came along is held as long as the first.
#[derive(Debug)]
pub(super) struct Pinned {
    held: Arc<Held>,
    folder: OwnedFd,
    name: OsString,
    /// The real path, for SQLite.
    pub(super) path: PathBuf,
    /// The path as it is configured, for messages.
    shown: PathBuf,
    pub(super) id: FileId,
}

#[derive(Debug)]
struct Held {
    file: File,
    others: Mutex<Vec<File>>,
}

impl Pinned {
    /// Opens the file by whoever may decide. `earlier` is the last one, if it is still held.
    pub(super) fn open(file: &SqliteFile, earlier: Option<&Self>) -> Result<Arc<Self>, DbError> {
        let shown = file.path().to_owned();
        let OpenFile { file, folder, path } = file.open().map_err(|error| unreadable(&shown, &error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&shown, &error))?;
        let id = FileId::of(&metadata);
        let held = match earlier {
            Some(earlier) if earlier.id == id => {
                earlier.held.others.lock().unwrap_or_else(PoisonError::into_inner).push(file);
                Arc::clone(&earlier.held)
            }
            _ => Arc::new(Held { file, others: Mutex::default() }),
        };
        let name = path.file_name().unwrap_or_default().to_owned();
        if !metadata.is_file() {
            return Err(DbError::NotADatabase { path: shown });
        }
        let pinned = Self { held, folder, name, path, shown, id };
        if pinned.look("")?.is_none_or(|found| found.id != id) {
            return Err(DbError::Busy { what: "its file is being replaced", source: None });
        }
        Ok(Arc::new(pinned))
    }

    /// Whether the configured path and the name in the folder still lead to this file.
    pub(super) fn is_current(&self) -> bool {
        let here = self.look("").is_ok_and(|found| found.is_some_and(|stamp| stamp.id == self.id));
        here && fs::metadata(&self.shown).is_ok_and(|metadata| FileId::of(&metadata) == self.id)
    }

    /// What the file and its companions look like now.
    pub(super) fn state(&self) -> Result<FileState, DbError> {
        let failed = |error: io::Error| unreadable(&self.shown, &error);
        let main = self.held.file.metadata().map_err(failed)?;
        let mut header = [0_u8; 20];
        let read = self.held.file.read_at(&mut header, 0).map_err(failed)?;
        if read > 0 && !header.starts_with(b"SQLite format 3\0") {
            return Err(DbError::NotADatabase { path: self.shown.clone() });
        }
        let [wal, shm, journal] = COMPANIONS.map(|suffix| self.look(suffix));
        Ok(FileState {
            main: Stamp::of(&main),
            wal: wal?,
            journal: journal?,
            has_shm: shm?.is_some(),
            is_wal_mode: header.get(19) == Some(&2),
        })
    }

    /// The file and those of its companions that are there.
    pub(super) fn ids(&self) -> Vec<FileId> {
        let beside = COMPANIONS.iter().filter_map(|suffix| self.look(suffix).ok().flatten());
        beside.map(|stamp| stamp.id).chain([self.id]).collect()
    }

    /// Opens a companion, if it is there. SQLite has no locks on `-wal` and `-journal`, so they may be closed.
    pub(super) fn companion(&self, suffix: &str) -> Result<Option<File>, DbError> {
        match self.look(suffix)? {
            None => Ok(None),
            Some(_) => match open_in(&self.folder, &self.beside(suffix)) {
                Ok(file) => Ok(Some(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(unreadable(&self.path_beside(suffix), &error)),
            },
        }
    }

    /// Reads from the file, wherever its own position stands.
    pub(super) fn reader(&self) -> impl io::Read {
        Reader { file: &self.held.file, at: 0 }
    }

    /// Whether a path is that of a companion by its name alone.
    pub(super) fn is_named_like_companion(&self, path: &Path) -> bool {
        COMPANIONS.iter().any(|suffix| path.file_name() == Some(&self.beside(suffix)))
    }

    pub(super) fn unreadable(&self, reason: impl Into<String>) -> DbError {
        DbError::FileUnreadable { path: self.shown.clone(), reason: reason.into() }
    }

    pub(super) fn failed(&self, error: &io::Error) -> DbError {
        unreadable(&self.shown, error)
    }

    /// What stands in the folder under the file's name and this suffix. SQLite opens companions by name: a link
    /// would bring in another database's rows, a FIFO would hang.
    fn look(&self, suffix: &str) -> Result<Option<Stamp>, DbError> {
        let stat = match rustix::fs::statat(&self.folder, self.beside(suffix), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(unreadable(&self.path_beside(suffix), &errno.into())),
        };
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            return Ok(Some(Stamp::from_stat(&stat)));
        }
        let reason = "it is a link or no regular file, and SQLite would follow it".to_owned();
        Err(DbError::FileUnreadable { path: self.path_beside(suffix), reason })
    }

    fn beside(&self, suffix: &str) -> OsString {
        beside(&self.name, suffix)
    }

    fn path_beside(&self, suffix: &str) -> PathBuf {
        PathBuf::from(beside(self.shown.as_os_str(), suffix))
    }
}

struct Reader<'a> {
    file: &'a File,
    at: u64,
}

impl io::Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl FileState {
    pub(super) fn mode(&self) -> Mode {
        match (self.is_wal_mode, &self.wal) {
            (false, _) => Mode::Locked,
            (true, None) => Mode::Immutable,
            (true, Some(_)) if self.has_shm => Mode::Locked,
            (true, Some(_)) => Mode::Copy,
        }
    }

    /// Whether a connection that was opened in this state may be used in the other.
    pub(super) fn allows(&self, now: &Self, opened: Mode) -> bool {
        match opened {
            // SQLite itself sees every change; only another file or another way to open it matters.
            Mode::Locked => self.main.id == now.main.id && now.mode() == Mode::Locked,
            Mode::Immutable | Mode::Copy => self == now,
        }
    }

    pub(super) fn same_content(&self, now: &Self) -> bool {
        self.main == now.main
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { len: metadata.len(), modified: metadata.modified().ok(), id: FileId::of(metadata) }
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the types of these fields differ between systems"
    )]
    fn from_stat(stat: &Stat) -> Self {
        let seconds = u64::try_from(stat.st_mtime).ok().map(Duration::from_secs);
        let nanoseconds = u64::try_from(stat.st_mtime_nsec).map(Duration::from_nanos).unwrap_or_default();
        Self {
            len: u64::try_from(stat.st_size).unwrap_or(0),
            modified: seconds.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since + nanoseconds)),
            id: FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
        }
    }
}

pub(super) fn beside(name: &OsStr, suffix: &str) -> OsString {
    let mut name = name.to_owned();
    name.push(suffix);
    name
}

fn unreadable(path: &Path, error: &io::Error) -> DbError {
    if error.kind() == io::ErrorKind::NotFound {
        DbError::FileMissing { path: path.to_owned() }
    } else {
        DbError::FileUnreadable { path: path.to_owned(), reason: reason_of(error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(path: &Path) -> Result<FileState, DbError> {
        Pinned::open(&SqliteFile::at(path), None)?.state()
    }

    fn file(folder: &Path, wal_mode: bool) -> PathBuf {
        let mut header = b"SQLite format 3\0\x10\x00".to_vec();
        header.extend([1 + u8::from(wal_mode); 2]);
        header.resize(100, 0);
        let path = folder.join("site.sqlite");
        fs::write(&path, header).unwrap();
        path
    }

    #[test]
    fn the_companions_decide_how_a_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| state(path).unwrap().mode();
        let path = file(folder.path(), false);
        assert_eq!(mode(&path), Mode::Locked);
        let path = file(folder.path(), true);
        assert_eq!(mode(&path), Mode::Immutable);
        fs::write(beside(path.as_os_str(), "-wal"), "").unwrap();
        assert_eq!(mode(&path), Mode::Copy);
        fs::write(beside(path.as_os_str(), "-shm"), "").unwrap();
        assert_eq!(mode(&path), Mode::Locked);
    }

    #[test]
    fn a_changed_file_ends_an_immutable_connection() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), true);
        let before = state(&path).unwrap();
        assert!(before.allows(&state(&path).unwrap(), Mode::Immutable));
        fs::write(beside(path.as_os_str(), "-wal"), "x").unwrap();
        let after = state(&path).unwrap();
        assert!(!before.allows(&after, Mode::Immutable));
        assert!(before.same_content(&after));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_companion_is_refused() {
        for suffix in ["-wal", "-shm", "-journal"] {
            let folder = tempfile::tempdir().unwrap();
            let path = file(folder.path(), true);
            let other = folder.path().join("other");
            fs::write(&other, "rows of another database").unwrap();
            std::os::unix::fs::symlink(&other, beside(path.as_os_str(), suffix)).unwrap();
            let error = state(&path).err().unwrap().to_string();
            assert!(error.contains(suffix), "{error}");
        }
    }

    #[test]
    fn what_is_no_database_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        fs::write(&path, "<html></html>").unwrap();
        assert!(matches!(state(&path), Err(DbError::NotADatabase { .. })));
        assert!(matches!(state(folder.path()), Err(DbError::NotADatabase { .. })));
        assert!(matches!(state(&folder.path().join("none")), Err(DbError::FileMissing { .. })));
    }
}
