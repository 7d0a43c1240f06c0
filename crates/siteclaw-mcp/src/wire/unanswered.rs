//! Which requests wait for their answer.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// The ids of requests whose answer is not written yet. When there are too many, the client is not reading,
/// and no more is read from it.
pub(super) struct Unanswered {
    ids: Mutex<HashSet<RequestId>>,
    most: usize,
    fewer: Notify,
}

impl Unanswered {
    pub(super) fn new(most: usize) -> Self {
        Self { ids: Mutex::default(), most, fewer: Notify::new() }
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request. False if one with its id waits already.
    pub(super) fn add(&self, id: RequestId) -> bool {
        self.ids().insert(id)
    }

    /// Notes that nothing more is owed for a request.
    pub(super) fn remove(&self, id: &RequestId) {
        if self.ids().remove(id) {
            self.fewer.notify_one();
        }
    }

    /// Waits until another request may be read. For one waiter.
    pub(super) async fn room(&self) {
        while self.ids().len() >= self.most {
            self.fewer.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use rmcp::model::NumberOrString;

    use super::*;

    #[test]
    fn there_is_room_again_once_an_answer_is_written() {
        let unanswered = Unanswered::new(2);
        assert!(unanswered.add(NumberOrString::Number(1)));
        assert!(!unanswered.add(NumberOrString::Number(1)));
        assert!(unanswered.room().now_or_never().is_some());
        assert!(unanswered.add(NumberOrString::String("1".into())));
        let mut room = Box::pin(unanswered.room());
        assert!((&mut room).now_or_never().is_none());
        unanswered.remove(&NumberOrString::Number(7));
        assert!((&mut room).now_or_never().is_none());
        unanswered.remove(&NumberOrString::Number(1));
        assert!(room.now_or_never().is_some());
    }
}
