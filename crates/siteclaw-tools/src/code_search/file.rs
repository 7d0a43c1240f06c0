//! Searching one file.
//!
//! A file up to some megabytes is read whole into a buffer that is used again; a longer one is read through a window
//! of bounded size. A file with a match is masked before anything of it is shown, and where it holds secrets the
//! masked text is what is searched: otherwise the answers to many patterns would spell a secret out.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};
use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use siteclaw_core::Masker;

use super::gather::Halt;
use super::rows::{Hit, Row, Rows};
use super::skipped::Reason;
use crate::root::Found;
use crate::roots::Located;

/// Files up to this length are read whole.
const WHOLE: u64 = 4 * 1024 * 1024;
/// The longest line of a longer file.
const LONGEST_LINE: usize = 4 * 1024 * 1024;
/// How far into a longer file a zero byte is looked for before anything of it is shown.
const SNIFFED: usize = 64 * 1024;
/// What is masked around a line of a longer file: more than any secret is long.
const AROUND: u64 = 64 * 1024;

/// Searches files, one after the other.
pub(super) struct FileSearch<'a> {
    matcher: RegexMatcher,
    whole: Searcher,
    long: Searcher,
    buffer: Vec<u8>,
    masker: &'a Masker,
    halt: &'a Halt<'a>,
    context: usize,
    max_bytes: u64,
}

/// What is asked of one file.
pub(super) struct Task<'a> {
    /// Where it is; none for a path that is too long. Asked only if there is something to show.
    pub(super) at: &'a dyn Fn() -> Option<Located>,
    /// Lines up to this one were dealt with before.
    pub(super) after_line: u64,
    /// The most rows.
    pub(super) most: usize,
    /// Whether the file is left out if it holds a secret.
    pub(super) only_harmless: bool,
}

impl<'a> FileSearch<'a> {
    pub(super) fn new(
        matcher: RegexMatcher,
        masker: &'a Masker,
        halt: &'a Halt<'a>,
        context: usize,
        max_bytes: u64,
    ) -> Self {
        let mut builder = SearcherBuilder::new();
        builder.line_number(true).bom_sniffing(false).line_terminator(LineTerminator::crlf());
        let whole = builder.build();
        let long = builder.binary_detection(BinaryDetection::quit(0)).heap_limit(Some(LONGEST_LINE)).build();
        Self { matcher, whole, long, buffer: Vec::new(), masker, halt, context, max_bytes }
    }

