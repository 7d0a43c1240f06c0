//! Which user a server runs as. Started as root, servers give root up: PostgreSQL insists on it, and nothing
//! that listens should have it.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Context, Failure, Result};

/// A user of the system.
#[derive(Clone, Copy)]
pub(crate) struct Account {
    uid: u32,
    gid: u32,
}

impl Account {
    fn of(name: &str) -> Option<Self> {
        Some(Self { uid: id(&["-u", name])?, gid: id(&["-g", name])? })
    }

    /// The words that put a command line under this user; exec'd through, so the process keeps its number.
    pub(crate) fn prefix(self) -> Vec<String> {
        vec![
            "setpriv".into(),
            format!("--reuid={}", self.uid),
            format!("--regid={}", self.gid),
            "--clear-groups".into(),
            "--".into(),
        ]
    }
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

pub(crate) fn is_root() -> bool {
    id(&["-u"]) == Some(0)
}

/// The user a server should run as: None is the present one. `names` are tried in turn.
pub(crate) fn for_server(names: &[&str]) -> Result<Option<Account>> {
    if !is_root() {
        return Ok(None);
    }
    let found = names.iter().find_map(|name| Account::of(name));
    found
        .map(Some)
        .ok_or_else(|| Failure::new(format!("no user of the system is called {}", names.join(" or "))))
}

/// Whether another user may pass through every folder on the way to `path`.
pub(crate) fn others_may_enter(path: &Path) -> bool {
    path.ancestors().all(|folder| fs::metadata(folder).is_ok_and(|found| found.mode() & 0o001 != 0))
}

/// A new folder that only its owner may enter.
pub(crate) fn private_folder(path: PathBuf, owner: Option<Account>) -> Result<PathBuf> {
    let made = fs::DirBuilder::new().mode(0o700).create(&path);
    made.context(|| format!("making {}", path.display()))?;
    if let Some(Account { uid, gid }) = owner {
        chown(&path, Some(uid), Some(gid)).context(|| format!("giving {} to its server", path.display()))?;
    }
    Ok(path)
}
