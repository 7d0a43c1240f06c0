//! Private copies, for files that only the site itself could open as they are.
//!
//! A copy is made from the open file and its folder, never by name. It lies in a folder that only this user can
//! enter; where none can be made and the file is small, it is kept in memory.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::file::{FileState, Pinned, beside};
use crate::DbError;
use crate::error::reason_of;

/// A larger file is not copied; the error says what to do instead.
const MAX_COPY: u64 = 4 * 1024 * 1024 * 1024;
/// A larger file is not kept in memory.
const MAX_IMAGE: u64 = 64 * 1024 * 1024;
const ATTEMPTS: usize = 5;
const CHUNK: usize = 256 * 1024;

/// Ends a journal that names another one, the "super-journal" of a transaction over several databases (file
/// format, section 3; `readSuperJournal` in SQLite's `pager.c`).
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

const CLOSE_IT: &str = "open and close it once with the site itself";

/// A copy of a database, gone with the last connection to it.
#[derive(Debug)]
pub(super) struct PrivateCopy {
    content: Content,
    pub(super) of: FileState,
}

#[derive(Debug)]
enum Content {
    Folder(TempDir),
    Memory(Vec<u8>),
}

impl PrivateCopy {
    /// The file of the copy; nothing for one in memory.
    pub(super) fn path(&self) -> Option<PathBuf> {
        match &self.content {
            Content::Folder(folder) => Some(folder.path().join("copy.sqlite")),
            Content::Memory(_) => None,
        }
    }

    /// The whole database, of a copy in memory.
    pub(super) fn image(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Folder(_) => None,
            Content::Memory(image) => Some(image),
        }
    }

    /// Copies the file with what must be applied to it, again if it changed meanwhile.
    pub(super) fn make(of: &Pinned) -> Result<Arc<Self>, DbError> {
        Self::make_in(of, &std::env::temp_dir())
    }

    /// As [`make`](Self::make), with the folder in `place`.
    pub(super) fn make_in(of: &Pinned, place: &Path) -> Result<Arc<Self>, DbError> {
        for _ in 0..ATTEMPTS {
            let state = of.state()?;
            if state.main.len > MAX_COPY {
                let reason = "it was not closed cleanly, or what SQLite opens cannot be seen here, and it is too \
                              large for a private copy";
                return Err(of.unreadable(format!("{reason}: {CLOSE_IT}")));
            }
            let content = match TempDir::with_prefix_in("siteclaw-", place) {
                Ok(folder) => Content::Folder(copied(of, folder)?),
                Err(error) => Content::Memory(image(of, &state, &error)?),
            };
            if of.state()? == state {
                return Ok(Arc::new(Self { content, of: state }));
            }
        }
        Err(DbError::Busy { what: "the site is writing to its database", source: None })
    }
}

fn copied(of: &Pinned, folder: TempDir) -> Result<TempDir, DbError> {
    let failed =
        |error: io::Error| of.unreadable(format!("no private copy can be made of it, {}", reason_of(&error)));
    let main = folder.path().join("copy.sqlite");
    write(of.reader(), &main).map_err(failed)?;
    if let Some(wal) = of.companion("-wal")? {
        write(wal, Path::new(&beside(main.as_os_str(), "-wal"))).map_err(failed)?;
    }
    if let Some(journal) = hot_journal(of)? {
        let copy = PathBuf::from(beside(main.as_os_str(), "-journal"));
        write(journal, &copy).map_err(failed)?;
        // Told by the copy, which nobody can change any more.
        if names_another(&copy).map_err(failed)? {
            let reason = format!("its journal belongs to a transaction over several databases: {CLOSE_IT}");
            return Err(of.unreadable(reason));
        }
    }
    Ok(folder)
}

/// The journal, if it has to be rolled back: one that begins with zeros is done with (`journal_mode = PERSIST`).
fn hot_journal(of: &Pinned) -> Result<Option<File>, DbError> {
    let Some(journal) = of.companion("-journal")? else { return Ok(None) };
    let mut first = [0];
    let read = journal.read_at(&mut first, 0).map_err(|error| of.failed(&error))?;
    Ok((read > 0 && first != [0]).then_some(journal))
}

/// Whether a journal names a super-journal. SQLite would read the file of that name, wherever it is, and delete it
/// as the last leftover of the transaction.
fn names_another(journal: &Path) -> io::Result<bool> {
    let mut journal = File::open(journal)?;
    let len = journal.metadata()?.len();
    journal.seek(SeekFrom::Start(len.saturating_sub(8)))?;
    let mut end = Vec::new();
    journal.read_to_end(&mut end)?;
    Ok(end == JOURNAL_MAGIC)
}

fn write(from: impl Read, to: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let mut out = BufWriter::with_capacity(CHUNK, file);
    io::copy(&mut from.take(MAX_COPY), &mut out)?;
    out.flush()
}

/// The database without a folder to put it in.
fn image(of: &Pinned, state: &FileState, cause: &io::Error) -> Result<Vec<u8>, DbError> {
    let refused = |why: &str| {
        let cause = reason_of(cause);
        of.unreadable(format!("{why}, and there is no folder for temporary files to copy it to ({cause})"))
    };
    if state.wal.is_some_and(|wal| wal.len > 0) || hot_journal(of)?.is_some() {
        return Err(refused("it was not closed cleanly"));
    }
    if state.main.len > MAX_IMAGE {
        return Err(refused("it is too large to be read into memory"));
    }
    let mut image = Vec::new();
    of.reader().take(MAX_IMAGE).read_to_end(&mut image).map_err(|error| of.failed(&error))?;
    // In memory there is no write-ahead log, so the copy says that it has none.
    for version in image.iter_mut().skip(18).take(2) {
        *version = 1;
    }
    Ok(image)
}
