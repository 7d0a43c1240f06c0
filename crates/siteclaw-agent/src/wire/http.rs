//! One exchange with a model server: a JSON document there, a document or a stream of events back.
//!
//! The status is looked at before the body. No redirect is followed, because the key would go along; no proxy is
//! taken from the environment; nothing is asked twice, because whether that is right is decided further up. Every wait
//! and every size has a limit.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, redirect};
use serde_json::Value;

use super::endpoint::Endpoint;
use super::failure;
use super::lines::{Cutter, Framing};
use crate::provider::ProviderError;

/// The most bytes of an answer.
const MAX_ANSWER: usize = 64 * 1024 * 1024;
/// The most bytes of the body of an error that are looked at.
const MAX_ERROR: usize = 64 * 1024;
/// For a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The client, with the longest silence it puts up with.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    client: Client,
    silence: Duration,
}

/// What came back: its end is known, or it comes piece by piece.
pub(crate) enum Answer {
    Whole(Value),
    Stream(Stream),
}

/// The events of an answer that is still being written.
pub(crate) struct Stream {
    response: Response,
    cutter: Cutter,
    ready: std::collections::VecDeque<Vec<u8>>,
    silence: Duration,
    bytes: usize,
    ended: bool,
}

impl Http {
    /// A client. It connects when it is asked for the first time.
    pub(crate) fn new(encrypted: bool, silence: Duration) -> Result<Self, String> {
        let mut builder = Client::builder()
            .user_agent(concat!("siteclaw/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            .tcp_nodelay(true);
        // Reading the machine's authorities takes longer than all else here, so plain connections go without.
        let roots = if encrypted { authorities() } else { rustls::RootCertStore::empty() };
        let tls =
            rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(|error| error.to_string())?
                .with_root_certificates(roots)
                .with_no_client_auth();
        builder = builder.tls_backend_preconfigured(tls);
        let client = builder.build().map_err(|error| chain(&error))?;
        Ok(Self { client, silence })
    }

    /// Sends a document and gives what comes back, or why nothing does.
    pub(crate) async fn post(
        &self,
        endpoint: &Endpoint,
        path: &str,
        headers: HeaderMap,
        body: String,
        framing: Option<Framing>,
    ) -> Result<Answer, ProviderError> {
        let mut headers = headers;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            ACCEPT,
            HeaderValue::from_static(match framing {
                Some(Framing::Events) => "text/event-stream",
                Some(Framing::Lines) => "application/x-ndjson",
                None => "application/json",
            }),
        );
        endpoint.sign(&mut headers);
        let request = self.client.post(endpoint.url(path)).headers(headers).body(body);
        let response = tokio::time::timeout(self.silence, request.send())
            .await
            .map_err(|_| ProviderError::Silent(self.silence))?
            .map_err(|error| self.broken(endpoint, &error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.failed(endpoint, response).await);
        }
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        // A server that does not stream answers with one document whatever was asked for.
        let whole =
            framing.is_none() || (framing == Some(Framing::Events) && kind.starts_with("application/json"));
        let mut stream = Stream {
            response,
            cutter: Cutter::new(framing.unwrap_or(Framing::Lines)),
            ready: std::collections::VecDeque::new(),
            silence: self.silence,
            bytes: 0,
            ended: false,
        };
        if !whole {
            return Ok(Answer::Stream(stream));
        }
        let mut body = Vec::new();
        while let Some(piece) = stream.piece().await? {
            body.extend_from_slice(&piece);
        }
        parse(&body).map(Answer::Whole)
    }

    /// What a refusal says.
    async fn failed(&self, endpoint: &Endpoint, response: Response) -> ProviderError {
        let status = response.status();
        let wait = failure::retry_after(response.headers());
        if status.is_redirection() {
            let to = response.headers().get(reqwest::header::LOCATION).and_then(|to| to.to_str().ok());
            let to = siteclaw_core::sanitise_fragment(to.unwrap_or("another address"), 200);
            let message = format!("it redirects to {to}, where the key is not sent");
            return ProviderError::Refused { status: status.as_u16(), message };
        }
        let mut response = response;
        let mut body = Vec::new();
        // An error whose body does not come is still that error.
        while body.len() < MAX_ERROR {
            match tokio::time::timeout(self.silence, response.chunk()).await {
                Ok(Ok(Some(piece))) => body.extend_from_slice(&piece),
                _ => break,
            }
        }
        body.truncate(MAX_ERROR);
        let text = endpoint.without_key(&String::from_utf8_lossy(&body));
        failure::of_body(status, &text, wait)
    }

    /// Why a request was not answered at all.
    fn broken(&self, endpoint: &Endpoint, error: &reqwest::Error) -> ProviderError {
        let message = format!("{}: {}", endpoint.host(), chain(error));
        if error.is_connect() || error.is_timeout() {
            ProviderError::Unreachable(message)
        } else {
            ProviderError::Cut(message)
        }
    }
}

impl Stream {
    /// The next event as JSON; `None` when the stream has ended. `[DONE]` is no JSON and ends nothing by itself.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, ProviderError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                if event.trim_ascii() == b"[DONE]" {
                    return Ok(Some(Event::Done));
                }
                return parse(&event).map(|value| Some(Event::Data(value)));
            }
            if self.ended {
                return Ok(None);
            }
            match self.piece().await? {
                Some(piece) => {
                    let ready = &mut self.ready;
                    self.cutter.take(&piece, |event| ready.push_back(event)).map_err(|_| {
                        ProviderError::Unreadable("one event of it is longer than 8 MiB".to_owned())
                    })?;
                }
                None => {
                    self.ended = true;
                    self.ready.extend(self.cutter.end());
                }
            }
        }
    }

    async fn piece(&mut self) -> Result<Option<Vec<u8>>, ProviderError> {
        let piece = tokio::time::timeout(self.silence, self.response.chunk())
            .await
            .map_err(|_| ProviderError::Silent(self.silence))?
            .map_err(|error| ProviderError::Cut(chain(&error)))?;
        let Some(piece) = piece else { return Ok(None) };
        self.bytes = self.bytes.saturating_add(piece.len());
        if self.bytes > MAX_ANSWER {
            return Err(ProviderError::Unreadable("it is longer than 64 MiB".to_owned()));
        }
        Ok(Some(piece.to_vec()))
    }
}

/// One event of a stream.
pub(crate) enum Event {
    Data(Value),
    /// The mark that some servers end a stream with.
    Done,
}

fn parse(bytes: &[u8]) -> Result<Value, ProviderError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let text = String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes));
        let start = siteclaw_core::sanitise_fragment(&text, 80);
        ProviderError::Unreadable(format!("it is not JSON ({error}) and begins with: {start}"))
    })
}

/// The causes of an error on one line. reqwest's own text would repeat the address.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    let mut texts: Vec<String> = Vec::new();
    while let Some(next) = cause.source() {
        let text = next.to_string();
        if texts.last() != Some(&text) {
            texts.push(text);
        }
        cause = next;
    }
    // The innermost one says what happened; those around it only where.
    texts.pop().unwrap_or_else(|| error.to_string())
}

/// The machine's authorities, and Mozilla's, because shared hosts and containers often have none.
fn authorities() -> rustls::RootCertStore {
    let mut store = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    store
}
