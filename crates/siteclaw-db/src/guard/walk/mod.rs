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

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use sqlparser::ast::Ident;

use super::names;
use super::pattern::fold;
use super::policy::SqlPolicy;
use super::refusal::{Refusal, RefusalCode};
use crate::{Column, Engine, Schema, Table};

/// MySQL joins at most 61 tables; each one here costs a sub-query to be written out.
const MOST_REFERENCES: usize = 256;

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
    /// How many WITH clauses the walk is inside of.
    pub(super) nested_with: usize,
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
    /// Whether it has SQLite's MATCH.
    matches: bool,
    /// Names of the secret columns of the tables that the statement names.
    secrets: HashSet<String>,
    /// Column names that no table in sight explains: aliases, outputs of sub-queries.
    unexplained: Vec<String>,
    /// Tables looked at so far.
    looked_at: HashMap<&'a str, Rc<Known<'a>>>,
    /// Names of tables in FROM so far, each as often as it stands there.
    references: usize,
    /// Parameters so far: how many, and whether they carry numbers.
    parameters: u32,
}

/// One item of FROM.
struct Source<'a> {
    /// What columns may be qualified with, in the form in which the engine compares names.
    key: String,
    columns: Columns<'a>,
}

/// What is known of the columns of an item of FROM.
enum Columns<'a> {
    /// Those of a table.
    Of(Rc<Known<'a>>),
    /// Those of a function, or of a table under other names.
    Listed(Vec<String>),
    /// Those of a sub-query: nothing secret is left in it.
    Open,
}

/// A table of the catalogue, looked at once for a statement.
struct Known<'a> {
    table: &'a Table,
    /// Whether a column is secret, by its name in the form in which the engine compares names.
    columns: HashMap<String, bool>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(engine: Engine, policy: &'a SqlPolicy, schema: &'a Schema) -> Self {
        Self {
            engine,
            policy,
            schema,
            scopes: Vec::new(),
            ctes: Vec::new(),
            nested_with: 0,
            views: 0,
            unfolded: 0,
            tables: BTreeSet::new(),
            masked: BTreeSet::new(),
            masks_by_row: false,
            matches: false,
            secrets: HashSet::new(),
            unexplained: Vec::new(),
            looked_at: HashMap::new(),
            references: 0,
            parameters: 0,
        }
    }

    /// The last judgement, which needs all tables of the statement to be known.
    pub(super) fn finish(&self) -> Result<u32, Refusal> {
        // In a full-text table of SQLite `title MATCH 'password:a*'` looks into the other column, however
        // the table is masked.
        if self.matches && !self.masked.is_empty() {
            return Err(Refusal::clause("MATCH in a query on a table with masked columns")
                .hint("Use LIKE, or leave the table with secrets out."));
        }
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

    /// The form in which the engine compares a name that the walk has read.
    fn key(&self, name: &str) -> String {
        match self.engine {
            Engine::Postgres => name.to_owned(),
            Engine::MySql | Engine::Sqlite => fold(name),
        }
    }

    fn known(&mut self, table: &'a Table) -> Rc<Known<'a>> {
        if let Some(known) = self.looked_at.get(table.name.as_str()) {
            return Rc::clone(known);
        }
        let secret =
            |column: &Column| self.policy.is_secret_column(&table.name, &column.name, &column.data_type);
        let columns = table.columns.iter().map(|column| (self.key(&column.name), secret(column))).collect();
        let known = Rc::new(Known { table, columns });
        self.looked_at.insert(&table.name, Rc::clone(&known));
        known
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
        .hint("Leave the schema out. Ask for the schema to see which tables and columns there are."))
    }

    fn bare_column(&mut self, name: &str) -> Result<(), Refusal> {
        let key = self.key(name);
        for scope in self.scopes.iter().rev() {
            let mut found = None;
            for source in scope {
                if let Columns::Of(known) = &source.columns
                    && let Some(secret) = known.columns.get(&key)
                {
                    found = Some(found.unwrap_or(false) || *secret);
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
        let postgres = self.engine == Engine::Postgres;
        let wanted = self.key(source);
        let Some(found) = self.scopes.iter().rev().flatten().find(|item| item.key == wanted) else {
            if postgres {
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
        let listed: Vec<&str> = match &found.columns {
            Columns::Of(known) => {
                if let Some(secret) = known.columns.get(&self.key(name)) {
                    return if *secret && self.views == 0 { Err(restricted(name)) } else { Ok(()) };
                }
                if postgres && SYSTEM_COLUMNS.contains(&name) {
                    return Ok(());
                }
                known.table.columns.iter().map(|column| column.name.as_str()).collect()
            }
            Columns::Listed(columns) => columns.iter().map(String::as_str).collect(),
            Columns::Open => Vec::new(),
        };
        // PostgreSQL reads `t.f` as the call `f(t)` when t has no such column, so f must be one. The row
        // of a sub-query is harmless: no function outside the list takes an unnamed row and acts.
        if postgres && !matches!(found.columns, Columns::Open) && !listed.contains(&name) {
            let near = names::nearest(name, listed.into_iter());
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

    /// An item of FROM under its name.
    fn source_named(&self, name: &str, columns: Columns<'a>) -> Source<'a> {
        Source { key: self.key(name), columns }
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
