//! Siteclaw's figures, each beside a peer that is measured in the same run. `cargo xtask bench` runs this.
//!
//! A figure is a ratio: another machine, or another load on this one, changes both sides. No figure fails the
//! run. The database server that it is given must be one to throw away: a database is made and dropped, and
//! the server's query log is switched on for single calls.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people; it is never linked into the product"
)]

mod client;
mod contents;
mod door;
mod error;
mod figure;
mod memory;
mod queries;
mod samples;
mod start;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::contents::Shop;
use crate::error::{BenchError, Context};
use crate::figure::Figures;

const USAGE: &str = "\
usage: siteclaw-bench --mysql URL --siteclaw FILE --bare FILE [--json]

  --mysql URL      a MariaDB to throw away, with a user who may do anything: mysql://root@127.0.0.1:3306/
  --siteclaw FILE  the binary
  --bare FILE      the bare server beside which its start is measured
  --json           one JSON document instead of the table";

/// What the command line names.
#[derive(Default)]
struct Arguments {
    mysql: String,
    siteclaw: PathBuf,
    bare: PathBuf,
    json: bool,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--mysql" => arguments.mysql = words.next()?,
                "--siteclaw" => arguments.siteclaw = words.next()?.into(),
                "--bare" => arguments.bare = words.next()?.into(),
                "--json" => arguments.json = true,
                _ => return None,
            }
        }
        let whole = !arguments.mysql.is_empty()
            && arguments.siteclaw.components().next().is_some()
            && arguments.bare.components().next().is_some();
        whole.then_some(arguments)
    }
}

fn main() -> ExitCode {
    let Some(arguments) = Arguments::read(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if cfg!(debug_assertions) {
        eprintln!("siteclaw-bench: a debug build has no figures worth reading; run cargo xtask bench");
        return ExitCode::from(2);
    }
    match measure(&arguments) {
        Ok(figures) => {
            print!("{}", if arguments.json { figures.json() } else { figures.table() });
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("siteclaw-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<Figures, BenchError> {
    let folder = tempfile::tempdir().context(|| "making a folder".into())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context(|| "starting the runtime".into())?;
    let mut figures = Figures::default();

    step("the door");
    runtime.block_on(door::measure(&mut figures))?;
    step("the start");
    let demo = folder.path().join("demo-shop");
    runtime
        .block_on(siteclaw::demo::create(&demo, &siteclaw::demo::DemoOptions::default()))
        .context(|| "making the demo shop".into())?;
    start::measure(&mut figures, &arguments.siteclaw, &arguments.bare, &demo)?;
    step("filling the large shop");
    let shop = runtime.block_on(Shop::create(&arguments.mysql, &folder.path().join("large-shop")))?;
    let measured = (|| {
        step("the queries");
        runtime.block_on(queries::measure(&mut figures, &shop))?;
        step("the memory");
        memory::measure(&mut figures, &arguments.siteclaw, &arguments.bare, &shop)
    })();
    runtime.block_on(shop.remove())?;
    measured.map(|()| figures)
}

fn step(what: &str) {
    eprintln!("bench: {what}");
}
