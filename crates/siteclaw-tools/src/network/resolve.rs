//! Asking for the addresses of a name.

use std::io;
use std::net::IpAddr;

use siteclaw_core::BoxFuture;

/// Gives all addresses of a name.
pub trait Resolve: Send + Sync + 'static {
    /// Every address that the name has now. `absolute` says that the name is whole and must not be completed by a
    /// search list of this machine.
    fn resolve(&self, name: String, absolute: bool) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The name service of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, mut name: String, absolute: bool) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        if absolute {
            // With the dot at its end `foo.example` is never tried as `foo.example.corp.lan`.
            name.push('.');
        }
        Box::pin(async move {
            Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
        })
    }
}
