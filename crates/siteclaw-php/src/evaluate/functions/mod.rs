//! PHP functions of values alone.
//!
//! Each takes known arguments and gives a bounded result, or nothing when the arguments are of a kind
//! that it does not know.

mod arrays;
mod checks;
mod text;
mod urls;

pub(super) use text::slug;

use crate::value::PhpValue;

type Implementation = fn(&[PhpValue]) -> Option<PhpValue>;

/// Name, implementation, and whether a missing variable counts as PHP would see it. Elsewhere the result
/// for a missing variable is that missing variable.
const FUNCTIONS: &[(&str, Implementation, bool)] = &[
    ("array_filter", arrays::filter, false),
    ("array_key_exists", arrays::key_exists, true),
    ("array_keys", arrays::keys, false),
    ("array_merge", arrays::merge, false),
    ("array_replace", arrays::replace, false),
    ("array_reverse", arrays::reverse, false),
    ("array_unique", arrays::unique, false),
    ("array_values", arrays::values, false),
    ("base64_decode", text::base64_decode, false),
    ("boolval", checks::boolval, true),
    ("chop", text::rtrim, false),
    ("count", arrays::count, false),
    ("explode", arrays::explode, false),
    ("filter_var", checks::filter_var, true),
    ("floatval", checks::floatval, false),
    ("implode", arrays::implode, false),
    ("in_array", arrays::in_array, true),
    ("intval", checks::intval, false),
    ("is_array", checks::is_array, true),
    ("is_bool", checks::is_bool, true),
    ("is_int", checks::is_int, true),
    ("is_null", checks::is_null, true),
    ("is_numeric", checks::is_numeric, true),
    ("is_string", checks::is_string, true),
    ("join", arrays::implode, false),
    ("json_decode", text::json_decode, false),
    ("ltrim", text::ltrim, false),
    ("parse_url", urls::parse_url, false),
    ("rawurldecode", urls::rawurldecode, false),
    ("rtrim", text::rtrim, false),
    ("sprintf", text::sprintf, false),
    ("str_contains", text::contains, true),
    ("str_ends_with", text::ends_with, true),
    ("str_repeat", text::repeat, false),
    ("str_replace", text::replace, false),
    ("str_starts_with", text::starts_with, true),
    ("stripos", text::stripos, true),
    ("strlen", text::strlen, false),
    ("strpos", text::strpos, true),
    ("strrpos", text::strrpos, true),
    ("strtolower", text::lower, false),
    ("strtoupper", text::upper, false),
    ("strval", checks::strval, false),
    ("substr", text::substr, false),
    ("trim", text::trim, false),
    ("ucfirst", text::ucfirst, false),
    ("urldecode", urls::urldecode, false),
    ("version_compare", checks::version_compare, false),
];

fn find(name: &str) -> Option<&'static (&'static str, Implementation, bool)> {
    FUNCTIONS
        .binary_search_by_key(&name, |(known, ..)| known)
        .ok()
        .and_then(|position| FUNCTIONS.get(position))
}

/// Whether the function is in the list; `name` is in lower case.
pub(super) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Whether the function wants a missing variable as the value that PHP would see.
pub(super) fn takes_absent(name: &str) -> bool {
    find(name).is_some_and(|(.., takes)| *takes)
}

pub(super) fn apply(name: &str, arguments: &[PhpValue]) -> Option<PhpValue> {
    let (_, implementation, _) = find(name)?;
    implementation(arguments)
}

/// The argument as bytes, as a string parameter takes it.
fn bytes(arguments: &[PhpValue], position: usize) -> Option<Vec<u8>> {
    crate::convert::to_bytes(arguments.get(position)?)
}

/// The argument as integer; `default` when it is left out.
fn int(arguments: &[PhpValue], position: usize, default: i64) -> Option<i64> {
    arguments.get(position).map_or(Some(default), crate::convert::to_int)
}

/// The argument as boolean; `default` when it is left out.
fn flag(arguments: &[PhpValue], position: usize, default: bool) -> Option<bool> {
    arguments.get(position).map_or(Some(default), crate::convert::to_bool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order() {
        assert!(FUNCTIONS.is_sorted_by_key(|(name, ..)| *name));
        assert!(is_known("trim") && is_known("array_filter") && is_known("version_compare"));
        assert!(!is_known("system") && !is_known(""));
    }
}
