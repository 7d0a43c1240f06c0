//! Free text: named values, quotations and what is searched for.

use std::ops::Range;

use super::{Filling, side};
use crate::offline::countries;
use crate::offline::vocabulary::{is_nameable, is_small, is_talk};
use crate::offline::words::singular;

/// Arguments that take whatever is looked for, the best first.
const SEARCHES: &[&str] = &[
    "search", "query", "q", "keyword", "keywords", "term", "text", "contains", "pattern", "needle",
    "message", "phrase",
];

/// Words after which comes what is looked for.
const INTRODUCING: &[&str] = &[
    "containing",
    "contains",
    "contain",
    "matching",
    "mentioning",
    "mention",
    "mentions",
    "named",
    "called",
    "titled",
    "about",
    "sku",
];

/// Words that end what is looked for.
const ENDING: &[&str] = &[
    "in", "on", "from", "since", "before", "after", "between", "by", "with", "and", "or", "that", "which",
    "who", "for", "during", "until", "of", "sorted", "is", "are",
];

/// The most words of what is looked for without quotation marks.
const MOST: usize = 6;

/// Arguments that choose a part of the installation; their words are said of the whole site too.
const PARTS: &[&str] = &["site", "blog", "store", "shop", "language", "locale"];

impl<'a> Filling<'a> {
    /// Everything else that is text.
    pub(super) fn texts(&mut self) {
        self.shapes();
        self.named();
        self.quotations();
        self.identifiers();
        self.paid();
        self.introduced();
        self.shelved();
        self.leftover();
        self.looked_for();
        self.looked_for_by_id();
        self.last_resort();
    }

    /// `option blogname`, `role "editor"`, `tagged summer`, `in the news category`.
    fn named(&mut self) {
        for field in self.fields.clone() {
            if !field.is_open()
                || self.is_set(field.name)
                || side(&field).is_some()
                || SEARCHES.contains(&field.name)
            {
                continue;
            }
            let endings = ["name", "slug", "key", "id"];
            let words: Vec<&str> = match field.words.split_last() {
                Some((last, rest)) if !rest.is_empty() && endings.contains(&last.as_str()) => {
                    rest.iter().map(String::as_str).collect()
                }
                _ => field.words.iter().map(String::as_str).collect(),
            };
            let loose = !PARTS.contains(&field.name);
            let before = || if loose { self.value_before(&words) } else { None };
            if let Some((places, text)) = self.value_after(&words, loose).or_else(before) {
                self.set(field.name, text);
                self.reading.mark(places);
            }
        }
    }

    /// The value right after the words of an argument; if not `loose`, only a quoted or introduced one.
    fn value_after(&self, words: &[&str], loose: bool) -> Option<(Range<usize>, String)> {
        (0..self.reading.words.len()).find_map(|start| {
            let fits = words.iter().enumerate().all(|(offset, word)| {
                let said = self.reading.at(start + offset);
                said == *word || (words.len() == 1 && *word == "tag" && said == "tagged")
            });
            if !fits {
                return None;
            }
            let mut place = start + words.len();
            let mut certain = false;
            while matches!(self.reading.at(place), "=" | "named" | "called" | "name" | "slug" | "key" | "is")
            {
                certain = self.reading.at(place) != "is"
                    || matches!(self.reading.before(start), "whose" | "where" | "with");
                if !certain {
                    return None;
                }
                place += 1;
            }
            let quoted = self.reading.words.get(place).is_some_and(|word| word.quoted);
            let text = self.value_at(place, certain).filter(|_| loose || certain || quoted)?;
            Some((start..place + 1, text))
        })
    }

    /// `paid with paypal`: the argument that says how rows were paid.
    fn paid(&mut self) {
        let Some(name) = self.open(|field| field.is_open() && field.has("payment")) else { return };
        let found = (2..self.reading.words.len()).find(|&place| {
            let by = matches!(self.reading.before(place), "with" | "by" | "via" | "using" | "through");
            by && matches!(self.reading.at(place - 2), "paid" | "pay" | "paying" | "payed")
        });
        if let Some((place, first)) = found.and_then(|place| Some((place, self.value_at(place, true)?))) {
            // `credit card`, `bank transfer`
            let second = self.value_at(place + 1, false).filter(|_| {
                let ends = self.reading.words.get(place).is_some_and(|word| word.ends || word.quoted);
                !ends && is_nameable(self.reading.at(place + 1))
            });
            let length = 1 + usize::from(second.is_some());
            let text = second.map_or_else(|| first.clone(), |second| format!("{first} {second}"));
            self.set(name, text);
            self.reading.mark(place - 2..place + length);
        }
    }

