//! `cargo xtask fuzz`: runs the fuzz targets of `fuzz/`, each for some seconds.
//!
//! Built by cargo-fuzz with the toolchain that builds everything else. Without the address sanitizer: it needs
//! an unstable flag, halves the speed, and the product holds no unsafe code. Panics, overflows, slow inputs and
//! memory beyond its limit are found all the same.
//!
//! A target starts from its seeds in `fuzz/seeds` and from what earlier runs left in `fuzz/corpus`. What it
//! prints goes to a log; an input that fails is kept in `fuzz/artifacts`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crate::failure::{Context, Failure, Result};
use crate::packages;
use crate::workspace::Workspace;

const CARGO_FUZZ: &str = "0.13.2";
const SECONDS: u32 = 30;
/// An input that takes longer than this is reported as a failure.
const SLOWEST_INPUT: u32 = 10;
const MEGABYTES: u32 = 2048;
/// Lines of the log that are shown with a failure.
const SHOWN: usize = 25;

/// What to run.
#[derive(Debug, PartialEq)]
struct Request {
    target: Option<String>,
    seconds: u32,
}

pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let request = parse(arguments)?;
    let targets = chosen(targets(workspace)?, request.target.as_deref())?;
    packages::provide_program("c++", &["g++"])?;
    let path = provide_cargo_fuzz(workspace)?;
    let built = workspace.target.join("fuzz");
    let mut build = workspace.cargo();
    build.args(["fuzz", "build", "--sanitizer", "none", "--target-dir"]).arg(&built);
    build.args(request.target.as_slice()).env("PATH", path);
    // cargo-fuzz has to find the workspace of the targets, not that of the product.
    succeed(build.current_dir(workspace.root.join("fuzz")))?;

    let folder = built.join(host()?).join("release");
    let mut failed = Vec::new();
    for target in &targets {
        if !fuzz(workspace, &folder, target, request.seconds)? {
            failed.push(target.as_str());
        }
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::new(format!("inputs were found that fail: {}", failed.join(", "))))
}

fn parse(arguments: &[String]) -> Result<Request> {
    let mut request = Request { target: None, seconds: SECONDS };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            let number = arguments.next().and_then(|text| text.parse().ok()).filter(|seconds| *seconds > 0);
            request.seconds = number.ok_or_else(|| {
                Failure::usage("--seconds needs a whole number from 1: cargo xtask fuzz --seconds 60")
            })?;
        } else if argument.starts_with('-') || request.target.is_some() {
            return Err(Failure::usage(format!(
                "unexpected argument: {argument}\nusage: cargo xtask fuzz [TARGET] [--seconds N]"
            )));
        } else {
            request.target = Some(argument.clone());
        }
    }
    Ok(request)
}

/// The names of all targets, in order.
fn targets(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.root.join("fuzz/fuzz_targets");
    let entries = fs::read_dir(&folder).context(|| format!("reading {}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let source = path.extension().is_some_and(|extension| extension == "rs");
            source.then(|| path.file_stem()?.to_str().map(str::to_owned)).flatten()
        })
        .collect();
    names.sort();
    Ok(names)
}

fn chosen(targets: Vec<String>, wanted: Option<&str>) -> Result<Vec<String>> {
    match wanted {
        None => Ok(targets),
        Some(name) if targets.iter().any(|target| target == name) => Ok(vec![name.to_owned()]),
        Some(name) => {
            Err(Failure::usage(format!("no fuzz target is named {name}; there are {}", targets.join(", "))))
        }
    }
}

/// The search path on which cargo finds its `fuzz` command, installed into the target folder if need be.
fn provide_cargo_fuzz(workspace: &Workspace) -> Result<std::ffi::OsString> {
    let tools = workspace.target.join("fuzz-tools");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::env::split_paths(&path).chain([tools.join("bin")]))
        .context(|| "extending the search path".into())?;
    let mut version = workspace.cargo();
    version.args(["fuzz", "--version"]).env("PATH", &path).stdout(Stdio::null()).stderr(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        let mut install = workspace.cargo();
        install.args(["install", "cargo-fuzz", "--locked", "--version", CARGO_FUZZ, "--root"]).arg(&tools);
        succeed(&mut install)?;
    }
    Ok(path)
}

/// The triple that cargo-fuzz builds for when nothing is said.
fn host() -> Result<String> {
    let mut command = Command::new("rustc");
    let output = command.arg("-vV").output().context(|| "running rustc -vV".into())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc -vV does not name its host"))
}

