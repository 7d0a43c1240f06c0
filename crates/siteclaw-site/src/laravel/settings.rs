//! The connection in use of a Laravel application.
//!
//! Facts: `Illuminate\Support\ConfigurationUrlParser` lays the parts of `url` over the connection's own
//! keys; `Illuminate\Database\Connectors` hold the meaning of each key.

use std::path::{Path, PathBuf};

use siteclaw_core::ToolError;
use siteclaw_db::{ConnectSettings, Engine, Tls};
use siteclaw_php::PhpValue;
use siteclaw_tools::root::Root;

use super::configuration::{self, Configuration};
use crate::configured::{Read, Traits, connection};
use crate::connection::{Field, Missing, Origin, Server, prefix, sqlite, unsupported};
use crate::dsn::Dsn;
use crate::live::{Place, Reading};

pub(crate) const TRAITS: Traits = Traits {
    read,
    core_tables: &[],
    counted: None,
    fix: "Run the application's migrations, or check the name of the database in .env.",
};

fn read(place: &Place, root: &Root) -> Result<Reading<Read>, ToolError> {
    let mut found = configuration::read(place, root)?;
    let mut notes = std::mem::take(&mut found.notes);
    let origin = Origin { config: found.config.as_ref(), env_problem: found.variables.problem.as_deref() };
    let (database, prefix) = match &found.connection {
        Ok((name, value)) => {
            let keys = Keys::of(name, value);
            let prefix = prefix(&keys.field("prefix"), &mut notes);
            (database(place, root, &keys, origin, &mut notes), prefix)
        }
        Err((name, why)) => {
            let mut missing = Missing::default();
            missing.add(name, why);
            (Err(missing.error(origin.config, origin.env_problem)), String::new())
        }
    };
    let Configuration { shown, files, secrets, .. } = found;
    Ok(Reading { connection: connection(database, prefix, notes), settings: Read(shown), secrets, files })
}

/// The keys of a connection, with those of its `read` part over them, and its `url` over both.
struct Keys<'a> {
    name: &'a str,
    value: &'a PhpValue,
    url: Option<Result<Dsn, ()>>,
}

impl<'a> Keys<'a> {
    fn of(name: &'a str, value: &'a PhpValue) -> Self {
        let mut keys = Self { name, value, url: None };
        let url = keys.get("url").and_then(PhpValue::to_text).filter(|url| !url.is_empty());
        keys.url = url.map(|url| Dsn::parse(&url).ok_or(()));
        keys
    }

    fn get(&self, key: &str) -> Option<&'a PhpValue> {
        let value = self.value.at(&["read", key]).or_else(|| self.value.get(key))?;
        // Of several hosts Laravel takes any.
        Some(value.get("0").unwrap_or(value))
    }

    fn dsn(&self) -> Option<&Dsn> {
        self.url.as_ref()?.as_ref().ok()
    }

    fn field(&self, key: &str) -> Field {
        let name = format!("database.connections.{}.{key}", self.name);
        let Some(dsn) = self.dsn() else { return Field::new(name, self.get(key)) };
        let port = dsn.port.map(|port| port.to_string());
        let own = match key {
            "host" => dsn.host.as_deref(),
            "port" => port.as_deref(),
            "database" => Some(dsn.path.as_str()).filter(|path| !path.is_empty()),
            "username" => dsn.user.as_deref(),
            "password" => dsn.password.as_ref().map(siteclaw_core::Secret::expose),
            _ => None,
        };
        match dsn.query.get(key).map(String::as_str).or(own) {
            Some(text) => Field::text(name, Some(text)),
            None => Field::new(name, self.get(key)),
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        let queried = self.dsn().and_then(|dsn| dsn.query.get(key)).cloned();
        queried.or_else(|| self.get(key).and_then(PhpValue::to_text)).filter(|text| !text.is_empty())
    }

    fn driver(&self) -> String {
        let scheme = self.dsn().map(|dsn| dsn.scheme.as_str());
        let alias = scheme.map(|scheme| match scheme {
            "mysql2" => "mysql",
            "postgres" | "postgresql" => "pgsql",
            "sqlite3" => "sqlite",
            "mssql" => "sqlsrv",
            other => other,
        });
        alias
            .map(str::to_owned)
            .or_else(|| self.get("driver").and_then(PhpValue::to_text))
            .unwrap_or_default()
    }
}

fn database(
    place: &Place,
    root: &Root,
    keys: &Keys<'_>,
    origin: Origin<'_>,
    notes: &mut Vec<String>,
) -> Result<ConnectSettings, ToolError> {
    let at = format!("database.connections.{}", keys.name);
    if let Some(Err(())) = keys.url {
        let mut missing = Missing::default();
        missing.add(&format!("{at}.url"), "it is no address");
        return Err(missing.error(origin.config, origin.env_problem));
    }
    if let Some(why) = keys.get("url").and_then(PhpValue::unknown) {
        notes.push(format!("{at}.url is not known ({why}), so the connection's other keys are taken."));
    }
    let engine = match keys.driver().as_str() {
        "mysql" | "mariadb" => Engine::MySql,
        "pgsql" => Engine::Postgres,
        "sqlite" => return file(place, root, &keys.field("database"), origin),
        other => return Err(unsupported(&at, other)),
    };
    let tls = match keys.text("sslmode").as_deref() {
        Some("disable") => Tls::Off,
        Some("require" | "verify-ca" | "verify-full") => {
            Tls::Required { ca: keys.text("sslrootcert").map(PathBuf::from) }
        }
        _ => {
            let ca = keys.get("options").and_then(|options| options.get("1009")).and_then(PhpValue::to_text);
            match ca.filter(|path| !path.is_empty()) {
                Some(ca) => Tls::Required { ca: Some(PathBuf::from(ca)) },
                None => Tls::Preferred,
            }
        }
    };
    Server {
        engine,
        host: keys.field("host").or(if engine == Engine::Postgres { "" } else { "localhost" }),
        port: keys.field("port"),
        socket: (engine == Engine::MySql && keys.text("unix_socket").is_some())
            .then(|| keys.field("unix_socket")),
        user: keys.field("username"),
        password: keys.field("password").or(""),
        database: keys.field("database"),
        tls,
        schema: schema(keys),
    }
    .settings(&place.options.database, origin, notes)
}

/// The first schema of the search path; `"$user"` names one that sites do not use.
fn schema(keys: &Keys<'_>) -> Option<String> {
    let path = keys.text("search_path").or_else(|| keys.text("schema"))?;
    let mut names = path.split(',').map(|name| name.trim().trim_matches(['"', '\'']));
    names.find(|name| !name.is_empty() && *name != "$user").map(str::to_owned)
}

/// A relative path is relative to wherever PHP runs: the application's folder by rights, and its `database`
/// by intention.
fn file(place: &Place, root: &Root, field: &Field, origin: Origin<'_>) -> Result<ConnectSettings, ToolError> {
    if place.options.database.name.is_some() {
        return sqlite(PathBuf::new(), root, &place.options);
    }
    let mut missing = Missing::default();
    let Some(name) = missing.required(field).filter(|name| !name.is_empty()) else {
        if missing.is_empty() {
            missing.add("the SQLite file", "it is empty");
        }
        return Err(missing.error(origin.config, origin.env_problem));
    };
    let path = Path::new(&name);
    if path.is_absolute() || name == ":memory:" {
        return sqlite(path.to_owned(), root, &place.options);
    }
    let here = place.root.join(path);
    let is_here = root.relative(&here).is_ok_and(|path| root.exists(&path));
    let path = if is_here { here } else { place.root.join("database").join(path) };
    sqlite(path, root, &place.options)
}
