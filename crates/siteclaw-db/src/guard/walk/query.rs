//! Queries: WITH, set operations, ORDER BY, LIMIT; and the refusal of all that writes or locks.

use sqlparser::ast::{
    Cte, Expr, Fetch, InTarget, LimitClause, Offset, OrderBy, OrderByExpr, OrderByKind, OrderByOptions,
    OrderBySort, Query, SetExpr, SetQuantifier, Table, TableAlias, TableAliasColumnDef, Values, With,
};

use super::{Source, Walk};
use crate::Engine;
use crate::guard::parse;
use crate::guard::prescan::not_a_query;
use crate::guard::refusal::{Refusal, RefusalCode};
use crate::guard::types::settle_type;

/// How deep WITH may stand inside WITH.
const MAX_NESTED_WITH: usize = 3;

impl<'a> Walk<'a> {
    /// Checks and rewrites a query with everything in it.
    pub(in crate::guard) fn query(&mut self, query: &mut Query) -> Result<(), Refusal> {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if !locks.is_empty() {
            return Err(Refusal::clause("A locking clause (FOR UPDATE, FOR SHARE)").hint("Leave it out."));
        }
        if for_clause.is_some() || settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty()
        {
            return Err(Refusal::clause("A clause of another database"));
        }
        let before = self.ctes.len();
        if let Some(with) = with {
            self.with(with)?;
        }
        let scope = self.body(body)?;
        // ORDER BY may name what the one SELECT of the query has in FROM.
        self.scopes.push(scope);
        if let Some(order_by) = order_by {
            self.order_by(order_by)?;
        }
        if let Some(limit) = limit_clause {
            self.limit_clause(limit)?;
        }
        if let Some(Fetch { with_ties: _, percent, quantity }) = fetch {
            if *percent {
                return Err(Refusal::clause("FETCH in per cent"));
            }
            if let Some(quantity) = quantity {
                self.expr(quantity)?;
            }
        }
        self.scopes.pop();
        self.ctes.truncate(before);
        Ok(())
    }

    fn with(&mut self, with: &mut With) -> Result<(), Refusal> {
        let With { with_token: _, recursive, cte_tables } = with;
        // MariaDB's work to prepare WITH inside WITH doubles with each level, and no time limit covers it.
        if self.nested_with == MAX_NESTED_WITH {
            return Err(Refusal::new(
                RefusalCode::TooDeep,
                format!("WITH stands inside WITH more than {MAX_NESTED_WITH} deep."),
            )
            .hint("Put the common table expressions side by side in one WITH."));
        }
        self.nested_with += 1;
        for cte in cte_tables {
            let Cte { alias, query, from, materialized: _, closing_paren_token: _ } = cte;
            if from.is_some() {
                return Err(Refusal::clause("FROM after a common table expression"));
            }
            let name = self.alias(alias)?;
            self.check_cte_name(&name)?;
            let name = self.key(&name);
            // SQLite lets an expression see itself without the word RECURSIVE.
            if *recursive || self.engine == Engine::Sqlite {
                self.ctes.push(name);
                self.query(query)?;
            } else {
                self.query(query)?;
                self.ctes.push(name);
            }
        }
        self.nested_with -= 1;
        Ok(())
    }

