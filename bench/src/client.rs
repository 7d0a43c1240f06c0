//! The least that a client of the Model Context Protocol can be: a child process, one request at a time.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::error::{BenchError, Context};

/// A server that was started for us; it ends with its input.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u32,
}

impl Client {
    /// Starts a server with nothing of our environment, so that no configuration of ours counts.
    pub(crate) fn spawn(program: &Path, arguments: &[&Path]) -> Result<Self, BenchError> {
        let mut command = Command::new(program);
        command.args(arguments).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context(|| format!("starting {}", program.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| BenchError::new("starting a server", "no output"))?;
        Ok(Self { child, input, output: BufReader::new(output), calls: 0 })
    }

    /// Opens the session and asks for the tools; the line of the answer, unread.
    pub(crate) fn list_tools(&mut self) -> Result<String, BenchError> {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "siteclaw-bench", "version": "1"},
        }}))?;
        self.line()?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        self.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))?;
        self.line()
    }

    /// Calls a tool; the structured content of its answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, BenchError> {
        self.calls += 1;
        // A session never uses an id twice.
        self.send(&json!({"jsonrpc": "2.0", "id": self.calls + 2, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments,
        }}))?;
        let mut answer = parsed(&self.line()?)?;
        let result = answer.get_mut("result").map(Value::take).unwrap_or_default();
        if result.get("isError").and_then(Value::as_bool) == Some(true) || !result.is_object() {
            return Err(BenchError::new(
                format!("calling {tool}"),
                if result.is_null() { answer } else { result },
            ));
        }
        Ok(result.get("structuredContent").cloned().unwrap_or_default())
    }

    /// A line of the server's `/proc/PID/status` in KiB: `VmRSS` is its resident memory, `VmHWM` the most it
    /// ever was.
    pub(crate) fn memory(&self, name: &str) -> Result<u32, BenchError> {
        let file = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(&file).context(|| format!("reading {file}"))?;
        let number = status.lines().find_map(|line| {
            let value = line.strip_prefix(name)?.strip_prefix(':')?;
            value.trim().strip_suffix(" kB")?.parse().ok()
        });
        number.ok_or_else(|| BenchError::new(format!("reading {file}"), format!("there is no {name}")))
    }

    fn send(&mut self, message: &Value) -> Result<(), BenchError> {
        let doing = || "writing to the server".to_owned();
        let input = self.input.as_mut().ok_or_else(|| BenchError::new(doing(), "its input is closed"))?;
        input.write_all(format!("{message}\n").as_bytes()).context(doing)?;
        input.flush().context(doing)
    }

    fn line(&mut self) -> Result<String, BenchError> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).context(|| "reading from the server".into())?;
        if read == 0 {
            return Err(BenchError::new("reading from the server", "it ended"));
        }
        Ok(line)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // An end that cannot be waited for changes no figure.
        let _ = self.child.wait();
    }
}

/// How many tools a `tools/list` answer has.
pub(crate) fn tools(line: &str) -> Result<usize, BenchError> {
    let answer = parsed(line)?;
    let tools = answer.pointer("/result/tools").and_then(Value::as_array);
    tools.map(Vec::len).ok_or_else(|| BenchError::new("asking for the tools", line))
}

fn parsed(line: &str) -> Result<Value, BenchError> {
    serde_json::from_str(line).context(|| "reading the server's answer".into())
}
