//! Whether an address is one of the public internet.
//!
//! Everything is refused that is not globally routable unicast. An IPv6 address may carry an IPv4 address, and
//! whoever translates it connects to that one: so it is taken out and judged as well.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::registry::{GLOBAL_UNICAST, Kind, V4, V6};

/// How an IPv6 address carries an IPv4 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `::ffff:a.b.c.d` (RFC 4291): the IPv4 address itself to every system.
    Mapped,
    /// `::a.b.c.d` (RFC 4291), given up long ago.
    Compatible,
    /// `::ffff:0:a.b.c.d` (RFC 7915).
    Translated,
    /// `64:ff9b::a.b.c.d` (RFC 6052): how networks without IPv4 reach it.
    Nat64,
    /// `2002:aabb:ccdd::` (RFC 3056).
    SixToFour,
    /// `2001::` (RFC 4380), the client's address inverted at its end.
    Teredo,
    /// An interface of `::5efe:a.b.c.d` behind any prefix (RFC 5214).
    Isatap,
}

impl Form {
    const fn name(self) -> &'static str {
        match self {
            Self::Mapped => "mapped",
            Self::Compatible => "IPv4-compatible",
            Self::Translated => "IPv4-translated",
            Self::Nat64 => "NAT64",
            Self::SixToFour => "6to4",
            Self::Teredo => "Teredo",
            Self::Isatap => "ISATAP",
        }
    }
}

/// Why an address is not one of the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPublic {
    /// The address that was judged.
    pub address: IpAddr,
    /// What its block, or that of the address it carries, is for.
    pub kind: Kind,
    /// The IPv4 address it carries, and how.
    pub carries: Option<(Form, Ipv4Addr)>,
    name: &'static str,
}

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.carries {
            None => write!(f, "{} is {}", self.address, self.name),
            Some((form, inner)) => {
                write!(f, "{} carries {inner} ({}): {}", self.address, form.name(), self.name)
            }
        }
    }
}

/// Judges an address: `Ok` for globally routable unicast.
///
/// A mapped, NAT64 or ISATAP address is as public as the IPv4 address it carries; the other carrying forms are
/// refused always, because nothing honest is reached by them any more.
pub fn public(address: IpAddr) -> Result<(), NotPublic> {
    match address {
        IpAddr::V4(inner) => match V4.iter().find(|block| block.holds(inner)) {
            Some(block) => Err(NotPublic { address, kind: block.kind, carries: None, name: block.name }),
            None => Ok(()),
        },
        IpAddr::V6(whole) => public_v6(whole),
    }
}

fn public_v6(address: Ipv6Addr) -> Result<(), NotPublic> {
    let carried = carried(address);
    if let Some((form, inner)) = carried
        && let Err(refused) = public(IpAddr::V4(inner))
    {
        return Err(NotPublic { address: address.into(), carries: Some((form, inner)), ..refused });
    }
    if matches!(carried, Some((Form::Mapped | Form::Nat64, _))) {
        return Ok(());
    }
    let block = match V6.iter().find(|block| block.holds(address)) {
        Some(block) => block,
        None if GLOBAL_UNICAST.holds(address) => return Ok(()),
        None => &GLOBAL_UNICAST,
    };
    Err(NotPublic { address: address.into(), kind: block.kind, carries: carried, name: block.name })
}

