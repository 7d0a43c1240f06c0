//! A site in memory: files under `/srv/site`, everything else refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siteclaw_php::{Config, Options, PhpError, PhpValue, Source, SourceError, evaluate};

pub(crate) const ROOT: &str = "/srv/site";

#[derive(Default)]
pub(crate) struct Site {
    files: BTreeMap<PathBuf, Vec<u8>>,
    outside: BTreeMap<PathBuf, Vec<u8>>,
    environment: BTreeMap<String, String>,
    variables: BTreeMap<String, PhpValue>,
    laravel: bool,
}

impl Site {
    /// One file.
    pub(crate) fn of(path: &str, text: impl Into<Vec<u8>>) -> Self {
        Self::default().file(path, text)
    }

    pub(crate) fn file(mut self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.files.insert(Path::new(ROOT).join(path), text.into());
        self
    }

    /// A file outside the root that only the trusted source opens.
    pub(crate) fn secret_file(mut self, path: &str, text: &str) -> Self {
        self.outside.insert(PathBuf::from(path), text.as_bytes().to_vec());
        self
    }

    pub(crate) fn env(mut self, pairs: &[(&str, &str)]) -> Self {
        self.environment.extend(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl Into<PhpValue>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn laravel(mut self) -> Self {
        self.laravel = true;
        self
    }

    pub(crate) fn try_read(&self, path: &str) -> Result<Config, PhpError> {
        let options = Options {
            variables: &self.variables,
            trusted_files: (!self.outside.is_empty()).then_some(&self.outside as &dyn Source),
            laravel_root: self.laravel.then_some(Path::new(ROOT)),
            ..Options::default()
        };
        let source = Confined(&self.files);
        evaluate(&Path::new(ROOT).join(path), &source, &self.environment, &options)
    }

    pub(crate) fn read(&self, path: &str) -> Config {
        self.try_read(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

struct Confined<'a>(&'a BTreeMap<PathBuf, Vec<u8>>);

impl Source for Confined<'_> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, SourceError> {
        match path.starts_with(ROOT) {
            true => self.0.read(path),
            false => Err(SourceError::Refused),
        }
    }

    fn exists(&self, path: &Path) -> Result<bool, SourceError> {
        match path.starts_with(ROOT) {
            true => self.0.exists(path),
            false => Err(SourceError::Refused),
        }
    }
}

/// The one file `config.php`.
pub(crate) fn read(text: &str) -> Config {
    Site::of("config.php", text).read("config.php")
}

/// A constant as text; `None` when it is missing, `?` when it is unknown.
pub(crate) fn constant(config: &Config, name: &str) -> Option<String> {
    config.constant(name).map(shown)
}

/// A variable as text.
pub(crate) fn variable(config: &Config, name: &str) -> Option<String> {
    config.variable(name).map(shown)
}

/// A value as compact JSON, unknown ones as `?`.
pub(crate) fn shown(value: &PhpValue) -> String {
    match value {
        PhpValue::Unknown(_) => "?".to_owned(),
        PhpValue::Str(text) => text.to_lossy().into_owned(),
        other => other.to_json().to_string(),
    }
}

/// Names of what is unresolved, sorted.
pub(crate) fn unresolved(config: &Config) -> Vec<String> {
    let mut names: Vec<String> = config.unresolved.iter().map(|entry| entry.name.clone()).collect();
    names.sort();
    names
}

/// Checks constants; a `None` expectation means that the constant is not defined.
pub(crate) fn check_constants(config: &Config, expected: &[(&str, Option<&str>)]) {
    for (name, value) in expected {
        assert_eq!(constant(config, name).as_deref(), *value, "{name}");
    }
}
