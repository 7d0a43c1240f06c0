//! Who answers: flags, variables and the configuration, made into a provider.

use std::sync::Arc;

use siteclaw_agent::wire::{self, Chosen, Wishes};
use siteclaw_agent::{Chain, Cost, Offline, Prices, Provider};

use super::app::App;
use super::args::Global;
use super::exit::Failure;
use super::spend::{Ledger, Metered};

/// The provider of a command. One that is only looked at needs no key.
pub(crate) fn of(app: &App, global: &Global, without_key: bool) -> Result<Arc<dyn Provider>, Failure> {
    let section = app.config.provider();
    let wishes = Wishes { provider: global.provider.as_deref(), model: global.model.as_deref(), without_key };
    let all = wire::choose_all(wishes, section, &|name| std::env::var(name).ok()).map_err(wrong)?;
    let mut members: Vec<Arc<dyn Provider>> = Vec::with_capacity(all.len());
    let mut asks_somebody = false;
    let offline = || Arc::new(Offline::new(Arc::clone(&app.clock)).width(app.width));
    for chosen in all {
        members.push(match chosen {
            Chosen::Offline => offline(),
            Chosen::Remote(remote, key) => {
                asks_somebody = true;
                // Wherever it might turn up, in a result or a message, it is masked.
                app.executor.masker().learn(key);
                Arc::new(*remote)
            }
        });
    }
    let prices = prices(app)?;
    let limit =
        match section.max_cost_per_month {
            None => None,
            Some(dollars) => Some(Cost::dollars(dollars).ok_or_else(|| {
                Failure::usage("max_cost_per_month in [provider] is no number of US dollars.")
            })?),
        };
    if limit.is_some() {
        let unknown = |member: &&Arc<dyn Provider>| {
            member.name() != "offline" && !prices.knows(member.name(), member.model())
        };
        if let Some(member) = members.iter().find(unknown) {
            let model = member.model();
            return Err(Failure::usage(format!(
                "max_cost_per_month is set, but no price is known for '{model}'; add [provider.prices.\"{model}\"] \
                 with input and output in US dollars for a million tokens."
            )));
        }
    }
    let mut members = members.into_iter();
    let first: Arc<dyn Provider> = match members.next() {
        Some(first) if asks_somebody => first,
        Some(first) => return Ok(first),
        None => return Ok(offline()),
    };
    let chain = members.fold(Chain::new(first, section.retry()), Chain::or);
    let ledger = Ledger::new(&app.state, Arc::clone(&app.clock), prices, limit);
    Ok(Arc::new(Metered::new(Arc::new(chain), ledger)))
}

/// What tokens cost.
pub(crate) fn prices(app: &App) -> Result<Prices, Failure> {
    app.config.provider().prices().map_err(wrong)
}

fn wrong(error: wire::SetupError) -> Failure {
    Failure::usage(sentence(&error.to_string()))
}

/// A message with a capital and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}
