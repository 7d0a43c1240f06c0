//! Which encoding a file has, told from its first bytes, and text to and from it without loss.
//!
//! A byte order mark decides. Without one: bytes that are UTF-8 are UTF-8; bytes with NUL at every other
//! place are UTF-16; other text without NUL is Windows-1252, the superset of Latin-1 that browsers take for
//! it; what holds NUL besides is binary. Every byte of Windows-1252 has a character, so that a file in an
//! unknown one-byte encoding also comes back as the same bytes.

use encoding_rs::WINDOWS_1252;

/// How a file's bytes stand for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 after a byte order mark.
    Utf8Bom,
    /// UTF-16, low byte first; with a byte order mark or without.
    Utf16Le,
    /// UTF-16, high byte first; with a byte order mark or without.
    Utf16Be,
    /// Windows-1252, which includes Latin-1.
    Windows1252,
}

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sniffed {
    /// The encoding.
    pub charset: Charset,
    /// Bytes of the byte order mark: 0, 2 or 3.
    pub mark: usize,
}

/// Decoded text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// What stood for no character, in the order of the text.
    pub wrong: Vec<Wrong>,
}

/// Bytes that stand for no character and became U+FFFD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Where the U+FFFD stands in the text.
    pub at: usize,
    /// How many bytes of the file it stands for.
    pub bytes: usize,
}

impl Decoded {
    fn replaced(&mut self, bytes: usize) {
        self.wrong.push(Wrong { at: self.text.len(), bytes });
        self.text.push(char::REPLACEMENT_CHARACTER);
    }
}

/// Bytes in which a NUL makes a file binary.
pub const SNIFFED_BYTES: usize = 8192;

/// Tells the encoding from the first bytes, at best [`SNIFFED_BYTES`] or more; `whole` says that there are no
/// others. `None` is a binary file.
pub fn sniff(head: &[u8], whole: bool) -> Option<Sniffed> {
    match head {
        [0xEF, 0xBB, 0xBF, ..] => return text_after(head, Charset::Utf8Bom, 3),
        // UTF-32 begins like UTF-16 and is nowhere in use.
        [0xFF, 0xFE, 0, 0, ..] => return None,
        [0xFF, 0xFE, ..] => return Some(Sniffed { charset: Charset::Utf16Le, mark: 2 }),
        [0xFE, 0xFF, ..] => return Some(Sniffed { charset: Charset::Utf16Be, mark: 2 }),
        _ => {}
    }
    let start = head.get(..head.len().min(SNIFFED_BYTES)).unwrap_or(head);
    if start.contains(&0) {
        return unmarked_utf16(start).map(|charset| Sniffed { charset, mark: 0 });
    }
    let charset = if is_utf8(head, whole) { Charset::Utf8 } else { Charset::Windows1252 };
    Some(Sniffed { charset, mark: 0 })
}

fn text_after(head: &[u8], charset: Charset, mark: usize) -> Option<Sniffed> {
    let start = head.get(mark..head.len().min(SNIFFED_BYTES)).unwrap_or_default();
    (!start.contains(&0)).then_some(Sniffed { charset, mark })
}

/// Whether the bytes are UTF-8; where more follow, a character may be cut at the end.
fn is_utf8(bytes: &[u8], whole: bool) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => !whole && error.error_len().is_none(),
    }
}

/// UTF-16 of mostly Latin text has NUL in nearly every high byte and in no low byte.
fn unmarked_utf16(bytes: &[u8]) -> Option<Charset> {
    let pairs = bytes.len() / 2;
    let zeros = |at: usize| bytes.iter().skip(at).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if pairs < 2 || (!bytes.len().is_multiple_of(2) && bytes.len() < SNIFFED_BYTES) {
        return None;
    }
    match (even, odd) {
        (0, odd) if odd * 4 >= pairs * 3 => Some(Charset::Utf16Le),
        (even, 0) if even * 4 >= pairs * 3 => Some(Charset::Utf16Be),
        _ => None,
    }
}

impl Charset {
    /// The name that results show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf8Bom => "utf-8 with byte order mark",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// Bytes of the smallest unit: 2 for UTF-16, else 1.
    pub const fn unit(self) -> usize {
        match self {
            Self::Utf16Le | Self::Utf16Be => 2,
            _ => 1,
        }
    }

    /// A unit of UTF-16 from its two bytes.
    fn unit_from(self, pair: [u8; 2]) -> u16 {
        if self == Self::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    }

    fn bytes_of(self, unit: u16) -> [u8; 2] {
        if self == Self::Utf16Be { unit.to_be_bytes() } else { unit.to_le_bytes() }
    }

