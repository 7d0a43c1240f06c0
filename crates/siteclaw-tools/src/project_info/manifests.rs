//! Projects of Composer, npm, Cargo and Python, told from their manifests, with the versions that their locks
//! state.
//!
//! Nothing is run and nothing is fetched. Each file is read to a bound; one that is longer, missing or broken is
//! a part that is not known, and never an error.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::root::{RelPath, Root};

/// The most bytes of a manifest.
const MAX_MANIFEST: usize = 1024 * 1024;
/// The most bytes of a lock: large shops lock a thousand packages in two or three megabytes.
const MAX_LOCK: usize = 16 * 1024 * 1024;
/// Characters of a name or version that are shown.
const MAX_WORD: usize = 120;

/// A project in the folder.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Project {
    /// composer, npm, cargo or python.
    pub ecosystem: &'static str,
    /// Its name, if the manifest states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version, if the manifest states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The file that shows it.
    pub manifest: &'static str,
    /// The file that states the versions, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<&'static str>,
    /// How many packages the lock, or else the manifest, names.
    pub packages: usize,
}

/// A package that a project uses.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// composer, npm, cargo or python.
    pub ecosystem: &'static str,
    /// Its name.
    pub name: String,
    /// The locked version, else what the manifest asks for.
    pub version: String,
    /// Whether only development needs it.
    pub dev: bool,
}

/// Looks for projects in the folder itself. Packages are sorted by ecosystem and name.
pub(super) fn find(root: &Root, folder: &RelPath) -> (Vec<Project>, Vec<Package>) {
    let files = Files { root, folder };
    let found = [composer(&files), npm(&files), cargo(&files), python(&files)];
    let mut projects = Vec::new();
    let mut all = Vec::new();
    for (mut project, mut packages) in found.into_iter().flatten() {
        packages.sort();
        packages.dedup();
        project.packages = packages.len();
        projects.push(project);
        all.extend(packages);
    }
    (projects, all)
}

type Found = Option<(Project, Vec<Package>)>;

struct Files<'a> {
    root: &'a Root,
    folder: &'a RelPath,
}

impl Files<'_> {
    fn text(&self, name: &str, max: usize) -> Option<String> {
        let bytes = self.root.read(&self.folder.join(name).ok()?, max).ok()?;
        if bytes.cut { None } else { String::from_utf8(bytes.data).ok() }
    }

    fn json<T: for<'a> Deserialize<'a>>(&self, name: &str, max: usize) -> Option<T> {
        serde_json::from_str(&self.text(name, max)?).ok()
    }

    fn toml<T: for<'a> Deserialize<'a>>(&self, name: &str, max: usize) -> Option<T> {
        toml::from_str(&self.text(name, max)?).ok()
    }

    fn is_there(&self, name: &str) -> bool {
        self.folder.join(name).is_ok_and(|path| self.root.exists(&path))
    }
}

/// A word of a file, fit to be shown.
fn word(text: &str) -> String {
    siteclaw_core::sanitise_fragment(text.trim(), MAX_WORD)
}

fn package(ecosystem: &'static str, name: &str, version: &str, dev: bool) -> Package {
    Package { ecosystem, name: word(name), version: word(version), dev }
}

