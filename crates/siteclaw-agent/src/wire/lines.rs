//! Cutting a stream of bytes into events: server-sent events, or one JSON document a line.
//!
//! Bytes arrive in pieces that end anywhere, in the middle of a character too. An event that grows past
//! [`MAX_EVENT`] is refused, so that a server cannot make the program hold what it likes.

/// The most bytes of one event.
pub(crate) const MAX_EVENT: usize = 8 * 1024 * 1024;

/// How a stream is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `data:` lines, an empty line after each event.
    Events,
    /// A JSON document a line.
    Lines,
}

/// An event that is longer than [`MAX_EVENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Divides a stream.
#[derive(Debug)]
pub(crate) struct Cutter {
    framing: Framing,
    /// Bytes of a line whose end has not come.
    line: Vec<u8>,
    /// The last byte was a carriage return, which may be half of a line's end.
    returned: bool,
    /// `data:` lines of an event whose end has not come.
    data: Vec<u8>,
    has_data: bool,
    started: bool,
}

impl Cutter {
    pub(crate) const fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), returned: false, data: Vec::new(), has_data: false, started: false }
    }

    /// Takes the next piece and hands out the events that it completes.
    pub(crate) fn take(&mut self, piece: &[u8], mut each: impl FnMut(Vec<u8>)) -> Result<(), TooLong> {
        let mut rest = piece;
        if self.returned && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.returned = false;
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, after) = rest.split_at(end);
            self.grow(line)?;
            rest = match after {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.returned = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
            if let Some(event) = self.line_ended() {
                each(event);
            }
        }
        self.grow(rest)
    }

    /// The event that the stream's end completes, if there is one.
    pub(crate) fn end(&mut self) -> Option<Vec<u8>> {
        let last = if self.line.is_empty() { None } else { self.line_ended() };
        last.or_else(|| self.dispatch())
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.data.len() + bytes.len() > MAX_EVENT {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line_ended(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.line);
        if !self.started {
            self.started = true;
            if line.starts_with(b"\xef\xbb\xbf") {
                line.drain(..3);
            }
        }
        match self.framing {
            Framing::Lines => (!line.iter().all(u8::is_ascii_whitespace)).then_some(line),
            Framing::Events if line.is_empty() => self.dispatch(),
            Framing::Events => {
                if let Some(value) = line.strip_prefix(b"data") {
                    let value = match value {
                        [b':', b' ', value @ ..] | [b':', value @ ..] => value,
                        [] => value,
                        // Another field whose name begins the same way.
                        _ => return None,
                    };
                    if self.has_data {
                        self.data.push(b'\n');
                    }
                    self.has_data = true;
                    self.data.extend_from_slice(value);
                }
                None
            }
        }
    }

    fn dispatch(&mut self) -> Option<Vec<u8>> {
        let event = std::mem::take(&mut self.data);
        std::mem::take(&mut self.has_data).then_some(event).filter(|event| !event.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(framing: Framing, pieces: &[&[u8]]) -> Vec<String> {
        let mut cutter = Cutter::new(framing);
        let mut events = Vec::new();
        for piece in pieces {
            cutter.take(piece, |event| events.push(event)).unwrap();
        }
        events.extend(cutter.end());
        events.into_iter().map(|event| String::from_utf8_lossy(&event).into_owned()).collect()
    }

    #[test]
    fn events_are_their_data_whatever_ends_the_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text = [
                "\u{feff}event: message_start",
                "data: {\"a\":1}",
                "",
                ": a comment",
                "data:{\"b\":",
                "data: 2}",
                "id: 7",
                "",
                "",
                "database: no",
                "",
                "data: [DONE]",
            ]
            .join(end);
            let wanted = ["{\"a\":1}", "{\"b\":\n2}", "[DONE]"];
            assert_eq!(cut(Framing::Events, &[text.as_bytes()]), wanted, "{end:?}");
        }
    }

    #[test]
    fn lines_are_documents_and_the_last_needs_no_end() {
        assert_eq!(cut(Framing::Lines, &[b"{\"a\":1}\r\n\n  \n{\"b\"", b":2}"]), ["{\"a\":1}", "{\"b\":2}"]);
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut cutter = Cutter::new(Framing::Events);
        let line = vec![b'x'; MAX_EVENT / 2];
        assert_eq!(cutter.take(&line, |_| ()), Ok(()));
        assert_eq!(cutter.take(&line, |_| ()), Ok(()));
        assert_eq!(cutter.take(b"x", |_| ()), Err(TooLong));
        let mut cutter = Cutter::new(Framing::Events);
        let long = [b"data:".as_slice(), &line, b"\n"].concat();
        assert_eq!(cutter.take(&long, |_| ()), Ok(()));
        assert_eq!(cutter.take(&long, |_| ()), Err(TooLong));
    }

    proptest! {
        #[test]
        fn where_the_pieces_end_makes_no_difference(
            parts in prop::collection::vec(prop_oneof![
                Just("data: "), Just("data:"), Just("ä€"), Just("x"), Just("\n"), Just("\r\n"), Just("\r"), Just(":"),
                Just("event: e"), Just("\n\n"), Just("{}"),
            ], 0..40),
            cuts in prop::collection::vec(0usize..200, 0..8),
            lines in any::<bool>(),
        ) {
            let framing = if lines { Framing::Lines } else { Framing::Events };
            let text = parts.concat();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(cut(framing, &pieces), cut(framing, &[bytes]));
        }
    }
}