    /// `products in kitchen`: the argument for a category, where the tool has one and no other place fits.
    fn shelved(&mut self) {
        let Some(name) = self.open(|field| field.is_open() && field.has("category")) else { return };
        let found = (2..self.reading.words.len()).find(|&place| {
            self.reading.before(place) == "in"
                && self.is_subject(self.reading.at(place - 2))
                && is_nameable(self.reading.at(place))
                && !self.reading.words.get(place).is_some_and(|word| word.foreign)
                && countries::named(&self.reading, place).is_none()
        });
        if let Some((place, text)) = found.and_then(|place| Some((place, self.value_at(place, false)?))) {
            self.set(name, text.to_lowercase());
            self.reading.mark(place - 1..place + 1);
        }
    }

    /// `from Germany`, `in France`: the argument for a country, as the code that its description asks for.
    pub(super) fn places(&mut self) {
        let Some(field) = self.fields.iter().find(|field| field.is_open() && field.has("country")).cloned()
        else {
            return;
        };
        let lower = field.description().to_lowercase();
        let coded = lower.contains("two") || lower.contains("iso") || lower.contains("code");
        let found = (1..self.reading.words.len()).find_map(|place| {
            let mut before = place;
            if self.reading.before(before) == "the" {
                before -= 1;
            }
            let introduced =
                matches!(self.reading.before(before), "from" | "in" | "to" | "of" | "country" | "for");
            let (code, length) = countries::named(&self.reading, place)?;
            let free = (place..place + length).all(|place| self.reading.is_free(place));
            (introduced && free && coded).then_some((place, code, length))
        });
        if let Some((place, code, length)) = found.filter(|_| !self.is_set(field.name)) {
            self.set(field.name, code);
            self.reading.mark(place..place + length);
        }
    }

    /// The value before the word of an argument: `in the news category`.
    fn value_before(&self, words: &[&str]) -> Option<(Range<usize>, String)> {
        let [word] = words else { return None };
        (1..self.reading.words.len()).find_map(|place| {
            let value = place - 1;
            let mut before = self.reading.before(value);
            if before == "the" {
                before = value.checked_sub(2).map_or("", |place| self.reading.at(place));
            }
            let fits = self.reading.at(place) == *word && matches!(before, "in" | "from" | "under" | "of");
            self.value_at(value, false).filter(|_| fits).map(|text| (value..place + 1, text))
        })
    }

    /// The word or quotation at a place, if it can be a value.
    fn value_at(&self, place: usize, certain: bool) -> Option<String> {
        let word = self.reading.words.get(place).filter(|word| !word.used)?;
        if word.quoted {
            return Some(word.raw.clone());
        }
        let plain_word = !is_small(&word.lower)
            && word.lower.starts_with(char::is_alphabetic)
            && !self.tools.contains(word.lower.as_str())
            && (certain || !self.is_noun(&word.lower));
        plain_word.then(|| word.raw.clone())
    }

    /// Quotations that nothing else took are what is looked for.
    fn quotations(&mut self) {
        for place in 0..self.reading.words.len() {
            let Some(word) = self.reading.words.get(place).filter(|word| word.quoted && !word.used).cloned()
            else {
                continue;
            };
            // `on "Some post"` is what it stands on, and not what it says.
            let stands = matches!(self.reading.before(place), "on" | "in")
                && self.fields.iter().any(|field| field.name == "post_id");
            if stands {
                continue;
            }
            let part = INTRODUCING.contains(&self.reading.before(place))
                || matches!(self.reading.before(place), "for" | "with");
            let exact = !part && !word.raw.contains(char::is_whitespace);
            let name = if exact {
                self.own_name().or_else(|| self.search())
            } else {
                self.search().or_else(|| self.own_name())
            };
            if let Some(name) = name {
                self.set(name, word.raw);
                self.reading.mark(place - usize::from(part)..place + 1);
            }
        }
    }

    /// Words such as `admin_email` name a thing exactly.
    fn identifiers(&mut self) {
        for place in 0..self.reading.words.len() {
            let Some(word) = self.reading.words.get(place).filter(|word| !word.used && !word.quoted).cloned()
            else {
                continue;
            };
            let is_name = word.raw.trim_matches('_').contains('_')
                && word.raw.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
                && !self.tools.contains(word.lower.as_str())
                && !self.fields.iter().any(|field| field.name == word.lower);
            if let Some(name) = self.own_name().filter(|_| is_name) {
                self.set(name, word.raw);
                self.reading.mark(place..place + 1);
            }
        }
    }

