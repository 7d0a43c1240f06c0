//! URLs, parsed once into a form that every program reads alike.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use siteclaw_core::{is_invisible, sanitise_fragment};
use url::Url;

use super::host::{Host, well_formed};
use super::lookalike::lookalikes;
use super::refusal::Refusal;

/// The most bytes of a URL.
pub const MAX_URL: usize = 4096;

/// An `http` or `https` URL that can be read in one way only.
///
/// Refused: other schemes, user names and passwords, backslashes, white space, control characters, invisible
/// characters and `%` in the host, IPv4 addresses in any spelling but four decimal numbers, IPv6 zones, port 0.
/// The host is in lower case and ASCII (IDNA) without a dot at its end; there is no fragment. Nothing is said yet
/// about where the host is: that is what [`NetworkPolicy`](super::NetworkPolicy) judges.
///
/// ```
/// use siteclaw_tools::network::CheckedUrl;
/// let url = CheckedUrl::parse("HTTPS://Example.COM.:443/a?b#c").unwrap();
/// assert_eq!(url.as_str(), "https://example.com/a?b");
/// for text in ["http://public.example@127.0.0.1/", "http://a.example\\@b.example/", "http://0x7f.1/"] {
///     assert!(CheckedUrl::parse(text).is_err());
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedUrl {
    url: Url,
    host: Host,
}

impl CheckedUrl {
    /// Parses a URL such as a model or a server gives. Spaces around it are ignored.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim_matches(' ');
        if text.len() > MAX_URL {
            return Err(Refusal::invalid(format!("is longer than {MAX_URL} bytes")));
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(Refusal::invalid("holds white space or a control character"));
        }
        if text.contains('\\') {
            return Err(Refusal::invalid("holds a backslash, which programs read differently"));
        }
        let (scheme, rest) = text.split_once(':').ok_or_else(|| Refusal::invalid("has no scheme"))?;
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return Err(Refusal::Scheme { scheme: sanitise_fragment(scheme, 32) });
        }
        let rest = rest.strip_prefix("//").ok_or_else(|| Refusal::invalid("lacks the two slashes"))?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let written = host_of(authority)?;

        let mut url =
            Url::parse(text).map_err(|error| Refusal::invalid(format!("cannot be read: {error}")))?;
        url.set_fragment(None);
        let host = match url.host() {
            Some(url::Host::Ipv4(address)) => Host::Address(plainly_written(address, written)?),
            Some(url::Host::Ipv6(address)) => Host::Address(IpAddr::V6(address)),
            Some(url::Host::Domain(name)) => {
                let name = name.strip_suffix('.').unwrap_or(name).to_owned();
                well_formed(&name)?;
                let changed = url.set_host(Some(&name));
                changed.map_err(|error| Refusal::invalid(format!("cannot be read: {error}")))?;
                // Without its last dot the name could be a number.
                match url.host() {
                    Some(url::Host::Domain(_)) => Host::Name(name),
                    _ => return Err(Refusal::invalid("has an address with a dot at its end for a host")),
                }
            }
            None => return Err(Refusal::invalid("has no host")),
        };
        if url.port() == Some(0) {
            return Err(Refusal::invalid("names port 0, which does not exist"));
        }
        Ok(Self { url, host })
    }

    /// Where an answer from this URL leads. `location` may be relative.
    pub fn join(&self, location: &str) -> Result<Self, Refusal> {
        let location = location.trim_matches(' ');
        // A location with a host of its own is read as strictly as a URL from a model.
        if let Some(rest) = location.strip_prefix("//") {
            return Self::parse(&format!("{}://{rest}", self.url.scheme()));
        }
        if has_scheme(location) {
            return Self::parse(location);
        }
        if location.len() > MAX_URL {
            return Err(Refusal::invalid(format!("is longer than {MAX_URL} bytes")));
        }
        if location.contains('\\') || location.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(Refusal::invalid("holds a backslash, white space or a control character"));
        }
        let joined = self.url.join(location);
        Self::parse(joined.map_err(|error| Refusal::invalid(format!("cannot be read: {error}")))?.as_str())
    }

    /// The URL in its one spelling.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The URL as the parser's type.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The host in its one spelling.
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// The port, that of the scheme where none is written.
    pub fn port(&self) -> u16 {
        self.url.port().unwrap_or(if self.is_encrypted() { 443 } else { 80 })
    }

    /// Whether it is `https`.
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether both have the same scheme, host and port.
    pub fn same_origin(&self, other: &Self) -> bool {
        self.url.scheme() == other.url.scheme() && self.host == other.host && self.port() == other.port()
    }

    /// The parts of the host's name that may be taken for others, in Unicode; mostly none.
    pub fn lookalikes(&self) -> Vec<String> {
        match &self.host {
            Host::Name(name) => lookalikes(name),
            Host::Address(_) => Vec::new(),
        }
    }
}

