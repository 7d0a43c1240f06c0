//! Recognises Joomla 4 and later.
//!
//! `configuration.php` declares the class `JConfig`; the version stands in the manifest
//! `administrator/manifests/files/joomla.xml` and in the constants of `libraries/src/Version.php`. One of
//! the two kinds alone is not a site: a lone configuration may be a copy, code without one is not
//! installed yet and recognised by the code.

use std::path::PathBuf;

use super::evidence::{Evidence, Findings};
use super::folder::{Folder, version};
use super::{Detector, Platform};

pub(super) const DETECTOR: Detector = Detector {
    platform: Platform::Joomla,
    signs: "configuration.php with JConfig, administrator/manifests/files/joomla.xml",
    examine,
};

const MANIFEST: &str = "administrator/manifests/files/joomla.xml";
/// Usual names of a public folder.
const PUBLIC: [&str; 5] = ["public", "public_html", "web", "htdocs", "www"];
const VERSION: &str = "libraries/src/Version.php";

fn examine(folder: &Folder) -> Evidence {
    let mut findings = Findings::new(Platform::Joomla, folder);
    if configured(folder) {
        findings.config("configuration.php");
        findings.mark("configuration.php", 40, "declares JConfig");
    }
    let manifest = manifest_version(folder);
    if findings.file(MANIFEST, 40, "Joomla's manifest") {
        findings.version(manifest.map(|version| (version, MANIFEST.to_owned())));
    }
    if let Some(stated) = constants(folder) {
        findings.mark(VERSION, 30, "states Joomla's version");
        findings.version(Some((stated, VERSION.to_owned())));
    }
    findings.file("includes/framework.php", 10, "Joomla's start");
    findings.file("administrator/index.php", 5, "Joomla's administration");
    findings.file("libraries/bootstrap.php", 10, "Joomla's libraries");
    findings.file("cli/joomla.php", 10, "Joomla's command line");
    if findings.sum() > 0
        && let Some(public) = PUBLIC.into_iter().find(|public| is_public(folder, public))
    {
        findings.mark(format!("{public}/defines.php"), 0, "Joomla's public folder");
        findings.docroot(public);
    }
    findings.finish()
}

/// Whether it is the public folder that Joomla 5 makes on request.
fn is_public(folder: &Folder, path: &str) -> bool {
    folder.php(&format!("{path}/defines.php")).is_some_and(|php| php.defines("JPATH_PUBLIC"))
}

fn configured(folder: &Folder) -> bool {
    folder.php("configuration.php").is_some_and(|php| php.declares_class("JConfig"))
}

/// The content of the manifest's first `<version>` element outside comments.
fn manifest_version(folder: &Folder) -> Option<String> {
    let text = folder.text(MANIFEST)?;
    let mut rest = text.as_str();
    loop {
        let (comment, element) = (rest.find("<!--"), rest.find("<version>")?);
        match comment {
            Some(start) if start < element => {
                rest = rest.get(start..)?;
                rest = rest.get(rest.find("-->")?..)?;
            }
            _ => {
                let content = rest.get(element + "<version>".len()..)?;
                return version(content.split('<').next()?);
            }
        }
    }
}

fn constants(folder: &Folder) -> Option<String> {
    let php = folder.php(VERSION)?;
    let part = |name: &str| php.constant(name);
    let number = format!("{}.{}.{}", part("MAJOR_VERSION")?, part("MINOR_VERSION")?, part("PATCH_VERSION")?);
    match part("EXTRA_VERSION") {
        Some(extra) if !extra.is_empty() => version(&format!("{number}-{extra}")),
        _ => version(&number),
    }
}

/// Joomla up to 3 has other tables and other manifests.
pub(super) fn stranger(folder: &Folder) -> Option<&'static str> {
    if !configured(folder) {
        return None;
    }
    let stated = manifest_version(folder).or_else(|| constants(folder));
    let old = match stated.as_deref().and_then(|version| version.split('.').next()) {
        Some(major) => matches!(major, "1" | "2" | "3"),
        None => folder.is_file("libraries/cms/version/version.php"),
    };
    old.then_some("Joomla 3 or older")
}

/// Joomla 5 may be served from a public folder, whose start-up file names the real one.
pub(super) fn named_root(folder: &Folder) -> Option<PathBuf> {
    let named =
        ["defines.php", "index.php"].into_iter().find_map(|path| folder.php(path)?.constant("JPATH_ROOT"))?;
    Some(PathBuf::from(named)).filter(|path| path.is_absolute())
}
