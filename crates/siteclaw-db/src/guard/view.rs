//! Views, unfolded to what they read.
//!
//! A view is a query that someone else wrote, and may give a secret away under another name. Its text is
//! parsed and walked like the model's own, with tables masked; if nothing in it needed masking, the view
//! stands as it is. A view whose text is not shown, or cannot be checked, is refused.

use sqlparser::ast::{Query, Statement};

use super::names;
use super::parse;
use super::prescan::{self, too_deep};
use super::refusal::{Refusal, RefusalCode};
use super::walk::{Walk, only_query};
use crate::{Engine, Table};

/// Views within views.
const DEEPEST: usize = 8;
/// Views unfolded for one statement, counting each use.
const MOST: usize = 64;

/// Walks a view's text; gives it rewritten if something in it was masked.
pub(super) fn unfold(
    walk: &mut Walk<'_>,
    view: &Table,
    text: Option<&str>,
) -> Result<Option<Box<Query>>, Refusal> {
    let shown = names::shown(&view.name);
    let Some(text) = text else {
        return Err(refused(&shown, "the server does not show what it reads"));
    };
    walk.unfolded += 1;
    if walk.views >= DEEPEST || walk.unfolded > MOST {
        return Err(too_deep(&format!("The view {shown} is built on too many other views.")));
    }
    let (mut query, mut columns) =
        definition(walk.engine, text).map_err(|cause| refused(&shown, &cause.message))?;
    let masked = walk.inside_view(&mut query).map_err(|cause| match cause.code {
        RefusalCode::View | RefusalCode::TooDeep => cause,
        _ => refused(&shown, &cause.message),
    })?;
    if !masked {
        return Ok(None);
    }
    if walk.engine == Engine::Sqlite {
        // It calls a column without a name after its text, spaces and all.
        columns =
            view.columns.iter().map(|column| names::quoted(walk.engine, &column.name).to_string()).collect();
    }
    if columns.is_empty() {
        return Ok(Some(query));
    }
    // `CREATE VIEW v (a, b) AS …` names the columns before the query; a common table expression is the one
    // form of that which all three databases have.
    let v = names::quoted(walk.engine, "v");
    let text = format!("WITH {v} ({}) AS (SELECT 1) SELECT * FROM {v}", columns.join(", "));
    let mut named = parse::query(walk.engine, &text)?;
    if let Some(cte) = named.with.as_mut().and_then(|with| with.cte_tables.first_mut()) {
        cte.query = query;
    }
    Ok(Some(named))
}

/// The query of a view and the names of its columns, if it lists them.
fn definition(engine: Engine, text: &str) -> Result<(Box<Query>, Vec<String>), Refusal> {
    match parse::statement(engine, text, prescan::VIEW)? {
        Statement::CreateView(create) => {
            let mut columns = Vec::new();
            for column in create.columns {
                let mut name = column.name;
                names::quote(engine, &mut name)?;
                columns.push(name.to_string());
            }
            Ok((create.query, columns))
        }
        mut other => Ok((Box::new(only_query(&mut other)?.clone()), Vec::new())),
    }
}

fn refused(view: &str, cause: &str) -> Refusal {
    let cause = cause.trim_end_matches('.');
    Refusal::new(RefusalCode::View, format!("The view {view} cannot be read through the guard: {cause}."))
        .hint("Query the tables that it is built on.")
        .with("view", view)
}
