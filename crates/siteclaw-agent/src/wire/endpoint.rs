//! Where requests go, and the key that goes there with them.
//!
//! An [`Endpoint`] is made once, from an address and at most one key, and is the only thing that can build a request:
//! a key has no way to any other address. It travels in a header, never in an address, and not without TLS unless
//! the address is this machine or somebody says so.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use siteclaw_core::Secret;

/// An address that requests cannot go to, or a key that must not go there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It is no address of a web server.
    #[error("'{0}' is no address of a model server; write it like https://models.example.com/v1")]
    Address(String),
    /// It has a name and password, a query or a fragment in it.
    #[error("the address of the model server may have a host, a port and a path, and nothing else")]
    Extra,
    /// A key would travel in the clear.
    #[error(
        "a key is not sent to http://{0}, where everybody on the way can read it; use https, leave the key out, \
         or set plain_http = true"
    )]
    Plain(String),
    /// The key has characters that a header cannot carry.
    #[error("the key has characters that no key has, such as a line break; check {0}")]
    Key(String),
}

/// In which header a key travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `Authorization: Bearer …`.
    Bearer,
    /// A header of its own.
    Named(&'static str),
}

/// An address with the key that belongs to it.
#[derive(Clone)]
pub(crate) struct Endpoint {
    base: Url,
    key: Option<(HeaderName, HeaderValue)>,
    secret: Option<Secret>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("base", &self.base.as_str())
            .field("has_key", &self.key.is_some())
            .finish()
    }
}

impl Endpoint {
    /// An address and the key for it. `source` says where the key is from, for messages.
    pub(crate) fn new(
        base: &str,
        key: Option<(KeyHeader, &Secret)>,
        source: &str,
        plain_http: bool,
    ) -> Result<Self, EndpointError> {
        let invalid = || EndpointError::Address(siteclaw_core::sanitise_fragment(base, 120));
        let mut base: Url = base.trim().parse().map_err(|_| invalid())?;
        let host = base.host_str().filter(|host| !host.is_empty()).ok_or_else(invalid)?.to_owned();
        if !matches!(base.scheme(), "http" | "https") {
            return Err(invalid());
        }
        if !base.username().is_empty()
            || base.password().is_some()
            || base.query().is_some()
            || base.fragment().is_some()
        {
            return Err(EndpointError::Extra);
        }
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        if base.scheme() == "http" && key.is_some() && !plain_http && !is_this_machine(&host) {
            return Err(EndpointError::Plain(host));
        }
        let secret = key.map(|(_, secret)| secret.clone());
        let key = match key {
            None => None,
            Some((header, secret)) => {
                let text = match header {
                    KeyHeader::Bearer => format!("Bearer {}", secret.expose()),
                    KeyHeader::Named(_) => secret.expose().to_owned(),
                };
                let mut value =
                    HeaderValue::try_from(text).map_err(|_| EndpointError::Key(source.to_owned()))?;
                value.set_sensitive(true);
                let name = match header {
                    KeyHeader::Bearer => reqwest::header::AUTHORIZATION,
                    KeyHeader::Named(name) => HeaderName::from_static(name),
                };
                Some((name, value))
            }
        };
        Ok(Self { base, key, secret })
    }

    /// The address of a path below the base.
    pub(crate) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url.set_query(query);
        url
    }

    /// Adds the key.
    pub(crate) fn sign(&self, headers: &mut HeaderMap) {
        if let Some((name, value)) = &self.key {
            headers.insert(name.clone(), value.clone());
        }
    }

    /// The header of the key, for who wants to see a request.
    pub(crate) fn key_header(&self) -> Option<&str> {
        self.key.as_ref().map(|(name, _)| name.as_str())
    }

    /// The address, which names no key.
    pub(crate) fn base(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// The host, with its port where that is not the usual one.
    pub(crate) fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether requests leave this machine.
    pub(crate) fn is_remote(&self) -> bool {
        !self.base.host_str().is_some_and(is_this_machine)
    }

    /// Whether requests are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// The text without the key, should a server quote it.
    pub(crate) fn without_key(&self, text: &str) -> String {
        match &self.secret {
            Some(secret) if !secret.is_empty() => text.replace(secret.expose(), "…"),
            _ => text.to_owned(),
        }
    }
}

/// Whether a host is this machine by its own name for itself. Names that somebody's resolver maps to it are not.
fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base: &str, key: Option<&str>) -> Result<Endpoint, EndpointError> {
        let secret = key.map(Secret::new);
        Endpoint::new(base, secret.as_ref().map(|key| (KeyHeader::Bearer, key)), "THE_KEY", false)
    }

    #[test]
    fn addresses_keep_their_path_and_lose_their_last_slash() {
        for (base, url, host) in [
            ("https://api.example.com", "https://api.example.com/v1/x?alt=sse", "api.example.com"),
            ("https://api.example.com/", "https://api.example.com/v1/x?alt=sse", "api.example.com"),
            ("https://h:8443/a/b/", "https://h:8443/a/b/v1/x?alt=sse", "h:8443"),
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/x?alt=sse", "127.0.0.1:11434"),
        ] {
            let endpoint = endpoint(base, None).unwrap();
            assert_eq!((endpoint.url("/v1/x?alt=sse").as_str(), endpoint.host().as_str()), (url, host));
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for base in ["", "api.example.com", "ftp://h/", "file:///etc/passwd", "https://", "localhost:11434"] {
            assert!(matches!(endpoint(base, None), Err(EndpointError::Address(_))), "{base}");
        }
        for base in ["https://u:p@h/", "https://u@h/", "https://h/?key=1", "https://h/#x"] {
            assert!(matches!(endpoint(base, None), Err(EndpointError::Extra)), "{base}");
        }
    }

    #[test]
    fn a_key_travels_in_the_clear_only_within_the_machine() {
        for base in ["http://127.0.0.1:8080/v1", "http://localhost/", "http://[::1]:80/", "https://h/"] {
            assert!(endpoint(base, Some("k")).is_ok(), "{base}");
        }
        for base in ["http://10.0.0.7/v1", "http://localhost.example.com/", "http://h/"] {
            assert!(matches!(endpoint(base, Some("k")), Err(EndpointError::Plain(_))), "{base}");
            assert!(endpoint(base, None).is_ok(), "{base}");
        }
        let key = Secret::new("k");
        assert!(Endpoint::new("http://h/", Some((KeyHeader::Bearer, &key)), "THE_KEY", true).is_ok());
    }

    #[test]
    fn a_key_is_in_its_header_and_in_no_message() {
        let endpoint = endpoint("https://h/", Some("sesame-open")).unwrap();
        let mut headers = HeaderMap::new();
        endpoint.sign(&mut headers);
        assert_eq!(headers["authorization"], "Bearer sesame-open");
        assert!(!format!("{headers:?} {endpoint:?}").contains("sesame"), "{headers:?} {endpoint:?}");
        assert_eq!(endpoint.without_key("no such key: sesame-open."), "no such key: ….");
        let broken = super::Endpoint::new(
            "https://h/",
            Some((KeyHeader::Named("x-api-key"), &Secret::new("a\nb"))),
            "THE_KEY",
            false,
        );
        assert_eq!(broken.err(), Some(EndpointError::Key("THE_KEY".to_owned())));
    }
}