    /// The rows of a file, or why it is left out.
    pub(super) fn search(&mut self, found: Found, task: &Task<'_>) -> Result<Vec<Row>, Reason> {
        if found.size > self.max_bytes {
            return Err(Reason::TooLarge);
        }
        if found.size > WHOLE {
            return self.search_long(&found.file, task);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let rows =
            read_whole(&found, &mut buffer).map_err(|_| Reason::Unreadable).and_then(|read| match read {
                // It grew past the bound while it was read.
                None => self.search_long(&found.file, task),
                Some(bytes) => self.search_whole(bytes, task),
            });
        self.buffer = buffer;
        rows
    }

    fn search_whole(&mut self, bytes: &[u8], task: &Task<'_>) -> Result<Vec<Row>, Reason> {
        let sixteen = match bytes {
            [0xff, 0xfe, ..] => Some(UTF_16LE),
            [0xfe, 0xff, ..] => Some(UTF_16BE),
            _ => None,
        };
        if let Some(encoding) = sixteen {
            let (text, _) = encoding.decode_with_bom_removal(bytes);
            return self.search_bytes(text.as_bytes(), task);
        }
        if memchr::memchr(0, bytes).is_some() {
            return Err(Reason::Binary);
        }
        self.search_bytes(bytes, task)
    }

    fn search_bytes(&mut self, bytes: &[u8], task: &Task<'_>) -> Result<Vec<Row>, Reason> {
        let hits = self.hits(bytes, task.after_line, task.most)?;
        if hits.is_empty() && !task.only_harmless {
            return Ok(Vec::new());
        }
        let text = readable(bytes);
        let traced = self.masker.trace(&text);
        if task.only_harmless && !traced.spans().is_empty() {
            return Err(Reason::Secret);
        }
        if hits.is_empty() {
            return Ok(Vec::new());
        }
        let at = (task.at)().ok_or(Reason::TooDeep)?;
        if traced.spans().is_empty() && matches!(text, Cow::Borrowed(_)) {
            let rows =
                Rows { at: &at, text: &text, matcher: &self.matcher, context: self.context, searched: true };
            return Ok(hits.into_iter().filter_map(|hit| rows.row(hit)).collect());
        }
        // What is searched is what is shown. A secret of several lines is one in the masked text, so lines are
        // counted in the original.
        let masked = self.hits(traced.text().as_bytes(), 0, usize::MAX)?;
        let rows = Rows {
            at: &at,
            text: traced.text(),
            matcher: &self.matcher,
            context: self.context,
            searched: true,
        };
        let mut counted = (0, 1);
        let numbered = masked.into_iter().map(|hit| {
            let at = traced.original(hit.start..hit.start).map_or(counted.0, |range| range.start);
            let passed = text.as_bytes().get(counted.0..at).unwrap_or_default();
            counted = (at, counted.1 + memchr::memchr_iter(b'\n', passed).count() as u64);
            Hit { line: counted.1, ..hit }
        });
        let wanted = numbered.filter(|hit| hit.line > task.after_line);
        Ok(wanted.filter_map(|hit| rows.row(hit)).take(task.most).collect())
    }

    fn hits(&mut self, bytes: &[u8], after_line: u64, most: usize) -> Result<Vec<Hit>, Reason> {
        let mut collected = Collected { hits: Vec::new(), after_line, most, halt: self.halt, binary: false };
        let searched = self.whole.search_slice(&self.matcher, bytes, &mut collected);
        searched.map_err(|_| Reason::Unreadable)?;
        Ok(collected.hits)
    }

    fn search_long(&mut self, file: &File, task: &Task<'_>) -> Result<Vec<Row>, Reason> {
        if task.only_harmless {
            return Err(Reason::TooLarge);
        }
        let mut start = vec![0; SNIFFED];
        let count = read_at(file, &mut start, 0).map_err(|_| Reason::Unreadable)?;
        if memchr::memchr(0, start.get(..count).unwrap_or_default()).is_some() {
            return Err(Reason::Binary);
        }
        let mut collected = Collected {
            hits: Vec::new(),
            after_line: task.after_line,
            most: task.most,
            halt: self.halt,
            binary: false,
        };
        let reader = Bounded { file, at: 0, end: self.max_bytes, halt: self.halt };
        if let Err(error) = self.long.search_reader(&self.matcher, reader, &mut collected) {
            // Without a second message of its own: the line did not fit the heap limit.
            let long = error.to_string().contains("configured allocation limit");
            return Err(if long { Reason::LongLine } else { Reason::Unreadable });
        }
        if collected.binary {
            return Err(Reason::Binary);
        }
        if collected.hits.is_empty() {
            return Ok(Vec::new());
        }
        let at = (task.at)().ok_or(Reason::TooDeep)?;
        let mut rows = Vec::new();
        for hit in collected.hits {
            if self.halt.is_set() {
                break;
            }
            rows.extend(self.row_in_long(file, &at, hit).map_err(|_| Reason::Unreadable)?);
        }
        Ok(rows)
    }

    /// The row of a line of a long file, masked together with what stands around it.
    fn row_in_long(&self, file: &File, at: &Located, hit: Hit) -> io::Result<Option<Row>> {
        let from = (hit.start as u64).saturating_sub(AROUND);
        let length = hit.end as u64 - from + AROUND;
        let mut bytes =
            vec![0; usize::try_from(length).unwrap_or(usize::MAX).min(LONGEST_LINE + 2 * AROUND as usize)];
        let count = read_at(file, &mut bytes, from)?;
        bytes.truncate(count);
        let start = usize::try_from(hit.start as u64 - from).unwrap_or(usize::MAX).min(count);
        let end = (start + (hit.end - hit.start)).min(count);
        let part = |range: std::ops::Range<usize>| readable(bytes.get(range).unwrap_or_default());
        // Each part is made readable by itself, so that the places of the line stay known.
        let (before, line, after) = (part(0..start), part(start..end), part(end..count));
        let text = [before.as_ref(), line.as_ref(), after.as_ref()].concat();
        let (start, end) = (before.len(), before.len() + line.len());
        let traced = self.masker.trace(&text);
        let masked = |place: usize| {
            let mut shift = 0isize;
            for span in traced.spans() {
                if span.original.end <= place {
                    shift = span.masked.end.cast_signed() - span.original.end.cast_signed();
                } else if span.original.start < place {
                    // Within a secret: the line begins or ends where its placeholder does.
                    return span.masked.end;
                }
            }
            place.saturating_add_signed(shift)
        };
        let rows =
            Rows { at, text: traced.text(), matcher: &self.matcher, context: self.context, searched: false };
        Ok(rows.row(Hit { line: hit.line, start: masked(start), end: masked(end) }))
    }
}

/// Bytes as text: UTF-8, and bytes that are none as the letters that they most likely are.
fn readable(bytes: &[u8]) -> Cow<'_, str> {
    let Err(first) = std::str::from_utf8(bytes) else { return String::from_utf8_lossy(bytes) };
    let mut text = String::with_capacity(bytes.len() + 16);
    let mut rest = bytes;
    let mut error = Some(first);
    while let Some(wrong) = error {
        let (good, bad) = rest.split_at(wrong.valid_up_to());
        text.push_str(std::str::from_utf8(good).unwrap_or_default());
        let length = wrong.error_len().unwrap_or(bad.len());
        let (bad, after) = bad.split_at(length);
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(bad).0);
        rest = after;
        error = std::str::from_utf8(rest).err();
    }
    text.push_str(std::str::from_utf8(rest).unwrap_or_default());
    Cow::Owned(text)
}

