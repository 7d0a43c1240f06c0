//! What the tools are doing, on standard error while they do it.

use std::io::Write;

use siteclaw_core::{Event, EventKind, Observer};

/// Writes a line when a tool begins, reports progress and ends.
pub(crate) struct Progress;

impl Observer for Progress {
    fn observe(&self, event: &Event) {
        let line = match &event.kind {
            EventKind::Performing => format!("… {}", event.tool),
            EventKind::Progress { message, fraction: Some(part) } => {
                format!("… {}: {message} ({:.0} %)", event.tool, part * 100.0)
            }
            EventKind::Progress { message, fraction: None } => format!("… {}: {message}", event.tool),
            EventKind::Retrying { attempt, code } => {
                format!("… {}: {code}, trying again ({attempt})", event.tool)
            }
            EventKind::Ended { code, duration, .. } => {
                let end = code.unwrap_or("done");
                format!("{} {}: {end} in {} ms", mark(code.is_none()), event.tool, duration.as_millis())
            }
            _ => return,
        };
        // Progress that cannot be shown is no failure of the command.
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }
}

const fn mark(success: bool) -> &'static str {
    if success { "✓" } else { "✗" }
}
