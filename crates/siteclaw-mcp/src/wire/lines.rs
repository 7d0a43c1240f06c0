//! Lines of bounded length.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its end. The last line of the input may have had none.
    Text(Vec<u8>),
    /// A line was too long. Its bytes are gone.
    TooLong,
    /// There is no more input.
    End,
}

/// Splits a stream into lines and never holds more than one of the longest.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    /// The rest of a line that was too long is still to come.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, longest: usize) -> Self {
        Self { reader: BufReader::new(reader), line: Vec::new(), longest, skipping: false }
    }

    /// The next line. When abandoned, what was read is kept for the next time.
    pub(super) async fn next(&mut self) -> Line {
        loop {
            let bytes = match self.reader.fill_buf().await {
                Ok(bytes) => bytes,
                Err(error) => {
                    tracing::warn!(%error, "the input cannot be read");
                    return Line::End;
                }
            };
            if bytes.is_empty() {
                return if self.line.is_empty() {
                    Line::End
                } else {
                    Line::Text(std::mem::take(&mut self.line))
                };
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            let taken = part.len() + usize::from(end.is_some());
            let mut too_long = false;
            if !self.skipping {
                too_long = self.line.len() + part.len() > self.longest;
                if too_long {
                    self.line = Vec::new();
                } else {
                    self.line.extend_from_slice(part);
                }
            }
            let whole = end.is_some() && !self.skipping && !too_long;
            self.skipping = (self.skipping || too_long) && end.is_none();
            self.reader.consume(taken);
            if too_long {
                return Line::TooLong;
            }
            if whole {
                return Line::Text(std::mem::take(&mut self.line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &'static [u8], longest: usize, chunk: usize) -> Vec<Line> {
        let mut lines = Lines {
            reader: BufReader::with_capacity(chunk, input),
            line: Vec::new(),
            longest,
            skipping: false,
        };
        let mut all = Vec::new();
        loop {
            match lines.next().await {
                Line::End => return all,
                line => all.push(line),
            }
        }
    }

    fn text(line: &str) -> Line {
        Line::Text(line.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_come_whole_whatever_the_pieces_they_arrive_in() {
        for chunk in 1..9 {
            let read = lines(b"ab\n\ncdefg\nh", 5, chunk).await;
            assert_eq!(read, [text("ab"), text(""), text("cdefg"), text("h")], "pieces of {chunk}");
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_told_once_and_the_next_one_is_read() {
        for chunk in 1..9 {
            let read = lines(b"abcdef\nab\nabcdefghijkl", 5, chunk).await;
            assert_eq!(read, [Line::TooLong, text("ab"), Line::TooLong], "pieces of {chunk}");
        }
    }
}
