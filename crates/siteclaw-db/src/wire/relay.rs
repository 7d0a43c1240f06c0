//! Passes on what was looked at, both ways.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{End, Refusal, Server};

const UP: usize = 16 * 1024;
const DOWN: usize = 64 * 1024;

/// Looks at a conversation.
pub(super) trait Inspector {
    /// At bytes of the driver, which are trusted and show what is asked.
    fn asked(&mut self, bytes: &[u8]) -> Result<(), Refusal>;
    /// At bytes of the server.
    fn answered(&mut self, bytes: &[u8]) -> Result<(), Refusal>;
}

/// Goes on until one side is gone or the server is refused. What the driver sends was looked at before the server
/// can answer it.
pub(super) async fn run(
    server: Server,
    driver: impl AsyncRead + AsyncWrite + Unpin + Send,
    mut inspector: impl Inspector + Send,
) -> Result<(), End> {
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let (mut from_driver, mut to_driver) = tokio::io::split(driver);
    let (mut up, mut down) = (vec![0; UP], vec![0; DOWN]);
    loop {
        tokio::select! {
            read = from_driver.read(&mut up) => {
                let bytes = up.get(..read?).unwrap_or_default();
                if bytes.is_empty() {
                    // The driver has said goodbye; an encrypted connection takes its leave too.
                    let _ = to_server.shutdown().await;
                    return Ok(());
                }
                inspector.asked(bytes)?;
                to_server.write_all(bytes).await?;
                to_server.flush().await?;
            }
            read = from_server.read(&mut down) => {
                let bytes = down.get(..read?).unwrap_or_default();
                if bytes.is_empty() {
                    return Ok(());
                }
                inspector.answered(bytes)?;
                to_driver.write_all(bytes).await?;
            }
        }
    }
}
