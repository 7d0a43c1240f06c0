//! Refusals of paths and failures of files as tools answer them.

use siteclaw_core::{Code, ToolError, code, sanitise_fragment};

use super::Place;
use crate::root::RootError;

/// The path is absolute.
pub const PATH_ABSOLUTE: Code = Code::new("PATH_ABSOLUTE");
/// The path leads out of its root.
pub const PATH_TRAVERSAL: Code = Code::new("PATH_TRAVERSAL");
/// The path is a symbolic link or lies behind one.
pub const PATH_SYMLINK: Code = Code::new("PATH_SYMLINK");
/// The path is too long or holds control characters.
pub const PATH_INVALID: Code = Code::new("PATH_INVALID");
/// What the path names is no regular file.
pub const NOT_A_FILE: Code = Code::new("NOT_A_FILE");
/// What the path names is no folder.
pub const NOT_A_FOLDER: Code = Code::new("NOT_A_FOLDER");
/// The file could not be read.
pub const READ_FAILED: Code = Code::new("READ_FAILED");
/// The file could not be written.
pub const WRITE_FAILED: Code = Code::new("WRITE_FAILED");
/// A file of this name exists already.
pub const FILE_EXISTS: Code = Code::new("FILE_EXISTS");
/// The file is no longer what was read.
pub const STALE_FILE: Code = Code::new("STALE_FILE");
/// The file is longer than the tool takes.
pub const FILE_TOO_LARGE: Code = Code::new("FILE_TOO_LARGE");
/// The root is only for reading.
pub const READ_ONLY: Code = Code::new("READ_ONLY");

const ROOTS: &str = "Name files as workspace:/… or site:/…, or relative to them.";

/// A refusal of the text of a path, before any file is looked at.
pub(super) fn of_text(text: &str, error: RootError) -> ToolError {
    let shown = sanitise_fragment(text, 200);
    match error {
        RootError::Outside { .. } if text.trim_start().starts_with(['/', '\\']) || has_drive(text) => {
            ToolError::new(PATH_ABSOLUTE, format!("{shown} is an absolute path, which no tool takes."))
                .hint(ROOTS)
        }
        RootError::Outside { .. } => {
            ToolError::new(PATH_TRAVERSAL, format!("{shown} leads out of its root.")).hint(ROOTS)
        }
        other => ToolError::new(PATH_INVALID, other.to_string()),
    }
}

fn has_drive(text: &str) -> bool {
    matches!(text.trim_start().as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// A failure beneath a root. Messages name the path with its root. `failed` is the code of what the system
/// refused or could not do.
pub(super) fn beneath(place: Place, error: RootError, failed: Code) -> ToolError {
    let code = match &error {
        RootError::Exists { .. } => FILE_EXISTS,
        RootError::Changed { .. } => STALE_FILE,
        RootError::TooLarge { .. } => FILE_TOO_LARGE,
        RootError::NotFound { .. } | RootError::NotADirectory { .. } => code::NOT_FOUND,
        RootError::NotAFile { .. } => NOT_A_FILE,
        RootError::Link { .. } => PATH_SYMLINK,
        RootError::Outside { .. } | RootError::Untrusted { .. } => PATH_TRAVERSAL,
        RootError::TooLong { .. } | RootError::Malformed { .. } => PATH_INVALID,
        RootError::ForeignHardLink { .. } => crate::classify::PATH_BLOCKED,
        RootError::Io { source, .. } if source.kind() == std::io::ErrorKind::Interrupted => code::CANCELLED,
        RootError::PermissionDenied { .. } | RootError::Io { .. } => failed,
    };
    let message = match &error {
        // What the system said is for the operator.
        RootError::Io { path, .. } => {
            let what = if failed == WRITE_FAILED { "written" } else { "read" };
            format!("{}{path} could not be {what}.", place.prefix())
        }
        other => format!("{}{other}", place.prefix()),
    };
    let made = ToolError::new(code, message);
    match error {
        RootError::Io { source, .. } => made.source(source),
        _ => made,
    }
}
