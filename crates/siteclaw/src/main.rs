//! The `siteclaw` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    siteclaw::cli::main()
}
