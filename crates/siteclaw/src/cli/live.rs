//! An answer on the terminal while it is written.
//!
//! Where somebody looks at standard output, text appears there as it arrives. Where it goes into a file or another
//! program, only the answer does, once it is whole. What a model says may hold what others wrote, so nothing in it
//! reaches a terminal that a terminal would act on.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};

use siteclaw_agent::{Answer, Update};
use siteclaw_core::is_invisible;

use super::exit::Failure;
use super::printer::Printer;

/// Shows one answer.
pub(crate) struct Live<'a> {
    printer: &'a Printer,
    /// Whether text is shown as it arrives.
    shows: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The last thing shown was no line break.
    open: bool,
    /// Something of the present reply was shown.
    said: bool,
    /// A line that the text begins with is not worth a line of its own.
    started: bool,
}

impl<'a> Live<'a> {
    /// Shows text as it arrives if somebody looks at it.
    pub(crate) fn new(printer: &'a Printer) -> Self {
        let shows = !printer.is_json() && std::io::stdout().is_terminal();
        Self { printer, shows, state: Mutex::default() }
    }

    /// Takes note of what happens.
    pub(crate) fn hear(&self, update: Update<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match update {
            Update::Asking { .. } => {
                self.end_line(&mut state);
                state.said = false;
                state.started = false;
            }
            Update::Text(text) if self.shows => {
                let text = shown(text);
                let text = if state.started { text.as_str() } else { text.trim_start() };
                if !text.is_empty() {
                    state.started = true;
                    state.said = true;
                    state.open = !text.ends_with('\n');
                    self.printer.piece(text);
                }
            }
            Update::Writing(_) | Update::Replied { .. } => self.end_line(&mut state),
            Update::Again { error, wait, .. } => {
                self.end_line(&mut state);
                state.said = false;
                state.started = false;
                let wait = wait.as_secs_f64();
                self.printer.note(&format!("… the model: {error}; asking again in {wait:.1} s"));
            }
            Update::Instead { from, to, error } => {
                self.end_line(&mut state);
                state.said = false;
                state.started = false;
                self.printer.note(&format!("… {from}: {error}; asking {to} instead"));
            }
            Update::Shortened { .. } => {
                self.printer.note("… the conversation is shortened: it is too long for the model");
            }
            _ => {}
        }
    }

    /// Shows what was not shown on the way.
    pub(crate) fn finish(self, answer: &Answer) -> Result<(), Failure> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if state.open {
            state.open = false;
            self.printer.piece("\n");
        }
        if state.said || answer.text.trim().is_empty() {
            return Ok(());
        }
        self.printer.text(shown(&answer.text).trim_start_matches('\n'))
    }

    fn end_line(&self, state: &mut State) {
        if std::mem::take(&mut state.open) {
            self.printer.piece("\n");
        }
    }
}

/// The text without what a terminal would act on or nobody would see.
pub(crate) fn shown(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_invisible(*c))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_can_move_the_cursor_or_turn_the_text() {
        assert_eq!(shown("a\u{1b}[2K\u{202e}b\r\n\tc\u{7}"), "a[2Kb\n\tc");
    }
}
