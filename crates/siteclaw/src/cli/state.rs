//! The state folder: outside every site, private, made when something must be kept.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Where the program keeps what outlives it.
#[derive(Clone, Debug)]
pub(crate) struct State {
    folder: Option<PathBuf>,
}

impl State {
    /// `$SITECLAW_STATE`, else `siteclaw` in the XDG state folder. Without a home there is none.
    pub(crate) fn locate() -> Self {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("SITECLAW_STATE").or_else(|| {
            let base = variable("XDG_STATE_HOME")
                .filter(|path| path.is_absolute())
                .or_else(|| variable("HOME").map(|home| home.join(".local/state")))?;
            Some(base.join("siteclaw"))
        });
        Self { folder }
    }

    /// The state in this folder.
    pub(crate) fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// The folder, whether or not it exists yet.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The installation's key for placeholders, made at first need. Where nothing can be kept the key lasts
    /// as long as the process, and the log says so.
    pub(crate) fn masking_key(&self) -> [u8; 32] {
        let kept = match &self.folder {
            Some(folder) => keep_key(folder).map_err(|error| (folder.display().to_string(), error)),
            None => Err(("no home folder and no SITECLAW_STATE".to_owned(), io::ErrorKind::NotFound.into())),
        };
        match kept {
            Ok(key) => key,
            Err((place, error)) => {
                tracing::warn!(place, %error, "placeholders of secrets will differ after this run");
                // Without random bytes the placeholders of two installations agree, which hides as much.
                crate::claw::random_key().unwrap_or([0; 32])
            }
        }
    }
}

fn keep_key(folder: &Path) -> io::Result<[u8; 32]> {
    let file = folder.join("masking.key");
    if let Some(key) = read_key(&file)? {
        return Ok(key);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let key = crate::claw::random_key().map_err(io::Error::other)?;
    let draft = folder.join(format!(".masking.key.{}", std::process::id()));
    let mut out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    out.write_all(&key)?;
    out.sync_all()?;
    // A link fails where another process was first; its key is then ours too.
    let linked = fs::hard_link(&draft, &file);
    fs::remove_file(&draft)?;
    match linked {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            read_key(&file)?.ok_or_else(|| io::Error::other("masking.key is not 32 bytes long; remove it"))
        }
        Err(error) => Err(error),
    }
}

fn read_key(file: &Path) -> io::Result<Option<[u8; 32]>> {
    match fs::read(file) {
        Ok(bytes) => match <[u8; 32]>::try_from(bytes) {
            Ok(key) => Ok(Some(key)),
            Err(_) => Err(io::Error::other("masking.key is not 32 bytes long; remove it")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_made_once_privately_and_kept() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/siteclaw");
        let state = State::at(&folder);
        assert!(!folder.exists());
        let key = state.masking_key();
        assert_eq!(state.masking_key(), key);
        assert_ne!(key, [0; 32]);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join("masking.key"))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_key_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("masking.key"), "short").unwrap();
        State::at(home.path()).masking_key();
        assert_eq!(fs::read(home.path().join("masking.key")).unwrap(), b"short");
    }
}
