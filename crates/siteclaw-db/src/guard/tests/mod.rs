//! Tests of the whole guard: attacks, honest work, secrets, limits, and arbitrary text.

mod arbitrary;
mod attacks;
mod caps;
mod honest;
mod rewriting;
mod secrets;
mod site;

use super::{Guard, ReadOnlyQuery, Refusal, RefusalCode};
use crate::Engine;

/// Checks a statement against the site of that engine.
fn check(engine: Engine, sql: &str) -> Result<ReadOnlyQuery, Refusal> {
    Guard::new(engine, site::policy(engine)).check(sql, &site::schema(engine))
}

/// What is sent for a statement that must pass.
fn sent(engine: Engine, sql: &str) -> String {
    match check(engine, sql) {
        Ok(query) => query.sql().to_owned(),
        Err(refusal) => panic!("refused: {sql}\n{refusal}"),
    }
}

/// Why a statement that must not pass is refused.
fn refused(engine: Engine, sql: &str) -> RefusalCode {
    match check(engine, sql) {
        Ok(query) => panic!("let through: {sql}\nas {}", query.sql()),
        Err(refusal) => refusal.code,
    }
}
