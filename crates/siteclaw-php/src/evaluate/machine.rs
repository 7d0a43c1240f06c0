//! The evaluator's state, and the run from entry file to result.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use php_rs_parser::bumpalo::Bump;
use php_rs_parser::source_map::SourceMap;

use super::Options;
use super::budget::{Budget, fits};
use super::scope::{FileContext, Frame, Function, Scope};
use super::speculation::Speculation;
use crate::config::{
    Access, Class, Collector, Config, Fault, Located, MissingVariable, RefusedPath, Unresolved,
};
use crate::unknown::{Absent, Cause, Unknown};
use crate::value::PhpValue;
use crate::{Environment, PhpError, Source};

pub(super) struct Machine<'a> {
    pub(super) arena: &'a Bump,
    pub(super) source: &'a dyn Source,
    pub(super) environment: &'a dyn Environment,
    pub(super) options: &'a Options<'a>,
    pub(super) budget: Budget,
    pub(super) file: Rc<FileContext<'a>>,
    /// The file level first, then the function calls.
    pub(super) scopes: Vec<Scope>,
    pub(super) frames: Vec<Frame>,
    pub(super) speculations: Vec<Speculation>,
    pub(super) functions: HashMap<String, Function<'a>>,
    /// Classes whose members are being evaluated, for `self::`.
    pub(super) class_stack: Vec<String>,
    /// Bedrock's `Config::define()`s that wait for `Config::apply()`.
    pub(super) pending: BTreeMap<String, Located>,
    /// Variables set by `putenv()`.
    pub(super) put: HashMap<String, String>,
    /// Files that are being evaluated, outermost first.
    pub(super) active: Vec<PathBuf>,
    /// Files that were evaluated.
    pub(super) loaded: HashSet<PathBuf>,
    pub(super) expression_depth: u32,
    /// The configuration has ended: its stop file was included.
    pub(super) stopped: bool,
    /// Code that was not read.
    pub(super) unread: Vec<Unresolved>,
    pub(super) config: Config,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        arena: &'a Bump,
        source: &'a dyn Source,
        environment: &'a dyn Environment,
        options: &'a Options<'a>,
        entry: &Path,
    ) -> Self {
        let file = FileContext {
            path: Arc::from(entry),
            text: "",
            folder: entry.parent().unwrap_or(Path::new("/")).to_owned(),
            map: SourceMap::empty(),
            escaped: false,
            imports: Default::default(),
            namespace: Default::default(),
            env_package: Default::default(),
        };
        let given = |values: &BTreeMap<String, PhpValue>| -> Vec<(String, Located)> {
            let located =
                |value: &PhpValue| Located { value: value.clone(), file: Arc::clone(&file.path), line: 0 };
            values.iter().map(|(name, value)| (name.clone(), located(value))).collect()
        };
        let variables = given(options.variables).into_iter().collect();
        let constants = given(options.constants).into_iter().collect();
        Self {
            arena,
            source,
            environment,
            options,
            budget: Budget::default(),
            file: Rc::new(file),
            scopes: vec![Scope { variables, ..Scope::default() }],
            frames: Vec::new(),
            speculations: Vec::new(),
            functions: HashMap::new(),
            class_stack: Vec::new(),
            pending: BTreeMap::new(),
            put: HashMap::new(),
            active: Vec::new(),
            loaded: HashSet::new(),
            expression_depth: 0,
            stopped: false,
            unread: Vec::new(),
            config: Config { constants, ..Config::default() },
        }
    }

    pub(super) fn run(mut self, entry: &Path) -> Result<Config, PhpError> {
        let bytes = self
            .source
            .read(entry)
            .map_err(|source| PhpError::Unreadable { path: entry.to_owned(), source })?;
        if bytes.len() > super::MAX_CONFIG_BYTES {
            let what = entry.display().to_string();
            return Err(PhpError::TooLarge { what, size: bytes.len(), limit: super::MAX_CONFIG_BYTES });
        }
        let program = self
            .parse(entry.to_owned(), bytes)
            .map_err(|reason| PhpError::Unparsable { path: entry.to_owned(), reason })?;
        self.config.files.push(entry.to_owned());
        self.loaded.insert(entry.to_owned());
        self.active.push(entry.to_owned());
        let returned = self.run_file(program);
        self.config.returned = returned;
        if self.budget.is_spent() {
            let message = "evaluation stopped: the file asks for more work than a configuration needs";
            self.fault(0, message.to_owned());
        }
        Ok(self.finish())
    }

    fn finish(mut self) -> Config {
        let mut config = self.config;
        if let Some(scope) = self.scopes.first_mut() {
            config.variables = scope.variables.drain().collect();
        }
        let mut collector = Collector::default();
        collector.found = self.unread;
        for (name, located) in &config.constants {
            collector.add(name, &located.value);
        }
        for (name, located) in &config.variables {
            collector.add(&format!("${name}"), &located.value);
        }
        for class in config.classes.values() {
            for (name, located) in &class.constants {
                collector.add(&format!("{}::{name}", class.name), &located.value);
            }
            for (name, located) in &class.properties {
                collector.add(&format!("{}::${name}", class.name), &located.value);
            }
        }
        if let Some(located) = &config.returned {
            collector.add("return", &located.value);
        }
        config.unresolved = collector.found;
        config
    }

    pub(super) fn unknown(&self, cause: Cause, line: u32) -> PhpValue {
        PhpValue::Unknown(self.why(cause, line))
    }

    pub(super) fn why(&self, cause: Cause, line: u32) -> Unknown {
        Unknown::new(cause, &self.file.path, line)
    }

    pub(super) fn absent(&self, cause: Cause, line: u32, absent: Absent) -> PhpValue {
        PhpValue::Unknown(Unknown::absent(cause, &self.file.path, line, absent))
    }

    pub(super) fn located(&self, value: PhpValue, line: u32) -> Located {
        Located { value, file: Arc::clone(&self.file.path), line }
    }

    /// The value, or unknown when it is larger than is kept or the allowance is used up.
    pub(super) fn bounded(&mut self, value: PhpValue, line: u32) -> PhpValue {
        let size = value.as_bytes().map_or(0, <[u8]>::len);
        if !self.budget.produce(size) {
            return self.unknown(Cause::TooMuchWork, line);
        }
        if fits(&value) { value } else { self.unknown(Cause::TooLarge, line) }
    }

    pub(super) fn fault(&mut self, line: u32, message: String) {
        const MOST: usize = 100;
        if self.config.faults.len() < MOST {
            let file = Arc::clone(&self.file.path);
            self.config.faults.push(Fault { file, line, message });
        }
    }

    pub(super) fn refuse(&mut self, path: &Path, access: Access, line: u32) {
        const MOST: usize = 100;
        let refused = &mut self.config.refused;
        let known = refused.iter().any(|entry| entry.path == path && entry.access == access);
        if !known && refused.len() < MOST {
            let file = Arc::clone(&self.file.path);
            refused.push(RefusedPath { path: path.to_owned(), access, file, line });
        }
    }

    /// An environment variable; what is missing is noted, and whether the call has a default.
    pub(super) fn variable_of_environment(
        &mut self,
        name: &str,
        defaulted: bool,
        line: u32,
    ) -> Option<String> {
        let found = self.optional_variable(name);
        if found.is_none() {
            self.note_missing(name, defaulted, line);
        }
        found
    }

    pub(super) fn note_missing(&mut self, name: &str, defaulted: bool, line: u32) {
        const MOST: usize = 500;
        let missing = &mut self.config.missing_variables;
        if missing.len() < MOST && missing.iter().all(|entry| entry.name != name) {
            let file = Arc::clone(&self.file.path);
            missing.push(MissingVariable { name: name.to_owned(), defaulted, file, line });
        }
    }

    /// An environment variable that need not be there.
    pub(super) fn optional_variable(&mut self, name: &str) -> Option<String> {
        match self.put.get(name) {
            Some(value) => Some(value.clone()),
            None => self.environment.get(name),
        }
    }

    pub(super) fn class_mut(&mut self, key: &str) -> Option<&mut Class> {
        self.config.classes.get_mut(key)
    }
}
