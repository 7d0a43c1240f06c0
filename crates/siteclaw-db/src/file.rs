//! A SQLite file, and who decides what is opened under its name.
//!
//! A name that was checked and is then opened again may have come to lead elsewhere. So a file is opened once,
//! by whoever may decide, and everything else goes by that handle and by the handle of its folder.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};

/// Opens a folder to go on from, without asking for the right to list it.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::RDONLY;

/// `NONBLOCK` because opening a FIFO would wait for a writer, `NOCTTY` because opening a terminal would adopt it.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

type Opener = dyn Fn() -> io::Result<OpenFile> + Send + Sync;

/// A SQLite file of a site. It is never written, and nothing is ever left beside it.
#[derive(Clone)]
pub struct SqliteFile {
    path: PathBuf,
    opener: Arc<Opener>,
}

/// A database file that was opened, and the folder in which SQLite may look for its companions.
#[derive(Debug)]
pub struct OpenFile {
    /// The regular file, open for reading.
    pub file: File,
    /// The folder that it lies in; `O_PATH` is enough.
    pub folder: OwnedFd,
    /// Its path, absolute and without links. Valid UTF-8, because SQLite takes no other.
    pub path: PathBuf,
}

impl SqliteFile {
    /// The file at a path that needs no check, as an operator's own words. Links in it are followed.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let named = path.clone();
        Self { path, opener: Arc::new(move || open(&named)) }
    }

    /// A file that only `open` may open, which is asked anew whenever `path` leads to another file than before.
    /// A file that is not there is [`io::ErrorKind::NotFound`]; the text of any other error is shown.
    pub fn opened_by(
        path: impl Into<PathBuf>,
        open: impl Fn() -> io::Result<OpenFile> + Send + Sync + 'static,
    ) -> Self {
        Self { path: path.into(), opener: Arc::new(open) }
    }

    /// The path as it is configured, for messages and to see whether it still leads to the same file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn open(&self) -> io::Result<OpenFile> {
        (self.opener)()
    }
}

impl fmt::Debug for SqliteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteFile").field("path", &self.path).finish_non_exhaustive()
    }
}

fn open(path: &Path) -> io::Result<OpenFile> {
    let path = path.canonicalize()?;
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    };
    let flags = SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(above, flags, Mode::empty())?;
    let file = File::from(rustix::fs::openat(&folder, name, READ, Mode::empty())?);
    Ok(OpenFile { file, folder, path })
}

/// Opens a name in a folder for reading; a link is refused.
pub(crate) fn open_in(folder: &OwnedFd, name: &std::ffi::OsStr) -> io::Result<File> {
    Ok(File::from(rustix::fs::openat(folder, name, READ, Mode::empty())?))
}
