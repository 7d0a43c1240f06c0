//! Where the configuration's `getenv()` gets its answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siteclaw_php::LayeredEnvironment;
use siteclaw_php::dotenv::{Dialect, Dotenv, MAX_FILE_BYTES};
use siteclaw_tools::root::{RelPath, Root};

use crate::attach::AttachOptions;

/// Where containers mount single secrets.
const SECRET_FOLDERS: [&str; 2] = ["/run/secrets", "/var/run/secrets"];

/// Variables by layer, and the files they came from.
pub(crate) struct Variables {
    explicit: BTreeMap<String, String>,
    site: BTreeMap<String, String>,
    /// The operator's env file could not be read: what to say about it.
    pub(crate) problem: Option<String>,
    /// Files whose change makes the answers stale.
    pub(crate) files: Vec<PathBuf>,
}

impl Variables {
    /// Reads the operator's env file and the site's own `.env` files.
    pub(crate) fn read(root: &Root, folders: &[PathBuf], options: &AttachOptions) -> Self {
        let mut variables =
            Self { explicit: BTreeMap::new(), site: BTreeMap::new(), problem: None, files: Vec::new() };
        if let Some(path) = &options.env_file {
            variables.files.push(path.clone());
            match read_plain(path) {
                Ok(values) => variables.explicit = values,
                Err(reason) => {
                    variables.problem =
                        Some(format!("The env_file {} cannot be read: {reason}.", path.display()));
                }
            }
        }
        let mut env = Dotenv::new(Dialect::Plain);
        for folder in folders {
            // Later files win: Bedrock's .env.local over .env.
            for name in [".env", ".env.local"] {
                let path = folder.join(name);
                let Ok(below) = root.relative(&path) else { continue };
                if let Some(text) = read_beneath(root, &below) {
                    variables.files.push(path);
                    // A bad line is reported by the reader and the rest is kept.
                    let _ = env.read(&text);
                }
            }
        }
        variables.site = env.into_values();
        variables
    }

    /// The layers in the order in which they are asked: the operator's file, the process, the site's files.
    pub(crate) fn environment<'a>(&self, options: &'a AttachOptions) -> LayeredEnvironment<'a> {
        let mut environment = LayeredEnvironment::new().with_values(self.explicit.clone());
        if let Some(process) = &options.process_env {
            environment = environment.with_process(move |name| process(name));
        }
        environment.with_values(self.site.clone())
    }

    /// Files that a `NAME_FILE` variable may name: those of the operator's own env file, and the folders in
    /// which containers mount secrets. A configuration alone cannot have any other file read as a value.
    pub(crate) fn secret_files(&self, options: &AttachOptions) -> Vec<PathBuf> {
        let named = self.explicit.iter().filter(|(name, _)| name.ends_with("_FILE")).map(|(_, path)| path);
        let mounted = SECRET_FOLDERS.iter().map(PathBuf::from);
        named.map(PathBuf::from).chain(mounted).chain(options.trust.iter().cloned()).collect()
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

fn read_beneath(root: &Root, path: &RelPath) -> Option<String> {
    let bytes = root.read(path, MAX_FILE_BYTES).ok()?;
    String::from_utf8(bytes.data).ok()
}
