//! String functions. They work on bytes, as PHP's do.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{bytes, flag, int};
use crate::array::PhpArray;
use crate::evaluate::budget::{MAX_STRING, MAX_VALUE_DEPTH};
use crate::value::{PhpKey, PhpObject, PhpValue};

const BLANKS: &[u8] = b" \n\r\t\x0b\0";

/// The bytes that a trim takes away; a range such as `a..z` is not known.
fn unwanted(arguments: &[PhpValue]) -> Option<Vec<u8>> {
    let set = match arguments.get(1) {
        None => BLANKS.to_vec(),
        Some(_) => bytes(arguments, 1)?,
    };
    (!set.windows(2).any(|pair| pair == b"..")).then_some(set)
}

fn trimmed(arguments: &[PhpValue], left: bool, right: bool) -> Option<PhpValue> {
    let (text, set) = (bytes(arguments, 0)?, unwanted(arguments)?);
    let keep = |byte: &u8| !set.contains(byte);
    let start = if left { text.iter().position(keep).unwrap_or(text.len()) } else { 0 };
    let end = if right { text.iter().rposition(keep).map_or(start, |last| last + 1) } else { text.len() };
    Some(PhpValue::from(text.get(start..end.max(start)).unwrap_or_default().to_vec()))
}

pub(super) fn trim(arguments: &[PhpValue]) -> Option<PhpValue> {
    trimmed(arguments, true, true)
}

pub(super) fn ltrim(arguments: &[PhpValue]) -> Option<PhpValue> {
    trimmed(arguments, true, false)
}

pub(super) fn rtrim(arguments: &[PhpValue]) -> Option<PhpValue> {
    trimmed(arguments, false, true)
}

pub(super) fn strlen(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::Int(i64::try_from(bytes(arguments, 0)?.len()).ok()?))
}

pub(super) fn lower(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::from(bytes(arguments, 0)?.to_ascii_lowercase()))
}

pub(super) fn upper(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::from(bytes(arguments, 0)?.to_ascii_uppercase()))
}

pub(super) fn ucfirst(arguments: &[PhpValue]) -> Option<PhpValue> {
    let mut text = bytes(arguments, 0)?;
    if let Some(first) = text.first_mut() {
        first.make_ascii_uppercase();
    }
    Some(PhpValue::from(text))
}

/// Offsets of PHP count from the end when they are negative.
pub(super) fn substr(arguments: &[PhpValue]) -> Option<PhpValue> {
    let text = bytes(arguments, 0)?;
    let length = i64::try_from(text.len()).ok()?;
    let offset = int(arguments, 1, 0)?;
    let start = if offset < 0 { (length.saturating_add(offset)).max(0) } else { offset.min(length) };
    let end = match arguments.get(2) {
        None | Some(PhpValue::Null) => length,
        Some(_) => match int(arguments, 2, 0)? {
            count if count < 0 => length.saturating_add(count),
            count => start.saturating_add(count).min(length),
        },
    };
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end.max(start)).ok()?);
    Some(PhpValue::from(text.get(start..end).unwrap_or_default().to_vec()))
}

/// Most byte comparisons of a search: the plain search takes text length times needle length.
const MAX_COMPARED: usize = 1 << 26;

/// The first position of the needle; the outer `None` is a search that would take too long.
pub(super) fn find(haystack: &[u8], needle: &[u8]) -> Option<Option<usize>> {
    if needle.is_empty() {
        return Some(Some(0));
    }
    (haystack.len().saturating_mul(needle.len()) <= MAX_COMPARED)
        .then(|| haystack.windows(needle.len()).position(|window| window == needle))
}

/// Position or `false`; with an offset other than 0 the answer is not known.
fn position(
    arguments: &[PhpValue],
    search: impl Fn(&[u8], &[u8]) -> Option<Option<usize>>,
) -> Option<PhpValue> {
    if int(arguments, 2, 0)? != 0 {
        return None;
    }
    let (haystack, needle) = (bytes(arguments, 0)?, bytes(arguments, 1)?);
    Some(match search(&haystack, &needle)? {
        Some(position) => PhpValue::Int(i64::try_from(position).ok()?),
        None => PhpValue::Bool(false),
    })
}

