//! The order of a client's calls.
//!
//! The SDK handles each request in a task of its own, and tasks start in any order. So a call takes its
//! [`Place`] when its message is read, before there is a task: a read sent after a write is behind it, and
//! sees what it wrote, whichever task starts first. A write is alone from the end of all calls before it to
//! its own end.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock, Semaphore};

/// The queue of one client: fair, and of bounded length.
pub(crate) struct Turns {
    order: Arc<RwLock<()>>,
    room: Arc<Semaphore>,
}

enum Guard {
    Shared(#[allow(dead_code)] OwnedRwLockReadGuard<()>),
    Alone(#[allow(dead_code)] OwnedRwLockWriteGuard<()>),
}

enum State {
    Ready(Guard),
    Waiting(BoxFuture<'static, Guard>),
}

/// A call's place in the queue. Dropping it gives it up.
pub(crate) struct Place {
    state: State,
    room: OwnedSemaphorePermit,
}

/// The right to run now. It ends when dropped.
pub(crate) struct Turn {
    _guard: Guard,
    _room: OwnedSemaphorePermit,
}

impl Turns {
    /// A queue of at most this many unfinished calls.
    pub(crate) fn new(most: usize) -> Self {
        Self { order: Arc::default(), room: Arc::new(Semaphore::new(most)) }
    }

    /// Takes the next place, or none when the queue is full.
    pub(crate) fn place(&self, alone: bool) -> Option<Place> {
        let room = Arc::clone(&self.room).try_acquire_owned().ok()?;
        let order = Arc::clone(&self.order);
        let mut waiting: BoxFuture<'static, Guard> = if alone {
            Box::pin(order.write_owned().map(Guard::Alone))
        } else {
            Box::pin(order.read_owned().map(Guard::Shared))
        };
        // The first poll enters the lock's own fair queue, also in a task that may poll no more for now.
        let state = match (&mut waiting).now_or_never() {
            Some(guard) => State::Ready(guard),
            None => State::Waiting(waiting),
        };
        Some(Place { state, room })
    }

    /// Waits until all calls that have a place are done.
    pub(crate) async fn idle(&self) {
        drop(self.order.write().await);
    }
}

impl Place {
    /// Waits for the turn.
    pub(crate) async fn turn(self) -> Turn {
        let guard = match self.state {
            State::Ready(guard) => guard,
            State::Waiting(waiting) => waiting.await,
        };
        Turn { _guard: guard, _room: self.room }
    }
}

impl Turn {
    /// Whether nothing else runs.
    #[cfg(test)]
    const fn is_alone(&self) -> bool {
        matches!(self._guard, Guard::Alone(_))
    }
}

/// Carries a call's place, or the lack of one, from its message to its handler.
#[derive(Clone)]
pub(crate) struct Arrived(Arc<Mutex<Option<Place>>>);

impl Arrived {
    pub(crate) fn new(place: Option<Place>) -> Self {
        Self(Arc::new(Mutex::new(place)))
    }

    /// The place, once; `None` when the queue was full.
    pub(crate) fn take(&self) -> Option<Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_turn(place: Place) -> Result<Turn, Box<BoxFuture<'static, Turn>>> {
        let mut turn: BoxFuture<'static, Turn> = Box::pin(place.turn());
        (&mut turn).now_or_never().ok_or_else(|| Box::new(turn))
    }

    #[test]
    fn reads_share_and_a_write_stands_between_them_even_before_it_is_awaited() {
        let turns = Turns::new(10);
        let first = has_turn(turns.place(false).unwrap()).ok().unwrap();
        let second = has_turn(turns.place(false).unwrap()).ok().unwrap();
        let write = turns.place(true).unwrap();
        let later = has_turn(turns.place(false).unwrap()).err().unwrap();
        drop((first, second));
        let write = has_turn(write).ok().unwrap();
        assert!(write.is_alone());
        let mut later = *later;
        assert!((&mut later).now_or_never().is_none());
        drop(write);
        assert!(!later.now_or_never().unwrap().is_alone());
    }

    #[test]
    fn a_place_given_up_lets_the_next_one_on() {
        let turns = Turns::new(10);
        let first = has_turn(turns.place(false).unwrap()).ok().unwrap();
        let write = turns.place(true).unwrap();
        let later = turns.place(false).unwrap();
        drop(write);
        assert!(has_turn(later).is_ok());
        drop(first);
    }

    #[test]
    fn the_queue_is_full_until_a_turn_ends() {
        let turns = Turns::new(2);
        let first = has_turn(turns.place(false).unwrap()).ok().unwrap();
        let waiting = turns.place(true).unwrap();
        assert!(turns.place(false).is_none());
        drop(first);
        assert!(turns.place(false).is_some());
        drop(waiting);
    }

    #[tokio::test]
    async fn a_place_is_kept_by_a_task_that_has_polled_too_much() {
        let turns = Turns::new(10);
        let first = has_turn(turns.place(false).unwrap()).ok().unwrap();
        let other = Semaphore::new(1000);
        while let Some(permit) = other.acquire().now_or_never() {
            permit.unwrap().forget();
        }
        assert!(other.available_permits() > 0, "the task may poll on");
        let write = turns.place(true).unwrap();
        assert!(has_turn(turns.place(false).unwrap()).is_err(), "the write has no place");
        drop((first, write));
    }
}
