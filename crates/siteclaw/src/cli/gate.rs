//! Asking the person at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use siteclaw_core::{ApprovalGate, ApprovalRequest, BoxFuture, Decision, is_invisible};

/// Asks at the terminal; the default is no. Without a terminal nothing is approved.
pub(crate) struct TerminalGate;

impl TerminalGate {
    /// Whether a person can be asked.
    pub(crate) fn is_possible() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }
}

impl ApprovalGate for TerminalGate {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            if !Self::is_possible() {
                return denied("there is no terminal at which somebody could approve it.");
            }
            let question = question(request);
            let answer = tokio::task::spawn_blocking(move || ask(&question)).await;
            match answer {
                Ok(Ok(true)) => Decision::Approved,
                Ok(Ok(false)) => denied("the person at the terminal said no."),
                Ok(Err(_)) | Err(_) => denied("the terminal gave no answer."),
            }
        })
    }
}

fn denied(reason: &str) -> Decision {
    Decision::Denied { reason: reason.to_owned() }
}

/// What is shown: exactly what will run, with nothing in it that a terminal would act on.
fn question(request: &ApprovalRequest) -> String {
    let mut lines = vec![format!("'{}' wants to change something:", request.tool)];
    if let Some(preview) = &request.preview {
        lines.extend(preview.lines().map(|line| format!("  {}", visible(line))));
    }
    lines.push(format!("  arguments: {}", visible(&request.arguments.to_string())));
    if request.tainted {
        lines.push("  The run has read text written by others.".to_owned());
    }
    lines.push("Allow it? [y/N] ".to_owned());
    lines.join("\n")
}

/// Control, direction and invisible characters as their code points.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_invisible(c) {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

fn ask(question: &str) -> io::Result<bool> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question}")?;
    stderr.flush()?;
    let mut answer = String::new();
    // End of input is no.
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_question_can_move_the_cursor_or_turn_the_text() {
        assert_eq!(visible("rm \u{1b}[2K\u{202e}x"), "rm \\u{1b}[2K\\u{202e}x");
    }
}
