//! Names of tables and columns with `*` for any run of characters, compared without regard to case.

/// A name in which `*` stands for any run of characters, also none: `wp_*options`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    /// Takes a name or pattern. There is no escape: no table of a site has `*` in its name.
    pub fn new(pattern: &str) -> Self {
        Self(fold(pattern))
    }

    /// The pattern, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole name fits.
    pub fn matches(&self, name: &str) -> bool {
        let name = fold(name);
        let mut pieces = self.0.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let mut pieces = pieces.peekable();
        if pieces.peek().is_none() {
            return rest.is_empty();
        }
        while let Some(piece) = pieces.next() {
            if pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            match rest.find(piece) {
                Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        true
    }
}

impl From<&str> for NamePattern {
    fn from(pattern: &str) -> Self {
        Self::new(pattern)
    }
}

/// The form in which names are compared. Upper case first: MySQL takes `K` (the Kelvin sign) for `k` and
/// `ſ` for `s` in a column's name, and only the round trip folds both.
pub(super) fn fold(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_run_and_the_ends_are_anchored() {
        for (pattern, name, expected) in [
            ("wp_options", "wp_options", true),
            ("wp_options", "WP_Options", true),
            ("wp_options", "wp_options2", false),
            ("wp_options", "xwp_options", false),
            ("wp_*options", "wp_options", true),
            ("wp_*options", "wp_12_options", true),
            ("wp_*options", "wp_options_log", false),
            ("*_options", "wp_options", true),
            ("*", "", true),
            ("*", "anything", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("phpclaw_*", "phpclaw_messages", true),
            ("", "x", false),
        ] {
            assert_eq!(NamePattern::new(pattern).matches(name), expected, "{pattern} against {name}");
        }
    }

    #[test]
    fn folding_closes_the_case_pairs_that_mysql_takes_for_letters() {
        assert_eq!(fold("api_\u{212A}ey"), "api_key");
        assert_eq!(fold("pa\u{17F}s"), "pass");
    }
}
