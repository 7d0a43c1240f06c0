//! A model server that plays prepared answers, one a request, and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// An answer: its status and its body.
pub(crate) type Prepared = (u16, String);

pub(crate) struct Model {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Request line and headers as they came.
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Model {
    /// Plays the answers; the last one again and again.
    pub(crate) fn start(answers: Vec<Prepared>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for (place, stream) in listener.incoming().enumerate() {
                let answer = answers.get(place).or_else(|| answers.last()).cloned();
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(stream.unwrap(), answer.unwrap(), &kept));
            }
        });
        Self { address, asked }
    }

    /// Plays one stream in two pieces, the second when the test says so.
    pub(crate) fn in_two(first: String, second: String) -> (Self, Sender<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (go, wait) = channel();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let asked = read(&stream);
            assert!(asked.is_some());
            let head = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            write!(stream, "{head}{first}").unwrap();
            wait.recv().unwrap();
            write!(stream, "{second}").unwrap();
        });
        (Self { address, asked: Arc::default() }, go)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap() == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut bytes = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut bytes).unwrap();
    Some(Asked { head, body: serde_json::from_slice(&bytes).unwrap() })
}

fn serve(stream: TcpStream, (status, body): Prepared, kept: &Mutex<Vec<Asked>>) {
    let Some(asked) = read(&stream) else { return };
    kept.lock().unwrap().push(asked);
    let kind = if body.starts_with("data: ") { "text/event-stream" } else { "application/json" };
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

pub(crate) fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// A text, in OpenAI's form.
pub(crate) fn text(pieces: &[&str], reason: &str) -> Prepared {
    let mut all: Vec<Value> =
        pieces.iter().map(|piece| json!({"choices": [{"delta": {"content": piece}}]})).collect();
    all.push(json!({"choices": [{"delta": {}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}}));
    (200, events(&all))
}

/// Calls, in OpenAI's form, after a word about them.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Prepared {
    let list: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            json!({"index": index, "id": format!("call_{index}"), "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()}})
        })
        .collect();
    let all = [
        json!({"choices": [{"delta": {"content": "Let me look.", "tool_calls": list}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 50, "completion_tokens": 5}}),
    ];
    (200, events(&all))
}
