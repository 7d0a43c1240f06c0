//! Diagnostics, on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Starts the log: errors only, more with `-v`, `-vv`, `-vvv`, or what `SITECLAW_LOG` says.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => "error",
        1 => "siteclaw=info,warn",
        2 => "siteclaw=debug,info",
        _ => "trace",
    };
    let mut filter = EnvFilter::try_from_env("SITECLAW_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    // These write whole requests and statements, unmasked, when they are asked to say more.
    for quiet in ["rmcp=warn", "sqlx=warn"] {
        if let Ok(directive) = quiet.parse() {
            filter = filter.add_directive(directive);
        }
    }
    // A second start (in one process) keeps the first.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .try_init();
    // A panic in a tool is an answer already; the default hook would print its text unmasked.
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(at, "a part of the program panicked");
    }));
}
