//! Calls of functions, aggregates and window functions.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause,
    FunctionArgumentList, FunctionArguments, Ident, JsonReturningClause, ObjectName,
};

use super::Walk;
use crate::Engine;
use crate::guard::functions;
use crate::guard::literal::settle_bare;
use crate::guard::names;
use crate::guard::refusal::{Refusal, RefusalCode};
use crate::guard::types::settle_type;

/// A plain call of a function.
pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    let args = args.into_iter().map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))).collect();
    Expr::Function(Function {
        name: ObjectName::from(Ident::new(name)),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args,
            clauses: vec![],
        }),
        within_group: vec![],
        filter: None,
        null_treatment: None,
        over: None,
    })
}

impl Walk<'_> {
    pub(super) fn function(&mut self, function: &mut Function) -> Result<(), Refusal> {
        let Function {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            within_group,
            filter,
            null_treatment: _,
            over,
        } = function;
        if *uses_odbc_syntax || *parameters != FunctionArguments::None {
            return Err(Refusal::clause("This form of a function call"));
        }
        match args {
            FunctionArguments::None => {
                functions::check(self.engine, name, false)?;
            }
            FunctionArguments::Subquery(query) => {
                if functions::check(self.engine, name, true)? != "array" {
                    return Err(Refusal::clause(
                        "A sub-query as the only argument without brackets of its own",
                    )
                    .hint("Put the sub-query into a second pair of brackets."));
                }
                self.query(query)?;
            }
            FunctionArguments::List(list) => {
                let listed = functions::check(self.engine, name, true)?;
                self.arguments(listed, list)?;
            }
        }
        self.order_exprs(within_group)?;
        self.optional(filter)?;
        match over {
            Some(window) => self.window(window),
            None => Ok(()),
        }
    }

    fn arguments(&mut self, function: &str, list: &mut FunctionArgumentList) -> Result<(), Refusal> {
        let FunctionArgumentList { duplicate_treatment: _, args, clauses } = list;
        let mut args = args.as_mut_slice();
        if functions::takes_unit(self.engine, function) {
            let Some((unit, rest)) = args.split_first_mut() else { return Ok(()) };
            check_unit(unit)?;
            args = rest;
        }
        self.function_args(args)?;
        for clause in clauses {
            match clause {
                FunctionArgumentClause::IgnoreOrRespectNulls(_)
                | FunctionArgumentClause::JsonNullClause(_) => {}
                FunctionArgumentClause::OrderBy(exprs) => self.order_exprs(exprs)?,
                FunctionArgumentClause::Limit(expr) => self.expr(expr)?,
                FunctionArgumentClause::Separator(value) => settle_bare(self.engine, value)?,
                FunctionArgumentClause::JsonReturningClause(JsonReturningClause { data_type }) => {
                    settle_type(self.schema, data_type)?;
                }
                FunctionArgumentClause::Where(_)
                | FunctionArgumentClause::OnOverflow(_)
                | FunctionArgumentClause::Having(_) => {
                    return Err(Refusal::clause("This clause inside a function call"));
                }
            }
        }
        Ok(())
    }

    pub(super) fn function_args(&mut self, args: &mut [FunctionArg]) -> Result<(), Refusal> {
        for arg in args {
            let arg = match arg {
                FunctionArg::Unnamed(arg) => arg,
                FunctionArg::Named { name, arg, operator } if self.engine == Engine::Postgres => {
                    self.argument_sign(operator)?;
                    self.label(name)?;
                    arg
                }
                FunctionArg::ExprNamed { name, arg, operator } if self.engine == Engine::Postgres => {
                    self.argument_sign(operator)?;
                    self.expr(name)?;
                    arg
                }
                FunctionArg::Named { .. } | FunctionArg::ExprNamed { .. } => {
                    return Err(Refusal::clause("A named argument"));
                }
            };
            match arg {
                FunctionArgExpr::Expr(expr) => self.expr(expr)?,
                FunctionArgExpr::QualifiedWildcard(name) => {
                    let mut parts = names::parts(name)?;
                    self.qualified_wildcard(&mut parts)?;
                    *name = parts.into();
                }
                FunctionArgExpr::Wildcard => {}
                FunctionArgExpr::WildcardWithOptions(_) => return Err(Refusal::clause("A changed *")),
            }
        }
        Ok(())
    }

    fn argument_sign(&self, operator: &FunctionArgOperator) -> Result<(), Refusal> {
        match operator {
            FunctionArgOperator::RightArrow
            | FunctionArgOperator::Assignment
            | FunctionArgOperator::Colon => Ok(()),
            _ => Err(Refusal::clause("This sign between an argument and its name")),
        }
    }
}

fn check_unit(arg: &FunctionArg) -> Result<(), Refusal> {
    match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(unit)))
            if unit.quote_style.is_none() && functions::is_unit(&unit.value) =>
        {
            Ok(())
        }
        _ => Err(Refusal::new(RefusalCode::Syntax, "The first argument must be a unit of time.")
            .hint("Write MONTH, DAY, HOUR, MINUTE or the like, without quotes.")),
    }
}
