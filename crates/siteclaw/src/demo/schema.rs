//! The tables of WordPress and WooCommerce, as WordPress's SQLite integration declares them.
//!
//! `tables.txt` lists the MySQL columns and keys (WordPress 7.1, WooCommerce 11.0.1). The translation follows
//! what release 2.1 of the integration writes: one of four SQLite types, `COLLATE NOCASE` on text, a default
//! for every NOT NULL column, keys named `{table}__{key}`, and the MySQL types in `_mysql_data_types_cache`.

use std::fmt::Write as _;

const TABLES: &str = include_str!("tables.txt");

/// The prefix of every table.
pub(crate) const PREFIX: &str = "wp_";

/// The table in which the integration remembers MySQL types.
pub(crate) const TYPE_CACHE: &str = "CREATE TABLE _mysql_data_types_cache (\n\t\t`table` TEXT NOT NULL,\n\t\t\
    `column_or_index` TEXT NOT NULL,\n\t\t`mysql_type` TEXT NOT NULL,\n\t\tPRIMARY KEY(`table`, `column_or_index`)\n\t)";

/// A table.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Without prefix.
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<Column>,
    primary: Vec<&'static str>,
    keys: Vec<TableKey>,
}

/// A column.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    mysql_type: String,
    auto: bool,
    nullable: bool,
    default: Option<&'static str>,
}

#[derive(Debug)]
struct TableKey {
    name: &'static str,
    unique: bool,
    columns: Vec<&'static str>,
}

/// Reads the table list.
pub(crate) fn tables() -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for line in TABLES.lines() {
        if let Some(name) = line.strip_prefix("table ") {
            tables.push(Table { name, ..Table::default() });
        } else if let Some(table) = tables.last_mut() {
            table.read(line);
        }
    }
    tables
}

impl Table {
    fn read(&mut self, line: &'static str) {
        let (facts, default) = match line.split_once(" =") {
            Some((facts, default)) => (facts, Some(default.trim_start())),
            None => (line, None),
        };
        let words: Vec<&'static str> = facts.split_whitespace().collect();
        match words.as_slice() {
            ["primary", columns @ ..] => self.primary = columns.to_vec(),
            [kind @ ("key" | "unique"), name, columns @ ..] => {
                self.keys.push(TableKey { name, unique: *kind == "unique", columns: columns.to_vec() });
            }
            [name, mysql_type, flags @ ..] => self.columns.push(Column {
                name,
                mysql_type: mysql_type
                    .strip_suffix('u')
                    .map_or((*mysql_type).to_owned(), |t| format!("{t} unsigned")),
                auto: flags.contains(&"auto"),
                nullable: flags.contains(&"null"),
                default,
            }),
            _ => {}
        }
    }

    /// The statement that creates the table.
    pub(crate) fn create(&self) -> String {
        let mut lines: Vec<String> =
            self.columns.iter().map(|c| c.declare(self.primary.as_slice() == [c.name])).collect();
        if self.primary.len() > 1 {
            lines.push(format!("PRIMARY KEY (\"{}\")", self.primary.join("\", \"")));
        }
        format!("CREATE TABLE \"{PREFIX}{}\" (\n{})", self.name, lines.join(",\n"))
    }

    /// The statements that create the keys.
    pub(crate) fn create_keys(&self) -> impl Iterator<Item = String> + '_ {
        self.keys.iter().map(|key| {
            let unique = if key.unique { "UNIQUE " } else { "" };
            let columns = key.columns.join("\", \"");
            format!(
                "CREATE {unique} INDEX \"{0}{1}__{2}\" ON \"{0}{1}\" (\"{columns}\")",
                PREFIX, self.name, key.name
            )
        })
    }

    /// The rows of the type cache: table, column or key, MySQL type.
    pub(crate) fn types(&self) -> impl Iterator<Item = (String, String, String)> + '_ {
        let table = format!("{PREFIX}{}", self.name);
        let columns = self.columns.iter().map(|c| (c.name.to_owned(), c.mysql_type.clone()));
        let keys = self.keys.iter().map(|k| {
            (format!("{PREFIX}{}__{}", self.name, k.name), if k.unique { "UNIQUE" } else { "KEY" }.to_owned())
        });
        columns.chain(keys).map(move |(name, mysql_type)| (table.clone(), name, mysql_type))
    }
}

