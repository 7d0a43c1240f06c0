//! Where a search goes on.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use siteclaw_core::{ToolError, sanitise_fragment};

use super::INVALID_CURSOR;
use crate::root::RelPath;
use crate::roots::Place;

/// The last row of a page: its file and line. The next page begins after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) place: Place,
    pub(super) path: RelPath,
    pub(super) line: u64,
}

impl Cursor {
    /// As a text: the path with its root, whatever could be misread as `%XX`, a colon and the line.
    pub(super) fn write(&self) -> String {
        let mut text = self.place.prefix().to_owned();
        for &byte in self.path.as_path().as_os_str().as_bytes() {
            if byte.is_ascii_graphic() && byte != b'%' {
                text.push(char::from(byte));
            } else {
                text.push_str(&format!("%{byte:02X}"));
            }
        }
        format!("{text}:{}", self.line)
    }

    pub(super) fn read(text: &str) -> Result<Self, ToolError> {
        let wrong = || {
            ToolError::new(INVALID_CURSOR, format!("'{}' is no cursor.", sanitise_fragment(text, 100)))
                .hint("Take next_cursor of the page before, unchanged, with the same arguments.")
        };
        let text = text.trim();
        let place =
            [Place::Site, Place::Workspace].into_iter().find(|place| text.starts_with(place.prefix()));
        let place = place.ok_or_else(wrong)?;
        let (path, line) =
            text.get(place.prefix().len()..).and_then(|rest| rest.rsplit_once(':')).ok_or_else(wrong)?;
        let bytes = OsString::from_vec(decoded(path).ok_or_else(wrong)?);
        let path = RelPath::from_path(Path::new(&bytes)).map_err(|_| wrong())?;
        Ok(Self { place, path, line: line.parse().map_err(|_| wrong())? })
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    Some(bytes)
}

/// What is left to pass over on the way to where a search goes on: the names of the path that is yet to be gone,
/// and the line within the file.
#[derive(Clone, Debug)]
pub(super) struct Resume {
    names: Vec<OsString>,
    line: u64,
}

/// What a name of the present folder is to a search that goes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// It was dealt with before.
    Before,
    /// The search goes on within it: in the folder, or in the file after this line.
    Within,
    /// All of it is ahead.
    Ahead,
}

impl Resume {
    /// From a cursor, for a walk that begins at `from`. `None` when the whole walk is ahead.
    pub(super) fn new(cursor: &Cursor, from: &RelPath) -> Option<Self> {
        let below = cursor.path.as_path().strip_prefix(from.as_path()).ok()?;
        Some(Self { names: below.iter().map(OsStr::to_owned).collect(), line: cursor.line })
    }

    pub(super) fn stand(&self, name: &OsStr) -> Stand {
        match self.names.first().map(|next| name.cmp(next)) {
            Some(Ordering::Less) => Stand::Before,
            Some(Ordering::Equal) => Stand::Within,
            Some(Ordering::Greater) | None => Stand::Ahead,
        }
    }

    /// The line after which the file goes on, if this is the last name.
    pub(super) fn line(&self) -> Option<u64> {
        (self.names.len() == 1).then_some(self.line)
    }

    /// The line after which a walk that is one file goes on.
    pub(super) const fn after_whole(&self) -> u64 {
        self.line
    }

    /// What is left within the next name.
    pub(super) fn within(&self) -> Self {
        Self { names: self.names.iter().skip(1).cloned().collect(), line: self.line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in [
            "",
            "a:1",
            "site:/a",
            "site:/a:x",
            "site:/../a:1",
            "site:/%zz:1",
            "/etc/passwd:1",
            "site:/a%00:1",
        ] {
            assert_eq!(Cursor::read(text).err().map(|error| error.code()), Some(INVALID_CURSOR), "{text}");
        }
    }

    #[test]
    fn names_stand_before_within_or_ahead() {
        let cursor = Cursor::read("site:/b/c/file:7").unwrap();
        let resume = Resume::new(&cursor, &RelPath::root()).unwrap();
        let stands = ["a", "b", "b.txt", "c"].map(|name| resume.stand(OsStr::new(name)));
        assert_eq!(stands, [Stand::Before, Stand::Within, Stand::Ahead, Stand::Ahead]);
        assert_eq!(resume.line(), None);
        let file = resume.within().within();
        assert_eq!((file.stand(OsStr::new("file")), file.line()), (Stand::Within, Some(7)));
        assert!(Resume::new(&cursor, &RelPath::parse("b/c").unwrap()).unwrap().line().is_some());
        assert!(Resume::new(&cursor, &RelPath::parse("d").unwrap()).is_none());
    }

    proptest! {
        #[test]
        fn a_cursor_reads_as_it_was_written(bytes in prop::collection::vec(1u8.., 1..40), line in any::<u64>()) {
            let name = OsString::from_vec(bytes);
            let Ok(path) = RelPath::from_path(Path::new(&name)) else { return Ok(()) };
            let cursor = Cursor { place: Place::Workspace, path, line };
            prop_assert_eq!(Cursor::read(&cursor.write()).unwrap(), cursor);
        }
    }
}
