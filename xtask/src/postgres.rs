//! A throw-away PostgreSQL: the role postgres needs no password on 127.0.0.1 and on the socket, nothing durable.

use std::process::Stdio;

use crate::account;
use crate::failure::Result;
use crate::interrupt::Interrupts;
use crate::packages::Programs;
use crate::run_folder::RunFolder;
use crate::server::{self, Plan, Server};

pub(crate) struct Postgres {
    port: u16,
    pub(crate) server: Server,
}

impl Postgres {
    pub(crate) fn start(programs: &Programs, run: &RunFolder, interrupts: &Interrupts) -> Result<Self> {
        let account = account::for_server(&["postgres", "nobody"])?;
        let folder = run.server_folder("postgres", account)?;
        let data = folder.join("data");
        let port = server::free_port()?;
        let set_up =
            ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"];
        let mut set_up = set_up.map(String::from).to_vec();
        set_up.push(format!("--pgdata={}", data.display()));
        server::set_up(account, &programs.initdb, &set_up)?;
        let settings = [
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={port}"),
            format!("unix_socket_directories={}", folder.display()),
            "timezone=UTC".to_owned(),
            "fsync=off".to_owned(),
            "synchronous_commit=off".to_owned(),
            "full_page_writes=off".to_owned(),
        ];
        let mut arguments = vec!["-D".to_owned(), data.display().to_string()];
        arguments.extend(settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
        let server = Server::start(Plan {
            name: "PostgreSQL",
            program: &programs.postgres,
            arguments,
            account,
            folder: &folder,
            log: run.path().join("postgres.log"),
            // Ends the workers too, without waiting for clients.
            stop_signal: "QUIT",
        })?;
        let mut postgres = Self { port, server };
        let ready = || {
            let mut command = server::clean_command(&programs.pg_isready);
            command.args(["--quiet", "--host=127.0.0.1", &format!("--port={port}")]).stdin(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        postgres.server.wait_until(interrupts, ready)?;
        Ok(postgres)
    }

    /// The server as a URL for a program that logs in as its superuser.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}
