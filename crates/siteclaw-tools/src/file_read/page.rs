//! Cutting a page: as many whole lines as the limits take, masked, with the place where the next page begins.

use siteclaw_core::{Masker, Stop, ToolError, Traced};

use super::slice::{Slice, Source};
use super::{Plan, Start};
use crate::classify::{PathPolicy, Purpose, Reason, Verdict};
use crate::roots::{Located, Tree};
use crate::text::{Charset, Ends, json_cost};

/// Characters of an answer beside the text and the path.
const FRAME: usize = 760;
/// However small the budget, a page has room for a placeholder.
const LEAST: usize = 64;

/// How much text a page may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Characters as JSON.
    chars: usize,
    /// Bytes.
    bytes: usize,
}

impl Room {
    pub(super) fn of(budget: usize, max_bytes: usize) -> Self {
        Self { chars: budget.saturating_sub(FRAME), bytes: max_bytes }
    }

    fn beside(self, path: &str) -> Self {
        Self { chars: self.chars.saturating_sub(json_cost(path)).max(LEAST), bytes: self.bytes }
    }

    fn takes(self, cost: usize, bytes: usize) -> bool {
        cost <= self.chars && bytes <= self.bytes
    }
}

/// A page of a file.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) content: String,
    pub(super) next_offset: Option<u64>,
    pub(super) next_byte_offset: Option<u64>,
    pub(super) hash: Option<String>,
    pub(super) charset: &'static str,
    pub(super) ends: &'static str,
    pub(super) size: u64,
    /// Places of the content that stand for no character.
    pub(super) invalid: usize,
}

/// Reads a page of a file that its name allows to be read.
pub(super) fn read(
    tree: &Tree,
    located: &Located,
    plan: &Plan,
    masker: &Masker,
    policy: &PathPolicy,
    room: Room,
    stop: &Stop,
) -> Result<Page, ToolError> {
    let file = tree.root(located.place)?.open_file(&located.path).map_err(|error| located.error(error))?;
    let mut source = Source::open(file, located)?;
    if policy.judge(Purpose::Read, &located.path) == Verdict::IfHarmless {
        let harmless = source.whole().is_some_and(|text| masker.trace(&text).spans().is_empty());
        if !harmless {
            return Err(PathPolicy::refusal(Purpose::Read, &located.to_string(), Reason::HoldsSecret));
        }
    }
    let room = room.beside(&located.to_string());
    // A character takes at most four bytes in any of the encodings.
    let most = (room.chars.min(room.bytes) as u64 + 1) * 4;
    let slice = source.slice(plan.start, most, located, stop)?;
    let cut = match &slice {
        Some(slice) => {
            let all = format!("{}{}", slice.before, slice.text.text);
            let traced = masker.trace(&all);
            Cutter::new(slice, &all, &traced, source.charset(), plan, room).cut()
        }
        None => Cut::default(),
    };
    let first = match plan.start {
        Start::Line(line) => Some(line),
        Start::Byte(_) => None,
    };
    Ok(Page {
        next_offset: cut.next.and_then(|next| Some(first? + next.lines)),
        next_byte_offset: cut.next.map(|next| next.byte),
        charset: source.charset().name(),
        ends: Ends::of(&cut.content).name(),
        content: cut.content,
        invalid: cut.invalid,
        size: source.size,
        hash: source.hash,
    })
}

#[derive(Debug, Default)]
struct Cut {
    content: String,
    next: Option<Next>,
    invalid: usize,
}

/// Where the next page begins: at this byte, this many lines further on.
#[derive(Clone, Copy, Debug)]
struct Next {
    byte: u64,
    lines: u64,
}

/// The content as it was at the end of a whole line.
#[derive(Clone, Copy)]
struct Mark {
    length: usize,
    next: Next,
    invalid: usize,
}

struct Cutter<'a> {
    slice: &'a Slice,
    all: &'a str,
    traced: &'a Traced<'a>,
    charset: Charset,
    plan: &'a Plan,
    room: Room,
    content: String,
    cost: usize,
    /// The place in `all` and in the file.
    at: usize,
    byte: u64,
    /// Lines ended since the start.
    lines: u64,
    invalid: usize,
    wrong: usize,
    last_line: Option<Mark>,
}

