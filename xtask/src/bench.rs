//! `cargo xtask bench`: builds for release, and measures against a MariaDB of its own.

use std::process::ExitCode;

use crate::failure::{Failure, Result};
use crate::interrupt::Interrupts;
use crate::mariadb::Mariadb;
use crate::packages;
use crate::run_folder::RunFolder;
use crate::services::insist;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, interrupts: &Interrupts, json: bool) -> Result<ExitCode> {
    let programs = packages::provide(workspace)?;
    let mut build = workspace.cargo();
    build.args(["build", "--release", "--package", "siteclaw", "--package", "siteclaw-bench"]);
    build.arg("--target-dir").arg(&workspace.target);
    if !interrupts.run(&mut build)?.success() {
        return Err(Failure::new("the release build failed, so there is nothing to measure"));
    }
    let folder = RunFolder::create(&workspace.services())?;
    // Nothing else may run on the server while it is measured.
    let mariadb = insist(|| Mariadb::start(&programs, &folder, interrupts))?;
    let release = workspace.target.join("release");
    let mut bench = std::process::Command::new(release.join("siteclaw-bench"));
    bench.args(["--mysql", &mariadb.url()]);
    bench.arg("--siteclaw").arg(release.join("siteclaw"));
    bench.arg("--bare").arg(release.join("bare-server"));
    if json {
        bench.arg("--json");
    }
    let status = interrupts.run(&mut bench)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
