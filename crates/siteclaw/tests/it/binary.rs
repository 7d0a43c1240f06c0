//! The built binary in a home of its own, with none of the caller's variables.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_siteclaw");
/// The evening on which the demo's data ends.
pub(crate) const NOW: &str = "2026-11-30T18:00:00Z";

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Answer {
    /// The one JSON document on standard output, which ends with a line break and holds nothing else.
    pub(crate) fn json(&self) -> Value {
        assert!(self.out.ends_with('\n'), "{self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The text on standard output of a run that did its work.
    pub(crate) fn text(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        &self.out
    }

    /// The only line on standard error, of a run that ended with this code.
    pub(crate) fn complaint(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{self:?}");
        let line = self.err.strip_suffix('\n').unwrap_or_else(|| panic!("{self:?}"));
        assert!(!line.contains('\n'), "more than a line: {self:?}");
        line.strip_prefix("siteclaw: ").unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// A user who has nothing yet.
pub(crate) struct User {
    pub(crate) home: TempDir,
    site: Option<PathBuf>,
    variables: Vec<(String, String)>,
}

impl User {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), site: None, variables: Vec::new() }
    }

    /// A user who names this site with every command.
    pub(crate) fn of(site: &Path) -> Self {
        Self { site: Some(site.to_owned()), ..Self::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes the configuration that is found by default.
    pub(crate) fn configure(&self, text: &str) -> PathBuf {
        let file = self.home.path().join(".config/siteclaw/siteclaw.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.env_clear().env("HOME", self.home.path()).env("SITECLAW_NOW", NOW);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(site) = &self.site {
            command.arg("--site").arg(site);
        }
        command.args(arguments).stdin(Stdio::null()).current_dir(self.home.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Answer {
        answer(&mut self.command(arguments))
    }

    pub(crate) fn run_in(&self, folder: &Path, arguments: &[&str]) -> Answer {
        answer(self.command(arguments).current_dir(folder))
    }
}

pub(crate) fn answer(command: &mut Command) -> Answer {
    let output = command.output().unwrap();
    Answer {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
