//! Array functions. An array that may hold more than is known gives no answer that depends on it.

use super::{bytes, flag, int};
use crate::array::PhpArray;
use crate::convert;
use crate::value::{PhpKey, PhpValue};

/// Most parts that `explode()` makes.
const MAX_PARTS: usize = 10_000;

/// The argument when it is an array whose entries are all known.
fn whole(arguments: &[PhpValue], position: usize) -> Option<&PhpArray> {
    arguments.get(position)?.as_array().filter(|array| array.open().is_none())
}

pub(super) fn merge(arguments: &[PhpValue]) -> Option<PhpValue> {
    crate::evaluate::operators::merged(arguments)
}

pub(super) fn replace(arguments: &[PhpValue]) -> Option<PhpValue> {
    let mut result = whole(arguments, 0)?.clone();
    for position in 1..arguments.len() {
        for (key, value) in whole(arguments, position)?.iter() {
            result.set(key.clone(), value.clone());
        }
    }
    Some(PhpValue::from(result))
}

/// Without a callback: entries that are true.
pub(super) fn filter(arguments: &[PhpValue]) -> Option<PhpValue> {
    if arguments.len() != 1 {
        return None;
    }
    let mut kept = PhpArray::new();
    for (key, value) in whole(arguments, 0)?.iter() {
        // An unknown entry may or may not stay: its key then says that it is unknown.
        if convert::to_bool(value).unwrap_or(true) {
            kept.set(key.clone(), value.clone());
        }
    }
    Some(PhpValue::from(kept))
}

pub(super) fn keys(arguments: &[PhpValue]) -> Option<PhpValue> {
    if arguments.len() != 1 {
        return None;
    }
    let keys =
        whole(arguments, 0)?.iter().map(|(key, _)| crate::evaluate::statements::key_value(key.clone()));
    Some(PhpValue::from(keys.collect::<PhpArray>()))
}

pub(super) fn values(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::from(whole(arguments, 0)?.values().cloned().collect::<PhpArray>()))
}

pub(super) fn reverse(arguments: &[PhpValue]) -> Option<PhpValue> {
    let array = whole(arguments, 0)?;
    let keep = flag(arguments, 1, false)?;
    let mut entries: Vec<(&PhpKey, &PhpValue)> = array.iter().collect();
    entries.reverse();
    let mut reversed = PhpArray::new();
    for (key, value) in entries {
        match key {
            PhpKey::Int(_) if !keep => reversed.push(value.clone()),
            key => reversed.set(key.clone(), value.clone()),
        }
    }
    Some(PhpValue::from(reversed))
}

/// Of scalars, compared as strings; the first of equal ones stays.
pub(super) fn unique(arguments: &[PhpValue]) -> Option<PhpValue> {
    if arguments.len() != 1 {
        return None;
    }
    let mut seen = std::collections::HashSet::new();
    let mut kept = PhpArray::new();
    for (key, value) in whole(arguments, 0)?.iter() {
        if seen.insert(convert::to_bytes(value)?) {
            kept.set(key.clone(), value.clone());
        }
    }
    Some(PhpValue::from(kept))
}

pub(super) fn count(arguments: &[PhpValue]) -> Option<PhpValue> {
    if arguments.len() != 1 {
        return None;
    }
    Some(PhpValue::Int(i64::try_from(whole(arguments, 0)?.len()).ok()?))
}

pub(super) fn key_exists(arguments: &[PhpValue]) -> Option<PhpValue> {
    let key = match arguments.first()? {
        PhpValue::Int(number) => PhpKey::Int(*number),
        PhpValue::Str(text) => PhpKey::from_bytes(text.as_bytes()),
        _ => return None,
    };
    let array = arguments.get(1)?.as_array()?;
    match array.get_key(&key) {
        Some(_) => Some(PhpValue::Bool(true)),
        None => array.open().is_none().then_some(PhpValue::Bool(false)),
    }
}

pub(super) fn in_array(arguments: &[PhpValue]) -> Option<PhpValue> {
    let needle = arguments.first()?;
    let strict = flag(arguments, 2, false)?;
    let compare = if strict { convert::identical } else { convert::loosely_equal };
    let array = arguments.get(1)?.as_array()?;
    let mut sure = array.open().is_none();
    for value in array.values() {
        match compare(needle, value) {
            Some(true) => return Some(PhpValue::Bool(true)),
            Some(false) => {}
            None => sure = false,
        }
    }
    sure.then_some(PhpValue::Bool(false))
}

