//! The outermost LIMIT: always there, never above the number of rows that anyone will look at.

use sqlparser::ast::{Expr, LimitClause, Query, SetExpr, UnaryOperator, Value};

use super::refusal::Refusal;

/// Puts a LIMIT of `most` rows on a query that has none or a greater one. ORDER BY and OFFSET stay.
pub(super) fn cap(query: &mut Query, most: u64) -> Result<(), Refusal> {
    // In `(SELECT … ORDER BY x)` a LIMIT outside the brackets would let MySQL forget the order.
    let brackets_only = query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none();
    if let (true, SetExpr::Query(inner)) = (brackets_only, query.body.as_mut()) {
        return cap(inner, most);
    }
    // The rows of VALUES stand in the statement, and SQLite allows no LIMIT there.
    let bare_values = matches!(query.body.as_ref(), SetExpr::Values(_)) && query.order_by.is_none();
    if let Some(fetch) = &mut query.fetch {
        let fits = match &fetch.quantity {
            None => true,
            Some(quantity) => number(quantity)? <= most,
        };
        if !fits {
            fetch.quantity = Some(literal(most));
        }
        return Ok(());
    }
    match &mut query.limit_clause {
        None if bare_values => {}
        None => {
            query.limit_clause = Some(LimitClause::LimitOffset {
                limit: Some(literal(most)),
                offset: None,
                limit_by: Vec::new(),
            });
        }
        Some(LimitClause::LimitOffset { limit, .. }) => match limit {
            Some(written) if !is_null(written) => {
                if number(written)? > most {
                    *written = literal(most);
                }
            }
            _ => *limit = Some(literal(most)),
        },
        Some(LimitClause::OffsetCommaLimit { limit, .. }) => {
            if number(limit)? > most {
                *limit = literal(most);
            }
        }
    }
    Ok(())
}

fn number(limit: &Expr) -> Result<u64, Refusal> {
    let refused = || {
        Refusal::clause("An outer LIMIT that is not a plain number")
            .hint("Write LIMIT and a number, such as LIMIT 50.")
    };
    match limit {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => {
                let whole = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty();
                // Digits beyond 64 bits are a number all the same, and above any cap.
                if whole { Ok(digits.parse().unwrap_or(u64::MAX)) } else { Err(refused()) }
            }
            _ => Err(refused()),
        },
        // SQLite's way to say "no limit".
        Expr::UnaryOp { op: UnaryOperator::Minus, .. } => Ok(u64::MAX),
        _ => Err(refused()),
    }
}

fn is_null(limit: &Expr) -> bool {
    matches!(limit, Expr::Value(value) if value.value == Value::Null)
}

fn literal(number: u64) -> Expr {
    Expr::Value(Value::Number(number.to_string(), false).into())
}
