//! Which folders are looked at, in which order, and what is made of their evidence.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use siteclaw_tools::root::RelPath;

use super::evidence::{ENOUGH, Evidence, MARGIN};
use super::folder::Folder;
use super::{DETECTORS, Detection, NotFound, Place, Reason, STRANGERS, joomla};

/// Where hosts, images and projects keep a site beneath the folder that people call the site.
pub(super) const BENEATH: [&str; 19] = [
    "public",
    "public_html",
    "htdocs",
    "httpdocs",
    "web",
    "www",
    "html",
    "docroot",
    "current",
    "web/wp",
    "wordpress",
    "wp",
    "core",
    "upload",
    "src",
    "app",
    "laravel",
    "site",
    "joomla",
];

/// Folders above the start that are looked at.
const MAX_ABOVE: usize = 64;

/// A project's folder is at most this far above the platform's own code: `web/wp` of Bedrock.
const MAX_LIFT: usize = 2;

#[derive(Default)]
struct Search {
    looked: Vec<PathBuf>,
    unreadable: Vec<PathBuf>,
    elsewhere: Vec<(PathBuf, PathBuf)>,
}

pub(super) fn from(given: &Path) -> Result<Detection, NotFound> {
    let mut search = Search::default();
    search
        .run(given)
        .and_then(|found| found.ok_or_else(|| search.nothing()))
        .map_err(|reason| NotFound { start: given.to_owned(), reason })
}

impl Search {
    fn run(&mut self, given: &Path) -> Result<Option<Detection>, Reason> {
        let unreadable = |error: std::io::Error| Reason::Unreadable { error: error.to_string() };
        let mut start = given.canonicalize().map_err(unreadable)?;
        if !start.metadata().map_err(unreadable)?.is_dir() {
            start.pop();
        }
        if is_file_system_root(&start) {
            return Err(Reason::FileSystemRoot);
        }
        for (steps, path) in start.ancestors().take(MAX_ABOVE).enumerate() {
            if is_file_system_root(path) || (steps > 0 && is_open_to_all(path)) {
                continue;
            }
            let place = if steps == 0 { Place::Here } else { Place::Above };
            let Some(folder) = self.open(path) else { continue };
            if let Some((site, rivals)) = self.look(&folder)? {
                return Ok(Some(Detection { site, rivals, place }));
            }
        }
        self.beneath(&start)
    }

    fn nothing(&mut self) -> Reason {
        let Self { looked, unreadable, elsewhere } = std::mem::take(self);
        Reason::NoMarkers { looked, unreadable, elsewhere }
    }

    fn open(&mut self, path: &Path) -> Option<Folder> {
        if is_package(path) {
            return None;
        }
        match Folder::open(path) {
            Ok(folder) if !folder.is_closed() => Some(folder),
            _ => {
                if self.unreadable.iter().all(|known| known != path) {
                    self.unreadable.push(path.to_owned());
                }
                None
            }
        }
    }

    /// The best evidence in one folder and what comes close to it.
    fn look(&mut self, folder: &Folder) -> Result<Option<(Evidence, Vec<Evidence>)>, Reason> {
        self.looked.push(folder.path().to_owned());
        let mut found = judge(folder);
        if found.is_empty() {
            if let Some(product) = STRANGERS.iter().find_map(|(_, stranger)| stranger(folder)) {
                return Err(Reason::Unsupported { folder: folder.path().to_owned(), product });
            }
            if let Some(root) = joomla::named_root(folder) {
                self.elsewhere.push((folder.path().to_owned(), root));
            }
            return Ok(None);
        }
        let best = found.remove(0);
        found.retain(|other| best.score - other.score < MARGIN);
        Ok(Some((lift(best), found.into_iter().map(lift).collect())))
    }

