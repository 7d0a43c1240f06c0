//! What of a folder goes into an archive, decided before anything is written.
//!
//! The walk is sorted, bounded in files, bytes and depth, and follows no link. What is left out is kept with
//! its reason.

use std::io::Read;

use schemars::JsonSchema;
use serde::Serialize;
use siteclaw_core::{Masker, Stop, ToolError, code, sanitise_fragment};

use super::{ARCHIVE_TOO_LARGE, FOLDER, Limits};
use crate::classify::{PathPolicy, Purpose, Reason, Verdict};
use crate::root::{Kind, RelPath, Root};
use crate::roots::{Located, Place};
use crate::text::sniff;

/// Files of which the name leaves open whether they hold secrets are read up to here.
const MAX_LOOKED_INTO: u64 = 1024 * 1024;
/// Files left out that are named; the others are counted.
pub(super) const MAX_NAMED: usize = 200;

/// A file that is left out.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Skipped {
    /// The file or folder, relative to the folder that is packed.
    pub path: String,
    /// Why.
    pub reason: &'static str,
}

/// A file that goes in.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Beneath the root.
    pub(super) path: RelPath,
    /// In the archive, with the archive's own folder before it.
    pub(super) name: String,
    /// Bytes, as they were listed.
    pub(super) size: u64,
}

/// What the walk found.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered {
    pub(super) files: Vec<Wanted>,
    pub(super) bytes: u64,
    pub(super) skipped: Vec<Skipped>,
    pub(super) skipped_in_all: u64,
}

impl Gathered {
    pub(super) fn skip(&mut self, path: &str, reason: &'static str) {
        self.skipped_in_all += 1;
        if self.skipped.len() < MAX_NAMED {
            self.skipped.push(Skipped { path: sanitise_fragment(path, 200), reason });
        }
    }
}

/// Walks the folder.
pub(super) fn gather(
    root: &Root,
    source: &Located,
    output_name: &str,
    limits: Limits,
    policy: &PathPolicy,
    masker: &Masker,
    stop: &Stop,
) -> Result<Gathered, ToolError> {
    let mut gathered = Gathered::default();
    let mut folders = vec![source.path.clone()];
    while let Some(folder) = folders.pop() {
        if stop.is_set() {
            return Err(ToolError::new(code::CANCELLED, "The call was stopped while the folder was walked."));
        }
        let listing = match root.list(&folder, limits.files + 1) {
            Ok(listing) => listing,
            Err(error) if folder == source.path => return Err(source.error(error)),
            Err(_) => {
                gathered.skip(&below(source, &folder), "it cannot be listed");
                continue;
            }
        };
        if listing.left_out > 0 {
            return Err(too_many(source, limits));
        }
        let mut deeper = Vec::new();
        for entry in listing {
            let Ok(path) = folder.join(&entry.name) else {
                gathered
                    .skip(&entry.name.to_string_lossy(), "its name or path is not one that can be packed");
                continue;
            };
            let shown = below(source, &path);
            match entry.kind {
                Kind::Link => gathered.skip(&shown, "it is a link"),
                Kind::Other => gathered.skip(&shown, "it is no regular file"),
                Kind::Folder => match folder_reason(source, &path, limits, policy) {
                    Some(reason) => gathered.skip(&shown, reason),
                    None => deeper.push(path),
                },
                Kind::File => match file_reason(root, &path, policy, masker) {
                    Some(reason) => gathered.skip(&shown, reason),
                    None => {
                        gathered.bytes = gathered.bytes.saturating_add(entry.size);
                        let name = format!("{output_name}/{shown}");
                        gathered.files.push(Wanted { path, name, size: entry.size });
                    }
                },
            }
            if gathered.files.len() > limits.files {
                return Err(too_many(source, limits));
            }
            if gathered.bytes > limits.bytes {
                return Err(too_long(source, limits));
            }
        }
        folders.extend(deeper.into_iter().rev());
    }
    Ok(gathered)
}

/// The path as seen from the folder that is packed.
fn below(source: &Located, path: &RelPath) -> String {
    let below = path.as_path().strip_prefix(source.path.as_path()).unwrap_or(path.as_path());
    below.to_string_lossy().into_owned()
}

fn folder_reason(
    source: &Located,
    path: &RelPath,
    limits: Limits,
    policy: &PathPolicy,
) -> Option<&'static str> {
    let is_own = source.place == Place::Workspace && path.as_path().as_os_str() == FOLDER;
    if is_own {
        return Some("it holds the archives themselves");
    }
    if path.components().count() > source.path.components().count() + limits.depth {
        return Some("it lies too deep");
    }
    match policy.judge_folder(Purpose::Archive, path) {
        Verdict::Refused(Reason::SecurityFolder) => Some("folders of this name hold keys or a repository"),
        Verdict::Refused(_) => Some("it is not packed"),
        _ => None,
    }
}

fn file_reason(root: &Root, path: &RelPath, policy: &PathPolicy, masker: &Masker) -> Option<&'static str> {
    let name = path.name()?;
    // A backslash would be a separator to whoever unpacks it elsewhere.
    if name.to_str().is_none_or(|name| name.contains(['\\', ':'])) {
        return Some("its name is not one that can be packed");
    }
    if Root::is_draft(name) {
        return Some("it is an unfinished file");
    }
    match policy.judge(Purpose::Archive, path) {
        Verdict::Allowed => None,
        Verdict::Refused(_) => Some("files of this name hold credentials or keys"),
        Verdict::IfHarmless if is_harmless(root, path, masker) => None,
        Verdict::IfHarmless => Some("it holds credentials"),
    }
}

/// Whether a file holds no secret; one that cannot be told counts as holding one.
fn is_harmless(root: &Root, path: &RelPath, masker: &Masker) -> bool {
    let Ok(file) = root.open_file(path) else { return false };
    let mut bytes = Vec::new();
    if file.take(MAX_LOOKED_INTO + 1).read_to_end(&mut bytes).is_err() || bytes.len() as u64 > MAX_LOOKED_INTO
    {
        return false;
    }
    let Some(sniffed) = sniff(&bytes, true) else { return false };
    let text = sniffed.charset.decode(bytes.get(sniffed.mark..).unwrap_or_default()).text;
    masker.trace(&text).spans().is_empty()
}

fn too_many(source: &Located, limits: Limits) -> ToolError {
    ToolError::new(
        ARCHIVE_TOO_LARGE,
        format!("{source} holds more than {} files; nothing was packed.", limits.files),
    )
    .hint("Pack a smaller folder.")
}

pub(super) fn too_long(source: &Located, limits: Limits) -> ToolError {
    ToolError::new(
        ARCHIVE_TOO_LARGE,
        format!("{source} holds more than {} bytes; nothing was packed.", limits.bytes),
    )
    .hint("Pack a smaller folder.")
}
