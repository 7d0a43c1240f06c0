//! How a site's SQLite file is opened so that nothing is ever written or left beside it.
//!
//! | beside the file | how |
//! |---|---|
//! | rollback mode, no hot journal | read-only under SQLite's own locks |
//! | WAL mode, no `-wal` | immutable: a read-only connection would make `-wal` and `-shm` files |
//! | WAL mode, `-wal` and `-shm` | read-only: the files are there, and live changes are seen |
//! | WAL mode, `-wal` alone | a private copy of both files: the site's own open would have to make a `-shm` |
//! | a journal that must be rolled back | a private copy of both files, rolled back there |
//!
//! The mode is told by bytes 18 and 19 of the file's header (file format, "write version" and "read
//! version": 2 for WAL).

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tempfile::TempDir;

use crate::DbError;
use crate::error::reason_of;

/// A larger file is not copied; the error says what to do instead.
const MAX_COPY: u64 = 4 * 1024 * 1024 * 1024;
const COPY_ATTEMPTS: usize = 5;

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
    main: Stamp,
    wal: Option<Stamp>,
    journal: Option<Stamp>,
    has_shm: bool,
    pub(super) is_wal_mode: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl FileState {
    pub(super) fn read(path: &Path) -> Result<Self, DbError> {
        let failed = |error: io::Error| unreadable(path, &error);
        let main = fs::metadata(path).map_err(failed)?;
        if !main.is_file() {
            return Err(DbError::NotADatabase { path: path.to_owned() });
        }
        for suffix in ["-wal", "-shm", "-journal"] {
            let beside = beside(path, suffix);
            // SQLite opens these by name: a link would bring in another database's rows, a FIFO would hang.
            if fs::symlink_metadata(&beside).is_ok_and(|found| !found.is_file()) {
                let reason = "it is a link or no regular file, and SQLite would follow it".to_owned();
                return Err(DbError::FileUnreadable { path: beside, reason });
            }
        }
        let mut header = [0_u8; 20];
        let read = File::open(path).and_then(|file| file.take(20).read(&mut header)).map_err(failed)?;
        if read > 0 && !header.starts_with(b"SQLite format 3\0") {
            return Err(DbError::NotADatabase { path: path.to_owned() });
        }
        Ok(Self {
            main: stamp(&main),
            wal: companion(path, "-wal"),
            journal: companion(path, "-journal"),
            has_shm: companion(path, "-shm").is_some(),
            is_wal_mode: header.get(19) == Some(&2),
        })
    }

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
            Mode::Locked => self.main.inode == now.main.inode && now.mode() == Mode::Locked,
            Mode::Immutable | Mode::Copy => self == now,
        }
    }

    pub(super) fn same_content(&self, now: &Self) -> bool {
        self.main == now.main
    }
}

/// A copy of a database in a folder that only this user can enter; gone with the last connection to it.
#[derive(Debug)]
pub(super) struct PrivateCopy {
    folder: TempDir,
    pub(super) of: FileState,
}

impl PrivateCopy {
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("copy.sqlite")
    }

    /// Copies the file with its `-wal` and `-journal`, again if it changed meanwhile.
    pub(super) fn make(path: &Path) -> Result<Arc<Self>, DbError> {
        let failed = |error: io::Error| unreadable(path, &error);
        for _ in 0..COPY_ATTEMPTS {
            let of = FileState::read(path)?;
            if of.main.len > MAX_COPY {
                let reason = "it was not closed cleanly and is too large for a private copy: open and close it once with \
                              the site itself";
                return Err(DbError::FileUnreadable { path: path.to_owned(), reason: reason.to_owned() });
            }
            let folder = TempDir::with_prefix("siteclaw-").map_err(|error| DbError::FileUnreadable {
                path: path.to_owned(),
                reason: format!("no private copy can be made of it, {}", reason_of(&error)),
            })?;
            let copy = Self { folder, of };
            fs::copy(path, copy.path()).map_err(failed)?;
            for suffix in ["-wal", "-journal"] {
                match fs::copy(beside(path, suffix), beside(&copy.path(), suffix)) {
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(failed(error)),
                }
            }
            if FileState::read(path)? == copy.of {
                return Ok(Arc::new(copy));
            }
        }
        Err(DbError::Busy { what: "the site is writing to its database", source: None })
    }
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> DbError {
    if error.kind() == io::ErrorKind::NotFound {
        DbError::FileMissing { path: path.to_owned() }
    } else {
        DbError::FileUnreadable { path: path.to_owned(), reason: reason_of(error) }
    }
}

fn companion(path: &Path, suffix: &str) -> Option<Stamp> {
    fs::metadata(beside(path, suffix)).ok().map(|metadata| stamp(&metadata))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn stamp(metadata: &Metadata) -> Stamp {
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    Stamp { len: metadata.len(), modified: metadata.modified().ok(), inode }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mode = |path: &Path| FileState::read(path).unwrap().mode();
        let path = file(folder.path(), false);
        assert_eq!(mode(&path), Mode::Locked);
        let path = file(folder.path(), true);
        assert_eq!(mode(&path), Mode::Immutable);
        fs::write(beside(&path, "-wal"), "").unwrap();
        assert_eq!(mode(&path), Mode::Copy);
        fs::write(beside(&path, "-shm"), "").unwrap();
        assert_eq!(mode(&path), Mode::Locked);
    }

    #[test]
    fn a_changed_file_ends_an_immutable_connection() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), true);
        let before = FileState::read(&path).unwrap();
        assert!(before.allows(&FileState::read(&path).unwrap(), Mode::Immutable));
        fs::write(beside(&path, "-wal"), "x").unwrap();
        let after = FileState::read(&path).unwrap();
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
            std::os::unix::fs::symlink(&other, beside(&path, suffix)).unwrap();
            let error = FileState::read(&path).err().unwrap().to_string();
            assert!(error.contains(suffix), "{error}");
        }
    }

    #[test]
    fn what_is_no_database_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        fs::write(&path, "<html></html>").unwrap();
        assert!(matches!(FileState::read(&path), Err(DbError::NotADatabase { .. })));
        assert!(matches!(FileState::read(folder.path()), Err(DbError::NotADatabase { .. })));
        assert!(matches!(FileState::read(&folder.path().join("none")), Err(DbError::FileMissing { .. })));
    }
}