/// Runs one target and says how it went; whether no input failed.
fn fuzz(workspace: &Workspace, built: &Path, target: &str, seconds: u32) -> Result<bool> {
    let folder = |kind: &str| workspace.root.join("fuzz").join(kind).join(target);
    let (corpus, seeds, artifacts) = (folder("corpus"), folder("seeds"), folder("artifacts"));
    let log = workspace.target.join("fuzz").join(format!("{target}.log"));
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).context(|| format!("making {}", folder.display()))?;
    }
    let binary = built.join(target);
    let file = fs::File::create(&log).context(|| format!("writing {}", log.display()))?;
    let copy = file.try_clone().context(|| format!("writing {}", log.display()))?;
    let mut command = Command::new(&binary);
    command
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={SLOWEST_INPUT}"))
        .arg(format!("-rss_limit_mb={MEGABYTES}"))
        // It is put before the file's name as it stands: without the slash the files would lie beside the folder.
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg("-print_final_stats=1")
        .arg(&corpus)
        .current_dir(&workspace.root)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(copy);
    if seeds.is_dir() {
        command.arg(&seeds);
    }
    let status = command.status().context(|| format!("running {}", binary.display()))?;
    let text = fs::read(&log).context(|| format!("reading {}", log.display()))?;
    let text = String::from_utf8_lossy(&text);
    if status.success() {
        println!("{target:16} {} inputs in {seconds} s", executed(&text).unwrap_or("?"));
        return Ok(true);
    }
    report(target, &binary, &log, &text, status);
    Ok(false)
}

fn report(target: &str, binary: &Path, log: &Path, text: &str, status: ExitStatus) {
    println!("{target:16} failed ({status})");
    for line in worth_showing(text) {
        println!("    {line}");
    }
    println!("  log      {}", log.display());
    match reproducer(text) {
        Some(input) => {
            println!("  input    {}", input.display());
            println!("  run it   {} {}", binary.display(), input.display());
        }
        None => println!("  no input was kept: the target ended before or between inputs"),
    }
}

/// What the panic says; where there was none, the end of the log.
fn worth_showing(log: &str) -> Vec<&str> {
    let lines: Vec<&str> = log.lines().collect();
    let panic = lines.iter().rposition(|line| line.contains("panicked at"));
    let start = panic.unwrap_or_else(|| lines.len().saturating_sub(SHOWN));
    let shown = lines.get(start..).unwrap_or_default().iter().copied();
    shown.take_while(|line| *line != "stack backtrace:" && !line.starts_with("==")).take(SHOWN).collect()
}

/// The file in which the fuzzer kept the input that failed.
fn reproducer(log: &str) -> Option<PathBuf> {
    let written = log.lines().rev().find_map(|line| line.split_once("Test unit written to "));
    written.map(|(_, path)| PathBuf::from(path.trim()))
}

fn executed(log: &str) -> Option<&str> {
    log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")).map(str::trim)
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().context(|| format!("running {command:?}"))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{command:?} failed ({status})"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Request> {
        parse(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_target_and_a_time_may_be_given_in_any_order() {
        let request = |target: Option<&str>, seconds| Request { target: target.map(str::to_owned), seconds };
        for (arguments, expected) in [
            (&[][..], request(None, 30)),
            (&["masker"], request(Some("masker"), 30)),
            (&["--seconds", "5"], request(None, 5)),
            (&["masker", "--seconds", "5"], request(Some("masker"), 5)),
            (&["--seconds", "5", "masker"], request(Some("masker"), 5)),
        ] {
            assert_eq!(parsed(arguments).unwrap(), expected, "{arguments:?}");
        }
        for wrong in [&["a", "b"][..], &["--fast"], &["--seconds"], &["--seconds", "0"], &["--seconds", "x"]]
        {
            assert_eq!(parsed(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }

    #[test]
    fn an_unknown_target_is_answered_with_the_known_ones() {
        let all = || vec!["dotenv".to_owned(), "masker".to_owned()];
        assert_eq!(chosen(all(), None).unwrap(), all());
        assert_eq!(chosen(all(), Some("masker")).unwrap(), ["masker"]);
        let message = chosen(all(), Some("mask")).unwrap_err().to_string();
        assert!(message.contains("dotenv, masker"), "{message}");
    }

    #[test]
    fn the_log_tells_what_failed_and_where_it_is_kept() {
        let log = "INFO: Seed: 1\n#2\tINITED cov: 3\nthread '<unnamed>' panicked at x.rs:1:2:\nlost\n\
                   stack backtrace:\n   0: main\n\
                   artifact_prefix='/a/'; Test unit written to /a/crash-01\nBase64: AA==\n\
                   stat::number_of_executed_units: 1234\n";
        assert_eq!(reproducer(log), Some(PathBuf::from("/a/crash-01")));
        assert_eq!(executed(log), Some("1234"));
        assert_eq!(worth_showing(log), ["thread '<unnamed>' panicked at x.rs:1:2:", "lost"]);
        assert_eq!(worth_showing("ALARM: slow\nSUMMARY: timeout"), ["ALARM: slow", "SUMMARY: timeout"]);
        assert_eq!(reproducer("#2 INITED"), None);
    }
}
