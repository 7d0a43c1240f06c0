//! The configuration `database` of a Laravel application: from its cache, else from its files.
//!
//! Facts: with `bootstrap/cache/config.php` Laravel reads neither the files of `config/` nor `.env`; since
//! Laravel 11 the framework's own configuration lies beneath that of the application.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use siteclaw_core::ToolError;
use siteclaw_php::{Config, Environment, PhpValue};
use siteclaw_tools::root::Root;

use crate::configured::shown;
use crate::connection::{notes, unreadable};
use crate::environment::Variables;
use crate::evaluated::evaluate;
use crate::live::Place;
use crate::secrets;
use crate::watch::Watch;

/// What holds for a connection that the application's own file lacks.
const DEFAULTS: &str = r#"<?php
$server = [
    'url' => env('DB_URL'), 'host' => env('DB_HOST', '127.0.0.1'), 'database' => env('DB_DATABASE', 'laravel'),
    'username' => env('DB_USERNAME', 'root'), 'password' => env('DB_PASSWORD', ''), 'prefix' => '',
];
$mysql = $server + ['port' => env('DB_PORT', '3306'), 'unix_socket' => env('DB_SOCKET', '')];
return ['default' => env('DB_CONNECTION', 'sqlite'), 'connections' => [
    'sqlite' => ['driver' => 'sqlite', 'url' => env('DB_URL'), 'prefix' => '',
        'database' => env('DB_DATABASE', database_path('database.sqlite'))],
    'mysql' => ['driver' => 'mysql'] + $mysql,
    'mariadb' => ['driver' => 'mariadb'] + $mysql,
    'pgsql' => ['driver' => 'pgsql', 'port' => env('DB_PORT', '5432'), 'search_path' => 'public'] + $server,
]];
"#;

/// Where the framework keeps its defaults.
const FRAMEWORK: &str = "vendor/laravel/framework/config/database.php";

/// The configuration `database`, and where it came from.
pub(super) struct Configuration {
    /// The connection in use: its name and its array.
    pub(super) connection: Result<(String, PhpValue), (String, String)>,
    /// The evaluated file, for what it was refused.
    pub(super) config: Option<Config>,
    pub(super) variables: Variables,
    /// The file, for a person.
    pub(super) shown: String,
    pub(super) notes: Vec<String>,
    pub(super) files: Watch,
    pub(super) secrets: Vec<siteclaw_core::Secret>,
}

pub(super) fn read(place: &Place, root: &Root) -> Result<Configuration, ToolError> {
    let variables = Variables::laravel(root, &place.options);
    let cache = variables.real(&place.options).get("APP_CONFIG_CACHE");
    let cache = place.root.join(cache.as_deref().unwrap_or("bootstrap/cache/config.php"));
    let own = place.root.join("config/database.php");
    let files = variables.files.clone();
    for path in [&cache, &own] {
        files.note(path);
    }
    let mut notes: Vec<String> = variables.problem.clone().into_iter().collect();
    if is_there(root, &cache) {
        match evaluate(place, root, &cache, &variables, |beforehand| beforehand.is_laravel = true) {
            Ok(config) if config.returned().and_then(|value| value.get("database")).is_some() => {
                return Ok(cached(place, &cache, &own, config, variables, notes, files));
            }
            Ok(_) => notes.push(format!("{} holds no configuration of databases.", shown(&cache, place))),
            Err(error) => notes.push(format!("{} The files of config/ are taken.", error.message())),
        }
    }
    notes.extend(variables.notes.iter().cloned());
    if !variables.found {
        notes.push(if is_there(root, &place.root.join(".env.encrypted")) {
            "There is no .env but an encrypted one, which is not read: only the defaults of the files hold. Name a \
             file with the variables: [site] env_file in your siteclaw.toml."
                .to_owned()
        } else {
            "There is no .env: what the process does not have comes from the defaults of the files.".to_owned()
        });
    }
    let config = match is_there(root, &own) {
        true => Some(evaluate(place, root, &own, &variables, |before| before.is_laravel = true)?),
        false => None,
    };
    notes.extend(config.iter().flat_map(|config| self::notes(config, &["return"])));
    let tree = config.as_ref().and_then(Config::returned);
    let mut connection = chosen(tree);
    // Which name is in use may come from the framework, and so may the connection of that name.
    if connection.is_err() && has_defaults(place, tree) {
        let defaults = framework(place, root, &variables)?;
        let name = tree.and_then(|tree| tree.get("default")).or(defaults.get("default")).cloned();
        let merged = name.and_then(|name| named(tree, &name).or_else(|| named(Some(&defaults), &name)));
        connection = merged.map_or(connection, Ok);
    }
    let mut found = variables.secrets();
    found.extend(tree.iter().flat_map(|tree| secrets::of_value("database", tree)));
    Ok(Configuration {
        connection,
        shown: match &config {
            Some(_) => shown(&own, place),
            None => "the framework's configuration".to_owned(),
        },
        config,
        variables,
        notes,
        files,
        secrets: found,
    })
}

