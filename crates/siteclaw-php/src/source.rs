//! How files are opened: by the caller, never by this crate.
//!
//! The evaluator asks a [`Source`] for the entry file and for each included one. It passes only absolute
//! paths without `.` and `..`, but knows nothing of links: confining reads to a root is the source's
//! work, and so is a bound on how much it reads of one file.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::SourceError;

/// Opens files for the evaluator.
pub trait Source: Sync {
    /// The bytes of a file. `path` is absolute and lexically normalised; a path that the caller does not
    /// want read is [`SourceError::Refused`], which the result then lists with the line that asked.
    fn read(&self, path: &Path) -> Result<Vec<u8>, SourceError>;

    /// Whether a file or folder is there. [`SourceError::Refused`] keeps a condition such as
    /// `file_exists('/home/u/private.php')` undecided, where `false` would decide it.
    fn exists(&self, path: &Path) -> Result<bool, SourceError>;
}

/// Files in memory: for text that is already read, and for tests. Nothing is refused; a path that is
/// not in the map does not exist.
impl Source for BTreeMap<PathBuf, Vec<u8>> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, SourceError> {
        self.get(path).cloned().ok_or(SourceError::NotFound)
    }

    fn exists(&self, path: &Path) -> Result<bool, SourceError> {
        Ok(self.keys().any(|file| file.starts_with(path)))
    }
}

/// The path without `.`, `..` and doubled slashes, made absolute against `folder`. Works on the text
/// alone: links are not followed.
pub(crate) fn normalise(path: &Path, folder: &Path) -> PathBuf {
    let mut clean = PathBuf::from("/");
    let joined = folder.join(path);
    for component in joined.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::ParentDir => {
                clean.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_by_their_text() {
        for (path, expected) in [
            ("a.php", "/srv/site/a.php"),
            ("/x//y/./z/../b", "/x/y/b"),
            ("../../../../../etc/passwd", "/etc/passwd"),
            ("./c/", "/srv/site/c"),
        ] {
            assert_eq!(normalise(Path::new(path), Path::new("/srv/site")), Path::new(expected), "{path}");
        }
    }
}