pub(super) fn strpos(arguments: &[PhpValue]) -> Option<PhpValue> {
    position(arguments, find)
}

pub(super) fn stripos(arguments: &[PhpValue]) -> Option<PhpValue> {
    position(arguments, |haystack, needle| find(&haystack.to_ascii_lowercase(), &needle.to_ascii_lowercase()))
}

pub(super) fn strrpos(arguments: &[PhpValue]) -> Option<PhpValue> {
    position(arguments, |haystack, needle| match needle.is_empty() {
        true => Some(Some(haystack.len())),
        false => (haystack.len().saturating_mul(needle.len()) <= MAX_COMPARED)
            .then(|| haystack.windows(needle.len()).rposition(|window| window == needle)),
    })
}

pub(super) fn contains(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::Bool(find(&bytes(arguments, 0)?, &bytes(arguments, 1)?)?.is_some()))
}

pub(super) fn starts_with(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::Bool(bytes(arguments, 0)?.starts_with(&bytes(arguments, 1)?)))
}

pub(super) fn ends_with(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::Bool(bytes(arguments, 0)?.ends_with(&bytes(arguments, 1)?)))
}

pub(super) fn repeat(arguments: &[PhpValue]) -> Option<PhpValue> {
    let text = bytes(arguments, 0)?;
    let times = usize::try_from(int(arguments, 1, 0)?).ok()?;
    let size = text.len().checked_mul(times)?;
    (size <= MAX_STRING).then(|| PhpValue::from(text.repeat(times)))
}

/// `str_replace` with strings or lists of strings on one subject.
pub(super) fn replace(arguments: &[PhpValue]) -> Option<PhpValue> {
    let [search, replacement, subject] = arguments else { return None };
    let mut subject = crate::convert::to_bytes(subject)?;
    let searches = strings(search)?;
    let replacements = strings(replacement)?;
    let single = !matches!(replacement, PhpValue::Array(_));
    if single && searches.len() > 1 && replacements.len() != 1 {
        return None;
    }
    if searches.len().saturating_mul(subject.len()) > MAX_COMPARED {
        return None;
    }
    for (position, search) in searches.iter().enumerate() {
        if search.is_empty() {
            continue;
        }
        let replacement = replacements.get(if single { 0 } else { position });
        subject = replace_all(&subject, search, replacement.map_or(&[][..], Vec::as_slice))?;
    }
    Some(PhpValue::from(subject))
}

fn strings(value: &PhpValue) -> Option<Vec<Vec<u8>>> {
    match value {
        PhpValue::Array(array) if array.open().is_none() => {
            array.values().map(crate::convert::to_bytes).collect()
        }
        scalar => Some(vec![crate::convert::to_bytes(scalar)?]),
    }
}

fn replace_all(subject: &[u8], search: &[u8], replacement: &[u8]) -> Option<Vec<u8>> {
    let mut result = Vec::with_capacity(subject.len());
    let mut rest = subject;
    while let Some(found) = find(rest, search)? {
        result.extend_from_slice(rest.get(..found)?);
        result.extend_from_slice(replacement);
        rest = rest.get(found + search.len()..)?;
        if result.len() > MAX_STRING {
            return None;
        }
    }
    result.extend_from_slice(rest);
    Some(result)
}

/// Non-strict: what is not of the alphabet is skipped.
pub(super) fn base64_decode(arguments: &[PhpValue]) -> Option<PhpValue> {
    if flag(arguments, 1, false)? {
        return None;
    }
    let mut text = bytes(arguments, 0)?;
    text.retain(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    if text.len() % 4 == 1 {
        text.pop();
    }
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&STANDARD, config).decode(text).ok().map(PhpValue::from)
}

/// `json_decode`; flags besides `JSON_OBJECT_AS_ARRAY` and `JSON_THROW_ON_ERROR` are not known.
pub(super) fn json_decode(arguments: &[PhpValue]) -> Option<PhpValue> {
    let text = bytes(arguments, 0)?;
    let flags = int(arguments, 3, 0)?;
    if flags & !(1 | 4_194_304) != 0 {
        return None;
    }
    let arrays = match arguments.get(1) {
        None | Some(PhpValue::Null) => flags & 1 != 0,
        Some(_) => flag(arguments, 1, false)?,
    };
    match serde_json::from_slice(&text) {
        Ok(json) => from_json(&json, arrays, 0),
        Err(_) => Some(PhpValue::Null),
    }
}

