//! Encryption: one configuration for every connection, on ring, with the authorities of this machine.

use std::io;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// A client configuration that trusts the authorities of this machine (the bundled ones of Mozilla where it has
/// none) and those in `extra`, a text of PEM certificates. Reads files: not for a runtime's thread.
pub(super) fn client_config(extra: Option<&[u8]>) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    // A single certificate of the store that cannot be read is no reason to trust none.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for certificate in extra.map(CertificateDer::pem_slice_iter).into_iter().flatten() {
        roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(io::Error::other)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
