//! What an operator may set about `http_request`.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::network::Rules;

/// Settings of `http_request`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The only hosts that are asked; empty means every public one. example.com is that host, *.example.com every one beneath it.
    pub hosts: Vec<String>,
    /// Hosts that may have addresses of a private network; never this machine or a cloud's metadata service.
    pub private_hosts: Vec<String>,
    /// Ports besides 80 and 443.
    pub ports: Vec<u16>,
    /// Request headers that a model may set besides the harmless ones, such as authorization. A request with one needs approval.
    pub request_headers: Vec<String>,
    /// The most bytes of a decoded body that are kept. Default 8192.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_bytes: u32,
    /// Time for a request with its redirects, in seconds. Default 10.
    #[schemars(range(min = 1, max = 120))]
    pub timeout_seconds: u32,
    /// The most redirects that are followed. Default 5.
    #[schemars(range(min = 0, max = 10))]
    pub max_redirects: u32,
    /// The most requests to one host in a minute. Default 60.
    #[schemars(range(min = 1, max = 10_000))]
    pub requests_per_minute: u32,
    /// A proxy for every request, such as `http://proxy.example:3128`. It resolves names itself, so it must refuse internal addresses. Proxies of the environment are ignored.
    pub proxy: Option<String>,
    /// A file of PEM certificates of authorities that are trusted besides those of this machine.
    pub authorities: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            private_hosts: Vec::new(),
            ports: Vec::new(),
            request_headers: Vec::new(),
            max_bytes: 8192,
            timeout_seconds: 10,
            max_redirects: 5,
            requests_per_minute: 60,
            proxy: None,
            authorities: None,
        }
    }
}

/// Without the proxy, whose URL may hold a password.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("rules", &self.rules()).finish_non_exhaustive()
    }
}

impl Settings {
    pub(super) fn rules(&self) -> Rules {
        Rules {
            hosts: self.hosts.clone(),
            private_hosts: self.private_hosts.clone(),
            ports: self.ports.clone(),
        }
    }
}
