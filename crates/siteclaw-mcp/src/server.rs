//! The server: one client, one run, one session.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig, Tool};
use rmcp::service::ServerInitializeError;
use siteclaw_core::{Cancel, Executor, Offered, Run, sanitise_fragment, suggestion};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::McpError;
use crate::handler::Handler;
use crate::listing;
use crate::options::McpOptions;
use crate::progress::McpObserver;
use crate::turns::Turns;
use crate::wire::{self, Wire};

/// What is written last may take this long to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Offers the tools of an executor to one client. Pass it to [`serve_stdio`](crate::serve_stdio) or
/// [`serve`].
pub struct McpServer {
    session: Arc<Session>,
}

/// What the transport and the handler of a session share.
pub(crate) struct Session {
    pub(crate) executor: Executor,
    pub(crate) run: Run,
    pub(crate) turns: Turns,
    pub(crate) max_in_flight: usize,
    pub(crate) drain: Duration,
    pub(crate) progress: Option<McpObserver>,
    pub(crate) config: ServerConfig,
    /// Every registered tool by its name, described.
    pub(crate) tools: HashMap<String, Tool>,
}

impl McpServer {
    /// Prepares the session. Its run is tainted from the start: what a client asks for may come from
    /// anywhere.
    ///
    /// # Errors
    ///
    /// [`McpError::UnknownTool`] if the allowed tools name one that is not registered.
    pub fn new(executor: Executor, options: McpOptions) -> Result<Self, McpError> {
        let offered = match options.allow {
            None => Offered::All,
            Some(names) => {
                for name in &names {
                    if executor.registry().get(name).is_none() {
                        let hint = suggestion(name, executor.registry().names());
                        return Err(McpError::UnknownTool {
                            name: sanitise_fragment(name, 64),
                            hint: hint.map(|hint| format!(" {hint}")).unwrap_or_default(),
                        });
                    }
                }
                Offered::Only(names)
            }
        };
        let run = Run::builder(executor.new_id("run"), options.caller)
            .gate(options.gate)
            .offered(offered)
            .budget(options.budget)
            .tainted()
            .build();
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(options.name, options.version));
        config.instructions = options.instructions;
        let tools = executor
            .registry()
            .entries()
            .iter()
            .map(|entry| (entry.spec().name().to_owned(), listing::described(entry)))
            .collect();
        Ok(Self {
            session: Arc::new(Session {
                executor,
                run,
                turns: Turns::new(options.max_in_flight),
                max_in_flight: options.max_in_flight,
                drain: options.drain,
                progress: options.progress,
                config,
                tools,
            }),
        })
    }

    /// The run that all calls of the session belong to: to offer other tools, or to look at its taint.
    pub fn run(&self) -> &Run {
        &self.session.run
    }
}

impl Session {
    /// Whether a call of the named tool may write, and so must be alone. A tool that writes for some inputs
    /// only counts as one that does.
    pub(crate) fn may_write(&self, tool: &str) -> bool {
        self.executor.registry().get(tool).is_some_and(|entry| entry.spec().widest_effects().is_mutating())
    }
}

/// Serves one client over a pair of streams until its input ends or `cancel` is switched.
///
/// When the input ends, calls under way have the time that the options give them, and are answered; then
/// they are cancelled. With `cancel` they are cancelled at once.
///
/// # Errors
///
/// [`McpError::Handshake`] if client and server could not agree on a session, [`McpError::Fault`] if the
/// session broke. An input that ends, at whatever point, is no error, and neither is a client that stops
/// reading.
pub async fn serve<R, W>(server: McpServer, reader: R, writer: W, cancel: Cancel) -> Result<(), McpError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let McpServer { session } = server;
    let (frames, written) = wire::frames();
    let mut writing = tokio::spawn(wire::write(writer, written));
    let wire = Wire::new(reader, frames, Arc::clone(&session), cancel);
    let result = match rmcp::serve_server(Handler::new(session), wire).await {
        Ok(service) => match service.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(McpError::Fault(error.to_string())),
        },
        Err(error) => opening(error),
    };
    if tokio::time::timeout(LAST_WORDS, &mut writing).await.is_err() {
        tracing::warn!("the client did not read its last answers");
        writing.abort();
    }
    result
}

/// What a session that never opened ends with. Messages of the client stay out of the error's text.
fn opening(error: ServerInitializeError) -> Result<(), McpError> {
    match error {
        ServerInitializeError::ConnectionClosed(_)
        | ServerInitializeError::Cancelled
        | ServerInitializeError::TransportError { .. } => Ok(()),
        ServerInitializeError::InitializeFailed(error) => {
            Err(McpError::Handshake(error.message.into_owned()))
        }
        _ => Err(McpError::Handshake("its first message was out of place".to_owned())),
    }
}
