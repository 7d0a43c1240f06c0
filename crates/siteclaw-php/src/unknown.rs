//! Why a value is not known.
//!
//! The evaluator never guesses: what it cannot decide becomes an [`Unknown`] that names the construct,
//! the file and the line. It stands where the value would stand, so one unreadable leaf of a nested
//! array spoils nothing else.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::value::PhpValue;

/// A value that only running PHP could tell. `Display` gives a sentence with file and line.
#[derive(Clone, PartialEq, Eq)]
pub struct Unknown(Arc<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    cause: Cause,
    file: Arc<Path>,
    line: u32,
    absent: Option<Absent>,
}

/// What PHP would see in place of a value that is missing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    /// `false`: `getenv()` of an unset variable.
    False,
    /// `null`: an unset entry of `$_ENV` or `$_SERVER`.
    Null,
    /// The empty string: what a cast or `trim()` makes of either.
    Empty,
    /// 0: what `(int)` makes of it.
    Zero,
    /// `null` to `isset`, `empty` and `??`; any other test is undecided.
    Unset,
}

impl Absent {
    /// What any use but `isset` sees; nothing where that is open.
    pub(crate) fn stand_in(self) -> Option<PhpValue> {
        Some(match self {
            Self::False => PhpValue::Bool(false),
            Self::Null => PhpValue::Null,
            Self::Empty => PhpValue::from(""),
            Self::Zero => PhpValue::Int(0),
            Self::Unset => return None,
        })
    }

    fn of(value: &PhpValue) -> Option<Self> {
        match value {
            PhpValue::Bool(false) => Some(Self::False),
            PhpValue::Null => Some(Self::Null),
            PhpValue::Str(text) if text.is_empty() => Some(Self::Empty),
            PhpValue::Int(0) => Some(Self::Zero),
            _ => None,
        }
    }
}

/// The construct that kept a value from being known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// An environment variable that no layer of the [`Environment`](crate::Environment) has.
    Environment(String),
    /// A value of the web request, such as `$_SERVER['HTTP_HOST']`.
    Request(String),
    /// A variable that was not set in the files read.
    Variable(String),
    /// A constant that was not defined in the files read.
    Constant(String),
    /// A function or method that is not evaluated.
    Call(String),
    /// Assigned under a condition that cannot be decided; the line is the condition's.
    Condition(u32),
    /// A file outside the folders that may be read.
    Refused(String),
    /// A file that is missing, too long or not readable.
    File(String),
    /// A construct that is not evaluated, such as `new` or a closure.
    Construct(&'static str),
    /// A value that would be larger or deeper than a configuration needs.
    TooLarge,
    /// The evaluator stopped after its allowance of steps.
    TooMuchWork,
}

impl Unknown {
    pub(crate) fn new(cause: Cause, file: &Arc<Path>, line: u32) -> Self {
        Self(Arc::new(Inner { cause, file: Arc::clone(file), line, absent: None }))
    }

    pub(crate) fn absent(cause: Cause, file: &Arc<Path>, line: u32, absent: Absent) -> Self {
        Self(Arc::new(Inner { cause, file: Arc::clone(file), line, absent: Some(absent) }))
    }

    pub(crate) fn absence(&self) -> Option<Absent> {
        self.0.absent
    }

    /// What PHP would see, where that is settled.
    pub(crate) fn stand_in(&self) -> Option<PhpValue> {
        self.0.absent.and_then(Absent::stand_in)
    }

    /// The same finding for what was made of the missing value: `value` is what PHP would have now. A
    /// value that is not empty says nothing of the real one.
    pub(crate) fn become_missing(&self, value: &PhpValue) -> Self {
        match Absent::of(value) {
            None => self.used(),
            absent => Self(Arc::new(Inner { absent, ..(*self.0).clone() })),
        }
    }

    /// The same finding for an element of the missing value, which PHP takes for `null`.
    pub(crate) fn element(&self) -> Self {
        match self.stand_in() {
            Some(_) => self.become_missing(&PhpValue::Null),
            None => self.clone(),
        }
    }

    /// The same finding where something was made of the missing value, so that it no longer stands for
    /// an absent one.
    pub(crate) fn used(&self) -> Self {
        match self.0.absent {
            None => self.clone(),
            Some(_) => Self(Arc::new(Inner { absent: None, ..(*self.0).clone() })),
        }
    }

    /// The construct.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// The file it was met in.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// Its line, from 1.
    pub fn line(&self) -> u32 {
        self.0.line
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} line {})", self.0.cause, self.0.file.display(), self.0.line)
    }
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unknown({self})")
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "environment variable {name} is not set here"),
            Self::Request(name) => write!(f, "{name} depends on the web request"),
            Self::Variable(name) => write!(f, "${name} is not set in the files read"),
            Self::Constant(name) => write!(f, "constant {name} is not defined in the files read"),
            Self::Call(name) => write!(f, "{name}() is not evaluated"),
            Self::Condition(line) => write!(f, "depends on the undecided condition of line {line}"),
            Self::Refused(path) => write!(f, "{path} lies outside the folders that may be read"),
            Self::File(path) => write!(f, "{path} is missing or not readable"),
            Self::Construct(what) => write!(f, "{what} is not evaluated"),
            Self::TooLarge => f.write_str("the value would be too large"),
            Self::TooMuchWork => f.write_str("the file asks for more work than a configuration needs"),
        }
    }
}
