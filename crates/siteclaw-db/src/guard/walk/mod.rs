//! The walk over a statement's syntax tree: everything is looked at, little is let through.
//!
//! Each struct of the tree is taken apart field by field, without `..`, wherever a field could hold
//! something that acts; each enum is matched against what is allowed, and the rest is refused. On its way
//! the walk quotes names, settles literals, and puts masked tables in the place of those with secrets.

mod call;
mod expr;
mod query;
mod select;
mod source;
mod table;

pub(super) use query::only_query;

use std::collections::{BTreeSet, HashSet};

use sqlparser::ast::Ident;

use super::names;
use super::pattern::fold;
use super::policy::SqlPolicy;
use super::refusal::{Refusal, RefusalCode};
use crate::{Engine, Schema, Table};

/// Columns that PostgreSQL adds to every stored table.
const SYSTEM_COLUMNS: &[&str] = &["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

/// One walk over one statement.
pub(super) struct Walk<'a> {
    pub(super) engine: Engine,
    policy: &'a SqlPolicy,
    schema: &'a Schema,
    /// What each enclosing SELECT has in FROM, outermost first.
    scopes: Vec<Vec<Source<'a>>>,
    /// Names of common table expressions in sight, outermost first.
    ctes: Vec<String>,
    /// How many views the walk is inside of.
    pub(super) views: usize,
    /// Views unfolded so far.
    pub(super) unfolded: usize,
    /// Tables and views that the statement reads.
    pub(super) tables: BTreeSet<String>,
    /// What was masked, as `table.column`.
    pub(super) masked: BTreeSet<String>,
    /// Whether a value is masked depending on its row somewhere.
    pub(super) masks_by_row: bool,
    /// Names of the secret columns of the tables that the statement names.
    secrets: HashSet<String>,
    /// Column names that no table in sight explains: aliases, outputs of sub-queries.
    unexplained: Vec<String>,
    /// Parameters so far: how many, and whether they carry numbers.
    parameters: u32,
}

/// One item of FROM.
struct Source<'a> {
    /// What columns may be qualified with.
    name: String,
    columns: Columns<'a>,
}

/// What is known of the columns of an item of FROM.
enum Columns<'a> {
    /// Those of a table.
    Of(&'a Table),
    /// Those of a function, by name.
    Listed(Vec<String>),
    /// Those of a sub-query: nothing secret is left in it.
    Open,
}

impl<'a> Columns<'a> {
    fn table(&self) -> Option<&'a Table> {
        match self {
            Self::Of(table) => Some(table),
            Self::Listed(_) | Self::Open => None,
        }
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(engine: Engine, policy: &'a SqlPolicy, schema: &'a Schema) -> Self {
        Self {
            engine,
            policy,
            schema,
            scopes: Vec::new(),
            ctes: Vec::new(),
            views: 0,
            unfolded: 0,
            tables: BTreeSet::new(),
            masked: BTreeSet::new(),
            masks_by_row: false,
            secrets: HashSet::new(),
            unexplained: Vec::new(),
            parameters: 0,
        }
    }

    /// The last judgement, which needs all tables of the statement to be known.
    pub(super) fn finish(&self) -> Result<u32, Refusal> {
        match self.unexplained.iter().find(|name| self.secrets.contains(&fold(name))) {
            Some(name) => Err(restricted(name)),
            None => Ok(self.parameters),
        }
    }

    fn parameter(&mut self, number: Option<u32>) -> Result<(), Refusal> {
        if self.views > 0 {
            return Err(Refusal::clause("A parameter in a view"));
        }
        self.parameters = match number {
            Some(number) => self.parameters.max(number),
            None => self.parameters + 1,
        };
        Ok(())
    }

    /// Compares names that the walk has read.
    fn same(&self, a: &str, b: &str) -> bool {
        match self.engine {
            Engine::Postgres => a == b,
            Engine::MySql | Engine::Sqlite => fold(a) == fold(b),
        }
    }

    /// Quotes a column's name, with or without qualifiers, and refuses it if it is secret.
    fn column(&mut self, parts: &mut Vec<Ident>) -> Result<(), Refusal> {
        self.cut_schema(parts)?;
        let mut read = Vec::with_capacity(parts.len());
        for part in parts.iter_mut() {
            read.push(names::quote(self.engine, part)?);
        }
        match read.as_slice() {
            [name] => self.bare_column(name),
            [source, name] => self.qualified_column(source, name),
            _ => Err(Refusal::clause("A name of this many parts")),
        }
    }

    /// Takes the schema off `schema.table.column` (and `schema.table.*`): after masking there is no such
    /// table in the statement any more.
    fn cut_schema(&self, parts: &mut Vec<Ident>) -> Result<(), Refusal> {
        if let [schema, _, _] = parts.as_slice() {
            let schema = names::read(self.engine, schema)?;
            self.check_schema(&schema)?;
            parts.remove(0);
        }
        Ok(())
    }

