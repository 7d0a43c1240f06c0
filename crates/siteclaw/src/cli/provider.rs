//! Who answers: flags, variables and the configuration, made into a provider.

use std::sync::Arc;

use siteclaw_agent::wire::{self, Chosen, Wishes};
use siteclaw_agent::{Offline, Provider};
use siteclaw_core::Secret;

use super::app::App;
use super::args::Global;
use super::exit::Failure;

/// The provider of a command. One that is only looked at needs no key.
pub(crate) fn of(app: &App, global: &Global, without_key: bool) -> Result<Arc<dyn Provider>, Failure> {
    let wishes = Wishes { provider: global.provider.as_deref(), model: global.model.as_deref(), without_key };
    let chosen = wire::choose(wishes, app.config.provider(), &|name| std::env::var(name).ok())
        .map_err(|error| Failure::usage(sentence(&error.to_string())))?;
    Ok(match chosen {
        Chosen::Offline => Arc::new(Offline::new(Arc::clone(&app.clock)).width(app.width)),
        Chosen::Remote(remote, key) => {
            // Wherever it might turn up, in a result or a message, it is masked.
            app.executor.masker().learn(key.into_iter().collect::<Vec<Secret>>());
            Arc::new(*remote)
        }
    })
}

/// A message with a capital and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}
