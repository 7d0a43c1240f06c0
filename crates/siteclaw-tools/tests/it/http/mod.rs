//! `http_request` against real listeners on this machine. `127.0.0.2` and its neighbours stand for hosts of the
//! internet, `127.0.0.1` for what must never be reached; names are answered by a name service of the test's own.

mod approval;
mod bodies;
mod host;
mod proxy;
mod redirects;
mod refusals;
mod sending;
mod tls;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siteclaw_core::{
    ApprovalGate, ApprovalRequest, BoxFuture, Caller, CapabilityPolicy, CountingIds, Decision, Executor,
    FixedClock, Masker, Registry, Run, Surface, ToolCall,
};
use siteclaw_tools::http_request::{HttpRequest, Settings};
use siteclaw_tools::network::{Resolve, StandIns};

use host::Host;

/// Addresses that stand for public ones.
const PUBLIC: [&str; 3] = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];

/// A name service that gives its answers in turn, the last one for ever, and writes down what it was asked.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Vec<String>,
}

impl Names {
    /// Adds the next answer about a name.
    fn answer(self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|text| text.parse().unwrap()).collect();
        self.0.lock().unwrap().answers.entry(name.to_owned()).or_default().push(addresses);
        self
    }

    fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().asked.clone()
    }
}

impl Resolve for Names {
    fn resolve(&self, name: String, _: bool) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        let mut book = self.0.lock().unwrap();
        book.asked.push(name.clone());
        let answer = match book.answers.get_mut(&name) {
            Some(answers) if answers.len() > 1 => answers.remove(0),
            Some(answers) => answers[0].clone(),
            None => Vec::new(),
        };
        Box::pin(async move { Ok(answer) })
    }
}

/// Says yes or no, and keeps what it was asked.
struct Person {
    says: bool,
    asked: Mutex<Vec<ApprovalRequest>>,
}

impl ApprovalGate for Person {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        self.asked.lock().unwrap().push(request.clone());
        let decision =
            if self.says { Decision::Approved } else { Decision::Denied { reason: "No.".to_owned() } };
        Box::pin(std::future::ready(decision))
    }
}

/// The tool behind an executor, and a run of it.
struct Door {
    executor: Executor,
    run: Run,
    person: Arc<Person>,
}

impl Door {
    /// A person who says yes, and settings that open the ports of the hosts.
    fn new(names: &Names, hosts: &[&Host]) -> Self {
        Self::with(names, hosts, Settings::default(), true)
    }

    fn with(names: &Names, hosts: &[&Host], mut settings: Settings, says: bool) -> Self {
        settings.ports.extend(hosts.iter().map(|host| host.port()));
        let stand_ins = StandIns::of(&PUBLIC.map(|text| text.parse().unwrap()));
        let tool = HttpRequest::with(&settings, Arc::new(names.clone()), stand_ins).unwrap();
        let executor = Executor::builder(
            Registry::builder().tool(tool).unwrap().build(&[]).unwrap(),
            Arc::new(CapabilityPolicy),
            Arc::new(Masker::new([7; 32])),
            Arc::new(FixedClock("2026-11-30T12:00:00Z".parse().unwrap())),
            Arc::new(CountingIds::default()),
        )
        .build();
        let person = Arc::new(Person { says, asked: Mutex::default() });
        let gate = Arc::clone(&person) as Arc<dyn ApprovalGate>;
        let run = Run::builder("run", Caller::console(Surface::Cli, true)).gate(gate).build();
        Self { executor, run, person }
    }

    /// The whole envelope, whatever it says.
    async fn call(&self, arguments: Value) -> Value {
        self.executor.call(&self.run, ToolCall::new("http_request", arguments)).await.envelope.to_value()
    }

    /// The envelope of a call that must succeed.
    async fn ask(&self, arguments: Value) -> Value {
        let answer = self.call(arguments.clone()).await;
        assert_eq!(answer["success"], json!(true), "{arguments} failed: {answer}");
        answer
    }

    /// A GET that must succeed.
    async fn get(&self, url: &str) -> Value {
        self.ask(json!({"url": url})).await
    }

    /// The error of a call that must fail.
    async fn refused(&self, arguments: Value) -> Value {
        let answer = self.call(arguments.clone()).await;
        assert_eq!(answer["success"], json!(false), "{arguments} gave {answer}");
        answer["error"].clone()
    }

    fn approvals(&self) -> Vec<ApprovalRequest> {
        self.person.asked.lock().unwrap().clone()
    }
}

/// The codes of the warnings, in their order.
fn warnings(answer: &Value) -> Vec<&str> {
    answer["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}