impl Column {
    /// The default as text; `None` for NULL. An automatic key counts as NULL: SQLite then numbers the row.
    pub(crate) fn default(&self) -> Option<&'static str> {
        match self.default {
            Some(value) => Some(value),
            None if self.nullable || self.auto => None,
            None if self.sqlite_type() == "text" => Some(""),
            None => Some("0"),
        }
    }

    fn sqlite_type(&self) -> &'static str {
        let base = self.mysql_type.split(['(', ' ']).next().unwrap_or_default();
        match base {
            "tinyint" | "smallint" | "int" | "bigint" => "integer",
            "double" | "decimal" => "real",
            _ => "text",
        }
    }

    fn declare(&self, sole_primary: bool) -> String {
        let kind = self.sqlite_type();
        let mut text = format!("\"{}\" {kind}", self.name);
        match (self.auto, sole_primary) {
            (true, _) => text.push_str(" PRIMARY KEY AUTOINCREMENT"),
            (false, true) => text.push_str(" PRIMARY KEY "),
            _ => {}
        }
        if !self.nullable {
            text.push_str(" NOT NULL ON CONFLICT REPLACE");
        }
        // Writing to a String cannot fail.
        let _ = match (self.default, self.nullable) {
            (Some("now"), _) => write!(text, " DEFAULT CURRENT_TIMESTAMP"),
            (Some(value), _) => write!(text, " DEFAULT '{value}'"),
            (None, true) => write!(text, " DEFAULT NULL"),
            (None, false) if kind == "text" => write!(text, " DEFAULT ''"),
            (None, false) => write!(text, " DEFAULT 0"),
        };
        if kind == "text" {
            text.push_str(" COLLATE NOCASE");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> Table {
        tables().into_iter().find(|t| t.name == name).unwrap()
    }

    #[test]
    fn a_table_is_declared_as_the_integration_does() {
        assert_eq!(
            table("postmeta").create(),
            "CREATE TABLE \"wp_postmeta\" (\n\
             \"meta_id\" integer PRIMARY KEY AUTOINCREMENT NOT NULL ON CONFLICT REPLACE DEFAULT 0,\n\
             \"post_id\" integer NOT NULL ON CONFLICT REPLACE DEFAULT '0',\n\
             \"meta_key\" text DEFAULT NULL COLLATE NOCASE,\n\
             \"meta_value\" text DEFAULT NULL COLLATE NOCASE)"
        );
        assert_eq!(
            table("options").create_keys().next().unwrap(),
            "CREATE UNIQUE  INDEX \"wp_options__option_name\" ON \"wp_options\" (\"option_name\")"
        );
        assert!(table("term_relationships").create().ends_with(
            "\"term_order\" integer NOT NULL ON CONFLICT REPLACE DEFAULT '0',\n\
             PRIMARY KEY (\"object_id\", \"term_taxonomy_id\"))"
        ));
    }

    #[test]
    fn the_type_cache_keeps_mysql_types() {
        let types: Vec<_> =
            table("wc_orders").types().map(|(_, name, mysql_type)| (name, mysql_type)).collect();
        assert!(types.contains(&("total_amount".into(), "decimal(26,8)".into())));
        assert!(types.contains(&("customer_id".into(), "bigint(20) unsigned".into())));
        assert!(types.contains(&("wp_wc_orders__status".into(), "KEY".into())));
    }

    #[test]
    fn every_table_of_both_systems_is_there() {
        let tables = tables();
        assert_eq!(tables.len(), 51);
        assert!(tables.iter().all(|t| !t.columns.is_empty() && !t.primary.is_empty()));
        assert!(tables.iter().flat_map(|t| &t.columns).all(|c| !c.mysql_type.is_empty()));
    }
}
