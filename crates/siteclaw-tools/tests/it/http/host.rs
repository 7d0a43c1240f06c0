//! A host of the web on this machine: a listener that answers as a test tells it and writes down what it saw.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Request {
    /// Method and target.
    pub(crate) fn line(&self) -> String {
        let line = self.head.lines().next().unwrap_or_default();
        line.strip_suffix(" HTTP/1.1").unwrap_or(line).to_owned()
    }

    /// The value of a header, by its lower-case name.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }
}

/// What a host does with a request.
pub(crate) enum Answer {
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Sends the first bytes, then the second ones again and again until nobody reads any more.
    Forever(Vec<u8>, Vec<u8>),
    /// Sends the first bytes, then one byte each 100 ms.
    Drip(Vec<u8>),
    /// Sends the bytes and then nothing, without closing.
    Stall(Vec<u8>),
}

/// An answer with a status, headers and a body of known length.
pub(crate) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Answer {
    let body = body.as_ref();
    let mut bytes =
        format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    Answer::Bytes(bytes)
}

/// An answer that leads elsewhere.
pub(crate) fn leads(status: u16, location: &str) -> Answer {
    answer(status, &format!("Location: {location}\r\n"), "")
}

#[derive(Default)]
struct Seen {
    connections: usize,
    requests: Vec<Request>,
    sent: u64,
}

/// A running host.
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

impl Host {
    /// A host on an address of this machine, on a port of its own.
    pub(crate) async fn on(ip: &str, respond: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::at(SocketAddr::new(ip.parse().unwrap(), 0), None, respond).await
    }

    /// A host at an address and port, encrypted if so told.
    pub(crate) async fn at(
        address: SocketAddr,
        tls: Option<TlsAcceptor>,
        respond: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (shared, respond) = (Arc::clone(&seen), Arc::new(respond));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                let (seen, respond, tls) = (Arc::clone(&shared), Arc::clone(&respond), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, seen, respond.as_ref()).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, seen, respond.as_ref()).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, seen }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.lock().unwrap().connections
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().requests.clone()
    }

    /// Bytes that were handed to the system to send.
    pub(crate) fn sent(&self) -> u64 {
        self.seen.lock().unwrap().sent
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    seen: Arc<Mutex<Seen>>,
    respond: &(impl Fn(&Request) -> Answer + ?Sized),
) {
    let Some(request) = read(&mut stream).await else { return };
    let answer = respond(&request);
    seen.lock().unwrap().requests.push(request);
    let mut send = async |bytes: &[u8]| {
        stream.write_all(bytes).await?;
        stream.flush().await?;
        seen.lock().unwrap().sent += bytes.len() as u64;
        std::io::Result::Ok(())
    };
    match answer {
        Answer::Bytes(bytes) => {
            let _ = send(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Answer::Forever(first, again) => {
            if send(&first).await.is_ok() {
                while send(&again).await.is_ok() {}
            }
        }
        Answer::Drip(first) => {
            let mut drops = tokio::time::interval(Duration::from_millis(100));
            if send(&first).await.is_ok() {
                while send(b"x").await.is_ok() {
                    drops.tick().await;
                }
            }
        }
        Answer::Stall(bytes) => {
            let _ = send(&bytes).await;
            // Until the other side gives up.
            let _ = stream.read(&mut [0]).await;
        }
    }
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).await.ok()?;
        bytes.extend_from_slice(chunk.get(..count)?);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let request = Request { head: head.to_owned(), body: body.to_owned() };
            let length = request.header("content-length").map_or(0, |text| text.parse().unwrap_or(0));
            if request.body.len() >= length {
                return Some(request);
            }
        }
        if count == 0 {
            return None;
        }
    }
}
