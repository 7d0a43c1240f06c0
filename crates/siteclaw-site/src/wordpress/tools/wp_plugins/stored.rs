//! What the database says about plugins: which are active, and what updates are known.

use crate::wordpress::options::{Options, decode};
use crate::wordpress::site::Snapshot;
use jiff::Timestamp;
use serde_json::{Value, json};
use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;
use std::collections::{BTreeMap, BTreeSet};

/// What the database says about plugins.
#[derive(Default)]
pub(super) struct Stored {
    /// The database gave no answer.
    pub(super) unknown: bool,
    /// The list of active plugins is there and cannot be decoded.
    pub(super) corrupt: bool,
    pub(super) active: BTreeSet<String>,
    pub(super) network: BTreeSet<String>,
    /// File → newest version.
    pub(super) updates: BTreeMap<String, String>,
    pub(super) last_checked: Option<i64>,
}

impl Stored {
    pub(super) async fn read(snapshot: &Snapshot) -> Result<Self, ToolError> {
        let options = Options::read(snapshot, &["active_plugins", "_site_transient_update_plugins"]).await?;
        let mut stored = Self::default();
        if let Some(list) = options.serialised("active_plugins") {
            stored.active = files(list.as_array().into_iter().flat_map(|array| array.values()));
        } else {
            stored.corrupt = options.get("active_plugins").is_some_and(|text| !text.is_empty());
        }
        let mut transient = options.serialised("_site_transient_update_plugins");
        if snapshot.settings.multisite {
            let statement = Statement::new(
                "SELECT meta_key, meta_value FROM {base:sitemeta} WHERE meta_key IN (?*) ORDER BY meta_id",
            )
            .bind_list(["active_sitewide_plugins", "_site_transient_update_plugins"]);
            for row in snapshot.rows(&statement).await?.iter() {
                let value = row.opt_text("meta_value")?.and_then(|text| decode(&text));
                match (row.text("meta_key")?.as_str(), value) {
                    ("active_sitewide_plugins", Some(map)) => {
                        stored.network = map
                            .as_array()
                            .into_iter()
                            .flat_map(|array| array.iter())
                            .map(|(file, _)| file.to_text())
                            .collect();
                    }
                    (_, Some(value)) => transient = Some(value),
                    _ => {}
                }
            }
        }
        if let Some(transient) = transient {
            stored.last_checked = transient.get("last_checked").and_then(PhpValue::as_int);
            let response = transient.get("response").and_then(PhpValue::as_array);
            for (file, update) in response.into_iter().flat_map(|array| array.iter()) {
                if let Some(version) = update.get("new_version").and_then(PhpValue::to_text) {
                    stored.updates.insert(file.to_text(), version);
                }
            }
        }
        Ok(stored)
    }

    pub(super) fn checked(&self) -> Value {
        let moment = self.last_checked.and_then(|seconds| Timestamp::from_second(seconds).ok());
        json!(moment.map(|moment| moment.to_string()))
    }

    pub(super) fn age(&self, now: Timestamp) -> Option<i64> {
        Some((now.as_second() - self.last_checked?) / 3600)
    }
}

fn files<'a>(values: impl Iterator<Item = &'a PhpValue>) -> BTreeSet<String> {
    values.filter_map(PhpValue::to_text).collect()
}
