//! The one place that writes to standard output and standard error.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::exit::{Exit, Failure};

/// Prints a command's answer: text for people, or one JSON document.
pub(crate) struct Printer {
    json: bool,
}

impl Printer {
    pub(crate) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether the answer is to be JSON.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// The columns for an answer, if they are limited.
    pub(crate) fn width(&self) -> Option<usize> {
        columns(self.json)
    }

    /// Prints text. A reader that went away is no failure: `siteclaw tools | head -1` is fine.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        write(&mut anstream::stdout().lock(), text)
    }

    /// Prints a piece of a text at once. That a reader went away shows at the end.
    pub(crate) fn piece(&self, text: &str) {
        let mut out = anstream::stdout().lock();
        let _ = write!(out, "{text}").and_then(|()| out.flush());
    }

    /// Prints one JSON document.
    pub(crate) fn document(&self, document: &Value) -> Result<(), Failure> {
        write(&mut io::stdout().lock(), &document.to_string())
    }

    /// Says something beside the answer.
    pub(crate) fn note(&self, text: &str) {
        // Nothing is left to be done when standard error is gone.
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }

    /// Says why the command cannot go on; as JSON on standard output too where that was asked for.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let document = json!({"success": false, "error": {"message": failure.message}});
            let _ = self.document(&document);
        }
        self.complain(&failure.message);
    }

    /// Says in one line what went wrong.
    pub(crate) fn complain(&self, text: &str) {
        self.note(&format!("siteclaw: {text}"));
    }
}

/// The columns of the terminal that standard output is; `None` where it is something else or will not say, and for
/// JSON, which nobody reads in columns.
pub(crate) fn columns(json: bool) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0 && !json)
}

fn write(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(Exit::Failed, format!("The answer could not be written: {error}."))),
    }
}
