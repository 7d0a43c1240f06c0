//! Blocks of addresses that are not the public internet.
//!
//! From the special-purpose address registries of IANA for IPv4 and IPv6 (RFC 6890 and its successors), the
//! multicast ranges, and the addresses at which clouds answer every machine with its own credentials. Blocks
//! that the registries call globally reachable and that still serve nobody by HTTP (anycast relays) are refused
//! too; the sinks of AS112 are left as public.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What a block is for, as far as a decision depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The machine itself.
    Loopback,
    /// Networks of one organisation, where an operator may open single hosts.
    Private,
    /// A service that hands a machine its own credentials or settings; never opened.
    Metadata,
    /// Everything else that is no public address.
    Reserved,
}

/// A block of addresses with the name that a message gives it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<A> {
    pub(super) first: A,
    pub(super) length: u32,
    pub(super) kind: Kind,
    pub(super) name: &'static str,
}

const fn v4(first: [u8; 4], length: u32, kind: Kind, name: &'static str) -> Block<Ipv4Addr> {
    Block { first: Ipv4Addr::from_octets(first), length, kind, name }
}

const fn v6(first: [u16; 8], length: u32, kind: Kind, name: &'static str) -> Block<Ipv6Addr> {
    Block { first: Ipv6Addr::from_segments(first), length, kind, name }
}

/// The narrowest block stands before the one that holds it.
pub(super) const V4: &[Block<Ipv4Addr>] = &[
    v4([169, 254, 169, 254], 32, Kind::Metadata, "the metadata service of most clouds"),
    v4([169, 254, 170, 2], 32, Kind::Metadata, "the credentials service of containers on AWS"),
    v4([169, 254, 170, 23], 32, Kind::Metadata, "the credentials service of pods on AWS"),
    v4([100, 100, 100, 200], 32, Kind::Metadata, "the metadata service of Alibaba Cloud"),
    v4([192, 0, 0, 192], 32, Kind::Metadata, "the metadata service of Oracle Cloud"),
    v4([168, 63, 129, 16], 32, Kind::Metadata, "the host of a virtual machine on Azure"),
    v4([0, 0, 0, 0], 8, Kind::Reserved, "'this network' (RFC 791)"),
    v4([10, 0, 0, 0], 8, Kind::Private, "a private network (RFC 1918)"),
    v4([100, 64, 0, 0], 10, Kind::Private, "a carrier's shared network (RFC 6598)"),
    v4([127, 0, 0, 0], 8, Kind::Loopback, "this machine (RFC 1122)"),
    v4([169, 254, 0, 0], 16, Kind::Reserved, "link-local (RFC 3927)"),
    v4([172, 16, 0, 0], 12, Kind::Private, "a private network (RFC 1918)"),
    v4([192, 0, 0, 0], 24, Kind::Reserved, "protocol assignments (RFC 6890)"),
    v4([192, 0, 2, 0], 24, Kind::Reserved, "documentation (RFC 5737)"),
    v4([192, 52, 193, 0], 24, Kind::Reserved, "multicast tunnels (RFC 7450)"),
    v4([192, 88, 99, 0], 24, Kind::Reserved, "6to4 relays (RFC 7526)"),
    v4([192, 168, 0, 0], 16, Kind::Private, "a private network (RFC 1918)"),
    v4([198, 18, 0, 0], 15, Kind::Reserved, "benchmarks (RFC 2544)"),
    v4([198, 51, 100, 0], 24, Kind::Reserved, "documentation (RFC 5737)"),
    v4([203, 0, 113, 0], 24, Kind::Reserved, "documentation (RFC 5737)"),
    v4([224, 0, 0, 0], 4, Kind::Reserved, "multicast (RFC 5771)"),
    v4([240, 0, 0, 0], 4, Kind::Reserved, "reserved or broadcast (RFC 1112)"),
];

/// The narrowest block stands before the one that holds it. Addresses that carry an IPv4 address are decoded
/// elsewhere.
pub(super) const V6: &[Block<Ipv6Addr>] = &[
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, Kind::Loopback, "this machine (RFC 4291)"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, Kind::Reserved, "the unspecified address (RFC 4291)"),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, Kind::Reserved, "local translation to IPv4 (RFC 8215)"),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, Kind::Reserved, "discarded traffic (RFC 6666)"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Kind::Reserved, "protocol assignments (RFC 2928)"),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Kind::Reserved, "documentation (RFC 3849)"),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Kind::Reserved, "6to4 (RFC 7526)"),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Kind::Reserved, "documentation (RFC 9637)"),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0], 32, Kind::Metadata, "the services of AWS to its machines"),
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0], 32, Kind::Metadata, "the metadata service of Google Cloud"),
    v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128, Kind::Metadata, "the metadata service of Scaleway"),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Kind::Private, "a private network (RFC 4193)"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, Kind::Reserved, "link-local (RFC 4291)"),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, Kind::Reserved, "site-local (RFC 3879)"),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Kind::Reserved, "multicast (RFC 4291)"),
];

/// All of IPv6 that is handed out to networks; whatever lies outside is refused without a name.
pub(super) const GLOBAL_UNICAST: Block<Ipv6Addr> =
    v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Kind::Reserved, "outside global unicast (RFC 4291)");

impl Block<Ipv4Addr> {
    pub(super) fn holds(&self, address: Ipv4Addr) -> bool {
        let differs = address.to_bits() ^ self.first.to_bits();
        self.length == 0 || differs >> (32 - self.length) == 0
    }
}

impl Block<Ipv6Addr> {
    pub(super) fn holds(&self, address: Ipv6Addr) -> bool {
        let differs = address.to_bits() ^ self.first.to_bits();
        self.length == 0 || differs >> (128 - self.length) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_begins_where_it_says_and_no_narrower_one_comes_late() {
        for (index, block) in V4.iter().enumerate() {
            let host_bits = u32::MAX.checked_shr(block.length).unwrap_or(0);
            assert_eq!(block.first.to_bits() & host_bits, 0, "{}", block.first);
            for later in &V4[index + 1..] {
                assert!(!block.holds(later.first), "{} hides {}", block.first, later.first);
            }
        }
        for (index, block) in V6.iter().enumerate() {
            let host_bits = u128::MAX.checked_shr(block.length).unwrap_or(0);
            assert_eq!(block.first.to_bits() & host_bits, 0, "{}", block.first);
            for later in &V6[index + 1..] {
                assert!(!block.holds(later.first), "{} hides {}", block.first, later.first);
            }
        }
    }
}
