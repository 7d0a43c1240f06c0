//! Why something beneath a folder could not be had.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use siteclaw_core::sanitise_fragment;

/// Characters of a path that a message shows.
const SHOWN: usize = 200;

/// A refusal or failure of a [`Root`](super::Root).
///
/// Messages show the path as it was asked for, made fit to print; the place that a link leads to stays
/// out of them and is had by [`RootError::target`], because only the operator may see it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// Nothing has this name.
    #[error("{path} does not exist.")]
    NotFound {
        /// The path, fit to print.
        path: String,
    },
    /// It is a folder, FIFO, socket, device or pseudo-file.
    #[error("{path} is not a regular file.")]
    NotAFile {
        /// The path, fit to print.
        path: String,
    },
    /// It, or a part of the path before the last, is not a folder.
    #[error("{path} is not a folder, or a part of it is not.")]
    NotADirectory {
        /// The path, fit to print.
        path: String,
    },
    /// A part of the path is a link that is not followed.
    #[error("{path} is a symbolic link or lies behind one, and links to other places are not followed.")]
    Link {
        /// The path, fit to print.
        path: String,
        /// Where the link leads, as an absolute path; unknown when it changed meanwhile.
        target: Option<PathBuf>,
    },
    /// The path is absolute or climbs above the folder.
    #[error("{path} leads out of the folder; name it relative to the folder, without a leading slash.")]
    Outside {
        /// The path, fit to print.
        path: String,
    },
    /// The path is longer than any honest one.
    #[error("{path} is too long: at most 64 parts of 255 bytes each and 4096 bytes in all.")]
    TooLong {
        /// The path, fit to print.
        path: String,
    },
    /// The path holds a NUL or another control character.
    #[error("{path} holds a control character.")]
    Malformed {
        /// The path, fit to print.
        path: String,
    },
    /// The operating system says no.
    #[error("{path} may not be reached by this user.")]
    PermissionDenied {
        /// The path, fit to print.
        path: String,
    },
    /// A file of another owner, not readable by everybody, that has a second name elsewhere: on shared
    /// machines a way to make a program read what its caller may not.
    #[error("{path} is a hard link to a private file of another owner, which is not read.")]
    ForeignHardLink {
        /// The path, fit to print.
        path: String,
    },
    /// A file outside the folder that the user did not trust.
    #[error("{path} lies outside the folder, and no trusted path covers it.")]
    Untrusted {
        /// The file's own name, fit to print.
        path: String,
        /// The real place of the file: the path to trust.
        target: PathBuf,
    },
    /// The name that a new file was to have is taken.
    #[error("{path} exists already.")]
    Exists {
        /// The path, fit to print.
        path: String,
    },
    /// The file is no longer the one that was read, or no longer holds what it held.
    #[error("{path} has changed since it was read.")]
    Changed {
        /// The path, fit to print.
        path: String,
    },
    /// The file is longer than the caller takes.
    #[error("{path} has {size} bytes, more than the {limit} that are taken.")]
    TooLarge {
        /// The path, fit to print.
        path: String,
        /// Its length in bytes.
        size: u64,
        /// The most bytes.
        limit: u64,
    },
    /// Any other failure.
    #[error("{path} could not be read or written: {source}.")]
    Io {
        /// The path, fit to print.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl RootError {
    /// Where the refused link leads, or the real place of the untrusted file: what the operator would
    /// have to trust. Not for models.
    pub fn target(&self) -> Option<&Path> {
        match self {
            Self::Link { target, .. } => target.as_deref(),
            Self::Untrusted { target, .. } => Some(target),
            _ => None,
        }
    }

    pub(super) fn not_a_file(path: &Path) -> Self {
        Self::NotAFile { path: shown(path) }
    }

    pub(super) fn outside(path: &Path) -> Self {
        Self::Outside { path: shown(path) }
    }

    pub(super) fn too_long(path: &Path) -> Self {
        Self::TooLong { path: shown(path) }
    }

    pub(super) fn malformed(path: &Path) -> Self {
        Self::Malformed { path: shown(path) }
    }

    pub(super) fn foreign_hard_link(path: &Path) -> Self {
        Self::ForeignHardLink { path: shown(path) }
    }

    pub(super) fn link(path: &Path, target: Option<PathBuf>) -> Self {
        Self::Link { path: shown(path), target }
    }

    pub(super) fn untrusted(target: PathBuf) -> Self {
        let name = target.file_name().map_or(target.as_path(), Path::new);
        Self::Untrusted { path: shown(name), target }
    }

    pub(super) fn changed(path: &Path) -> Self {
        Self::Changed { path: shown(path) }
    }

    pub(super) fn too_large(path: &Path, size: u64, limit: u64) -> Self {
        Self::TooLarge { path: shown(path), size, limit }
    }

    pub(super) fn from_errno(path: &Path, errno: Errno) -> Self {
        let path = shown(path);
        match errno {
            Errno::NOENT => Self::NotFound { path },
            Errno::NOTDIR => Self::NotADirectory { path },
            Errno::LOOP | Errno::XDEV => Self::Link { path, target: None },
            Errno::EXIST => Self::Exists { path },
            Errno::NAMETOOLONG => Self::TooLong { path },
            Errno::ACCESS | Errno::PERM => Self::PermissionDenied { path },
            // What opening a socket, or a device without a driver, answers.
            Errno::NXIO | Errno::NODEV | Errno::ISDIR => Self::NotAFile { path },
            other => Self::Io { path, source: other.into() },
        }
    }

    pub(super) fn from_io(path: &Path, error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => Self::from_errno(path, errno),
            None => Self::Io { path: shown(path), source: error },
        }
    }
}

fn shown(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return ".".to_owned();
    }
    sanitise_fragment(&path.to_string_lossy(), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_answers_become_what_a_caller_can_act_on() {
        let of = |errno| RootError::from_errno(Path::new("a/b"), errno);
        assert!(matches!(of(Errno::NOENT), RootError::NotFound { .. }));
        assert!(matches!(of(Errno::ACCESS), RootError::PermissionDenied { .. }));
        assert!(matches!(of(Errno::LOOP), RootError::Link { target: None, .. }));
        assert!(matches!(of(Errno::NXIO), RootError::NotAFile { .. }));
        assert!(matches!(of(Errno::IO), RootError::Io { .. }));
    }

    #[test]
    fn messages_are_fit_to_print_and_name_no_place_outside() {
        let link = RootError::link(Path::new("a\n\u{202e}b"), Some("/home/other/secret.php".into()));
        assert!(link.to_string().starts_with("a??b is a symbolic link"), "{link}");
        assert!(!link.to_string().contains("/home"));
        assert_eq!(link.target(), Some(Path::new("/home/other/secret.php")));

        let untrusted = RootError::untrusted("/home/other/secret.php".into());
        assert!(untrusted.to_string().starts_with("secret.php lies outside"), "{untrusted}");
    }
}
