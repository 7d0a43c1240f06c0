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
        // `how much spam` counts, `phone number of anna` does not.
        let phrase = [&["how", "many"][..], &["how", "much"], &["number", "of"], &["total", "number"]]
            .iter()
            .find_map(|phrase| reading.find(phrase, 0).map(|place| place..place + phrase.len()))
            .filter(|places| {
                reading.at(places.start) != "number"
                    || matches!(reading.before(places.start), "" | "the" | "a" | "total")
            });
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

    /// `how many mugs are in stock` is answered by the quantities of the mugs that were found, not by the number of
    /// sorts of mugs.
    pub(super) fn quantities(&mut self) {
        let name = self.fields.iter().find(|field| field.name == "aggregate").map(|field| field.name);
        let Some(name) = name.filter(|_| self.counts() && self.arguments.contains_key("search")) else {
            return;
        };
        let stock = (0..self.reading.words.len()).any(|place| self.columns.counts(self.reading.at(place)));
        if stock {
            self.arguments.shift_remove(name);
        }
    }

    /// A count or a sum is wanted, whatever words say so.
    pub(super) fn count(&mut self) {
        let name =
            self.open(|field| field.kind == Kind::Flag && matches!(field.name, "aggregate" | "count_only"));
        if let Some(name) = name {
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
            let mut names = vec![joined.as_str()];
            names.extend(only(field.description()));
            let hits = matches(&self.reading, &names);
            for hit in hits.iter().filter(|hit| hit.denied) {
                self.unclear.extend(hit.places.start.saturating_sub(1)..hit.places.end);
            }
            let hit = hits.into_iter().find(|hit| {
                let before = self.reading.before(hit.places.start);
                let after = self.reading.at(hit.places.end);
                !hit.denied
                    && (!asks
                        || matches!(before, "include" | "including" | "with" | "show" | "showing" | "plus")
                        || matches!(after, "of" | "in" | "from"))
            });
            if let Some(hit) = hit {
                let places = hit.places.clone();
                self.set(field.name, true);
                self.reading.mark(places);
            }
        }
    }

    /// The schema of what the tool reads, if nothing is to be counted or read.
    pub(super) fn schema(&mut self) {
        let takes = self.open(|field| field.kind == Kind::Flag && field.name == "schema").is_some();
        let asked = (0..self.reading.words.len()).find(|&place| match self.reading.at(place) {
            "schema" | "structure" => self.reading.is_free(place),
            word @ ("tables" | "columns") => self.is_noun(word),
            _ => false,
        });
        let alone = self.arguments.keys().all(|name| name == "table");
        if let Some(place) = asked.filter(|_| takes && alone) {
            self.set("schema", true);
            self.reading.mark(place..place + 1);
        }
    }
}

/// The word that says which rows a switch leaves: `Only sticky posts.`
fn only(description: &str) -> Option<&str> {
    description.strip_prefix("Only ")?.split(' ').next().filter(|word| word.chars().all(char::is_alphabetic))
}
