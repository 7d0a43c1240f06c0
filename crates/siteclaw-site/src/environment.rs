//! Where the configuration's `getenv()` gets its answers.
//!
//! The operator's env file comes first, then the variables of the process, then the site's own files, in
//! the dialect and order of its platform. What a file leaves unreadable is a note, never an end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use siteclaw_core::Secret;
use siteclaw_php::dotenv::{Dialect, Dotenv, MAX_FILE_BYTES};
use siteclaw_php::{Environment, LayeredEnvironment, Source, SourceError};
use siteclaw_tools::root::Root;

use crate::attach::AttachOptions;
use crate::files::SiteFiles;
use crate::secrets;
use crate::watch::Watch;

/// Where containers mount single secrets.
const SECRET_FOLDERS: [&str; 2] = ["/run/secrets", "/var/run/secrets"];

/// Variables by layer, and the files they came from.
pub(crate) struct Variables {
    explicit: BTreeMap<String, String>,
    site: BTreeMap<String, String>,
    /// Variables that a site's file sets to something that only a command could tell.
    pub(crate) unknown: BTreeSet<String>,
    /// The operator's env file could not be read: what to say about it.
    pub(crate) problem: Option<String>,
    /// What a person should know about the site's files.
    pub(crate) notes: Vec<String>,
    /// Files whose change makes the answers stale, those among them that are not there yet.
    pub(crate) files: Watch,
    /// Whether one of the site's files was read.
    pub(crate) found: bool,
}

impl Variables {
    /// The operator's env file alone.
    pub(crate) fn explicit(options: &AttachOptions) -> Self {
        let mut variables = Self {
            explicit: BTreeMap::new(),
            site: BTreeMap::new(),
            unknown: BTreeSet::new(),
            problem: None,
            notes: Vec::new(),
            files: Watch::default(),
            found: false,
        };
        if let Some(path) = &options.env_file {
            variables.files.note(path);
            match read_plain(path) {
                Ok(values) => variables.explicit = values,
                Err(reason) => {
                    variables.problem =
                        Some(format!("The env_file {} cannot be read: {reason}.", path.display()));
                }
            }
        }
        variables
    }

    /// With the `.env` files of these folders, later ones winning: those of containers and of Bedrock.
    pub(crate) fn plain(root: &Root, folders: &[PathBuf], options: &AttachOptions) -> Self {
        let mut variables = Self::explicit(options);
        let mut reader = Reader::new(root, &variables, options, Dialect::Plain);
        for folder in folders {
            for name in [".env", ".env.local"] {
                reader.file(&mut variables, &folder.join(name), options);
            }
        }
        // Such a file may be written for a container alone, so its odd lines are nobody's trouble.
        variables.take(reader, false);
        variables
    }

    /// As Laravel chooses: `.env.<APP_ENV>` where the process names an environment that has such a file,
    /// else `.env`.
    pub(crate) fn laravel(root: &Root, options: &AttachOptions) -> Self {
        let mut variables = Self::explicit(options);
        let mut reader = Reader::new(root, &variables, options, Dialect::Laravel);
        let named = variables.real(options).get("APP_ENV").filter(|name| !name.is_empty());
        let particular = named.map(|name| root.path().join(format!(".env.{name}")));
        if !particular.is_some_and(|path| reader.file(&mut variables, &path, options)) {
            reader.file(&mut variables, &root.path().join(".env"), options);
        }
        variables.take(reader, true);
        variables
    }

    /// As Symfony's cascade goes: `.env` (or `.env.dist`), `.env.local` except in tests, then both of the
    /// environment that is named by then, which the local file may have changed.
    pub(crate) fn symfony(root: &Root, options: &AttachOptions) -> Self {
        let mut variables = Self::explicit(options);
        let mut reader = Reader::new(root, &variables, options, Dialect::Symfony);
        let folder = root.path();
        if !reader.file(&mut variables, &folder.join(".env"), options) {
            reader.file(&mut variables, &folder.join(".env.dist"), options);
        }
        if reader.app_env(&variables, options) != "test" {
            reader.file(&mut variables, &folder.join(".env.local"), options);
        }
        let name = reader.app_env(&variables, options);
        if name != "local" {
            reader.file(&mut variables, &folder.join(format!(".env.{name}")), options);
            reader.file(&mut variables, &folder.join(format!(".env.{name}.local")), options);
        }
        variables.take(reader, true);
        variables
    }

