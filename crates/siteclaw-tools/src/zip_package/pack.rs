//! Writing the archive, and reading it back before it gets its name.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};
use siteclaw_core::{Stop, ToolError, code};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::gather::{Gathered, Wanted, too_long};
use super::{ARCHIVE_DAMAGED, Limits};
use crate::root::{Draft, Root};
use crate::roots::{Located, WRITE_FAILED};
use crate::seen::hex;

/// Bytes copied between two looks at the stop signal.
const PIECE: usize = 128 * 1024;

/// Formats that are compressed already: deflating them takes time and gains nothing.
const COMPRESSED: &[&str] = &[
    "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "jpg", "jpeg", "png", "gif", "webp", "avif", "woff",
    "woff2", "mp3", "m4a", "ogg", "mp4", "webm", "mov", "docx", "xlsx", "pptx", "odt", "ods", "jar", "phar",
    "br",
];

/// A whole archive that waits for its name.
pub(super) struct Packed {
    pub(super) files: Vec<Wanted>,
    pub(super) source_bytes: u64,
    pub(super) size: u64,
    pub(super) sha256: String,
}

/// Writes the files into the draft and reads it back. What vanished since the walk is left out and noted.
pub(super) fn pack(
    root: &Root,
    source: &Located,
    gathered: &mut Gathered,
    draft: &mut Draft,
    limits: Limits,
    stop: &Stop,
    mut progress: impl FnMut(usize),
) -> Result<Packed, ToolError> {
    let failed =
        |error: io::Error| ToolError::new(WRITE_FAILED, "The archive could not be written.").source(error);
    let mut zip = ZipWriter::new(BufWriter::with_capacity(PIECE, draft.file().try_clone().map_err(failed)?));
    let mut files: Vec<Wanted> = Vec::with_capacity(gathered.files.len());
    let mut source_bytes = 0_u64;
    for wanted in std::mem::take(&mut gathered.files) {
        let Ok(file) = root.open_file(&wanted.path) else {
            let shown = wanted.name.split_once('/').map_or(wanted.name.as_str(), |(_, rest)| rest);
            gathered.skip(shown, "it could not be opened");
            continue;
        };
        zip.start_file(wanted.name.as_str(), options(&file, &wanted))
            .map_err(|error| failed(error.into()))?;
        let room = limits.bytes - source_bytes;
        let size = match copy(file, &mut zip, room, stop).map_err(failed)? {
            Copied::All(size) => size,
            Copied::TooLong => return Err(too_long(source, limits)),
            Copied::Stopped => return Err(stopped()),
        };
        source_bytes += size;
        files.push(Wanted { size, ..wanted });
        progress(files.len());
    }
    let buffer = zip.finish().map_err(|error| failed(error.into()))?;
    drop(buffer.into_inner().map_err(|error| failed(error.into_error()))?);
    verify(draft.file(), &files, stop)?;
    let (size, sha256) = hash(draft.file(), stop)?;
    Ok(Packed { files, source_bytes, size, sha256 })
}

fn options(file: &File, wanted: &Wanted) -> SimpleFileOptions {
    let extension = wanted.name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let stored = extension.is_some_and(|extension| COMPRESSED.contains(&extension.as_str()));
    let method = if stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
    let metadata = file.metadata().ok();
    let runs = metadata.as_ref().is_some_and(|metadata| metadata.permissions().mode() & 0o100 != 0);
    let modified = metadata.and_then(|metadata| metadata.modified().ok()).and_then(date);
    SimpleFileOptions::default()
        .compression_method(method)
        .unix_permissions(if runs { 0o755 } else { 0o644 })
        .last_modified_time(modified.unwrap_or_default())
        // A file that grows meanwhile must still fit its header.
        .large_file(wanted.size > u64::from(u32::MAX) / 2)
}

/// A moment as archives keep it: UTC, from 1980 on.
fn date(moment: SystemTime) -> Option<DateTime> {
    let utc = TimeZone::UTC.to_datetime(Timestamp::try_from(moment).ok()?);
    let small = |number: i8| u8::try_from(number).ok();
    DateTime::from_date_and_time(
        u16::try_from(utc.year()).ok()?,
        small(utc.month())?,
        small(utc.day())?,
        small(utc.hour())?,
        small(utc.minute())?,
        small(utc.second())?,
    )
    .ok()
}

enum Copied {
    All(u64),
    TooLong,
    Stopped,
}

/// Copies a file to its end, however it changes meanwhile, within the bytes that are left.
fn copy(mut from: File, to: &mut impl Write, room: u64, stop: &Stop) -> io::Result<Copied> {
    let mut buffer = vec![0; PIECE];
    let mut copied = 0_u64;
    loop {
        if stop.is_set() {
            return Ok(Copied::Stopped);
        }
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(Copied::All(copied));
        }
        copied += count as u64;
        if copied > room {
            return Ok(Copied::TooLong);
        }
        to.write_all(buffer.get(..count).unwrap_or_default())?;
    }
}

/// Reads the archive as whoever unpacks it will: the names and sizes must be those that were written, and each
/// checksum must be right.
fn verify(file: &File, files: &[Wanted], stop: &Stop) -> Result<(), ToolError> {
    let damaged = |what: String| {
        ToolError::new(ARCHIVE_DAMAGED, "The archive could not be read back, so it was thrown away.")
            .hint("The disk may be full or at fault.")
            .source(io::Error::other(what))
    };
    let mut reader = BufReader::with_capacity(PIECE, file);
    reader.seek(SeekFrom::Start(0)).map_err(|error| damaged(error.to_string()))?;
    let mut archive = ZipArchive::new(reader).map_err(|error| damaged(error.to_string()))?;
    if archive.len() != files.len() {
        return Err(damaged(format!("{} entries in place of {}", archive.len(), files.len())));
    }
    let mut buffer = vec![0; PIECE];
    for (index, wanted) in files.iter().enumerate() {
        let mut entry = archive.by_index(index).map_err(|error| damaged(error.to_string()))?;
        if entry.name_raw() != wanted.name.as_bytes() {
            return Err(damaged("another name".to_owned()));
        }
        let mut size = 0;
        loop {
            if stop.is_set() {
                return Err(stopped());
            }
            // The checksum is compared at the end of the entry.
            match entry.read(&mut buffer).map_err(|error| damaged(error.to_string()))? {
                0 => break,
                count => size += count as u64,
            }
        }
        if size != wanted.size {
            return Err(damaged(format!("{size} bytes in place of {}", wanted.size)));
        }
    }
    Ok(())
}

fn hash(file: &mut File, stop: &Stop) -> Result<(u64, String), ToolError> {
    let failed =
        |error: io::Error| ToolError::new(WRITE_FAILED, "The archive could not be read back.").source(error);
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; PIECE];
    let mut size = 0;
    loop {
        if stop.is_set() {
            return Err(stopped());
        }
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok((size, hex(&digest.finalize()))),
            count => {
                digest.update(buffer.get(..count).unwrap_or_default());
                size += count as u64;
            }
        }
    }
}

fn stopped() -> ToolError {
    ToolError::new(code::CANCELLED, "The call was stopped; no archive was made.")
}
