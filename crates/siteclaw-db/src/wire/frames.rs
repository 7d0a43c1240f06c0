//! Cuts a stream into messages while it passes, without holding any of it back.
//!
//! A message is judged twice: by its length as soon as its header is known, and by its first bytes once they are.
//! Bytes are passed on after they were looked at, so a driver never has a whole message that was not judged.

use super::Refusal;

/// As many first bytes of a message as are looked at.
const HEAD: usize = 16;

/// How the messages of a stream begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Three bytes of length, lowest first, and a number.
    MySql,
    /// A type, and four bytes of length, highest first, which count themselves.
    Postgres,
    /// As [`Postgres`](Self::Postgres), but the first message has no type.
    PostgresClient,
}

/// A message whose header is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// MySQL's number of the packet, or PostgreSQL's type of the message.
    pub(super) tag: u8,
    /// Bytes after the header.
    pub(super) len: usize,
}

/// Judges messages.
pub(super) trait Judge {
    /// By their length.
    fn header(&mut self, message: Message) -> Result<(), Refusal>;
    /// By their first bytes: 16 of them, or all.
    fn head(&mut self, message: Message, head: &[u8]) -> Result<(), Refusal>;
}

#[derive(Debug)]
pub(super) struct Frames {
    layout: Layout,
    header: Vec<u8>,
    current: Option<Current>,
}

#[derive(Debug)]
struct Current {
    message: Message,
    left: usize,
    head: [u8; HEAD],
    known: usize,
    judged: bool,
}

impl Frames {
    pub(super) const fn new(layout: Layout) -> Self {
        Self { layout, header: Vec::new(), current: None }
    }

    /// Looks at the next bytes of the stream.
    pub(super) fn observe(&mut self, mut bytes: &[u8], judge: &mut impl Judge) -> Result<(), Refusal> {
        loop {
            match &mut self.current {
                Some(current) => {
                    if current.take(&mut bytes, judge)? {
                        self.current = None;
                    } else {
                        return Ok(());
                    }
                }
                None => {
                    let Some((first, rest)) = bytes.split_first() else { return Ok(()) };
                    self.header.push(*first);
                    bytes = rest;
                    if let Some(message) = self.layout.message(&self.header)? {
                        self.header.clear();
                        if self.layout == Layout::PostgresClient {
                            self.layout = Layout::Postgres;
                        }
                        judge.header(message)?;
                        self.current = Some(Current::new(message));
                    }
                }
            }
        }
    }
}

impl Current {
    const fn new(message: Message) -> Self {
        Self { message, left: message.len, head: [0; HEAD], known: 0, judged: false }
    }

    /// Takes what belongs to the message; true when it is over.
    fn take(&mut self, bytes: &mut &[u8], judge: &mut impl Judge) -> Result<bool, Refusal> {
        let (own, rest) = bytes.split_at(self.left.min(bytes.len()));
        *bytes = rest;
        self.left -= own.len();
        if !self.judged {
            for (place, byte) in self.head.iter_mut().skip(self.known).zip(own) {
                *place = *byte;
                self.known += 1;
            }
            if self.known == HEAD.min(self.message.len) {
                self.judged = true;
                judge.head(self.message, self.head.get(..self.known).unwrap_or_default())?;
            }
        }
        Ok(self.left == 0)
    }
}

impl Layout {
    fn message(self, header: &[u8]) -> Result<Option<Message>, Refusal> {
        Ok(match (self, header) {
            (Self::MySql, &[a, b, c, tag]) => {
                Some(Message { tag, len: usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16 })
            }
            (Self::Postgres, &[tag, a, b, c, d]) => Some(Message { tag, len: postgres_len([a, b, c, d])? }),
            (Self::PostgresClient, &[a, b, c, d]) => {
                Some(Message { tag: 0, len: postgres_len([a, b, c, d])? })
            }
            _ => None,
        })
    }
}

fn postgres_len(bytes: [u8; 4]) -> Result<usize, Refusal> {
    let len = u32::from_be_bytes(bytes).checked_sub(4);
    len.and_then(|len| usize::try_from(len).ok()).ok_or(Refusal::Broken("a length is less than nothing"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Default)]
    struct Seen {
        headers: Vec<Message>,
        heads: Vec<Vec<u8>>,
    }

    impl Judge for Seen {
        fn header(&mut self, message: Message) -> Result<(), Refusal> {
            self.headers.push(message);
            Ok(())
        }

        fn head(&mut self, _: Message, head: &[u8]) -> Result<(), Refusal> {
            self.heads.push(head.to_owned());
            Ok(())
        }
    }

    #[test]
    fn a_length_is_judged_before_anything_else_of_the_message() {
        let mut seen = Seen::default();
        let mut frames = Frames::new(Layout::Postgres);
        frames.observe(b"D\xff\xff\xff", &mut seen).unwrap();
        assert!(seen.headers.is_empty());
        frames.observe(b"\xff", &mut seen).unwrap();
        assert_eq!(seen.headers, [Message { tag: b'D', len: 0xffff_fffb }]);
        let broken = Frames::new(Layout::Postgres).observe(b"D\0\0\0\x03", &mut seen);
        assert!(matches!(broken, Err(Refusal::Broken(_))));
    }

    #[test]
    fn the_first_message_to_a_postgresql_server_has_no_type() {
        let mut seen = Seen::default();
        let stream = b"\0\0\0\x08\0\x03\0\0Q\0\0\0\x05\0";
        Frames::new(Layout::PostgresClient).observe(stream, &mut seen).unwrap();
        assert_eq!(seen.headers, [Message { tag: 0, len: 4 }, Message { tag: b'Q', len: 1 }]);
        assert_eq!(seen.heads, [b"\0\x03\0\0".to_vec(), b"\0".to_vec()]);
    }

    proptest! {
        /// However a stream is cut on its way, the same messages are seen.
        #[test]
        fn cuts_do_not_matter(
            bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
            cuts in prop::collection::vec(1usize..20, 1..200),
        ) {
            let mut stream = Vec::new();
            for (number, body) in bodies.iter().enumerate() {
                stream.extend([u8::try_from(body.len()).unwrap(), 0, 0, u8::try_from(number).unwrap()]);
                stream.extend(body);
            }
            let mut seen = Seen::default();
            let mut frames = Frames::new(Layout::MySql);
            let mut rest = stream.as_slice();
            for cut in cuts.into_iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at(cut.min(rest.len()));
                frames.observe(now, &mut seen).unwrap();
                rest = later;
            }
            let lens: Vec<usize> = seen.headers.iter().map(|message| message.len).collect();
            prop_assert_eq!(lens, bodies.iter().map(Vec::len).collect::<Vec<_>>());
            let heads: Vec<Vec<u8>> = bodies.iter().map(|body| body.iter().take(HEAD).copied().collect()).collect();
            prop_assert_eq!(seen.heads, heads);
        }
    }
}
