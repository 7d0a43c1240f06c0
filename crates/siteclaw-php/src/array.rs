//! PHP's ordered map.
//!
//! Lists and small maps keep no index; larger ones get a hash index, so a map of a million entries
//! stays usable. Node count and depth are kept up to date, so that a limit can be asked without a walk
//! and nothing deeper than a limit is ever built (dropping a value recurses over its depth).

use std::collections::HashMap;
use std::fmt;

use crate::unknown::Unknown;
use crate::value::{PhpKey, PhpValue};

/// Below this many entries a scan beats a hash.
const SCAN: usize = 12;

/// An ordered map of integer and string keys.
#[derive(Clone)]
pub struct PhpArray {
    entries: Vec<(PhpKey, PhpValue)>,
    /// Positions by key; absent while the keys are 0, 1, 2, … or few.
    index: Option<HashMap<PhpKey, usize>>,
    list: bool,
    next: i64,
    nodes: u32,
    depth: u16,
    open: Option<Unknown>,
}

impl PhpArray {
    /// An array without entries.
    pub fn new() -> Self {
        Self { entries: Vec::new(), index: None, list: true, next: 0, nodes: 1, depth: 1, open: None }
    }

    /// The number of entries that are known.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no entry is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry of a key given as text; `"3"` finds the integer key 3.
    pub fn get(&self, key: &str) -> Option<&PhpValue> {
        self.get_key(&PhpKey::from(key))
    }

    /// The entry of a key.
    pub fn get_key(&self, key: &PhpKey) -> Option<&PhpValue> {
        let position = self.position(key)?;
        self.entries.get(position).map(|(_, value)| value)
    }

    /// Entries in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&PhpKey, &PhpValue)> + Clone {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The values in their order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &PhpValue> + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Whether the keys are 0, 1, 2, … in this order. True for an empty array.
    pub fn is_list(&self) -> bool {
        self.list
    }

    /// Why there may be entries besides the known ones (a merge with something that cannot be known);
    /// nothing when the known entries are all.
    pub fn open(&self) -> Option<&Unknown> {
        self.open.as_ref()
    }

    pub(crate) fn set_open(&mut self, why: Unknown) {
        self.open.get_or_insert(why);
    }

    pub(crate) fn nodes(&self) -> u32 {
        self.nodes
    }

    pub(crate) fn depth(&self) -> u16 {
        self.depth
    }

    /// Sets an entry; an existing key keeps its place.
    pub fn set(&mut self, key: PhpKey, value: PhpValue) {
        self.nodes = self.nodes.saturating_add(value.nodes());
        self.depth = self.depth.max(value.depth().saturating_add(1));
        if let Some(position) = self.position(&key)
            && let Some((_, slot)) = self.entries.get_mut(position)
        {
            self.nodes = self.nodes.saturating_sub(slot.nodes());
            *slot = value;
            return;
        }
        let position = self.entries.len();
        if self.list && key != PhpKey::Int(position as i64) {
            self.list = false;
        }
        if let PhpKey::Int(number) = key {
            self.next = self.next.max(number.saturating_add(1));
        }
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), position);
        }
        self.entries.push((key, value));
        if self.index.is_none() && !self.list && self.entries.len() > SCAN {
            self.index = Some(
                self.entries.iter().enumerate().map(|(position, (key, _))| (key.clone(), position)).collect(),
            );
        }
    }

    /// Adds a value under the next integer key.
    pub fn push(&mut self, value: PhpValue) {
        self.set(PhpKey::Int(self.next), value);
    }

    pub(crate) fn next_key(&self) -> PhpKey {
        PhpKey::Int(self.next)
    }

    /// Takes an entry out and gives it back; the order of the others stays.
    pub(crate) fn remove(&mut self, key: &PhpKey) -> Option<PhpValue> {
        let position = self.position(key)?;
        let (_, value) = self.entries.remove(position);
        self.nodes = self.nodes.saturating_sub(value.nodes());
        self.index = None;
        self.list = position == self.entries.len() && self.list;
        if !self.list && self.entries.len() > SCAN {
            self.index = Some(
                self.entries.iter().enumerate().map(|(position, (key, _))| (key.clone(), position)).collect(),
            );
        }
        Some(value)
    }

    /// Replaces an entry by what `change` makes of it (`null` when there is none).
    pub(crate) fn update<T>(&mut self, key: PhpKey, change: impl FnOnce(&mut PhpValue) -> T) -> T {
        let mut value = match self.position(&key).and_then(|position| self.entries.get_mut(position)) {
            Some((_, slot)) => {
                let taken = std::mem::take(slot);
                // The slot now counts as one node: give back what the taken value counted.
                self.nodes = self.nodes.saturating_sub(taken.nodes()).saturating_add(1);
                taken
            }
            None => PhpValue::Null,
        };
        let result = change(&mut value);
        self.set(key, value);
        result
    }

    fn position(&self, key: &PhpKey) -> Option<usize> {
        if self.list {
            let PhpKey::Int(number) = key else { return None };
            return usize::try_from(*number).ok().filter(|position| *position < self.entries.len());
        }
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().position(|(candidate, _)| candidate == key),
        }
    }
}

