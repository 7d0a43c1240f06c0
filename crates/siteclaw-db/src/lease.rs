//! One use of a connection, and what becomes of the connection afterwards.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::pool::Pool;
use crate::session::Session;
use crate::settings::Limits;
use crate::{DbError, Engine};

/// A connection in use. Dropped, it goes back to the pool; dropped in the middle of a statement, it is closed
/// and the server is told to stop.
pub(crate) struct Lease {
    pool: Arc<Pool>,
    session: Option<Session>,
    permit: Option<OwnedSemaphorePermit>,
    /// Whether it had been used before, so that it may have died unnoticed.
    pub(crate) reused: bool,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    /// A statement runs.
    Busy,
    /// In a transaction that must be rolled back.
    Open,
    /// Not fit for another use.
    Spent,
}

impl Lease {
    pub(crate) fn new(
        pool: &Arc<Pool>,
        session: Session,
        permit: OwnedSemaphorePermit,
        reused: bool,
    ) -> Self {
        Self {
            pool: Arc::clone(pool),
            session: Some(session),
            permit: Some(permit),
            reused,
            state: State::Free,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.pool.limits()
    }

    pub(crate) fn engine(&self) -> Engine {
        self.pool.engine()
    }

    /// Runs one step on the session within the client's patience. If this future is dropped or runs out of
    /// time, the lease stays busy and its drop ends the statement.
    pub(crate) async fn run<T>(
        &mut self,
        step: impl AsyncFnOnce(&mut Session) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let limit = self.pool.limits().statement_time;
        let before = self.state;
        if before == State::Busy || before == State::Spent {
            return Err(DbError::Busy { what: "an earlier statement was broken off", source: None });
        }
        let Some(session) = &mut self.session else {
            return Err(DbError::Busy { what: "the connection is closed", source: None });
        };
        self.state = State::Busy;
        let patience = session.patience(limit);
        let Ok(result) = timeout(patience, step(session)).await else {
            return Err(DbError::TimedOut { limit });
        };
        self.state = match &result {
            Err(error) if error.ends_connection() => State::Spent,
            _ => before,
        };
        result
    }

    /// From here on a drop rolls back first.
    pub(crate) fn opened_transaction(&mut self) {
        self.state = State::Open;
    }

    pub(crate) fn ended_transaction(&mut self) {
        if self.state == State::Open {
            self.state = State::Free;
        }
    }

    /// This connection is closed after use.
    pub(crate) fn spend(&mut self) {
        if self.state != State::Busy {
            self.state = State::Spent;
        }
    }

    /// Ends this use, and waits where the connection is to be closed and not kept.
    pub(crate) async fn release(mut self) {
        let kept = self.session.as_ref().is_none_or(|session| !session.keep_idle().is_zero());
        let closes = match self.state {
            State::Free => !kept,
            State::Spent => true,
            State::Busy | State::Open => false,
        };
        if closes && let Some(session) = self.session.take() {
            let _ = timeout(self.pool.limits().connect_timeout, session.close()).await;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        let permit = self.permit.take();
        let pool = Arc::clone(&self.pool);
        let patience = pool.limits().connect_timeout;
        match (self.state, Handle::try_current()) {
            (State::Free, _) if !session.keep_idle().is_zero() => pool.put_back(session),
            (State::Open, Ok(runtime)) => {
                runtime.spawn(async move {
                    let ended =
                        timeout(patience, session.rollback()).await.is_ok_and(|result| result.is_ok());
                    if ended && !session.keep_idle().is_zero() {
                        pool.put_back(session);
                    } else {
                        let _ = timeout(patience, session.close()).await;
                    }
                    drop(permit);
                });
            }
            (State::Busy, Ok(runtime)) => {
                if let Some(kill) = session.abandon() {
                    runtime.spawn(async move {
                        let _ = timeout(patience, kill.run()).await;
                        drop(permit);
                    });
                }
            }
            (State::Free | State::Spent, Ok(runtime)) => {
                runtime.spawn(async move {
                    let _ = timeout(patience, session.close()).await;
                    drop(permit);
                });
            }
            (State::Busy, Err(_)) => {
                session.abandon();
            }
            (State::Free | State::Open | State::Spent, Err(_)) => drop(session),
        }
    }
}
