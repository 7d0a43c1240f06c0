//! Where links lead: to explain a refusal, and to follow those that stay beneath the folder.
//!
//! Following never opens through a link. The link's text is read, the path is worked out again name by
//! name, and the result, free of links, is opened beneath the folder like any other path. A target that
//! cannot be worked out inside is asked of the operating system by path, and used only if the answer
//! lies beneath the folder: so a link by another name of the same folder (`/home` that is itself a link)
//! is followed too.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use super::resolve::step;
use super::{RelPath, Root, RootError};

/// As many links as Linux itself follows in one path.
const MAX_LINKS: usize = 40;

/// The part of a path that is worked out: plain names, each folder open.
struct Trail {
    names: Vec<OsString>,
    folders: Vec<OwnedFd>,
}

impl Trail {
    fn start(root: &Root) -> Result<Self, Errno> {
        Ok(Self { names: Vec::new(), folders: vec![rustix::io::fcntl_dupfd_cloexec(root.handle(), 0)?] })
    }

    fn here(&self) -> Result<&OwnedFd, Errno> {
        self.folders.last().ok_or(Errno::NOENT)
    }

    fn path(&self) -> PathBuf {
        self.names.iter().collect()
    }
}

impl Root {
    /// Where the first link on `path` leads, as an absolute path worked out by its text; `None` when
    /// there is no link.
    pub(super) fn first_link(&self, path: &RelPath) -> Option<PathBuf> {
        let mut folder = rustix::io::fcntl_dupfd_cloexec(self.handle(), 0).ok()?;
        let mut above = self.path().to_owned();
        for name in path.components() {
            match read_link(&folder, name) {
                Ok(Some(target)) => return Some(tidied(&above.join(target))),
                Ok(None) => {}
                Err(_) => return None,
            }
            folder = step(&folder, name).ok()?;
            above.push(name);
        }
        None
    }

    /// The path without links that `path` leads to, beneath the folder.
    pub(super) fn resolve(&self, path: &RelPath) -> Result<RelPath, RootError> {
        let fail = |errno| RootError::from_errno(path.as_path(), errno);
        let mut trail = Trail::start(self).map_err(fail)?;
        let mut pending: Vec<OsString> = path.components().map(OsStr::to_owned).collect();
        pending.reverse();
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == ".." {
                // Only a link's text brings `..`, and those that climb out at once are dealt with below.
                if trail.names.pop().is_none() {
                    return Err(RootError::link(path.as_path(), None));
                }
                trail.folders.pop();
                continue;
            }
            let target = read_link(trail.here().map_err(fail)?, &name).map_err(fail)?;
            if let Some(target) = target {
                links += 1;
                if links > MAX_LINKS {
                    return Err(RootError::link(path.as_path(), None));
                }
                let inside = self.inside(path, &trail, &target)?;
                if inside.restart {
                    trail = Trail::start(self).map_err(fail)?;
                }
                pending.extend(inside.names.into_iter().rev());
            } else if pending.is_empty() {
                trail.names.push(name);
                break;
            } else {
                let folder = step(trail.here().map_err(fail)?, &name).map_err(fail)?;
                trail.folders.push(folder);
                trail.names.push(name);
            }
        }
        RelPath::from_path(&trail.path())
    }

    /// The names that a link's text adds to the way, or the error that names its target.
    fn inside(&self, path: &RelPath, trail: &Trail, target: &Path) -> Result<Continuation, RootError> {
        let climbs = target.components().take_while(|part| *part == Component::ParentDir).count();
        if target.is_relative() && climbs <= trail.names.len() {
            return Ok(Continuation { restart: false, names: names_of(target) });
        }
        let absolute = self.path().join(trail.path()).join(target);
        if let Ok(below) = absolute.strip_prefix(self.path())
            && below.components().all(|part| matches!(part, Component::Normal(_)))
        {
            return Ok(Continuation { restart: true, names: names_of(below) });
        }
        let real = absolute.canonicalize();
        match real.as_deref().map(|real| real.strip_prefix(self.path())) {
            Ok(Ok(below)) => Ok(Continuation { restart: true, names: names_of(below) }),
            Ok(Err(_)) => Err(RootError::link(path.as_path(), real.ok())),
            Err(_) => Err(RootError::link(path.as_path(), Some(tidied(&absolute)))),
        }
    }
}

/// How the way goes on after a link: from where it stands, or from the folder itself.
struct Continuation {
    restart: bool,
    names: Vec<OsString>,
}

fn names_of(path: &Path) -> Vec<OsString> {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

/// The text of the link `name` in `folder`; `None` when it is no link.
fn read_link(folder: impl AsFd, name: &OsStr) -> Result<Option<PathBuf>, Errno> {
    match rustix::fs::readlinkat(folder, name, Vec::new()) {
        Ok(target) => Ok(Some(OsString::from_vec(target.into_bytes()).into())),
        Err(Errno::INVAL) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Takes `.` and `..` out by text.
fn tidied(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_s_place_is_worked_out_by_text() {
        assert_eq!(tidied(Path::new("/srv/site/../private/./x")), Path::new("/srv/private/x"));
        assert_eq!(tidied(Path::new("/../../etc")), Path::new("/etc"));
    }
}
