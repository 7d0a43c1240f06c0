//! A PostgreSQL server that says what a test has it say, and else what an honest one would.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

use super::Reply;

/// What is asked of the server: its type, 0 for the login, and the content.
pub(crate) type Asked<'a> = (u8, &'a [u8]);

pub(crate) type Script = Arc<dyn Fn(Asked<'_>) -> Option<Reply> + Send + Sync>;

pub(crate) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag][..], &u32::try_from(body.len() + 4).unwrap().to_be_bytes(), body].concat()
}

/// Describes columns of texts.
pub(crate) fn description(names: &[&str]) -> Vec<u8> {
    let mut body = u16::try_from(names.len()).unwrap().to_be_bytes().to_vec();
    for name in names {
        body.extend(name.as_bytes());
        // No table, no number, type 25 (text), any length, no modifier, text form.
        body.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0]);
    }
    message(b'T', &body)
}

pub(crate) fn row(values: &[&str]) -> Vec<u8> {
    let mut body = u16::try_from(values.len()).unwrap().to_be_bytes().to_vec();
    for value in values {
        body.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
        body.extend(value.as_bytes());
    }
    message(b'D', &body)
}

pub(crate) fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

fn done() -> Vec<u8> {
    message(b'C', b"SELECT 1\0")
}

/// What an honest server answers. `prepared` is the last statement that was prepared.
pub(crate) fn honest(tag: u8, prepared: &[u8]) -> Vec<u8> {
    let sets_up = String::from_utf8_lossy(prepared).contains("set_config");
    let pid = 4711_i32.to_be_bytes();
    match tag {
        0 => [
            message(b'R', &[0; 4]),
            message(b'S', b"server_version\x0015.4\0"),
            message(b'K', &[0; 8]),
            ready(),
        ]
        .concat(),
        b'Q' => [done(), ready()].concat(),
        b'P' => message(b'1', b""),
        b'D' => {
            let parameters = if sets_up { &[0, 1, 0, 0, 0, 25][..] } else { &[0, 0] };
            let columns = if sets_up { setting_columns() } else { description(&["a\0"]) };
            [message(b't', parameters), columns].concat()
        }
        b'B' => message(b'2', b""),
        b'E' if sets_up => {
            let mut body = vec![0, 4, 0, 0, 0, 1, b'x', 0, 0, 0, 4];
            body.extend(pid);
            body.extend([0, 0, 0, 4]);
            body.extend(b"15.4");
            body.extend([0xff; 4]);
            [message(b'D', &body), done()].concat()
        }
        b'E' => [row(&["hello"]), done()].concat(),
        b'C' => message(b'3', b""),
        b'S' => ready(),
        _ => Vec::new(),
    }
}

/// Those of the first statement of a session; the second is a number.
fn setting_columns() -> Vec<u8> {
    let mut columns = description(&["s\0", "pid\0", "v\0", "i\0"]);
    let at = columns.windows(4).position(|bytes| bytes == b"pid\0").unwrap();
    // Behind the name, the table and the number of the column.
    columns[at + 4 + 6 + 3] = 23;
    columns
}

/// A server on a port of its own; it does not encrypt.
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

/// Serves a connection that may ask for encryption and gets none.
pub(crate) async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, script: Script) -> Option<()> {
    let mut login = read(&mut stream, None).await?;
    if login.starts_with(&[4, 210, 22, 47]) {
        match script((b'?', &login)) {
            Some(reply) => reply.send(&mut stream).await.ok()?,
            None => stream.write_all(b"N").await.ok()?,
        }
        login = read(&mut stream, None).await?;
    }
    answer(&mut stream, &script, 0, &login, &[]).await?;
    let mut prepared = Vec::new();
    loop {
        let tag = stream.read_u8().await.ok()?;
        let body = read(&mut stream, Some(tag)).await?;
        if tag == b'P' {
            prepared.clone_from(&body);
        }
        answer(&mut stream, &script, tag, &body, &prepared).await?;
    }
}

async fn read(stream: &mut (impl AsyncRead + Unpin), _: Option<u8>) -> Option<Vec<u8>> {
    let len = stream.read_u32().await.ok()?;
    let mut body = vec![0; usize::try_from(len).ok()?.checked_sub(4)?];
    stream.read_exact(&mut body).await.ok()?;
    Some(body)
}

async fn answer(
    stream: &mut (impl AsyncWrite + Unpin),
    script: &Script,
    tag: u8,
    body: &[u8],
    prepared: &[u8],
) -> Option<()> {
    let reply = script((tag, body)).unwrap_or_else(|| Reply::Bytes(honest(tag, prepared)));
    reply.send(stream).await.ok()
}