    fn check_schema(&self, written: &str) -> Result<(), Refusal> {
        let current = &self.schema.current;
        let fits = match self.engine {
            Engine::Postgres => written == current,
            Engine::MySql | Engine::Sqlite => fold(written) == fold(current),
        };
        if fits {
            return Ok(());
        }
        let shown = names::shown(written);
        Err(Refusal::new(
            RefusalCode::Schema,
            format!("Only the site's own database can be read, not '{shown}'."),
        )
        .hint("Leave the schema out. To see tables and columns, use db_schema."))
    }

    fn bare_column(&mut self, name: &str) -> Result<(), Refusal> {
        for scope in self.scopes.iter().rev() {
            let mut found = None;
            for table in scope.iter().filter_map(|source| source.columns.table()) {
                if let Some(column) = table.columns.iter().find(|column| self.same(&column.name, name)) {
                    let secret = self.policy.is_secret_column(&table.name, &column.name, &column.data_type);
                    found = Some(found.unwrap_or(false) || secret);
                }
            }
            match found {
                Some(true) if self.views == 0 => return Err(restricted(name)),
                Some(_) => return Ok(()),
                None => {}
            }
        }
        self.unexplained_name(name);
        Ok(())
    }

    fn qualified_column(&mut self, source: &str, name: &str) -> Result<(), Refusal> {
        let found = self.scopes.iter().rev().flatten().find(|item| self.same(&item.name, source));
        let Some(found) = found else {
            if self.engine == Engine::Postgres {
                let shown = names::shown(source);
                return Err(Refusal::new(
                    RefusalCode::Table,
                    format!("There is no table or alias '{shown}' in sight here."),
                )
                .hint("Name it in FROM first."));
            }
            self.unexplained_name(name);
            return Ok(());
        };
        let postgres = self.engine == Engine::Postgres;
        let known: Vec<&str> = match &found.columns {
            Columns::Of(table) => {
                if let Some(column) = table.columns.iter().find(|column| self.same(&column.name, name)) {
                    let secret = self.policy.is_secret_column(&table.name, &column.name, &column.data_type);
                    return if secret && self.views == 0 { Err(restricted(name)) } else { Ok(()) };
                }
                if postgres && SYSTEM_COLUMNS.contains(&name) {
                    return Ok(());
                }
                table.columns.iter().map(|column| column.name.as_str()).collect()
            }
            Columns::Listed(columns) => columns.iter().map(String::as_str).collect(),
            Columns::Open => Vec::new(),
        };
        // PostgreSQL reads `t.f` as the call `f(t)` when t has no such column, so f must be one. The row
        // of a sub-query is harmless: no function outside the list takes an unnamed row and acts.
        if postgres && !matches!(found.columns, Columns::Open) && !known.contains(&name) {
            let near = names::nearest(name, known.into_iter());
            let message = format!("{} has no column '{}'.", names::shown(source), names::shown(name));
            let mut refusal = Refusal::new(RefusalCode::Table, message);
            if let Some(hint) = names::did_you_mean(&near) {
                refusal = refusal.hint(hint).with("suggestions", near);
            }
            return Err(refusal);
        }
        self.unexplained_name(name);
        Ok(())
    }

    fn unexplained_name(&mut self, name: &str) {
        if self.views == 0 {
            self.unexplained.push(name.to_owned());
        }
    }

    /// Quotes a name that is defined or used by the statement alone: an alias, a window, an index.
    fn label(&self, ident: &mut Ident) -> Result<String, Refusal> {
        names::quote(self.engine, ident)
    }
}

fn restricted(column: &str) -> Refusal {
    let shown = names::shown(column);
    Refusal::new(
        RefusalCode::RestrictedIdentifier,
        format!("The column {shown} holds secrets and may not be named in a query."),
    )
    .hint("Leave it out; in SELECT * it appears masked.")
    .with("column", shown)
}

impl Walk<'_> {
    /// Walks the text of a view, which sees nothing of the statement around it. Says whether something in
    /// it was masked.
    pub(super) fn inside_view(&mut self, query: &mut sqlparser::ast::Query) -> Result<bool, Refusal> {
        let scopes = std::mem::take(&mut self.scopes);
        let ctes = std::mem::take(&mut self.ctes);
        let masked = std::mem::take(&mut self.masked);
        self.views += 1;
        let result = self.query(query);
        self.views -= 1;
        let any = !self.masked.is_empty();
        self.masked.extend(masked);
        self.ctes = ctes;
        self.scopes = scopes;
        result.map(|()| any)
    }
}
