//! The edit engine: from a file's bytes and the edits that somebody wrote against its masked text to the
//! file's new bytes. It opens nothing.
//!
//! Each edit names a piece of the text as `file_read` shows it, secrets as placeholders. The piece is found in
//! the masked text and changed in the original, so what is not named stays as it was, byte for byte: other
//! encodings, bytes that stand for no character, line ends and secrets. A placeholder in a replacement stands
//! for the secret of this file that it stands for in its masked text.
//!
//! All edits are found in the text as it is, before any of them, and must not overlap. A piece that stands in
//! the file more or less often than expected changes nothing. Where lines end in `\r\n` and the edit was
//! written with `\n`, or the other way round, the edit is taken as if it were written like the file.

use std::ops::Range;

use siteclaw_core::{Masker, Traced};

use crate::text::{Charset, Decoded, Ends, Sniffed};

/// Places of one piece that are counted; more are told as "more than".
const MAX_PLACES: usize = 1000;

/// One piece to replace.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The piece, as the masked text shows it.
    pub old: String,
    /// What takes its place; empty to remove it.
    pub new: String,
    /// How often the piece must stand in the file; each place is changed.
    pub count: usize,
}

/// The file after all edits.
pub struct Edited {
    /// The new bytes.
    pub bytes: Vec<u8>,
    /// The old text, secrets masked.
    pub before: String,
    /// The new text, secrets masked.
    pub after: String,
    /// The line on which the first change begins, from 1.
    pub line: usize,
    /// How many places were changed.
    pub places: usize,
    /// Whether line ends of an edit were taken as the file has them.
    pub adapted: bool,
}

/// Why nothing is changed. `edit` counts from 0. No variant holds text of the file or of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The piece is empty.
    Empty {
        /// Which edit.
        edit: usize,
    },
    /// The piece and its replacement are the same.
    NoChange {
        /// Which edit.
        edit: usize,
    },
    /// The piece does not stand in the file.
    NoMatch {
        /// Which edit.
        edit: usize,
    },
    /// The piece stands in the file another number of times than expected, or its places overlap.
    Ambiguous {
        /// Which edit.
        edit: usize,
        /// How often it stands there; counting ends after 1000.
        found: usize,
        /// The lines of the first places, from 1.
        lines: [usize; 3],
    },
    /// The piece begins or ends within a placeholder.
    CutsSecret {
        /// Which edit.
        edit: usize,
    },
    /// Two edits change the same place.
    Overlap {
        /// The one.
        edit: usize,
        /// The other.
        other: usize,
    },
    /// A placeholder in a replacement stands for no secret of this file.
    UnknownSecret {
        /// Which edit.
        edit: usize,
    },
    /// The file's encoding lacks a character of a replacement.
    Unencodable {
        /// Which edit.
        edit: usize,
        /// The character.
        lacking: char,
    },
}

/// A replacement of one place of the original text.
struct Change {
    edit: usize,
    place: Range<usize>,
    bytes: Vec<u8>,
    text: String,
}

/// Applies the edits to a file.
pub fn apply(bytes: &[u8], sniffed: Sniffed, masker: &Masker, edits: &[Edit]) -> Result<Edited, Problem> {
    let charset = sniffed.charset;
    let (mark, body) = bytes.split_at(sniffed.mark.min(bytes.len()));
    let decoded = charset.decode(body);
    let traced = masker.trace(&decoded.text);
    let ends = Ends::of(&decoded.text);
    let mut changes = Vec::new();
    let mut adapted = false;
    for (index, edit) in edits.iter().enumerate() {
        let found = find(&traced, edit, ends, index)?;
        adapted |= found.adapted;
        let new =
            revealed(&found.new, &traced, &decoded.text).ok_or(Problem::UnknownSecret { edit: index })?;
        let bytes = charset.encode(&new).map_err(|lacking| Problem::Unencodable { edit: index, lacking })?;
        for masked in found.places {
            let place = traced.original(masked).ok_or(Problem::CutsSecret { edit: index })?;
            changes.push(Change { edit: index, place, bytes: bytes.clone(), text: new.clone() });
        }
    }
    changes.sort_by_key(|change| (change.place.start, change.place.end));
    for pair in changes.windows(2) {
        if let [one, other] = pair
            && other.place.start < one.place.end
        {
            return Err(Problem::Overlap { edit: one.edit, other: other.edit });
        }
    }
    let line = changes.first().map_or(1, |first| line_of(&decoded.text, first.place.start));
    let (new_bytes, new_text) = rewritten(mark, body, &decoded, charset, &changes);
    Ok(Edited {
        bytes: new_bytes,
        before: traced.text().to_owned(),
        after: masker.mask(&new_text).into_owned(),
        line,
        places: changes.len(),
        adapted,
    })
}

/// The line of a place, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

struct Found {
    places: Vec<Range<usize>>,
    new: String,
    adapted: bool,
}

