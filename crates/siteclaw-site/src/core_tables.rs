//! Whether the configuration is known, the server answers and the platform's own tables are there.

use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use crate::checkup::Check;
use crate::live::Snapshot;

/// What a platform's database must hold.
pub(crate) struct Expected<'a> {
    /// The platform, as people write it.
    pub(crate) title: &'a str,
    /// Full names of tables without which the platform does not run; none where every application has its
    /// own.
    pub(crate) tables: Vec<String>,
    /// A count that shows that content can be read, and what is counted.
    pub(crate) count: Option<(Statement, &'a str)>,
    /// What to look at when tables are missing.
    pub(crate) fix: &'a str,
}

/// A failed check that tells an error and its way out.
pub(crate) fn failed(name: &'static str, error: &ToolError) -> Check {
    Check::failed(name, error.message().to_owned(), error.hint_text().map(str::to_owned))
}

/// Checks the configuration, the connection and the tables; `read` names the files that were read.
pub(crate) async fn run<S>(snapshot: &Snapshot<S>, read: &str, expected: Expected<'_>) -> Vec<Check> {
    let connection = &snapshot.connection;
    let mut checks = vec![match &connection.database {
        Err(error) => failed("configuration", error),
        Ok(_) if !connection.notes.is_empty() => Check::warning(
            "configuration",
            connection.notes.join(" "),
            "Look at the named places; tools go on with what is known.",
        ),
        Ok(_) => Check::ok("configuration", format!("{read} was read and says where the database is.")),
    }];
    if connection.database.is_ok() {
        checks.extend(database(snapshot, expected).await);
    }
    checks
}

async fn database<S>(snapshot: &Snapshot<S>, expected: Expected<'_>) -> Vec<Check> {
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
    let is_there = |wanted: &&String| schema.tables.keys().any(|name| name.eq_ignore_ascii_case(wanted));
    let missing: Vec<&str> =
        expected.tables.iter().filter(|name| !is_there(name)).map(String::as_str).collect();
    if !missing.is_empty() || schema.tables.is_empty() {
        let message = match missing.as_slice() {
            [] => "The database holds no table.".to_owned(),
            missing => format!("The database lacks {}.", missing.join(", ")),
        };
        checks.push(Check::failed("tables", message, Some(expected.fix.to_owned())));
        return checks;
    }
    let prefix = match snapshot.prefixes().part.as_str() {
        "" => "without a prefix".to_owned(),
        prefix => format!("with the prefix '{prefix}'"),
    };
    let found = match expected.tables.len() {
        0 => format!("{} tables {prefix} can be seen.", schema.tables.len()),
        known => format!("All {known} core tables of {} {prefix} are there.", expected.title),
    };
    checks.push(Check::ok("tables", found));
    if let Some((count, what)) = expected.count {
        match database.scalar_i64(snapshot.prefixes(), &count).await {
            Ok(rows) => checks.push(Check::ok("reading", format!("{rows} {what} can be read."))),
            Err(error) => checks.push(failed("reading", &error.into())),
        }
    }
    checks
}
