//! Whether a web server may serve a folder. PHP that is written there would be run for anybody.
//!
//! The program cannot read every server's configuration, so the answer leans to yes: a folder counts as
//! served when it, or a folder above it, is known to be a site's, bears a name that hosts give to document
//! roots, or holds a file that only a document root has.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Names that hosts and servers give to document roots.
const NAMES: &[&str] = &[
    "public_html",
    "private_html",
    "htdocs",
    "httpdocs",
    "httpsdocs",
    "www",
    "wwwroot",
    "webroot",
    "html",
    "web",
    "public",
    "webspace",
    "docroot",
    "pub",
];

/// Files that configure a web server or belong to a site's own start: no tool writes them.
const CONTROL: &[&str] =
    &[".htaccess", ".user.ini", "web.config", "wp-load.php", "wp-config.php", "configuration.php"];

/// Files that a web server looks for in the folders that it serves. A project in the workspace has them too, so
/// they count in the folders above it only.
const INDEX: &[&str] = &["index.php", "index.html", "index.htm"];

/// Whether a web server may serve the folder, which need not exist yet.
pub(super) fn may_be(folder: &Path, known: &[impl AsRef<Path>]) -> bool {
    let existing = folder.ancestors().find_map(|path| path.canonicalize().ok());
    let named = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        NAMES.contains(&name.to_ascii_lowercase().as_str())
    };
    let of_site = |path: &Path| known.iter().any(|known| same(known.as_ref(), path));
    let holds =
        |path: &Path, files: &[&str]| files.iter().any(|file| path.join(file).symlink_metadata().is_ok());
    let own = folder.canonicalize().ok();
    // What is not there yet has a name only.
    folder.ancestors().any(named)
        || existing.iter().flat_map(|path| path.ancestors()).any(|path| {
            named(path)
                || of_site(path)
                || holds(path, CONTROL)
                || (Some(path) != own.as_deref() && holds(path, INDEX))
        })
}

/// Whether two paths are the same folder.
pub(super) fn same(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_sites_and_what_looks_like_them_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["plain/deep", "site/inner", "shop", "home/public_html/x"] {
            std::fs::create_dir_all(at(path)).unwrap();
        }
        std::fs::create_dir(at("shop/inner")).unwrap();
        std::fs::create_dir(at("other")).unwrap();
        std::fs::write(at("shop/index.php"), "").unwrap();
        std::fs::write(at("other/.htaccess"), "").unwrap();
        std::os::unix::fs::symlink(at("shop"), at("alias")).unwrap();
        let known = [at("site")];
        for served in [
            "site",
            "site/inner",
            "site/new",
            "shop/inner",
            "shop/new",
            "shop/inner/deeper",
            "other",
            "home/public_html/x",
            "alias/inner",
            "x/WWW/y",
        ] {
            assert!(may_be(&at(served), &known), "{served}");
        }
        for private in ["plain/deep", "new/folder", "home", "shop"] {
            assert!(!may_be(&at(private), &known), "{private}");
        }
    }
}
