//! Resident memory: idle, and at its highest after a table of a million rows was asked.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{self, Client};
use crate::contents::Shop;
use crate::error::BenchError;
use crate::figure::Figures;

/// A whole table, one sorted by a column without an index, and one that the server groups.
const STATEMENTS: [&str; 3] = [
    "SELECT * FROM {table}",
    "SELECT id, label, note FROM {table} ORDER BY label, id",
    "SELECT kind, COUNT(*) AS n, MAX(label) AS last_label FROM {table} GROUP BY kind ORDER BY n DESC",
];

pub(crate) fn measure(
    figures: &mut Figures,
    siteclaw: &Path,
    bare: &Path,
    shop: &Shop,
) -> Result<(), BenchError> {
    let arguments = ["--site".as_ref(), shop.folder(), "mcp".as_ref()];
    let mut peer = Client::spawn(bare, &[])?;
    client::tools(&peer.list_tools()?)?;
    let mut ours = Client::spawn(siteclaw, &arguments)?;
    client::tools(&ours.list_tools()?)?;
    figures.memory(
        "memory: idle, attached",
        "a bare server",
        ours.memory("VmRSS")?,
        peer.memory("VmRSS")?,
        None,
    );

    let small = highest(siteclaw, &arguments, "{prefix}events_small")?;
    let large = highest(siteclaw, &arguments, "{prefix}events")?;
    figures.memory("memory: highest, db_query on 1,000,000 rows", "on 10,000 rows", large, small, Some(1.1));
    Ok(())
}

/// The most that a fresh server ever held while it asked this table.
fn highest(siteclaw: &Path, arguments: &[&Path], table: &str) -> Result<u32, BenchError> {
    let mut server = Client::spawn(siteclaw, arguments)?;
    client::tools(&server.list_tools()?)?;
    for statement in STATEMENTS {
        let asked = json!({"sql": statement.replace("{table}", table), "limit": 1000});
        let answer = server.call("db_query", &asked)?;
        if answer.pointer("/data/rows/0").is_none_or(Value::is_null) {
            return Err(BenchError::new(format!("asking {table}"), answer));
        }
    }
    server.memory("VmHWM")
}
