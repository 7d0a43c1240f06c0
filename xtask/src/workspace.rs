//! Where the workspace and its target folder are, and how cargo is called from here.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};

/// Variables that `cargo run` sets for this program. Build scripts name some of them as inputs, so passing them
/// on would rebuild those crates each time `cargo xtask` and plain `cargo` take turns.
const CARGO_RUN_PREFIXES: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
const CARGO_RUN_NAMES: [&str; 3] = ["CARGO_PRIMARY_PACKAGE", "OUT_DIR", "LD_LIBRARY_PATH"];

/// The folders every command works in.
pub(crate) struct Workspace {
    /// The folder of the workspace manifest.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever configuration put it.
    pub(crate) target: PathBuf,
}

impl Workspace {
    pub(crate) fn locate() -> Result<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let manifest = manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = manifest.parent().map(Path::to_path_buf);
        let root = root.ok_or_else(|| Failure::new("xtask has to lie in a folder of the workspace"))?;
        let target = target_folder(&root);
        Ok(Self { root, target })
    }

    /// Cargo, run in the workspace's root as if from a shell.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root);
        for (name, _) in env::vars_os() {
            if name.to_str().is_some_and(set_by_cargo_run) {
                command.env_remove(name);
            }
        }
        command
    }

    /// Our own scripts and stand-ins, `xtask/php`.
    pub(crate) fn php(&self) -> PathBuf {
        self.root.join("xtask/php")
    }

    /// Everything that belongs to servers and test sites.
    pub(crate) fn services(&self) -> PathBuf {
        self.target.join("services")
    }
}

fn set_by_cargo_run(name: &str) -> bool {
    CARGO_RUN_NAMES.contains(&name) || CARGO_RUN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Cargo marks its target folder with a CACHEDIR.TAG, and this program was built into one.
fn target_folder(root: &Path) -> PathBuf {
    let own = env::current_exe().unwrap_or_default();
    let marked = own.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(|| root.join("target"), Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cargo_run_adds_is_taken_out_of_the_environment() {
        for name in ["CARGO_PKG_VERSION", "CARGO_MANIFEST_DIR", "CARGO_BIN_NAME", "OUT_DIR"] {
            assert!(set_by_cargo_run(name), "{name}");
        }
        for name in
            ["CARGO_TARGET_DIR", "CARGO_HOME", "CARGO_TERM_COLOR", "CARGO", "PATH", "RUSTUP_TOOLCHAIN"]
        {
            assert!(!set_by_cargo_run(name), "{name}");
        }
    }
}
