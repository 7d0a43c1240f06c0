//! Opening a file outside the folder, if and only if the user's own file trusts its place.
//!
//! A configuration may lie outside the web root on purpose, and the site's files say where. They are
//! written by others, so their word is not enough: the place must be covered by a path that the user
//! wrote down. Both sides are compared as real paths, name by name; the file is then opened from `/`
//! with links refused, so that a link swapped in after the comparison leads nowhere.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use super::hidden::Hidden;
use super::resolve::SEARCH;
use super::{Options, RelPath, Resolution, Root, RootError};

/// An open file and the folder that it lies in.
#[derive(Debug)]
pub struct TrustedPlace {
    /// The file, open for reading.
    pub file: File,
    /// Its folder; good for going on from, not for listing.
    pub folder: OwnedFd,
    /// The file's path when it was opened, without links.
    pub path: PathBuf,
}

impl Root {
    /// Opens a file by its absolute path: one beneath the folder as [`Root::open_file`] does, one outside
    /// only if `trust` names it or a folder above it.
    ///
    /// Links in `path` are resolved first; what they lead to must be covered. The last name of a trusted
    /// path is taken as it stands: trusting a link does not trust its target, or whoever can replace the
    /// link could have any file read. `/` and relative paths in `trust` cover nothing. Fails with
    /// [`RootError::Untrusted`], whose [`target`](RootError::target) is the path to trust.
    pub fn trusted_file(&self, path: &Path, trust: &[PathBuf]) -> Result<File, RootError> {
        let (root, below) = self.locate(path, trust)?;
        root.open_file(&below)
    }

    /// Opens a file as [`trusted_file`](Self::trusted_file) does, with the folder that it lies in: for programs that
    /// look for other files beside it.
    pub fn trusted_place(&self, path: &Path, trust: &[PathBuf]) -> Result<TrustedPlace, RootError> {
        let (root, below) = self.locate(path, trust)?;
        let file = root.open_file(&below)?;
        let folder = below.parent().ok_or_else(|| RootError::not_a_file(below.as_path()))?;
        Ok(TrustedPlace { file, folder: root.open_folder(&folder)?, path: root.absolute(&below) })
    }

    /// Where a path leads: the root to open it beneath, and the path there.
    fn locate(&self, path: &Path, trust: &[PathBuf]) -> Result<(Root, RelPath), RootError> {
        if !path.is_absolute() {
            return Ok((self.clone(), RelPath::from_path(path)?));
        }
        let real = path.canonicalize().map_err(|error| RootError::from_io(name_of(path), error))?;
        if let Ok(below) = self.relative(&real) {
            return Ok((self.clone(), below));
        }
        if !trust.iter().filter_map(|trusted| place_of(trusted)).any(|place| real.starts_with(place)) {
            return Err(RootError::untrusted(real));
        }
        let parent = real.parent().ok_or_else(|| RootError::not_a_file(&real))?;
        Ok((self.open_outside(parent)?, RelPath::from_path(Path::new(name_of(&real)))?))
    }

    /// The folder at a real path, reached from `/` without links.
    fn open_outside(&self, folder: &Path) -> Result<Root, RootError> {
        let resolution = if self.walks() { Resolution::Walk } else { Resolution::Kernel };
        let slash = rustix::fs::open("/", SEARCH | rustix::fs::OFlags::CLOEXEC, Mode::empty())
            .map_err(|errno| RootError::from_errno(folder, errno))?;
        let options = Options { resolution, ..Options::default() };
        let top = Self::from_handle(slash, PathBuf::from("/"), options, Hidden::default())?;
        top.folder(&top.relative(folder)?)
    }
}

/// The real place that a trusted path covers, its last name unresolved.
fn place_of(trusted: &Path) -> Option<PathBuf> {
    if !trusted.is_absolute() {
        return None;
    }
    let name = trusted.file_name()?;
    Some(trusted.parent()?.canonicalize().ok()?.join(name))
}

fn name_of(path: &Path) -> &Path {
    path.file_name().map_or(path, Path::new)
}