/// A limit of 0 counts as 1, a negative one leaves parts out at the end.
pub(super) fn explode(arguments: &[PhpValue]) -> Option<PhpValue> {
    let (separator, text) = (bytes(arguments, 0)?, bytes(arguments, 1)?);
    let limit = int(arguments, 2, i64::MAX)?;
    if separator.is_empty() {
        return None;
    }
    let most = usize::try_from(limit.max(1)).unwrap_or(usize::MAX);
    let splits = if limit < 0 { usize::MAX } else { most - 1 };
    let mut parts: Vec<PhpValue> = Vec::new();
    let mut rest = text.as_slice();
    while parts.len() < splits
        && let Some(found) = super::text::find(rest, &separator)?
    {
        parts.push(PhpValue::from(rest.get(..found)?.to_vec()));
        rest = rest.get(found + separator.len()..)?;
        if parts.len() > MAX_PARTS {
            return None;
        }
    }
    parts.push(PhpValue::from(rest.to_vec()));
    if limit < 0 {
        let dropped = usize::try_from(limit.unsigned_abs()).unwrap_or(usize::MAX);
        parts.truncate(parts.len().saturating_sub(dropped));
    }
    Some(PhpValue::from(parts.into_iter().collect::<PhpArray>()))
}

pub(super) fn implode(arguments: &[PhpValue]) -> Option<PhpValue> {
    let (separator, array) = match arguments {
        [PhpValue::Array(_)] => (Vec::new(), whole(arguments, 0)?),
        [_, PhpValue::Array(_)] => (bytes(arguments, 0)?, whole(arguments, 1)?),
        _ => return None,
    };
    let parts: Option<Vec<Vec<u8>>> = array.values().map(convert::to_bytes).collect();
    let parts = parts?;
    let size =
        parts.iter().map(Vec::len).sum::<usize>().saturating_add(separator.len().saturating_mul(parts.len()));
    (size <= crate::evaluate::budget::MAX_STRING).then(|| PhpValue::from(parts.join(separator.as_slice())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(text: &str) -> PhpValue {
        PhpValue::from(text)
    }

    fn list(items: &[&str]) -> PhpValue {
        PhpValue::from(items.iter().map(|item| s(item)).collect::<PhpArray>())
    }

    // The expected values are PHP 8.2's.
    #[test]
    fn explode_follows_php() {
        let i = PhpValue::Int;
        for (arguments, expected) in [
            (vec![s(","), s("a,b,c")], list(&["a", "b", "c"])),
            (vec![s(","), s("")], list(&[""])),
            (vec![s(","), s("a,b,c"), i(2)], list(&["a", "b,c"])),
            (vec![s(","), s("a,b,c"), i(0)], list(&["a,b,c"])),
            (vec![s(","), s("a,b,c"), i(-1)], list(&["a", "b"])),
            (vec![s(","), s("a,b,c"), i(-5)], list(&[])),
        ] {
            assert_eq!(explode(&arguments), Some(expected));
        }
        assert_eq!(explode(&[s(""), s("a")]), None);
        assert_eq!(explode(&[s(","), s(&",".repeat(20_000))]), None);
    }

    #[test]
    fn filter_keeps_keys_and_merge_renumbers() {
        let array = list(&["", "a", "0", "b"]);
        let kept = filter(std::slice::from_ref(&array)).unwrap();
        let keys: Vec<_> = kept.as_array().unwrap().iter().map(|(key, _)| key.to_text()).collect();
        assert_eq!(keys, ["1", "3"]);
        assert_eq!(merge(&[kept, list(&["c"])]), Some(list(&["a", "b", "c"])));
        assert_eq!(implode(&[s("-"), array]), Some(s("-a-0-b")));
    }

    #[test]
    fn membership_is_loose_unless_strict() {
        let numbers = PhpValue::from([PhpValue::Int(1), PhpValue::Int(2)].into_iter().collect::<PhpArray>());
        assert_eq!(in_array(&[s("1"), numbers.clone()]), Some(PhpValue::Bool(true)));
        assert_eq!(in_array(&[s("1"), numbers, PhpValue::Bool(true)]), Some(PhpValue::Bool(false)));
    }
}
