//! What an operator may say about hosts and ports.

use super::host::HostPattern;

/// Ports that are always allowed.
pub(super) const WEB_PORTS: [u16; 2] = [80, 443];

/// Hosts and ports as an operator writes them. By default every host of the public internet on ports 80 and 443.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The only hosts that are asked; empty means every public one. `example.com` is that host, `*.example.com`
    /// every one beneath it.
    pub hosts: Vec<String>,
    /// Hosts that may have addresses of a private network (10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7).
    /// Never this machine, link-local addresses or a cloud's metadata service.
    pub private_hosts: Vec<String>,
    /// Ports besides 80 and 443.
    pub ports: Vec<u16>,
}

/// The rules, read.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) hosts: Vec<HostPattern>,
    pub(super) private_hosts: Vec<HostPattern>,
    pub(super) ports: Vec<u16>,
}

impl Compiled {
    /// Fails with a sentence about the first entry that cannot be read.
    pub(super) fn new(rules: &Rules) -> Result<Self, String> {
        let read = |patterns: &[String]| {
            patterns.iter().map(|text| HostPattern::parse(text)).collect::<Result<_, _>>()
        };
        if rules.ports.contains(&0) {
            return Err("port 0 does not exist".to_owned());
        }
        let mut ports = WEB_PORTS.to_vec();
        ports.extend(&rules.ports);
        ports.sort_unstable();
        ports.dedup();
        Ok(Self { hosts: read(&rules.hosts)?, private_hosts: read(&rules.private_hosts)?, ports })
    }
}
