//! A bounded pool for work that blocks a thread: search, zip, parsing.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::cancel::Stop;
use crate::code;
use crate::error::ToolError;

/// Lets at most a fixed number of blocking jobs run at once. A job that ran past its call's deadline keeps
/// its slot until it stops, so that stuck jobs cannot pile up threads.
#[derive(Clone, Debug)]
pub(crate) struct Blocking {
    slots: Arc<Semaphore>,
}

impl Blocking {
    pub(crate) fn new(threads: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new(threads.max(1))) }
    }

    pub(crate) async fn run<T: Send + 'static>(
        &self,
        stop: &Stop,
        work: impl FnOnce(&Stop) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let slot = Arc::clone(&self.slots)
            .acquire_owned()
            .await
            .map_err(|closed| ToolError::new(code::INTERNAL, "The worker pool is closed.").source(closed))?;
        if stop.is_set() {
            return Err(ToolError::new(code::CANCELLED, "The call was stopped before its work began."));
        }
        let stop = stop.clone();
        let job = tokio::task::spawn_blocking(move || {
            let result = work(&stop);
            drop(slot);
            result
        });
        match job.await {
            Ok(result) => result,
            Err(failed) => match failed.try_into_panic() {
                // Unwinds on in the call, where the door turns it into an envelope.
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(failed) => {
                    Err(ToolError::new(code::INTERNAL, "The worker was shut down.").source(failed))
                }
            },
        }
    }
}
