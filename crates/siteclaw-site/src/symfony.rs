//! Symfony: the variables of its environment files, and `DATABASE_URL` among them.
//!
//! Facts: `Symfony\Component\Dotenv\Dotenv` loads the files, `Doctrine\DBAL\Tools\DsnParser` takes the
//! address apart. Doctrine's own configuration is YAML, which is not read: an application that names
//! another variable there, or writes its connection out, is told so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siteclaw_core::ToolError;
use siteclaw_db::{ConnectSettings, Engine, Tls};
use siteclaw_php::Environment;
use siteclaw_tools::root::{RelPath, Root};

use crate::configured::{Read, Traits, connection};
use crate::connection::{Field, Missing, Origin, Server, sqlite, unsupported};
use crate::dsn::{Dsn, encode_path};
use crate::environment::Variables;
use crate::evaluated::evaluate;
use crate::live::{Place, Reading};
use crate::secrets;

pub(crate) const TRAITS: Traits = Traits {
    read,
    core_tables: &[],
    counted: None,
    fix: "Run the application's migrations, or check the database in DATABASE_URL.",
};

/// The name that Doctrine's recipe gives the variable.
const VARIABLE: &str = "DATABASE_URL";

/// How much of a list of names in the vault is looked at, in bytes.
const MAX_LIST: usize = 64 * 1024;

fn read(place: &Place, root: &Root) -> Result<Reading<Read>, ToolError> {
    let mut variables = Variables::symfony(root, &place.options);
    let mut read = "the environment";
    let dumped = place.root.join(".env.local.php");
    let files = variables.files.clone();
    files.note(&dumped);
    if let Some(values) = dump(place, root, &dumped, &variables)? {
        variables.replace_site(values);
        read = ".env.local.php";
    }
    let mut notes: Vec<String> = variables.problem.iter().chain(&variables.notes).cloned().collect();
    let environment = variables.environment(&place.options);
    let app_env = environment.get("APP_ENV").unwrap_or_else(|| "dev".to_owned());
    let address = environment.get(VARIABLE).filter(|text| !text.is_empty());
    let mut found = variables.secrets();
    let database = match &address {
        Some(text) => {
            found.extend(secrets::of_text(VARIABLE, text));
            database(place, root, text, &app_env, &variables, &mut notes)
        }
        None => {
            let mut missing = Missing::default();
            missing.add(VARIABLE, &absent(root, &variables, &app_env));
            Err(missing.error(None, variables.problem.as_deref()))
        }
    };
    Ok(Reading {
        connection: connection(database, String::new(), notes),
        settings: Read(format!("{VARIABLE} of {read}")),
        secrets: found,
        files,
    })
}

/// The values of `.env.local.php`, unless it was dumped for another environment than the process names.
fn dump(
    place: &Place,
    root: &Root,
    path: &Path,
    variables: &Variables,
) -> Result<Option<BTreeMap<String, String>>, ToolError> {
    if !root.relative(path).is_ok_and(|path| root.exists(&path)) {
        return Ok(None);
    }
    let config = evaluate(place, root, path, variables, |_| {})?;
    let Some(array) = config.returned().and_then(|value| value.as_array()) else { return Ok(None) };
    let values: BTreeMap<String, String> =
        array.iter().filter_map(|(name, value)| Some((name.to_text(), value.to_text()?))).collect();
    let real = variables.real(&place.options).get("APP_ENV");
    let fits = real.is_none_or(|real| values.get("APP_ENV").is_none_or(|dumped| *dumped == real));
    Ok(fits.then_some(values))
}

/// Why there is no address.
fn absent(root: &Root, variables: &Variables, app_env: &str) -> String {
    if variables.unknown.contains(VARIABLE) {
        return "it needs the output of a command, which is never run".to_owned();
    }
    let is_there = |name: &str| RelPath::parse(name).is_ok_and(|path| root.exists(&path));
    let list = format!("config/secrets/{app_env}/{app_env}.list.php");
    let vault = RelPath::parse(&list).ok();
    let vault = vault.and_then(|path| root.read(&path, MAX_LIST).ok());
    if vault.is_some_and(|list| String::from_utf8_lossy(&list.data).contains(VARIABLE)) {
        return format!("it is in the vault of secrets of the environment {app_env}, which is not read");
    }
    let yaml = ["config/packages/doctrine.yaml", "config/packages/doctrine.yml", "app/config/parameters.yml"];
    match yaml.into_iter().find(|name| is_there(name)) {
        Some(yaml) => format!(
            "no variable of this name is set here, and {yaml}, which may name another one or the connection \
             itself, is not read"
        ),
        None => "it is not set here".to_owned(),
    }
}

fn database(
    place: &Place,
    root: &Root,
    text: &str,
    app_env: &str,
    variables: &Variables,
    notes: &mut Vec<String>,
) -> Result<ConnectSettings, ToolError> {
    let origin = Origin { config: None, env_problem: variables.problem.as_deref() };
    let folder = encode_path(&place.root.to_string_lossy());
    let text =
        text.replace("%kernel.project_dir%", &folder).replace("%kernel.environment%", &encode_path(app_env));
    let Some(dsn) = Dsn::parse(&text) else {
        let mut missing = Missing::default();
        missing.add(
            VARIABLE,
            "it is no address; a character such as #, / or ? within the password must be written as %23, %2F or %3F",
        );
        return Err(missing.error(None, origin.env_problem));
    };
    let engine = match dsn.scheme.as_str() {
        "mysql" | "mysql2" | "mysqli" | "pdo-mysql" => Engine::MySql,
        "postgres" | "postgresql" | "pgsql" | "pdo-pgsql" => Engine::Postgres,
        "sqlite" | "sqlite3" | "pdo-sqlite" => return file(place, root, &dsn),
        other => return Err(unsupported(VARIABLE, other)),
    };
    let member = |name: &str| dsn.query.get(name).map(String::as_str).filter(|text| !text.is_empty());
    // Members of the query overwrite what the address itself says.
    let part =
        |name: &str, own: Option<&str>| Field::text(format!("{VARIABLE} ({name})"), member(name).or(own));
    let port = dsn.port.map(|port| port.to_string());
    let suffix = member("dbname_suffix").unwrap_or_default();
    let name = Some(format!("{}{suffix}", dsn.path)).filter(|_| !dsn.path.is_empty());
    Server {
        engine,
        host: part("host", dsn.host.as_deref()).or(""),
        port: part("port", port.as_deref()),
        socket: (engine == Engine::MySql && member("unix_socket").is_some())
            .then(|| part("unix_socket", None)),
        user: part("user", dsn.user.as_deref()),
        password: part("password", dsn.password.as_ref().map(siteclaw_core::Secret::expose)).or(""),
        database: part("dbname", name.as_deref()),
        tls: match member("sslmode") {
            Some("disable") => Tls::Off,
            Some("require" | "verify-ca" | "verify-full") => {
                Tls::Required { ca: member("sslrootcert").map(PathBuf::from) }
            }
            _ => Tls::Preferred,
        },
        schema: None,
    }
    .settings(&place.options.database, origin, notes)
}

/// Three slashes begin a path that is relative to wherever PHP runs, which is most often the application's
/// folder; four begin an absolute one.
fn file(place: &Place, root: &Root, dsn: &Dsn) -> Result<ConnectSettings, ToolError> {
    let path = if dsn.path == ":memory:" { PathBuf::from(&dsn.path) } else { place.root.join(&dsn.path) };
    sqlite(path, root, &place.options)
}
