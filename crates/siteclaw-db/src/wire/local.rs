//! The socket within this process at which a driver finds its server.
//!
//! Drivers connect by an address of their own, so there must be one. On Linux it is a name without a file; where
//! there is no such thing, a file in a folder that only this user can enter. It takes one connection, and only from
//! this very process: anybody may see the name.

use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::net::{UnixListener, UnixStream};

/// The port in the name of the socket, by which a PostgreSQL driver looks for it. It has no other meaning.
pub(crate) const PORT: u16 = 5432;

/// Where a driver connects, once.
pub(crate) struct Endpoint {
    path: PathBuf,
    /// Keeps the folder of the socket until the driver has connected.
    #[cfg(not(target_os = "linux"))]
    _folder: tempfile::TempDir,
}

impl Endpoint {
    /// Waits for the driver, and has it served.
    pub(super) fn open<F>(serve: impl FnOnce(UnixStream) -> F + Send + 'static) -> io::Result<Self>
    where
        F: Future<Output = ()> + Send,
    {
        let (listener, endpoint) = Self::bind(&name())?;
        tokio::spawn(async move {
            if let Ok(driver) = accept(&listener).await {
                drop(listener);
                serve(driver).await;
            }
        });
        Ok(endpoint)
    }

    #[cfg(target_os = "linux")]
    fn bind(name: &str) -> io::Result<(UnixListener, Self)> {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net;
        // As a PostgreSQL driver looks for it: a file of a fixed name in a folder.
        let name = format!("siteclaw-{name}/{}", file());
        let listener = net::UnixListener::bind_addr(&net::SocketAddr::from_abstract_name(name.as_bytes())?)?;
        listener.set_nonblocking(true)?;
        let mut path = OsString::from("\0");
        path.push(&name);
        Ok((UnixListener::from_std(listener)?, Self { path: path.into() }))
    }

    #[cfg(not(target_os = "linux"))]
    fn bind(_name: &str) -> io::Result<(UnixListener, Self)> {
        let folder = tempfile::TempDir::with_prefix("siteclaw-")?;
        let path = folder.path().join(file());
        Ok((UnixListener::bind(&path)?, Self { path, _folder: folder }))
    }

    /// The path of the socket.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder in which a PostgreSQL driver looks for it.
    pub(crate) fn folder(&self) -> PathBuf {
        // Taken off as text: the path may begin with a zero byte and is no path of any file then.
        let path = self.path.to_string_lossy();
        PathBuf::from(path.strip_suffix(&format!("/{}", file())).unwrap_or(&path))
    }
}

fn file() -> String {
    format!(".s.PGSQL.{PORT}")
}

/// A name that nobody has. Random, so that nobody can take it beforehand; where a bare chroot has no random bytes, it
/// is still one of its own.
fn name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let random = getrandom::u64().unwrap_or_default();
    format!("{}-{number}-{random:016x}", std::process::id())
}

/// The first connection that comes from this process.
async fn accept(listener: &UnixListener) -> io::Result<UnixStream> {
    loop {
        let (stream, _) = listener.accept().await?;
        let peer = stream.peer_cred()?;
        let own_process = peer.pid().is_none_or(|pid| u32::try_from(pid) == Ok(std::process::id()));
        if own_process && peer.uid() == rustix::process::geteuid().as_raw() {
            return Ok(stream);
        }
    }
}