fn from_json(json: &serde_json::Value, arrays: bool, depth: u16) -> Option<PhpValue> {
    if depth >= MAX_VALUE_DEPTH {
        return None;
    }
    Some(match json {
        serde_json::Value::Null => PhpValue::Null,
        serde_json::Value::Bool(flag) => PhpValue::Bool(*flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => PhpValue::Int(number),
            None => PhpValue::Float(number.as_f64()?),
        },
        serde_json::Value::String(text) => PhpValue::from(text.as_str()),
        serde_json::Value::Array(list) => {
            let list: Option<PhpArray> =
                list.iter().map(|entry| from_json(entry, arrays, depth + 1)).collect();
            PhpValue::from(list?)
        }
        serde_json::Value::Object(map) => {
            let mut fields = PhpArray::new();
            for (key, value) in map {
                fields.set(PhpKey::from(key.as_str()), from_json(value, arrays, depth + 1)?);
            }
            match arrays {
                true => PhpValue::from(fields),
                false => PhpValue::Object(PhpObject { class: "stdClass".to_owned(), fields }.into()),
            }
        }
    })
}

/// `%s`, `%d`, `%u` and `%%`, with or without an argument number, and no width or padding.
pub(super) fn sprintf(arguments: &[PhpValue]) -> Option<PhpValue> {
    let format = bytes(arguments, 0)?;
    let mut result = Vec::new();
    let mut next = 1;
    let mut rest = format.as_slice();
    while let Some(percent) = rest.iter().position(|byte| *byte == b'%') {
        result.extend_from_slice(rest.get(..percent)?);
        rest = rest.get(percent + 1..)?;
        if let [b'%', behind @ ..] = rest {
            result.push(b'%');
            rest = behind;
            continue;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut position = next;
        if digits > 0 && rest.get(digits) == Some(&b'$') {
            position = std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()?;
            rest = rest.get(digits + 1..)?;
        } else {
            next += 1;
        }
        let [kind, behind @ ..] = rest else { return None };
        rest = behind;
        match (kind, position) {
            (_, 0) => return None,
            (b's', _) => result.extend(bytes(arguments, position)?),
            (b'd', _) => result.extend(int(arguments, position, 0)?.to_string().into_bytes()),
            (b'u', _) => result.extend(int(arguments, position, 0)?.cast_unsigned().to_string().into_bytes()),
            _ => return None,
        }
        arguments.get(position)?;
        if result.len() > MAX_STRING {
            return None;
        }
    }
    result.extend_from_slice(rest);
    Some(PhpValue::from(result))
}

/// Laravel's `Str::slug()` of ASCII text: lower case, runs of anything else than letters and digits
/// become the separator.
pub(in crate::evaluate) fn slug(arguments: &[PhpValue]) -> Option<PhpValue> {
    let title = String::from_utf8(bytes(arguments, 0)?).ok()?;
    let separator = match arguments.get(1) {
        None => "-".to_owned(),
        Some(_) => String::from_utf8(bytes(arguments, 1)?).ok()?,
    };
    if !title.is_ascii() || !matches!(separator.as_str(), "-" | "_") {
        return None;
    }
    let other = if separator == "-" { '_' } else { '-' };
    let mut slug = String::new();
    // `@` reads "at"; signs other than the separators vanish and do not separate.
    for next in title.replace('@', &format!("{separator}at{separator}")).to_ascii_lowercase().chars() {
        if next.is_ascii_alphanumeric() {
            slug.push(next);
        } else if (next.is_ascii_whitespace() || next == other || separator.starts_with(next))
            && !slug.is_empty()
            && !slug.ends_with(&separator)
        {
            slug.push_str(&separator);
        }
    }
    Some(PhpValue::from(slug.trim_end_matches(separator.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: fn(&[PhpValue]) -> Option<PhpValue>, arguments: &[PhpValue]) -> Option<String> {
        function(arguments)?.to_text()
    }

    fn s(text: &str) -> PhpValue {
        PhpValue::from(text)
    }

    // The expected values are PHP 8.2's.
    #[test]
    fn text_functions_follow_php() {
        let i = PhpValue::Int;
        let cases: Vec<(Option<String>, &str)> = vec![
            (call(trim, &[s(" \n a b\t\0")]), "a b"),
            (call(rtrim, &[s("a/b//"), s("/")]), "a/b"),
            (call(ltrim, &[s("//a/"), s("/")]), "a/"),
            (call(trim, &[s("///"), s("/")]), ""),
            (call(substr, &[s("/shop"), i(1)]), "shop"),
            (call(substr, &[s("shop"), i(-2)]), "op"),
            (call(substr, &[s("shop"), i(-9), i(2)]), "sh"),
            (call(substr, &[s("shop"), i(1), i(-1)]), "ho"),
            (call(substr, &[s("shop"), i(3), i(-2)]), ""),
            (call(substr, &[s("shop"), i(9)]), ""),
            (call(replace, &[s("a"), s("bb"), s("xaax")]), "xbbbbx"),
            (call(sprintf, &[s("%s-%d-%%-%2$s"), s("a"), s("7x")]), "a-7-%-7x"),
            (call(base64_decode, &[s("eyJhIjox\nfQ==")]), "{\"a\":1}"),
            (call(base64_decode, &[s("eyJhIjoxfQ")]), "{\"a\":1}"),
            (call(strpos, &[s("abc"), s("c")]), "2"),
            (call(strpos, &[s("abc"), s("d")]), ""),
            (call(stripos, &[s("aBC"), s("bc")]), "1"),
            (call(strrpos, &[s("a/b/c"), s("/")]), "3"),
            (call(repeat, &[s("ab"), i(3)]), "ababab"),
            (call(ucfirst, &[s("abc")]), "Abc"),
        ];
        for (position, (result, expected)) in cases.into_iter().enumerate() {
            assert_eq!(result.as_deref(), Some(expected), "case {position}");
        }
    }

    #[test]
    fn lists_in_str_replace() {
        let list = |items: &[&str]| PhpValue::from(items.iter().map(|item| s(item)).collect::<PhpArray>());
        let text = call(replace, &[list(&["a", "b"]), list(&["b", "c"]), s("ab")]);
        assert_eq!(text.as_deref(), Some("cc"));
        assert_eq!(call(replace, &[list(&["a", "b"]), list(&["x"]), s("ab")]).as_deref(), Some("x"));
        assert_eq!(call(replace, &[list(&["a", "b"]), s("-"), s("ab")]).as_deref(), Some("--"));
    }

    #[test]
    fn huge_results_are_unknown() {
        assert_eq!(repeat(&[s("a"), PhpValue::Int(1_000_000_000)]), None);
        assert_eq!(repeat(&[s("a"), PhpValue::Float(1e9)]), None);
        assert_eq!(repeat(&[s("ab"), PhpValue::Int(i64::MAX)]), None);
        let long = "a".repeat(100_000);
        assert_eq!(replace(&[s("a"), s("bbbb"), s(&long)]), None);
    }

    #[test]
    fn json_becomes_values() {
        let value = json_decode(&[s(r#"{"db":[{"port":3306,"x":1.5}]}"#), PhpValue::Bool(true)]).unwrap();
        assert_eq!(value.at(&["db", "0", "port"]), Some(&PhpValue::Int(3306)));
        let value = json_decode(&[s(r#"{"a":1}"#)]).unwrap();
        assert_eq!(value.as_object().unwrap().class, "stdClass");
        assert_eq!(json_decode(&[s("{")]), Some(PhpValue::Null));
        assert_eq!(json_decode(&[s(&"[".repeat(100_000))]), Some(PhpValue::Null));
        assert_eq!(json_decode(&[s(&format!("{}{}", "[".repeat(70), "]".repeat(70)))]), None);
    }

    #[test]
    fn slugs_of_names() {
        for (name, separator, expected) in [
            ("Tidepool Bookings", "_", "tidepool_bookings"),
            ("laravel", "-", "laravel"),
            ("My  App_2.0!", "-", "my-app-20"),
            ("--a--", "-", "a"),
        ] {
            assert_eq!(call(slug, &[s(name), s(separator)]).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(slug(&[s("Café")]), None);
    }
}
