//! Keeps the rows of a stream within bounds.

use std::sync::Arc;

use crate::{ResultColumn, Row, Rows, Value};

/// How a statement's stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server has nothing more to say: the connection is free.
    Complete,
    /// Reading stopped at a bound: rows are still on their way, so the connection is not free.
    Stopped,
}

/// Takes rows until a bound is met.
pub(crate) struct Collector {
    max_rows: usize,
    max_bytes: usize,
    /// Read on past the bound, keeping nothing, so that the connection stays usable.
    drain: bool,
    columns: Arc<Vec<ResultColumn>>,
    rows: Vec<Row>,
    bytes: usize,
    cut: bool,
}

impl Collector {
    pub(crate) fn new(max_rows: usize, max_bytes: usize) -> Self {
        Self {
            max_rows,
            max_bytes,
            drain: false,
            columns: Arc::default(),
            rows: Vec::new(),
            bytes: 0,
            cut: false,
        }
    }

    /// Reads the stream to its end even after a bound was met.
    pub(crate) fn draining(mut self) -> Self {
        self.drain = true;
        self
    }

    pub(super) fn columns(&mut self, columns: Vec<ResultColumn>) {
        self.columns = Arc::new(columns);
    }

    /// Whether rows need not be decoded any more.
    pub(super) const fn is_cut(&self) -> bool {
        self.cut
    }

    /// Takes a row; false means stop reading.
    pub(super) fn offer(&mut self, values: Vec<Value>) -> bool {
        let size: usize = values.iter().map(Value::size).sum();
        let full = self.rows.len() >= self.max_rows;
        // The first row is in memory already, and a result without rows would explain nothing.
        let heavy = !self.rows.is_empty() && self.bytes.saturating_add(size) > self.max_bytes;
        if full || heavy {
            self.cut = true;
            return self.drain;
        }
        self.bytes = self.bytes.saturating_add(size);
        self.rows.push(Row { columns: Arc::clone(&self.columns), values });
        true
    }

    pub(crate) fn finish(self) -> Rows {
        Rows { columns: self.columns, rows: self.rows, cut: self.cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_bound_is_exact_and_only_a_further_row_is_a_cut() {
        let mut two = Collector::new(2, usize::MAX);
        assert!(two.offer(vec![Value::Int(1)]));
        assert!(two.offer(vec![Value::Int(2)]));
        assert!(!two.is_cut());
        assert!(!two.offer(vec![Value::Int(3)]));
        let rows = two.finish();
        assert_eq!((rows.len(), rows.cut), (2, true));
    }

    #[test]
    fn the_byte_bound_spares_the_first_row() {
        let mut small = Collector::new(10, 100);
        assert!(small.offer(vec![Value::Text("x".repeat(1000))]));
        assert!(!small.offer(vec![Value::Int(1)]));
        assert_eq!(small.finish().len(), 1);
    }

    #[test]
    fn draining_reads_on_and_keeps_nothing() {
        let mut one = Collector::new(1, usize::MAX).draining();
        assert!(one.offer(vec![Value::Int(1)]));
        assert!(one.offer(vec![Value::Int(2)]));
        let rows = one.finish();
        assert_eq!((rows.len(), rows.cut), (1, true));
    }
}
