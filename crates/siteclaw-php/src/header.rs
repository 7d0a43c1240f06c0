//! Headers of plugins and themes.
//!
//! WordPress describes a plugin in a comment of its main file, a theme in one of its `style.css`: lines
//! of `Name: value` in the first 8 KiB. The same reader serves both.
//!
//! ```
//! let header = siteclaw_php::file_header(b"<?php\n/*\n * Plugin Name: Orders\n * Version: 1.2 */");
//! assert_eq!(header.get("plugin name"), Some("Orders"));
//! assert_eq!(header.get("Version"), Some("1.2"));
//! ```

use std::collections::BTreeMap;

/// WordPress reads this much of a file for its header.
const READ: usize = 8 * 1024;

/// Longest name that is taken for a header field; the longest in use has 20 characters.
const NAME: usize = 64;

/// The fields of a file's header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileHeader(BTreeMap<String, String>);

impl FileHeader {
    /// The value of a field; the case of its name does not matter. An empty value is no value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(&name.to_ascii_lowercase()).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All fields, by name in lower case. Prose of the comment that looks like a field is among them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Reads the header fields of a file's first 8 KiB, the way WordPress does: line ends of any kind,
/// blanks, `*`, `/`, `#` and `@` before the name, an open tag before those on the same line, the first
/// line with a name wins, and the value ends before `*/` and `?>`. Bytes that are not UTF-8 become U+FFFD.
pub fn file_header(bytes: &[u8]) -> FileHeader {
    let head = bytes.get(..READ).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head).replace('\r', "\n");
    let mut fields = BTreeMap::new();
    for line in text.lines() {
        let line = open_tag(line).trim_start_matches([' ', '\t', '/', '*', '#', '@']);
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.is_empty() || name.len() > NAME {
            continue;
        }
        fields.entry(name.to_ascii_lowercase()).or_insert_with(|| clean(value));
    }
    FileHeader(fields)
}

fn open_tag(line: &str) -> &str {
    let start = line.trim_start_matches([' ', '\t']);
    match start.get(..5) {
        Some(tag) if tag.eq_ignore_ascii_case("<?php") => start.get(5..).unwrap_or(""),
        _ => line,
    }
}

fn clean(value: &str) -> String {
    let end = ["*/", "?>"].iter().filter_map(|mark| value.find(mark)).min().unwrap_or(value.len());
    value.get(..end).unwrap_or(value).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_plugin_header() {
        let cases: [(&[u8], &str, Option<&str>); 12] = [
            (b"<?php\n/**\n * Plugin Name: A B\n */", "Plugin Name", Some("A B")),
            (b"<?php\r\n/*\r\nPlugin Name: CRLF\r\nVersion: 2\r\n*/", "Version", Some("2")),
            (b"<?php\r/*\rPlugin Name: old Mac\rVersion: 3\r*/", "Version", Some("3")),
            (b"<?php // Plugin Name: one line ?>", "plugin name", Some("one line")),
            (b"<?php /* Plugin Name: one comment */ echo 1;", "plugin name", Some("one comment")),
            (b"# @Version: 4", "VERSION", Some("4")),
            (b"/*\nTheme Name: T\nTemplate: parent\n*/\nbody { color: red }", "template", Some("parent")),
            (b"/*\nVersion: first\nVersion: second\n*/", "Version", Some("first")),
            (b"<?php\n$a = 'Version: 9';", "Version", None),
            (b"/*\nVersion :5\n*/", "Version", None),
            (b"/*\nPlugin Name:   \n*/", "Plugin Name", None),
            (b"", "Plugin Name", None),
        ];
        for (text, name, expected) in cases {
            assert_eq!(file_header(text).get(name), expected, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn only_the_first_eight_kibibytes_count() {
        let mut text = vec![b'\n'; READ - 12];
        text.extend_from_slice(b"Version: 1\nAuthor: late\n");
        let header = file_header(&text);
        assert_eq!(header.get("Version"), Some("1"));
        assert_eq!(header.get("Author"), None);
    }
}
