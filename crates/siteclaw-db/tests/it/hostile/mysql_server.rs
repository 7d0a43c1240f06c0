//! A MySQL server that says what a test has it say, and else what an honest one would.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpListener;

use super::Reply;

pub(crate) const SSL: u32 = 1 << 11;

/// What is asked of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked<'a> {
    /// A client has connected.
    Greeting,
    /// Its answer to the greeting, and what it sends until it is let in.
    Login(&'a [u8]),
    /// A command.
    Command(&'a [u8]),
}

pub(crate) type Script = Arc<dyn Fn(Asked<'_>) -> Option<Reply> + Send + Sync>;

pub(crate) fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&len[..3], &[sequence], payload].concat()
}

/// Packets numbered from 1, as an answer to a command.
pub(crate) fn packets(payloads: &[Vec<u8>]) -> Vec<u8> {
    (1..).zip(payloads).flat_map(|(number, payload)| packet(number, payload)).collect()
}

pub(crate) async fn read_packet(stream: &mut (impl AsyncRead + Unpin)) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.ok()?;
    let mut body = vec![0; usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16];
    stream.read_exact(&mut body).await.ok()?;
    Some((head[3], body))
}

/// Greets like MySQL 8 with every capability, and with encryption if so wished.
pub(crate) fn greeting(ssl: bool) -> Vec<u8> {
    let mut payload = b"\x0a8.0.36\0\x01\0\0\0saltsalt\0".to_vec();
    payload.extend([0xFF, if ssl { 0xFF } else { 0xF7 }, 45, 2, 0, 0xFF, 0x81, 21]);
    payload.extend([0; 10]);
    payload.extend(b"saltsaltsalt\0mysql_native_password\0");
    payload
}

pub(crate) const OK: [u8; 7] = [0, 0, 0, 2, 0, 0, 0];
pub(crate) const END: [u8; 7] = [0xfe, 0, 0, 2, 0, 0, 0];

/// Describes a column of texts.
pub(crate) fn column(name: &str) -> Vec<u8> {
    let mut payload = Vec::new();
    for text in ["def", "shop", "t", "t", name, name] {
        payload.push(u8::try_from(text.len()).unwrap());
        payload.extend(text.as_bytes());
    }
    payload.extend([0x0c, 45, 0, 0xFF, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0]);
    payload
}

/// Describes a column of whole numbers without sign.
fn number(name: &str) -> Vec<u8> {
    let mut payload = column(name);
    let end = payload.len();
    payload[end - 6] = 8;
    payload[end - 5] = 32;
    payload
}

/// What an honest server answers to a command: to `SELECT a FROM t`, one row.
pub(crate) fn honest(command: &[u8]) -> Option<Vec<Vec<u8>>> {
    match command.split_first()? {
        (0x03, sql) if sql.starts_with(b"SELECT VERSION()") => Some(vec![
            vec![2],
            column("version"),
            number("id"),
            [&[6][..], b"8.0.36", &[1], b"7"].concat(),
            END.to_vec(),
        ]),
        (0x16, _) => Some(vec![vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], column("a")]),
        (0x17, _) => Some(vec![vec![1], column("a"), [&[0, 0, 5][..], b"hello"].concat(), END.to_vec()]),
        (0x19, _) => Some(Vec::new()),
        (0x01, _) => None,
        _ => Some(vec![OK.to_vec()]),
    }
}

/// A server on a port of its own.
pub(crate) async fn start(script: impl Fn(Asked<'_>) -> Option<Reply> + Send + Sync + 'static) -> u16 {
    let script: Script = Arc::new(script);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&script)));
        }
    });
    port
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, script: Script) -> Option<()> {
    let first = script(Asked::Greeting).unwrap_or_else(|| Reply::Bytes(packet(0, &greeting(false))));
    first.send(&mut stream).await.ok()?;
    let (mut sequence, mut body) = read_packet(&mut stream).await?;
    while let Some(reply) = script(Asked::Login(&body)) {
        reply.send(&mut stream).await.ok()?;
        (sequence, body) = read_packet(&mut stream).await?;
    }
    Reply::Bytes(packet(sequence + 1, &OK)).send(&mut stream).await.ok()?;
    loop {
        let (_, command) = read_packet(&mut stream).await?;
        let reply = match script(Asked::Command(&command)) {
            Some(reply) => reply,
            None => Reply::Bytes(packets(&honest(&command)?)),
        };
        reply.send(&mut stream).await.ok()?;
    }
}
