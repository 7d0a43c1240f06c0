//! Logging in: what is encrypted, who is believed, and what the server gets to see.

use std::sync::{Arc, Mutex};

use siteclaw_db::{DbError, Tls, Value};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use super::mysql_server::{Asked, OK, SSL, greeting, honest, packet, packets, read_packet, start};
use super::{Reply, ask_mysql, ask_postgres, mysql_at, postgres_at, postgres_server};

const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/hostile/certificates/authority.pem");
const LOCAL_FILES: u32 = 1 << 7;

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("certificates/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("certificates/server.key")).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

fn required() -> Tls {
    Tls::Required { ca: Some(AUTHORITY.into()) }
}

/// The number and the content of a packet.
type Packet = (u8, Vec<u8>);

/// What a server saw of a login over an encrypted connection.
#[derive(Clone, Debug, Default)]
struct Saw(Arc<Mutex<Vec<Packet>>>);

impl Saw {
    fn take(&self) -> Vec<Packet> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// A MySQL server that encrypts, and then asks for the password by `ask`.
async fn mysql(ask: &'static [u8]) -> (u16, Saw) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let saw = Saw::default();
    let seen = saw.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, ask, seen.clone()));
        }
    });
    (port, saw)
}

async fn serve(mut plain: TcpStream, ask: &'static [u8], saw: Saw) -> Option<()> {
    plain.write_all(&packet(0, &greeting(true))).await.unwrap();
    let request = read_packet(&mut plain).await?;
    saw.0.lock().unwrap().push(request);
    let mut stream: TlsStream<TcpStream> = acceptor().accept(plain).await.ok()?;
    let (mut sequence, answer) = read_packet(&mut stream).await?;
    saw.0.lock().unwrap().push((sequence, answer));
    if !ask.is_empty() {
        stream.write_all(&packet(sequence + 1, ask)).await.unwrap();
        let password = read_packet(&mut stream).await?;
        sequence = password.0;
        saw.0.lock().unwrap().push(password);
    }
    stream.write_all(&packet(sequence + 1, &OK)).await.unwrap();
    loop {
        let (_, command) = read_packet(&mut stream).await?;
        stream.write_all(&packets(&honest(&command)?)).await.ok()?;
    }
}

fn capabilities(login: &[u8]) -> u32 {
    u32::from_le_bytes(login[..4].try_into().unwrap())
}

#[tokio::test]
async fn a_password_goes_as_it_is_over_an_encrypted_connection_alone() {
    for ask in [&b"\x01\x04"[..], b"\xfesha256_password\0saltsaltsaltsaltsalt\0"] {
        let (port, saw) = mysql(ask).await;
        let found = ask_mysql(mysql_at(port, required())).await.unwrap();
        assert_eq!(found.rows[0].values(), [Value::Text("hello".into())]);
        let saw = saw.take();
        let [(1, request), (2, answer), (4, password)] = &saw[..] else { panic!("{saw:?}") };
        assert_eq!((request.len(), capabilities(request) & SSL), (32, SSL));
        assert_eq!(request[..], answer[..32], "the encrypted answer begins like the request");
        assert!(!String::from_utf8_lossy(answer).contains("hunter2"));
        assert_eq!(password, b"hunter2\0");
    }
    // Over a connection that anybody may read along, the driver asks for a key instead.
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    let port = start(move |said| match said {
        Asked::Login(body) => {
            let mut heard = heard.lock().unwrap();
            heard.push(body.to_owned());
            Some(Reply::Bytes(match heard.len() {
                1 => packet(2, b"\xfecaching_sha2_password\0saltsaltsaltsaltsalt\0"),
                2 => packet(4, b"\x01\x04"),
                _ => packet(6, b"\x01no key"),
            }))
        }
        _ => None,
    })
    .await;
    assert!(ask_mysql(mysql_at(port, Tls::Preferred)).await.is_err());
    let asked = asked.lock().unwrap();
    assert!(asked.len() >= 3 && asked[2] == [2], "{asked:?}");
    assert!(!asked.iter().any(|body| String::from_utf8_lossy(body).contains("hunter2")), "{asked:?}");
}

