//! `cargo xtask dist`: the binary for release.
//!
//! Shared hosts run old systems. The zig linker brings the stubs of old C libraries, so the binary built here
//! starts on everything from glibc 2.17 on; the check at the end reads that from the binary itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::failure::{Context, Failure, Result};
use crate::glibc;
use crate::packages;
use crate::workspace::Workspace;

const TARGET: &str = "x86_64-unknown-linux-gnu";
const OLDEST_GLIBC: glibc::Version = (2, 17);
const LARGEST: u64 = 40 * 1024 * 1024;
const TOOLS: [&str; 2] = ["cargo-zigbuild==0.24.1", "ziglang==0.17.1"];

/// What is not built, and why.
const NOT_BUILT: [(&str, &str); 4] = [
    ("x86_64-unknown-linux-musl", "built against glibc 2.17 instead; the musl build has not been tried"),
    ("aarch64-unknown-linux-gnu", "there has been no such machine to run the tests on"),
    ("aarch64-apple-darwin", "macOS builds from source: cargo install --path crates/siteclaw"),
    ("x86_64-pc-windows-msvc", "sites are read through Linux system calls; use WSL"),
];

pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let objdump = packages::provide_program("objdump", &["binutils"])?;
    let tools = provide_tools(workspace)?;
    build(workspace, &tools)?;

    let built = workspace.target.join(TARGET).join("release/siteclaw");
    let folder = workspace.target.join("dist");
    fs::create_dir_all(&folder).context(|| format!("making {}", folder.display()))?;
    let name = format!("siteclaw-{}-{TARGET}", env!("CARGO_PKG_VERSION"));
    let binary = folder.join(&name);
    fs::copy(&built, &binary).context(|| format!("copying {}", built.display()))?;
    let sum = checksum(&folder, &name)?;

    let size = fs::metadata(&binary).context(|| format!("reading {}", binary.display()))?.len();
    let needs = glibc::needed_by(&binary, &objdump)?;
    println!("{}", binary.display());
    println!("  sha256  {sum}");
    println!("  size    {size} bytes ({})", mebibytes(size));
    println!("  needs   glibc {}.{} or newer", needs.0, needs.1);
    println!("not built");
    for (target, reason) in NOT_BUILT {
        println!("  {target:27} {reason}");
    }
    limits(size, needs)?;
    Ok(ExitCode::SUCCESS)
}

fn limits(size: u64, needs: glibc::Version) -> Result<()> {
    if needs > OLDEST_GLIBC {
        let (major, minor) = OLDEST_GLIBC;
        return Err(Failure::new(format!(
            "the binary needs glibc {}.{}, and hosts with {major}.{minor} could not start it; \
             `objdump -T` shows the symbol",
            needs.0, needs.1
        )));
    }
    if size > LARGEST {
        let (size, largest) = (mebibytes(size), mebibytes(LARGEST));
        return Err(Failure::new(format!("the binary has {size}; {largest} is the limit")));
    }
    Ok(())
}

/// Rounded up, so that what is over the limit also looks it.
fn mebibytes(bytes: u64) -> String {
    let tenths = (bytes * 10).div_ceil(1024 * 1024);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

fn build(workspace: &Workspace, tools: &Path) -> Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools.to_path_buf()).chain(std::env::split_paths(&path)));
    let mut command = workspace.cargo();
    command.args(["zigbuild", "--release", "--package", "siteclaw", "--bin", "siteclaw"]);
    command.args(["--target", &format!("{TARGET}.{}.{}", OLDEST_GLIBC.0, OLDEST_GLIBC.1)]);
    command.arg("--target-dir").arg(&workspace.target);
    command.env("PATH", path.context(|| "extending the search path".into())?);
    succeed(&mut command)
}

/// The build tools, from PyPI, in a folder of their own; made again when their versions here change.
fn provide_tools(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("dist-tools");
    let bin = folder.join("bin");
    let stamp = folder.join("installed");
    let wanted = TOOLS.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(bin);
    }
    let python = packages::provide_program("python3", &["python3", "python3-venv"])?;
    let has_venv =
        || Command::new(&python).args(["-c", "import ensurepip"]).status().is_ok_and(|s| s.success());
    if !has_venv() {
        packages::install_packages(&["python3-venv"])?;
    }
    succeed(Command::new(&python).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = Command::new(bin.join("python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(TOOLS);
    succeed(&mut pip)?;
    fs::write(&stamp, wanted).context(|| format!("writing {}", stamp.display()))?;
    Ok(bin)
}

/// Writes the checksum beside the file in the form that `sha256sum --check` reads.
fn checksum(folder: &Path, name: &str) -> Result<String> {
    let mut command = Command::new("sha256sum");
    let output = command.arg(name).current_dir(folder).output().context(|| "running sha256sum".into())?;
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let sum = line.split_whitespace().next().filter(|_| output.status.success());
    let sum = sum.ok_or_else(|| Failure::new(format!("sha256sum gave nothing for {name}")))?.to_owned();
    let file = folder.join(format!("{name}.sha256"));
    fs::write(&file, line).context(|| format!("writing {}", file.display()))?;
    Ok(sum)
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().context(|| format!("running {command:?}"))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{command:?} failed ({status})"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_that_is_too_large_or_asks_too_much_is_no_release() {
        assert!(limits(LARGEST, (2, 17)).is_ok());
        assert!(limits(1, (2, 9)).is_ok());
        let too_new = limits(1, (2, 18)).unwrap_err().to_string();
        assert!(too_new.contains("needs glibc 2.18"), "{too_new}");
        let too_large = limits(LARGEST + 1, (2, 17)).unwrap_err().to_string();
        assert!(too_large.contains("40.1 MiB; 40.0 MiB is the limit"), "{too_large}");
    }
}
