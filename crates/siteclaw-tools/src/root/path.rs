//! Paths relative to an open folder, parsed once into a form that cannot lead out by its text.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use siteclaw_core::sanitise_fragment;

use super::RootError;

const MAX_COMPONENT: usize = 255;
const MAX_TOTAL: usize = 4096;
const MAX_COMPONENTS: usize = 64;

/// A path beneath a folder: plain names only, no `.`, no `..`, no leading slash.
///
/// `..` is taken out by text (`a/../b` is `b`), whatever `a` is. At most 64 components of at most 255
/// bytes each, 4096 bytes in all, no control characters. The empty path and `.` are the folder itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath(PathBuf);

impl RelPath {
    /// The folder itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses text such as a model or a configuration file gives.
    ///
    /// Fails with `Outside` for a path that begins with `/`, `\` or a drive letter or climbs above the
    /// folder, `TooLong` beyond the bounds, `Malformed` for control characters.
    pub fn parse(text: &str) -> Result<Self, RootError> {
        Self::from_bytes(text.as_bytes())
    }

    /// Parses a path of the operating system by the rules of [`RelPath::parse`]. Names need not be
    /// UTF-8: old hosts have uploads named in other encodings.
    pub fn from_path(path: &Path) -> Result<Self, RootError> {
        Self::from_bytes(path.as_os_str().as_bytes())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, RootError> {
        let given = Path::new(OsStr::from_bytes(bytes));
        if bytes.len() > MAX_TOTAL {
            return Err(RootError::too_long(given));
        }
        if has_control(bytes) {
            return Err(RootError::malformed(given));
        }
        if is_absolute(bytes) {
            return Err(RootError::outside(given));
        }
        let mut kept: Vec<&[u8]> = Vec::new();
        for part in bytes.split(|byte| *byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    kept.pop().ok_or_else(|| RootError::outside(given))?;
                }
                name if name.len() > MAX_COMPONENT => return Err(RootError::too_long(given)),
                name => kept.push(name),
            }
        }
        if kept.len() > MAX_COMPONENTS {
            return Err(RootError::too_long(given));
        }
        let joined = kept.join(&b'/');
        // `./C:/x` is no way around the rule.
        if is_absolute(&joined) {
            return Err(RootError::outside(given));
        }
        Ok(Self(OsString::from_vec(joined).into()))
    }

    /// The path of something beneath this one. `below` follows the rules of [`RelPath::parse`], so it
    /// cannot climb out of this path either.
    pub fn join(&self, below: impl AsRef<OsStr>) -> Result<Self, RootError> {
        let below = Self::from_bytes(below.as_ref().as_bytes())?;
        if self.is_root() {
            return Ok(below);
        }
        Self::from_bytes(self.0.join(below.0).as_os_str().as_bytes())
    }

    /// The path without its last name; `None` for the folder itself.
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(|parent| Self(parent.to_owned()))
    }

    /// The last name; `None` for the folder itself.
    pub fn name(&self) -> Option<&OsStr> {
        self.0.file_name()
    }

    /// Whether it is the folder itself.
    pub fn is_root(&self) -> bool {
        self.0.as_os_str().is_empty()
    }

    /// The names from the folder down.
    pub fn components(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter()
    }

    /// The path as a path; empty for the folder itself. Opening by it from elsewhere gives up everything
    /// that [`Root`](super::Root) is for.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

/// Absolute on any system: a model does not always know which one it talks to.
fn is_absolute(bytes: &[u8]) -> bool {
    match bytes {
        [b'/' | b'\\', ..] => true,
        [letter, b':', b'/' | b'\\', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn has_control(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().any(char::is_control),
        Err(_) => bytes.iter().any(u8::is_ascii_control),
    }
}

/// The path made fit to print; `.` for the folder itself.
impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str(".");
        }
        f.write_str(&sanitise_fragment(&self.0.to_string_lossy(), MAX_TOTAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> String {
        RelPath::parse(text).unwrap().to_string()
    }

    #[test]
    fn honest_paths_are_reduced_to_their_names() {
        assert_eq!(parsed("wp-content/plugins"), "wp-content/plugins");
        assert_eq!(parsed("./a//b/./c/"), "a/b/c");
        assert_eq!(parsed("a/x/../b"), "a/b");
        assert_eq!(parsed(""), ".");
        assert_eq!(parsed("a/.."), ".");
        assert_eq!(parsed("foo..bar/..baz"), "foo..bar/..baz");
        assert_eq!(parsed("größe/文.txt"), "größe/文.txt");
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        let outside = [
            "..",
            "../../etc/passwd",
            "a/../../etc/passwd",
            "/etc/passwd",
            "/",
            "\\windows",
            "C:\\x",
            "c:/x",
            "./c:/x",
            "a/../\\x",
        ];
        for text in outside {
            assert!(matches!(RelPath::parse(text), Err(RootError::Outside { .. })), "{text}");
        }
    }

    #[test]
    fn control_characters_are_refused_in_any_encoding() {
        for text in ["a\0b", "a\nb", "a\u{7f}", "a\u{85}b", "tab\tbed"] {
            assert!(matches!(RelPath::parse(text), Err(RootError::Malformed { .. })), "{text:?}");
        }
        let latin1 = Path::new(OsStr::from_bytes(b"caf\xe9.jpg"));
        assert!(RelPath::from_path(latin1).is_ok());
        let broken = Path::new(OsStr::from_bytes(b"caf\xe9\n.jpg"));
        assert!(matches!(RelPath::from_path(broken), Err(RootError::Malformed { .. })));
    }

    #[test]
    fn lengths_are_bounded() {
        let too_long = |text: &str| matches!(RelPath::parse(text), Err(RootError::TooLong { .. }));
        assert!(!too_long(&"n".repeat(255)));
        assert!(too_long(&"n".repeat(256)));
        assert!(too_long(&"n".repeat(5000)));
        assert!(!too_long(&vec!["d"; 64].join("/")));
        assert!(too_long(&vec!["d"; 65].join("/")));
        assert!(too_long(&vec!["d"; 600].join("/")));
        let deep = RelPath::parse(&vec!["d"; 40].join("/")).unwrap();
        assert!(matches!(deep.join(deep.as_path()), Err(RootError::TooLong { .. })));
    }

    #[test]
    fn joining_cannot_climb() {
        let base = RelPath::parse("a/b").unwrap();
        assert_eq!(base.join("c/../d").unwrap().to_string(), "a/b/d");
        assert!(base.join("../c").is_err());
        assert!(base.join("/c").is_err());
        assert_eq!(base.parent().unwrap().to_string(), "a");
        assert_eq!(RelPath::root().parent(), None);
    }

    proptest! {
        #[test]
        fn whatever_parses_has_plain_names_only(text in "[aC./\\\\:\u{0}\n]{0,40}") {
            if let Ok(path) = RelPath::parse(&text) {
                for name in path.components() {
                    prop_assert!(name != "." && name != ".." && !name.is_empty());
                }
                prop_assert!(!path.as_path().is_absolute());
                let again = RelPath::from_path(path.as_path());
                prop_assert!(again.is_ok_and(|again| again == path));
            }
        }
    }
}
