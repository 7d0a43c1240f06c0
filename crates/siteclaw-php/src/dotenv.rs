//! Environment files.
//!
//! Three families write them differently, and a `#` or a space decides about a password, so the
//! [`Dialect`] is the caller's choice. Reading is lenient: a bad line is reported with its number and the
//! rest is kept. Command substitutions are text or unknown, never run; a name that refers to itself finds
//! only what was there before its line.
//!
//! ```
//! use siteclaw_php::dotenv::{Dialect, parse};
//! let text = "export DB_NAME=shop # live\nDB_URL=\"mysql://h/${DB_NAME}\"\nA=$(id)";
//! let env = parse(text, Dialect::Plain).unwrap();
//! assert_eq!(env.get("DB_URL"), Some("mysql://h/shop"));
//! assert_eq!(env.get("A"), Some("$(id)"));
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::{Environment, PhpError};

mod symfony;
mod vlucas;

/// Longest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 256 * 1024;
/// Longest value; references multiply what they name.
const MAX_VALUE: usize = 64 * 1024;
/// Most bytes of all values together.
const MAX_TOTAL: usize = 4 * 1024 * 1024;

/// Which reader's rules a file was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Container env files and Bedrock: spaces are part of an unquoted value, `#` begins a comment only
    /// after a blank, `${NAME}` is replaced outside single quotes.
    Plain,
    /// Laravel (phpdotenv 5): `#` ends an unquoted value anywhere, blanks inside one make the line
    /// invalid, `${NAME}` is replaced, `$NAME` is text, a `${NAME}` that is not known stays.
    Laravel,
    /// Symfony, like a shell: no blanks around `=`, `$NAME`, `${NAME:-default}`, quoted pieces joined.
    Symfony,
}

/// The variables of one or more environment files, the later ones winning.
pub struct Dotenv {
    dialect: Dialect,
    values: BTreeMap<String, String>,
    unknown: BTreeSet<String>,
    problems: Vec<Problem>,
    total: usize,
}

/// A line that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The line, from 1.
    pub line: u32,
    /// The variable, where one was recognised.
    pub name: Option<String>,
    /// What was wrong. Never shows text of a value.
    pub reason: &'static str,
}

/// Reads one file's text on its own. Fails only for a text of more than [`MAX_FILE_BYTES`].
pub fn parse(text: &str, dialect: Dialect) -> Result<Dotenv, PhpError> {
    let mut env = Dotenv::new(dialect);
    env.read(text)?;
    Ok(env)
}

impl Dotenv {
    /// No variables yet.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, values: BTreeMap::new(), unknown: BTreeSet::new(), problems: Vec::new(), total: 0 }
    }

    /// Reads a file's text; its values replace those of files read before. Fails only for a text of more
    /// than [`MAX_FILE_BYTES`].
    pub fn read(&mut self, text: &str) -> Result<(), PhpError> {
        self.read_with(text, &BTreeMap::new())
    }

    /// The same, where references such as `${NAME}` see `real` variables first: those of the process win
    /// over the file's in every dialect.
    pub fn read_with(&mut self, text: &str, real: &dyn Environment) -> Result<(), PhpError> {
        if text.len() > MAX_FILE_BYTES {
            let what = "the environment file".to_owned();
            return Err(PhpError::TooLarge { what, size: text.len(), limit: MAX_FILE_BYTES });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
        match self.dialect {
            Dialect::Plain | Dialect::Laravel => vlucas::read(self, &text, real),
            Dialect::Symfony => symfony::read(self, &text, real),
        }
        Ok(())
    }

    /// A variable's value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// All values by name.
    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// All values by name, for a layer of [`LayeredEnvironment`](crate::LayeredEnvironment).
    pub fn into_values(self) -> BTreeMap<String, String> {
        self.values
    }

    /// Variables that a file sets to something that cannot be known, such as the output of a command.
    pub fn unknown(&self) -> &BTreeSet<String> {
        &self.unknown
    }

    /// Lines that were not understood, in order.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn set(&mut self, name: &str, value: String, line: u32) {
        self.total = self.total.saturating_add(value.len());
        if value.len() > MAX_VALUE || self.total > MAX_TOTAL {
            self.set_unknown(name, line, "the value is too long");
            return;
        }
        self.unknown.remove(name);
        self.values.insert(name.to_owned(), value);
    }

    fn set_unknown(&mut self, name: &str, line: u32, reason: &'static str) {
        self.values.remove(name);
        self.unknown.insert(name.to_owned());
        self.problem(line, Some(name), reason);
    }

    fn problem(&mut self, line: u32, name: Option<&str>, reason: &'static str) {
        self.problems.push(Problem { line, name: name.map(str::to_owned), reason });
    }

    fn look_up(&self, name: &str, real: &dyn Environment) -> Option<String> {
        real.get(name).or_else(|| self.values.get(name).cloned())
    }
}

/// Names only: values may be passwords.
impl fmt::Debug for Dotenv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dotenv")
            .field("dialect", &self.dialect)
            .field("names", &self.values.keys())
            .field("unknown", &self.unknown)
            .field("problems", &self.problems)
            .finish()
    }
}

/// Where a reader stands in a text.
struct Cursor<'a> {
    text: &'a str,
    position: usize,
    line: u32,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, position: 0, line: 1 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        self.line += u32::from(next == '\n');
        Some(next)
    }

    /// Moves over a part of the text that `rest` begins with.
    fn pass(&mut self, part: &str) {
        self.position += part.len();
        self.line += part.matches('\n').count() as u32;
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|next| !accept(next)).unwrap_or(rest.len());
        let part = rest.get(..end).unwrap_or("");
        self.pass(part);
        part
    }

    fn skip_line(&mut self) {
        self.take_while(|next| next != '\n');
        self.next();
    }
}

fn is_blank(next: char) -> bool {
    matches!(next, ' ' | '\t')
}

#[cfg(test)]
#[path = "dotenv_tests.rs"]
mod tests;
