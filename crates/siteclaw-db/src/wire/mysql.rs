//! What a MySQL server may say to a driver that is logged in.
//!
//! One count in one packet is dangerous, that of the columns of a result: the driver reserves as many before the
//! first has come. It stands in the first packet of an answer, so this follows the conversation as the driver does,
//! and refuses what is not an answer to anything: a packet that the driver might take for a first one was judged as
//! one, or the connection is gone.
//!
//! Source: "Client/Server Protocol", "Command Phase" of MySQL's internals documentation; and the driver
//! (`sqlx-mysql` 0.9, `connection/executor.rs` and `connection/stream.rs`), for what it makes of each packet.

use super::frames::{Frames, Judge, Layout, Message};
use super::relay::Inspector;
use super::{MAX_COLUMNS, MAX_DESCRIPTION, MAX_DESCRIPTIONS, MAX_LOGIN, MAX_MESSAGE, Refusal, Report};

const COM_QUIT: u8 = 0x01;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_CLOSE: u8 = 0x19;

const OK: u8 = 0x00;
const LOCAL_FILE: u8 = 0xfb;
const END: u8 = 0xfe;
const ERROR: u8 = 0xff;

/// What the server is about to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// Nothing was asked; only an error may come, as when the server shuts down.
    Nothing,
    /// The first packet of an answer to a statement, or of a further result.
    First,
    /// The answer to a preparation.
    Prepared,
    /// So many packets that describe columns or parameters, and then rows or nothing.
    Descriptions { left: u64, then_rows: bool },
    /// Rows, until an end.
    Rows,
}

pub(super) struct Conversation {
    up: Frames,
    down: Frames,
    judge: Referee,
}

impl Conversation {
    /// `ends` says whether descriptions are followed by a packet that ends them, as the two have agreed.
    pub(super) const fn new(ends: bool, report: Report) -> Self {
        let judge = Referee { expected: Expected::Nothing, ends, described: 0, described_now: 0, report };
        Self { up: Frames::new(Layout::MySql), down: Frames::new(Layout::MySql), judge }
    }
}

impl Inspector for Conversation {
    fn asked(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.up.observe(bytes, &mut Commands(&mut self.judge))
    }

    fn answered(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.down.observe(bytes, &mut self.judge)
    }
}

struct Referee {
    expected: Expected,
    ends: bool,
    /// Bytes of descriptions, ever and of this answer.
    described: u64,
    described_now: u64,
    report: Report,
}

/// The driver's side: which answer is due.
struct Commands<'a>(&'a mut Referee);

