//! Finds the site that a folder belongs to and tells which of the eight platforms it runs, from files
//! alone.
//!
//! [`detect`] looks at the start folder, then at each folder above it and stops at the first that is a
//! site; failing that, at the folders in which hosts and projects commonly keep one. In each folder every
//! platform's detector collects [`Evidence`]: files that speak for it, with weights. The highest score
//! wins; platforms that come within [`MARGIN`] of it, and further sites beneath the start folder, are
//! reported as rivals and never chosen between silently.
//!
//! No PHP runs, nothing outside the folders is read, and each file only to a bound. A file that cannot be
//! read is evidence lost, not an error. The root of the file system is never a site. Folders of packages
//! (`vendor`, `node_modules`) are not sites, and a folder that everybody may write to, such as `/tmp`, is
//! not looked at unless detection starts there.
//!
//! ```
//! use siteclaw_site::detect::{Platform, detect};
//! # let folder = tempfile::tempdir().unwrap();
//! # std::fs::create_dir_all(folder.path().join("web/core/lib")).unwrap();
//! # std::fs::create_dir_all(folder.path().join("web/modules/custom")).unwrap();
//! # std::fs::write(folder.path().join("composer.json"), r#"{"require": {"drupal/core": "^10"}}"#).unwrap();
//! # std::fs::write(folder.path().join("web/core/lib/Drupal.php"), "<?php class Drupal { const VERSION = '10.5.6'; }").unwrap();
//! let site = detect(&folder.path().join("web/modules/custom")).unwrap().site;
//! assert_eq!((site.platform, site.version.as_deref()), (Platform::Drupal, Some("10.5.6")));
//! assert_eq!(site.docroot, site.root.join("web"));
//! ```

mod composer;
mod drupal;
mod evidence;
mod folder;
mod joomla;
mod laravel;
mod magento;
mod not_found;
mod opencart;
mod overview;
mod php;
mod platform;
mod prestashop;
mod search;
mod symfony;
mod wordpress;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde::Serialize;

pub use evidence::{ENOUGH, Evidence, Extra, MARGIN, Marker};
pub use not_found::{NotFound, Reason};
pub use overview::Detectors;
pub use platform::Platform;

use folder::Folder;

/// The site that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Detection {
    /// The best evidence.
    pub site: Evidence,
    /// What else it could be: another platform in the same folder whose score is within [`MARGIN`], or
    /// another site beneath the start folder. Empty when the answer is clear; best first.
    pub rivals: Vec<Evidence>,
    /// Where the site lies, seen from the start folder.
    pub place: Place,
}

/// Where a site lies, seen from the folder in which detection started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// It is the start folder.
    Here,
    /// It is a folder above.
    Above,
    /// It is a folder beneath.
    Beneath,
}

impl Detection {
    /// Whether there is more than one candidate, so that a person has to choose.
    pub fn is_ambiguous(&self) -> bool {
        !self.rivals.is_empty()
    }
}

/// Finds the site that `start`, a folder or a file, belongs to.
///
/// Links in `start` are resolved; all paths of the answer are real ones. Fails with a [`NotFound`] whose
/// message says on one line where was looked and for what.
pub fn detect(start: &Path) -> Result<Detection, NotFound> {
    search::from(start)
}

/// One platform's way to look at a folder.
struct Detector {
    platform: Platform,
    /// What it looks for, in words for a message.
    signs: &'static str,
    examine: fn(&Folder) -> Evidence,
}

/// In the order in which equal scores are reported.
static DETECTORS: [Detector; 8] = [
    wordpress::DETECTOR,
    drupal::DETECTOR,
    joomla::DETECTOR,
    magento::DETECTOR,
    prestashop::DETECTOR,
    opencart::DETECTOR,
    laravel::DETECTOR,
    symfony::DETECTOR,
];

/// Recognises relatives of the platforms that no tool can read, so that the message names them.
static STRANGERS: [(Platform, Stranger); 3] = [
    (Platform::Drupal, drupal::stranger),
    (Platform::Joomla, joomla::stranger),
    (Platform::Magento, magento::stranger),
];

/// Names the relative that a folder holds, if it is one.
type Stranger = fn(&Folder) -> Option<&'static str>;
