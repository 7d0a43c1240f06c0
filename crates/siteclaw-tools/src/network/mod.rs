//! Which addresses of the web may be asked, and at which of their addresses.
//!
//! Three steps, each a type that only the step before makes. A [`CheckedUrl`] can be read in one way only.
//! [`NetworkPolicy::check`] says whether its host and port may be asked at all, without sending anything: not even
//! a question to the name service, which would carry data in a name. [`NetworkPolicy::vet`] resolves the name and
//! judges every answer; the [`Vetted`] it gives names the socket addresses to connect to, and nothing else may be
//! connected to. So a name that answers differently the second time changes nothing.
//!
//! Refused: whatever is not globally routable unicast by the registries of IANA, IPv4 addresses inside IPv6 ones
//! included ([`address`]); names of this machine and of local networks; a name with a single bad answer; ports
//! other than 80, 443 and those of the [`Rules`].

pub mod address;
mod checked_url;
mod host;
mod lookalike;
mod refusal;
mod registry;
mod resolve;
mod rules;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

pub use checked_url::{CheckedUrl, MAX_URL};
pub use host::Host;
pub use refusal::{
    DNS_UNRESOLVED, Refusal, URL_BLOCKED_ADDRESS, URL_BLOCKED_ENCODING, URL_BLOCKED_HOST, URL_INVALID,
    URL_PORT, URL_SCHEME,
};
pub use registry::Kind;
pub use resolve::{Resolve, SystemResolver};
pub use rules::Rules;

use rules::Compiled;

/// How long the name service is waited for.
const RESOLVE_TIME: Duration = Duration::from_secs(5);
/// Addresses of one name that are tried; all are judged.
const MAX_TRIED: usize = 8;

/// Decides which hosts may be asked. Cloning is cheap.
#[derive(Clone)]
pub struct NetworkPolicy(Arc<Inner>);

struct Inner {
    rules: Compiled,
    resolver: Arc<dyn Resolve>,
    stand_ins: StandIns,
}

impl std::fmt::Debug for NetworkPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkPolicy").field("rules", &self.0.rules).finish_non_exhaustive()
    }
}

/// Addresses of this machine that count as public ones: for tests, in which a listener on `127.0.0.2` stands for
/// a host of the internet. There is no way to write them into a configuration: the type is neither read nor made
/// from text.
#[derive(Clone, Debug, Default)]
pub struct StandIns(Vec<IpAddr>);

impl StandIns {
    /// Lets these addresses stand for public ones. Whatever is no loopback address is left out.
    pub fn of(addresses: &[IpAddr]) -> Self {
        Self(addresses.iter().copied().filter(IpAddr::is_loopback).collect())
    }
}

/// A URL with the addresses that were judged.
#[derive(Clone, Debug)]
pub struct Vetted {
    url: CheckedUrl,
    addresses: Vec<SocketAddr>,
}

impl Vetted {
    /// The URL.
    pub const fn url(&self) -> &CheckedUrl {
        &self.url
    }

    /// Where to connect to, at least one; nothing else is allowed.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }
}

impl NetworkPolicy {
    /// A policy with the system's name service. Fails with a sentence about the first rule that cannot be read.
    pub fn new(rules: &Rules) -> Result<Self, String> {
        Self::with(rules, Arc::new(SystemResolver), StandIns::default())
    }

    /// A policy with another name service and with addresses of this machine that stand for public ones.
    pub fn with(rules: &Rules, resolver: Arc<dyn Resolve>, stand_ins: StandIns) -> Result<Self, String> {
        Ok(Self(Arc::new(Inner { rules: Compiled::new(rules)?, resolver, stand_ins })))
    }

    /// Whether the URL's host and port may be asked, as far as its text says. Sends nothing.
    pub fn check(&self, url: &CheckedUrl) -> Result<(), Refusal> {
        let rules = &self.0.rules;
        if !rules.ports.contains(&url.port()) {
            return Err(Refusal::Port { port: url.port(), allowed: rules.ports.clone() });
        }
        if !rules.hosts.is_empty() && !rules.hosts.iter().any(|pattern| pattern.covers(url.host())) {
            let reason = "it is not one of the hosts that the operator allows";
            return Err(Refusal::Host { host: url.host().shown(), reason });
        }
        match url.host() {
            Host::Address(address) => self.judge(url.host(), *address),
            Host::Name(_) if self.is_private(url.host()) => Ok(()),
            Host::Name(name) => match host::local(name) {
                Some(reason) => Err(Refusal::Host { host: url.host().shown(), reason }),
                None => Ok(()),
            },
        }
    }

    /// Resolves the host and judges every address it has: one bad one refuses the host.
    pub async fn vet(&self, url: CheckedUrl) -> Result<Vetted, Refusal> {
        self.check(&url)?;
        let port = url.port();
        let addresses = match url.host() {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.resolve(url.host(), name).await?,
        };
        for address in &addresses {
            self.judge(url.host(), *address)?;
        }
        let tried = addresses.into_iter().take(MAX_TRIED).map(|address| SocketAddr::new(address, port));
        Ok(Vetted { addresses: tried.collect(), url })
    }

    async fn resolve(&self, host: &Host, name: &str) -> Result<Vec<IpAddr>, Refusal> {
        // A private host may be known to this machine only by a short name or its hosts file.
        let absolute = !self.is_private(host);
        let answer = self.0.resolver.resolve(name.to_owned(), absolute);
        match tokio::time::timeout(RESOLVE_TIME, answer).await {
            Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
            Ok(Ok(_)) => Err(Refusal::Unresolved { host: host.shown(), source: None }),
            Ok(Err(error)) => Err(Refusal::Unresolved { host: host.shown(), source: Some(error) }),
            Err(_) => Err(Refusal::Slow { host: host.shown(), limit: RESOLVE_TIME }),
        }
    }

    fn is_private(&self, host: &Host) -> bool {
        self.0.rules.private_hosts.iter().any(|pattern| pattern.covers(host))
    }

    fn judge(&self, host: &Host, address: IpAddr) -> Result<(), Refusal> {
        match address::public(address) {
            Err(why) if why.kind == Kind::Private && self.is_private(host) => Ok(()),
            Err(_) if self.0.stand_ins.0.contains(&address) => Ok(()),
            Err(why) => Err(Refusal::Address { host: host.shown(), why }),
            Ok(()) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
