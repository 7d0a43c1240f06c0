//! Names and nouns that are looked for in text, by the words around them.
//!
//! What a tool's text search looks through stands in its description: people, names of things, or content. A name
//! after `by` is looked for only where people are; what stands beside the tool's own noun only where things are
//! called something.

use std::ops::Range;

use siteclaw_core::router::keywords;

use super::Filling;
use crate::offline::countries;
use crate::offline::vocabulary::{is_nameable, is_small, is_talk};

/// Words of one name at most.
const LONGEST: usize = 4;

/// What a text search looks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reach {
    people: bool,
    mail: bool,
    things: bool,
    content: bool,
}

impl Reach {
    /// As a description says it; one that says nothing looks through everything.
    fn of(description: &str) -> Self {
        let words: Vec<String> = description
            .to_lowercase()
            .split(|c: char| !(c.is_alphanumeric() || c == '-'))
            .map(str::to_owned)
            .collect();
        let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        let reach = Self {
            people: any(&["author", "e-mail", "email", "login", "customer", "company", "person", "buyer"]),
            mail: any(&["e-mail", "email", "mail"]),
            things: any(&["name", "names", "sku", "gtin", "title", "titles"]),
            content: any(&["content", "excerpt", "title", "text"]) && any(&["content", "excerpt"]),
        };
        let nothing = Self { people: false, mail: false, things: false, content: false };
        if reach == nothing { Self { people: true, mail: true, things: true, content: true } } else { reach }
    }
}

impl Filling<'_> {
    /// Whether the text search finds e-mail addresses.
    pub(super) fn finds_mail(&self) -> bool {
        self.reach().mail
    }

    fn reach(&self) -> Reach {
        let field = self.search().and_then(|name| self.fields.iter().find(|field| field.name == name));
        field.map_or_else(|| Reach::of(""), |field| Reach::of(field.description()))
    }

    /// Fills the text search with the only name that stands where one is expected.
    pub(super) fn looked_for(&mut self) {
        let Some(name) = self.search() else { return };
        let reach = self.reach();
        let runs: Vec<Range<usize>> =
            self.runs().into_iter().filter(|run| self.is_sought(run, reach)).collect();
        let [run] = runs.as_slice() else { return };
        let words: Vec<&str> = run
            .clone()
            .filter_map(|place| self.reading.words.get(place))
            .map(|word| if word.owner { word.lower.as_str() } else { word.raw.as_str() })
            .collect();
        let text = words.join(" ");
        self.set(name, text);
        self.reading.mark(run.clone());
    }

    /// A number after the tool's own noun, where the text search takes ids and no argument does.
    pub(super) fn looked_for_by_id(&mut self) {
        let Some(name) = self.search() else { return };
        let takes_ids = self.fields.iter().find(|field| field.name == name).is_some_and(|field| {
            field.description().split(|c: char| !c.is_alphanumeric()).any(|word| word == "id")
        });
        if !takes_ids {
            return;
        }
        let found = (1..self.reading.words.len()).find(|&place| {
            self.reading.is_free(place)
                && self.reading.whole(place).is_some()
                && self.subject.iter().any(|word| word == self.reading.before(place))
        });
        if let Some((place, number)) = found.and_then(|place| Some((place, self.reading.whole(place)?))) {
            self.set(name, number.to_string());
            self.reading.mark(place..place + 1);
        }
    }

    /// Neighbouring words that could be what something is called.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut place = 0;
        while place < self.reading.words.len() {
            let start = place;
            while place < self.reading.words.len() && self.is_free_name(place) {
                place += 1;
                if self.reading.words.get(place - 1).is_some_and(|word| word.ends || word.owner) {
                    break;
                }
            }
            if place > start {
                if place - start <= LONGEST {
                    runs.push(start..place);
                }
            } else {
                place += 1;
            }
        }
        runs
    }

    fn is_free_name(&self, place: usize) -> bool {
        let Some(word) = self.reading.words.get(place) else { return false };
        let aspect = self.columns.has(&word.lower) || self.fields.iter().any(|field| field.has(&word.lower));
        !word.used
            && !word.quoted
            && !word.foreign
            && !self.unclear.contains(&place)
            && is_nameable(&word.lower)
            && !self.is_noun(&word.lower)
            && !keywords(&word.lower).iter().any(|word| self.elsewhere.contains(word))
            && !aspect
            && !self.tools.contains(word.lower.as_str())
    }

    /// Whether what stands around a name says that it is looked for, in what the search reaches.
    fn is_sought(&self, run: &Range<usize>, reach: Reach) -> bool {
        let mut start = run.start;
        while start > 0 && matches!(self.reading.before(start), "the" | "a" | "an" | "my" | "our" | "any") {
            start -= 1;
        }
        let opening = self.reading.before(start);
        let parted = run.start > 0 && self.reading.words.get(run.start - 1).is_some_and(|word| word.ends);
        let owner = run
            .end
            .checked_sub(1)
            .and_then(|last| self.reading.words.get(last))
            .is_some_and(|word| word.owner);
        let name = run.clone().all(|place| {
            self.reading.words.get(place).is_some_and(|word| word.raw.starts_with(char::is_uppercase))
        });
        let noun_after = self.is_subject(self.reading.at(run.end));
        let noun_before = !parted && self.is_subject(opening) && !is_small(opening);
        match opening {
            // Nobody is called like the country that they are from.
            "from" if countries::named(&self.reading, run.start).is_some() => false,
            "by" | "from" => reach.people,
            "of" | "for" | "like" | "than" => true,
            "is" | "are" | "was" | "has" | "have" | "did" | "does" | "where" | "where's" => true,
            "about" => reach.content || reach.things,
            "with" => reach.content,
            "in" | "on" | "at" | "to" | "without" | "no" | "not" | "per" => false,
            _ if owner => true,
            _ if noun_before => true,
            _ if noun_after => reach.things && (!reach.people || reach.content || name),
            // `how many copper lanterns remaining`
            "many" | "much" => reach.things,
            // `HP-SI-0042`
            _ if start == 0
                && run.len() == 1
                && self.reading.at(start).contains(|c: char| c.is_ascii_digit()) =>
            {
                reach.things
            }
            _ => {
                let asked = start == 0 || is_talk(opening);
                asked && reach.things && !reach.people && self.said_once(run)
            }
        }
    }

    /// Whether there is no other word that could be what the message is about.
    fn said_once(&self, run: &Range<usize>) -> bool {
        (0..self.reading.words.len())
            .filter(|place| !run.contains(place))
            .any(|place| self.is_noun(self.reading.at(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_says_what_is_looked_through() {
        let reach = |people, mail, things, content| Reach { people, mail, things, content };
        let table = [
            ("Order number, or text that e-mail, name or company must hold.", reach(true, true, true, false)),
            ("Text that name, SKU or GTIN must hold; or a product's id.", reach(false, false, true, false)),
            ("Text that login or display name must hold.", reach(true, false, true, false)),
            ("Words that title, excerpt or content must hold.", reach(false, false, true, true)),
            ("Text that author, e-mail, IP or content must hold.", reach(true, true, false, true)),
            ("Text that the plugin's name must hold.", reach(false, false, true, false)),
            ("", reach(true, true, true, true)),
        ];
        for (description, expected) in table {
            assert_eq!(Reach::of(description), expected, "{description}");
        }
    }
}
