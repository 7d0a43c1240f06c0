//! `siteclaw completions SHELL`.

use clap::CommandFactory;

use crate::cli::args::Arguments;
use crate::cli::exit::{Exit, Failure};
use crate::cli::printer::Printer;

pub(crate) fn run(printer: &Printer, shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "siteclaw", &mut script);
    printer.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
