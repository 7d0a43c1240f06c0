//! The tables and columns of a database, as the server lists them.

use std::collections::BTreeMap;

use crate::Engine;

/// The catalogue of one database, read once for each snapshot of a site.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The family that wrote the catalogue; decides how names compare.
    pub engine: Engine,
    /// The name of the current database (MySQL) or schema (PostgreSQL: `public`; SQLite: `main`).
    pub current: String,
    /// Tables and views by their exact name.
    pub tables: BTreeMap<String, Table>,
}

/// A table or view.
#[derive(Clone, Debug)]
pub struct Table {
    /// The exact name.
    pub name: String,
    /// Whether rows are stored here, and if not, what the view says.
    pub kind: TableKind,
    /// The columns in order.
    pub columns: Vec<Column>,
    /// The server's own estimate of the rows, if it keeps one.
    pub row_estimate: Option<u64>,
    /// Bytes of data and indexes, if the server says.
    pub bytes: Option<u64>,
}

/// What a name in FROM stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Stored rows.
    Base,
    /// A view with its SELECT, or `None` when the server does not show it to this user.
    View(Option<String>),
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// The exact name.
    pub name: String,
    /// The type in the server's own words, such as `varchar(60)`.
    pub data_type: String,
    /// Whether NULL may stand in it.
    pub nullable: bool,
}
