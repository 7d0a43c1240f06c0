//! Statements of our own: SQL templates with `{table}` names and `?` parameters.
//!
//! A template is written once and rendered for the dialect and the table prefixes of the site:
//!
//! | written | becomes |
//! |---|---|
//! | `{posts}` | the table with the part's prefix, quoted |
//! | `{base:users}` | the table with the base prefix, quoted |
//! | `?` | the next parameter (`$1`, `$2`… for PostgreSQL) |
//! | `(?*)` | the next list of parameters, for `IN` and `NOT IN`; an empty list holds nothing |
//! | `??` | a question mark, for PostgreSQL's JSON operators |
//!
//! Literals, quoted names and comments are never touched. Values never become part of the text: a template
//! is for SQL that we wrote, and whatever came from outside is bound.
//!
//! ```
//! use siteclaw_db::{Engine, Prefixes, Statement};
//! let statement = Statement::new("SELECT ID FROM {posts} WHERE post_author = ? AND post_type IN (?*)")
//!     .bind(7)
//!     .bind_list(["post", "page"]);
//! let prefixes = Prefixes::new("wp_2_", "wp_");
//! assert_eq!(
//!     statement.sql(Engine::MySql, &prefixes)?,
//!     "SELECT ID FROM `wp_2_posts` WHERE post_author = ? AND post_type IN (?, ?)"
//! );
//! # Ok::<(), siteclaw_db::DbError>(())
//! ```

mod render;
pub(crate) mod scan;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub(crate) use render::Rendered;

use crate::{DbError, Engine};

/// A value that travels beside a statement, never inside its text.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    /// SQL NULL.
    Null,
    /// True or false; 1 or 0 where the server has no booleans.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number in floating point.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

macro_rules! param_from {
    ($($source:ty => |$value:ident| $param:expr;)+) => {
        $(impl From<$source> for Param {
            fn from($value: $source) -> Self {
                $param
            }
        })+
    };
}

param_from! {
    bool => |value| Self::Bool(value);
    i64 => |value| Self::Int(value);
    i32 => |value| Self::Int(i64::from(value));
    u32 => |value| Self::Int(i64::from(value));
    f64 => |value| Self::Float(value);
    &str => |value| Self::Text(value.to_owned());
    String => |value| Self::Text(value);
    &String => |value| Self::Text(value.clone());
    Vec<u8> => |value| Self::Bytes(value);
}

impl<T: Into<Self>> From<Option<T>> for Param {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Argument {
    One(Param),
    List(Vec<Param>),
}

/// A template with its parameters. `{name}` is a table with the prefix of the site's part, `{base:name}` one with
/// the base prefix, `?` a parameter, `(?*)` a list of them and `??` a question mark.
#[derive(Clone, Debug)]
pub struct Statement {
    text: Cow<'static, str>,
    arguments: Vec<Argument>,
}

impl Statement {
    /// Takes a template that the program itself wrote.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), arguments: Vec::new() }
    }

    /// Binds the next `?`.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Param>) -> Self {
        self.arguments.push(Argument::One(value.into()));
        self
    }

    /// Binds the next `?`s in order.
    #[must_use]
    pub fn binds<P: Into<Param>>(mut self, values: impl IntoIterator<Item = P>) -> Self {
        self.arguments.extend(values.into_iter().map(|value| Argument::One(value.into())));
        self
    }

    /// Binds the next `(?*)`.
    #[must_use]
    pub fn bind_list<P: Into<Param>>(mut self, values: impl IntoIterator<Item = P>) -> Self {
        self.arguments.push(Argument::List(values.into_iter().map(Into::into).collect()));
        self
    }

    /// The SQL text that would be sent, for a message or a test.
    ///
    /// # Errors
    /// [`DbError::BadStatement`] for a template that is malformed, [`DbError::BadParameters`] when the
    /// parameters do not fit it.
    pub fn sql(&self, engine: Engine, prefixes: &Prefixes) -> Result<String, DbError> {
        self.render(engine, prefixes).map(|rendered| rendered.sql)
    }

    pub(crate) fn render(&self, engine: Engine, prefixes: &Prefixes) -> Result<Rendered, DbError> {
        render::render(&self.text, &self.arguments, engine, prefixes)
    }
}

/// The table prefixes of one part of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefixes {
    /// The prefix of the part's tables, such as `wp_2_`.
    pub part: String,
    /// The prefix of the tables that all parts share, such as `wp_`.
    pub base: String,
    /// Tables whose full name is configured, such as WordPress' custom user table: bare name → full name,
    /// which may be `database.table`. It holds for `{name}` and `{base:name}` alike.
    pub renamed: BTreeMap<String, String>,
}

impl Prefixes {
    /// Prefixes of a part and of the whole.
    pub fn new(part: impl Into<String>, base: impl Into<String>) -> Self {
        Self { part: part.into(), base: base.into(), renamed: BTreeMap::new() }
    }

    /// The one prefix of a site without parts.
    pub fn single(prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        Self::new(prefix.clone(), prefix)
    }

    /// The full name of a table of the part.
    pub fn table(&self, name: &str) -> String {
        self.named(name).unwrap_or_else(|| format!("{}{name}", self.part))
    }

    /// The full name of a table that all parts share.
    pub fn base_table(&self, name: &str) -> String {
        self.named(name).unwrap_or_else(|| format!("{}{name}", self.base))
    }

    fn named(&self, name: &str) -> Option<String> {
        self.renamed.get(name).cloned()
    }
}
