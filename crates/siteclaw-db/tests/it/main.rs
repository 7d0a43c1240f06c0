//! The database layer against real servers. `cargo xtask test` starts them and says where they are.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod guard_secrets;
mod hostile;
mod model;
mod mysql;
mod mysql_limits;
mod mysql_login;
mod postgres;
mod servers;
mod sqlite;
mod sqlite_swapped;
mod sqlite_wal;
