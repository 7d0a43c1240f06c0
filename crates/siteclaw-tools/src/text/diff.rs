//! Unified diffs for people who approve and models that check: bounded in time and size.

use std::time::Duration;

use similar::TextDiff;

/// Time after which a diff gets coarser instead of slower.
const PATIENCE: Duration = Duration::from_millis(300);

/// The unified diff of two texts with three lines around each change, at most `max_chars` long: it ends at a
/// line and says how many lines are left out. Empty when the texts are the same.
///
/// The texts must be masked before: a diff cuts them, and a secret across the cut would show.
pub fn unified(path: &str, old: Option<&str>, new: &str, max_chars: usize) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old.unwrap_or_default(), new);
    let before = if old.is_some() { path } else { "/dev/null" };
    let text = diff.unified_diff().context_radius(3).header(before, path).to_string();
    if text.chars().count() <= max_chars {
        return text;
    }
    let mut kept = String::new();
    let mut size = 0;
    let mut lines = text.split_inclusive('\n');
    for line in lines.by_ref() {
        let length = line.chars().count();
        if size + length > max_chars {
            let left = lines.count() + 1;
            kept.push_str(&format!("… {left} more lines\n"));
            break;
        }
        size += length;
        kept.push_str(line);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_stands_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        // diff -u of the same files.
        let expected = "--- a.txt\n+++ a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified("a.txt", Some(old), new, 1000), expected);
        assert_eq!(unified("a.txt", Some(old), old, 1000), "");
        assert_eq!(unified("a.txt", None, "x\n", 1000), "--- /dev/null\n+++ a.txt\n@@ -0,0 +1 @@\n+x\n");
    }

    #[test]
    fn a_long_diff_ends_at_a_line_and_says_so() {
        let new: String = (0..1000).map(|n| format!("line {n}\n")).collect();
        let text = unified("a", Some(""), &new, 500);
        assert!(text.chars().count() < 540 && text.contains("+line 3\n"), "{text}");
        let last = text.lines().last().unwrap();
        let shown = text.lines().filter(|line| line.starts_with("+line")).count();
        assert_eq!(last, format!("… {} more lines", 1000 - shown));
    }
}
