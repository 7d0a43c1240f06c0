//! Messages on their way out: a queue of bounded length and one task that writes.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

/// Messages that wait to be written.
const QUEUE: usize = 64;

struct Frame {
    line: Vec<u8>,
    written: Option<oneshot::Sender<()>>,
}

/// The way into the queue.
#[derive(Clone)]
pub(crate) struct Frames(mpsc::Sender<Frame>);

/// The way out of it.
pub(crate) struct Written(mpsc::Receiver<Frame>);

/// A place in the queue for one error of the transport's own.
pub(super) struct Room<'a>(mpsc::Permit<'a, Frame>);

/// A queue.
pub(crate) fn frames() -> (Frames, Written) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    (Frames(sender), Written(receiver))
}

impl Frames {
    /// Ends once the message is written.
    pub(super) async fn send(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let (sender, written) = oneshot::channel();
        let frame = Frame { line: line(message)?, written: Some(sender) };
        self.0.send(frame).await.map_err(|_| closed())?;
        written.await.map_err(|_| closed())
    }

    /// Waits for room; `None` when nothing can be written any more.
    pub(super) async fn room(&self) -> Option<Room<'_>> {
        self.0.reserve().await.ok().map(Room)
    }

    /// Ends when nothing can be written any more.
    pub(super) async fn closed(&self) {
        self.0.closed().await;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

impl Room<'_> {
    pub(super) fn error(self, error: ErrorData, id: Option<RequestId>) {
        let message: TxJsonRpcMessage<RoleServer> = JsonRpcMessage::error(error, id);
        match line(&message) {
            Ok(line) => self.0.send(Frame { line, written: None }),
            Err(error) => tracing::error!(%error, "an error could not be written as JSON"),
        }
    }
}

fn line(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the client reads no more")
}

/// Writes what is queued until nobody can queue anything more, or the client stops reading.
pub(crate) async fn write<W: AsyncWrite + Unpin>(mut writer: W, mut frames: Written) {
    while let Some(Frame { line, written }) = frames.0.recv().await {
        let result = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        if let Err(error) = result.await {
            tracing::warn!(%error, "the output cannot be written");
            return;
        }
        if let Some(written) = written {
            // Nobody may wait for it any more.
            let _ = written.send(());
        }
    }
    let _ = writer.shutdown().await;
}