/// The bytes of a file; `None` when there are more than are read whole.
fn read_whole<'b>(found: &Found, buffer: &'b mut Vec<u8>) -> io::Result<Option<&'b [u8]>> {
    // One byte more than it has: a read that leaves it free is at the end.
    let room = usize::try_from(found.size).unwrap_or(usize::MAX).saturating_add(1);
    if buffer.len() < room {
        buffer.resize(room.next_power_of_two(), 0);
    }
    let mut length = 0;
    let mut file = &found.file;
    loop {
        let free = buffer.get_mut(length..).unwrap_or_default();
        let asked = free.len();
        let count = match file.read(free) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        length += count;
        // A regular file gives less than was asked for only at its end.
        if count < asked {
            return Ok(buffer.get(..length));
        }
        if length as u64 > WHOLE {
            return Ok(None);
        }
        buffer.resize(buffer.len() * 2, 0);
    }
}

fn read_at(file: &File, bytes: &mut [u8], from: u64) -> io::Result<usize> {
    let mut done = 0;
    while let Some(free) = bytes.get_mut(done..).filter(|free| !free.is_empty()) {
        match file.read_at(free, from + done as u64) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Reads a file from its beginning to a bound, and ends early when the search is halted.
struct Bounded<'a> {
    file: &'a File,
    at: u64,
    end: u64,
    halt: &'a Halt<'a>,
}

impl Read for Bounded<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.halt.is_set() || self.at >= self.end {
            return Ok(0);
        }
        let count = self.file.read_at(bytes, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Takes the lines that match.
struct Collected<'a> {
    hits: Vec<Hit>,
    after_line: u64,
    most: usize,
    halt: &'a Halt<'a>,
    binary: bool,
}

impl Sink for Collected<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let line = found.line_number().unwrap_or(0);
        if line > self.after_line {
            let start = usize::try_from(found.absolute_byte_offset()).map_err(io::Error::other)?;
            self.hits.push(Hit { line, start, end: start + found.bytes().len() });
        }
        Ok(self.hits.len() < self.most && !self.halt.is_set())
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}
