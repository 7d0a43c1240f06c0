//! A masked text that still knows which piece of the original each placeholder stands for.
//!
//! Whoever cuts a text into pages masks it first, with what stands around the page, so that a secret across
//! the cut is masked too. Whoever changes a text that a model saw masked finds the place in the masked text
//! and changes the original.

use std::borrow::Cow;
use std::ops::Range;

use super::{Masker, PASSES};

/// A masked text with the way back to the original. All positions are in bytes.
///
/// `Debug` shows the masked text, never the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced<'a> {
    text: Cow<'a, str>,
    spans: Vec<Span>,
}

/// One secret: where its placeholder stands, and where it stood itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where the placeholder stands in the masked text.
    pub masked: Range<usize>,
    /// Where the secret stands in the original.
    pub original: Range<usize>,
}

impl Traced<'_> {
    /// The masked text: what [`Masker::mask`] gives.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The secrets, in the order of the text.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The range of the original that a range of the masked text stands for. `None` when it begins or ends
    /// within a placeholder.
    pub fn original(&self, masked: Range<usize>) -> Option<Range<usize>> {
        Some(self.position(masked.start)?..self.position(masked.end)?)
    }

    fn position(&self, masked: usize) -> Option<usize> {
        let after = self.spans.partition_point(|span| span.masked.end <= masked);
        if self.spans.get(after).is_some_and(|span| span.masked.start < masked) {
            return None;
        }
        match after.checked_sub(1).and_then(|before| self.spans.get(before)) {
            Some(span) => Some(span.original.end + (masked - span.masked.end)),
            None => Some(masked),
        }
    }

    /// As [`position`](Self::position), to the end of the placeholder for a place within it.
    fn outermost(&self, masked: Range<usize>) -> Range<usize> {
        let within = |at: usize| self.spans.iter().find(|s| s.masked.start < at && at < s.masked.end);
        let start = self.position(masked.start).or_else(|| within(masked.start).map(|s| s.original.start));
        let end = self.position(masked.end).or_else(|| within(masked.end).map(|s| s.original.end));
        start.unwrap_or(0)..end.unwrap_or(0)
    }
}

impl Masker {
    /// As [`mask`](Masker::mask), with the way back to the original.
    pub fn trace<'a>(&self, text: &'a str) -> Traced<'a> {
        let mut traced = Traced { text: Cow::Borrowed(text), spans: Vec::new() };
        for _ in 0..PASSES {
            let finds = self.finds(&traced.text);
            if finds.is_empty() {
                break;
            }
            traced = self.replaced(&traced, finds);
        }
        traced
    }

    fn replaced(&self, traced: &Traced<'_>, finds: Vec<Range<usize>>) -> Traced<'static> {
        let text = traced.text();
        let mut pieces: Vec<(Range<usize>, Range<usize>, bool)> =
            finds.into_iter().map(|found| (found.clone(), traced.outermost(found), true)).collect();
        let covered = |span: &Span, pieces: &[(Range<usize>, Range<usize>, bool)]| {
            pieces.iter().any(|(found, ..)| found.start < span.masked.end && span.masked.start < found.end)
        };
        let kept: Vec<_> = traced.spans.iter().filter(|span| !covered(span, &pieces)).cloned().collect();
        pieces.extend(kept.into_iter().map(|span| (span.masked, span.original, false)));
        pieces.sort_by_key(|(masked, ..)| masked.start);
        let mut out = String::with_capacity(text.len());
        let mut spans = Vec::with_capacity(pieces.len());
        let mut done = 0;
        for (masked, original, new) in pieces {
            out.push_str(text.get(done..masked.start).unwrap_or_default());
            let start = out.len();
            let piece = text.get(masked.clone()).unwrap_or_default();
            if new {
                out.push_str(&self.placeholder(piece))
            } else {
                out.push_str(piece)
            }
            spans.push(Span { masked: start..out.len(), original });
            done = masked.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Traced { text: Cow::Owned(out), spans }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Masker, Secret};

    fn masker() -> Masker {
        let masker = Masker::new([1; 32]);
        masker.learn(["hunter22", "correct-horse", "horse-7x"].map(Secret::new));
        masker
    }

    #[test]
    fn ranges_lead_back_to_the_original() {
        let text = "a hunter22 b correct-horse c";
        let masker = masker();
        let traced = masker.trace(text);
        assert_eq!(traced.text(), masker.mask(text));
        let originals: Vec<_> = traced.spans().iter().map(|span| &text[span.original.clone()]).collect();
        assert_eq!(originals, ["hunter22", "correct-horse"]);
        let at = traced.text().find("⟧ b").unwrap();
        assert_eq!(traced.original(at + 3..at + 6).map(|range| &text[range]), Some(" b "));
        let whole = traced.text().find('⟦').unwrap()..traced.text().find(" b").unwrap();
        assert_eq!(traced.original(whole.clone()).map(|range| &text[range]), Some("hunter22"));
        assert_eq!(traced.original(whole.start + 3..whole.end), None);
    }

    #[test]
    fn a_text_without_secrets_is_itself() {
        let traced = masker().trace("größe");
        assert_eq!((traced.text(), traced.spans().len(), traced.original(2..4)), ("größe", 0, Some(2..4)));
    }

    proptest! {
        #[test]
        fn a_trace_is_the_mask_and_covers_the_text(
            parts in prop::collection::vec(prop::sample::select(vec![
                "hunter22", "correct-horse", "horse-7x", "correct-horse-7x", " ", "ö", "x", "\n",
                "$P$BqZx81Ab.UGQz24EykPX.Ax.UAyy2A0", "sk_live_abcdefghijklmnop", "⟦secret:0123abcd⟧",
                "DB_PASSWORD='hunter22'",
            ]), 0..12)
        ) {
            let text = parts.concat();
            let masker = masker();
            let traced = masker.trace(&text);
            prop_assert_eq!(traced.text(), masker.mask(&text));
            // Between the placeholders the original stands unchanged.
            let (mut masked, mut original) = (0, 0);
            for span in traced.spans() {
                prop_assert_eq!(&traced.text()[masked..span.masked.start], &text[original..span.original.start]);
                prop_assert!(span.original.start < span.original.end);
                (masked, original) = (span.masked.end, span.original.end);
            }
            prop_assert_eq!(&traced.text()[masked..], &text[original..]);
        }
    }
}
