//! `--log FILE`: what happened in a run, a JSON document a line, secrets replaced.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use siteclaw_agent::Update;
use siteclaw_core::{Clock, Executor};

use super::exit::Failure;

/// The log of one run. Lines are added to a file that is there already.
pub(crate) struct RunLog {
    file: Mutex<File>,
    executor: Executor,
    clock: Arc<dyn Clock>,
    run: String,
}

impl RunLog {
    /// Opens the file, which only its owner may read if it is new.
    pub(crate) fn open(
        path: &Path,
        executor: Executor,
        clock: Arc<dyn Clock>,
        run: &str,
    ) -> Result<Self, Failure> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        let file = file.map_err(|error| {
            Failure::usage(format!("The log {} cannot be written: {error}.", path.display()))
        })?;
        Ok(Self { file: Mutex::new(file), executor, clock, run: run.to_owned() })
    }

    /// Writes what happened.
    pub(crate) fn hear(&self, update: Update<'_>) {
        if let Some(value) = update.to_value() {
            self.write(update.name(), value);
        }
    }

    /// Writes why there is no answer.
    pub(crate) fn failed(&self, message: &str) {
        self.write("run.failed", json!({"error": message}));
    }

    fn write(&self, event: &str, mut value: Value) {
        self.executor.masker().mask_value(&mut value);
        let mut line = Map::new();
        line.insert("at".to_owned(), json!(self.clock.now().to_string()));
        line.insert("run".to_owned(), json!(self.run));
        line.insert("event".to_owned(), json!(event));
        if let Value::Object(fields) = value {
            line.extend(fields);
        }
        let line = format!("{}\n", Value::Object(line));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(line.as_bytes()) {
            tracing::warn!(%error, "the log cannot be written");
        }
    }
}