#[tokio::test]
async fn only_the_bearer_of_the_name_is_believed() {
    let (port, saw) = mysql(b"").await;
    assert!(ask_mysql(mysql_at(port, required())).await.is_ok());
    // Without an authority anybody is believed, as by PHP.
    assert!(ask_mysql(mysql_at(port, Tls::Required { ca: None })).await.is_ok());
    saw.take();
    let mut other = mysql_at(port, required());
    other.hosts = vec![siteclaw_db::MySqlAddress::Tcp { host: "ip6-localhost".into(), port }];
    let mut stranger = other.clone();
    stranger.hosts = vec![siteclaw_db::MySqlAddress::Tcp { host: "127.0.0.2".into(), port }];
    let listening = TcpStream::connect(("127.0.0.2", port)).await.is_ok();
    if listening {
        let error = ask_mysql(stranger).await.unwrap_err();
        assert!(matches!(error, DbError::TlsFailed { .. }), "{error:?}");
    }
    // No authority of the system's vouches for this certificate.
    let public = tempfile::NamedTempFile::new().unwrap();
    let error =
        ask_mysql(mysql_at(port, Tls::Required { ca: Some(public.path().into()) })).await.unwrap_err();
    assert!(
        matches!(&error, DbError::TlsFailed { reason, .. } if reason.contains("certificate")),
        "{error:?}"
    );
    let logins = saw.take().into_iter().filter(|(_, body)| body.len() > 32).count();
    assert_eq!(logins, 0, "nobody logs in where the certificate is not believed");
}

#[tokio::test]
async fn a_server_without_encryption_is_refused_where_it_is_demanded_and_used_where_it_is_preferred() {
    let port = start(|_| None).await;
    let error = ask_mysql(mysql_at(port, required())).await.unwrap_err();
    assert!(error.to_string().contains("could not be encrypted: the server does not offer it"), "{error}");
    assert!(ask_mysql(mysql_at(port, Tls::Preferred)).await.is_ok());
    let port = postgres_server::start(|_| None).await;
    let error = ask_postgres(postgres_at(port, required())).await.unwrap_err();
    assert!(error.to_string().contains("could not be encrypted: the server does not offer it"), "{error}");
    assert!(ask_postgres(postgres_at(port, Tls::Preferred)).await.is_ok());
}

/// It offers encryption and cannot do it, like a server that knows only TLS 1.0.
#[tokio::test]
async fn preferred_encryption_that_fails_is_done_without() {
    let port = start(|asked| match asked {
        Asked::Greeting => Some(Reply::Bytes(packet(0, &greeting(true)))),
        Asked::Login(body) if capabilities(body) & SSL != 0 => Some(Reply::Bytes(b"no".repeat(20))),
        _ => None,
    })
    .await;
    assert!(ask_mysql(mysql_at(port, Tls::Preferred)).await.is_ok());
    let error = ask_mysql(mysql_at(port, Tls::Required { ca: None })).await.unwrap_err();
    assert!(matches!(error, DbError::TlsFailed { .. }), "{error:?}");
}

#[tokio::test]
async fn postgres_is_encrypted_before_anything_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut plain, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 8];
                plain.read_exact(&mut request).await.ok()?;
                assert_eq!(request, [0, 0, 0, 8, 4, 210, 22, 47]);
                plain.write_all(b"S").await.ok()?;
                let stream = acceptor().accept(plain).await.ok()?;
                postgres_server::serve(stream, Arc::new(|_| None)).await
            });
        }
    });
    let found = ask_postgres(postgres_at(port, required())).await.unwrap();
    assert_eq!(found.rows[0].values(), [Value::Text("hello".into())]);
    let public = tempfile::NamedTempFile::new().unwrap();
    let settings = postgres_at(port, Tls::Required { ca: Some(public.path().into()) });
    let error = ask_postgres(settings).await.unwrap_err();
    assert!(matches!(error, DbError::TlsFailed { .. }), "{error:?}");
}

/// A server may ask for any file of the client by its answer to a statement.
#[tokio::test]
async fn no_server_gets_a_local_file() {
    let saw = Saw::default();
    let seen = saw.clone();
    let port = start(move |asked| match asked {
        Asked::Greeting => None,
        Asked::Login(body) => {
            seen.0.lock().unwrap().push((0, body.to_owned()));
            None
        }
        Asked::Command(body) => {
            seen.0.lock().unwrap().push((1, body.to_owned()));
            Some(Reply::Bytes(packet(1, b"\xfb/etc/passwd")))
        }
    })
    .await;
    let error = ask_mysql(mysql_at(port, Tls::Preferred)).await.unwrap_err();
    assert!(error.to_string().contains("it asks for a file of this machine"), "{error}");
    let saw = saw.take();
    assert_eq!(capabilities(&saw[0].1) & LOCAL_FILES, 0);
    assert!(saw.iter().all(|(_, sent)| !String::from_utf8_lossy(sent).contains("root:")), "{saw:?}");
}
