//! FROM: joins, sub-queries and functions. Tables themselves are in `table`.

use sqlparser::ast::{
    Ident, Join, JoinConstraint, JoinOperator, JsonTableColumn, JsonTableColumnErrorHandling,
    JsonTableNamedColumn, JsonTableNestedColumn, ObjectName, TableAlias, TableFactor, TableFunctionArgs,
    TableWithJoins,
};

use super::{Columns, Source, Walk};
use crate::Engine;
use crate::guard::functions;
use crate::guard::literal::settle_bare;
use crate::guard::names;
use crate::guard::refusal::Refusal;
use crate::guard::types::settle_type;

impl<'a> Walk<'a> {
    /// Checks and rewrites FROM; gives its items.
    pub(super) fn from(&mut self, from: &mut [TableWithJoins]) -> Result<Vec<Source<'a>>, Refusal> {
        let mut scope = Vec::new();
        for item in &mut *from {
            self.sources(item, &mut scope)?;
        }
        self.scopes.push(scope);
        for item in from {
            self.join_conditions(item)?;
        }
        Ok(self.scopes.pop().unwrap_or_default())
    }

    fn sources(&mut self, item: &mut TableWithJoins, scope: &mut Vec<Source<'a>>) -> Result<(), Refusal> {
        let TableWithJoins { relation, joins } = item;
        self.source(relation, scope)?;
        for Join { relation, global, join_operator: _ } in joins {
            if *global {
                return Err(Refusal::clause("GLOBAL JOIN"));
            }
            self.source(relation, scope)?;
        }
        Ok(())
    }

    fn join_conditions(&mut self, item: &mut TableWithJoins) -> Result<(), Refusal> {
        if let TableFactor::NestedJoin { table_with_joins, alias: _ } = &mut item.relation {
            self.join_conditions(table_with_joins)?;
        }
        for Join { relation, global: _, join_operator } in &mut item.joins {
            if let TableFactor::NestedJoin { table_with_joins, alias: _ } = relation {
                self.join_conditions(table_with_joins)?;
            }
            match join_operator {
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::Left(constraint)
                | JoinOperator::LeftOuter(constraint)
                | JoinOperator::Right(constraint)
                | JoinOperator::RightOuter(constraint)
                | JoinOperator::FullOuter(constraint)
                | JoinOperator::CrossJoin(constraint)
                | JoinOperator::StraightJoin(constraint) => self.join_constraint(constraint)?,
                _ => return Err(Refusal::clause("This kind of join")),
            }
        }
        Ok(())
    }

    fn join_constraint(&mut self, constraint: &mut JoinConstraint) -> Result<(), Refusal> {
        match constraint {
            JoinConstraint::On(expr) => self.expr(expr),
            JoinConstraint::Using(columns) => {
                for column in columns {
                    let mut parts = names::parts(column)?;
                    if parts.len() != 1 {
                        return Err(Refusal::clause("A qualified name in USING"));
                    }
                    self.column(&mut parts)?;
                    *column = parts.into();
                }
                Ok(())
            }
            JoinConstraint::Natural | JoinConstraint::None => Ok(()),
            JoinConstraint::UsingAlias(..) => Err(Refusal::clause("USING with an alias")),
        }
    }

    fn source(&mut self, factor: &mut TableFactor, scope: &mut Vec<Source<'a>>) -> Result<(), Refusal> {
        match factor {
            TableFactor::Table { args: None, .. } => {
                let source = self.table(factor)?;
                scope.extend(source);
                Ok(())
            }
            TableFactor::Derived { lateral, subquery, alias, sample: None } => {
                let lateral = *lateral;
                let subquery = subquery.as_mut();
                self.seeing(lateral, scope, |walk| walk.query(subquery))?;
                if let Some(alias) = alias {
                    let name = self.source_alias(alias)?;
                    scope.push(self.source_named(&name, Columns::Open));
                }
                Ok(())
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.sources(table_with_joins, scope)
            }
            TableFactor::Table { args: Some(_), .. }
            | TableFactor::Function { .. }
            | TableFactor::UNNEST { .. } => {
                let source = self.seeing(true, scope, |walk| walk.table_function(factor))?;
                scope.push(source);
                Ok(())
            }
            TableFactor::JsonTable { json_expr, json_path, columns, alias }
                if self.engine == Engine::MySql =>
            {
                self.seeing(true, scope, |walk| walk.expr(json_expr))?;
                settle_bare(self.engine, json_path)?;
                self.json_columns(columns)?;
                if let Some(alias) = alias {
                    let name = self.source_alias(alias)?;
                    scope.push(self.source_named(&name, Columns::Open));
                }
                Ok(())
            }
            _ => Err(Refusal::clause("This kind of item in FROM")),
        }
    }

    /// Walks something in FROM that sees the items before it, or only what is outside.
    fn seeing<T>(
        &mut self,
        lateral: bool,
        scope: &mut Vec<Source<'a>>,
        walk: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if !lateral {
            return walk(self);
        }
        self.scopes.push(std::mem::take(scope));
        let result = walk(self);
        *scope = self.scopes.pop().unwrap_or_default();
        result
    }

    /// A function in FROM. Its columns are known, and no others may be taken from it: in PostgreSQL the
    /// alias of a function stands for a plain value, and `x.pg_read_file` would call that function on it.
    fn table_function(&mut self, factor: &mut TableFactor) -> Result<Source<'a>, Refusal> {
        let (function, ordinality, alias) = match factor {
            TableFactor::Table {
                name,
                alias,
                args: Some(TableFunctionArgs { args, settings: None }),
                with_hints,
                version: None,
                with_ordinality,
                partitions,
                json_path: None,
                sample: None,
                index_directives,
                inheritance: None,
            } if with_hints.is_empty() && partitions.is_empty() && index_directives.is_empty() => {
                let function = functions::check_table(self.engine, name)?;
                self.function_args(args)?;
                (function, *with_ordinality, alias)
            }
            TableFactor::Function { lateral: _, name, args, with_ordinality, alias } => {
                let function = functions::check_table(self.engine, name)?;
                self.function_args(args)?;
                (function, *with_ordinality, alias)
            }
            TableFactor::UNNEST {
                alias,
                array_exprs,
                with_offset: false,
                with_offset_alias: None,
                with_ordinality,
            } => {
                let mut name = ObjectName::from(Ident::new("unnest"));
                let function = functions::check_table(self.engine, &mut name)?;
                self.exprs(array_exprs)?;
                (function, *with_ordinality, alias)
            }
            _ => return Err(Refusal::clause("This form of a function in FROM")),
        };
        let name = match alias {
            Some(alias) => self.source_alias(alias)?,
            None => function.to_owned(),
        };
        let mut columns = functions::columns_of(function, &name);
        if ordinality {
            columns.push("ordinality".to_owned());
        }
        rename(&mut columns, alias.as_ref());
        Ok(self.source_named(&name, Columns::Listed(columns)))
    }

    fn json_columns(&mut self, columns: &mut [JsonTableColumn]) -> Result<(), Refusal> {
        for column in columns {
            match column {
                JsonTableColumn::ForOrdinality(name) => {
                    self.label(name)?;
                }
                JsonTableColumn::Named(JsonTableNamedColumn {
                    name,
                    r#type,
                    path,
                    exists: _,
                    on_empty,
                    on_error,
                }) => {
                    self.label(name)?;
                    settle_type(self.schema, r#type)?;
                    settle_bare(self.engine, path)?;
                    for handling in on_empty.iter_mut().chain(on_error) {
                        if let JsonTableColumnErrorHandling::Default(value) = handling {
                            settle_bare(self.engine, value)?;
                        }
                    }
                }
                JsonTableColumn::Nested(JsonTableNestedColumn { path, columns }) => {
                    settle_bare(self.engine, path)?;
                    self.json_columns(columns)?;
                }
            }
        }
        Ok(())
    }
}

/// Gives the first columns the names that an alias lists.
pub(super) fn rename(columns: &mut Vec<String>, alias: Option<&TableAlias>) {
    for (at, column) in alias.iter().flat_map(|alias| &alias.columns).enumerate() {
        let new = column.name.value.clone();
        match columns.get_mut(at) {
            Some(column) => *column = new,
            None => columns.push(new),
        }
    }
}