    /// Decodes the bytes, without a byte order mark. What stands for no character becomes U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> Decoded {
        let mut decoded = Decoded { text: String::with_capacity(bytes.len()), wrong: Vec::new() };
        match self {
            Self::Utf8 | Self::Utf8Bom => {
                for chunk in bytes.utf8_chunks() {
                    decoded.text.push_str(chunk.valid());
                    if !chunk.invalid().is_empty() {
                        decoded.replaced(chunk.invalid().len());
                    }
                }
            }
            Self::Windows1252 => {
                decoded.text.push_str(&WINDOWS_1252.decode_without_bom_handling(bytes).0);
            }
            Self::Utf16Le | Self::Utf16Be => {
                let (pairs, rest) = bytes.as_chunks::<2>();
                for c in char::decode_utf16(pairs.iter().map(|pair| self.unit_from(*pair))) {
                    match c {
                        Ok(c) => decoded.text.push(c),
                        Err(_) => decoded.replaced(2),
                    }
                }
                if !rest.is_empty() {
                    decoded.replaced(rest.len());
                }
            }
        }
        decoded
    }

    /// Encodes text, without a byte order mark. `Err` is the first character that the encoding lacks.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self {
            Self::Utf8 | Self::Utf8Bom => Ok(text.as_bytes().to_owned()),
            Self::Utf16Le | Self::Utf16Be => {
                Ok(text.encode_utf16().flat_map(|unit| self.bytes_of(unit)).collect())
            }
            Self::Windows1252 => {
                let (bytes, _, lossy) = WINDOWS_1252.encode(text);
                if !lossy {
                    return Ok(bytes.into_owned());
                }
                let lacking = |c: &char| WINDOWS_1252.encode(c.encode_utf8(&mut [0; 4])).2;
                Err(text.chars().find(lacking).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
        }
    }

    /// Bytes that a decoded character takes in the file.
    pub const fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 | Self::Utf8Bom => c.len_utf8(),
            Self::Utf16Le | Self::Utf16Be => c.len_utf16() * 2,
            Self::Windows1252 => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn charset(bytes: &[u8]) -> Option<(Charset, usize)> {
        sniff(bytes, true).map(|sniffed| (sniffed.charset, sniffed.mark))
    }

    #[test]
    fn the_first_bytes_tell_the_encoding() {
        assert_eq!(charset(b"plain"), Some((Charset::Utf8, 0)));
        assert_eq!(charset(b""), Some((Charset::Utf8, 0)));
        assert_eq!(charset("größe".as_bytes()), Some((Charset::Utf8, 0)));
        assert_eq!(charset(b"\xEF\xBB\xBFx"), Some((Charset::Utf8Bom, 3)));
        assert_eq!(charset(b"gr\xF6\xDFe"), Some((Charset::Windows1252, 0)));
        assert_eq!(charset(b"\xFF\xFEa\0"), Some((Charset::Utf16Le, 2)));
        assert_eq!(charset(b"\xFE\xFF\0a"), Some((Charset::Utf16Be, 2)));
        assert_eq!(charset(b"a\0b\0c\0\n\0"), Some((Charset::Utf16Le, 0)));
        assert_eq!(charset(b"\0a\0b\0c\0\n"), Some((Charset::Utf16Be, 0)));
        for binary in [&b"\x7fELF\0\0\0"[..], b"PK\x03\x04\0\0", b"\xFF\xFE\0\0a\0\0\0", b"text\0more", b"\0"]
        {
            assert_eq!(charset(binary), None, "{binary:?}");
        }
    }

    #[test]
    fn a_character_that_the_first_bytes_cut_is_no_sign_of_another_encoding() {
        let cut = &"grö".as_bytes()[..3];
        assert_eq!(sniff(cut, false).unwrap().charset, Charset::Utf8);
        assert_eq!(sniff(cut, true).unwrap().charset, Charset::Windows1252);
    }

    #[test]
    fn what_stands_for_no_character_is_counted() {
        let decoded = |charset: Charset, bytes: &[u8]| {
            let decoded = charset.decode(bytes);
            (decoded.text, decoded.wrong.iter().map(|wrong| (wrong.at, wrong.bytes)).collect::<Vec<_>>())
        };
        let text = "a\u{fffd}b\u{fffd}".to_owned();
        assert_eq!(decoded(Charset::Utf8, b"a\xFFb\xE2\x82"), (text.clone(), vec![(1, 1), (5, 2)]));
        assert_eq!(decoded(Charset::Utf16Le, b"a\0\x00\xD8b\0c"), (text, vec![(1, 2), (5, 1)]));
        assert_eq!(Charset::Windows1252.encode("5 € ₽"), Err('₽'));
        assert_eq!(Charset::Windows1252.encode("5 €"), Ok(b"5 \x80".to_vec()));
    }

    proptest! {
        #[test]
        fn every_byte_of_a_one_byte_encoding_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let decoded = Charset::Windows1252.decode(&bytes);
            prop_assert!(decoded.wrong.is_empty());
            prop_assert_eq!(Charset::Windows1252.encode(&decoded.text), Ok(bytes));
        }

        #[test]
        fn text_survives_encoding_and_widths_add_up(text in any::<String>()) {
            for charset in [Charset::Utf8, Charset::Utf16Le, Charset::Utf16Be] {
                let bytes = charset.encode(&text).unwrap();
                prop_assert_eq!(bytes.len(), text.chars().map(|c| charset.width(c)).sum::<usize>());
                prop_assert_eq!(charset.decode(&bytes), Decoded { text: text.clone(), wrong: vec![] });
            }
        }
    }
}
