//! EXPLAIN of a query, as long as it does not run it and shows no row.
//!
//! MySQL and MariaDB read a row that is found by its key while they plan, and print its values in the
//! conditions that `FORMAT=JSON` and `FORMAT=TREE` show: `case when 'smtp_password' = … then '[masked]' else
//! 'the secret' end`. So they may only give the table that is their plain form, and tables that are masked
//! row by row are left out altogether.

use sqlparser::ast::{DescribeAlias, Expr, Query, Statement, UtilityOption, Value};

use super::refusal::Refusal;
use super::walk::only_query;
use crate::Engine;

/// Options of PostgreSQL's EXPLAIN that only shape what is shown.
const OPTIONS: &[&str] = &["format", "verbose", "costs", "summary", "settings"];
const FORMATS: &[&str] = &["text", "json", "xml", "yaml"];

/// The query to be explained.
pub(super) fn inner(engine: Engine, statement: &mut Statement) -> Result<&mut Query, Refusal> {
    let Statement::Explain {
        describe_alias,
        analyze,
        verbose: _,
        query_plan: _,
        estimate: false,
        statement,
        format,
        options,
    } = statement
    else {
        return Err(Refusal::clause("This form of EXPLAIN"));
    };
    if *analyze || !options.iter().flatten().all(is_harmless) {
        return Err(Refusal::clause("EXPLAIN ANALYZE, which runs the query,")
            .hint("Use EXPLAIN alone, or run the query itself."));
    }
    if engine == Engine::MySql && format.is_some() {
        return Err(Refusal::clause("EXPLAIN with FORMAT").hint("Use EXPLAIN alone."));
    }
    *describe_alias = DescribeAlias::Explain;
    only_query(statement)
}

/// The refusal of EXPLAIN on tables that are masked row by row.
pub(super) fn shows_rows() -> Refusal {
    Refusal::clause("EXPLAIN of a query on a table in which some rows are masked")
        .hint("Run the query itself; its masked values stay masked.")
}

fn is_harmless(option: &UtilityOption) -> bool {
    let UtilityOption { name, arg } = option;
    let name = name.value.to_ascii_lowercase();
    let plain = match arg {
        None => true,
        Some(Expr::Identifier(word)) => {
            let word = word.value.to_ascii_lowercase();
            matches!(word.as_str(), "on" | "off" | "true" | "false") || FORMATS.contains(&word.as_str())
        }
        Some(Expr::Value(value)) => matches!(value.value, Value::Boolean(_)),
        Some(_) => false,
    };
    plain && OPTIONS.contains(&name.as_str())
}
