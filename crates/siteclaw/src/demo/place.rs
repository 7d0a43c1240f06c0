//! The folder of a demo: found, refused, built beside its place and moved there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{DemoError, DemoOptions, files::DATABASE, summary::Summary, world::SiteFile};

/// The file that tells a demo from a real site. It is written last.
const MARKER: &str = ".siteclaw-demo.json";
/// Raised whenever the same options give other bytes.
const EDITION: u32 = 1;
/// A marker is a few hundred bytes; more is not ours.
const MARKER_LIMIT: u64 = 64 * 1024;

#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    siteclaw_demo: u32,
    ends_on: String,
    #[serde(flatten)]
    summary: Summary,
}

enum State {
    /// Missing or empty.
    Free,
    Demo(Box<Marker>),
}

/// Finds a complete demo in `dir` and the day its data ends on; `None` when the folder is free.
pub(crate) fn find(dir: &Path) -> Result<Option<(Summary, String)>, DemoError> {
    let State::Demo(marker) = inspect(dir)? else { return Ok(None) };
    if marker.siteclaw_demo != EDITION {
        let what = format!("edition {} instead of {EDITION}", marker.siteclaw_demo);
        return Err(DemoError::Other { dir: dir.to_owned(), what });
    }
    if !fs::symlink_metadata(dir.join(DATABASE)).is_ok_and(|m| m.is_file() && m.len() > 0) {
        return Err(DemoError::Damaged { dir: dir.to_owned() });
    }
    Ok(Some((Summary { dir: dir.to_owned(), reused: true, ..marker.summary }, marker.ends_on)))
}

/// Refuses a demo that was made with other options.
pub(crate) fn same(found: &Summary, ends_on: &str, options: &DemoOptions) -> Result<(), DemoError> {
    let other = |what: String| Err(DemoError::Other { dir: found.dir.clone(), what });
    if found.seed != options.seed {
        return other(format!("seed {} instead of {}", found.seed, options.seed));
    }
    if ends_on != options.ends_on.to_string() {
        return other(format!("data to {ends_on} instead of {}", options.ends_on));
    }
    Ok(())
}

fn inspect(dir: &Path) -> Result<State, DemoError> {
    let read = |source| DemoError::File { action: "read", path: dir.to_owned(), source };
    match fs::symlink_metadata(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Free),
        Err(error) => return Err(read(error)),
        Ok(meta) if !meta.is_dir() => return Err(DemoError::NotAFolder { dir: dir.to_owned() }),
        Ok(_) => {}
    }
    if let Some(marker) = read_marker(&dir.join(MARKER)) {
        return Ok(State::Demo(Box::new(marker)));
    }
    match fs::read_dir(dir).map_err(read)?.next() {
        None => Ok(State::Free),
        Some(_) => Err(DemoError::Foreign { dir: dir.to_owned() }),
    }
}

fn read_marker(path: &Path) -> Option<Marker> {
    // A link could point to the marker of another demo.
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MARKER_LIMIT {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// A demo that is being built beside its final place; it is removed again unless it is finished.
#[derive(Debug)]
pub(crate) struct Building {
    target: PathBuf,
    folder: PathBuf,
    finished: bool,
}

impl Building {
    /// Checks the target once more and makes the folder beside it.
    pub(crate) fn start(target: &Path, options: &DemoOptions) -> Result<Self, DemoError> {
        let state = inspect(target)?;
        if matches!(state, State::Demo(_)) && !options.fresh {
            return Err(DemoError::Foreign { dir: target.to_owned() });
        }
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let Some(name) = target.file_name() else {
            return Err(DemoError::Unnamed { dir: target.to_owned() });
        };
        let action = "create";
        fs::create_dir_all(&parent).map_err(|source| DemoError::File {
            action,
            path: parent.clone(),
            source,
        })?;
        let folder = beside(&parent, name, "demo");
        fs::create_dir(&folder).map_err(|source| DemoError::File { action, path: folder.clone(), source })?;
        Ok(Building { target: target.to_owned(), folder, finished: false })
    }

    /// The place of a file while the site is being built; its folder is made.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Writes all files.
    pub(crate) fn write_files(&self, files: &[SiteFile]) -> Result<(), DemoError> {
        for file in files {
            self.write(&file.path, &file.bytes)?;
        }
        Ok(())
    }

    fn write(&self, file: &str, bytes: &[u8]) -> Result<(), DemoError> {
        let path = self.path(file);
        let failed = |source| DemoError::File { action: "write", path: path.clone(), source };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        fs::write(&path, bytes).map_err(failed)
    }

    /// Writes the marker and moves the site to its place.
    pub(crate) fn finish(mut self, summary: Summary, options: &DemoOptions) -> Result<Summary, DemoError> {
        let marker = Marker { siteclaw_demo: EDITION, ends_on: options.ends_on.to_string(), summary };
        // The folder's name is not part of the demo: two copies are the same bytes.
        let stored = Marker {
            summary: Summary { dir: PathBuf::new(), ..marker.summary.clone() },
            ends_on: marker.ends_on.clone(),
            ..marker
        };
        let mut text = serde_json::to_string_pretty(&stored).map_err(|error| DemoError::File {
            action: "write",
            path: self.path(MARKER),
            source: error.into(),
        })?;
        text.push('\n');
        self.write(MARKER, text.as_bytes())?;
        self.sync(DATABASE)?;
        self.sync(MARKER)?;
        self.move_in()?;
        self.finished = true;
        Ok(marker.summary)
    }

    fn sync(&self, file: &str) -> Result<(), DemoError> {
        let path = self.path(file);
        let failed = |source| DemoError::File { action: "write", path: path.clone(), source };
        fs::File::open(&path).and_then(|f| f.sync_all()).map_err(failed)
    }

    fn move_in(&self) -> Result<(), DemoError> {
        let failed =
            |source| DemoError::File { action: "move the demo to", path: self.target.clone(), source };
        let mut old = None;
        if let State::Demo(_) = inspect(&self.target)? {
            let (Some(parent), Some(name)) = (self.folder.parent(), self.target.file_name()) else {
                return Err(DemoError::Unnamed { dir: self.target.clone() });
            };
            let aside = beside(parent, name, "old");
            fs::rename(&self.target, &aside).map_err(failed)?;
            old = Some(aside);
        }
        // An empty folder gives way; one that somebody filled meanwhile does not.
        if let Err(error) = fs::rename(&self.folder, &self.target) {
            if let Some(aside) = &old {
                // Best effort: the old demo goes back to its place.
                let _ = fs::rename(aside, &self.target);
            }
            return Err(failed(error));
        }
        if let Some(aside) = old {
            fs::remove_dir_all(&aside).map_err(|source| DemoError::File {
                action: "remove",
                path: aside.clone(),
                source,
            })?;
        }
        Ok(())
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        if !self.finished {
            // There is nobody left to tell; the folder is ours and bears our name. SQLite's thread may still
            // be creating a file in it, which makes the first attempt fail.
            (0..3).any(|_| fs::remove_dir_all(&self.folder).is_ok());
        }
    }
}

fn beside(parent: &Path, name: &std::ffi::OsStr, what: &str) -> PathBuf {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".siteclaw-{what}-{}", std::process::id()));
    parent.join(hidden)
}
