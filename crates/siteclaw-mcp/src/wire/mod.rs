//! Messages over a pair of byte streams, one JSON object a line.
//!
//! Refused here, before anything looks at a message: lines longer than [`MAX_LINE`], lines of more than
//! [`MAX_VALUES`] values, what is not JSON, batches, ids that are in use. Each is answered with an error,
//! without an id where no request can be waiting for it, and the session goes on. Calls take their place in the order here, because this is the
//! last point at which messages are in the order in which they arrived.

mod decode;
mod lines;
mod output;
mod unanswered;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use siteclaw_core::Cancel;
use tokio::io::AsyncRead;
use tokio::time::Instant;

use self::decode::Decoded;
pub(crate) use self::decode::wrong_parameters;
use self::lines::{Line, Lines};
pub(crate) use self::output::{Frames, frames, write};
use self::unanswered::Unanswered;
use crate::server::Session;
use crate::turns::Arrived;

/// The longest line that is read, in bytes: 16 MiB, which is also the most that the arguments of a call may
/// hold.
pub const MAX_LINE: usize = 16 * 1024 * 1024;
/// The most values in one message. Each takes far more memory than its bytes on the line.
pub const MAX_VALUES: usize = 200_000;

/// Unanswered requests besides the calls under way before no more are read.
const BACKLOG: usize = 256;
/// What mutating calls are given to end once they are cancelled; the door itself waits 5 seconds.
const LAST_CALLS: Duration = Duration::from_secs(6);

/// The transport of one session.
pub(crate) struct Wire<R> {
    lines: Lines<R>,
    frames: Frames,
    session: Arc<Session>,
    unanswered: Arc<Unanswered>,
    cancel: Cancel,
    /// An error of this transport's own that waits for room in the output.
    reply: Option<(ErrorData, Option<RequestId>)>,
    /// Whether a request was seen. Before one there is nothing that a notification could be about.
    opened: bool,
    ending: Option<Ending>,
}

/// Input is over: calls may go on until then.
struct Ending {
    until: Instant,
    cancelled: bool,
}

impl<R: AsyncRead + Send + Unpin> Wire<R> {
    pub(crate) fn new(reader: R, frames: Frames, session: Arc<Session>, cancel: Cancel) -> Self {
        Self {
            lines: Lines::new(reader, MAX_LINE),
            frames,
            unanswered: Arc::new(Unanswered::new(session.max_in_flight + BACKLOG)),
            session,
            cancel,
            reply: None,
            opened: false,
            ending: None,
        }
    }

    /// The next message, or none when the session is over. The SDK abandons and repeats this at any await.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.reply.is_some() {
                let room = self.frames.room().await?;
                if let Some((error, id)) = self.reply.take() {
                    room.error(error, id);
                }
            }
            if self.ending.is_some() {
                self.wind_down().await;
                return None;
            }
            let line = tokio::select! {
                biased;
                () = self.cancel.cancelled() => Line::End,
                () = self.frames.closed() => Line::End,
                line = async { self.unanswered.room().await; self.lines.next().await } => line,
            };
            let decoded = match line {
                Line::Text(line) => decode::decode(&line),
                Line::TooLong => {
                    let text = format!("The message is longer than {} MiB.", MAX_LINE / 1024 / 1024);
                    Decoded::Refused(ErrorData::invalid_request(text, None), None)
                }
                Line::End => {
                    let left = if self.frames.is_closed() { Duration::ZERO } else { self.session.drain };
                    self.ending = Some(Ending { until: Instant::now() + left, cancelled: false });
                    continue;
                }
            };
            match decoded {
                Decoded::Nothing => {}
                Decoded::Refused(error, id) => self.reply = Some((error, id)),
                Decoded::Message(message) => {
                    if let Some(message) = self.admitted(*message) {
                        return Some(message);
                    }
                }
            }
        }
    }

    /// Gives a call its place, and keeps track of what has to be answered.
    fn admitted(&mut self, mut message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &mut message {
            JsonRpcMessage::Request(request) => {
                self.opened = true;
                if !self.unanswered.add(request.id.clone()) {
                    let text = "The id of the request is that of one that is not answered yet.";
                    self.reply = Some((ErrorData::invalid_request(text, None), None));
                    return None;
                }
                if let ClientRequest::CallToolRequest(call) = &mut request.request {
                    let place = self.session.turns.place(self.session.may_write(&call.params.name));
                    call.extensions.insert(Arrived::new(place));
                }
            }
            JsonRpcMessage::Notification(_) if !self.opened => return None,
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // The SDK sends no answer to it.
                    self.unanswered.remove(id);
                }
            }
            // Nothing is asked of the client, so it has nothing to answer.
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => return None,
        }
        Some(message)
    }

    /// Lets calls finish, cancels those that take too long, and waits for the end of those.
    async fn wind_down(&mut self) {
        let Some(ending) = &mut self.ending else { return };
        if !ending.cancelled {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {}
                done = tokio::time::timeout_at(ending.until, self.session.turns.idle()) => {
                    if done.is_ok() {
                        return;
                    }
                }
            }
            self.session.run.cancel().cancel();
            *ending = Ending { until: Instant::now() + LAST_CALLS, cancelled: true };
        }
        if tokio::time::timeout_at(ending.until, self.session.turns.idle()).await.is_err() {
            tracing::warn!("a call did not end although it was cancelled");
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Wire<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let frames = self.frames.clone();
        let unanswered = Arc::clone(&self.unanswered);
        async move {
            let id = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let sent = frames.send(&message).await;
            if let Some(id) = id {
                unanswered.remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.next().await
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
