//! Switches: counts, schemas, and whatever else is on or off.

use super::Filling;
use crate::offline::fields::Kind;
use crate::offline::values::matches;
use crate::offline::words::singular;

impl Filling<'_> {
    /// `how many`, `count the orders`, `statistics`: the argument `aggregate`.
    pub(super) fn totals(&mut self) {
        let Some(name) =
            self.open(|field| field.kind == Kind::Flag && matches!(field.name, "aggregate" | "count_only"))
        else {
            return;
        };
        let reading = &self.reading;
        let phrase = [&["how", "many"][..], &["number", "of"], &["total", "number"]]
            .iter()
            .find_map(|phrase| reading.find(phrase, 0).map(|place| place..place + phrase.len()));
        let word = || {
            (0..reading.words.len()).find(|&place| match reading.at(place) {
                "statistics" | "stats" | "breakdown" | "overview" | "totals" | "summary" => true,
                // A verb, and not the name of something that was counted.
                "count" => matches!(
                    reading.before(place),
                    "" | "please" | "to" | "and" | "you" | "just" | "the" | "a"
                ),
                _ => false,
            })
        };
        if let Some(places) = phrase.or_else(|| word().map(|place| place..place + 1)) {
            self.reading.mark(places);
            self.set(name, true);
        }
    }

    /// Every other switch whose words the message has: `featured`, `on_sale`, `include_variations`.
    pub(super) fn switches(&mut self) {
        for field in self.fields.clone() {
            if field.kind != Kind::Flag
                || self.is_set(field.name)
                || matches!(field.name, "aggregate" | "count_only")
            {
                continue;
            }
            if field.name == "schema" {
                self.schema();
                continue;
            }
            let word = |place: usize| field.words.get(place).map_or("", String::as_str);
            let needs = word(0);
            let asks = matches!(needs, "include" | "with" | "show");
            let core: Vec<String> = field
                .words
                .iter()
                .filter(|word| !matches!(word.as_str(), "include" | "with" | "show" | "is" | "has" | "only"))
                .map(|word| singular(word))
                .collect();
            if core.is_empty() {
                continue;
            }
            let joined = core.concat();
            let hits = matches(&self.reading, &[joined.as_str()]);
            for hit in hits.iter().filter(|hit| hit.denied) {
                self.unclear.extend(hit.places.start.saturating_sub(1)..hit.places.end);
            }
            let hit = hits.into_iter().find(|hit| {
                let before = self.reading.before(hit.places.start);
                !hit.denied
                    && (!asks
                        || matches!(before, "include" | "including" | "with" | "show" | "showing" | "plus"))
            });
            if let Some(hit) = hit {
                let places = hit.places.clone();
                self.set(field.name, true);
                self.reading.mark(places);
            }
        }
    }

    /// The schema of what the tool reads, if nothing is to be counted.
    fn schema(&mut self) {
        let asked = self.reading.words.iter().any(|word| match word.lower.as_str() {
            "schema" | "structure" => !word.quoted,
            "tables" | "columns" => !word.quoted && self.is_noun(&word.lower),
            _ => false,
        });
        if asked && !self.counts() && self.arguments.is_empty() {
            self.set("schema", true);
        }
    }
}