    /// `containing hello world`, `search for shirts`, `named Anna`.
    fn introduced(&mut self) {
        let searching = self.reading.words.iter().position(|word| {
            matches!(word.lower.as_str(), "search" | "searching" | "look" | "looking" | "grep")
        });
        for place in 0..self.reading.words.len() {
            let word = self.reading.at(place);
            let begins = matches!(
                self.reading.before(place),
                "starting" | "starts" | "start" | "beginning" | "begins" | "begin" | "ending" | "ends"
            );
            let opens = INTRODUCING.contains(&word)
                || (word == "for" && searching.is_some_and(|verb| verb < place))
                || (word == "with" && begins);
            if !opens {
                continue;
            }
            let Some(name) = self.search() else { return };
            let mut start = place + 1;
            while matches!(
                self.reading.at(start),
                "the" | "a" | "an" | "word" | "words" | "text" | "phrase" | "term"
            ) {
                start += 1;
            }
            let end = (start..start + MOST)
                .find(|&place| {
                    let free = self.reading.words.get(place).is_some_and(|word| !word.used && !word.quoted);
                    !free || ENDING.contains(&self.reading.at(place)) || self.ends_before(place, start)
                })
                .unwrap_or(start + MOST);
            let words: Vec<&str> = (start..end)
                .filter_map(|place| self.reading.words.get(place))
                .map(|word| word.raw.as_str())
                .collect();
            let own = words
                .iter()
                .map(|word| word.to_lowercase())
                .all(|word| self.is_noun(&word) || is_small(&word) || is_talk(&word));
            if !own {
                let text = words.join(" ");
                self.set(name, text);
                self.reading.mark(place.saturating_sub(1)..end);
                return;
            }
        }
    }

    fn ends_before(&self, place: usize, start: usize) -> bool {
        place > start && self.reading.words.get(place - 1).is_some_and(|word| word.ends)
    }

    /// `find hoodie`: what is left after a word of searching, if it stands together.
    fn leftover(&mut self) {
        let said = |wanted: &[&str], most: usize| {
            self.reading.words.iter().take(most).any(|word| wanted.contains(&word.lower.as_str()))
        };
        // A clause about what is wanted is no text that it holds.
        let finds = said(&["find", "search", "lookup", "look"], 4)
            && !said(
                &["that", "which", "who", "whose", "where", "with", "without", "need", "needs"],
                usize::MAX,
            );
        let Some(name) = self.search().filter(|_| finds && !self.counts()) else { return };
        let left: Vec<usize> = (0..self.reading.words.len())
            .filter(|&place| {
                let word = self.reading.at(place);
                self.reading.is_free(place)
                    && !is_small(word)
                    && !self.is_noun(word)
                    && !is_talk(word)
                    && self.reading.whole(place).is_none()
            })
            .collect();
        let together =
            left.windows(2).all(|pair| pair.first().map(|place| place + 1) == pair.last().copied());
        if let (Some(&first), Some(&last), true) = (left.first(), left.last(), together && left.len() <= 4) {
            let words: Vec<&str> = left
                .iter()
                .filter_map(|&place| self.reading.words.get(place))
                .map(|word| word.raw.as_str())
                .collect();
            let text = words.join(" ");
            self.set(name, text);
            self.reading.mark(first..last + 1);
        }
    }

    /// One quotation and one required text that nothing else filled belong together.
    fn last_resort(&mut self) {
        let missing: Vec<&'a str> = self
            .fields
            .iter()
            .filter(|field| field.required && field.is_open() && !self.is_set(field.name))
            .map(|field| field.name)
            .collect();
        let quotes: Vec<usize> = (0..self.reading.words.len())
            .filter(|&place| self.reading.words.get(place).is_some_and(|word| word.quoted && !word.used))
            .collect();
        if let ([name], [place]) = (missing.as_slice(), quotes.as_slice())
            && let Some(text) = self.reading.words.get(*place).map(|word| word.raw.clone())
        {
            self.set(name, text);
            self.reading.mark(*place..*place + 1);
        }
    }

    /// The argument that takes what is looked for.
    pub(super) fn search(&self) -> Option<&'a str> {
        SEARCHES
            .iter()
            .find_map(|name| self.open(|field| field.is_open() && field.name == *name))
            .or_else(|| self.open(|field| field.is_open() && matches!(field.name, "name" | "title" | "sku")))
    }

    /// The argument that takes the exact name of what the tool is about: `option_name` of `wp_option`.
    fn own_name(&self) -> Option<&'a str> {
        self.open(|field| {
            let own = |word: &String| self.subject.contains(&singular(word));
            field.is_open()
                && match field.words.as_slice() {
                    [only] => own(only),
                    [owner, last] => own(owner) && matches!(last.as_str(), "name" | "key" | "slug"),
                    _ => false,
                }
        })
    }
}
