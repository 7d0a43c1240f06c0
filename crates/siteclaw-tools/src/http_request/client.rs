//! One request to one vetted address, and the reading of its answer, each step with an end.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Method, Proxy, Response};
use siteclaw_core::{ToolError, code};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

use super::{failure, tls};
use crate::network::{Host, URL_BLOCKED_ADDRESS, Vetted};

/// For a connection with its handshake.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Between two pieces of a body.
const IDLE_TIME: Duration = Duration::from_secs(5);
const MAX_HEADERS: usize = 100;
const USER_AGENT: &str = concat!("Siteclaw/", env!("CARGO_PKG_VERSION"));
/// The most bytes of a file of authorities.
const MAX_AUTHORITIES: u64 = 4 * 1024 * 1024;

/// Makes connections. Each request has a client of its own that can reach the vetted addresses and nothing else.
pub(super) struct Connector {
    proxy: Option<Proxy>,
    authorities: Option<Vec<u8>>,
    tls: OnceCell<rustls::ClientConfig>,
}

/// What is sent.
#[derive(Clone)]
pub(super) struct Message {
    pub(super) method: Method,
    pub(super) headers: reqwest::header::HeaderMap,
    pub(super) body: Option<String>,
}

impl Message {
    /// Whether the other side may have changed something because of it.
    pub(super) fn is_safe(&self) -> bool {
        self.method == Method::GET
    }
}

impl Connector {
    /// Fails with a sentence about the setting that cannot be used.
    pub(super) fn new(proxy: Option<&str>, authorities: Option<&Path>) -> Result<Self, String> {
        let proxy = match proxy {
            // The URL may hold a password, so the error does not quote it.
            Some(url) => Some(Proxy::all(url).map_err(|_| "proxy is no URL of a proxy".to_owned())?),
            None => None,
        };
        let authorities = match authorities {
            Some(path) => Some(read(path).map_err(|error| format!("authorities cannot be read: {error}"))?),
            None => None,
        };
        Ok(Self { proxy, authorities, tls: OnceCell::new() })
    }

    /// Sends the message to the vetted addresses and gives the answer once its head is there.
    pub(super) async fn send(
        &self,
        target: &Vetted,
        message: Message,
        deadline: Instant,
    ) -> Result<Response, ToolError> {
        let safe = message.is_safe();
        let client = self.client(target).await?;
        let mut request = client.request(message.method, target.url().url().clone()).headers(message.headers);
        if let Some(body) = message.body {
            // Left out for an empty body otherwise, and some hosts refuse a POST without it.
            request = request.header(reqwest::header::CONTENT_LENGTH, body.len()).body(body);
        }
        let response = match timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failure::transport(error, target.url(), safe)),
            Err(_) => return Err(failure::timeout(target.url(), safe)),
        };
        self.same_peer(target, &response)?;
        Ok(response)
    }

    async fn client(&self, target: &Vetted) -> Result<Client, ToolError> {
        let config = self.tls.get_or_try_init(|| self.configure()).await?;
        let mut builder = Client::builder()
            .tls_backend_preconfigured(config.clone())
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .http1_max_headers(MAX_HEADERS)
            .pool_max_idle_per_host(0)
            .connect_timeout(CONNECT_TIME)
            .user_agent(USER_AGENT)
            .dns_resolver(Pinned::to(target, self.proxy.is_some()))
            .no_proxy();
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(proxy.clone());
        }
        builder.build().map_err(|error| internal("The HTTP client cannot be made.").source(error))
    }

    async fn configure(&self) -> Result<rustls::ClientConfig, ToolError> {
        let authorities = self.authorities.clone();
        let made = tokio::task::spawn_blocking(move || tls::client_config(authorities.as_deref())).await;
        match made {
            Ok(Ok(config)) => Ok(config),
            Ok(Err(error)) => Err(internal("The certificate authorities cannot be used.").source(error)),
            Err(error) => Err(internal("The certificate authorities were not read.").source(error)),
        }
    }

    /// The last net: whatever the client did, the answer must come from an address that was judged.
    fn same_peer(&self, target: &Vetted, response: &Response) -> Result<(), ToolError> {
        let peer = response.remote_addr();
        if self.proxy.is_some() || peer.is_some_and(|peer| target.addresses().contains(&peer)) {
            return Ok(());
        }
        Err(ToolError::new(URL_BLOCKED_ADDRESS, "The answer came from an address that was not checked."))
    }
}

fn internal(text: &str) -> ToolError {
    ToolError::new(code::INTERNAL, text)
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.len() > MAX_AUTHORITIES {
        return Err(std::io::Error::other("the file is longer than 4 MiB"));
    }
    std::fs::read(path)
}

/// Answers with the vetted addresses, for the one name they were vetted for. A literal address is never asked
/// about, which is why it is judged before.
struct Pinned {
    name: Option<String>,
    addresses: Arc<[SocketAddr]>,
    with_proxy: bool,
}

impl Pinned {
    fn to(target: &Vetted, with_proxy: bool) -> Self {
        let name = match target.url().host() {
            Host::Name(name) => Some(name.clone()),
            Host::Address(_) => None,
        };
        Self { name, addresses: target.addresses().into(), with_proxy }
    }
}

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        if self.name.as_deref() == Some(name.as_str()) {
            let addresses = Arc::clone(&self.addresses);
            let each: Addrs =
                Box::new((0..addresses.len()).filter_map(move |index| addresses.get(index).copied()));
            return Box::pin(std::future::ready(Ok(each)));
        }
        if !self.with_proxy {
            return Box::pin(std::future::ready(Err("a name that was not checked".into())));
        }
        // The operator's proxy, the only other name that a client with one asks for.
        let name = name.as_str().to_owned();
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Why the reading of a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It was read to its end.
    Whole,
    /// It has more bytes than are kept.
    Size,
    /// It did not come in time.
    Time,
    /// The connection broke, or what came could not be decompressed.
    Broken,
}

/// Reads at most `max` bytes of a body, decompressed: what a small body inflates to is bounded like any other.
pub(super) async fn read_body(mut response: Response, max: usize, deadline: Instant) -> (Vec<u8>, End) {
    let mut bytes = Vec::new();
    loop {
        let limit = deadline.min(Instant::now() + IDLE_TIME);
        let chunk = match timeout_at(limit, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => return (bytes, End::Whole),
            Ok(Err(_)) => return (bytes, End::Broken),
            Err(_) => return (bytes, End::Time),
        };
        let room = max.saturating_sub(bytes.len());
        bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            return (bytes, End::Size);
        }
    }
}
