//! Reading a log from its end, as far as is needed and no further than 64 MiB.

use std::io::{Read as _, Seek as _, SeekFrom};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use siteclaw_core::{Stop, ToolError, code};
use siteclaw_tools::root::Root;

use super::entry::{Entry, entries};
use super::sources::{LogFile, Source};
use crate::wordpress::settings::Settings;

/// How much is read at first, and at most.
const FIRST: u64 = 256 * 1024;
const MOST: u64 = 64 * 1024 * 1024;
/// How often the call's end is looked for.
const POLL: usize = 4096;

/// What reading a log gave.
pub(crate) struct Read<T> {
    /// What was made of the entries that were asked for, the newest first.
    pub(crate) found: Vec<T>,
    /// How many there were, also of those that were not kept.
    pub(crate) matched: u64,
    /// Lines of the part that was read.
    pub(crate) lines: u64,
    /// Whether older parts were left unread.
    pub(crate) cut: bool,
}

/// The newest entries that `keep` makes something of; at most `most` of them, all others are only counted.
pub(crate) fn newest_first<T>(
    root: &Root,
    settings: &Settings,
    source: &Source,
    zone: &TimeZone,
    most: Option<usize>,
    stop: &Stop,
    keep: impl Fn(&Entry<'_>) -> Option<T>,
) -> Result<Read<T>, ToolError> {
    let mut size = FIRST;
    loop {
        let read = once(root, settings, source, zone, most, size, stop, &keep)?;
        let enough = most.is_some_and(|most| read.found.len() >= most);
        if enough || !read.cut || size >= MOST {
            return Ok(read);
        }
        size = (size * 16).min(MOST);
    }
}

#[expect(clippy::too_many_arguments, reason = "one step of the function above")]
fn once<T>(
    root: &Root,
    settings: &Settings,
    source: &Source,
    zone: &TimeZone,
    most: Option<usize>,
    budget: u64,
    stop: &Stop,
    keep: &impl Fn(&Entry<'_>) -> Option<T>,
) -> Result<Read<T>, ToolError> {
    let mut found: Vec<(Option<Timestamp>, T)> = Vec::new();
    let mut read = Read { found: Vec::new(), matched: 0, lines: 0, cut: false };
    let mut left = budget;
    for file in &source.files {
        if left == 0 {
            read.cut = true;
            break;
        }
        let (text, cut) = tail(root, settings, file, left)?;
        left = left.saturating_sub(text.len() as u64);
        read.cut |= cut;
        read.lines += text.lines().count() as u64;
        let mut of_file = Vec::new();
        for (number, entry) in entries(&text, zone, !cut).enumerate() {
            if number % POLL == 0 && stop.is_set() {
                return Err(ToolError::new(code::CANCELLED, "The call was stopped while the log was read."));
            }
            of_file.extend(keep(&entry).map(|kept| (entry.at, kept)));
        }
        read.matched += of_file.len() as u64;
        // The last line is the newest, so that entries of one second stay in their order.
        of_file.reverse();
        found.extend(of_file);
        if cut {
            break;
        }
    }
    // Some logs are written the other way round; an entry without a time stays where it is.
    if found.iter().all(|(at, _)| at.is_some()) {
        found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    }
    found.truncate(most.unwrap_or(usize::MAX));
    read.found = found.into_iter().map(|(_, kept)| kept).collect();
    Ok(read)
}

/// The last bytes of a file as text, and whether there were more before them.
fn tail(root: &Root, settings: &Settings, file: &LogFile, most: u64) -> Result<(String, bool), ToolError> {
    let unreadable = |error: String| {
        ToolError::new(
            super::LOG_UNAVAILABLE,
            format!("The log {} cannot be read: {error}", file.path.display()),
        )
    };
    let mut open =
        root.trusted_file(&file.path, &settings.trust).map_err(|error| unreadable(error.to_string()))?;
    let size = open.metadata().map_err(|error| unreadable(error.to_string()))?.len();
    let before = size.saturating_sub(most);
    open.seek(SeekFrom::Start(before)).map_err(|error| unreadable(error.to_string()))?;
    let mut bytes = Vec::new();
    open.take(most).read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), before > 0))
}