    /// All sites in the common places, the best first.
    fn beneath(&mut self, start: &Path) -> Result<Option<Detection>, Reason> {
        let Some(start) = self.open(start) else { return Ok(None) };
        let mut sites: Vec<Evidence> = Vec::new();
        let mut stranger = None;
        for name in BENEATH {
            let folder = match RelPath::parse(name).and_then(|path| start.root().folder(&path)) {
                Ok(root) => Folder::of(root),
                Err(error) => {
                    if let Some(target) = error.target() {
                        self.elsewhere.push((start.path().join(name), target.to_owned()));
                    }
                    continue;
                }
            };
            if folder.is_closed() {
                self.unreadable.push(folder.path().to_owned());
                continue;
            }
            // Two names may lead to one folder.
            if self.looked.iter().any(|looked| looked == folder.path()) {
                continue;
            }
            match self.look(&folder) {
                Ok(None) => {}
                Ok(Some((best, rivals))) => {
                    for site in std::iter::once(best).chain(rivals) {
                        if !sites.iter().any(|known| is_same(known, &site)) {
                            sites.push(site);
                        }
                    }
                }
                Err(reason) => stranger = stranger.or(Some(reason)),
            }
        }
        sites.sort_by_key(|site| std::cmp::Reverse(site.score));
        let mut sites = sites.into_iter();
        match (sites.next(), stranger) {
            (Some(site), _) => Ok(Some(Detection { site, rivals: sites.collect(), place: Place::Beneath })),
            (None, Some(reason)) => Err(reason),
            (None, None) => Ok(None),
        }
    }
}

/// The evidence that is enough, the best first; equal scores keep the detectors' order.
fn judge(folder: &Folder) -> Vec<Evidence> {
    let is_strange =
        |platform| STRANGERS.iter().any(|(of, stranger)| *of == platform && stranger(folder).is_some());
    let all = DETECTORS.iter().map(|detector| (detector.examine)(folder));
    let enough = all.filter(|evidence| evidence.score >= ENOUGH && !is_strange(evidence.platform));
    let mut enough: Vec<Evidence> = enough.collect();
    enough.sort_by_key(|evidence| std::cmp::Reverse(evidence.score));
    enough
}

/// Gives the project that the found code belongs to, if a folder above is one: it says of itself that its
/// code lies where code was found. So a start in a Drupal's `web/` finds the same site as one above it.
fn lift(found: Evidence) -> Evidence {
    let above = found.root.ancestors().skip(1).take(MAX_LIFT);
    let projects = above.filter(|path| !is_file_system_root(path) && !is_open_to_all(path));
    let project = projects.filter_map(|path| Folder::open(path).ok()).filter_map(|folder| {
        let detector = DETECTORS.iter().find(|detector| detector.platform == found.platform)?;
        Some((detector.examine)(&folder))
            .filter(|project| project.score >= ENOUGH && is_same(project, &found))
    });
    project.last().unwrap_or(found)
}

fn is_same(one: &Evidence, other: &Evidence) -> bool {
    one.platform == other.platform && one.core == other.core
}

/// By identity, not by text: `/.`, `/proc/self/root` and a second mount of it are the root too.
fn is_file_system_root(path: &Path) -> bool {
    let identity = |path: &Path| path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()));
    path.parent().is_none() || identity(path).is_some_and(|one| identity(Path::new("/")) == Some(one))
}

/// Whether anybody may put files there, as in `/tmp`: what lies there says nothing about what lies below,
/// and would let others choose the site.
fn is_open_to_all(path: &Path) -> bool {
    const STICKY_AND_WRITABLE_BY_ALL: u32 = 0o1002;
    path.metadata()
        .is_ok_and(|metadata| metadata.mode() & STICKY_AND_WRITABLE_BY_ALL == STICKY_AND_WRITABLE_BY_ALL)
}

/// Whether the folder is, or lies in, a folder of packages: other people's code, which may look like an
/// application.
fn is_package(path: &Path) -> bool {
    path.ancestors().any(|folder| {
        let managers: &[&str] = match folder.file_name().and_then(|name| name.to_str()) {
            Some("vendor") => &["composer.json", "vendor/autoload.php", "vendor/composer"],
            Some("node_modules") => &["package.json"],
            _ => return false,
        };
        folder.parent().is_some_and(|project| managers.iter().any(|file| project.join(file).exists()))
    })
}
