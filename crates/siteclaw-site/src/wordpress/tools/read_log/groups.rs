//! Entries of one cause, put together.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::wordpress::logs::{Component, Entry, Level, redacted};
use crate::wordpress::text;
use crate::wordpress::zone::Zone;

/// Characters of the sample that is shown of a group.
const SAMPLE: usize = 600;

/// What an entry has in common with others of its cause, and itself.
pub(super) struct Fact {
    level: Level,
    at: Option<Timestamp>,
    /// The message without what differs from time to time.
    shape: String,
    place: Option<(String, u32)>,
    component: Option<Component>,
    sample: String,
}

impl Fact {
    pub(super) fn of(entry: &Entry<'_>) -> Self {
        Self {
            level: entry.level,
            at: entry.at,
            shape: shape(entry.message),
            place: entry.place().map(|(file, line)| (file.to_owned(), line)),
            component: entry.component(),
            sample: text::cut(&redacted(entry.raw), SAMPLE),
        }
    }
}

/// Entries of one cause.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Group {
    /// How many.
    count: u64,
    level: Level,
    /// The plugin, theme or core file it happened in; null where the entries do not say.
    component: Option<Component>,
    /// The file that the entries name.
    file: Option<String>,
    /// The line in it.
    line: Option<u32>,
    /// When the oldest of them was written, on the site's clock.
    first: Option<String>,
    /// When the newest was.
    last: Option<String>,
    /// The newest, in full.
    sample: String,
}

/// The groups of entries that come the newest first: the worst level first, then the most frequent.
pub(super) fn of(facts: Vec<Fact>, zone: &Zone) -> Vec<Group> {
    type Key = (Level, String, Option<(String, u32)>);
    let mut groups: BTreeMap<Key, (u64, Option<Timestamp>, Option<Timestamp>, Fact)> = BTreeMap::new();
    for fact in facts {
        let key = (fact.level, fact.shape.clone(), fact.place.clone());
        match groups.get_mut(&key) {
            Some((count, first, last, _)) => {
                *count += 1;
                *first = [*first, fact.at].into_iter().flatten().min();
                *last = [*last, fact.at].into_iter().flatten().max();
            }
            None => drop(groups.insert(key, (1, fact.at, fact.at, fact))),
        }
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by(|(a, _, a_last, left), (b, _, b_last, right)| {
        left.level
            .cmp(&right.level)
            .then(b.cmp(a))
            .then(b_last.cmp(a_last))
            .then_with(|| left.shape.cmp(&right.shape))
    });
    let local = |at: Option<Timestamp>| at.map(|at| zone.local(at));
    groups
        .into_iter()
        .map(|(count, first, last, fact)| Group {
            count,
            level: fact.level,
            component: fact.component,
            file: fact.place.as_ref().map(|(file, _)| file.clone()),
            line: fact.place.map(|(_, line)| line),
            first: local(first),
            last: local(last),
            sample: fact.sample,
        })
        .collect()
}

/// The message with each number, hash and quoted long text replaced by one mark.
fn shape(message: &str) -> String {
    let mut out = String::with_capacity(message.len().min(400));
    let mut rest = message.get(..2000).unwrap_or(message).chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_ascii_digit() {
            while rest.next_if(|c| c.is_ascii_hexdigit() || matches!(c, '.' | '-' | ':')).is_some() {}
            out.push('#');
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_time_to_time_is_no_part_of_the_shape() {
        assert_eq!(
            shape("Order 123 of 2026-11-30 failed (id 7f3a9c)"),
            shape("Order 9 of 2025-01-01 failed (id 8)")
        );
        assert_ne!(shape("Undefined variable $a"), shape("Undefined variable $b"));
        assert!(shape(&"é".repeat(3000)).len() <= 6000);
    }
}
