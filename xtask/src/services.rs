//! The servers and the site that the tests run against, and the variables that name them.

use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::failure::{Failure, Result};
use crate::interrupt::{Interrupts, POLL};
use crate::mariadb::Mariadb;
use crate::packages;
use crate::postgres::Postgres;
use crate::run_folder::RunFolder;
use crate::wordpress::{self, Site};
use crate::workspace::Workspace;

/// Everything up; stopped and removed when dropped. The order of the fields is that of the ending.
pub(crate) struct Services {
    mariadb: Mariadb,
    postgres: Postgres,
    site: Site,
    _run: RunFolder,
}

impl Services {
    pub(crate) fn start(workspace: &Workspace, interrupts: &Interrupts) -> Result<Self> {
        let programs = packages::provide(workspace)?;
        let run = RunFolder::create(&workspace.services())?;
        let (mariadb, postgres) = thread::scope(|scope| {
            let mariadb = scope.spawn(|| insist(|| Mariadb::start(&programs, &run, interrupts)));
            let postgres = insist(|| Postgres::start(&programs, &run, interrupts));
            let mariadb = mariadb.join().unwrap_or_else(|_| Err(Failure::new("starting MariaDB panicked")));
            (mariadb, postgres)
        });
        let (mariadb, postgres) = (mariadb?, postgres?);
        let site = wordpress::provide(workspace, &programs, &mariadb, &run)?;
        Ok(Self { mariadb, postgres, site, _run: run })
    }

    /// What the tests read to find everything.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let path = |path: &PathBuf| path.display().to_string();
        vec![
            ("SITECLAW_TEST_MYSQL", self.mariadb.url()),
            ("SITECLAW_TEST_MYSQL_SOCKET", path(&self.mariadb.socket)),
            ("SITECLAW_TEST_POSTGRES", self.postgres.url()),
            ("SITECLAW_TEST_WORDPRESS", path(&self.site.folder)),
            ("SITECLAW_TEST_WORDPRESS_EXPECTED", path(&self.site.expected)),
        ]
    }

    fn check(&mut self) -> Result<()> {
        if self.mariadb.server.ended() || self.postgres.server.ended() {
            return Err(Failure::new("a database server has ended by itself"));
        }
        Ok(())
    }
}

/// A port found free may be taken a moment later: then all is tried again with another.
pub(crate) fn insist<T>(start: impl Fn() -> Result<T>) -> Result<T> {
    let taken = |failure: &Failure| failure.to_string().contains("Address already in use");
    start().or_else(|failure| if taken(&failure) { start() } else { Err(failure) })
}

/// `cargo xtask services`: prints the variables as shell code, and holds everything up.
pub(crate) fn hold(workspace: &Workspace, interrupts: &Interrupts) -> Result<ExitCode> {
    let mut services = Services::start(workspace, interrupts)?;
    for (name, value) in services.variables() {
        println!("export {name}={}", shell_word(&value));
    }
    eprintln!("xtask: up until Ctrl-C, or until standard input closes");
    let closed = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&closed);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut sink = [0; 64];
        while !matches!(input.read(&mut sink), Ok(0)) {}
        seen.store(true, Ordering::SeqCst);
    });
    while !closed.load(Ordering::SeqCst) && interrupts.check().is_ok() {
        services.check()?;
        thread::sleep(POLL);
    }
    Ok(ExitCode::SUCCESS)
}

fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_back_the_very_text() {
        let text = "it's $HOME `id` \"x\" \\ !";
        let output =
            Command::new("sh").args(["-c", &format!("printf %s {}", shell_word(text))]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
    }

    #[test]
    fn only_a_taken_port_is_tried_again() {
        let outcome = |message: &str| {
            let calls = std::cell::Cell::new(0);
            let result = insist(|| {
                calls.set(calls.get() + 1);
                if calls.get() == 1 { Err(Failure::new(message)) } else { Ok(()) }
            });
            (result.is_ok(), calls.get())
        };
        assert_eq!(outcome("bind: Address already in use"), (true, 2));
        assert_eq!(outcome("no space left on device"), (false, 1));
    }
}
