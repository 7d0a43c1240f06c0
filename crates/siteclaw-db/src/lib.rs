//! Read-only access to MySQL, MariaDB, PostgreSQL and SQLite, and the guard for model-written SQL.

mod engine;
pub mod guard;
mod schema;

pub use engine::Engine;
pub use schema::{Column, Schema, Table, TableKind};