/// What the cache holds is what the application runs with, however old it is.
fn cached(
    place: &Place,
    cache: &Path,
    own: &Path,
    config: Config,
    variables: Variables,
    mut notes: Vec<String>,
    files: Watch,
) -> Configuration {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let is_newer = |path: &&Path| match (changed(path), changed(cache)) {
        (Some(file), Some(cache)) => SystemTime::cmp(&file, &cache).is_gt(),
        _ => false,
    };
    let env = place.root.join(".env");
    if let Some(newer) = [own, env.as_path()].into_iter().find(is_newer) {
        notes.push(format!(
            "{} has changed since {} was written; Laravel goes on with the latter until `php artisan config:cache`.",
            shown(newer, place),
            shown(cache, place)
        ));
    }
    let mut found = variables.secrets();
    found.extend(config.returned().iter().flat_map(|value| secrets::of_value("", value)));
    Configuration {
        connection: chosen(config.returned().and_then(|value| value.get("database"))),
        config: Some(config),
        variables,
        shown: shown(cache, place),
        notes,
        files,
        secrets: found,
    }
}

/// The connection that a configuration names as its default; else what is missing, and why.
fn chosen(tree: Option<&PhpValue>) -> Result<(String, PhpValue), (String, String)> {
    let Some(tree) = tree else {
        return Err((
            "config/database.php".to_owned(),
            "it is not there or returns nothing known".to_owned(),
        ));
    };
    if let Some(why) = tree.unknown() {
        return Err(("config/database.php".to_owned(), why.to_string()));
    }
    let default = tree.get("default").cloned().unwrap_or_default();
    if let Some(why) = default.unknown() {
        return Err(("database.default".to_owned(), why.to_string()));
    }
    named(Some(tree), &default).ok_or_else(|| {
        let name = siteclaw_core::sanitise_fragment(&default.to_text().unwrap_or_default(), 40);
        (format!("database.connections.{name}"), "it is not set".to_owned())
    })
}

fn named(tree: Option<&PhpValue>, name: &PhpValue) -> Option<(String, PhpValue)> {
    let name = name.to_text().filter(|name| !name.is_empty())?;
    let connection = tree?.at(&["connections", &name])?;
    connection.as_array()?;
    Some((name, connection.clone()))
}

/// Whether the framework's own configuration lies beneath: since Laravel 11, unless `bootstrap/app.php` was
/// written for an older one, which always had all its files.
fn has_defaults(place: &Place, tree: Option<&PhpValue>) -> bool {
    let major = place.version.as_deref().and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    major.map_or(tree.is_none(), |major| major >= 11)
}

fn framework(place: &Place, root: &Root, variables: &Variables) -> Result<PhpValue, ToolError> {
    let path = place.root.join(FRAMEWORK);
    let config = if is_there(root, &path) {
        evaluate(place, root, &path, variables, |beforehand| beforehand.is_laravel = true)?
    } else {
        let files = BTreeMap::from([(path.clone(), DEFAULTS.as_bytes().to_vec())]);
        let options =
            siteclaw_php::Options { laravel_root: Some(&place.root), ..siteclaw_php::Options::default() };
        siteclaw_php::evaluate(&path, &files, &variables.environment(&place.options), &options)
            .map_err(|error| unreadable(&path, error))?
    };
    Ok(config.returned().cloned().unwrap_or_default())
}

fn is_there(root: &Root, path: &Path) -> bool {
    root.relative(path).is_ok_and(|path| root.exists(&path))
}
