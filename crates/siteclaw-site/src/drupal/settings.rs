//! Drupal's `settings.php`, which is a script: `$databases['default']['default']` as it stands at its end.
//!
//! Facts: `sites/default/default.settings.php` describes the array; `Drupal\Core\Database\Database` finds
//! the driver by its name or its namespace; the SQLite driver takes a prefix for the name of an attached
//! database, whose file is that of the main one with the prefix behind a hyphen.

use std::path::PathBuf;

use siteclaw_core::ToolError;
use siteclaw_db::{ConnectSettings, Engine, Tls};
use siteclaw_php::PhpValue;
use siteclaw_tools::root::Root;

use crate::configured::{Read, Traits, config_of, connection, shown};
use crate::connection::{Field, Missing, Server, notes, prefix, sqlite, unsupported};
use crate::evaluated::Evaluated;
use crate::live::{Place, Reading};
use crate::secrets;

pub(crate) const TRAITS: Traits = Traits {
    read,
    // Other tables belong to modules or come into being when they are first written.
    core_tables: &["config", "key_value", "users", "users_field_data"],
    counted: Some(("config", "objects of configuration")),
    fix: "Check 'prefix' and 'database' of $databases in settings.php.",
};

const NAME: &str = "$databases['default']['default']";

fn read(place: &Place, root: &Root) -> Result<Reading<Read>, ToolError> {
    let path = config_of(place, "Drupal", "sites/default/settings.php")?;
    let read = Evaluated::plain(place, root, path, |beforehand| {
        let core = place.core.to_string_lossy().into_owned();
        let site = path.parent().and_then(|folder| folder.strip_prefix(&place.core).ok());
        let site = site.map_or_else(|| "sites/default".to_owned(), |path| path.display().to_string());
        beforehand.constants.insert("DRUPAL_ROOT".to_owned(), PhpValue::from(core.as_str()));
        beforehand.variables.insert("app_root".to_owned(), PhpValue::from(core.as_str()));
        beforehand.variables.insert("site_path".to_owned(), PhpValue::from(site.as_str()));
    })?;
    let config = &read.config;
    let mut notes = notes(config, &["$databases"]);
    notes.extend(read.variables.problem.clone());
    let target = config.variable("databases").and_then(|value| value.at(&["default", "default"]));
    // A target may be a list of servers, of which Drupal takes any.
    let target =
        target.map(|value| value.get("0").filter(|first| first.as_array().is_some()).unwrap_or(value));
    let (database, prefix) = database(place, root, &read, target, &mut notes);
    let mut found = read.variables.secrets();
    for (name, located) in &config.variables {
        found.extend(secrets::of_value(name, &located.value));
    }
    Ok(Reading {
        connection: connection(database, prefix, notes),
        settings: Read(shown(path, place)),
        secrets: found,
        files: read.files(),
    })
}

type Found = (Result<ConnectSettings, ToolError>, String);

fn database(
    place: &Place,
    root: &Root,
    read: &Evaluated,
    target: Option<&PhpValue>,
    notes: &mut Vec<String>,
) -> Found {
    let lacking = |why: &str| {
        let mut missing = Missing::default();
        missing.add(NAME, why);
        let origin = read.origin();
        (Err(missing.error(origin.config, origin.env_problem)), String::new())
    };
    let target = match target {
        Some(PhpValue::Unknown(why)) => return lacking(&why.to_string()),
        Some(value) if value.as_array().is_some() => value,
        _ => match read.config.variable("databases").and_then(PhpValue::unknown) {
            Some(why) => return lacking(&why.to_string()),
            None => return lacking("it is not set"),
        },
    };
    let field = |key: &str| Field::new(format!("{NAME}['{key}']"), target.get(key));
    // Very old sites have a prefix for each table, of which one is the default.
    let configured = match target.get("prefix").and_then(|value| value.get("default")) {
        Some(default) => Field::new(format!("{NAME}['prefix']['default']"), Some(default)),
        None => field("prefix"),
    };
    let prefix = prefix(&configured, notes);
    let driver = driver(target);
    let engine = match driver.to_ascii_lowercase().as_str() {
        name if name.starts_with("mysql") => Engine::MySql,
        "pgsql" => Engine::Postgres,
        "sqlite" => return (file(place, root, read, &field("database"), &prefix), String::new()),
        "" => return (lacking("it names no driver").0, prefix),
        other => return (Err(unsupported(NAME, other)), prefix),
    };
    // A prefix with a dot names the schema.
    let (schema, prefix) = match prefix.split_once('.') {
        Some((schema, rest)) if engine == Engine::Postgres => (Some(schema.to_owned()), rest.to_owned()),
        _ => (None, prefix),
    };
    let pdo = |number: &str| target.at(&["pdo", number]).and_then(PhpValue::to_text);
    let ca = pdo("1009").filter(|path| !path.is_empty()).map(PathBuf::from);
    let settings = Server {
        engine,
        host: field("host").or(if engine == Engine::Postgres { "" } else { "localhost" }),
        port: field("port"),
        socket: (engine == Engine::MySql && target.get("unix_socket").is_some())
            .then(|| field("unix_socket")),
        user: field("username"),
        password: field("password").or(""),
        database: field("database"),
        tls: if ca.is_some() { Tls::Required { ca } } else { Tls::Preferred },
        schema,
    }
    .settings(&place.options.database, read.origin(), notes);
    (settings, prefix)
}

/// The name of the driver, else the last part of its namespace.
fn driver(target: &PhpValue) -> String {
    let text = |key: &str| target.get(key).and_then(PhpValue::to_text).filter(|text| !text.is_empty());
    text("driver")
        .or_else(|| text("namespace").and_then(|name| name.rsplit('\\').next().map(str::to_owned)))
        .unwrap_or_default()
}

fn file(
    place: &Place,
    root: &Root,
    read: &Evaluated,
    field: &Field,
    prefix: &str,
) -> Result<ConnectSettings, ToolError> {
    let mut missing = Missing::default();
    if place.options.database.name.is_some() {
        return sqlite(PathBuf::new(), root, &place.options);
    }
    let Some(name) = missing.required(field) else {
        let origin = read.origin();
        return Err(missing.error(origin.config, origin.env_problem));
    };
    // The default prefix of the main file is `main`, SQLite's own name for it.
    let name = match prefix.trim_end_matches('.') {
        "" | "main" => name,
        attached => format!("{name}-{attached}"),
    };
    let path = if name == ":memory:" { PathBuf::from(name) } else { place.core.join(name) };
    sqlite(path, root, &place.options)
}
