//! What happens to calls, as typed values.
//!
//! Observers receive events over a bounded queue on a thread of their own. They cannot delay or veto a
//! call; when one lags behind, events are dropped and counted. The audit is not an observer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::caller::Surface;
use crate::effects::Effects;

/// Something that happened to a call.
#[derive(Clone, Debug)]
pub struct Event {
    /// The run.
    pub run: Arc<str>,
    /// The call.
    pub call: Arc<str>,
    /// The tool, as the call named it.
    pub tool: Arc<str>,
    /// Where the call came from.
    pub surface: Surface,
    /// What happened.
    pub kind: EventKind,
}

/// The stages of a call, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The tool exists and is offered.
    Found,
    /// The caller may call it.
    Allowed,
    /// The arguments were tidied.
    Tidied {
        /// How many changes were made.
        changes: usize,
    },
    /// The arguments fit the schema.
    Validated,
    /// No argument guard objected.
    Guarded,
    /// The tool has planned.
    Planned {
        /// What the call will do.
        effects: Effects,
    },
    /// A gate is asked.
    ApprovalAsked,
    /// The gate has decided.
    ApprovalDecided {
        /// Whether the call may run.
        approved: bool,
    },
    /// The work begins.
    Performing,
    /// The tool reports progress.
    Progress {
        /// What it is doing.
        message: String,
        /// Part done, from 0 to 1, if known.
        fraction: Option<f64>,
    },
    /// A failure is tried again.
    Retrying {
        /// The failed attempt, from 1.
        attempt: u32,
        /// Why it failed.
        code: &'static str,
    },
    /// The result was checked, masked and fitted.
    Finished {
        /// Passages that read like instructions to a model.
        suspicious: usize,
        /// Secrets replaced.
        masked: usize,
        /// Whether something was left out to fit the budget.
        truncated: bool,
    },
    /// The call has ended and is recorded.
    Ended {
        /// `None` for a success, else the code.
        code: Option<&'static str>,
        /// From lookup to record.
        duration: Duration,
        /// Characters of the answer.
        chars: usize,
    },
}

/// Watches calls.
pub trait Observer: Send + Sync + 'static {
    /// Takes note of an event. It runs on the observers' own thread.
    fn observe(&self, event: &Event);
}

/// Hands events to the observers of one engine.
///
/// The queue and its thread are made for the first event: an engine that is started to list its tools pays
/// for neither.
pub(crate) struct Events {
    observers: Vec<Arc<dyn Observer>>,
    queue: OnceLock<Option<Queue>>,
    dropped: AtomicU64,
}

#[derive(Debug)]
struct Queue {
    events: SyncSender<Event>,
    thread: JoinHandle<()>,
}

const QUEUE: usize = 4096;

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").field("observers", &self.observers.len()).finish_non_exhaustive()
    }
}

impl Events {
    pub(crate) const fn new(observers: Vec<Arc<dyn Observer>>) -> Self {
        Self { observers, queue: OnceLock::new(), dropped: AtomicU64::new(0) }
    }

    /// Whether anybody listens. Making an event costs nothing when nobody does.
    pub(crate) const fn watched(&self) -> bool {
        !self.observers.is_empty()
    }

    pub(crate) fn send(&self, event: Event) {
        if !self.watched() {
            return;
        }
        let delivered = match self.queue.get_or_init(|| self.open()) {
            Some(queue) => !matches!(queue.events.try_send(event), Err(TrySendError::Full(_))),
            None => false,
        };
        if !delivered {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn open(&self) -> Option<Queue> {
        let (sender, events) = sync_channel::<Event>(QUEUE);
        let observers = self.observers.clone();
        let thread = std::thread::Builder::new().name("siteclaw-events".to_owned()).spawn(move || {
            for event in events {
                for observer in &observers {
                    observer.observe(&event);
                }
            }
        });
        match thread {
            Ok(thread) => Some(Queue { events: sender, thread }),
            Err(error) => {
                tracing::warn!(%error, "no thread for observers; events are not delivered");
                None
            }
        }
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Drop for Events {
    /// Waits until the observers have seen what was queued.
    fn drop(&mut self) {
        let Some(Queue { events, thread }) = self.queue.take().flatten() else { return };
        drop(events);
        // An observer that holds the engine would wait for itself here.
        if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
            tracing::warn!("an observer panicked; later events were not delivered");
        }
    }
}
