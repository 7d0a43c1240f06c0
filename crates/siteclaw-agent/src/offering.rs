//! The tools that a run offers while a message is answered.

use std::collections::BTreeSet;
use std::sync::Arc;

use siteclaw_core::router::Routed;
use siteclaw_core::{Dialect, Entry, Offered, Registry, Run};

use crate::provider::Offer;

/// The offered tools. When it goes, the run offers what it offered before, and gives results the room they had.
pub(crate) struct Offering<'a> {
    run: &'a Run,
    available: &'a [Arc<Entry>],
    dialect: Dialect,
    lean: bool,
    pub(crate) tools: Vec<Offer>,
    before: Offered,
    budget: usize,
}

impl<'a> Offering<'a> {
    pub(crate) fn new(
        run: &'a Run,
        registry: &Registry,
        dialect: Dialect,
        available: &'a [Arc<Entry>],
        routed: &Routed,
    ) -> Self {
        let mut offering = Self {
            run,
            available,
            dialect,
            lean: routed.profile.is_lean(),
            tools: Vec::with_capacity(routed.offered.len()),
            before: offered_by(run, registry),
            budget: run.budget(),
        };
        routed.offered.iter().for_each(|name| offering.add(name));
        offering.apply();
        offering
    }

    /// Characters of one result before a turn narrows them.
    pub(crate) const fn budget(&self) -> usize {
        self.budget
    }

    fn add(&mut self, name: &str) {
        if let Some(entry) = self.available.iter().find(|entry| entry.spec().name() == name) {
            let described = entry.describe(self.dialect, self.lean);
            self.tools.push(Offer { entry: Arc::clone(entry), described });
        }
    }

    fn apply(&self) {
        let names = self.tools.iter().map(|offer| offer.entry.spec().name().to_owned()).collect();
        self.run.offer(Offered::Only(names));
    }

    /// Offers one more tool that the provider asked for by its exact name, behind the others: what was said
    /// before stays the beginning of what is said now.
    pub(crate) fn widen(&mut self, name: &str) {
        if !self.tools.iter().any(|offer| offer.entry.spec().name() == name) {
            self.add(name);
            self.apply();
        }
    }
}

impl Drop for Offering<'_> {
    fn drop(&mut self) {
        self.run.offer(self.before.clone());
        self.run.set_budget(self.budget);
    }
}

/// What the run offers now. Of the tools that exist, all is the same as every one by name.
fn offered_by(run: &Run, registry: &Registry) -> Offered {
    let names: BTreeSet<String> =
        registry.names().filter(|name| run.offers(name)).map(str::to_owned).collect();
    if names.len() == registry.entries().len() { Offered::All } else { Offered::Only(names) }
}
