//! Text in files: its encoding, its line ends, and where a line begins, in files of any size.

mod diff;
mod encoding;
mod lines;

pub use diff::unified;
pub use encoding::{Charset, Decoded, SNIFFED_BYTES, Sniffed, Wrong, sniff};
pub use lines::{Ends, Skipped, skip_lines};

/// Characters that a text takes inside a JSON string.
pub fn json_cost(text: &str) -> usize {
    text.chars().map(json_cost_of).sum()
}

/// Characters that one character takes inside a JSON string.
pub const fn json_cost_of(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if (c as u32) < 0x20 => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_cost_is_what_json_takes(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(super::json_cost(&text) + 2, json.chars().count());
        }
    }
}
