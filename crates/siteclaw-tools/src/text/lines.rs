//! Lines in files of any size: skipping over them in constant memory, and what ends them.

use std::io::{self, Read};

use super::Charset;

/// Bytes looked at between two looks at the stop signal: a few milliseconds of work at most.
const CHUNK: usize = 256 * 1024;

/// How far [`skip_lines`] came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Bytes from where it began to the first byte of the line it came to.
    pub bytes: u64,
    /// Line ends passed: fewer than asked for where the file ended before.
    pub lines: u64,
}

/// Passes `lines` line ends from where the reader stands. `stopped` is asked between chunks, and ends it with
/// [`io::ErrorKind::Interrupted`]. The reader is left somewhere behind the place that is returned.
pub fn skip_lines(
    reader: &mut impl Read,
    charset: Charset,
    lines: u64,
    mut stopped: impl FnMut() -> bool,
) -> io::Result<Skipped> {
    let mut skipped = Skipped::default();
    if lines == 0 {
        return Ok(skipped);
    }
    let mut buffer = vec![0; CHUNK];
    let mut filled = 0;
    loop {
        if stopped() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        // Units of two bytes must not be torn between chunks.
        let Some(free) = buffer.get_mut(filled..) else { return Ok(skipped) };
        let count = match reader.read(free) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            result => result?,
        };
        filled += count;
        let whole = filled - filled % charset.unit();
        let chunk = buffer.get(..whole).unwrap_or_default();
        let left = lines - skipped.lines;
        match nth_end(chunk, charset, left) {
            Ok(end) => {
                skipped.bytes += end as u64;
                skipped.lines = lines;
                return Ok(skipped);
            }
            Err(passed) => skipped.lines += passed,
        }
        skipped.bytes += whole as u64;
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
        if count == 0 {
            skipped.bytes += filled as u64;
            return Ok(skipped);
        }
    }
}

/// The place behind the `wanted`th line end (from 1), or how many there are.
fn nth_end(chunk: &[u8], charset: Charset, wanted: u64) -> Result<usize, u64> {
    if charset.unit() == 1 {
        let all = memchr::memchr_iter(b'\n', chunk).count() as u64;
        if all < wanted {
            return Err(all);
        }
        let nth = usize::try_from(wanted - 1).unwrap_or(usize::MAX);
        return memchr::memchr_iter(b'\n', chunk).nth(nth).map(|at| at + 1).ok_or(all);
    }
    let (line_end, shift) = if charset == Charset::Utf16Be { ([0, b'\n'], 1) } else { ([b'\n', 0], 0) };
    let mut passed = 0;
    for at in memchr::memchr_iter(b'\n', chunk) {
        let Some(start) = at.checked_sub(shift) else { continue };
        if start % 2 == 0 && chunk.get(start..start + 2) == Some(&line_end) {
            passed += 1;
            if passed == wanted {
                return Ok(start + 2);
            }
        }
    }
    Err(passed)
}

/// What ends the lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// No line end was seen.
    None,
    /// `\n`.
    Lf,
    /// `\r\n`.
    Crlf,
    /// Both.
    Mixed,
}

impl Ends {
    /// The line ends of a text.
    pub fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let with_return = text.matches("\r\n").count();
        match (all, with_return) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (all, with) if all == with => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    /// The name that results show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Mixed => "mixed",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn skip(bytes: &[u8], charset: Charset, lines: u64) -> Skipped {
        skip_lines(&mut &bytes[..], charset, lines, || false).unwrap()
    }

    /// Hands out few bytes at a time.
    struct Drops<'a>(&'a [u8]);
    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let few = buffer.len().min(3);
            self.0.read(&mut buffer[..few])
        }
    }

    #[test]
    fn lines_are_passed_up_to_the_one_that_is_asked_for() {
        assert_eq!(skip(b"a\nbb\nc", Charset::Utf8, 0), Skipped { bytes: 0, lines: 0 });
        assert_eq!(skip(b"a\nbb\nc", Charset::Utf8, 1), Skipped { bytes: 2, lines: 1 });
        assert_eq!(skip(b"a\r\nbb\r\nc", Charset::Utf8, 2), Skipped { bytes: 7, lines: 2 });
        assert_eq!(skip(b"a\nbb\nc", Charset::Utf8, 9), Skipped { bytes: 6, lines: 2 });
        assert_eq!(skip(b"", Charset::Utf8, 1), Skipped::default());
    }

    #[test]
    fn a_line_end_of_two_bytes_is_found_only_where_a_unit_begins() {
        // U+0A00 and U+000A side by side, in both orders.
        let little = [0x00, 0x0A, 0x0A, 0x00, b'x', 0];
        assert_eq!(skip(&little, Charset::Utf16Le, 1), Skipped { bytes: 4, lines: 1 });
        let big = [0x0A, 0x00, 0x00, 0x0A, 0, b'x'];
        assert_eq!(skip(&big, Charset::Utf16Be, 1), Skipped { bytes: 4, lines: 1 });
    }

    #[test]
    fn a_stop_ends_the_search() {
        let stopped = skip_lines(&mut io::repeat(b'x'), Charset::Utf8, 1, || true);
        assert_eq!(stopped.unwrap_err().kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn the_line_ends_of_a_text_are_told() {
        for (text, ends) in
            [("a", Ends::None), ("a\nb", Ends::Lf), ("a\r\nb\r\n", Ends::Crlf), ("\r\n\n", Ends::Mixed)]
        {
            assert_eq!(Ends::of(text), ends, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn skipping_counts_as_splitting_does(text in "[ab\u{a0a}\n]{0,60}", lines in 0_u64..10) {
            let ends: Vec<usize> = text.char_indices().filter(|(_, c)| *c == '\n').map(|(at, _)| at + 1).collect();
            for charset in [Charset::Utf8, Charset::Utf16Le, Charset::Utf16Be] {
                let passed = (lines as usize).min(ends.len());
                let upto = if passed < lines as usize { text.len() } else { passed.checked_sub(1).map_or(0, |at| ends[at]) };
                let expected = Skipped {
                    bytes: charset.encode(&text[..upto]).unwrap().len() as u64,
                    lines: passed as u64,
                };
                let bytes = charset.encode(&text).unwrap();
                prop_assert_eq!(skip(&bytes, charset, lines), expected);
                prop_assert_eq!(skip_lines(&mut Drops(&bytes), charset, lines, || false).unwrap(), expected);
            }
        }
    }
}
