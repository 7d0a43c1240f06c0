//! What models cost in a month, kept in the state folder.
//!
//! Each answer of a model adds a line to the month's file; before each question the lines are summed up. Where a limit
//! is set and the sum cannot be known, nothing is asked.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_agent::{Cost, Prices, Provider, ProviderError, Reply, Turn};
use siteclaw_core::{BoxFuture, Clock, Dialect};

use super::state::State;

/// A provider whose costs are kept, and limited where a limit is set.
pub(crate) struct Metered {
    inner: Arc<dyn Provider>,
    ledger: Arc<Ledger>,
}

/// The files, one a month.
pub(crate) struct Ledger {
    folder: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    prices: Prices,
    limit: Option<Cost>,
}

impl Ledger {
    pub(crate) fn new(state: &State, clock: Arc<dyn Clock>, prices: Prices, limit: Option<Cost>) -> Self {
        Self { folder: state.folder().map(|folder| folder.join("spend")), clock, prices, limit }
    }

    /// The present month's file.
    fn file(&self) -> Option<PathBuf> {
        let month = self.clock.now().strftime("%Y-%m").to_string();
        Some(self.folder.as_ref()?.join(format!("{month}.jsonl")))
    }

    /// What the month cost until now.
    fn spent(&self) -> Result<Cost, String> {
        let file =
            self.file().ok_or("there is no place for state; set SITECLAW_STATE to a private folder")?;
        let shown = file.display();
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Cost::default()),
            Err(error) => return Err(format!("{shown} cannot be read: {error}")),
        };
        text.lines().enumerate().try_fold(Cost::default(), |sum, (number, line)| {
            let cost = serde_json::from_str::<Value>(line).ok().and_then(|line| line["nanodollars"].as_u64());
            let cost =
                cost.ok_or_else(|| format!("line {} of {shown} has no cost; put it right", number + 1))?;
            Ok(sum.plus(Cost::nanodollars(cost)))
        })
    }

    /// Whether another question may be asked.
    fn allows(&self) -> Result<(), ProviderError> {
        let Some(limit) = self.limit else { return Ok(()) };
        let spent = self.spent().map_err(|reason| {
            ProviderError::TooDear(format!(
                "what this month cost cannot be known, and a limit is set: {reason}"
            ))
        })?;
        if spent < limit {
            return Ok(());
        }
        Err(ProviderError::TooDear(format!(
            "this month cost {spent}, and max_cost_per_month in [provider] allows {limit}"
        )))
    }

    fn add(&self, provider: &str, model: &str, reply: &Reply) -> io::Result<()> {
        let Some(file) = self.file() else { return Ok(()) };
        let cost = self.prices.cost(provider, model, reply.usage).unwrap_or_default();
        let line = json!({
            "at": self.clock.now().to_string(), "provider": provider, "model": model,
            "host": reply.sent.as_ref().map(|sent| sent.host.as_str()), "usage": reply.usage,
            "nanodollars": cost.in_nanodollars(),
        });
        if let Some(folder) = file.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut out = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
        // One write: lines of two processes never mix.
        out.write_all(format!("{line}\n").as_bytes())
    }
}

impl Metered {
    pub(crate) fn new(inner: Arc<dyn Provider>, ledger: Ledger) -> Self {
        Self { inner, ledger: Arc::new(ledger) }
    }

    async fn ask(&self, turn: Turn<'_>) -> Result<Reply, ProviderError> {
        let ledger = Arc::clone(&self.ledger);
        let allowed = tokio::task::spawn_blocking(move || ledger.allows()).await;
        allowed.map_err(|error| ProviderError::TooDear(error.to_string()))??;
        let reply = self.inner.complete(turn).await?;
        let (provider, model) = reply.served_by.as_ref().map_or_else(
            || (self.inner.name().to_owned(), self.inner.model().to_owned()),
            |served| (served.provider.clone(), served.model.clone()),
        );
        if provider != "offline" {
            let (ledger, kept) = (Arc::clone(&self.ledger), reply.clone());
            let added = tokio::task::spawn_blocking(move || ledger.add(&provider, &model, &kept)).await;
            if let Ok(Err(error)) = added {
                tracing::warn!(%error, "what the answer cost cannot be kept");
            }
        }
        Ok(reply)
    }
}

impl Provider for Metered {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn model(&self) -> &str {
        self.inner.model()
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn complete<'a>(&'a self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(self.ask(turn))
    }

    fn preview(&self, turn: Turn<'_>) -> Option<Value> {
        self.inner.preview(turn)
    }

    fn context(&self) -> usize {
        self.inner.context()
    }
}
