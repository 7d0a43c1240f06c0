//! `cargo xtask docs`: reference pages that are printed by the code they describe.

use std::fs;
use std::process::{ExitCode, Stdio};

use crate::failure::{Context, Failure, Result};
use crate::workspace::Workspace;

/// A page, and the cargo command whose standard output it is.
struct Page {
    file: &'static str,
    producer: &'static [&'static str],
}

const PAGES: &[Page] = &[
    Page {
        file: "docs/errors.md",
        producer: &["run", "--quiet", "--package", "siteclaw-core", "--example", "error_codes"],
    },
    Page {
        file: "docs/tools.md",
        producer: &["run", "--quiet", "--package", "siteclaw-site", "--example", "tool_reference"],
    },
];

pub(crate) fn write(workspace: &Workspace) -> Result<ExitCode> {
    for page in PAGES {
        let text = produce(workspace, page)?;
        let file = workspace.root.join(page.file);
        if fs::read_to_string(&file).is_ok_and(|present| present == text) {
            continue;
        }
        let folder = file.parent().unwrap_or(&workspace.root);
        fs::create_dir_all(folder).context(|| format!("making {}", folder.display()))?;
        fs::write(&file, text).context(|| format!("writing {}", page.file))?;
        println!("{}", page.file);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn check(workspace: &Workspace) -> Result<ExitCode> {
    let mut stale = Vec::new();
    for page in PAGES {
        let text = produce(workspace, page)?;
        let present = fs::read_to_string(workspace.root.join(page.file)).unwrap_or_default();
        stale.extend(difference(&present, &text).map(|difference| format!("  {}: {difference}", page.file)));
    }
    if stale.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::new(format!(
        "these pages no longer say what the code says; `cargo xtask docs` writes them anew:\n{}",
        stale.join("\n")
    )))
}

fn produce(workspace: &Workspace, page: &Page) -> Result<String> {
    let mut command = workspace.cargo();
    command.args(page.producer).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().context(|| format!("running {command:?}"))?;
    if !output.status.success() || output.stdout.is_empty() {
        return Err(Failure::new(format!("{} was not produced: {command:?} ({})", page.file, output.status)));
    }
    String::from_utf8(output.stdout).context(|| format!("reading what {command:?} printed"))
}

/// The first line that differs, for a reader who wants to know what changed.
fn difference(present: &str, wanted: &str) -> Option<String> {
    if present == wanted {
        return None;
    }
    if present.is_empty() {
        return Some("missing or empty".into());
    }
    let (mut old, mut new) = (present.lines(), wanted.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (old.next(), new.next()) {
            (None, None) => return Some("differs in its line ends".into()),
            (old, new) if old == new => {}
            (_, Some(new)) => return Some(format!("line {number} should be: {new}")),
            (Some(_), None) => return Some(format!("should end before line {number}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_differing_line_is_named() {
        let cases = [
            ("a\nb\n", "a\nb\n", None),
            ("", "a\n", Some("missing or empty")),
            ("a\nb\n", "a\nc\n", Some("line 2 should be: c")),
            ("a\n", "a\nb\n", Some("line 2 should be: b")),
            ("a\nb\n", "a\n", Some("should end before line 2")),
            ("a\r\n", "a\n", Some("differs in its line ends")),
        ];
        for (present, wanted, expected) in cases {
            assert_eq!(difference(present, wanted).as_deref(), expected, "{present:?} {wanted:?}");
        }
    }
}
