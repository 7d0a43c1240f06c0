//! Static reading of PHP configuration and serialised values.
//!
//! A website keeps its database address in a PHP file and half of its settings as serialised PHP values.
//! This crate reads both without PHP: [`evaluate`] walks a configuration file the way PHP would and gives
//! its constants, variables, classes and returned value; [`unserialize`] decodes stored values;
//! [`dotenv`] reads environment files; [`file_header`] reads what plugins say about themselves.
//!
//! What holds here:
//!
//! * Nothing is run, and no file or socket is opened: files come through a [`Source`], environment
//!   variables through an [`Environment`], both the caller's.
//! * Nothing is guessed. What only running PHP could tell is a [`PhpValue::Unknown`] with file, line and
//!   cause, and is listed in [`Config::unresolved`].
//! * No text from outside is recursed over without a bound, and every input has a size limit.
//! * No `Debug`, error or finding shows a string value: it may be a password.

#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]

mod array;
mod config;
mod convert;
pub mod dotenv;
mod environment;
mod error;
mod evaluate;
mod header;
mod json;
mod serialized_form;
mod source;
mod unknown;
mod unserialize;
mod value;

pub use array::PhpArray;
pub use config::{
    Access, Class, Config, Fault, Located, MissingVariable, RefusedPath, Undecided, Unresolved,
};
pub use environment::{Environment, LayeredEnvironment, is_reserved};
pub use error::{PhpError, SourceError};
pub use evaluate::{MAX_CONFIG_BYTES, Options, evaluate};
pub use header::{FileHeader, file_header};
pub use serialized_form::{begins_serialized, is_serialized};
pub use source::Source;
pub use unknown::{Cause, Unknown};
pub use unserialize::{Corrupt, CorruptReason, MAX_SERIALIZED_BYTES, unserialize};
pub use value::{PhpKey, PhpObject, PhpString, PhpValue};