/// What a manifest asks for, where no lock says more.
fn wished(ecosystem: &'static str, wishes: &BTreeMap<String, Value>, dev: bool) -> Vec<Package> {
    wishes
        .iter()
        .map(|(name, wish)| {
            let version = wish.as_str().or_else(|| wish.get("version").and_then(Value::as_str));
            package(ecosystem, name, version.unwrap_or("*"), dev)
        })
        .collect()
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ComposerManifest {
    name: Option<String>,
    version: Option<String>,
    // PHP writes an empty map as a list.
    require: Value,
    #[serde(rename = "require-dev")]
    require_dev: Value,
}

#[derive(Deserialize)]
struct ComposerLock {
    packages: Vec<Locked>,
    #[serde(rename = "packages-dev", default)]
    packages_dev: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    #[serde(default)]
    version: String,
}

fn composer(files: &Files<'_>) -> Found {
    let manifest = files.json::<ComposerManifest>("composer.json", MAX_MANIFEST);
    let lock = files.json::<ComposerLock>("composer.lock", MAX_LOCK);
    if manifest.is_none() && lock.is_none() {
        return None;
    }
    let lock_name = lock.is_some().then_some("composer.lock");
    let shown = if manifest.is_some() { "composer.json" } else { "composer.lock" };
    let manifest = manifest.unwrap_or_default();
    let packages = match lock {
        Some(lock) => {
            let listed = |packages: Vec<Locked>, dev| {
                packages
                    .into_iter()
                    .map(move |locked| package("composer", &locked.name, &locked.version, dev))
            };
            listed(lock.packages, false).chain(listed(lock.packages_dev, true)).collect()
        }
        None => {
            let map = |value: &Value| {
                value.as_object().map(|map| map.clone().into_iter().collect()).unwrap_or_default()
            };
            let mut all = wished("composer", &map(&manifest.require), false);
            all.extend(wished("composer", &map(&manifest.require_dev), true));
            // What must be there of the machine is no package.
            all.retain(|package| package.name.contains('/'));
            all
        }
    };
    Some((project("composer", manifest.name, manifest.version, shown, lock_name), packages))
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct NpmManifest {
    name: Option<String>,
    version: Option<String>,
    dependencies: BTreeMap<String, Value>,
    dev_dependencies: BTreeMap<String, Value>,
}

/// Versions 2 and 3 name packages by their place, version 1 by their name.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NpmLock {
    packages: BTreeMap<String, NpmLocked>,
    dependencies: BTreeMap<String, NpmLocked>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NpmLocked {
    version: Option<String>,
    dev: bool,
}

fn npm(files: &Files<'_>) -> Found {
    let manifest = files.json::<NpmManifest>("package.json", MAX_MANIFEST)?;
    let (lock_name, lock) = match files.json::<NpmLock>("package-lock.json", MAX_LOCK) {
        Some(lock) => (Some("package-lock.json"), Some(lock)),
        // The versions in these are not read; that they are there says which program is used.
        None => {
            (["yarn.lock", "pnpm-lock.yaml", "bun.lock"].into_iter().find(|name| files.is_there(name)), None)
        }
    };
    let mut packages = Vec::new();
    if let Some(lock) = &lock {
        for (place, locked) in &lock.packages {
            // The project itself has no place.
            if let (Some((_, name)), Some(version)) = (place.rsplit_once("node_modules/"), &locked.version) {
                packages.push(package("npm", name, version, locked.dev));
            }
        }
        if lock.packages.is_empty() {
            packages.extend(lock.dependencies.iter().filter_map(|(name, locked)| {
                Some(package("npm", name, locked.version.as_deref()?, locked.dev))
            }));
        }
    }
    if packages.is_empty() {
        packages = wished("npm", &manifest.dependencies, false);
        packages.extend(wished("npm", &manifest.dev_dependencies, true));
    }
    Some((project("npm", manifest.name, manifest.version, "package.json", lock_name), packages))
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct CargoManifest {
    package: Option<CargoPackage>,
    dependencies: BTreeMap<String, Value>,
    dev_dependencies: BTreeMap<String, Value>,
    build_dependencies: BTreeMap<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CargoPackage {
    name: Option<String>,
    /// A text, or `{ workspace = true }`.
    version: Value,
}

#[derive(Deserialize)]
struct TomlLock {
    #[serde(default)]
    package: Vec<TomlLocked>,
}

#[derive(Deserialize)]
struct TomlLocked {
    name: String,
    #[serde(default)]
    version: String,
    /// Packages from elsewhere name their source; the project's own do not.
    #[serde(default)]
    source: Option<Value>,
}

fn cargo(files: &Files<'_>) -> Found {
    let manifest = files.toml::<CargoManifest>("Cargo.toml", MAX_MANIFEST)?;
    let lock = files.toml::<TomlLock>("Cargo.lock", MAX_LOCK);
    let lock_name = lock.is_some().then_some("Cargo.lock");
    let packages = match lock {
        Some(lock) => {
            let foreign = lock.package.into_iter().filter(|locked| locked.source.is_some());
            foreign.map(|locked| package("cargo", &locked.name, &locked.version, false)).collect()
        }
        None => {
            let mut all = wished("cargo", &manifest.dependencies, false);
            all.extend(wished("cargo", &manifest.build_dependencies, true));
            all.extend(wished("cargo", &manifest.dev_dependencies, true));
            all
        }
    };
    let own = manifest.package.unwrap_or_default();
    let version = own.version.as_str().map(str::to_owned);
    Some((project("cargo", own.name, version, "Cargo.toml", lock_name), packages))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PyManifest {
    project: PyProject,
    tool: PyTools,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PyProject {
    name: Option<String>,
    version: Option<String>,
    dependencies: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PyTools {
    poetry: PyPoetry,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PyPoetry {
    name: Option<String>,
    version: Option<String>,
    dependencies: BTreeMap<String, Value>,
}

fn python(files: &Files<'_>) -> Found {
    let manifest = files.toml::<PyManifest>("pyproject.toml", MAX_MANIFEST);
    let requirements = files.text("requirements.txt", MAX_MANIFEST);
    if manifest.is_none() && requirements.is_none() {
        return None;
    }
    let shown = if manifest.is_some() { "pyproject.toml" } else { "requirements.txt" };
    let manifest = manifest.unwrap_or_default();
    let locked = ["poetry.lock", "uv.lock"]
        .into_iter()
        .find_map(|name| Some((name, files.toml::<TomlLock>(name, MAX_LOCK)?)));
    let own = manifest.project.name.clone().or_else(|| manifest.tool.poetry.name.clone());
    let (lock_name, packages) = match locked {
        Some((name, lock)) => {
            let foreign = lock.package.iter().filter(|locked| Some(&locked.name) != own.as_ref());
            (
                Some(name),
                foreign.map(|locked| package("python", &locked.name, &locked.version, false)).collect(),
            )
        }
        None => {
            let lines = manifest.project.dependencies.iter().map(String::as_str);
            let listed = requirements.as_deref().unwrap_or_default().lines();
            let mut packages: Vec<Package> = lines.chain(listed).filter_map(requirement).collect();
            packages.extend(
                wished("python", &manifest.tool.poetry.dependencies, false)
                    .into_iter()
                    .filter(|package| package.name != "python"),
            );
            (None, packages)
        }
    };
    let version = manifest.project.version.or(manifest.tool.poetry.version);
    Some((project("python", own, version, shown, lock_name), packages))
}

/// One requirement by PEP 508: a name, then what the version must be.
fn requirement(line: &str) -> Option<Package> {
    let line = line.split('#').next().unwrap_or_default();
    let line = line.split(';').next().unwrap_or_default().trim();
    // Options, other files and addresses name no package.
    if line.is_empty() || line.starts_with('-') || line.contains("://") {
        return None;
    }
    let end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let rest = if rest.starts_with('[') { rest.split_once(']').map_or("", |(_, rest)| rest) } else { rest };
    let version = rest.trim();
    let version = version.strip_prefix("==").map_or(version, str::trim);
    let version = if version.is_empty() { "*" } else { version };
    (!name.is_empty()).then(|| package("python", name, version, false))
}

fn project(
    ecosystem: &'static str,
    name: Option<String>,
    version: Option<String>,
    manifest: &'static str,
    lock: Option<&'static str>,
) -> Project {
    let shown = |text: Option<String>| text.map(|text| word(&text));
    Project { ecosystem, name: shown(name), version: shown(version), manifest, lock, packages: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> (Vec<Project>, Vec<(String, String, bool)>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let (projects, packages) = find(&Root::open(folder.path()).unwrap(), &RelPath::root());
        (projects, packages.into_iter().map(|p| (p.name, p.version, p.dev)).collect())
    }

    fn three(name: &str, version: &str, dev: bool) -> (String, String, bool) {
        (name.to_owned(), version.to_owned(), dev)
    }

    #[test]
    fn composer_is_read_with_and_without_its_lock() {
        let manifest = r#"{"name": "shop/site", "version": "2.1", "require": {"php": ">=8.2", "a/b": "^1.0"}, "require-dev": {"c/d": "*"}}"#;
        let (projects, packages) = found(&[("composer.json", manifest)]);
        assert_eq!(packages, [three("a/b", "^1.0", false), three("c/d", "*", true)]);
        assert_eq!(
            (projects[0].name.as_deref(), projects[0].version.as_deref(), projects[0].lock),
            (Some("shop/site"), Some("2.1"), None)
        );
        let lock = r#"{"packages": [{"name": "z/z", "version": "v3"}, {"name": "a/b", "version": "1.2.3", "source": {}}], "packages-dev": [{"name": "c/d", "version": "9"}]}"#;
        let (projects, packages) = found(&[("composer.json", manifest), ("composer.lock", lock)]);
        assert_eq!(
            packages,
            [three("a/b", "1.2.3", false), three("c/d", "9", true), three("z/z", "v3", false)]
        );
        assert_eq!((projects[0].lock, projects[0].packages), (Some("composer.lock"), 3));
        assert_eq!(found(&[("composer.json", r#"{"require": []}"#)]).1, []);
        assert_eq!(found(&[("composer.lock", lock)]).0[0].manifest, "composer.lock");
    }

    #[test]
    fn npm_is_read_in_all_versions_of_its_lock() {
        let manifest = (
            "package.json",
            r#"{"name": "theme", "version": "1.0.0", "dependencies": {"a": "^1"}, "devDependencies": {"b": "~2"}}"#,
        );
        assert_eq!(found(&[manifest]).1, [three("a", "^1", false), three("b", "~2", true)]);
        let third = r#"{"lockfileVersion": 3, "packages": {"": {"version": "1.0.0"}, "node_modules/a": {"version": "1.5.0"}, "node_modules/@x/b/node_modules/c": {"version": "2.0.0", "dev": true}}}"#;
        assert_eq!(
            found(&[manifest, ("package-lock.json", third)]).1,
            [three("a", "1.5.0", false), three("c", "2.0.0", true)]
        );
        let first = r#"{"lockfileVersion": 1, "dependencies": {"a": {"version": "1.4.0"}}}"#;
        assert_eq!(found(&[manifest, ("package-lock.json", first)]).1, [three("a", "1.4.0", false)]);
        assert_eq!(found(&[manifest, ("yarn.lock", "# yarn")]).0[0].lock, Some("yarn.lock"));
    }

    #[test]
    fn cargo_and_python_are_read() {
        let manifest = (
            "Cargo.toml",
            "[package]\nname = \"tool\"\nversion.workspace = true\n[dependencies]\na = { version = \"1\", features = [] }\nb = { path = \"b\" }\n[dev-dependencies]\nc = \"2\"\n",
        );
        let (projects, packages) = found(&[manifest]);
        assert_eq!(packages, [three("a", "1", false), three("b", "*", false), three("c", "2", true)]);
        assert_eq!((projects[0].name.as_deref(), projects[0].version.as_deref()), (Some("tool"), None));
        let lock = "[[package]]\nname = \"tool\"\nversion = \"0.1.0\"\n[[package]]\nname = \"a\"\nversion = \"1.2.0\"\nsource = \"registry+x\"\n";
        assert_eq!(found(&[manifest, ("Cargo.lock", lock)]).1, [three("a", "1.2.0", false)]);

        let requirements = "# comment\n-r other.txt\nDjango[argon2] >= 5.0 ; python_version > '3'\nrequests==2.32.0\nplain\ngit+https://x.example/y\n";
        let (projects, packages) = found(&[("requirements.txt", requirements)]);
        assert_eq!(
            packages,
            [
                three("Django", ">= 5.0", false),
                three("plain", "*", false),
                three("requests", "2.32.0", false)
            ]
        );
        assert_eq!(projects[0].manifest, "requirements.txt");
        let poetry = "[tool.poetry]\nname = \"job\"\nversion = \"3\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\nflask = \"^3\"\n";
        let (projects, packages) = found(&[("pyproject.toml", poetry)]);
        assert_eq!(
            (projects[0].version.as_deref(), packages),
            (Some("3"), vec![three("flask", "^3", false)])
        );
        let locked = "[[package]]\nname = \"flask\"\nversion = \"3.1.0\"\n";
        assert_eq!(
            found(&[("pyproject.toml", poetry), ("poetry.lock", locked)]).1,
            [three("flask", "3.1.0", false)]
        );
    }

    #[test]
    fn broken_hostile_and_endless_manifests_are_parts_that_are_not_known() {
        let deep = "[".repeat(100_000);
        let deep_toml = format!("a = {deep}");
        let long = format!("{{\"name\": \"{}\"}}", "x".repeat(MAX_MANIFEST));
        for text in ["", "{", "[]", "null", &deep, &deep_toml, &long] {
            let (projects, packages) = found(&[
                ("composer.json", text),
                ("package.json", text),
                ("Cargo.toml", text),
                ("pyproject.toml", text),
            ]);
            assert!(packages.is_empty(), "{projects:?}");
        }
        let odd = r#"{"name": "a\u0000b\u202ec", "dependencies": {"x\ny": {"z": 1}}}"#;
        let (projects, packages) = found(&[("package.json", odd)]);
        assert_eq!((projects[0].name.as_deref(), packages), (Some("a?b?c"), vec![three("x?y", "*", false)]));
        assert_eq!(found(&[]), (vec![], vec![]));
    }
}
