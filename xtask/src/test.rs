//! `cargo xtask test`: all tests, against servers of their own.

use std::env;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crate::failure::{Context, Failure, Result};
use crate::interrupt::Interrupts;
use crate::services::Services;
use crate::workspace::Workspace;

/// Doc tests run first and their outcome is kept, so that the last lines are the test runner's summary.
pub(crate) fn run(workspace: &Workspace, interrupts: &Interrupts, arguments: &[String]) -> Result<ExitCode> {
    provide_nextest(workspace, interrupts)?;
    let services = Services::start(workspace, interrupts)?;
    let with_services = |arguments: &[&str]| {
        let mut command = workspace.cargo();
        command.args(arguments).envs(services.variables());
        command
    };

    let mut failed_docs = None;
    if arguments.is_empty() {
        let status = interrupts.run(&mut with_services(&["test", "--workspace", "--doc"]))?;
        failed_docs = (!status.success()).then(|| exit_code(status));
        if failed_docs.is_some() {
            eprintln!("xtask: doc tests failed, see above; the other tests run all the same");
        }
    }
    let mut nextest = with_services(&["nextest", "run"]);
    if !names_packages(arguments) {
        nextest.arg("--workspace");
    }
    let status = interrupts.run(nextest.args(arguments))?;
    Ok(failed_docs.unwrap_or_else(|| exit_code(status)))
}

/// Cargo would run everything if both a package and the workspace were named.
fn names_packages(arguments: &[String]) -> bool {
    let names = |argument: &str| {
        argument == "--workspace"
            || argument.starts_with("--package")
            || (argument.starts_with("-p") && !argument.starts_with("--"))
    };
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| names(argument))
}

fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(1))
}

fn provide_nextest(workspace: &Workspace, interrupts: &Interrupts) -> Result<()> {
    let mut probe = workspace.cargo();
    probe.args(["nextest", "--version"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if probe.status().context(|| "running cargo".into())?.success() {
        return Ok(());
    }
    eprintln!("xtask: cargo install cargo-nextest --locked (once; takes some minutes)");
    let status = interrupts.run(&mut install_nextest(workspace))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new("cargo-nextest could not be installed; see https://nexte.st for other ways"))
}

fn install_nextest(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo();
    command.args(["install", "--quiet", "--locked", "cargo-nextest"]);
    // Without the part that updates the program itself it builds in far less time.
    command.args(["--no-default-features", "--features", "default-no-update"]);
    if env::var_os("CARGO_PROFILE_RELEASE_OPT_LEVEL").is_none() {
        // It waits for tests most of the time: building it fast matters more than what it runs like.
        command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1").env("CARGO_PROFILE_RELEASE_LTO", "off");
    }
    command.stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_workspace_is_left_out_once_packages_are_named() {
        let asked = |line: &str| names_packages(&line.split(' ').map(String::from).collect::<Vec<_>>());
        for line in ["-p siteclaw-db", "guard -psiteclaw-db", "--package=x", "--package x", "--workspace"] {
            assert!(asked(line), "{line}");
        }
        for line in ["guard", "--profile ci", "--no-fail-fast --partition 1/2", "-E test(x)", "x -- -p"] {
            assert!(!asked(line), "{line}");
        }
    }
}
