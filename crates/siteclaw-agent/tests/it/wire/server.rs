//! A model server for one test: it plays prepared answers, one a request, and keeps what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What happens after the headers of an answer, in order. Each text is a piece of its own on the wire.
pub(crate) enum Part {
    Send(String),
    /// Waits until the test says so.
    Wait(Arc<Notify>),
    /// Ends the connection without the end of the answer.
    Break,
    /// Never goes on.
    Hang,
}

pub(crate) struct Prepared {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) parts: Vec<Part>,
}

/// An answer in one piece.
pub(crate) fn document(status: u16, body: impl ToString) -> Prepared {
    Prepared {
        status,
        headers: vec![("content-type", "application/json".to_owned())],
        parts: vec![Part::Send(body.to_string())],
    }
}

/// Server-sent events with these data.
pub(crate) fn events<T: ToString>(data: impl IntoIterator<Item = T>) -> Prepared {
    let parts = data.into_iter().map(|data| Part::Send(event(data))).collect();
    Prepared { status: 200, headers: vec![("content-type", "text/event-stream".to_owned())], parts }
}

pub(crate) fn event(data: impl ToString) -> String {
    format!("data: {}\n\n", data.to_string())
}

impl Prepared {
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn then(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

pub(crate) struct Server {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(crate) async fn start(answers: Vec<Prepared>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
        let kept = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answers), Arc::clone(&kept)));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, answers: Arc<Mutex<VecDeque<Prepared>>>, kept: Arc<Mutex<Vec<Asked>>>) {
    let Some(asked) = read(&mut stream).await else { return };
    kept.lock().unwrap().push(asked);
    let next = answers.lock().unwrap().pop_front();
    let Some(prepared) = next else { return };
    let mut head =
        format!("HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", prepared.status);
    for (name, value) in &prepared.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    if stream.write_all(head.as_bytes()).await.is_err() {
        return;
    }
    for part in prepared.parts {
        match part {
            Part::Send(text) => {
                let chunk = format!("{:x}\r\n{text}\r\n", text.len());
                if stream.write_all(chunk.as_bytes()).await.is_err() {
                    return;
                }
            }
            Part::Wait(go) => go.notified().await,
            Part::Break => return,
            Part::Hang => std::future::pending().await,
        }
    }
    let _ = stream.write_all(b"0\r\n\r\n").await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let target = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().unwrap();
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked { target, headers, body: serde_json::from_slice(&body).unwrap() })
}