    /// Gives what the body has in FROM, when it is one SELECT.
    fn body(&mut self, body: &mut SetExpr) -> Result<Vec<Source<'a>>, Refusal> {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => {
                self.query(query)?;
                Ok(Vec::new())
            }
            SetExpr::SetOperation { left, op: _, set_quantifier, right } => {
                if !matches!(
                    set_quantifier,
                    SetQuantifier::All | SetQuantifier::Distinct | SetQuantifier::None
                ) {
                    return Err(Refusal::clause("A set operation BY NAME"));
                }
                self.body(left)?;
                self.body(right)?;
                Ok(Vec::new())
            }
            SetExpr::Values(Values { explicit_row: _, value_keyword, rows }) => {
                if *value_keyword {
                    return Err(Refusal::clause("VALUE"));
                }
                for row in rows {
                    self.exprs(&mut row.content)?;
                }
                Ok(Vec::new())
            }
            SetExpr::Table(table) => {
                let Table { table_name, schema_name } = table.as_ref();
                let names = schema_name.iter().chain(table_name).map(ToString::to_string).collect::<Vec<_>>();
                *body = parse::body(self.engine, &format!("SELECT * FROM {}", names.join(".")))?;
                self.body(body)
            }
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                Err(Refusal::new(
                    RefusalCode::NotSelect,
                    "A part of the statement writes (INSERT, UPDATE, DELETE or MERGE).",
                )
                .hint("Nothing can be changed here; write a query that only reads."))
            }
        }
    }

    pub(super) fn order_by(&mut self, order_by: &mut OrderBy) -> Result<(), Refusal> {
        let OrderBy { kind, interpolate } = order_by;
        match kind {
            OrderByKind::Expressions(exprs) if interpolate.is_none() => self.order_exprs(exprs),
            _ => Err(Refusal::clause("ORDER BY ALL")),
        }
    }

    pub(super) fn order_exprs(&mut self, exprs: &mut [OrderByExpr]) -> Result<(), Refusal> {
        for OrderByExpr { expr, options: OrderByOptions { sort, nulls_first: _ }, with_fill } in exprs {
            if with_fill.is_some() || matches!(sort, Some(OrderBySort::Using(_))) {
                return Err(Refusal::clause("This form of ORDER BY"));
            }
            self.expr(expr)?;
        }
        Ok(())
    }

    fn limit_clause(&mut self, limit: &mut LimitClause) -> Result<(), Refusal> {
        match limit {
            LimitClause::LimitOffset { limit, offset, limit_by } => {
                if !limit_by.is_empty() {
                    return Err(Refusal::clause("LIMIT BY"));
                }
                if let Some(limit) = limit {
                    self.expr(limit)?;
                }
                if let Some(Offset { value, rows: _ }) = offset {
                    self.expr(value)?;
                }
                Ok(())
            }
            LimitClause::OffsetCommaLimit { offset, limit } => {
                self.expr(offset)?;
                self.expr(limit)
            }
        }
    }

    /// Quotes an alias with its columns; gives its name.
    pub(super) fn alias(&mut self, alias: &mut TableAlias) -> Result<String, Refusal> {
        let TableAlias { explicit: _, name, columns, at } = alias;
        if at.is_some() {
            return Err(Refusal::clause("AT after an alias"));
        }
        for TableAliasColumnDef { name, data_type } in columns {
            self.label(name)?;
            if let Some(data_type) = data_type {
                settle_type(self.schema, data_type)?;
            }
        }
        self.label(name)
    }

    /// An alias in FROM, which is printed with AS.
    pub(super) fn source_alias(&mut self, alias: &mut TableAlias) -> Result<String, Refusal> {
        alias.explicit = true;
        self.alias(alias)
    }

    pub(super) fn in_target(&mut self, target: &mut InTarget) -> Result<(), Refusal> {
        match target {
            InTarget::List(list) => self.exprs(list),
            InTarget::Subquery(query) => self.query(query),
            // SQLite's `x IN t` is short for a sub-query, and is written out so that it is masked like one.
            InTarget::Table { name, args: None } => {
                let mut query = parse::query(self.engine, &format!("SELECT * FROM {name}"))?;
                self.query(&mut query)?;
                *target = InTarget::Subquery(query);
                Ok(())
            }
            InTarget::Table { args: Some(_), .. } | InTarget::Unnest(_) => {
                Err(Refusal::clause("This form of IN"))
            }
        }
    }

    pub(super) fn exprs(&mut self, exprs: &mut [Expr]) -> Result<(), Refusal> {
        exprs.iter_mut().try_for_each(|expr| self.expr(expr))
    }
}

/// The query inside a statement, or the refusal of the statement.
pub(in crate::guard) fn only_query(statement: &mut sqlparser::ast::Statement) -> Result<&mut Query, Refusal> {
    match statement {
        sqlparser::ast::Statement::Query(query) => Ok(query),
        _ => Err(not_a_query()),
    }
}
