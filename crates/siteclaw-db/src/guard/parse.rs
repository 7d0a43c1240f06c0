//! Parsing and printing in the dialect of the connection.

use siteclaw_core::sanitise_fragment;
use sqlparser::ast::{Query, SetExpr, Statement, TableAlias};
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::{Parser, ParserError};

use super::names;
use super::prescan::{self, Caps, too_deep};
use super::refusal::{Refusal, RefusalCode};
use super::walk::only_query;
use crate::Engine;

/// Deeper than brackets can be nested, since one pair takes several steps of the parser.
const RECURSION: usize = 400;

fn dialect(engine: Engine) -> &'static dyn Dialect {
    match engine {
        Engine::MySql => &MySqlDialect {},
        Engine::Postgres => &PostgreSqlDialect {},
        Engine::Sqlite => &SQLiteDialect {},
    }
}

/// Parses one statement within the caps.
pub(super) fn statement(engine: Engine, sql: &str, caps: Caps) -> Result<Statement, Refusal> {
    let dialect = dialect(engine);
    let tokens = prescan::prescan(engine, dialect, sql, caps)?;
    let mut parser = Parser::new(dialect).with_recursion_limit(RECURSION).with_tokens_with_locations(tokens);
    let mut statements = parser.parse_statements().map_err(|error| syntax(engine, &error))?;
    match (statements.pop(), statements.is_empty()) {
        (Some(statement), true) => Ok(statement),
        _ => Err(Refusal::new(RefusalCode::Multiple, "There is more than one statement.")
            .hint("Send one statement a call.")),
    }
}

fn syntax(engine: Engine, error: &ParserError) -> Refusal {
    let text = match error {
        ParserError::RecursionLimitExceeded => return too_deep("The statement is nested too deeply."),
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
    };
    let hint = match engine {
        Engine::MySql => {
            "Write it for MySQL. Instead of YEAR_MONTH and other double units use DATE_FORMAT(column, '%Y-%m')."
        }
        Engine::Postgres => "Write it for PostgreSQL.",
        Engine::Sqlite => "Write it for SQLite.",
    };
    let text = sanitise_fragment(text, 200);
    Refusal::new(RefusalCode::Syntax, format!("The statement cannot be read: {text}.")).hint(hint)
}

/// Parses generated text that is a query.
pub(super) fn query(engine: Engine, sql: &str) -> Result<Box<Query>, Refusal> {
    let mut parser = Parser::new(dialect(engine)).with_recursion_limit(RECURSION);
    parser = parser.try_with_sql(sql).map_err(|_| unprintable())?;
    let mut statements = parser.parse_statements().map_err(|_| unprintable())?;
    match (statements.pop(), statements.is_empty()) {
        (Some(mut statement), true) => Ok(Box::new(only_query(&mut statement)?.clone())),
        _ => Err(unprintable()),
    }
}

/// Parses generated text that is the body of a query.
pub(super) fn body(engine: Engine, sql: &str) -> Result<SetExpr, Refusal> {
    Ok(*query(engine, sql)?.body)
}

/// A quoted alias.
pub(super) fn alias(engine: Engine, name: &str) -> TableAlias {
    TableAlias { explicit: true, name: names::quoted(engine, name), columns: Vec::new(), at: None }
}

/// Prints a checked statement, and makes sure that the text says the same: parsed again, it must give the
/// same tree. What was checked is then what is sent.
pub(super) fn print(engine: Engine, statement: &Statement, most: usize) -> Result<String, Refusal> {
    let sql = statement.to_string();
    if sql.len() > most {
        return Err(too_deep("With its views written out the statement is too long."));
    }
    let mut parser = Parser::new(dialect(engine)).with_recursion_limit(RECURSION * 4);
    parser = parser.try_with_sql(&sql).map_err(|_| unprintable())?;
    match parser.parse_statements() {
        Ok(again) if again.as_slice() == std::slice::from_ref(statement) => Ok(sql),
        _ => Err(unprintable()),
    }
}

/// The refusal of what cannot be sent in the form in which it was checked.
pub(super) fn unprintable() -> Refusal {
    Refusal::new(
        RefusalCode::Syntax,
        "The statement has a form that cannot be sent exactly as it was checked.",
    )
    .hint("Write it in a simpler way: plain names, plain strings, no unusual spellings of functions.")
}