fn find(traced: &Traced<'_>, edit: &Edit, ends: Ends, index: usize) -> Result<Found, Problem> {
    if edit.old.is_empty() {
        return Err(Problem::Empty { edit: index });
    }
    if edit.old == edit.new {
        return Err(Problem::NoChange { edit: index });
    }
    let text = traced.text();
    let mut places = places(text, &edit.old);
    let mut adapted = false;
    if places.is_empty() {
        let other = other_ends(&edit.old).ok_or(Problem::NoMatch { edit: index })?;
        places = self::places(text, &other);
        adapted = true;
    }
    if places.is_empty() {
        return Err(Problem::NoMatch { edit: index });
    }
    let overlap = places.windows(2).any(|pair| matches!(pair, [one, other] if other.start < one.end));
    if places.len() != edit.count || overlap {
        let mut lines = places.iter().map(|place| line_of(text, place.start));
        let lines = [(); 3].map(|()| lines.next().unwrap_or(0));
        return Err(Problem::Ambiguous { edit: index, found: places.len(), lines });
    }
    // Lines that are added end as those of the file do, or as those that were found.
    let new = match ends {
        Ends::Crlf => with_crlf(&edit.new),
        Ends::Lf if adapted => edit.new.replace("\r\n", "\n"),
        Ends::Mixed if adapted && !edit.old.contains('\r') => with_crlf(&edit.new),
        Ends::Mixed if adapted => edit.new.replace("\r\n", "\n"),
        _ => edit.new.clone(),
    };
    let adapted = adapted || new != edit.new;
    Ok(Found { places, new, adapted })
}

/// Where a piece stands, places that overlap included.
fn places(text: &str, piece: &str) -> Vec<Range<usize>> {
    let finder = memchr::memmem::Finder::new(piece);
    let mut found = Vec::new();
    let mut from = 0;
    while found.len() <= MAX_PLACES
        && let Some(at) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest))
    {
        found.push(from + at..from + at + piece.len());
        from += at + 1;
    }
    found
}

/// The piece with the other kind of line ends, if it has lines of one kind.
fn other_ends(piece: &str) -> Option<String> {
    match Ends::of(piece) {
        Ends::Lf => Some(piece.replace('\n', "\r\n")),
        Ends::Crlf => Some(piece.replace("\r\n", "\n")),
        Ends::None | Ends::Mixed => None,
    }
}

fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// The replacement with the file's own secrets in place of their placeholders.
fn revealed(new: &str, traced: &Traced<'_>, original: &str) -> Option<String> {
    const OPEN: &str = "⟦secret:";
    let mut out = String::with_capacity(new.len());
    let mut rest = new;
    while let Some(at) = rest.find(OPEN) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some(length) = from.find('⟧').map(|end| end + '⟧'.len_utf8()) else { break };
        // A placeholder is short; a lone opening is text.
        let placeholder = from.get(..length).filter(|text| text.chars().count() == 17);
        let Some(placeholder) = placeholder else {
            out.push_str(OPEN);
            rest = from.get(OPEN.len()..).unwrap_or_default();
            continue;
        };
        let stands_for =
            traced.spans().iter().find(|span| traced.text().get(span.masked.clone()) == Some(placeholder));
        match stands_for {
            Some(span) => out.push_str(original.get(span.original.clone()).unwrap_or_default()),
            // Text that looks like a placeholder and is the file's own stays text.
            None if original.contains(placeholder) => out.push_str(placeholder),
            None => return None,
        }
        rest = from.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    Some(out)
}

/// The file with the changes: bytes between them are copied, not encoded anew.
fn rewritten(
    mark: &[u8],
    body: &[u8],
    decoded: &Decoded,
    charset: Charset,
    changes: &[Change],
) -> (Vec<u8>, String) {
    let mut places = Positions { decoded, charset, at: 0, byte: 0, wrong: 0 };
    let mut bytes = mark.to_owned();
    let mut text = String::with_capacity(decoded.text.len());
    let (mut done, mut done_bytes) = (0, 0);
    for change in changes {
        let start = places.byte_of(change.place.start);
        let end = places.byte_of(change.place.end);
        bytes.extend_from_slice(body.get(done_bytes..start).unwrap_or_default());
        bytes.extend_from_slice(&change.bytes);
        text.push_str(decoded.text.get(done..change.place.start).unwrap_or_default());
        text.push_str(&change.text);
        (done, done_bytes) = (change.place.end, end);
    }
    bytes.extend_from_slice(body.get(done_bytes..).unwrap_or_default());
    text.push_str(decoded.text.get(done..).unwrap_or_default());
    (bytes, text)
}

/// Finds bytes of places in the text, asked for in rising order.
struct Positions<'a> {
    decoded: &'a Decoded,
    charset: Charset,
    at: usize,
    byte: usize,
    wrong: usize,
}

impl Positions<'_> {
    fn byte_of(&mut self, place: usize) -> usize {
        let passed = self.decoded.text.get(self.at..place).unwrap_or_default();
        for (offset, c) in passed.char_indices() {
            let here = self.at + offset;
            match self.decoded.wrong.get(self.wrong).filter(|wrong| wrong.at == here) {
                Some(wrong) => {
                    self.wrong += 1;
                    self.byte += wrong.bytes;
                }
                None => self.byte += self.charset.width(c),
            }
        }
        self.at = place.max(self.at);
        self.byte
    }
}
