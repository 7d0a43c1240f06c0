//! One SELECT: its list, FROM, conditions, groups and windows.

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, GroupByWithModifier, Ident, NamedWindowDefinition, NamedWindowExpr, Select,
    SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, SelectModifiers, WildcardAdditionalOptions,
    WindowFrame, WindowFrameBound, WindowSpec, WindowType,
};

use super::{Source, Walk};
use crate::Engine;
use crate::guard::refusal::Refusal;
use crate::guard::{functions, names};

/// Longer texts are cut by the servers themselves in some places; they get no label of ours.
const LONGEST_LABEL: usize = 120;

impl<'a> Walk<'a> {
    /// Checks and rewrites a SELECT; gives what it has in FROM, for ORDER BY.
    pub(super) fn select(&mut self, select: &mut Select) -> Result<Vec<Source<'a>>, Refusal> {
        let Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if into.is_some() {
            return Err(
                Refusal::clause("SELECT … INTO").hint("A query only gives rows back; leave INTO out.")
            );
        }
        let foreign = top.is_some()
            || exclude.is_some()
            || !lateral_views.is_empty()
            || prewhere.is_some()
            || !connect_by.is_empty()
            || !cluster_by.is_empty()
            || !distribute_by.is_empty()
            || !sort_by.is_empty()
            || qualify.is_some()
            || value_table_mode.is_some()
            || *flavor != SelectFlavor::Standard;
        if foreign {
            return Err(Refusal::clause(
                "A clause of another database (TOP, QUALIFY, CONNECT BY and the like)",
            ));
        }
        // Hints are comments that act: they can set variables and time limits.
        optimizer_hints.clear();
        *select_modifiers = select_modifiers
            .take()
            .filter(|modifiers| modifiers.straight_join)
            .map(|_| SelectModifiers { straight_join: true, ..SelectModifiers::default() });
        let scope = self.from(from)?;
        self.scopes.push(scope);
        if let Some(Distinct::On(exprs)) = distinct {
            self.exprs(exprs)?;
        }
        for item in projection {
            self.select_item(item)?;
        }
        if let Some(selection) = selection {
            self.expr(selection)?;
        }
        self.group_by(group_by)?;
        if let Some(having) = having {
            self.expr(having)?;
        }
        for NamedWindowDefinition(name, window) in named_window {
            self.label(name)?;
            match window {
                NamedWindowExpr::NamedWindow(other) => {
                    self.label(other)?;
                }
                NamedWindowExpr::WindowSpec(spec) => self.window_spec(spec)?,
            }
        }
        Ok(self.scopes.pop().unwrap_or_default())
    }

    fn select_item(&mut self, item: &mut SelectItem) -> Result<(), Refusal> {
        match item {
            SelectItem::UnnamedExpr(expr) => {
                let label = self.text_label(expr);
                self.expr(expr)?;
                if let Some(label) = label {
                    let expr = std::mem::replace(expr, Expr::Tuple(Vec::new()));
                    *item = SelectItem::ExprWithAlias { expr, alias: label };
                }
                Ok(())
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                self.expr(expr)?;
                self.label(alias).map(drop)
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                check_wildcard(options)?;
                let mut parts = names::parts(name)?;
                self.qualified_wildcard(&mut parts)?;
                *name = parts.into();
                Ok(())
            }
            SelectItem::Wildcard(options) => check_wildcard(options),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _)
            | SelectItem::ExprWithAliases { .. } => Err(Refusal::clause("This form of the select list")),
        }
    }

    /// MySQL and SQLite name a column after the text of its expression, so the text is kept as it was
    /// written, without the quotes that the walk puts around names.
    fn text_label(&self, expr: &Expr) -> Option<Ident> {
        let named = match expr {
            Expr::Identifier(word) => functions::constant(self.engine, &word.value).is_none(),
            Expr::CompoundIdentifier(_) | Expr::Value(_) => true,
            _ => false,
        };
        if self.engine == Engine::Postgres || named {
            return None;
        }
        let text = expr.to_string();
        let text = text.trim();
        let fits = text.chars().count() <= LONGEST_LABEL && names::is_plain(self.engine, text);
        fits.then(|| names::quoted(self.engine, text))
    }

    /// `t.*` or `schema.t.*`.
    pub(super) fn qualified_wildcard(&mut self, parts: &mut Vec<Ident>) -> Result<(), Refusal> {
        if let [schema, _] = parts.as_slice() {
            let schema = names::read(self.engine, schema)?;
            self.check_schema(&schema)?;
            parts.remove(0);
        }
        match parts.as_mut_slice() {
            [source] => self.label(source).map(drop),
            _ => Err(Refusal::clause("A name of this many parts")),
        }
    }

    fn group_by(&mut self, group_by: &mut GroupByExpr) -> Result<(), Refusal> {
        let GroupByExpr::Expressions(exprs, modifiers) = group_by else {
            return Err(Refusal::clause("GROUP BY ALL"));
        };
        self.exprs(exprs)?;
        for modifier in modifiers {
            match modifier {
                GroupByWithModifier::Rollup | GroupByWithModifier::Cube => {}
                GroupByWithModifier::GroupingSets(expr) => self.expr(expr)?,
                GroupByWithModifier::Totals => return Err(Refusal::clause("WITH TOTALS")),
            }
        }
        Ok(())
    }

    pub(super) fn window(&mut self, window: &mut WindowType) -> Result<(), Refusal> {
        match window {
            WindowType::WindowSpec(spec) => self.window_spec(spec),
            WindowType::NamedWindow(name) => self.label(name).map(drop),
        }
    }

    fn window_spec(&mut self, spec: &mut WindowSpec) -> Result<(), Refusal> {
        let WindowSpec { window_name, partition_by, order_by, window_frame } = spec;
        if let Some(name) = window_name {
            self.label(name)?;
        }
        self.exprs(partition_by)?;
        self.order_exprs(order_by)?;
        if let Some(WindowFrame { units: _, start_bound, end_bound }) = window_frame {
            for bound in std::iter::once(start_bound).chain(end_bound) {
                match bound {
                    WindowFrameBound::CurrentRow
                    | WindowFrameBound::Preceding(None)
                    | WindowFrameBound::Following(None) => {}
                    WindowFrameBound::Preceding(Some(expr)) | WindowFrameBound::Following(Some(expr)) => {
                        self.expr(expr)?
                    }
                }
            }
        }
        Ok(())
    }
}

fn check_wildcard(options: &WildcardAdditionalOptions) -> Result<(), Refusal> {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    let plain = opt_ilike.is_none()
        && opt_exclude.is_none()
        && opt_except.is_none()
        && opt_replace.is_none()
        && opt_rename.is_none()
        && opt_alias.is_none();
    if plain { Ok(()) } else { Err(Refusal::clause("A changed *")) }
}
