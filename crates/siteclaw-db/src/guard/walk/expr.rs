//! Expressions: what is on the list is walked through, the rest is refused.

use sqlparser::ast::{
    AccessExpr, Array, BinaryOperator, CaseWhen, CastKind, CeilFloorKind, DateTimeField, Expr, Interval,
    MemberOf, Subscript, TypedString,
};

use super::Walk;
use super::call::call;
use crate::Engine;
use crate::guard::functions;
use crate::guard::literal::{Literal, settle, settle_bare, settle_introduced};
use crate::guard::names;
use crate::guard::operators::{check_binary, check_unary};
use crate::guard::refusal::Refusal;
use crate::guard::types::{check_collation, check_extract, check_field, settle_type};

/// Fields of a composite value that PostgreSQL cannot take for a function: it has none of these names.
const FIELDS: &[&str] = &["key", "value"];

impl Walk<'_> {
    /// Checks and rewrites an expression.
    ///
    /// The left side of a chain of operators is walked in a loop, not by recursion: `1+1+1…` is a tree as
    /// deep as it has operators.
    pub(super) fn expr(&mut self, expr: &mut Expr) -> Result<(), Refusal> {
        let mut expr = expr;
        loop {
            self.spell_out_arrow(expr);
            expr = match expr {
                Expr::BinaryOp { left, op, right } => {
                    check_binary(self.engine, op)?;
                    self.matches |= *op == BinaryOperator::Match;
                    self.expr(right)?;
                    left
                }
                Expr::UnaryOp { op, expr } => {
                    check_unary(self.engine, op)?;
                    expr
                }
                Expr::Nested(inner)
                | Expr::IsFalse(inner)
                | Expr::IsNotFalse(inner)
                | Expr::IsTrue(inner)
                | Expr::IsNotTrue(inner)
                | Expr::IsNull(inner)
                | Expr::IsNotNull(inner)
                | Expr::IsUnknown(inner)
                | Expr::IsNotUnknown(inner)
                | Expr::IsJson { expr: inner, kind: _, unique_keys: _, negated: _ }
                | Expr::IsNormalized { expr: inner, form: _, negated: _ } => inner,
                Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                    self.expr(right)?;
                    left
                }
                Expr::Cast { kind, expr, data_type, format } => {
                    if format.is_some() || !matches!(kind, CastKind::Cast | CastKind::DoubleColon) {
                        return Err(Refusal::clause("This form of CAST"));
                    }
                    settle_type(self.schema, data_type)?;
                    expr
                }
                Expr::Collate { expr, collation } => {
                    check_collation(self.engine, collation)?;
                    expr
                }
                Expr::AtTimeZone { timestamp, time_zone } => {
                    self.expr(time_zone)?;
                    timestamp
                }
                Expr::CompoundFieldAccess { root, access_chain } => {
                    self.access_chain(access_chain)?;
                    root
                }
                Expr::Extract { field, syntax, expr } => {
                    check_field(field)?;
                    check_extract(syntax)?;
                    expr
                }
                _ => return self.other_expr(expr),
            };
        }
    }

    /// MySQL's `->` and `->>` are short for two functions, which MariaDB has too.
    fn spell_out_arrow(&self, expr: &mut Expr) {
        if self.engine != Engine::MySql
            || !matches!(expr, Expr::BinaryOp { op: BinaryOperator::Arrow | BinaryOperator::LongArrow, .. })
        {
            return;
        }
        if let Expr::BinaryOp { left, op, right } = std::mem::replace(expr, Expr::Tuple(Vec::new())) {
            let extracted = call("json_extract", vec![*left, *right]);
            *expr =
                if op == BinaryOperator::Arrow { extracted } else { call("json_unquote", vec![extracted]) };
        }
    }

    fn other_expr(&mut self, expr: &mut Expr) -> Result<(), Refusal> {
        match expr {
            Expr::Identifier(ident) => {
                if ident.quote_style.is_none()
                    && let Some(function) = functions::constant(self.engine, &ident.value)
                {
                    *expr = call(function, Vec::new());
                    return Ok(());
                }
                let mut parts = vec![ident.clone()];
                self.column(&mut parts)?;
                if let Some(quoted) = parts.pop() {
                    *ident = quoted;
                }
                Ok(())
            }
            Expr::CompoundIdentifier(parts) => self.column(parts),
            Expr::Value(value) => match settle(self.engine, &mut value.value)? {
                Literal::Kept => Ok(()),
                Literal::Replaced(replacement) => {
                    *expr = *replacement;
                    Ok(())
                }
                Literal::Parameter(number) => self.parameter(number),
            },
            Expr::Prefixed { prefix, value } => settle_introduced(self.engine, prefix, value),
            Expr::TypedString(TypedString { data_type, value, uses_odbc_syntax }) => {
                if *uses_odbc_syntax {
                    return Err(Refusal::clause("A literal in braces").hint("Write DATE '2026-01-31'."));
                }
                settle_type(self.schema, data_type)?;
                settle_bare(self.engine, value)
            }
            Expr::Function(function) => self.function(function),
            Expr::Subquery(query) | Expr::Exists { subquery: query, negated: _ } => self.query(query),
            Expr::In { expr, target, negated: _, global: false } => {
                self.expr(expr)?;
                self.in_target(target)
            }
            Expr::Between { expr, negated: _, low, high } => {
                self.expr(expr)?;
                self.expr(low)?;
                self.expr(high)
            }
            Expr::Like { negated: _, any, expr, pattern, escape_char }
            | Expr::ILike { negated: _, any, expr, pattern, escape_char } => {
                if *any && self.engine != Engine::Postgres {
                    return Err(Refusal::clause("LIKE ANY"));
                }
                self.expr(expr)?;
                self.expr(pattern)?;
                self.optional(escape_char)
            }
            Expr::SimilarTo { negated: _, expr, pattern, escape_char } => {
                self.expr(expr)?;
                self.expr(pattern)?;
                self.optional(escape_char)
            }
            Expr::RLike { negated: _, expr, pattern, regexp: _ } => {
                self.expr(expr)?;
                self.expr(pattern)
            }
            Expr::AnyOp { left, compare_op, right, is_some: _ } | Expr::AllOp { left, compare_op, right } => {
                check_binary(self.engine, compare_op)?;
                self.expr(left)?;
                self.expr(right)
            }
            Expr::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
                self.optional(operand)?;
                for CaseWhen { condition, result } in conditions {
                    self.expr(condition)?;
                    self.expr(result)?;
                }
                self.optional(else_result)
            }
            Expr::Tuple(exprs) => self.exprs(exprs),
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                sets.iter_mut().try_for_each(|set| self.exprs(set))
            }
            Expr::Array(Array { elem, named: _ }) if self.engine == Engine::Postgres => self.exprs(elem),
            Expr::Interval(interval) => self.interval(interval),
            Expr::MemberOf(MemberOf { value, array }) => {
                self.expr(value)?;
                self.expr(array)
            }
            Expr::MatchAgainst { columns, match_value, opt_search_modifier: _ } => {
                for column in columns {
                    let mut parts = names::parts(column)?;
                    self.column(&mut parts)?;
                    *column = parts.into();
                }
                settle_bare(self.engine, match_value)
            }
            _ => self.text_expr(expr),
        }
    }

    /// Functions that the grammar has nodes of their own for.
    fn text_expr(&mut self, expr: &mut Expr) -> Result<(), Refusal> {
        match expr {
            Expr::Convert { is_try: false, expr, data_type, charset, target_before_value: _, styles }
                if styles.is_empty() =>
            {
                if let Some(data_type) = data_type {
                    settle_type(self.schema, data_type)?;
                }
                if let Some(charset) = charset {
                    check_collation(self.engine, charset)?;
                }
                self.expr(expr)
            }
            Expr::Ceil { expr, field } | Expr::Floor { expr, field } => {
                match field {
                    CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => {}
                    CeilFloorKind::Scale(value) => settle_bare(self.engine, value)?,
                    CeilFloorKind::DateTimeField(_) => {
                        return Err(Refusal::clause("CEIL or FLOOR to a part of a date"));
                    }
                }
                self.expr(expr)
            }
            Expr::Position { expr, r#in } => {
                self.expr(expr)?;
                self.expr(r#in)
            }
            Expr::Substring { expr, substring_from, substring_for, special: _, shorthand: _ } => {
                self.expr(expr)?;
                self.optional(substring_from)?;
                self.optional(substring_for)
            }
            Expr::Trim { trim_where: _, trim_what, expr, trim_characters } => {
                self.optional(trim_what)?;
                self.expr(expr)?;
                trim_characters.iter_mut().flatten().try_for_each(|expr| self.expr(expr))
            }
            Expr::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                self.expr(expr)?;
                self.expr(overlay_what)?;
                self.expr(overlay_from)?;
                self.optional(overlay_for)
            }
            _ => Err(Refusal::clause("This kind of expression")),
        }
    }

    fn interval(&mut self, interval: &mut Interval) -> Result<(), Refusal> {
        let Interval {
            value,
            leading_field,
            leading_precision: _,
            last_field,
            fractional_seconds_precision: _,
        } = interval;
        leading_field.iter().chain(last_field.iter()).try_for_each(check_field)?;
        self.expr(value)
    }

    fn access_chain(&mut self, chain: &mut [AccessExpr]) -> Result<(), Refusal> {
        for access in chain {
            match access {
                AccessExpr::Subscript(Subscript::Index { index }) => self.expr(index)?,
                AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, stride: None }) => {
                    lower_bound.iter_mut().chain(upper_bound).try_for_each(|bound| self.expr(bound))?;
                }
                AccessExpr::Subscript(Subscript::Slice { .. }) => return Err(Refusal::clause("A stride")),
                // `(x).f` is the call `f(x)` in PostgreSQL, even for a plain number: `(9.0).pg_sleep`.
                AccessExpr::Dot(Expr::Identifier(field)) => {
                    let name = self.label(field)?;
                    if self.engine != Engine::Postgres || !FIELDS.contains(&name.as_str()) {
                        return Err(Refusal::clause(&format!(
                            "Access to the field '{}'",
                            names::shown(&name)
                        ))
                        .hint("Only (…).key and (…).value can be taken this way."));
                    }
                }
                AccessExpr::Dot(_) => return Err(Refusal::clause("Access to a field")),
            }
        }
        Ok(())
    }

    pub(super) fn optional(&mut self, expr: &mut Option<Box<Expr>>) -> Result<(), Refusal> {
        match expr {
            Some(expr) => self.expr(expr),
            None => Ok(()),
        }
    }
}