impl fmt::Display for CheckedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The host in an authority as it was written, without port and brackets.
fn host_of(authority: &str) -> Result<&str, Refusal> {
    if authority.contains('@') {
        return Err(Refusal::invalid("holds a user name or password, which is not allowed"));
    }
    if authority.contains('%') {
        return Err(Refusal::invalid("has a host with % in it"));
    }
    if authority.chars().any(is_invisible) {
        return Err(Refusal::invalid("has a host with invisible characters"));
    }
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, _) =
            rest.split_once(']').ok_or_else(|| Refusal::invalid("has no end of its IPv6 address"))?;
        return Ok(address);
    }
    let host = authority.split_once(':').map_or(authority, |(host, _)| host);
    if host.is_empty() {
        return Err(Refusal::invalid("has no host"));
    }
    Ok(host)
}

/// An IPv4 address that is written as four decimal numbers. Other spellings are read by some programs as another
/// address, by others as a name.
fn plainly_written(address: Ipv4Addr, written: &str) -> Result<IpAddr, Refusal> {
    if written == address.to_string() {
        return Ok(IpAddr::V4(address));
    }
    Err(Refusal::Spelling { address })
}

/// Whether the text begins with a scheme (RFC 3986).
fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use siteclaw_core::Code;

    use crate::network::{URL_BLOCKED_ENCODING, URL_INVALID, URL_SCHEME};

    fn code(text: &str) -> Option<Code> {
        CheckedUrl::parse(text).err().map(|refused| refused.code())
    }

    #[test]
    fn honest_urls_get_one_spelling() {
        for (text, expected) in [
            ("http://example.com", "http://example.com/"),
            ("  https://example.com/a/../b  ", "https://example.com/b"),
            ("HTTP://EXAMPLE.com:80/?q=1#part", "http://example.com/?q=1"),
            ("https://example.com:8443/x", "https://example.com:8443/x"),
            ("https://example.com./", "https://example.com/"),
            ("https://größe.example/straße?ü=1", "https://xn--gre-6ka8i.example/stra%C3%9Fe?%C3%BC=1"),
            ("http://93.184.216.34/", "http://93.184.216.34/"),
            ("http://[2606:4700::0001]:80/", "http://[2606:4700::1]/"),
            ("https://example.com/@user:password@", "https://example.com/@user:password@"),
            (
                "https://example.com/?to=http://other.example/",
                "https://example.com/?to=http://other.example/",
            ),
            ("https://a_b.example-1.com/%20", "https://a_b.example-1.com/%20"),
        ] {
            assert_eq!(CheckedUrl::parse(text).unwrap().as_str(), expected, "{text}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for text in [
            "http://public.example@127.0.0.1/",
            "http://user:password@example.com/",
            "http://@example.com/",
            "http://public.example\\@127.0.0.1/",
            "http://example.com\\.evil.example/",
            "http:\\\\example.com/",
            "http:/example.com/",
            "http:example.com",
            "http:///example.com/",
            "http://",
            "http://:80/",
            "http://exa mple.com/",
            "http://example.com/a b",
            "http://exa\tmple.com/",
            "http://example.com/\r\nX: y",
            "\u{0}http://example.com/",
            "http://exam%70le.com/",
            "http://%31%32%37.0.0.1/",
            "http://exa\u{ad}mple.com/",
            "http://exa\u{200b}mple.com/",
            "http://[fe80::1%25eth0]/",
            "http://[fe80::1%eth0]/",
            "http://[::1/",
            "http://example..com/",
            "http://.example.com/",
            "http://example.com../",
            "http://example.com:0/",
            "http://example.com:99999/",
            "http://exa*mple.com/",
            "http://a,b.example/",
            "example.com/path",
            "",
        ] {
            assert_eq!(code(text), Some(URL_INVALID), "{text:?}");
        }
        assert_eq!(code(&format!("http://example.com/{}", "a".repeat(MAX_URL))), Some(URL_INVALID));
        assert_eq!(code(&format!("http://{}.com/", "a".repeat(64))), Some(URL_INVALID));
    }

    #[test]
    fn only_http_and_https_are_asked() {
        for text in [
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "javascript:alert(1)",
            "data:text/html,x",
            "ssh://example.com",
            "ws://example.com/",
        ] {
            assert_eq!(code(text), Some(URL_SCHEME), "{text}");
        }
    }

    #[test]
    fn other_spellings_of_an_ipv4_address_are_refused() {
        for text in [
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://127.0.1/",
            "http://127.0.0.01/",
            "http://127.0.0.1./",
            "http://①②⑦.0.0.1/",
            "http://127。0。0。1/",
            "http://134744072/",
        ] {
            assert_eq!(code(text), Some(URL_BLOCKED_ENCODING), "{text}");
        }
        // Four decimal numbers are an address like any other; where it leads is judged elsewhere.
        assert_eq!(code("http://8.8.8.8/"), None);
    }

    #[test]
    fn a_location_is_read_as_strictly_as_a_url() {
        let from = CheckedUrl::parse("https://example.com/a/b?c").unwrap();
        let to = |location: &str| from.join(location).map(|url| url.as_str().to_owned());
        for (location, expected) in [
            ("/x", "https://example.com/x"),
            ("x?y", "https://example.com/a/x?y"),
            ("?z", "https://example.com/a/b?z"),
            ("//other.example/x", "https://other.example/x"),
            ("http://other.example/", "http://other.example/"),
            ("../../../x:y", "https://example.com/x:y"),
        ] {
            assert_eq!(to(location).unwrap(), expected, "{location}");
        }
        for location in [
            "file:///etc/passwd",
            "gopher://example.com/",
            "//user@other.example/",
            "/\\other.example/",
            "\\\\other.example/",
            "//0x7f.1/",
            "//127.1/",
            "/a\nb",
            "javascript:alert(1)",
        ] {
            assert!(to(location).is_err(), "{location}");
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let url = |text: &str| CheckedUrl::parse(text).unwrap();
        let base = url("https://example.com/a");
        assert!(base.same_origin(&url("https://EXAMPLE.com.:443/b")));
        assert!(!base.same_origin(&url("http://example.com/a")));
        assert!(!base.same_origin(&url("https://example.com:8443/a")));
        assert!(!base.same_origin(&url("https://www.example.com/a")));
    }

    proptest! {
        #[test]
        fn whatever_passes_is_read_alike_again(text in "(https?://)?[a-z0-9.:@/\\\\?#%\\[\\]xé。①-]{0,40}") {
            let Ok(url) = CheckedUrl::parse(&text) else { return Ok(()) };
            let again = CheckedUrl::parse(url.as_str());
            prop_assert!(again.is_ok_and(|again| again == url), "{} from {}", url, text);
            prop_assert!(url.url().username().is_empty() && url.url().password().is_none());
            prop_assert!(url.url().fragment().is_none());
            // What stands between the slashes is the host and the port, for any reader.
            let authority = url.as_str().split('/').nth(2).unwrap_or_default();
            match url.host() {
                Host::Name(name) => prop_assert_eq!(authority.split(':').next(), Some(name.as_str())),
                Host::Address(address) => prop_assert!(authority.contains(&address.to_string())),
            }
        }

        #[test]
        fn every_spelling_of_an_address_but_one_is_refused(bits in any::<u32>(), which in 0usize..5) {
            let address = Ipv4Addr::from_bits(bits);
            let [a, b, c, d] = address.octets();
            let text = match which {
                0 => format!("http://{bits}/"),
                1 => format!("http://{bits:#x}/"),
                2 => format!("http://{a}.{b}.{}/", u32::from(c) * 256 + u32::from(d)),
                3 => format!("http://0{a:o}.{b}.{c}.{d}/"),
                _ => format!("http://{a}.{b}.{c}.{d:#x}/"),
            };
            let refused = CheckedUrl::parse(&text).unwrap_err();
            prop_assert_eq!(refused.code(), URL_BLOCKED_ENCODING, "{}", text);
            let plain = format!("http://{address}/");
            prop_assert!(CheckedUrl::parse(&plain).is_ok());
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = CheckedUrl::parse(&text);
            let _ = CheckedUrl::parse(&format!("http://{text}"));
            let _ = CheckedUrl::parse("https://example.com/a").unwrap().join(&text);
        }
    }
}
