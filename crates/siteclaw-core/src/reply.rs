//! What a tool hands back: typed data, facts about it, and how it may be shortened.

use serde_json::{Map, Value};

use crate::envelope::Warning;
use crate::error::Code;

/// The result of a tool before the door has fitted and masked it.
#[derive(Clone, Debug)]
pub struct Reply<T> {
    pub(crate) data: T,
    pub(crate) meta: Map<String, Value>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) list: Option<List>,
    pub(crate) trusted: bool,
}

impl<T> Reply<T> {
    /// A result with its data and nothing else.
    pub fn new(data: T) -> Self {
        Self { data, meta: Map::new(), warnings: Vec::new(), list: None, trusted: false }
    }

    /// Names the mode that answered: `meta.mode`.
    #[must_use]
    pub fn mode(self, mode: &str) -> Self {
        self.meta("mode", mode)
    }

    /// Adds a fact about the result.
    #[must_use]
    pub fn meta(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.meta.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a warning.
    #[must_use]
    pub fn warn(mut self, code: Code, message: impl Into<String>) -> Self {
        self.warnings.push(Warning::new(code, message));
        self
    }

    /// Adds warnings made elsewhere.
    #[must_use]
    pub fn warnings(mut self, warnings: impl IntoIterator<Item = Warning>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// Says that the array `data.<key>` is a page of a longer list.
    ///
    /// The door writes the paging fields into `meta`. When the result is over its budget it drops rows from
    /// the end and the fields stay true.
    #[must_use]
    pub fn list(mut self, key: &'static str, paging: Paging) -> Self {
        self.list = Some(List { key, paging });
        self
    }

    /// Says that nothing in this result was written by others, whatever the tool states in general.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.trusted = true;
        self
    }

    /// The data.
    pub const fn data(&self) -> &T {
        &self.data
    }

    /// The same reply with other data.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reply<U> {
        Reply {
            data: change(self.data),
            meta: self.meta,
            warnings: self.warnings,
            list: self.list,
            trusted: self.trusted,
        }
    }
}

/// A list in the data that may be shortened from its end.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) key: &'static str,
    pub(crate) paging: Paging,
}

/// Where in the whole a page of rows stands. All numbers count rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paging {
    /// Pages that start at a row: `total, count, limit, offset, has_more, next_offset`.
    Offset {
        /// Rows before this page.
        offset: u64,
        /// The most rows that were asked for.
        limit: u64,
        /// All rows, if they were counted.
        total: Option<u64>,
        /// Whether rows follow; with a total it is worked out and this is ignored.
        has_more: bool,
    },
    /// Numbered pages of one size: `total, count, pages, current_page, has_more, next_page`.
    ///
    /// When rows must be dropped, the page size becomes the largest one that fits and still starts at the
    /// same row; `meta.<size_field>` then names it.
    Numbered {
        /// This page, from 1.
        page: u64,
        /// Rows on a page.
        size: u64,
        /// All rows.
        total: u64,
        /// The argument that sets the page size.
        size_field: &'static str,
    },
    /// A list that is always whole: `count`, and `truncated` when rows were dropped.
    Whole,
}
