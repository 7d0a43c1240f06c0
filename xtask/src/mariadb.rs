//! A throw-away MariaDB: root without a password on 127.0.0.1 and on its socket, nothing durable.

use std::fs::File;
use std::io::Read;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::account;
use crate::failure::{Context, Failure, Result};
use crate::interrupt::Interrupts;
use crate::packages::Programs;
use crate::run_folder::RunFolder;
use crate::server::{self, Plan, Server};

pub(crate) struct Mariadb {
    pub(crate) port: u16,
    pub(crate) socket: PathBuf,
    client: PathBuf,
    dump: PathBuf,
    pub(crate) server: Server,
}

impl Mariadb {
    pub(crate) fn start(programs: &Programs, run: &RunFolder, interrupts: &Interrupts) -> Result<Self> {
        // The user exists only where the server's full package is installed.
        let account = account::for_server(&["mysql", "nobody"])?;
        let folder = run.server_folder("mariadb", account)?;
        let data = folder.join("data");
        let socket = folder.join("mariadb.sock");
        let port = server::free_port()?;
        // Both programs have to agree on the log's size.
        let layout = [
            "--no-defaults".to_owned(),
            format!("--datadir={}", data.display()),
            "--innodb-log-file-size=16M".to_owned(),
        ];
        let mut set_up = layout.to_vec();
        // --force: a bare machine may not be able to look up its own name.
        set_up.extend(
            ["--auth-root-authentication-method=normal", "--skip-test-db", "--force"].map(String::from),
        );
        server::set_up(account, &programs.mariadb_install_db, &set_up)?;
        let mut arguments = layout.to_vec();
        arguments.extend([
            format!("--socket={}", socket.display()),
            format!("--pid-file={}", folder.join("pid").display()),
            format!("--tmpdir={}", folder.display()),
            format!("--port={port}"),
        ]);
        arguments.extend(SETTINGS.map(String::from));
        let server = Server::start(Plan {
            name: "MariaDB",
            program: &programs.mariadbd,
            arguments,
            account,
            folder: &folder,
            log: run.path().join("mariadb.log"),
            stop_signal: "KILL",
        })?;
        let (client, dump) = (programs.mariadb.clone(), programs.mariadb_dump.clone());
        let mut mariadb = Self { port, socket, client, dump, server };
        mariadb.server.wait_until(interrupts, || greets(port))?;
        Ok(mariadb)
    }

    /// The server as a URL for a program that logs in as root.
    pub(crate) fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}/", self.port)
    }

    /// Runs statements as root.
    pub(crate) fn execute(&self, sql: &str) -> Result<()> {
        finish(self.client(&self.client).args(["--execute", sql]))
    }

    /// Runs a file of statements in a database.
    pub(crate) fn load(&self, database: &str, file: &Path) -> Result<()> {
        let input = File::open(file).context(|| format!("reading {}", file.display()))?;
        finish(self.client(&self.client).arg(database).stdin(input))
    }

    /// Writes a database as statements.
    pub(crate) fn save(&self, database: &str, file: &Path) -> Result<()> {
        let output = File::create(file).context(|| format!("writing {}", file.display()))?;
        finish(self.client(&self.dump).args(["--skip-dump-date", database]).stdout(output))
    }

    fn client(&self, program: &Path) -> Command {
        let mut command = server::clean_command(program);
        command.args(["--no-defaults", "--user=root", "--default-character-set=utf8mb4"]);
        command.arg(format!("--socket={}", self.socket.display())).stdin(Stdio::null());
        command
    }
}

/// Debian's character set and collation; the rest trades durability for speed.
const SETTINGS: [&str; 9] = [
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_general_ci",
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
    "--innodb-flush-method=nosync",
    "--innodb-buffer-pool-size=128M",
];

/// A server that takes logins opens with a packet whose fifth byte is the protocol's version, 10.
fn greets(port: u16) -> bool {
    let Ok(mut connection) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    let mut greeting = [0; 5];
    let waits = connection.set_read_timeout(Some(Duration::from_secs(10)));
    waits.is_ok() && connection.read_exact(&mut greeting).is_ok() && greeting.ends_with(&[10])
}

fn finish(command: &mut Command) -> Result<()> {
    let child = command.stderr(Stdio::piped()).spawn().context(|| format!("running {command:?}"))?;
    let output = child.wait_with_output().context(|| format!("running {command:?}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("{command:?} failed\n{}", String::from_utf8_lossy(&output.stderr).trim())))
}
