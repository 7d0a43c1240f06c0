//! Host names: which of them are no names of the public internet, and patterns that operators write.

use std::net::IpAddr;

use siteclaw_core::sanitise_fragment;

use super::refusal::Refusal;

/// Characters of a host that a message shows.
const SHOWN: usize = 100;
/// Bytes of a name in the name service (RFC 1035).
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// Names that stand for this machine or are kept for local networks: RFC 6761, 6762, 7686, 8375, 9476, and the
/// decision of ICANN of 2024 on `internal`. The metadata services of clouds have names beneath `internal`.
const LOCAL: &[&str] = &["localhost", "local", "internal", "home.arpa", "onion", "alt", "localdomain"];

/// The host of a checked URL, in its one spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name: lower case, ASCII (IDNA), no dot at its end.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// The host as it stands in a message.
    pub fn shown(&self) -> String {
        match self {
            Self::Name(name) => shown(name),
            Self::Address(address) => address.to_string(),
        }
    }
}

pub(super) fn shown(host: &str) -> String {
    sanitise_fragment(host, SHOWN)
}

/// Refuses names that cannot be ones of the public internet.
pub(super) fn well_formed(name: &str) -> Result<(), Refusal> {
    let label_ok = |label: &str| {
        (1..=MAX_LABEL).contains(&label.len())
            && label.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    };
    if name.len() <= MAX_NAME && name.split('.').all(label_ok) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("has no usable host: '{}'", shown(name))))
}

/// Why a name is one of this machine or of a local network.
pub(super) fn local(name: &str) -> Option<&'static str> {
    if LOCAL.iter().any(|&local| is_or_beneath(name, local)) {
        return Some("it is a name of this machine or of a local network");
    }
    (!name.contains('.')).then_some("a name without a dot is one of a local network")
}

fn is_or_beneath(name: &str, domain: &str) -> bool {
    name == domain || name.strip_suffix(domain).is_some_and(|above| above.ends_with('.'))
}

/// Hosts that an operator wrote down: `example.com` is that host, `*.example.com` every one beneath it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostPattern {
    host: Host,
    beneath: bool,
}

impl HostPattern {
    /// Reads a pattern. Fails with what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{}' is no host; write it like example.com or *.example.com", shown(text));
        let (rest, beneath) = match text.trim().strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (text.trim(), false),
        };
        let bare = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(rest);
        if let Ok(address) = bare.parse::<IpAddr>() {
            return if beneath { Err(wrong()) } else { Ok(Self { host: Host::Address(address), beneath }) };
        }
        match url::Host::parse(rest.strip_suffix('.').unwrap_or(rest)) {
            Ok(url::Host::Domain(name)) if well_formed(&name).is_ok() => {
                Ok(Self { host: Host::Name(name), beneath })
            }
            _ => Err(wrong()),
        }
    }

    pub(super) fn covers(&self, host: &Host) -> bool {
        match (&self.host, host) {
            (Host::Name(domain), Host::Name(name)) if self.beneath => {
                name != domain && is_or_beneath(name, domain)
            }
            (mine, theirs) => mine == theirs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Host {
        Host::Name(text.to_owned())
    }

    #[test]
    fn local_names_are_matched_whole_or_as_a_suffix() {
        for text in [
            "localhost",
            "a.localhost",
            "printer.local",
            "metadata.google.internal",
            "nas.home.arpa",
            "x.onion",
            "intranet",
            "localhost.localdomain",
        ] {
            assert!(local(text).is_some(), "{text}");
        }
        for text in [
            "localhosting.com",
            "10.example.org",
            "0.pool.ntp.org",
            "local.example.com",
            "internal.example.com",
            "notlocal.co",
            "arpa.example",
        ] {
            assert_eq!(local(text), None, "{text}");
        }
    }

    #[test]
    fn a_pattern_covers_one_host_or_those_beneath_it() {
        let covers = |pattern: &str, host: &Host| HostPattern::parse(pattern).unwrap().covers(host);
        assert!(covers("Example.COM", &name("example.com")));
        assert!(!covers("example.com", &name("a.example.com")));
        assert!(covers("*.example.com", &name("a.b.example.com")));
        assert!(!covers("*.example.com", &name("example.com")));
        assert!(!covers("*.example.com", &name("badexample.com")));
        assert!(covers("größe.example", &name("xn--gre-6ka8i.example")));
        let address = |text: &str| Host::Address(text.parse().unwrap());
        assert!(covers("10.0.0.7", &address("10.0.0.7")));
        assert!(covers("[fd12::7]", &address("fd12::7")));
        assert!(!covers("10.0.0.7", &address("10.0.0.8")));
    }

    #[test]
    fn what_is_no_host_is_no_pattern() {
        for text in
            ["", "*", "*.", "a b", "https://example.com", "example.com/x", "*.10.0.0.1", "a..b", "u@h"]
        {
            assert!(HostPattern::parse(text).is_err(), "{text}");
        }
    }
}
