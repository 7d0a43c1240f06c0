//! A site and a workspace in a folder of their own, and calls through the engine's door.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siteclaw_core::{
    ApprovalGate, ApprovalRequest, BoxFuture, Caller, CapabilityPolicy, CountingIds, Decision, Executor,
    FixedClock, Masker, Registry, Run, RunBuilder, Secret, Surface, ToolCall,
};
use siteclaw_tools::project_info::{Mark, Platform, Platforms};
use siteclaw_tools::root::{RelPath, Root};
use siteclaw_tools::roots::{Roots, RootsOptions};
use siteclaw_tools::{CoreParts, Settings, core_tools};
use tempfile::TempDir;

/// A secret that the engine knows from the site's configuration.
pub(crate) const PASSWORD: &str = "correct-horse-7";

pub(crate) struct World {
    folder: TempDir,
    executor: Executor,
    pub(crate) masker: Arc<Masker>,
    /// What the gate was asked.
    pub(crate) asked: Arc<Mutex<Vec<ApprovalRequest>>>,
}

/// Takes a folder with `mark.txt` for the platform 'marked'.
struct Marks;

impl Platforms for Marks {
    fn examine(&self, folder: &Root) -> Vec<Platform> {
        let mark = |path: &str, weight| Mark { path: path.to_owned(), weight, meaning: "a mark".to_owned() };
        let there = folder.exists(&RelPath::parse("mark.txt").unwrap());
        let of = |platform: &str, score, version: Option<&str>, evidence| Platform {
            platform: platform.to_owned(),
            score,
            version: version.map(str::to_owned),
            version_source: version.map(|_| "mark.txt".to_owned()),
            edition: None,
            evidence,
        };
        let mut found =
            if there { vec![of("marked", 80, Some("7.1"), vec![mark("mark.txt", 80)])] } else { vec![] };
        if folder.exists(&RelPath::parse("hint.txt").unwrap()) {
            found.push(of("hinted", 40, None, vec![mark("hint.txt", 40)]));
        }
        found
    }
}

/// Approves everything and remembers it.
struct Yes(Arc<Mutex<Vec<ApprovalRequest>>>);

impl ApprovalGate for Yes {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        self.0.lock().unwrap().push(request.clone());
        Box::pin(std::future::ready(Decision::Approved))
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(json!({}))
    }

    pub(crate) fn with(settings: Value) -> Self {
        Self::built(settings, |_, _| {})
    }

    pub(crate) fn built(settings: Value, change: impl FnOnce(&Path, &mut RootsOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for path in ["site", "work", "state"] {
            fs::create_dir(folder.path().join(path)).unwrap();
        }
        let mut options = RootsOptions {
            site: Some(folder.path().join("site")),
            workspace: Some(folder.path().join("work")),
            hidden: vec![folder.path().join("state")],
            ..RootsOptions::default()
        };
        change(folder.path(), &mut options);
        let masker = Arc::new(Masker::new([3; 32]));
        masker.learn([Secret::new(PASSWORD)]);
        let parts = CoreParts {
            roots: Roots::open(options).unwrap(),
            settings: Settings::parse(settings.as_object().unwrap()).unwrap(),
            masker: Arc::clone(&masker),
            platforms: Arc::new(Marks),
        };
        let mut registry = Registry::builder();
        for entry in core_tools(&parts).unwrap() {
            registry = registry.entry(entry).unwrap();
        }
        let clock = FixedClock("2026-11-30T12:00:00Z".parse().unwrap());
        let executor = Executor::builder(
            registry.build(&[]).unwrap(),
            Arc::new(CapabilityPolicy),
            Arc::clone(&masker),
            Arc::new(clock),
            Arc::new(CountingIds::default()),
        )
        .build();
        Self { folder, executor, masker, asked: Arc::default() }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file beneath the folder of the world, with its folders.
    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    pub(crate) fn run_builder(&self, caller: Caller) -> RunBuilder {
        Run::builder(self.executor.new_id("run"), caller).gate(Arc::new(Yes(Arc::clone(&self.asked))))
    }

    /// A run of a person at the console who approves everything.
    pub(crate) fn run(&self) -> Run {
        self.run_builder(Caller::console(Surface::Cli, true)).build()
    }

    pub(crate) fn call_in(&self, run: &Run, tool: &str, arguments: Value) -> Value {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let outcome = runtime.block_on(self.executor.call(run, ToolCall::new(tool, arguments)));
        let envelope = outcome.envelope.to_value();
        self.fits_its_schema(tool, &envelope);
        envelope
    }

    /// What stands beneath the workspace, files by their paths, without what is hidden behind links.
    pub(crate) fn work(&self) -> Vec<String> {
        let base = self.path("work");
        let mut found = Vec::new();
        let mut folders = vec![base.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false => {
                        found.push(entry.path().strip_prefix(&base).unwrap().to_str().unwrap().to_owned())
                    }
                }
            }
        }
        found.sort();
        found
    }

    /// One call in a run of its own.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_in(&self.run(), tool, arguments)
    }

    /// The data of a call that must succeed.
    pub(crate) fn data(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments.clone());
        assert_eq!(answer["success"], true, "{tool} {arguments}: {answer}");
        answer["data"].clone()
    }

    /// The code of a call that must fail.
    pub(crate) fn code(&self, tool: &str, arguments: Value) -> String {
        code(&self.call(tool, arguments))
    }

    fn fits_its_schema(&self, tool: &str, envelope: &Value) {
        if envelope["success"] == true {
            let schema = self.executor.registry().get(tool).unwrap().output_schema();
            let validator = jsonschema::validator_for(schema).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(envelope).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?} {envelope}");
        }
    }
}

pub(crate) fn code(answer: &Value) -> String {
    assert_eq!(answer["success"], false, "{answer}");
    answer["error"]["code"].as_str().unwrap().to_owned()
}

/// Tells a second thread to end, also when the test fails.
pub(crate) struct Ends<'a>(pub(crate) &'a std::sync::atomic::AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}
