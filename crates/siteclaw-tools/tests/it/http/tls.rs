//! Encrypted hosts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use siteclaw_tools::http_request::Settings;
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

use super::host::{Answer, Host, Request, answer, leads};
use super::{Door, Names};

/// An authority of the test's own, and its certificate in a file.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("authority.pem"), certificate.pem()).unwrap();
        Self { issuer: Issuer::new(params, key), folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// Makes connections to a host of this name.
    fn acceptor(&self, name: &str) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            )
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    async fn host(&self, name: &str, respond: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Host {
        let address = SocketAddr::new("127.0.0.2".parse().unwrap(), 0);
        Host::at(address, Some(self.acceptor(name)), respond).await
    }
}

fn trusting(authority: &Authority) -> Settings {
    Settings { authorities: Some(authority.file()), ..Settings::default() }
}

#[tokio::test]
async fn an_encrypted_host_is_asked_if_its_certificate_is_good() {
    let authority = Authority::new();
    let host = authority.host("secure.example", |_| answer(200, "", "safe")).await;
    let names =
        Names::default().answer("secure.example", &["127.0.0.2"]).answer("other.example", &["127.0.0.2"]);
    let door = Door::with(&names, &[&host], trusting(&authority), true);
    let answer = door.get(&format!("https://secure.example:{}/", host.port())).await;
    assert_eq!(answer["data"]["body"], "safe");
    // The same certificate under another name, and one that nobody vouches for.
    let other = json!({"url": format!("https://other.example:{}/", host.port())});
    assert_eq!(door.refused(other).await["code"], "HTTP_FAILED");
    let untrusting = Door::new(&names, &[&host]);
    let error = untrusting.refused(json!({"url": format!("https://secure.example:{}/", host.port())})).await;
    assert_eq!(error["code"], "HTTP_FAILED");
    assert!(error["message"].as_str().unwrap().contains("certificate"), "{error}");
    assert_eq!(host.requests().len(), 1);
}

#[tokio::test]
async fn encryption_is_never_given_up_on_the_way() {
    let authority = Authority::new();
    let plain = Host::on("127.0.0.3", |_| answer(200, "", "plain")).await;
    let to = format!("http://plain.example:{}/", plain.port());
    let host = authority.host("secure.example", move |_| leads(302, &to)).await;
    let names =
        Names::default().answer("secure.example", &["127.0.0.2"]).answer("plain.example", &["127.0.0.3"]);
    let door = Door::with(&names, &[&host, &plain], trusting(&authority), true);
    let error = door.refused(json!({"url": format!("https://secure.example:{}/", host.port())})).await;
    assert_eq!(error["code"], "REDIRECT_REFUSED");
    assert_eq!(plain.connections(), 0);
    // The other way is fine.
    let secure = authority.host("up.example", |_| answer(200, "", "up")).await;
    let location = format!("https://up.example:{}/", secure.port());
    let first = Host::on("127.0.0.4", move |_| leads(301, &location)).await;
    let names = Names::default().answer("up.example", &["127.0.0.2"]).answer("first.example", &["127.0.0.4"]);
    let door = Door::with(&names, &[&first, &secure], trusting(&authority), true);
    assert_eq!(door.get(&format!("http://first.example:{}/", first.port())).await["data"]["body"], "up");
}

#[tokio::test]
async fn a_file_of_authorities_that_cannot_be_read_is_an_error_of_the_settings() {
    use siteclaw_tools::http_request::HttpRequest;
    let settings = Settings { authorities: Some("/nonexistent/authority.pem".into()), ..Settings::default() };
    let error = HttpRequest::new(&settings).err().unwrap();
    assert!(error.message().contains("authorities"), "{error}");
    for settings in [
        Settings { proxy: Some("http://user:hunter2@".to_owned()), ..Settings::default() },
        Settings { hosts: vec!["a b".to_owned()], ..Settings::default() },
        Settings { request_headers: vec!["Host".to_owned()], ..Settings::default() },
    ] {
        let error = HttpRequest::new(&settings).err().unwrap();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
