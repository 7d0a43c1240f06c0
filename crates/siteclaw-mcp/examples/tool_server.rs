//! A server on standard input and output for the tests: tools that print, that call other programs, and
//! that fill the output.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::process::{Command, Stdio};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{
    Cancel, CapabilityPolicy, CountingIds, Executor, Masker, Registry, SystemClock, ToolSpec, tool_fn,
};
use siteclaw_mcp::{McpOptions, McpServer, serve_stdio};

#[derive(Clone, Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Clone, Deserialize, JsonSchema)]
struct EchoInput {
    /// What to repeat.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Text {
    text: String,
}

fn main() {
    // Still in the buffer when the session begins.
    print!("printed before the session");
    let echo = tool_fn(ToolSpec::new("echo", "Repeats a text."), |_, input: EchoInput| async move {
        Ok(Text { text: input.text })
    });
    let noisy =
        tool_fn(ToolSpec::new("noisy", "Prints, and lets others print."), |_, _: Nothing| async move {
            println!("printed by a tool");
            Command::new("echo").arg("printed by a child").status().unwrap();
            // Reads standard input to its end; the protocol's would never end.
            let read = Command::new("cat").stdin(Stdio::inherit()).output().unwrap();
            Ok(Text { text: format!("{} bytes read", read.stdout.len()) })
        });
    let registry =
        Registry::builder().tool(echo).and_then(|b| b.tool(noisy)).and_then(|b| b.build(&[])).unwrap();
    let executor = Executor::builder(
        registry,
        Arc::new(CapabilityPolicy),
        Arc::new(Masker::new([7; 32])),
        Arc::new(SystemClock),
        Arc::new(CountingIds::default()),
    );
    let server = McpServer::new(executor.build(), McpOptions::new("tool_server", "1")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(serve_stdio(server, Cancel::new())).unwrap();
}
