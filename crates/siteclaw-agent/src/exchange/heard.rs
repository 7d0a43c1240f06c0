//! Listening to a reply while it is written.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::provider::Delta;
use crate::update::{Listener, Update};

/// What was heard of a reply while it was written.
#[derive(Default)]
pub(super) struct Heard(Mutex<(String, Option<Duration>)>);

impl Heard {
    pub(super) fn pass(&self, delta: Delta<'_>, began: Instant, listener: Listener<'_>) {
        {
            let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match delta {
                Delta::Text(text) => {
                    heard.1.get_or_insert_with(|| began.elapsed());
                    heard.0.push_str(text);
                }
                Delta::Thinking(_) | Delta::Call(_) => {
                    heard.1.get_or_insert_with(|| began.elapsed());
                }
                // What was said before is void.
                Delta::Again { .. } | Delta::Instead { .. } => heard.0.clear(),
            }
        }
        listener(match delta {
            Delta::Text(text) => Update::Text(text),
            Delta::Thinking(text) => Update::Thinking(text),
            Delta::Call(name) => Update::Writing(name),
            Delta::Again { error, attempt, wait } => Update::Again { error, attempt, wait },
            Delta::Instead { from, to, error } => Update::Instead { from, to, error },
        });
    }

    pub(super) fn finish(self) -> (String, Option<Duration>) {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
