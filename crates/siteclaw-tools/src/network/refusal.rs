//! Why an address on the web is not asked.

use std::time::Duration;

use siteclaw_core::{Code, ToolError};

use super::address::NotPublic;

/// The URL cannot be read, or is written in a way that two programs read differently.
pub const URL_INVALID: Code = Code::new("URL_INVALID");
/// The URL is neither `http` nor `https`.
pub const URL_SCHEME: Code = Code::new("URL_SCHEME");
/// The URL names a port that is not allowed.
pub const URL_PORT: Code = Code::new("URL_PORT");
/// The host is an IPv4 address in a spelling other than four decimal numbers.
pub const URL_BLOCKED_ENCODING: Code = Code::new("URL_BLOCKED_ENCODING");
/// The host is a name of this machine or of a local network, or not one of those that are allowed.
pub const URL_BLOCKED_HOST: Code = Code::new("URL_BLOCKED_HOST");
/// The host has an address that is not one of the public internet.
pub const URL_BLOCKED_ADDRESS: Code = Code::new("URL_BLOCKED_ADDRESS");
/// The name has no address.
pub const DNS_UNRESOLVED: Code = Code::new("DNS_UNRESOLVED");

/// A refusal of the network policy. Messages show host names made fit to print.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is no URL, or an ambiguous one.
    #[error("The URL {reason}.")]
    Invalid {
        /// What is wrong, as the end of a sentence.
        reason: String,
    },
    /// Another scheme.
    #[error("The scheme '{scheme}' is not allowed; only http and https are.")]
    Scheme {
        /// The scheme, fit to print.
        scheme: String,
    },
    /// Another port.
    #[error("The port {port} is not allowed; allowed are {}.", list(.allowed))]
    Port {
        /// The port of the URL.
        port: u16,
        /// The ports that may be used.
        allowed: Vec<u16>,
    },
    /// An IPv4 address written as one number, in hexadecimal or octal, or shortened.
    #[error("The host is the IPv4 address {address} in another spelling, which is not allowed.")]
    Spelling {
        /// The address it stands for.
        address: std::net::Ipv4Addr,
    },
    /// A name that the public internet does not have.
    #[error("The host '{host}' is not reachable: {reason}.")]
    Host {
        /// The host, fit to print.
        host: String,
        /// Why, as the end of a sentence.
        reason: &'static str,
    },
    /// An address that is not public.
    #[error("The host '{host}' is blocked: {why}.")]
    Address {
        /// The host, fit to print.
        host: String,
        /// The first bad address.
        why: NotPublic,
    },
    /// No answer of the name service, or none in time.
    #[error("The host '{host}' has no address.")]
    Unresolved {
        /// The host, fit to print.
        host: String,
        /// What the system said.
        source: Option<std::io::Error>,
    },
    /// The name service took too long.
    #[error("The name service gave no answer about '{host}' within {} seconds.", .limit.as_secs())]
    Slow {
        /// The host, fit to print.
        host: String,
        /// How long it was waited for.
        limit: Duration,
    },
}

fn list(ports: &[u16]) -> String {
    ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
}

impl Refusal {
    pub(super) fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid { reason: reason.into() }
    }

    /// The stable code.
    pub const fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => URL_INVALID,
            Self::Scheme { .. } => URL_SCHEME,
            Self::Port { .. } => URL_PORT,
            Self::Spelling { .. } => URL_BLOCKED_ENCODING,
            Self::Host { .. } => URL_BLOCKED_HOST,
            Self::Address { .. } => URL_BLOCKED_ADDRESS,
            Self::Unresolved { .. } | Self::Slow { .. } => DNS_UNRESOLVED,
        }
    }

    const fn hint(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "Write it like https://example.com/path, with other characters as %XX.",
            Self::Scheme { .. } => "Ask by http or https.",
            Self::Port { .. } => "The operator can allow more ports in the settings of http_request.",
            Self::Spelling { .. } => "Write the address as four decimal numbers, or use the host's name.",
            Self::Host { .. } | Self::Address { .. } => {
                "Only hosts of the public internet are asked. The operator can open single private hosts in the \
                 settings of http_request."
            }
            Self::Unresolved { .. } => "Check the spelling of the host.",
            Self::Slow { .. } => "Try again later.",
        }
    }
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        let error = Self::new(refusal.code(), refusal.to_string()).hint(refusal.hint());
        let error = match &refusal {
            Refusal::Port { allowed, .. } => error.with("allowed_ports", allowed.clone()),
            Refusal::Unresolved { .. } | Refusal::Slow { .. } => error.retryable(),
            _ => error,
        };
        match refusal {
            Refusal::Unresolved { source: Some(source), .. } => error.source(source),
            _ => error,
        }
    }
}
