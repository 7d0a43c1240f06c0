//! Options of the site, and what several of them say together.

use std::collections::BTreeMap;

use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::{PhpValue, is_serialized, unserialize};

use super::site::Snapshot;
use super::zone::Zone;

/// The values of some options.
#[derive(Debug, Default)]
pub(crate) struct Options(BTreeMap<String, String>);

impl Options {
    /// Reads options in one statement. Names that have no row are absent.
    pub(crate) async fn read(snapshot: &Snapshot, names: &[&str]) -> Result<Self, ToolError> {
        let statement = Statement::new(
            "SELECT option_name, option_value FROM {options} WHERE option_name IN (?*) ORDER BY option_name",
        )
        .bind_list(names.iter().copied());
        let rows = snapshot.rows(&statement).await?;
        let mut values = BTreeMap::new();
        for row in rows.iter() {
            values.insert(row.text("option_name")?, row.opt_text("option_value")?.unwrap_or_default());
        }
        Ok(Self(values))
    }

    /// The stored text, or an empty one.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// The stored text, if there is a row.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The decoded value of a serialised option; `None` when it is absent, corrupt or plain text.
    pub(crate) fn serialised(&self, name: &str) -> Option<PhpValue> {
        decode(self.get(name)?)
    }

    /// The site's zone: read `timezone_string` and `gmt_offset` for it.
    pub(crate) fn zone(&self) -> Zone {
        Zone::from_options(self.text("timezone_string"), self.text("gmt_offset"))
    }
}

/// Options that say in which zone the site's clock runs.
pub(crate) const ZONE: [&str; 2] = ["timezone_string", "gmt_offset"];

/// The value that a serialised text stands for; `None` for plain or corrupt text.
pub(crate) fn decode(text: &str) -> Option<PhpValue> {
    if !is_serialized(text) {
        return None;
    }
    unserialize(text.trim().as_bytes()).ok()
}

/// The whole numbers in a list, whose members may be stored as texts.
pub(crate) fn ids(value: &PhpValue) -> Vec<i64> {
    let Some(array) = value.as_array() else { return Vec::new() };
    array.values().filter_map(|item| item.to_text()?.trim().parse().ok()).collect()
}
