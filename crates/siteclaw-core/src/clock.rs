//! Time and ids, handed in from outside so that a run can be repeated exactly.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

/// Tells the time. Tools take it from their context, never from the system or the database.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Makes ids that are unique within one engine.
pub trait Ids: Send + Sync + 'static {
    /// A new id of the given kind, such as `run` or `call`.
    fn next(&self, kind: &str) -> String;
}

/// Counts up from 1: `run-1`, `call-2`. For tests and for calls that nothing refers to later.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Ids for CountingIds {
    fn next(&self, kind: &str) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{kind}-{number}")
    }
}
