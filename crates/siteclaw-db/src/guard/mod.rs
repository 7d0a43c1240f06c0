//! The guard for SQL that a model wrote: text goes in, a [`ReadOnlyQuery`] comes out, or a [`Refusal`].
//!
//! A statement is parsed in the dialect of its connection and walked node by node against lists of what is
//! allowed: one query, of known tables, with functions that only compute. Tables that hold secrets are
//! replaced by sub-queries in which the secrets are masked, so that no alias, `*`, view, union or function
//! over them can give one away. What is sent is the tree printed again, never the text that came in.
//!
//! It refuses writes in any disguise, locks, variables, files, other schemas, comments that the server
//! would run, and what is too long or too deep to check. It opens no connection: whoever runs the query
//! still uses a read-only transaction with a time limit.
//!
//! ```
//! use std::collections::BTreeMap;
//! use siteclaw_db::guard::{Guard, RefusalCode, SqlPolicy};
//! use siteclaw_db::{Column, Engine, Schema, Table, TableKind};
//!
//! let column = |name: &str| Column { name: name.into(), data_type: "varchar(255)".into(), nullable: true };
//! let users = Table {
//!     name: "wp_users".into(),
//!     kind: TableKind::Base,
//!     columns: vec![column("ID"), column("user_login"), column("user_pass")],
//!     row_estimate: None,
//!     bytes: None,
//! };
//! let schema = Schema {
//!     engine: Engine::MySql,
//!     current: "shop".into(),
//!     tables: BTreeMap::from([(users.name.clone(), users)]),
//! };
//! let guard = Guard::new(Engine::MySql, SqlPolicy::new()).with_max_rows(100);
//!
//! let query = guard.check("SELECT * FROM wp_users u -- all of it", &schema)?;
//! assert_eq!(
//!     query.sql(),
//!     "SELECT * FROM (SELECT `ID`, `user_login`, '[masked]' AS `user_pass` FROM `shop`.`wp_users`) AS `u` LIMIT 101",
//! );
//! let refusal = guard.check("SELECT user_pass FROM wp_users", &schema).unwrap_err();
//! assert_eq!(refusal.code, RefusalCode::RestrictedIdentifier);
//! # Ok::<(), siteclaw_db::guard::Refusal>(())
//! ```

mod explain;
mod functions;
mod limit;
mod literal;
mod mask;
mod names;
mod operators;
mod parse;
mod pattern;
mod policy;
mod prescan;
mod refusal;
mod secret_names;
mod types;
mod view;
mod walk;

#[cfg(test)]
mod tests;

use std::thread;

use sqlparser::ast::Statement;

pub use pattern::NamePattern;
pub use policy::{DeniedTable, MASK, SecretRows, SqlPolicy};
pub use refusal::{Refusal, RefusalCode};
pub use secret_names::{is_secret_name, name_words};

use crate::{Engine, Schema};

/// Rows that are asked for when nothing else is said.
const DEFAULT_ROWS: u32 = 100;
/// Bytes of a statement with its masked tables and views written out.
const LONGEST_PRINTED: usize = 1024 * 1024;
/// The syntax tree is as deep as a statement has operators, and is walked, printed, compared and dropped by
/// recursion: at the caps this takes up to 2 MiB in a debug build, which is all that a worker's stack has.
const STACK: usize = 32 * 1024 * 1024;

/// Checks statements for one database under one policy.
#[derive(Clone, Debug)]
pub struct Guard {
    engine: Engine,
    policy: SqlPolicy,
    max_rows: u32,
}

/// A statement that only reads, and reads no secret. Nothing but [`Guard::check`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOnlyQuery {
    sql: String,
    parameters: u32,
    tables: Vec<String>,
    masked: Vec<String>,
}

impl ReadOnlyQuery {
    /// The text to send.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// How many parameters it needs: the number of `?`, or the highest `$n`.
    pub fn parameter_count(&self) -> usize {
        usize::try_from(self.parameters).unwrap_or(usize::MAX)
    }

    /// The tables and views that it reads, also through views, by their exact names, in order.
    pub fn tables(&self) -> &[String] {
        &self.tables
    }

    /// What is masked in it, as `table.column`, in order; of key-value tables only some rows are.
    pub fn masked_columns(&self) -> &[String] {
        &self.masked
    }
}

impl Guard {
    /// A guard that lets a statement give 100 rows.
    pub fn new(engine: Engine, policy: SqlPolicy) -> Self {
        Self { engine, policy, max_rows: DEFAULT_ROWS }
    }

    /// Sets how many rows will be looked at. The statement gets a LIMIT of one more, which tells whether
    /// there are others.
    #[must_use]
    pub fn with_max_rows(mut self, rows: u32) -> Self {
        self.max_rows = rows;
        self
    }

    /// The policy.
    pub fn policy(&self) -> &SqlPolicy {
        &self.policy
    }

    /// Checks a statement against the tables of the current database and rewrites it.
    ///
    /// Takes well under a millisecond for usual statements, and a thread of its own for its stack.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] says what the statement may not do, in words fit for a model.
    pub fn check(&self, sql: &str, schema: &Schema) -> Result<ReadOnlyQuery, Refusal> {
        if schema.engine != self.engine {
            return Err(unchecked());
        }
        thread::scope(|scope| {
            thread::Builder::new()
                .name("sql-guard".into())
                .stack_size(STACK)
                .spawn_scoped(scope, || self.check_here(sql, schema))
                .map_err(|_| unchecked())?
                .join()
                .map_err(|_| unchecked())?
        })
    }

    fn check_here(&self, sql: &str, schema: &Schema) -> Result<ReadOnlyQuery, Refusal> {
        let mut statement = parse::statement(self.engine, sql, prescan::STATEMENT)?;
        let explained = matches!(statement, Statement::Explain { .. });
        let query = if explained {
            explain::inner(self.engine, &mut statement)?
        } else {
            walk::only_query(&mut statement)?
        };
        let mut walk = walk::Walk::new(self.engine, &self.policy, schema);
        walk.query(query)?;
        if explained && walk.masks_by_row {
            return Err(explain::shows_rows());
        }
        limit::cap(query, u64::from(self.max_rows) + 1)?;
        let parameters = walk.finish()?;
        let sql = parse::print(self.engine, &statement, LONGEST_PRINTED)?;
        Ok(ReadOnlyQuery {
            sql,
            parameters,
            tables: walk.tables.into_iter().collect(),
            masked: walk.masked.into_iter().collect(),
        })
    }
}

fn unchecked() -> Refusal {
    Refusal::new(RefusalCode::Unchecked, "The statement could not be checked, so it was not run.")
}
