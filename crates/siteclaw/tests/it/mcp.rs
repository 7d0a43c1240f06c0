//! `siteclaw mcp` over its pipes, line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::binary::User;
use crate::commands::CHANGING;
use crate::shop::{number, shop};

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    /// Starts the server and says hello.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, input, output };
        client.say(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        }));
        let hello = client.receive();
        assert_eq!(hello["id"], 0, "{hello}");
        assert_eq!(hello["result"]["serverInfo"]["name"], "siteclaw");
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// The number of the server's process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn call(&mut self, id: i64, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    /// The next line, which is one JSON message.
    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut error = String::new();
            self.child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
            panic!("the server ended: {error}");
        }
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"))
    }

    /// Ends the input; the server ends with it, and says nothing more.
    pub(crate) fn end(mut self) {
        self.input = None;
        let (mut rest, mut error) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        assert_eq!((rest.as_str(), error.as_str()), ("", ""));
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_client_lists_and_calls_tools_until_its_input_ends() {
    let user = User::of(&shop());
    let mut client = Client::start(&mut user.command(&["mcp"]));
    client.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let list = client.receive();
    let tools = list["result"]["tools"].as_array().unwrap();
    let named = user.run(&["--json", "tools"]).json();
    assert_eq!(tools.len(), named.as_array().unwrap().len());
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        let reads = !CHANGING.contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{tool}");
    }
    let users = number("SELECT COUNT(*) FROM wp_users");
    client.call(2, "wp_users", json!({"aggregate": true}));
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(2), &json!(false)));
    let shown = answer["result"]["structuredContent"].to_string();
    assert!(shown.contains(&format!(":{users}")), "{shown}");
    client.call(3, "wp_query", json!({"nonsense": 1}));
    let refused = client.receive();
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(refused.to_string().contains("UNKNOWN_ARGUMENT"), "{refused}");
    for id in 10..16 {
        client.call(id, "wp_query", json!({"posts_per_page": 1}));
    }
    let mut answered: Vec<i64> = (10..16)
        .map(|_| client.receive())
        .map(|answer| {
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            answer["id"].as_i64().unwrap()
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, [10, 11, 12, 13, 14, 15]);
    client.end();
}

#[test]
fn input_that_ends_at_once_is_no_failure_and_no_site_is() {
    let closed = User::of(&shop()).run(&["mcp"]);
    assert_eq!((closed.code, closed.out.as_str()), (Some(0), ""), "{closed:?}");
    let nowhere = User::new().run(&["mcp"]);
    assert!(nowhere.complaint(2).starts_with("No site was found"), "{nowhere:?}");
    assert_eq!(nowhere.out, "");
}