impl Judge for Commands<'_> {
    fn header(&mut self, _: Message) -> Result<(), Refusal> {
        Ok(())
    }

    fn head(&mut self, message: Message, head: &[u8]) -> Result<(), Refusal> {
        // Further packets of a long statement go on counting.
        if message.tag == 0 {
            self.0.command(head.first().copied().unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Referee {
    fn command(&mut self, command: u8) -> Result<(), Refusal> {
        if command == COM_QUIT || command == COM_STMT_CLOSE {
            return Ok(());
        }
        if !matches!(self.expected, Expected::Nothing | Expected::First) {
            // The driver thinks that the last answer is over, so it and this do not see the same.
            return Err(Refusal::Broken("an answer has no end"));
        }
        self.described_now = 0;
        self.expected = if command == COM_STMT_PREPARE { Expected::Prepared } else { Expected::First };
        Ok(())
    }

    fn describe(&mut self, len: usize) -> Result<(), Refusal> {
        let len = len as u64;
        self.described = self.described.saturating_add(len);
        self.described_now = self.described_now.saturating_add(len);
        if self.described > MAX_DESCRIPTIONS / 2 {
            self.report.wear();
        }
        if self.described_now > MAX_DESCRIPTION || self.described > MAX_DESCRIPTIONS {
            return Err(Refusal::Broken("the columns of a result are described without end"));
        }
        Ok(())
    }

    /// Descriptions of one kind, with their end.
    const fn descriptions(&self, count: u64) -> u64 {
        if count > 0 && self.ends { count + 1 } else { count }
    }

    fn first(&mut self, head: &[u8]) -> Result<Expected, Refusal> {
        match head.first() {
            // Another answer may follow; whatever comes is judged as a first packet.
            Some(&OK) => Ok(Expected::First),
            Some(&LOCAL_FILE) => Err(Refusal::Broken("it asks for a file of this machine")),
            _ => match length(head) {
                Some(count @ 1..=MAX_COLUMNS) => {
                    Ok(Expected::Descriptions { left: self.descriptions(count), then_rows: true })
                }
                _ => Err(Refusal::Broken("a result has more columns than any table can have")),
            },
        }
    }

    fn prepared(&self, head: &[u8]) -> Result<Expected, Refusal> {
        let &[OK, _, _, _, _, columns, more_columns, parameters, more_parameters, ..] = head else {
            return Err(Refusal::Broken("a statement was neither prepared nor refused"));
        };
        let columns = u64::from(u16::from_le_bytes([columns, more_columns]));
        let parameters = u64::from(u16::from_le_bytes([parameters, more_parameters]));
        if columns > MAX_COLUMNS {
            return Err(Refusal::Broken("a result has more columns than any table can have"));
        }
        Ok(match self.descriptions(parameters) + self.descriptions(columns) {
            0 => Expected::Nothing,
            left => Expected::Descriptions { left, then_rows: false },
        })
    }
}

impl Judge for Referee {
    fn header(&mut self, message: Message) -> Result<(), Refusal> {
        match message.len {
            0 => return Err(Refusal::Broken("a packet is empty")),
            len if len > MAX_MESSAGE => return Err(Refusal::TooLong),
            _ => {}
        }
        match self.expected {
            Expected::Descriptions { .. } => self.describe(message.len),
            Expected::Nothing if message.len > MAX_LOGIN => Err(Refusal::Broken("it answers to nothing")),
            _ => Ok(()),
        }
    }

    fn head(&mut self, message: Message, head: &[u8]) -> Result<(), Refusal> {
        let first = head.first().copied().unwrap_or_default();
        if first == ERROR {
            if !(3..=MAX_LOGIN).contains(&message.len) {
                return Err(Refusal::Broken("an error has no sense"));
            }
            // The driver gives the statement up.
            self.expected = match self.expected {
                Expected::Nothing | Expected::Prepared => Expected::Nothing,
                _ => Expected::First,
            };
            return Ok(());
        }
        self.expected = match self.expected {
            Expected::Nothing => return Err(Refusal::Broken("it answers to nothing")),
            Expected::First => self.first(head)?,
            Expected::Prepared => self.prepared(head)?,
            Expected::Descriptions { left: left @ 2.., then_rows } => {
                Expected::Descriptions { left: left - 1, then_rows }
            }
            Expected::Descriptions { then_rows: true, .. } => Expected::Rows,
            Expected::Descriptions { then_rows: false, .. } => Expected::Nothing,
            Expected::Rows if first == END => {
                // The driver takes a longer one for an end in one place and for a row in another.
                if !(5..9).contains(&message.len) {
                    return Err(Refusal::Broken("the end of a result is malformed"));
                }
                Expected::First
            }
            Expected::Rows => Expected::Rows,
        };
        Ok(())
    }
}

/// A length-encoded number, as the driver reads it.
fn length(head: &[u8]) -> Option<u64> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    match head.split_first()? {
        (0xfc, rest) => rest.get(..2).map(number),
        (0xfd, rest) => rest.get(..3).map(number),
        (0xfe, rest) => rest.get(..8).map(number),
        (small, _) => Some(u64::from(*small)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packet(number: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![u8::try_from(body.len()).unwrap(), 0, 0, number];
        bytes.extend(body);
        bytes
    }

    fn answers(conversation: &mut Conversation, bodies: &[&[u8]]) -> Result<(), Refusal> {
        bodies.iter().zip(1..).try_for_each(|(body, number)| conversation.answered(&packet(number, body)))
    }

    const DESCRIPTION: &[u8] = b"\x03def\0\0\0\x01a\0";
    const ENDED: &[u8] = &[END, 0, 0, 2, 0];

    #[test]
    fn an_honest_conversation_passes_with_and_without_ends_of_descriptions() {
        for ends in [false, true] {
            let mut conversation = Conversation::new(ends, Report::default());
            let described: &[&[u8]] = if ends { &[DESCRIPTION, ENDED] } else { &[DESCRIPTION] };
            conversation.asked(&packet(0, &[COM_STMT_PREPARE, b'S'])).unwrap();
            answers(&mut conversation, &[&[0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]]).unwrap();
            answers(&mut conversation, described).unwrap();
            answers(&mut conversation, described).unwrap();
            assert_eq!(conversation.judge.expected, Expected::Nothing);
            conversation.asked(&packet(0, &[0x17, 1])).unwrap();
            answers(&mut conversation, &[&[1]]).unwrap();
            answers(&mut conversation, described).unwrap();
            answers(&mut conversation, &[&[0, 0, 5], &[0, 0, 6], &[END, 0, 0, 10, 0]]).unwrap();
            // A further result, without rows, and a command that has no answer.
            answers(&mut conversation, &[&[OK, 0, 0, 2, 0, 0, 0]]).unwrap();
            conversation.asked(&packet(0, &[COM_STMT_CLOSE, 1])).unwrap();
            conversation.asked(&packet(0, &[0x0e])).unwrap();
            answers(&mut conversation, &[&[ERROR, 1, 4, b'x']]).unwrap();
        }
    }

    #[test]
    fn a_next_command_within_an_answer_means_that_the_two_sides_differ() {
        let mut conversation = Conversation::new(false, Report::default());
        conversation.asked(&packet(0, &[0x03, b'S'])).unwrap();
        answers(&mut conversation, &[&[1], DESCRIPTION, &[0]]).unwrap();
        assert!(matches!(conversation.asked(&packet(0, &[0x03])), Err(Refusal::Broken(_))));
        assert!(conversation.asked(&packet(0, &[COM_QUIT])).is_ok());
    }

    #[test]
    fn lengths_are_read_as_the_driver_reads_them() {
        assert_eq!(length(&[250]), Some(250));
        assert_eq!(length(&[0xfc, 1, 2]), Some(513));
        assert_eq!(length(&[0xfd, 1, 2, 3]), Some(197_121));
        assert_eq!(length(&[0xfe, 0, 0, 0, 0, 1, 0, 0, 0, 9]), Some(1 << 32));
        assert_eq!(length(&[0xfe, 0]), None);
        assert_eq!(length(&[]), None);
    }

    proptest! {
        /// Whatever comes, it is judged, and no count above the limit becomes an expectation.
        #[test]
        fn anything_is_judged(
            turns in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..30)), 0..40),
            ends in any::<bool>(),
        ) {
            let mut conversation = Conversation::new(ends, Report::default());
            for (asks, body) in turns {
                let result = if asks {
                    conversation.asked(&packet(0, &body))
                } else {
                    conversation.answered(&packet(1, &body))
                };
                if result.is_err() {
                    break;
                }
                if let Expected::Descriptions { left, .. } = conversation.judge.expected {
                    prop_assert!(left <= MAX_COLUMNS + u64::from(u16::MAX) + 2, "{left}");
                }
            }
        }
    }
}
