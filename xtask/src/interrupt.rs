//! Signals: a command that holds servers must outlive the tests it runs, and no longer.
//!
//! On Ctrl-C the terminal signals the whole foreground group, so the test runner stops its tests by itself and
//! this program only waits for it. A signal sent to this program alone is passed on.

use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::failure::{Context, Failure, Result};

/// How often a waiting loop looks again.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// The last signal that asked this program to end.
pub(crate) struct Interrupts {
    last: Arc<AtomicUsize>,
}

impl Interrupts {
    /// From here on SIGINT, SIGTERM and SIGHUP only leave a note.
    pub(crate) fn watch() -> Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).context(|| "reading a signal's number".into())?;
            signal_hook::flag::register_usize(signal, Arc::clone(&last), number)
                .context(|| "watching for signals".into())?;
        }
        Ok(Self { last })
    }

    fn signal(&self) -> Option<i32> {
        i32::try_from(self.last.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }

    /// Fails once a signal has come.
    pub(crate) fn check(&self) -> Result<()> {
        self.signal().map_or(Ok(()), |signal| Err(Failure::interrupted(signal)))
    }

    /// Runs a command to its end; fails afterwards if a signal came meanwhile.
    pub(crate) fn run(&self, command: &mut Command) -> Result<ExitStatus> {
        let mut child = command.spawn().context(|| format!("starting {command:?}"))?;
        let mut passed_on = false;
        loop {
            if let Some(status) = child.try_wait().context(|| "waiting for a command".into())? {
                return self.check().map(|()| status);
            }
            // SIGINT comes from the terminal and has reached the child already; a second one would make
            // the test runner kill its tests.
            if !passed_on && self.signal().is_some_and(|signal| signal != SIGINT) {
                passed_on = true;
                // The shell's own: a small system has no program of this name.
                let mut kill = Command::new("sh");
                kill.args(["-c", "kill -s TERM \"$1\"", "kill"]).arg(child.id().to_string());
                kill.stderr(Stdio::null()).status().context(|| "passing a signal on".into())?;
            }
            thread::sleep(POLL);
        }
    }
}