    /// Puts values that were dumped beforehand in the place of the site's files.
    pub(crate) fn replace_site(&mut self, values: BTreeMap<String, String>) {
        self.site = values;
        self.unknown.clear();
        self.notes.clear();
        self.found = true;
    }

    /// The layers in the order in which they are asked: the operator's file, the process, the site's files.
    pub(crate) fn environment<'a>(&self, options: &'a AttachOptions) -> LayeredEnvironment<'a> {
        self.real(options).with_values(self.site.clone())
    }

    /// The layers above the site's files.
    pub(crate) fn real<'a>(&self, options: &'a AttachOptions) -> LayeredEnvironment<'a> {
        let environment = LayeredEnvironment::new().with_values(self.explicit.clone());
        match &options.process_env {
            Some(process) => environment.with_process(move |name| process(name)),
            None => environment,
        }
    }

    /// Files that a `NAME_FILE` variable may name: those of the operator's own env file, and the folders in
    /// which containers mount secrets. A configuration alone cannot have any other file read as a value.
    pub(crate) fn secret_files(&self, options: &AttachOptions) -> Vec<PathBuf> {
        let named = self.explicit.iter().filter(|(name, _)| name.ends_with("_FILE")).map(|(_, path)| path);
        let mounted = SECRET_FOLDERS.iter().map(PathBuf::from);
        named.map(PathBuf::from).chain(mounted).chain(options.trust.iter().cloned()).collect()
    }

    /// Values that must not leave: those whose names say so, and passwords within addresses.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let all = self.explicit.iter().chain(&self.site);
        all.flat_map(|(name, value)| secrets::of_text(name, value)).collect()
    }

    fn take(&mut self, reader: Reader, notes: bool) {
        self.unknown = reader.env.unknown().clone();
        if notes {
            self.notes.extend(reader.notes);
        }
        self.site = reader.env.into_values();
    }
}

/// Reads the site's files one after the other.
struct Reader {
    files: SiteFiles,
    env: Dotenv,
    notes: Vec<String>,
}

impl Reader {
    fn new(root: &Root, variables: &Variables, options: &AttachOptions, dialect: Dialect) -> Self {
        let files = SiteFiles::new(root.clone(), options.trust.clone(), variables.files.clone());
        Self { files, env: Dotenv::new(dialect), notes: Vec::new() }
    }

    /// Reads a file if it is there, and tells whether it is.
    fn file(&mut self, variables: &mut Variables, path: &Path, options: &AttachOptions) -> bool {
        let bytes = match self.files.read(path) {
            Ok(bytes) => bytes,
            Err(SourceError::NotFound) => return false,
            Err(error) => {
                self.notes.push(match error {
                    SourceError::Refused => format!(
                        "{} is a link that leads out of the site, so it was not read. To read it, add what it \
                         leads to: [site] trust in your siteclaw.toml.",
                        path.display()
                    ),
                    _ => format!("{} cannot be read.", path.display()),
                });
                return true;
            }
        };
        let Ok(text) = String::from_utf8(bytes) else {
            self.notes.push(format!("{} is not UTF-8, so it was not read.", path.display()));
            return true;
        };
        let before = self.env.problems().len();
        if let Err(error) = self.env.read_with(&text, &variables.real(options)) {
            self.notes.push(format!("{}: {error}.", path.display()));
            return true;
        }
        variables.found = true;
        for problem in self.env.problems().iter().skip(before) {
            let name = problem.name.as_deref().map(|name| format!(" {name}:")).unwrap_or_default();
            self.notes.push(format!("{} line {}:{name} {}.", path.display(), problem.line, problem.reason));
        }
        true
    }

    fn app_env(&self, variables: &Variables, options: &AttachOptions) -> String {
        let real = variables.real(options).get("APP_ENV");
        real.or_else(|| self.env.get("APP_ENV").map(str::to_owned)).unwrap_or_else(|| "dev".to_owned())
    }
}

fn read_plain(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let length = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > MAX_FILE_BYTES as u64 {
        return Err(format!("it is longer than {MAX_FILE_BYTES} bytes"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut env = Dotenv::new(Dialect::Plain);
    env.read(&text).map_err(|error| error.to_string())?;
    Ok(env.into_values())
}
