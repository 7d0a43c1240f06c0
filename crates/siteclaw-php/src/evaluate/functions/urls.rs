//! URL functions.

use super::{bytes, int};
use crate::array::PhpArray;
use crate::value::{PhpKey, PhpValue};

/// `parse_url()` of addresses with a scheme and `//`, of which database addresses are one kind. Other
/// forms have rules of their own and stay unknown. Nothing is decoded: PHP does not, either.
pub(super) fn parse_url(arguments: &[PhpValue]) -> Option<PhpValue> {
    let text = String::from_utf8(bytes(arguments, 0)?).ok()?;
    if text.chars().any(char::is_control) {
        return None;
    }
    let parts = split(&text)?;
    let component = int(arguments, 1, -1)?;
    let Some(parts) = parts else { return Some(PhpValue::Bool(false)) };
    if component == -1 {
        return Some(PhpValue::from(parts));
    }
    let names = ["scheme", "host", "port", "user", "pass", "path", "query", "fragment"];
    let name = names.get(usize::try_from(component).ok()?)?;
    Some(parts.get(name).cloned().unwrap_or_default())
}

/// The parts; `Some(None)` is an address that PHP takes for broken.
fn split(text: &str) -> Option<Option<PhpArray>> {
    let (scheme, rest) = text.split_once("://")?;
    let named = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if scheme.is_empty() || !named || scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at_checked(end)?;
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let (host, port) = match host.strip_prefix('[').and_then(|inner| inner.find(']')) {
        Some(close) => {
            let (address, behind) = host.split_at_checked(close + 2)?;
            (address, behind.strip_prefix(':').or(behind.is_empty().then_some("")))
        }
        None => match host.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (host, Some("")),
        },
    };
    let port = match port? {
        "" => None,
        port if !port.starts_with(|first: char| first.is_ascii_digit()) || port.len() > 5 => {
            return Some(None);
        }
        port if !port.bytes().all(|byte| byte.is_ascii_digit()) => return None,
        port => match port.parse::<u16>() {
            Ok(port) => Some(port),
            Err(_) => return Some(None),
        },
    };
    if host.is_empty() {
        return Some(None);
    }
    let mut parts = PhpArray::new();
    let mut set = |name: &str, value: PhpValue| parts.set(PhpKey::from(name), value);
    set("scheme", PhpValue::from(scheme));
    set("host", PhpValue::from(host));
    if let Some(port) = port {
        set("port", PhpValue::Int(i64::from(port)));
    }
    if let Some(user) = user {
        let (user, pass) = user.split_once(':').map_or((user, None), |(user, pass)| (user, Some(pass)));
        set("user", PhpValue::from(user));
        if let Some(pass) = pass {
            set("pass", PhpValue::from(pass));
        }
    }
    let (tail, fragment) =
        tail.split_once('#').map_or((tail, None), |(tail, fragment)| (tail, Some(fragment)));
    let (path, query) = tail.split_once('?').map_or((tail, None), |(path, query)| (path, Some(query)));
    if !path.is_empty() {
        set("path", PhpValue::from(path));
    }
    if let Some(query) = query {
        set("query", PhpValue::from(query));
    }
    if let Some(fragment) = fragment {
        set("fragment", PhpValue::from(fragment));
    }
    Some(Some(parts))
}

pub(super) fn urldecode(arguments: &[PhpValue]) -> Option<PhpValue> {
    let text: Vec<u8> =
        bytes(arguments, 0)?.into_iter().map(|byte| if byte == b'+' { b' ' } else { byte }).collect();
    Some(PhpValue::from(percent_decoded(&text)))
}

pub(super) fn rawurldecode(arguments: &[PhpValue]) -> Option<PhpValue> {
    Some(PhpValue::from(percent_decoded(&bytes(arguments, 0)?)))
}

fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let digit = |position: usize| text.get(position).and_then(|byte| (*byte as char).to_digit(16));
    let mut decoded = Vec::with_capacity(text.len());
    let mut position = 0;
    while let Some(byte) = text.get(position) {
        match (byte, digit(position + 1), digit(position + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                position += 3;
            }
            _ => {
                decoded.push(*byte);
                position += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> Option<String> {
        match parse_url(&[PhpValue::from(url)])? {
            PhpValue::Array(parts) => {
                let parts = parts
                    .iter()
                    .map(|(key, value)| format!("{}={}", key.to_text(), value.to_text().unwrap()));
                Some(parts.collect::<Vec<_>>().join(" "))
            }
            value => Some(format!("{:?}", value.to_bool())),
        }
    }

    // The expected values are PHP 8.2's.
    #[test]
    fn addresses_follow_php() {
        let broken = "Some(false)";
        for (url, expected) in [
            (
                "mysql://u:p%40@h:3306/db?a=1#f",
                "scheme=mysql host=h port=3306 user=u pass=p%40 path=/db query=a=1 fragment=f",
            ),
            ("mysql://u:p@[::1]:3306/db", "scheme=mysql host=[::1] port=3306 user=u pass=p path=/db"),
            ("mysql://u@h", "scheme=mysql host=h user=u"),
            ("mysql://:p@h/", "scheme=mysql host=h user= pass=p path=/"),
            ("a://h:/x", "scheme=a host=h path=/x"),
            ("mysql://u:p:q@h@i/db", "scheme=mysql host=i user=u pass=p:q@h path=/db"),
            ("postgres://u:p#q@h/db", broken),
            ("mysql://u:p/w@h/db", broken),
            ("mysql://u:p?x@h/db", broken),
            ("mysql://u:p@h:99999/db", broken),
            ("sqlite:///x", broken),
            ("http://", broken),
        ] {
            assert_eq!(shown(url).as_deref(), Some(expected), "{url}");
        }
        for url in ["/a/b?c", "host:80", "mailto:a@b", "file:///x", "a://h:80x/"] {
            assert_eq!(shown(url), None, "{url}");
        }
    }

    #[test]
    fn components_by_number() {
        let part = |number| parse_url(&[PhpValue::from("mysql://u:p@h/db"), PhpValue::Int(number)]);
        assert_eq!(part(4), Some(PhpValue::from("p")));
        assert_eq!(part(2), Some(PhpValue::Null));
        assert_eq!(part(9), None);
    }

    #[test]
    fn percent_signs_decode() {
        assert_eq!(urldecode(&[PhpValue::from("a%2Fb+c%zz%")]), Some(PhpValue::from("a/b c%zz%")));
        assert_eq!(rawurldecode(&[PhpValue::from("a+b%20")]), Some(PhpValue::from("a+b ")));
    }
}
