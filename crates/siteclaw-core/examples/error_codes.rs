//! Prints `docs/errors.md`: every code of [`siteclaw_core::code::ALL`] with its meaning.
//!
//! `cargo xtask docs` writes the page.

use std::io::{self, Write as _};

use siteclaw_core::code;

/// How the meaning of a code that only warns ends.
const WARNING: &str = " (warning).";

const OPENING: &str = "\
# Error and warning codes

A refused or failed call answers with `success: false` and an `error` that bears one of these codes. A code never
changes its meaning, so programs and prompts can rely on it; the message beside it is for reading and may change.
Platforms add codes of their own for what only they know.
";

fn main() -> io::Result<()> {
    let meanings = code::ALL.iter().map(|(code, meaning)| (code.as_str(), meaning.trim()));
    let (warnings, errors): (Vec<_>, Vec<_>) = meanings.partition(|(_, meaning)| meaning.ends_with(WARNING));
    let mut page = OPENING.to_owned();
    page.push_str("\n## Errors\n\n");
    page.push_str(&table(&errors));
    page.push_str("\n## Warnings\n\nThe call succeeded; its `warnings` say what the reader should know.\n\n");
    page.push_str(&table(&warnings));
    io::stdout().lock().write_all(page.as_bytes())
}

fn table(rows: &[(&str, &str)]) -> String {
    let mut table = "| Code | Meaning |\n|---|---|\n".to_owned();
    for (code, meaning) in rows {
        let meaning = match meaning.strip_suffix(WARNING) {
            Some(stem) => format!("{stem}."),
            None => (*meaning).to_owned(),
        };
        table.push_str(&format!("| `{code}` | {} |\n", meaning.replace('|', "\\|")));
    }
    table
}
