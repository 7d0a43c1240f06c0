//! Sockets to a server.

use std::io;
use std::path::PathBuf;

use tokio::net::{TcpStream, UnixStream};

use super::Server;

/// Where a server is.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    /// A host, by name or address, and a port.
    Tcp(String, u16),
    /// The file of a socket.
    Socket(PathBuf),
}

impl Address {
    /// Whether what is sent stays on this machine, as MySQL sees it: on a socket, and on no port.
    pub(super) const fn is_local(&self) -> bool {
        matches!(self, Self::Socket(_))
    }

    /// The name that a certificate must bear.
    pub(crate) fn host(&self) -> &str {
        match self {
            Self::Tcp(host, _) => host,
            Self::Socket(_) => "localhost",
        }
    }
}

pub(super) async fn connect(address: &Address) -> io::Result<Server> {
    Ok(match address {
        Address::Tcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port)).await?;
            // Statements are short and each waits for the one before: nothing is gained by collecting them.
            stream.set_nodelay(true)?;
            Box::new(stream)
        }
        Address::Socket(path) => Box::new(UnixStream::connect(path).await?),
    })
}
