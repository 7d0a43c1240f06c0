//! What speaks for a platform in a folder, and the score it adds up to.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::Platform;
use super::folder::Folder;

/// The score from which a folder counts as a site of the platform: one decisive file, or several that
/// together are found nowhere else.
pub const ENOUGH: u8 = 60;

/// Two platforms whose scores differ by less than this cannot be told apart by score.
pub const MARGIN: u8 = 20;

/// Why a folder is taken for a site of one platform, and how the site is laid out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The platform.
    pub platform: Platform,
    /// The real path of the folder that holds the whole site: for a Composer project its folder.
    #[serde(serialize_with = "lossy")]
    pub root: PathBuf,
    /// The folder that the web server serves: the root or one beneath it.
    #[serde(serialize_with = "lossy")]
    pub docroot: PathBuf,
    /// The folder of the platform's own code: `ABSPATH` of WordPress, the folder above Drupal's `core`,
    /// else the root.
    #[serde(serialize_with = "lossy")]
    pub core: PathBuf,
    /// The main configuration file; may lie outside the root, as WordPress allows. Absent when there is
    /// none: not installed yet, or configured by the environment alone.
    #[serde(serialize_with = "lossy_option")]
    pub config: Option<PathBuf>,
    /// 0 to 100: the sum of the markers' weights within these bounds.
    pub score: u8,
    /// The platform's version, if a file states it.
    pub version: Option<String>,
    /// Where the version is stated, relative to the root.
    pub version_source: Option<String>,
    /// A distribution, edition or product on the platform: `Adobe Commerce`, `Bedrock`, `Sylius`.
    pub edition: Option<String>,
    /// Extensions that decide which tools make sense, whether they are switched on or not.
    pub extras: Vec<Extra>,
    /// What was found, in the order it was looked for.
    pub markers: Vec<Marker>,
}

/// One thing that speaks for or against a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Marker {
    /// Relative to the root.
    pub path: String,
    /// Points, negative for what speaks against.
    pub weight: i16,
    /// What it shows.
    pub meaning: &'static str,
}

/// An extension whose files are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Extra {
    /// Its name.
    pub name: String,
    /// Its version, if its files state it.
    pub version: Option<String>,
    /// Relative to the root.
    pub path: String,
}

fn lossy<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

fn lossy_option<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(Path::to_string_lossy).serialize(to)
}

/// Collects the evidence of one platform in one folder.
pub(super) struct Findings<'a> {
    folder: &'a Folder,
    sum: i16,
    evidence: Evidence,
}

impl<'a> Findings<'a> {
    pub(super) fn new(platform: Platform, folder: &'a Folder) -> Self {
        let root = folder.path().to_owned();
        let evidence = Evidence {
            platform,
            docroot: root.clone(),
            core: root.clone(),
            root,
            config: None,
            score: 0,
            version: None,
            version_source: None,
            edition: None,
            extras: Vec::new(),
            markers: Vec::new(),
        };
        Self { folder, sum: 0, evidence }
    }

    /// Counts a marker that was found.
    pub(super) fn mark(&mut self, path: impl Into<String>, weight: i16, meaning: &'static str) {
        self.sum = self.sum.saturating_add(weight);
        self.evidence.markers.push(Marker { path: path.into(), weight, meaning });
    }

    /// Counts a file if it is there, and tells whether it is.
    pub(super) fn file(&mut self, path: &str, weight: i16, meaning: &'static str) -> bool {
        let there = self.folder.is_file(path);
        if there {
            self.mark(path, weight, meaning);
        }
        there
    }

    /// Counts a folder if it is there, and tells whether it is.
    pub(super) fn folder(&mut self, path: &str, weight: i16, meaning: &'static str) -> bool {
        let there = self.folder.is_folder(path);
        if there {
            self.mark(format!("{path}/"), weight, meaning);
        }
        there
    }

    /// Counts the first of these files that is there.
    pub(super) fn any_file(&mut self, paths: &[&str], weight: i16, meaning: &'static str) -> bool {
        paths.iter().any(|path| self.file(path, weight, meaning))
    }

    /// Counts the first of these packages that `composer.json` requires.
    pub(super) fn required(&mut self, packages: &[&str], weight: i16, meaning: &'static str) -> bool {
        let package = self.folder.composer().requires_any(packages);
        if let Some(package) = package {
            self.mark(format!("composer.json ({package})"), weight, meaning);
        }
        package.is_some()
    }

    /// Places the web server's folder; `""` is the root.
    pub(super) fn docroot(&mut self, path: &str) {
        self.evidence.docroot = self.folder.absolute(path);
    }

    /// Places the platform's own code; `""` is the root.
    pub(super) fn core(&mut self, path: &str) {
        self.evidence.core = self.folder.absolute(path);
    }

    /// Names the configuration file beneath the root, if it is there.
    pub(super) fn config(&mut self, path: &str) -> bool {
        let there = self.folder.is_file(path);
        if there {
            self.evidence.config = Some(self.folder.absolute(path));
        }
        there
    }

    /// Names a configuration file outside the root.
    pub(super) fn config_outside(&mut self, path: PathBuf) {
        self.evidence.config = Some(path);
    }

    /// Keeps the first version that is found, with its source.
    pub(super) fn version(&mut self, found: Option<(String, String)>) {
        if self.evidence.version.is_none()
            && let Some((version, source)) = found
        {
            self.evidence.version = Some(version);
            self.evidence.version_source = Some(source);
        }
    }

    /// Keeps the version that a constant in a PHP file states.
    pub(super) fn version_constant(&mut self, path: &str, constant: &str) {
        if self.evidence.version.is_none() {
            let stated = self.folder.php(path).and_then(|php| php.constant(constant));
            self.version(stated.as_deref().and_then(super::folder::version).map(|v| (v, path.to_owned())));
        }
    }

    /// Keeps the version of the first of these packages that is locked.
    pub(super) fn version_locked(&mut self, packages: &[&str]) {
        if self.evidence.version.is_none() {
            self.version(self.folder.packages().version(packages));
        }
    }

    pub(super) fn edition(&mut self, name: &str) {
        self.evidence.edition = Some(name.to_owned());
    }

    pub(super) fn extra(&mut self, extra: Extra) {
        self.evidence.extras.push(extra);
    }

    pub(super) fn sum(&self) -> i16 {
        self.sum
    }

    pub(super) fn finish(mut self) -> Evidence {
        self.evidence.score = u8::try_from(self.sum.clamp(0, 100)).unwrap_or(0);
        self.evidence
    }
}
