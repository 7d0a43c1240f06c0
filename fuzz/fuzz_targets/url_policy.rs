//! URLs and addresses: whatever passes is read alike by a reader of five lines, and is no address of this machine
//! or of a private network by a rule that is written down a second time.

#![no_main]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use siteclaw_tools::network::address::{carried, public};
use siteclaw_tools::network::{CheckedUrl, Host, NetworkPolicy, Rules};

static POLICY: LazyLock<NetworkPolicy> =
    LazyLock::new(|| NetworkPolicy::new(&Rules::default()).expect("the default rules can be read"));

fuzz_target!(|data: &[u8]| {
    if let Some(bits) = data.first_chunk::<16>() {
        judged(IpAddr::from(*bits));
    }
    if let Some(bits) = data.first_chunk::<4>() {
        judged(IpAddr::from(*bits));
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, location) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(url) = CheckedUrl::parse(first) else { return };
    checked(&url);
    if let Ok(next) = url.join(location) {
        checked(&next);
    }
});

/// A URL that passed is plain to whoever splits it at its slashes.
fn checked(url: &CheckedUrl) {
    assert_eq!(CheckedUrl::parse(url.as_str()).expect("reads again"), *url);
    let (scheme, rest) = url.as_str().split_once("://").expect("a scheme");
    assert!(scheme == "http" || scheme == "https", "{url}");
    let (authority, _) = rest.split_once('/').expect("a path");
    assert!(authority.is_ascii() && !authority.contains(['@', '%', '\\', '?', '#']), "{url}");
    match url.host() {
        Host::Name(name) => {
            assert_eq!(authority.split(':').next(), Some(name.as_str()));
            assert!(!name.ends_with('.') && name.parse::<IpAddr>().is_err(), "{url}");
        }
        Host::Address(address) => {
            let shown = if address.is_ipv4() { address.to_string() } else { format!("[{address}]") };
            let port = authority.strip_prefix(&shown).expect("the address as it is written");
            assert!(port.is_empty() || port.starts_with(':'), "{url}");
            if POLICY.check(url).is_ok() {
                judged(*address);
                assert!(public(*address).is_ok(), "{url}");
            }
        }
    }
}

fn judged(address: IpAddr) {
    if public(address).is_err() {
        return;
    }
    match address {
        IpAddr::V4(address) => plainly_public(address),
        IpAddr::V6(whole) => match carried(whole) {
            Some((_, inner)) => plainly_public(inner),
            None => assert!((0x2000..0x4000).contains(&whole.segments()[0]), "{whole}"),
        },
    }
}

/// What the standard library knows of IPv4 without a table of its own.
fn plainly_public(address: Ipv4Addr) {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    let special = address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || first == 0
        || first >= 240
        || shared;
    assert!(!special, "{address}");
}
