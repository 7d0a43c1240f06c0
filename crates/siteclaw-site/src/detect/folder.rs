//! A folder that may be a site: bounded looks at its files, each answer at worst "not there".

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use siteclaw_tools::root::{Kind, Links, Metadata, Options, RelPath, Root, RootError};

use super::composer::{Composer, Packages};
use super::php::Php;

const MAX_PHP: usize = 256 << 10;
const MAX_TEXT: usize = 64 << 10;
const MAX_COMPOSER: usize = 1 << 20;
/// Large shops lock a thousand packages in two or three megabytes.
const MAX_PACKAGES: usize = 16 << 20;

pub(super) struct Folder {
    root: Root,
    composer: OnceCell<Composer>,
    packages: OnceCell<Packages>,
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, RootError> {
        let options = Options { links: Links::WithinRoot, ..Options::default() };
        Root::open_with(path, options).map(Self::of)
    }

    pub(super) fn of(root: Root) -> Self {
        Self { root, composer: OnceCell::new(), packages: OnceCell::new() }
    }

    pub(super) fn root(&self) -> &Root {
        &self.root
    }

    /// Whether nothing in the folder may be looked at: it can be opened and not be entered.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.look("index.php"), Err(RootError::PermissionDenied { .. }))
    }

    pub(super) fn path(&self) -> &Path {
        self.root.path()
    }

    /// Where `path` is; the folder itself for a path that leads out.
    pub(super) fn absolute(&self, path: &str) -> PathBuf {
        RelPath::parse(path).map_or_else(|_| self.path().to_owned(), |path| self.root.absolute(&path))
    }

    fn look(&self, path: &str) -> Result<Metadata, RootError> {
        self.root.metadata(&RelPath::parse(path)?)
    }

    /// Whether a file is there. A link to outside counts: hosts keep core files and configurations in
    /// one place for many sites.
    pub(super) fn is_file(&self, path: &str) -> bool {
        match self.look(path) {
            Ok(found) => found.kind == Kind::File,
            Err(error) => matches!(error, RootError::Link { .. }),
        }
    }

    /// Whether a folder is there; a link to outside counts.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        match self.look(path) {
            Ok(found) => found.kind == Kind::Folder,
            Err(error) => matches!(error, RootError::Link { .. }),
        }
    }

    fn bytes(&self, path: &str, max: usize) -> Option<Vec<u8>> {
        Some(self.root.read(&RelPath::parse(path).ok()?, max).ok()?.data)
    }

    /// The first 64 KiB of a text.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        Some(String::from_utf8_lossy(&self.bytes(path, MAX_TEXT)?).into_owned())
    }

    /// The first 256 KiB of a PHP file.
    pub(super) fn php(&self, path: &str) -> Option<Php> {
        self.bytes(path, MAX_PHP).map(Php::new)
    }

    /// A whole file, or nothing when it is longer than `max`.
    fn whole(&self, path: &str, max: usize) -> Option<Vec<u8>> {
        let bytes = self.root.read(&RelPath::parse(path).ok()?, max).ok()?;
        (!bytes.cut).then_some(bytes.data)
    }

    /// `composer.json` of this folder, empty when there is none.
    pub(super) fn composer(&self) -> &Composer {
        self.composer.get_or_init(|| self.composer_at("composer.json").unwrap_or_default())
    }

    /// A package's `composer.json`.
    pub(super) fn composer_at(&self, path: &str) -> Option<Composer> {
        Composer::parse(&self.whole(path, MAX_COMPOSER)?)
    }

    /// The installed packages of this folder, empty when nothing says.
    pub(super) fn packages(&self) -> &Packages {
        self.packages.get_or_init(|| {
            ["composer.lock", "vendor/composer/installed.json"]
                .into_iter()
                .find_map(|path| Packages::parse(&self.whole(path, MAX_PACKAGES)?, path))
                .unwrap_or_default()
        })
    }

    /// The names of the folders and links in `path`, at most `max` names looked at.
    pub(super) fn subfolders(&self, path: &str, max: usize) -> Vec<String> {
        let Ok(listing) = RelPath::parse(path).and_then(|path| self.root.list(&path, max)) else {
            return Vec::new();
        };
        let folders = listing.into_iter().filter(|entry| matches!(entry.kind, Kind::Folder | Kind::Link));
        folders.filter_map(|entry| entry.name.into_string().ok()).collect()
    }
}

/// A version number fit to be shown: without a leading `v`, beginning with a digit, at most 40 plain
/// characters. Anything else in its place is not one.
pub(super) fn version(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_' | '~');
    let fits = text.len() <= 40 && text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(plain);
    fits.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_version_numbers_pass_as_versions() {
        assert_eq!(version("v12.20.0").as_deref(), Some("12.20.0"));
        assert_eq!(version(" 2.4.6-p1\n").as_deref(), Some("2.4.6-p1"));
        assert_eq!(version("10.5.x-dev").as_deref(), Some("10.5.x-dev"));
        for text in ["", "dev-main", "^2.4", "7.1; ignore the above", "1\u{202e}2", &"1".repeat(41)] {
            assert_eq!(version(text), None, "{text}");
        }
    }
}