impl<'a> Cutter<'a> {
    fn new(
        slice: &'a Slice,
        all: &'a str,
        traced: &'a Traced<'a>,
        charset: Charset,
        plan: &'a Plan,
        room: Room,
    ) -> Self {
        Self {
            slice,
            all,
            traced,
            charset,
            plan,
            room,
            content: String::new(),
            cost: 0,
            at: slice.before.len(),
            byte: slice.start,
            lines: 0,
            invalid: 0,
            wrong: 0,
            last_line: None,
        }
    }

    fn cut(mut self) -> Cut {
        let (traced, start) = (self.traced, self.at);
        let mut spans = traced.spans().iter().filter(|span| span.original.end > start).peekable();
        let mut line_begins = true;
        loop {
            let over = self.byte >= self.slice.limit && !self.slice.ends;
            if over || self.at >= self.all.len() {
                return if over { self.overflowed() } else { self.finished(None) };
            }
            let number = if line_begins && self.plan.line_numbers { self.number() } else { String::new() };
            let here = self.at;
            let span = spans.next_if(|span| span.original.start <= here);
            let (piece, end) = match span {
                Some(span) => (traced.text().get(span.masked.clone()).unwrap_or_default(), span.original.end),
                None => {
                    let rest = self.all.get(self.at..).unwrap_or_default();
                    let length = rest.chars().next().map_or(1, char::len_utf8);
                    (rest.get(..length).unwrap_or_default(), self.at + length)
                }
            };
            let cost = self.cost + json_cost(&number) + json_cost(piece);
            if !self.room.takes(cost, self.content.len() + number.len() + piece.len()) {
                return self.overflowed();
            }
            self.cost = cost;
            self.content.push_str(&number);
            self.content.push_str(piece);
            self.advance(end);
            line_begins = piece == "\n";
            if line_begins {
                self.mark_line();
                if self.plan.limit.is_some_and(|limit| self.lines >= limit) {
                    let more = self.at < self.all.len() || !self.slice.ends;
                    let next = more.then_some(Next { byte: self.byte, lines: self.lines });
                    return self.finished(next);
                }
            }
        }
    }

    fn number(&self) -> String {
        match self.plan.start {
            Start::Line(first) => format!("{}\t", first + self.lines),
            Start::Byte(_) => String::new(),
        }
    }

    /// Goes on to a place in `all`.
    fn advance(&mut self, end: usize) {
        let passed = self.all.get(self.at..end).unwrap_or_default();
        let from = self.at - self.slice.before.len();
        for (offset, c) in passed.char_indices() {
            let wrong = self.slice.text.wrong.get(self.wrong).filter(|wrong| wrong.at == from + offset);
            let width = match wrong {
                Some(wrong) => {
                    self.wrong += 1;
                    self.invalid += 1;
                    wrong.bytes
                }
                None => self.charset.width(c),
            };
            self.byte += width as u64;
            self.lines += u64::from(c == '\n');
        }
        self.at = end;
    }

    fn mark_line(&mut self) {
        self.last_line = Some(Mark {
            length: self.content.len(),
            next: Next { byte: self.byte, lines: self.lines },
            invalid: self.invalid,
        });
    }

    /// The limits are reached: back to the last whole line, or into the middle of a line that is longer than
    /// a page.
    fn overflowed(mut self) -> Cut {
        match self.last_line {
            Some(mark) => {
                self.content.truncate(mark.length);
                self.invalid = mark.invalid;
                self.finished(Some(mark.next))
            }
            None => {
                let next = Next { byte: self.byte, lines: self.lines + 1 };
                Cut { content: self.content, next: Some(next), invalid: self.invalid }
            }
        }
    }

    fn finished(mut self, next: Option<Next>) -> Cut {
        if self.plan.lines && self.content.ends_with('\n') {
            self.content.pop();
            if self.content.ends_with('\r') {
                self.content.pop();
            }
        }
        Cut { content: self.content, next, invalid: self.invalid }
    }
}
