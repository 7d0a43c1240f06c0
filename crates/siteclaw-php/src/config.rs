//! What a configuration says, and what of it cannot be known.
//!
//! A [`Config`] holds the constants, variables, class members and the returned value that evaluation
//! found, each with the file and line it came from. Its `Debug` and its findings name things and never
//! show a string value.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::unknown::Unknown;
use crate::value::PhpValue;

/// The outcome of evaluating a configuration file and the files it includes.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// Constants by name. Those given in the options are among them; those that PHP itself defines are
    /// not.
    pub constants: BTreeMap<String, Located>,
    /// Global variables by name, without the dollar.
    pub variables: BTreeMap<String, Located>,
    /// The value of the entry file's `return`.
    pub returned: Option<Located>,
    /// Classes by their short name in lower case.
    pub classes: BTreeMap<String, Class>,
    /// Every name and every leaf of an array that cannot be known, at most 500.
    pub unresolved: Vec<Unresolved>,
    /// Conditions that cannot be decided and on which names depend.
    pub undecided: Vec<Undecided>,
    /// Paths outside the folders that may be read. A person can trust them in the user's file.
    pub refused: Vec<RefusedPath>,
    /// Environment variables that the files ask for and no layer has, each once.
    pub missing_variables: Vec<MissingVariable>,
    /// What PHP itself would stumble over: syntax errors, required files that are not there.
    pub faults: Vec<Fault>,
    /// Files that were read, the entry first. The result is stale when one of them changes.
    pub files: Vec<PathBuf>,
}

impl Config {
    /// A constant's value, which may be [`PhpValue::Unknown`].
    pub fn constant(&self, name: &str) -> Option<&PhpValue> {
        self.constants.get(name).map(|located| &located.value)
    }

    /// A global variable's value; `name` has no dollar.
    pub fn variable(&self, name: &str) -> Option<&PhpValue> {
        self.variables.get(name).map(|located| &located.value)
    }

    /// The value that the entry file returns.
    pub fn returned(&self) -> Option<&PhpValue> {
        self.returned.as_ref().map(|located| &located.value)
    }

    /// A class by its short name, whatever its case.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.get(&name.to_ascii_lowercase())
    }

    /// The default of a class property, or what its constructor assigns.
    pub fn property(&self, class: &str, name: &str) -> Option<&PhpValue> {
        self.class(class)?.properties.get(name).map(|located| &located.value)
    }

    /// A class constant.
    pub fn class_constant(&self, class: &str, name: &str) -> Option<&PhpValue> {
        self.class(class)?.constants.get(name).map(|located| &located.value)
    }
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The value.
    pub value: PhpValue,
    /// The file; for text from the environment its variable's name.
    pub file: Arc<Path>,
    /// The line, from 1.
    pub line: u32,
}

/// The members of a class, its parent's included where the parent was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Class {
    /// The short name as written.
    pub name: String,
    /// Short name of the parent.
    pub parent: Option<String>,
    /// Constants by name.
    pub constants: BTreeMap<String, Located>,
    /// Properties by name, static ones among them.
    pub properties: BTreeMap<String, Located>,
}

/// A name whose value cannot be known. `Display` gives the sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// As PHP would write it: `DB_NAME`, `$databases['default']['default']['host']`, `JConfig::$host`,
    /// `return['db']`; `include` and `eval` for code that was not read.
    pub name: String,
    /// Why, and where.
    pub why: Unknown,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.why)
    }
}

/// A condition that cannot be decided. Names that were known before keep their value; names that were
/// not are unresolved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecided {
    /// The file.
    pub file: Arc<Path>,
    /// The line, from 1.
    pub line: u32,
    /// What the condition depends on.
    pub why: Unknown,
    /// Names that its branches would set, at most 100.
    pub names: Vec<String>,
}

/// A path that the [`Source`](crate::Source) refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedPath {
    /// The absolute path, lexically normalised; of a URL only the scheme, since the rest may hold a
    /// password.
    pub path: PathBuf,
    /// What was wanted of it.
    pub access: Access,
    /// The file that asks for it.
    pub file: Arc<Path>,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for RefusedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, file) = (self.path.display(), self.file.display());
        write!(f, "{path} lies outside the folders that may be read ({file} line {})", self.line)
    }
}

/// What a file is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// `include` or `require`.
    Include,
    /// Its content as a value: `file_get_contents()`, a `NAME_FILE` variable.
    Read,
    /// Only whether it exists.
    Exists,
}

/// An environment variable that is asked for and not there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingVariable {
    /// Its name.
    pub name: String,
    /// Whether the call itself gives a default, as in `env('DB_HOST', 'localhost')`.
    pub defaulted: bool,
    /// The file that asks first.
    pub file: Arc<Path>,
    /// The line, from 1.
    pub line: u32,
}

/// Something that PHP would fail at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The file.
    pub file: Arc<Path>,
    /// The line, from 1.
    pub line: u32,
    /// What is wrong and what was left out for it. Shows no text of the file.
    pub message: String,
}

/// How many unresolved names a result lists.
const MAX_UNRESOLVED: usize = 500;
/// How many values are looked at for them; a real configuration has a few thousand.
const MAX_VISITED: u32 = 4_000_000;

/// Lists the unknown leaves of values under their names.
#[derive(Default)]
pub(crate) struct Collector {
    pub(crate) found: Vec<Unresolved>,
    visited: u32,
}

impl Collector {
    pub(crate) fn add(&mut self, name: &str, value: &PhpValue) {
        self.visited += 1;
        if self.found.len() >= MAX_UNRESOLVED || self.visited > MAX_VISITED {
            return;
        }
        match value {
            PhpValue::Unknown(why) => self.found.push(Unresolved { name: name.to_owned(), why: why.clone() }),
            PhpValue::Array(array) => {
                self.visited = self.visited.saturating_add(u32::try_from(array.len()).unwrap_or(u32::MAX));
                for (key, value) in array.iter() {
                    // Most leaves are known: build the longer name only where it may be needed.
                    if matches!(value, PhpValue::Unknown(_) | PhpValue::Array(_) | PhpValue::Object(_)) {
                        let key = match key.as_str() {
                            Some(text) => format!("'{text}'"),
                            None => key.to_text(),
                        };
                        self.add(&format!("{name}[{key}]"), value);
                    }
                }
                if let Some(why) = array.open() {
                    self.found.push(Unresolved { name: format!("{name}[…]"), why: why.clone() });
                }
            }
            PhpValue::Object(object) => {
                for (key, value) in object.fields.iter() {
                    self.add(&format!("{name}->{}", key.to_text()), value);
                }
            }
            _ => {}
        }
    }
}
