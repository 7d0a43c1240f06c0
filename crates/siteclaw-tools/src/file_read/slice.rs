//! The piece of a file that a page is made from, decoded, with what stands around it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use siteclaw_core::{Stop, ToolError, code};

use super::{BINARY_FILE, HASHED_BYTES, Start};
use crate::roots::{Located, READ_FAILED};
use crate::seen::content_hash;
use crate::text::{Charset, Decoded, SNIFFED_BYTES, skip_lines, sniff};

/// Bytes before and behind a page that are masked with it: longer than any private key.
const AROUND: u64 = 16 * 1024;
/// First bytes of a long file by which its encoding is told.
const HEAD: usize = 8 * SNIFFED_BYTES;

/// A file opened for one page.
pub(super) struct Source {
    bytes: Bytes,
    charset: Charset,
    mark: u64,
    pub(super) size: u64,
    pub(super) hash: Option<String>,
}

/// A short file whole, a long one by its handle.
enum Bytes {
    Whole(io::Cursor<Vec<u8>>),
    Long(File),
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Whole(bytes) => bytes.read(buffer),
            Self::Long(file) => file.read(buffer),
        }
    }
}

impl Seek for Bytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Whole(bytes) => bytes.seek(to),
            Self::Long(file) => file.seek(to),
        }
    }
}

/// What a page is cut from.
pub(super) struct Slice {
    /// What stands before the page.
    pub(super) before: String,
    /// The page and what stands behind it.
    pub(super) text: Decoded,
    /// The byte of the file at which `text` begins.
    pub(super) start: u64,
    /// The byte up to which `text` is page; what follows is there for masking only.
    pub(super) limit: u64,
    /// Whether `limit` is the end of the file.
    pub(super) ends: bool,
}

impl Source {
    /// Looks at the beginning of a file, or at all of a short one.
    pub(super) fn open(mut file: File, located: &Located) -> Result<Self, ToolError> {
        let failed = |error| read_failed(located, error);
        let mut size = file.metadata().map_err(failed)?.len();
        let mut head = Vec::new();
        (&mut file).take(HASHED_BYTES + 1).read_to_end(&mut head).map_err(failed)?;
        let short = head.len() as u64 <= HASHED_BYTES;
        let sniffed =
            if short { sniff(&head, true) } else { sniff(head.get(..HEAD).unwrap_or(&head), false) };
        let Some(sniffed) = sniffed else {
            return Err(
                ToolError::new(BINARY_FILE, format!("{located} is no text.")).with("size_bytes", size)
            );
        };
        let hash = short.then(|| content_hash(&head));
        let bytes = if short {
            size = head.len() as u64;
            Bytes::Whole(io::Cursor::new(head))
        } else {
            Bytes::Long(file)
        };
        Ok(Self { bytes, charset: sniffed.charset, mark: sniffed.mark as u64, size, hash })
    }

    pub(super) fn charset(&self) -> Charset {
        self.charset
    }

    /// The whole text of a short file.
    pub(super) fn whole(&self) -> Option<String> {
        let Bytes::Whole(bytes) = &self.bytes else { return None };
        let mark = usize::try_from(self.mark).unwrap_or(0);
        Some(self.charset.decode(bytes.get_ref().get(mark..).unwrap_or_default()).text)
    }

    /// Reads at most `most` bytes of page from a start, and what stands around them. `None` for a start
    /// behind the end.
    pub(super) fn slice(
        &mut self,
        start: Start,
        most: u64,
        located: &Located,
        stop: &Stop,
    ) -> Result<Option<Slice>, ToolError> {
        let failed = |error: io::Error| {
            if error.kind() == io::ErrorKind::Interrupted {
                ToolError::new(code::CANCELLED, "The call was stopped while the file was read.")
            } else {
                read_failed(located, error)
            }
        };
        let Some(at) = self.place(start, stop).map_err(failed)? else { return Ok(None) };
        let unit = self.charset.unit() as u64;
        let before = (at - self.mark).min(AROUND) / unit * unit;
        self.bytes.seek(SeekFrom::Start(at - before)).map_err(failed)?;
        let mut raw = Vec::new();
        (&mut self.bytes).take(before + most + AROUND).read_to_end(&mut raw).map_err(failed)?;
        let split = usize::try_from(before).unwrap_or(usize::MAX).min(raw.len());
        let (head, tail) = raw.split_at(split);
        let ends = (tail.len() as u64) <= most;
        let tail = if tail.len() as u64 == most + AROUND { self.without_torn_end(tail) } else { tail };
        Ok(Some(Slice {
            before: self.charset.decode(self.without_torn_start(head)).text,
            text: self.charset.decode(tail),
            start: at,
            limit: at + most.min(tail.len() as u64),
            ends,
        }))
    }

    /// The byte at which a start is.
    fn place(&mut self, start: Start, stop: &Stop) -> io::Result<Option<u64>> {
        let at = match start {
            Start::Line(line) => {
                let wanted = line.saturating_sub(1);
                self.bytes.seek(SeekFrom::Start(self.mark))?;
                let skipped = skip_lines(&mut self.bytes, self.charset, wanted, || stop.is_set())?;
                if skipped.lines < wanted {
                    return Ok(None);
                }
                self.mark + skipped.bytes
            }
            Start::Byte(byte) => self.aligned(byte.max(self.mark))?,
        };
        Ok(Some(at))
    }

    /// The start of the character that a byte belongs to.
    fn aligned(&mut self, byte: u64) -> io::Result<u64> {
        match self.charset {
            Charset::Windows1252 => Ok(byte),
            Charset::Utf16Le | Charset::Utf16Be => Ok(byte - (byte - self.mark) % 2),
            Charset::Utf8 | Charset::Utf8Bom => {
                let from = byte.saturating_sub(3).max(self.mark);
                self.bytes.seek(SeekFrom::Start(from))?;
                let mut near = Vec::new();
                (&mut self.bytes).take(byte - from + 1).read_to_end(&mut near)?;
                let continues = |byte: &&u8| **byte & 0xC0 == 0x80;
                let back = near.iter().rev().take_while(continues).count() as u64;
                // Four bytes that all continue are no character, and stay where they are.
                let here = near.len() as u64 == byte - from + 1;
                Ok(if here && back <= byte - from { byte - back } else { byte })
            }
        }
    }

    /// Without the rest of a character whose beginning was not read.
    fn without_torn_start<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        match self.charset {
            Charset::Utf8 | Charset::Utf8Bom => {
                let torn = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
                bytes.get(torn..).unwrap_or_default()
            }
            _ => bytes,
        }
    }

    /// Without the beginning of a character whose rest was not read.
    fn without_torn_end<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        match self.charset {
            Charset::Windows1252 => bytes,
            Charset::Utf16Le | Charset::Utf16Be => {
                bytes.get(..bytes.len() - bytes.len() % 2).unwrap_or(bytes)
            }
            Charset::Utf8 | Charset::Utf8Bom => {
                let near = bytes.get(bytes.len().saturating_sub(3)..).unwrap_or(bytes);
                let torn = near.iter().rposition(|byte| *byte >= 0xC0).map_or(0, |at| near.len() - at);
                let cut = bytes.len() - torn;
                let (kept, last) = bytes.split_at(cut);
                if std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none()) {
                    kept
                } else {
                    bytes
                }
            }
        }
    }
}

pub(super) fn read_failed(located: &Located, error: io::Error) -> ToolError {
    ToolError::new(READ_FAILED, format!("{located} could not be read.")).source(error)
}
