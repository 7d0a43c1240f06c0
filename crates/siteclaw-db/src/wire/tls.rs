//! Encryption on the way to a server.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_rustls::TlsConnector;

use super::{Refusal, Server};

/// Whether a connection is encrypted, and with whom.
#[derive(Clone, Debug)]
pub(crate) enum Encryption {
    /// Never.
    Off,
    /// Where the server can; no certificate is checked.
    Preferred(Peer),
    /// Always.
    Required(Peer),
}

/// Who the server must be.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// Anybody.
    Anybody,
    /// The bearer of this name, vouched for by one of these authorities (PEM) or a public one.
    Named {
        /// A host's name or address.
        host: String,
        /// The authorities.
        authorities: Vec<u8>,
    },
}

/// Encrypts a connection.
pub(super) async fn encrypt(server: Server, peer: &Peer) -> Result<Server, Refusal> {
    let failed = |error: rustls::Error| Refusal::Tls(error.to_string());
    let (config, host) = match peer {
        Peer::Anybody => (unverified().map_err(failed)?, "localhost"),
        Peer::Named { host, authorities } => (verified(authorities)?, host.as_str()),
    };
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| Refusal::Tls("the host's name cannot stand in a certificate".to_owned()))?;
    match TlsConnector::from(Arc::new(config)).connect(name, server).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) => Err(Refusal::Tls(error.to_string())),
    }
}

fn unverified() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let verifier = Arc::new(Unverified(provider));
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

fn verified(authorities: &[u8]) -> Result<ClientConfig, Refusal> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for certificate in CertificateDer::pem_slice_iter(authorities) {
        let added = certificate.ok().and_then(|certificate| roots.add(certificate).ok());
        added
            .ok_or_else(|| Refusal::Tls("the file of authorities holds an invalid certificate".to_owned()))?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Refusal::Tls(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Takes any certificate, as PHP's clients do where nobody named an authority; the handshake itself must hold.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
