//! A server that a hostile configuration leads to.

use std::time::Duration;

use siteclaw_core::Secret;
use siteclaw_db::{ConnectSettings, Database, Limits, MySqlAddress, MySqlSettings, Tls};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::servers::rows;

const LOCAL_FILES: u32 = 1 << 7;

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&len[..3], &[sequence], payload].concat()
}

async fn read_packet(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.ok()?;
    let mut body = vec![0; usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16];
    stream.read_exact(&mut body).await.ok()?;
    Some((head[3], body))
}

/// Greets like MySQL 8 with every capability but TLS.
fn greeting() -> Vec<u8> {
    let mut payload = b"\x0a8.0.36\0\x01\0\0\0saltsalt\0".to_vec();
    payload.extend([0xFF, 0xF7, 45, 2, 0, 0xFF, 0x81, 21]);
    payload.extend([0; 10]);
    payload.extend(b"saltsaltsalt\0mysql_native_password\0");
    packet(0, &payload)
}

/// What the client sent: its capabilities, and everything after the server asked for a file.
async fn serve(listener: TcpListener) -> (u32, Vec<u8>) {
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.write_all(&greeting()).await.unwrap();
    let (sequence, login) = read_packet(&mut stream).await.unwrap();
    let capabilities = u32::from_le_bytes(login[..4].try_into().unwrap());
    stream.write_all(&packet(sequence + 1, &[0, 0, 0, 2, 0, 0, 0])).await.unwrap();
    let mut after = Vec::new();
    while let Some((sequence, body)) = read_packet(&mut stream).await {
        after.extend(body);
        if stream.write_all(&packet(sequence + 1, b"\xfb/etc/passwd")).await.is_err() {
            break;
        }
    }
    (capabilities, after)
}

#[tokio::test]
async fn no_server_gets_a_local_file() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(serve(listener));
    let settings = MySqlSettings {
        hosts: vec![MySqlAddress::Tcp { host: "127.0.0.1".into(), port }],
        user: "shop".into(),
        password: Secret::new("x"),
        database: "shop".into(),
        tls: Tls::Preferred,
    };
    let limits = Limits { connect_timeout: Duration::from_secs(1), ..Limits::default() };
    let database = Database::new(ConnectSettings::MySql(settings), limits);
    let result = rows(&database, "SELECT 1").await;
    assert!(result.is_err(), "{result:?}");
    drop(database);
    let (capabilities, sent) = server.await.unwrap();
    assert_eq!(capabilities & LOCAL_FILES, 0, "{capabilities:#x}");
    let sent = String::from_utf8_lossy(&sent);
    assert!(!sent.contains("root:"), "{sent}");
}
