//! Whether everything is there that the tools need.

use siteclaw_db::Statement;

use super::WordPress;
use super::site::Snapshot;
use crate::checkup::Check;
use crate::core_tables::{self, Expected};

/// Tables without which no WordPress runs.
const CORE_TABLES: [&str; 9] = [
    "posts",
    "postmeta",
    "options",
    "comments",
    "commentmeta",
    "terms",
    "termmeta",
    "term_taxonomy",
    "term_relationships",
];

pub(super) async fn run(site: &WordPress) -> Vec<Check> {
    let snapshot = match site.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => return vec![core_tables::failed("configuration", &error)],
    };
    let prefixes = snapshot.prefixes();
    let shared = ["users", "usermeta"].iter().map(|name| prefixes.base_table(name));
    let expected = Expected {
        title: "WordPress",
        tables: CORE_TABLES.iter().map(|name| prefixes.table(name)).chain(shared).collect(),
        count: Some((Statement::new("SELECT COUNT(*) FROM {posts}"), "rows of content")),
        fix: "Check $table_prefix in wp-config.php and the name of the database.",
    };
    let mut checks = core_tables::run(&snapshot, "wp-config.php", expected).await;
    checks.push(folder(&snapshot));
    checks
}

fn folder(snapshot: &Snapshot) -> Check {
    let plugins = &snapshot.settings.plugins;
    let beneath = snapshot.root.relative(plugins);
    match beneath.and_then(|path| snapshot.root.list(&path, 10_000)) {
        Ok(listing) => {
            Check::ok("files", format!("{} entries in the plugins folder.", listing.entries.len()))
        }
        Err(error) => Check::warning(
            "files",
            format!("The plugins folder {} cannot be listed: {error}", plugins.display()),
            "Run siteclaw as a user who may read the site's files.",
        ),
    }
}
