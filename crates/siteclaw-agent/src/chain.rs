//! Asking again, and asking somebody else.
//!
//! A [`Chain`] is a provider made of others. What may pass (no connection, silence, a broken answer, 429, 5xx) is
//! asked again after a while: a turn has no effect but its cost, so asking twice is right. What will not pass (a wrong
//! key, an unknown model) is given back at once: another provider would only hide it. When a provider keeps failing
//! the next one is asked, and the failing one is left alone for a while.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use siteclaw_core::{BoxFuture, Dialect};
use tokio::time::Instant;

use crate::provider::{Delta, Provider, ProviderError, Reply, Served, Turn};

/// How long a provider that failed is passed over, if there is another.
const REST: Duration = Duration::from_secs(30);

/// How a provider is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often it is asked in all; at least once.
    pub attempts: u32,
    /// The first wait; each further one is twice as long. A random part of up to a half is left off, so that many who
    /// failed together do not come back together.
    pub first_wait: Duration,
    /// The longest wait. A provider that asks for a longer one is not asked again.
    pub longest_wait: Duration,
}

impl Default for Retry {
    /// Three times in all, after half a second and a second, and at most 20 seconds where the provider asks for it.
    fn default() -> Self {
        Self { attempts: 3, first_wait: Duration::from_millis(500), longest_wait: Duration::from_secs(20) }
    }
}

impl Retry {
    /// The wait after this failed attempt, or `None` if it was the last.
    fn wait(&self, attempt: u32, error: &ProviderError) -> Option<Duration> {
        if !error.is_retryable() || attempt >= self.attempts {
            return None;
        }
        let doubled =
            self.first_wait.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(self.longest_wait);
        let own = doubled.mul_f64(0.5 + 0.5 * random());
        let wait = error.retry_after().map_or(own, |asked| asked.max(own));
        (wait <= self.longest_wait).then_some(wait)
    }
}

/// A random number from 0 to 1.
fn random() -> f64 {
    RandomState::new().hash_one(0_u8) as f64 / u64::MAX as f64
}

/// Providers in the order in which they are asked. Name, model and form are those of the first.
pub struct Chain {
    first: Member,
    others: Vec<Member>,
    retry: Retry,
}

struct Member {
    provider: Arc<dyn Provider>,
    resting: Mutex<Option<Instant>>,
}

impl Member {
    fn new(provider: Arc<dyn Provider>) -> Self {
        Self { provider, resting: Mutex::new(None) }
    }

    fn is_resting(&self, now: Instant) -> bool {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| now < until)
    }

    fn rest(&self, until: Option<Instant>) {
        *self.resting.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

impl Chain {
    /// One provider, asked again as this says.
    pub fn new(provider: Arc<dyn Provider>, retry: Retry) -> Self {
        Self { first: Member::new(provider), others: Vec::new(), retry }
    }

    /// Adds a provider that is asked when those before it fail. It may speak another form.
    #[must_use]
    pub fn or(mut self, provider: Arc<dyn Provider>) -> Self {
        self.others.push(Member::new(provider));
        self
    }

    /// The members in the order in which they are asked now: those that rest come last.
    fn order(&self) -> Vec<(usize, &Member)> {
        let now = Instant::now();
        let mut order: Vec<(usize, &Member)> =
            std::iter::once(&self.first).chain(&self.others).enumerate().collect();
        order.sort_by_key(|(_, member)| member.is_resting(now));
        order
    }

    async fn ask(&self, turn: Turn<'_>) -> Result<Reply, ProviderError> {
        let order = self.order();
        let mut failed: Option<(&str, ProviderError)> = None;
        for (place, member) in order {
            let provider = member.provider.as_ref();
            if let Some((from, error)) = &failed {
                turn.live.tell(Delta::Instead { from, to: provider.name(), error });
            }
            match self.insist(provider, turn).await {
                Ok(mut reply) => {
                    member.rest(None);
                    if place > 0 && reply.served_by.is_none() {
                        let (provider, model) = (provider.name().to_owned(), provider.model().to_owned());
                        reply.served_by = Some(Served { provider, model });
                    }
                    return Ok(reply);
                }
                Err(error) => {
                    if !(error.is_retryable() || matches!(error, ProviderError::Unreadable(_))) {
                        return Err(error);
                    }
                    member.rest(Some(Instant::now() + error.retry_after().unwrap_or(REST).max(REST)));
                    // What the first one said is what has to be put right.
                    failed.get_or_insert((provider.name(), error));
                }
            }
        }
        Err(failed.map_or_else(
            || ProviderError::Unreachable("nobody is there to be asked".to_owned()),
            |(_, error)| error,
        ))
    }

    /// Asks one provider until it answers or has failed often enough.
    async fn insist(&self, provider: &dyn Provider, turn: Turn<'_>) -> Result<Reply, ProviderError> {
        let mut attempt = 1;
        loop {
            let error = match provider.complete(turn).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let Some(wait) = self.retry.wait(attempt, &error) else { return Err(error) };
            tracing::info!(provider = provider.name(), attempt, ?wait, %error, "the provider is asked again");
            turn.live.tell(Delta::Again { error: &error, attempt, wait });
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}

impl Provider for Chain {
    fn name(&self) -> &str {
        self.first.provider.name()
    }

    fn model(&self) -> &str {
        self.first.provider.model()
    }

    fn dialect(&self) -> Dialect {
        self.first.provider.dialect()
    }

    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(self.ask(turn))
    }

    fn preview(&self, turn: Turn<'_>) -> Option<Value> {
        self.first.provider.preview(turn)
    }

    fn context(&self) -> usize {
        self.first.provider.context()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_vary_and_follow_what_is_asked_for() {
        let retry = Retry { attempts: 9, ..Retry::default() };
        let cut = ProviderError::Cut(String::new());
        for (attempt, most) in [(1, 500), (2, 1_000), (3, 2_000), (7, 20_000), (8, 20_000)] {
            let most = Duration::from_millis(most);
            let waits: Vec<Duration> = (0..50).map(|_| retry.wait(attempt, &cut).unwrap()).collect();
            assert!(waits.iter().all(|wait| *wait <= most && *wait >= most / 2), "{attempt} {waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "{attempt}");
        }
        assert_eq!(retry.wait(9, &cut), None);
        let limited = |seconds| ProviderError::Limited {
            retry_after: Some(Duration::from_secs(seconds)),
            message: String::new(),
        };
        assert_eq!(retry.wait(1, &limited(7)), Some(Duration::from_secs(7)));
        assert_eq!(retry.wait(1, &limited(21)), None);
        let refused = ProviderError::Refused { status: 401, message: String::new() };
        assert_eq!(retry.wait(1, &refused), None);
        assert_eq!(Retry { attempts: 0, ..retry }.wait(1, &cut), None);
    }
}
