//! Read-only access to MySQL, MariaDB, PostgreSQL and SQLite, and the guard for model-written SQL.
//!
//! A [`Database`] is a site's database as its configuration names it. It opens few connections, each made
//! read-only and time-limited at once, and runs [`Statement`]s: templates of our own whose values travel as
//! parameters. Every result is streamed and bounded. Several statements over one state of the data go through
//! a [`Snapshot`].
//!
//! What is deliberately absent: a way to write; a way to send text that neither the program wrote nor the
//! guard printed; the multi-statement text protocol for anything but constants; `LOAD DATA LOCAL`. No type of
//! the driver is in a signature, no environment variable is read by choice, and nothing is ever left beside a
//! SQLite file.

#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]

mod address;
mod catalogue;
mod database;
mod engine;
mod error;
mod file;
pub mod guard;
mod lease;
mod model;
mod pool;
mod row;
mod schema;
mod server;
mod session;
mod settings;
mod snapshot;
mod statement;
mod value;
mod wire;

pub use address::mysql_candidates;
pub use database::Database;
pub use engine::Engine;
pub use error::{Cause, DbError};
pub use file::{OpenFile, SqliteFile};
pub use model::ModelRows;
pub use row::{Origin, ResultColumn, Row, Rows};
pub use schema::{Column, Schema, Table, TableKind};
pub use server::{Flavour, ServerInfo};
pub use settings::{
    ConnectSettings, Limits, MySqlAddress, MySqlSettings, PostgresHost, PostgresSettings, Tls,
};
pub use snapshot::{Queries, Snapshot};
pub use statement::{Param, Prefixes, Statement};
pub use value::Value;
