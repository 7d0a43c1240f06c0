//! Addresses of databases written as one URL: `postgresql://user:pass@host:5432/name?sslmode=require`.
//!
//! User, password, host and path are percent-decoded, as Laravel and Doctrine do. No error and no `Debug`
//! shows any of the text.

use std::collections::BTreeMap;
use std::fmt;

use siteclaw_core::Secret;
use url::Url;

/// Longest address that is read, in bytes.
const MAX_BYTES: usize = 8 * 1024;

/// The parts of an address.
#[derive(Clone)]
pub(crate) struct Dsn {
    /// In lower case.
    pub(crate) scheme: String,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Secret>,
    /// The password before decoding, as it stands in files and messages.
    pub(crate) written_password: Option<Secret>,
    /// IPv6 addresses without brackets.
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    /// Without its first slash.
    pub(crate) path: String,
    /// The last of members with the same name counts.
    pub(crate) query: BTreeMap<String, String>,
}

impl Dsn {
    /// Takes an address apart; nothing when it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let url = Url::parse(text.trim()).ok()?;
        if url.cannot_be_a_base() {
            return None;
        }
        let host = url.host_str().map(decode).filter(|host| !host.is_empty());
        let host = host.map(|host| match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => address.to_owned(),
            None => host,
        });
        let path = decode(url.path());
        Some(Self {
            scheme: url.scheme().to_owned(),
            user: Some(decode(url.username())).filter(|user| !user.is_empty()),
            password: url.password().map(decode).map(Secret::new),
            written_password: url.password().map(Secret::new),
            host,
            port: url.port(),
            path: path.strip_prefix('/').unwrap_or(&path).to_owned(),
            query: url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect(),
        })
    }
}

/// Shows no more than which parts there are.
impl fmt::Debug for Dsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dsn")
            .field("scheme", &self.scheme)
            .field("host", &self.host.is_some())
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// `%xx` decoded; what is no valid sequence stays, and bytes that are no UTF-8 are replaced.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        match pair.and_then(|pair| Some(hex(*pair.first()?)? * 16 + hex(*pair.last()?)?)) {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// A text encoded so that it can stand in the path of an address.
pub(crate) fn encode_path(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_part_is_decoded() {
        let dsn =
            Dsn::parse("mysql://us%40er:p%40ss%2Fw%25@db.example.org:3307/my%20shop?charset=utf8mb4&a=1&a=2")
                .unwrap();
        assert_eq!(dsn.scheme, "mysql");
        assert_eq!(dsn.user.as_deref(), Some("us@er"));
        assert_eq!(dsn.password.as_ref().map(Secret::expose), Some("p@ss/w%"));
        assert_eq!(dsn.written_password.as_ref().map(Secret::expose), Some("p%40ss%2Fw%25"));
        assert_eq!(dsn.host.as_deref(), Some("db.example.org"));
        assert_eq!(dsn.port, Some(3307));
        assert_eq!(dsn.path, "my shop");
        assert_eq!(dsn.query.get("a").map(String::as_str), Some("2"));
    }

    #[test]
    fn sockets_ipv6_and_files() {
        let host = |text: &str| Dsn::parse(text).unwrap().host;
        assert_eq!(
            host("postgresql://u:p@%2Fvar%2Frun%2Fpostgresql/app").as_deref(),
            Some("/var/run/postgresql")
        );
        assert_eq!(host("mysql://u:p@[::1]:3306/app").as_deref(), Some("::1"));
        assert_eq!(host("sqlite:///var/data.db"), None);
        let path = |text: &str| Dsn::parse(text).unwrap().path;
        assert_eq!(path("sqlite:///var/data.db"), "var/data.db");
        assert_eq!(path("sqlite:////srv/app/data.db"), "/srv/app/data.db");
        assert_eq!(path("sqlite:///:memory:"), ":memory:");
        assert!(Dsn::parse("no address").is_none());
        assert!(Dsn::parse("mailto:me@example.org").is_none());
    }

    #[test]
    fn nothing_secret_shows() {
        let shown = format!("{:?}", Dsn::parse("mysql://shop:hunter22@db/shop?password=hunter23").unwrap());
        assert!(!shown.contains("hunter"), "{shown}");
    }

    proptest! {
        #[test]
        fn a_folder_comes_back_from_the_address_it_was_put_into(folder in "(/[^/\\x00]{1,8}){1,4}") {
            prop_assume!(!folder.split('/').any(|part| part == "." || part == ".."));
            let dsn = Dsn::parse(&format!("sqlite:///{}", encode_path(&folder))).unwrap();
            prop_assert_eq!(dsn.path, folder);
        }

        #[test]
        fn no_text_panics(text in "[a-z]{1,6}://\\PC{0,60}") {
            let _ = Dsn::parse(&text);
        }
    }
}
