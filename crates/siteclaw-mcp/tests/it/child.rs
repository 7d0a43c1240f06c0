//! The server as a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rmcp::ServiceExt;
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};

/// The example that is built along with this test.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples/tool_server");
    assert!(path.exists(), "{} is missing: run `cargo build -p siteclaw-mcp --examples`", path.display());
    path
}

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(program())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output };
        server.say(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                       "clientInfo": {"name": "t", "version": "1"}}
        }));
        assert_eq!(server.receive()["id"], 0);
        server
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, id: i64, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"))
    }

    /// Ends the input and gives what was left on both outputs.
    fn ended(mut self) -> (i32, String, String) {
        self.input = None;
        let (mut rest, mut errors) = (String::new(), String::new());
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut errors).unwrap();
        (self.child.wait().unwrap().code().unwrap(), rest, errors)
    }
}

#[tokio::test]
async fn the_official_client_starts_the_process_and_calls() {
    let client =
        ().serve(TokioChildProcess::new(tokio::process::Command::new(program())).unwrap()).await.unwrap();
    let names: Vec<_> = client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["echo", "noisy"]);
    let call = rmcp::model::CallToolRequestParams::new("noisy");
    let result = client.call_tool(call).await.unwrap();
    assert_eq!(result.structured_content.unwrap()["data"]["text"], "0 bytes read");
    client.cancel().await.unwrap();
}

#[test]
fn what_others_print_goes_to_standard_error_and_the_end_of_the_input_ends_the_process() {
    let mut server = Server::start();
    server.call(1, "noisy", json!({}));
    assert_eq!(server.receive()["result"]["structuredContent"]["data"]["text"], "0 bytes read");
    let (code, rest, errors) = server.ended();
    assert_eq!((code, rest.as_str()), (0, ""));
    assert_eq!(errors, "printed before the sessionprinted by a tool\nprinted by a child\n");
}

#[test]
fn calls_that_are_piped_in_are_answered_before_the_process_ends() {
    let mut server = Server::start();
    server.call(1, "echo", json!({"text": "a"}));
    let (code, rest, _) = server.ended();
    let answer: Value = serde_json::from_str(&rest).unwrap();
    assert_eq!((code, &answer["result"]["structuredContent"]["data"]["text"]), (0, &json!("a")));
}

/// The most memory that the process has ever used, in KiB.
#[cfg(target_os = "linux")]
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_of_100_mb_is_refused_within_bounded_memory() {
    let mut server = Server::start();
    let before = peak(server.child.id());
    let piece = vec![b'['; 1024 * 1024];
    for _ in 0..100 {
        server.input.as_mut().unwrap().write_all(&piece).unwrap();
    }
    writeln!(server.input.as_mut().unwrap()).unwrap();
    let answer = server.receive();
    assert_eq!((answer.get("id"), &answer["error"]["code"]), (None, &json!(-32600)));
    let grown = peak(server.child.id()) - before;
    // A line of 16 MiB in a buffer that doubles: 32 MiB, and 16 of its predecessor while it is copied.
    assert!(grown < 64 * 1024, "{grown} KiB");
    server.call(1, "echo", json!({"text": "a"}));
    assert_eq!(server.receive()["id"], 1);
    assert_eq!(server.ended().0, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_short_line_of_very_many_values_takes_no_memory() {
    let mut server = Server::start();
    let before = peak(server.child.id());
    let list = "{},".repeat(5 * 1024 * 1024);
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":[{list}0]}}}}"#);
    writeln!(server.input.as_mut().unwrap(), "{line}").unwrap();
    assert_eq!(server.receive()["error"]["code"], -32600);
    let grown = peak(server.child.id()) - before;
    assert!(grown < 64 * 1024, "{grown} KiB");
}

#[test]
fn a_client_that_stops_reading_ends_the_process() {
    let mut server = Server::start();
    let Server { child, input, output } = &mut server;
    // Another reader in its place closes the pipe.
    let mut other = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
    *output = BufReader::new(other.stdout.take().unwrap());
    other.wait().unwrap();
    writeln!(input.as_mut().unwrap(), r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
