//! The session of this process's own standard input and output.
//!
//! Both streams are taken over before the first message: what other code, or a child process, prints then
//! goes to standard error, and what it reads is empty. Threads of their own do the blocking reads and
//! writes, so that neither a silent client nor one that does not read can keep the runtime from ending.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Duration;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout};
use siteclaw_core::Cancel;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::error::McpError;
use crate::server::{McpServer, serve};

/// Bytes between a thread and the session.
const BUFFER: usize = 64 * 1024;
/// What is written last may take this long to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Serves the client at the other end of standard input and output until the input ends or `cancel` is
/// switched. Once a process: the streams stay taken over.
///
/// # Errors
///
/// Those of [`serve`], and [`McpError::Streams`] if the streams cannot be taken over.
pub async fn serve_stdio(server: McpServer, cancel: Cancel) -> Result<(), McpError> {
    let (input, output) = taken_over().map_err(McpError::Streams)?;
    let runtime = Handle::current();
    let (reader, to_reader) = tokio::io::duplex(BUFFER);
    let (writer, from_writer) = tokio::io::duplex(BUFFER);
    let (done, written) = oneshot::channel();
    spawn("siteclaw-mcp-in", {
        let runtime = runtime.clone();
        move || forward_input(input, to_reader, &runtime)
    })?;
    let over = Cancel::new();
    spawn("siteclaw-mcp-out", {
        let over = over.clone();
        move || {
            if let Err(error) = forward_output(output, from_writer, &runtime) {
                tracing::warn!(%error, "standard output cannot be written");
                over.cancel();
            }
            // Nobody may wait for it any more.
            let _ = done.send(());
        }
    })?;
    let serving = serve(server, reader, writer, over.clone());
    tokio::pin!(serving);
    let result = tokio::select! {
        result = &mut serving => result,
        () = cancel.cancelled() => {
            over.cancel();
            serving.await
        }
    };
    if tokio::time::timeout(LAST_WORDS, written).await.is_err() {
        tracing::warn!("the client did not read its last answers");
    }
    result
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), McpError> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop).map_err(McpError::Streams)
}

/// Keeps both streams for the protocol, out of reach of child processes, and puts others in their place.
fn taken_over() -> io::Result<(File, File)> {
    let input = fcntl_dupfd_cloexec(stdin(), 3)?;
    let output = fcntl_dupfd_cloexec(stdout(), 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(stderr())?;
    // What was printed before and waits in the buffer belongs to standard error too.
    io::stdout().flush()?;
    Ok((input.into(), output.into()))
}

fn forward_input(mut input: File, mut session: DuplexStream, runtime: &Handle) {
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = match input.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::warn!(%error, "standard input cannot be read");
                return;
            }
        };
        let bytes = buffer.get(..read).unwrap_or_default();
        if runtime.block_on(session.write_all(bytes)).is_err() {
            return;
        }
    }
}

fn forward_output(mut output: File, mut session: DuplexStream, runtime: &Handle) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = runtime.block_on(session.read(&mut buffer))?;
        if read == 0 {
            return Ok(());
        }
        output.write_all(buffer.get(..read).unwrap_or_default())?;
    }
}