impl Default for PhpArray {
    fn default() -> Self {
        Self::new()
    }
}

/// Order counts, as in PHP's `===`.
impl PartialEq for PhpArray {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries && self.open == other.open
    }
}

impl fmt::Debug for PhpArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        map.entries(self.iter());
        match &self.open {
            Some(why) => map.entry(&"…", why).finish(),
            None => map.finish(),
        }
    }
}

impl FromIterator<(PhpKey, PhpValue)> for PhpArray {
    fn from_iter<I: IntoIterator<Item = (PhpKey, PhpValue)>>(entries: I) -> Self {
        let mut array = Self::new();
        for (key, value) in entries {
            array.set(key, value);
        }
        array
    }
}

impl FromIterator<PhpValue> for PhpArray {
    fn from_iter<I: IntoIterator<Item = PhpValue>>(values: I) -> Self {
        let mut array = Self::new();
        for value in values {
            array.push(value);
        }
        array
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(array: &PhpArray) -> Vec<String> {
        array.iter().map(|(key, value)| format!("{}={}", key.to_text(), value.to_text().unwrap())).collect()
    }

    #[test]
    fn later_values_keep_the_first_place() {
        let mut array = PhpArray::new();
        for (key, value) in [("a", 1), ("b", 2), ("a", 3)] {
            array.set(PhpKey::from(key), PhpValue::Int(value));
        }
        array.push(PhpValue::Int(4));
        assert_eq!(texts(&array), ["a=3", "b=2", "0=4"]);
        assert!(!array.is_list());
    }

    #[test]
    fn large_maps_and_lists_find_their_entries() {
        let mut map = PhpArray::new();
        let mut list = PhpArray::new();
        for number in 0..1000 {
            map.set(PhpKey::from(format!("k{number}").as_str()), PhpValue::Int(number));
            list.push(PhpValue::Int(number));
        }
        assert_eq!(map.get("k777"), Some(&PhpValue::Int(777)));
        assert_eq!(map.get("k1000"), None);
        assert_eq!(list.get("999"), Some(&PhpValue::Int(999)));
        assert_eq!(list.get("1000"), None);
        assert!(list.is_list() && list.index.is_none());
        list.set(PhpKey::from("x"), PhpValue::Null);
        assert_eq!(list.get("500"), Some(&PhpValue::Int(500)));
        assert!(!list.is_list());
    }

    #[test]
    fn removal_keeps_order_and_next_key() {
        let mut array: PhpArray = (0..4).map(PhpValue::Int).collect();
        assert_eq!(array.remove(&PhpKey::Int(1)), Some(PhpValue::Int(1)));
        assert_eq!(array.remove(&PhpKey::Int(1)), None);
        array.push(PhpValue::Int(9));
        assert_eq!(texts(&array), ["0=0", "2=2", "3=3", "4=9"]);
        assert_eq!(array.get("3"), Some(&PhpValue::Int(3)));
    }

    #[test]
    fn counts_follow_changes() {
        let mut inner = PhpArray::new();
        inner.push(PhpValue::Int(1));
        inner.push(PhpValue::Int(2));
        let mut outer = PhpArray::new();
        outer.set(PhpKey::from("x"), PhpValue::from(inner));
        assert_eq!((outer.nodes(), outer.depth()), (4, 3));
        outer.update(PhpKey::from("x"), |value| *value = PhpValue::Int(1));
        outer.update(PhpKey::from("y"), |value| *value = PhpValue::Int(2));
        assert_eq!(outer.nodes(), 3);
        outer.remove(&PhpKey::from("x"));
        assert_eq!(outer.nodes(), 2);
    }
}
