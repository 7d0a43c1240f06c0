//! A client that says exactly what a test wants said.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use siteclaw_core::Cancel;
use siteclaw_mcp::{McpError, McpObserver, McpOptions, McpServer, serve};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;

use crate::tools::{self, Board, Yes};

/// A session in this process.
pub(crate) struct Client {
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    server: JoinHandle<Result<(), McpError>>,
    pub(crate) board: Arc<Board>,
    pub(crate) cancel: Cancel,
}

/// What the tests' servers are unless a test says otherwise: writes are approved.
pub(crate) fn options() -> McpOptions {
    McpOptions::new("test", "1.2.3").gate(Arc::new(Yes))
}

impl Client {
    /// A server with all the tools; nothing is said yet.
    pub(crate) fn silent(options: McpOptions) -> Self {
        Self::buffered(options, 64 * 1024)
    }

    /// The same over streams that hold this many bytes.
    pub(crate) fn buffered(options: McpOptions, bytes: usize) -> Self {
        let board = Board::new();
        let progress = McpObserver::new();
        let executor = tools::executor(tools::registry(&board)).observer(Arc::new(progress.clone())).build();
        let server = McpServer::new(executor, options.progress(progress)).unwrap();
        let (input, reader) = tokio::io::duplex(bytes);
        let (writer, output) = tokio::io::duplex(bytes);
        let cancel = Cancel::new();
        let server = tokio::spawn(serve(server, reader, writer, cancel.clone()));
        Self { input: Some(input), output: BufReader::new(output).lines(), server, board, cancel }
    }

    /// A session of revision 2025-11-25.
    pub(crate) async fn open(options: McpOptions) -> Self {
        let mut client = Self::silent(options);
        client.initialize("2025-11-25").await;
        client
    }

    /// A session with the usual options.
    pub(crate) async fn new() -> Self {
        Self::open(options()).await
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        self.request(
            "init",
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        )
        .await;
        let answer = self.receive().await;
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
        answer
    }

    /// Writes a line.
    pub(crate) async fn say(&mut self, line: &str) {
        self.say_bytes(format!("{line}\n").as_bytes()).await;
    }

    pub(crate) async fn say_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    pub(crate) async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id: Value = id.into();
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
    }

    /// Sends a call and does not wait for its answer.
    pub(crate) async fn send(&mut self, id: i64, tool: &str, arguments: Value) {
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments})).await;
    }

    pub(crate) async fn cancel_call(&mut self, id: i64) {
        let note =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        self.say(&note.to_string()).await;
    }

    /// The next message. A test that would wait for ever fails.
    pub(crate) async fn receive(&mut self) -> Value {
        self.receive_or_end().await.expect("the server closed its output")
    }

    pub(crate) async fn receive_or_end(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(Duration::from_secs(60), self.output.next_line()).await;
        let line = line.expect("no message came").unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}")))
    }

    /// Calls a tool and returns the `result` of the answer.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.send(1000, tool, arguments).await;
        let mut answer = self.receive().await;
        assert_eq!(answer["id"], 1000, "{answer}");
        answer["result"].take()
    }

    /// Waits until the server has read all that was said before.
    pub(crate) async fn sync(&mut self) {
        self.request("sync", "ping", json!({})).await;
        let answer = self.receive().await;
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "sync", "result": {}}));
    }

    /// The stream to write to, for somebody else.
    pub(crate) fn take_input(&mut self) -> DuplexStream {
        self.input.take().unwrap()
    }

    /// Ends the input.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the server, after all output was read.
    pub(crate) async fn ended(mut self) -> (Result<(), McpError>, Vec<Value>) {
        let mut rest = Vec::new();
        while let Some(message) = self.receive_or_end().await {
            rest.push(message);
        }
        let ended = tokio::time::timeout(Duration::from_secs(60), self.server).await;
        (ended.expect("the server did not end").unwrap(), rest)
    }
}

/// The failure envelope of a result.
pub(crate) fn failure(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result.get("structuredContent"), None, "{result}");
    let envelope: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(envelope["success"], false);
    envelope
}

/// The `data` of a result that succeeded.
pub(crate) fn data(result: &Value) -> &Value {
    assert_eq!(result["isError"], false, "{result}");
    &result["structuredContent"]["data"]
}
