//! The folder of one run, `target/services/run-<pid>`: several runs may go on at once in one target folder.
//!
//! A lock on a file inside says that the run lives. What a killed run left behind is removed by the next.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::account::{self, Account};
use crate::failure::{Context, Result};

/// The kernel takes 107 bytes for the path of a socket; this leaves room for its name.
const LONGEST_SOCKET_FOLDER: usize = 80;

/// Removed with all it holds when dropped.
pub(crate) struct RunFolder {
    path: PathBuf,
    /// Server folders that had to be made elsewhere.
    elsewhere: Mutex<Vec<PathBuf>>,
    _alive: File,
}

impl RunFolder {
    pub(crate) fn create(services: &Path) -> Result<Self> {
        fs::create_dir_all(services).context(|| format!("making {}", services.display()))?;
        remove_dead(services);
        let path = services.join(format!("run-{}", process::id()));
        fs::create_dir(&path).context(|| format!("making {}", path.display()))?;
        let alive = File::create(lock_file(&path)).context(|| format!("writing into {}", path.display()))?;
        alive.lock().context(|| format!("locking {}", path.display()))?;
        Ok(Self { path, elsewhere: Mutex::default(), _alive: alive })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A private folder for a server's data and socket: here, or in /tmp when this path is too long for a
    /// socket or the server's user could not get to it (a home folder of root, say).
    pub(crate) fn server_folder(&self, name: &str, owner: Option<Account>) -> Result<PathBuf> {
        let here = self.path.join(name);
        let reachable = owner.is_none() || account::others_may_enter(&self.path);
        let fits = |path: &Path| path.as_os_str().len() <= LONGEST_SOCKET_FOLDER;
        if reachable && fits(&here) {
            return account::private_folder(here, owner);
        }
        let nanoseconds =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        let folder = format!("siteclaw-{}-{nanoseconds:x}-{name}", process::id());
        let temporary = Some(env::temp_dir()).filter(|path| fits(&path.join(&folder)));
        let made = account::private_folder(temporary.unwrap_or_else(|| "/tmp".into()).join(folder), owner)?;
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner).push(made.clone());
        Ok(made)
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        let elsewhere = self.elsewhere.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Nothing can be done about a failure here; the next run tries again.
        for folder in elsewhere.iter().chain([&self.path]) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

fn lock_file(run: &Path) -> PathBuf {
    run.join("alive")
}

fn remove_dead(services: &Path) {
    let entries = fs::read_dir(services).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let is_run = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("run-"));
        // No lock file yet: a run that is just beginning.
        let dead = || File::open(lock_file(&path)).is_ok_and(|lock| lock.try_lock().is_ok());
        if is_run && dead() {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("siteclaw-xtask-{}-{name}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_killed_runs_folder_goes_and_a_living_ones_stays() {
        let services = scratch("dead-runs");
        let living = services.join("run-living");
        let dead = services.join("run-dead");
        for folder in [&living, &dead] {
            fs::create_dir(folder).unwrap();
        }
        let held = File::create(lock_file(&living)).unwrap();
        held.lock().unwrap();
        File::create(lock_file(&dead)).unwrap();

        let own = RunFolder::create(&services).unwrap();

        assert!(living.exists() && !dead.exists() && own.path().exists());
        let path = own.path().to_path_buf();
        drop(own);
        assert!(!path.exists());
        fs::remove_dir_all(services).unwrap();
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_left_for_a_short_one() {
        let services = scratch("long-path").join("x".repeat(90));
        let run = RunFolder::create(&services).unwrap();
        let folder = run.server_folder("db", None).unwrap();
        assert!(
            !folder.starts_with(&services) && folder.as_os_str().len() <= LONGEST_SOCKET_FOLDER,
            "{folder:?}"
        );
        drop(run);
        assert!(!folder.exists());
        fs::remove_dir_all(services.parent().unwrap()).unwrap();
    }
}