/// The IPv4 address that an IPv6 address carries.
pub fn carried(address: Ipv6Addr) -> Option<(Form, Ipv4Addr)> {
    let joined = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        // `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some((Form::Mapped, joined(high, low))),
        [0, 0, 0, 0, 0, 0, high, low] => Some((Form::Compatible, joined(high, low))),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some((Form::Translated, joined(high, low))),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((Form::Nat64, joined(high, low))),
        [0x2002, high, low, ..] => Some((Form::SixToFour, joined(high, low))),
        [0x2001, 0, _, _, _, _, high, low] => Some((Form::Teredo, joined(!high, !low))),
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some((Form::Isatap, joined(high, low))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judged(text: &str) -> Result<(), NotPublic> {
        public(text.parse().unwrap())
    }

    #[test]
    fn public_addresses_pass() {
        for text in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "168.63.129.17",
            "192.0.1.1",
            "192.31.196.1",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450:4001:82f::200e",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2620:4f:8000::1",
            // Whoever has no IPv4 reaches it so.
            "64:ff9b::808:808",
            "::ffff:8.8.8.8",
            "2606:4700::5efe:8.8.8.8",
        ] {
            assert_eq!(judged(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn each_special_block_is_refused_at_both_its_ends() {
        for (text, kind) in [
            ("0.0.0.0", Kind::Reserved),
            ("0.255.255.255", Kind::Reserved),
            ("10.0.0.0", Kind::Private),
            ("10.255.255.255", Kind::Private),
            ("100.64.0.0", Kind::Private),
            ("100.127.255.255", Kind::Private),
            ("127.0.0.0", Kind::Loopback),
            ("127.255.255.255", Kind::Loopback),
            ("169.254.0.0", Kind::Reserved),
            ("169.254.255.255", Kind::Reserved),
            ("172.16.0.0", Kind::Private),
            ("172.31.255.255", Kind::Private),
            ("192.0.0.0", Kind::Reserved),
            ("192.0.0.255", Kind::Reserved),
            ("192.0.2.1", Kind::Reserved),
            ("192.88.99.1", Kind::Reserved),
            ("192.168.0.0", Kind::Private),
            ("192.168.255.255", Kind::Private),
            ("198.18.0.0", Kind::Reserved),
            ("198.19.255.255", Kind::Reserved),
            ("198.51.100.7", Kind::Reserved),
            ("203.0.113.7", Kind::Reserved),
            ("224.0.0.0", Kind::Reserved),
            ("239.255.255.255", Kind::Reserved),
            ("240.0.0.0", Kind::Reserved),
            ("255.255.255.255", Kind::Reserved),
            ("::", Kind::Reserved),
            ("::1", Kind::Loopback),
            ("64:ff9b:1::8.8.8.8", Kind::Reserved),
            ("100::1", Kind::Reserved),
            ("2001:2::1", Kind::Reserved),
            ("2001:10::1", Kind::Reserved),
            ("2001:1ff:ffff::1", Kind::Reserved),
            ("2001:db8::1", Kind::Reserved),
            ("3fff:fff::1", Kind::Reserved),
            ("5f00::1", Kind::Reserved),
            ("fc00::1", Kind::Private),
            ("fdff:ffff::1", Kind::Private),
            ("fe80::1", Kind::Reserved),
            ("fec0::1", Kind::Reserved),
            ("ff02::1", Kind::Reserved),
            ("4000::1", Kind::Reserved),
        ] {
            assert_eq!(judged(text).map_err(|refused| refused.kind), Err(kind), "{text}");
        }
    }

    #[test]
    fn metadata_services_are_no_private_hosts() {
        for text in [
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fd00:42::42",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
        ] {
            assert_eq!(judged(text).map_err(|refused| refused.kind), Err(Kind::Metadata), "{text}");
        }
    }

    #[test]
    fn a_carried_address_is_taken_out_and_judged() {
        let loopback = Ipv4Addr::LOCALHOST;
        // 127.0.0.1 is 7f00:0001; inverted, as Teredo has it, 80ff:fffe.
        for (text, form) in [
            ("::ffff:127.0.0.1", Form::Mapped),
            ("::ffff:7f00:1", Form::Mapped),
            ("::127.0.0.1", Form::Compatible),
            ("::ffff:0:127.0.0.1", Form::Translated),
            ("64:ff9b::7f00:1", Form::Nat64),
            ("2002:7f00:1::", Form::SixToFour),
            ("2001:0:4136:e378:8000:63bf:80ff:fffe", Form::Teredo),
            ("2606:4700::5efe:127.0.0.1", Form::Isatap),
            ("2606:4700::200:5efe:7f00:1", Form::Isatap),
        ] {
            let refused = judged(text).unwrap_err();
            assert_eq!((refused.carries, refused.kind), (Some((form, loopback)), Kind::Loopback), "{text}");
            assert!(refused.to_string().contains("carries 127.0.0.1"), "{refused}");
        }
        // Forms that nothing honest uses are refused whatever they carry.
        for text in ["::8.8.8.8", "::ffff:0:8.8.8.8", "2002:808:808::1", "2001:0:4136:e378::f7f7:f7f7"] {
            assert!(judged(text).is_err(), "{text}");
        }
    }

    /// The rule written down a second time, from the registries' own words and by comparison of octets.
    fn plainly_public(address: Ipv4Addr) -> bool {
        let [a, b, c, d] = address.octets();
        !(a == 0
            || a == 10
            || a == 127
            || a >= 224
            || (a == 100 && (64..128).contains(&b))
            || (a == 169 && b == 254)
            || (a == 172 && (16..32).contains(&b))
            || (a == 192 && b == 168)
            || (a == 192 && b == 0 && (c == 0 || c == 2))
            || (a == 192 && b == 88 && c == 99)
            || (a == 192 && b == 52 && c == 193)
            || (a == 198 && (b == 18 || b == 19))
            || (a == 198 && b == 51 && c == 100)
            || (a == 203 && b == 0 && c == 113)
            || (a == 168 && b == 63 && c == 129 && d == 16))
    }

    proptest! {
        #[test]
        fn the_table_says_what_the_rule_says(bits in any::<u32>(), near in 0usize..22, step in -2i64..3) {
            let block = V4[near];
            let size = 1i64 << (32 - block.length);
            let edge = i64::from(block.first.to_bits());
            for candidate in [i64::from(bits), edge + step, edge + size + step] {
                let Ok(bits) = u32::try_from(candidate) else { continue };
                let address = Ipv4Addr::from_bits(bits);
                prop_assert_eq!(public(address.into()).is_ok(), plainly_public(address), "{}", address);
            }
        }

        #[test]
        fn what_is_carried_is_never_more_than_what_it_carries(bits in any::<u32>(), prefix in any::<[u16; 4]>()) {
            let inner = Ipv4Addr::from_bits(bits);
            let (high, low) = ((bits >> 16) as u16, bits as u16);
            let [a, b, c, d] = prefix;
            for whole in [
                inner.to_ipv6_mapped(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, a, b, c, d, 1),
                Ipv6Addr::new(0x2001, 0, a, b, c, d, !high, !low),
                Ipv6Addr::new(a, b, c, d, 0, 0x5efe, high, low),
            ] {
                if public(whole.into()).is_ok() {
                    prop_assert!(public(inner.into()).is_ok(), "{} carries {}", whole, inner);
                }
            }
        }

        #[test]
        fn whatever_passes_in_ipv6_is_global_unicast_or_a_public_ipv4(bits in any::<u128>()) {
            let address = Ipv6Addr::from_bits(bits);
            if public(address.into()).is_ok() {
                let first = address.segments()[0];
                prop_assert!((0x2000..0x4000).contains(&first) || carried(address).is_some(), "{}", address);
            }
        }
    }
}
