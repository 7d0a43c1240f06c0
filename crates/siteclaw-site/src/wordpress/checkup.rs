//! Whether everything is there that the tools need.

use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use super::WordPress;
use super::site::Snapshot;
use crate::checkup::Check;

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
        Err(error) => return vec![failed("configuration", &error)],
    };
    let mut checks = vec![configuration(&snapshot)];
    if snapshot.settings.database.is_ok() {
        checks.extend(database(&snapshot).await);
    }
    checks.push(folder(&snapshot));
    checks
}

fn failed(name: &'static str, error: &ToolError) -> Check {
    Check::failed(name, error.message().to_owned(), error.hint_text().map(str::to_owned))
}

fn configuration(snapshot: &Snapshot) -> Check {
    match &snapshot.settings.database {
        Err(error) => failed("configuration", error),
        Ok(_) if !snapshot.settings.notes.is_empty() => Check::warning(
            "configuration",
            snapshot.settings.notes.join(" "),
            "Look at the named places; tools go on with what is known.",
        ),
        Ok(_) => Check::ok("configuration", "wp-config.php was read and says where the database is."),
    }
}

async fn database(snapshot: &Snapshot) -> Vec<Check> {
    let database = match snapshot.database() {
        Ok(database) => database,
        Err(error) => return vec![failed("connection", &error)],
    };
    let server = match database.server().await {
        Ok(server) => server,
        Err(error) => return vec![failed("connection", &error.into())],
    };
    let mut checks = vec![Check::ok(
        "connection",
        format!("{} {} at {}", server.flavour.as_str(), server.version, server.address),
    )];
    let schema = match database.schema().await {
        Ok(schema) => schema,
        Err(error) => {
            checks.push(failed("tables", &error.into()));
            return checks;
        }
    };
    let prefixes = snapshot.prefixes();
    let wanted = CORE_TABLES
        .iter()
        .map(|name| prefixes.table(name))
        .chain(["users", "usermeta"].iter().map(|name| prefixes.base_table(name)));
    let missing: Vec<String> =
        wanted.filter(|wanted| !schema.tables.keys().any(|name| name.eq_ignore_ascii_case(wanted))).collect();
    if !missing.is_empty() {
        checks.push(Check::failed(
            "tables",
            format!("The database lacks {}.", missing.join(", ")),
            Some("Check $table_prefix in wp-config.php and the name of the database.".to_owned()),
        ));
        return checks;
    }
    checks.push(Check::ok(
        "tables",
        format!("WordPress' {} tables with the prefix '{}' are there.", CORE_TABLES.len() + 2, prefixes.part),
    ));
    let count = Statement::new("SELECT COUNT(*) FROM {posts}");
    match database.scalar_i64(prefixes, &count).await {
        Ok(posts) => checks.push(Check::ok("reading", format!("{posts} rows of content can be read."))),
        Err(error) => checks.push(failed("reading", &error.into())),
    }
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
