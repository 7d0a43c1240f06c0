//! Walking: a folder that stays open while its entries are opened by their names.
//!
//! A walk of a hundred thousand files cannot afford to resolve each path from the top or to ask for the state of
//! each name. A [`Folder`] is opened like everything beneath a [`Root`]; from there on each step is one name
//! relative to an open handle, with links refused, and what was opened is judged by its handle.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Dir, FileType, Mode};
use rustix::io::Errno;

use super::hidden::Identity;
use super::list::{LIST, MAX_SCANNED};
use super::read::FILE;
use super::resolve::look;
use super::{Kind, RelPath, Root, RootError};

/// A folder that is being walked.
#[derive(Debug)]
pub struct Folder {
    root: Root,
    handle: OwnedFd,
}

/// A regular file that was opened by a walk.
#[derive(Debug)]
pub struct Found {
    /// The open file.
    pub file: File,
    /// Its length in bytes when it was opened.
    pub size: u64,
}

impl Root {
    /// Opens a folder to walk from. Links on the way are refused, whatever the options say.
    pub fn walk(&self, path: &RelPath) -> Result<Folder, RootError> {
        let fail = |errno| self.explain(path, errno);
        let handle = if path.is_root() {
            rustix::fs::openat(self.handle(), ".", LIST, Mode::empty()).map_err(fail)?
        } else {
            let (parent, name) = self.open_parent(path)?;
            rustix::fs::openat(&parent, name, LIST, Mode::empty()).map_err(fail)?
        };
        if self.0.hidden.holds(&handle, self.0.identity).map_err(fail)? {
            return Err(fail(Errno::ACCESS));
        }
        Ok(Folder { root: self.clone(), handle })
    }
}

impl Folder {
    /// The names in the folder with what they are, in the order of their bytes: at most a million.
    pub fn entries(&self) -> Result<Vec<(OsString, Kind)>, RootError> {
        let fail = |errno| RootError::from_errno(Path::new("."), errno);
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsStr::from_bytes(name);
            let kind = match entry.file_type() {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Folder,
                FileType::Symlink => Kind::Link,
                // Some file systems do not say it in the listing.
                FileType::Unknown => match look(&self.handle, name) {
                    Ok((FileType::RegularFile, _)) => Kind::File,
                    Ok((FileType::Directory, _)) => Kind::Folder,
                    Ok((FileType::Symlink, _)) => Kind::Link,
                    Ok(_) => Kind::Other,
                    Err(_) => continue,
                },
                _ => Kind::Other,
            };
            entries.push((name.to_owned(), kind));
            if entries.len() as u64 == MAX_SCANNED {
                break;
            }
        }
        entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }

    /// Opens the folder `name` in this one; a link is refused.
    pub fn folder(&self, name: &OsStr) -> Result<Self, RootError> {
        let fail = |errno| RootError::from_errno(Path::new(name), errno);
        let handle = rustix::fs::openat(&self.handle, plain(name)?, LIST, Mode::empty()).map_err(fail)?;
        let hidden = &self.root.0.hidden;
        if !hidden.is_empty() && hidden.is(Identity::of(&rustix::fs::fstat(&handle).map_err(fail)?)) {
            return Err(fail(Errno::ACCESS));
        }
        Ok(Self { root: self.root.clone(), handle })
    }

    /// Opens the regular file `name` in this folder, by the rules of [`Root::open_file`]; a link is refused.
    pub fn file(&self, name: &OsStr) -> Result<Found, RootError> {
        let path = Path::new(name);
        let fail = |errno| RootError::from_errno(path, errno);
        let file =
            File::from(rustix::fs::openat(&self.handle, plain(name)?, FILE, Mode::empty()).map_err(fail)?);
        let size = self.root.admit(path, &file)?;
        Ok(Found { file, size })
    }
}

/// One name: nothing that leads elsewhere.
fn plain(name: &OsStr) -> Result<&OsStr, RootError> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') {
        return Err(RootError::outside(Path::new(name)));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Folder) -> Vec<(String, Kind)> {
        let text = |name: OsString| name.into_string().unwrap();
        folder.entries().unwrap().into_iter().map(|(name, kind)| (text(name), kind)).collect()
    }

    #[test]
    fn a_walk_goes_from_handle_to_handle_and_follows_no_link() {
        let base = tempfile::tempdir().unwrap();
        let top = base.path().join("top");
        std::fs::create_dir_all(top.join("b/c")).unwrap();
        std::fs::write(top.join("b/c/file"), "inside").unwrap();
        std::fs::write(top.join("a"), "1").unwrap();
        std::fs::write(base.path().join("outside"), "secret").unwrap();
        std::os::unix::fs::symlink(base.path(), top.join("up")).unwrap();
        std::os::unix::fs::symlink("../outside", top.join("link")).unwrap();
        let root = Root::open(&top).unwrap();
        let folder = root.walk(&RelPath::root()).unwrap();
        let expected = [("a", Kind::File), ("b", Kind::Folder), ("link", Kind::Link), ("up", Kind::Link)];
        assert_eq!(names(&folder), expected.map(|(name, kind)| (name.to_owned(), kind)));
        assert!(folder.folder(OsStr::new("up")).is_err());
        assert!(matches!(folder.file(OsStr::new("link")), Err(RootError::Link { .. })));
        for name in ["..", ".", "", "b/c", "../outside", "/etc/passwd"] {
            assert!(folder.file(OsStr::new(name)).is_err(), "{name}");
            assert!(folder.folder(OsStr::new(name)).is_err(), "{name}");
        }
        let found = folder.folder(OsStr::new("b")).unwrap().folder(OsStr::new("c")).unwrap();
        // What stands at the path meanwhile does not matter: the handle leads on.
        std::fs::rename(top.join("b"), top.join("moved")).unwrap();
        std::os::unix::fs::symlink(base.path(), top.join("b")).unwrap();
        assert_eq!(found.file(OsStr::new("file")).unwrap().size, 6);
        assert!(matches!(root.walk(&RelPath::parse("b/top").unwrap()), Err(RootError::Link { .. })));
        assert!(matches!(folder.file(OsStr::new("moved")), Err(RootError::NotAFile { .. })));
    }
}
