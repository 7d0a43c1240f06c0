//! What Composer's files say: the project's name and requirements, and the versions that are locked.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

/// `composer.json`. Any part may be missing or of another shape: PHP writes an empty map as a list.
#[derive(Debug, Default)]
pub(super) struct Composer(Value);

impl Composer {
    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok().filter(Value::is_object).map(Self)
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.0.get("name")?.as_str()
    }

    pub(super) fn version(&self) -> Option<&str> {
        self.0.get("version")?.as_str()
    }

    /// The version constraint of a required package.
    pub(super) fn requires(&self, package: &str) -> Option<&str> {
        self.0.get("require")?.get(package)?.as_str()
    }

    /// The first of these packages that is required.
    pub(super) fn requires_any<'a>(&self, packages: &[&'a str]) -> Option<&'a str> {
        packages.iter().copied().find(|package| self.requires(package).is_some())
    }

    /// A value under `extra`.
    pub(super) fn extra(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self.0.get("extra")?, |value, key| value.get(key))
    }
}

/// The packages of `composer.lock` or of `vendor/composer/installed.json`, by name.
#[derive(Debug, Default)]
pub(super) struct Packages {
    versions: HashMap<String, String>,
    source: &'static str,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    version: String,
}

/// Composer 1 wrote `installed.json` as a bare list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed {
    Under { packages: Vec<Package> },
    Bare(Vec<Package>),
}

impl Packages {
    pub(super) fn parse(json: &[u8], source: &'static str) -> Option<Self> {
        let (Listed::Under { packages } | Listed::Bare(packages)) = serde_json::from_slice(json).ok()?;
        let versions = packages.into_iter().map(|package| (package.name, package.version)).collect();
        Some(Self { versions, source })
    }

    pub(super) fn has(&self, package: &str) -> bool {
        self.versions.contains_key(package)
    }

    /// The version of the first of these packages that is installed, and where it is stated.
    pub(super) fn version(&self, packages: &[&str]) -> Option<(String, String)> {
        packages.iter().find_map(|package| {
            let version = super::folder::version(self.versions.get(*package)?)?;
            Some((version, format!("{} ({package})", self.source)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_shapes_are_lost_evidence_not_errors() {
        let empty = Composer::parse(br#"{"require": [], "extra": []}"#).unwrap();
        assert_eq!((empty.requires("a/b"), empty.extra(&["x"]), empty.name()), (None, None, None));
        assert!(Composer::parse(b"[]").is_none());
        assert!(Composer::parse(b"{").is_none());
        assert!(Composer::parse("[".repeat(100_000).as_bytes()).is_none());
        assert!(Packages::parse(br#"{"packages": 1}"#, "").is_none());
        assert!(Packages::parse("[".repeat(100_000).as_bytes(), "").is_none());
    }

    #[test]
    fn versions_come_from_the_lock_in_either_shape() {
        for json in [
            r#"{"content-hash": "x", "packages": [{"name": "a/b", "version": "v1.2.3", "type": "library"}]}"#,
            r#"[{"name": "a/b", "version": "v1.2.3"}]"#,
        ] {
            let packages = Packages::parse(json.as_bytes(), "composer.lock").unwrap();
            assert_eq!(
                packages.version(&["no/such", "a/b"]),
                Some(("1.2.3".into(), "composer.lock (a/b)".into()))
            );
            assert!(packages.has("a/b") && !packages.has("a/c"));
        }
    }
}
