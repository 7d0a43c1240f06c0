//! The project's own commands: `cargo xtask <command>`.
//!
//! A command that needs programs of the system installs them when it may (root, apt-get) and otherwise says
//! what to install. Database servers are always the command's own: they listen on 127.0.0.1 only, keep their
//! data in throw-away folders, and end with the command however it ends. The system's servers, and their data,
//! are never touched.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people; it is never linked into the product"
)]

mod account;
mod bench;
mod dist;
mod docs;
mod failure;
mod fuzz;
mod glibc;
mod interrupt;
mod mariadb;
mod packages;
mod postgres;
mod run_folder;
mod server;
mod services;
mod test;
mod wordpress;
mod workspace;

use std::process::ExitCode;

use crate::failure::{Failure, Result};
use crate::interrupt::Interrupts;
use crate::workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask <command>

  test [nextest arguments]  run the tests against a MariaDB, a PostgreSQL and a WordPress of their own;
                            with arguments (a filter, -p CRATE, ...) the doc tests are left out
  services                  keep those servers up, print the variables that name them; ends on Ctrl-C or
                            when standard input closes
  bench [--json]            build for release and print figures beside those of a peer: the door, the start, the
                            queries, the memory; takes some minutes
  fuzz [TARGET] [--seconds N]
                            run the fuzz targets, or one, each for N seconds (30); fails on an input that fails
  docs [--check]            write the reference pages that come from the code, or say which are stale
  dist                      build the release binary for old Linux systems, with its checksum, in target/dist
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = arguments.split_first() else {
        return Err(Failure::usage(USAGE));
    };
    let workspace = Workspace::locate()?;
    match (command.as_str(), rest) {
        ("test", _) => test::run(&workspace, &Interrupts::watch()?, rest),
        ("services", []) => services::hold(&workspace, &Interrupts::watch()?),
        ("bench", []) => bench::run(&workspace, &Interrupts::watch()?, false),
        ("bench", [flag]) if flag == "--json" => bench::run(&workspace, &Interrupts::watch()?, true),
        ("fuzz", _) => fuzz::run(&workspace, rest),
        ("docs", []) => docs::write(&workspace),
        ("docs", [flag]) if flag == "--check" => docs::check(&workspace),
        ("dist", []) => dist::run(&workspace),
        ("help" | "-h" | "--help", _) => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(Failure::usage(format!("unknown command: {}\n\n{USAGE}", arguments.join(" ")))),
    }
}
