//! Servers that a hostile configuration leads to. Whatever they send, it is an error of one connection: no abort, no
//! panic, no memory without end.

mod login;
mod memory;
mod mutations;
mod mysql;
mod mysql_server;
mod postgres;
mod postgres_server;

use std::time::Duration;

use siteclaw_core::Secret;
use siteclaw_db::{
    ConnectSettings, Database, DbError, Limits, MySqlAddress, MySqlSettings, PostgresHost, PostgresSettings,
    Rows, Tls,
};
use tokio::io::AsyncWriteExt;

use crate::servers::rows;

/// Set in the process that a test starts for itself.
const APART: &str = "SITECLAW_TEST_APART";

/// What a server sends.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, and then the others without end.
    Endless(Vec<u8>, Vec<u8>),
}

impl Reply {
    pub(crate) async fn send(self, stream: &mut (impl AsyncWriteExt + Unpin)) -> std::io::Result<()> {
        match self {
            Self::Bytes(bytes) => stream.write_all(&bytes).await?,
            Self::Endless(first, again) => {
                stream.write_all(&first).await?;
                loop {
                    stream.write_all(&again).await?;
                }
            }
        }
        stream.flush().await
    }
}

/// Holds a test to its memory: dropped, it looks at the peak of this process.
pub(crate) struct Peak(u64);

impl Drop for Peak {
    fn drop(&mut self) {
        let peak = peak_mebibytes();
        if !std::thread::panicking() {
            assert!(peak <= self.0, "{peak} MiB at the most, and {} were allowed", self.0);
        }
    }
}

pub(crate) fn peak_mebibytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// Runs a test in a process of its own, which may abort and whose memory is counted. Nothing in the parent, once
/// the child has succeeded; in the child, what counts.
pub(crate) fn apart(module: &str, test: &str, mebibytes: u64) -> Option<Peak> {
    let path = module.split_once("::").map_or(module, |(_, path)| path);
    let name = format!("{path}::{test}");
    if std::env::var(APART).is_ok_and(|running| running == name) {
        return Some(Peak(mebibytes));
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args([&name, "--exact", "--nocapture"]).env(APART, &name).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}: {}{}", output.status, text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("1 passed"), "the test was not found: {}", text(&output.stdout));
    None
}

pub(crate) fn hasty() -> Limits {
    let time = Duration::from_secs(3);
    Limits { statement_time: time, connect_timeout: time, ..Limits::default() }
}

pub(crate) fn mysql_at(port: u16, tls: Tls) -> MySqlSettings {
    MySqlSettings {
        hosts: vec![MySqlAddress::Tcp { host: "127.0.0.1".into(), port }],
        user: "shop".into(),
        password: Secret::new("hunter2"),
        database: "shop".into(),
        tls,
    }
}

pub(crate) fn postgres_at(port: u16, tls: Tls) -> PostgresSettings {
    PostgresSettings {
        host: PostgresHost::Tcp("127.0.0.1".into()),
        port,
        user: "shop".into(),
        password: Secret::new("hunter2"),
        database: "shop".into(),
        schema: "public".into(),
        tls,
    }
}

pub(crate) async fn ask_mysql(settings: MySqlSettings) -> Result<Rows, DbError> {
    rows(&Database::new(ConnectSettings::MySql(settings), hasty()), "SELECT a FROM t").await
}

pub(crate) async fn ask_postgres(settings: PostgresSettings) -> Result<Rows, DbError> {
    rows(&Database::new(ConnectSettings::Postgres(settings), hasty()), "SELECT a FROM t").await
}
