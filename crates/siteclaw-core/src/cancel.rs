//! Stopping work that is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// Cancels the calls of a run. Clones are one switch.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::channel(false).0))
    }
}

impl Cancel {
    /// A switch that is off.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels. It cannot be undone.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Ends when it is cancelled.
    pub async fn cancelled(&self) {
        let mut changes = self.0.subscribe();
        // The sender lives in `self`, so waiting ends only by the switch.
        let _ = changes.wait_for(|cancelled| *cancelled).await;
    }
}

/// Tells blocking work that nobody waits for it any more. Poll it at least every 10 ms of work, and once
/// more just before an effect becomes visible (a rename).
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether to stop now.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}
