//! A child server that cannot outlive this program.
//!
//! Between the two stands a small shell, the keeper, in a process group of its own. It holds the read end of a
//! pipe whose write end is here alone; when this program ends in whatever way, `kill -9` included, the pipe
//! closes, and the keeper stops the server and removes its folder.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::account::Account;
use crate::failure::{Context, Failure, Result};
use crate::interrupt::{Interrupts, POLL};

const READY_WITHIN: Duration = Duration::from_secs(90);
const STOPPED_WITHIN: Duration = Duration::from_secs(20);

/// $1 is the signal that stops the server, $2 its folder, $3 its log, the rest its command line.
const KEEPER: &str = r#"
signal=$1 folder=$2 log=$3
shift 3
exec 3<&0
"$@" </dev/null >>"$log" 2>&1 3<&- &
server=$!
{ cat <&3 >/dev/null; kill -s "$signal" "$server"; } &
watcher=$!
wait "$server"
code=$?
kill "$watcher" 2>/dev/null
rm -rf "$folder"
exit "$code"
"#;

/// What to run, and how to end it.
pub(crate) struct Plan<'a> {
    pub(crate) name: &'static str,
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<String>,
    pub(crate) account: Option<Account>,
    /// Holds the data and the socket; removed when the server ends.
    pub(crate) folder: &'a Path,
    pub(crate) log: PathBuf,
    /// The data is thrown away, so the fastest signal that leaves no process behind.
    pub(crate) stop_signal: &'static str,
}

/// A running server, stopped when dropped.
pub(crate) struct Server {
    name: &'static str,
    log: PathBuf,
    keeper: Child,
    lifeline: Option<ChildStdin>,
}

impl Server {
    pub(crate) fn start(plan: Plan<'_>) -> Result<Self> {
        let mut command = clean_command("sh");
        command.args(["-c", KEEPER, "keeper", plan.stop_signal]).arg(plan.folder).arg(&plan.log);
        command.args(plan.account.map(Account::prefix).unwrap_or_default());
        command.arg(plan.program).args(plan.arguments);
        // Our own output must not be held open by a server that is still stopping.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut keeper = command.spawn().context(|| format!("starting {}", plan.name))?;
        let lifeline = keeper.stdin.take();
        Ok(Self { name: plan.name, log: plan.log, keeper, lifeline })
    }

    /// Waits until `ready` says yes; shows the end of the server's log when it does not come up.
    pub(crate) fn wait_until(&mut self, interrupts: &Interrupts, ready: impl Fn() -> bool) -> Result<()> {
        let end = Instant::now() + READY_WITHIN;
        while !ready() {
            interrupts.check()?;
            if self.ended() || Instant::now() > end {
                return Err(Failure::new(format!("{} did not come up\n{}", self.name, tail(&self.log))));
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    pub(crate) fn ended(&mut self) -> bool {
        !matches!(self.keeper.try_wait(), Ok(None))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        let end = Instant::now() + STOPPED_WITHIN;
        while !self.ended() && Instant::now() < end {
            thread::sleep(POLL);
        }
    }
}

/// A command with nothing of our environment but the search path: the server's behaviour must not depend on
/// who starts it.
pub(crate) fn clean_command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    command.env("LC_ALL", "C.UTF-8").env("TZ", "UTC").current_dir("/");
    command
}

/// Runs a set-up program as the server's user; its own words become the error.
pub(crate) fn set_up(account: Option<Account>, program: &Path, arguments: &[String]) -> Result<()> {
    let mut line = account.map(Account::prefix).unwrap_or_default();
    line.push(program.display().to_string());
    line.extend(arguments.iter().cloned());
    let (first, rest) = line.split_first().ok_or_else(|| Failure::new("an empty command line"))?;
    let output =
        clean_command(first).args(rest).output().context(|| format!("running {}", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Err(Failure::new(format!("{} failed ({})\n{}", program.display(), output.status, said.trim())))
}

/// A port of 127.0.0.1 that nobody listens on at this moment.
pub(crate) fn free_port() -> Result<u16> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context(|| "looking for a free port".into())?;
    Ok(listener.local_addr().context(|| "looking for a free port".into())?.port())
}

fn tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(30)).map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read;

    use super::*;

    #[test]
    fn dropping_a_server_ends_its_process_and_removes_its_folder() {
        let scratch = std::env::temp_dir().join(format!("siteclaw-xtask-{}-keeper", std::process::id()));
        let folder = scratch.join("data");
        fs::create_dir_all(&folder).unwrap();
        let pipe = scratch.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // The stand-in holds the pipe open for as long as it lives, so its death is the end of the stream.
        let script = "echo up >&9; exec sleep 600";
        let server = Server::start(Plan {
            name: "stand-in",
            program: Path::new("sh"),
            arguments: vec!["-c".into(), format!("exec 9>'{}'; {script}", pipe.display())],
            account: None,
            folder: &folder,
            log: scratch.join("log"),
            stop_signal: "KILL",
        })
        .unwrap();
        let mut stream = File::open(&pipe).unwrap();
        let mut greeting = [0; 3];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(&greeting, b"up\n");

        drop(server);

        assert_eq!(stream.read(&mut greeting).unwrap(), 0, "the process still holds its end");
        assert!(!folder.exists());
        fs::remove_dir_all(scratch).unwrap();
    }

    #[test]
    fn a_server_that_ends_early_is_reported_with_the_end_of_its_log() {
        let scratch = std::env::temp_dir().join(format!("siteclaw-xtask-{}-early", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        let mut server = Server::start(Plan {
            name: "stand-in",
            program: Path::new("sh"),
            arguments: vec!["-c".into(), "echo no space left >&2; exit 3".into()],
            account: None,
            folder: &scratch.join("data"),
            log: scratch.join("log"),
            stop_signal: "KILL",
        })
        .unwrap();

        let failure = server.wait_until(&Interrupts::watch().unwrap(), || false).unwrap_err();

        assert_eq!(failure.to_string(), "stand-in did not come up\n  no space left\n");
        fs::remove_dir_all(scratch).unwrap();
    }
}
