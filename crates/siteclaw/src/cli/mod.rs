//! The command line: arguments in, one answer on standard output, everything else on standard error.

mod app;
mod args;
mod commands;
mod config;
mod exit;
mod gate;
mod live;
mod log;
mod printer;
mod progress;
mod provider;
mod runlog;
mod spend;
mod state;
mod threads;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use exit::{Exit, Failure};
use printer::Printer;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to standard output and are no failure.
            let failed = error.use_stderr();
            return match error.print() {
                Ok(()) if !failed => ExitCode::SUCCESS,
                _ => Exit::Usage.into(),
            };
        }
    };
    let printer = Printer::new(arguments.global.json);
    // A thread that the host refuses at first is no panic to report.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = threads::runtime();
    log::start(arguments.global.verbose);
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(run(&arguments, &printer));
            // Work that ignores its stop signal must not keep the process.
            runtime.shutdown_timeout(std::time::Duration::from_millis(200));
            result
        }
        Err(error) => Err(Failure::new(Exit::Failed, format!("The system gives no threads: {error}."))),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => {
            printer.failure(&failure);
            failure.exit.into()
        }
    }
}

async fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let global = &arguments.global;
    match &arguments.command {
        Command::Tools { name } => commands::tools::run(global, printer, name.as_deref()),
        Command::Call { tool, arguments } => commands::call::run(global, printer, tool, arguments).await,
        Command::Send { message, dry_run: true, .. } => commands::send::preview(global, printer, message),
        Command::Send { message, log, .. } => {
            commands::send::run(global, printer, message, log.as_deref()).await
        }
        Command::Explain { message } => commands::send::explain(global, printer, message),
        Command::Mcp => commands::mcp::run(global).await,
        Command::Demo { dir, fresh } => commands::demo::run(global, printer, dir, *fresh).await,
        Command::Site => commands::site::run(global, printer),
        Command::Doctor => commands::doctor::run(global, printer).await,
        Command::Completions { shell } => commands::completions::run(printer, *shell),
    }
}
