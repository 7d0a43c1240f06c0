//! A site's tools behind an executor, as every surface calls them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_core::{
    Caller, CapabilityPolicy, CountingIds, Executor, FixedClock, Masker, Registry, Run, Surface, ToolCall,
};
use siteclaw_site::{AttachOptions, Site};

/// The moment that the tools take for now.
pub(crate) const NOW: &str = "2026-11-30T12:00:00Z";

/// A caller at the console and the tools of one site. Nothing is masked, so that what a tool gives away shows.
pub(crate) struct Door {
    executor: Executor,
    run: Run,
}

impl Door {
    pub(crate) fn of(site: &Site) -> Self {
        Self::for_caller(site, Caller::console(Surface::Cli, true))
    }

    pub(crate) fn for_caller(site: &Site, caller: Caller) -> Self {
        let mut registry = Registry::builder();
        for entry in site.tools().unwrap() {
            registry = registry.entry(entry).unwrap();
        }
        let executor = Executor::builder(
            registry.build(&[]).unwrap(),
            Arc::new(CapabilityPolicy),
            Arc::new(Masker::new([7; 32])),
            Arc::new(FixedClock(NOW.parse().unwrap())),
            Arc::new(CountingIds::default()),
        )
        .build();
        // Large enough for the largest page: what is cut is another crate's matter.
        Self { executor, run: Run::builder("run", caller).budget(1_000_000).build() }
    }

    /// The whole envelope, whatever it says.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.executor.call(&self.run, ToolCall::new(tool, arguments)).await.envelope.to_value()
    }

    /// The envelope of a call that must succeed.
    pub(crate) async fn ask(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments.clone()).await;
        assert_eq!(answer["success"], json!(true), "{tool} {arguments} failed: {answer}");
        answer
    }

    /// The error of a call that must fail.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments.clone()).await;
        assert_eq!(answer["success"], json!(false), "{tool} {arguments} gave {answer}");
        answer["error"].clone()
    }
}

/// The site in a folder.
pub(crate) fn attach(folder: &Path) -> Site {
    Site::attach(folder, AttachOptions::default()).unwrap()
}

/// A column of a list of rows.
pub(crate) fn column(rows: &Value, name: &str) -> Vec<Value> {
    rows.as_array().expect("a list of rows").iter().map(|row| row[name].clone()).collect()
}

/// The codes of the warnings, sorted, each once.
pub(crate) fn warnings(answer: &Value) -> Vec<String> {
    let mut codes: Vec<String> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap().to_owned())
        .collect();
    codes.sort();
    codes.dedup();
    codes
}
