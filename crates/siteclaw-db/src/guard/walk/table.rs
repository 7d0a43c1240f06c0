//! Tables in FROM: found in the catalogue, closed or masked as the policy says, and named in full.

use sqlparser::ast::{
    Expr, ObjectName, TableAlias, TableFactor, TableIndexDirective, TableIndexHints, TableSample,
    TableSampleKind, TableSampleMethod, TableSampleModifier, TableSampleQuantity, TableSampleSeed,
    ValueWithSpan,
};

use super::source::rename;
use super::{Columns, MOST_REFERENCES, Source, Walk};
use crate::guard::literal::settle_bare;
use crate::guard::mask;
use crate::guard::names;
use crate::guard::pattern::fold;
use crate::guard::prescan::too_deep;
use crate::guard::refusal::{Refusal, RefusalCode};
use crate::guard::view;
use crate::{Engine, Table, TableKind};

impl<'a> Walk<'a> {
    /// Checks a table in FROM and puts what may be read in its place. Gives nothing for MySQL's DUAL.
    pub(super) fn table(&mut self, factor: &mut TableFactor) -> Result<Option<Source<'a>>, Refusal> {
        self.references += 1;
        if self.references > MOST_REFERENCES {
            return Err(too_deep(&format!(
                "The statement names more than {MOST_REFERENCES} tables, views unfolded."
            )));
        }
        let TableFactor::Table {
            name,
            alias,
            args: None,
            with_hints,
            version: None,
            with_ordinality: false,
            partitions,
            json_path: None,
            sample,
            index_directives,
            inheritance: _,
        } = factor
        else {
            return Err(Refusal::clause("This form of a table in FROM"));
        };
        if !with_hints.is_empty() {
            return Err(Refusal::clause("WITH hints on a table"));
        }
        for partition in partitions {
            self.label(partition)?;
        }
        if let Some(sample) = sample {
            self.sample(sample)?;
        }
        for directive in index_directives {
            match directive {
                TableIndexDirective::MySql(TableIndexHints {
                    hint_type: _,
                    index_type: _,
                    for_clause: _,
                    index_names,
                }) => {
                    for index in index_names {
                        self.label(index)?;
                    }
                }
                TableIndexDirective::IndexedBy(index) => {
                    self.label(index)?;
                }
                TableIndexDirective::NotIndexed => {}
            }
        }
        let mut parts = names::parts(name)?;
        let written = match parts.as_mut_slice() {
            [table] => {
                let bare = table.quote_style.is_none();
                let written = names::quote(self.engine, table)?;
                if self.sees_cte(&written) {
                    *name = parts.into();
                    let visible = match alias {
                        Some(alias) => self.source_alias(alias)?,
                        None => written,
                    };
                    return Ok(Some(self.source_named(&visible, Columns::Open)));
                }
                if self.engine == Engine::MySql
                    && bare
                    && written.eq_ignore_ascii_case("dual")
                    && alias.is_none()
                {
                    *name = ObjectName::from(sqlparser::ast::Ident::new("DUAL"));
                    return Ok(None);
                }
                written
            }
            [schema, table] => {
                let schema = names::read(self.engine, schema)?;
                self.check_schema(&schema)?;
                names::quote(self.engine, table)?
            }
            _ => return Err(self.other_schema(name)),
        };
        let table = self.find(&written)?;
        self.check_policy(table)?;
        self.tables.insert(table.name.clone());
        let visible = match alias {
            Some(alias) => self.source_alias(alias)?,
            None => {
                *alias = Some(TableAlias {
                    explicit: true,
                    name: names::quoted(self.engine, &written),
                    columns: Vec::new(),
                    at: None,
                });
                written
            }
        };
        let columns = if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
            let mut columns = table.columns.iter().map(|column| column.name.clone()).collect();
            rename(&mut columns, alias.as_ref());
            Columns::Listed(columns)
        } else {
            Columns::Of(self.known(table))
        };
        *name =
            vec![names::quoted(self.engine, &self.schema.current), names::quoted(self.engine, &table.name)]
                .into();
        self.mask(table, factor)?;
        Ok(Some(self.source_named(&visible, columns)))
    }

    /// Puts a masked sub-query in the place of a table that holds secrets.
    fn mask(&mut self, table: &'a Table, factor: &mut TableFactor) -> Result<(), Refusal> {
        let plan = mask::plan(self.engine, self.policy, table)?;
        let source = match &table.kind {
            TableKind::Base => None,
            TableKind::View(definition) => view::unfold(self, table, definition.as_deref())?,
        };
        if plan.is_empty() && source.is_none() {
            return Ok(());
        }
        for column in plan.masked() {
            self.masked.insert(format!("{}.{column}", table.name));
        }
        self.masks_by_row |= plan.by_row();
        if self.views == 0 {
            self.secrets.extend(plan.hidden().map(fold));
        }
        mask::replace(self.engine, &plan, factor, source)
    }

    fn find(&self, written: &str) -> Result<&'a Table, Refusal> {
        let schema = self.schema;
        if let Some(table) = schema.tables.get(written) {
            return Ok(table);
        }
        let mut alike = schema.tables.values().filter(|table| fold(&table.name) == fold(written));
        if let (Some(table), None) = (alike.next(), alike.next()) {
            return Ok(table);
        }
        let open = schema.tables.keys().filter(|name| self.policy.denied(name).is_none());
        let near = names::nearest(written, open.map(String::as_str));
        if let (Some(denied), true) = (self.policy.denied(written), near.is_empty()) {
            return Err(closed(written, denied.use_instead.as_deref()));
        }
        let hint = names::did_you_mean(&near)
            .unwrap_or_else(|| "Ask for the schema to see which tables and columns there are.".to_owned());
        Err(Refusal::new(
            RefusalCode::Table,
            format!("There is no table '{}' in this database.", names::shown(written)),
        )
        .hint(hint)
        .with("suggestions", near))
    }

    fn check_policy(&self, table: &Table) -> Result<(), Refusal> {
        let internal = self.engine == Engine::Sqlite && fold(&table.name).starts_with("sqlite_");
        let plain = !internal
            && names::is_plain(self.engine, &table.name)
            && names::is_plain(self.engine, &self.schema.current);
        if !plain || table.columns.is_empty() {
            let message =
                format!("The table {} cannot be read through the guard.", names::shown(&table.name));
            return Err(Refusal::new(RefusalCode::Table, message)
                .hint("Its name or its columns are not known well enough to keep secrets out."));
        }
        match self.policy.denied(&table.name) {
            Some(denied) => Err(closed(&table.name, denied.use_instead.as_deref())),
            None => Ok(()),
        }
    }

    fn sees_cte(&self, name: &str) -> bool {
        self.ctes.contains(&self.key(name))
    }

    /// A common table expression may not take the name of a table with secrets: should the server ever see
    /// the table where the walk sees the expression, nothing must come of it.
    pub(super) fn check_cte_name(&self, name: &str) -> Result<(), Refusal> {
        let mut alike = self.schema.tables.values().filter(|table| fold(&table.name) == fold(name));
        let guarded = self.policy.denied(name).is_some()
            || alike.any(|table| {
                matches!(table.kind, TableKind::View(_))
                    || mask::plan(self.engine, self.policy, table).map_or(true, |plan| !plan.is_empty())
            });
        if !guarded {
            return Ok(());
        }
        let shown = names::shown(name);
        Err(Refusal::new(
            RefusalCode::Policy,
            format!("A common table expression may not be called '{shown}', like a guarded table."),
        )
        .hint("Give it another name."))
    }

    fn other_schema(&self, name: &ObjectName) -> Refusal {
        let shown = names::shown(&name.to_string());
        Refusal::new(RefusalCode::Schema, format!("Only the site's own database can be read, not {shown}."))
            .hint("Leave the schema out. Ask for the schema to see which tables and columns there are.")
    }

    fn sample(&mut self, sample: &mut TableSampleKind) -> Result<(), Refusal> {
        let (TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) = sample;
        let TableSample { modifier, name, quantity, seed, bucket, offset } = sample.as_mut();
        let known = self.engine == Engine::Postgres
            && *modifier == TableSampleModifier::TableSample
            && matches!(name, Some(TableSampleMethod::Bernoulli | TableSampleMethod::System))
            && bucket.is_none()
            && offset.is_none();
        match (quantity, known) {
            (Some(TableSampleQuantity { parenthesized: _, value: Expr::Value(value), unit: None }), true) => {
                settle_bare(self.engine, value)?;
            }
            _ => return Err(Refusal::clause("This form of TABLESAMPLE")),
        }
        match seed {
            Some(TableSampleSeed { modifier: _, value }) => self.seed(value),
            None => Ok(()),
        }
    }

    fn seed(&self, value: &mut ValueWithSpan) -> Result<(), Refusal> {
        settle_bare(self.engine, value)
    }
}

fn closed(table: &str, use_instead: Option<&str>) -> Refusal {
    let shown = names::shown(table);
    let refusal = Refusal::new(
        RefusalCode::Policy,
        format!("The table {shown} is closed to queries, because of what it holds."),
    )
    .with("table", shown);
    match use_instead {
        Some(instead) => refusal.hint(instead).with("use_instead", instead),
        None => refusal,
    }
}
