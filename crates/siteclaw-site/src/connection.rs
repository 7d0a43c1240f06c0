//! From the words of a configuration to a way to the database.
//!
//! Each platform names the parts of its connection as [`Field`]s; here the operator's own words are put over
//! them, what is missing is named with its place and the ways to fix it, and the rest becomes
//! [`ConnectSettings`]. Nothing connects and no value is shown.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use siteclaw_core::{Code, Secret, ToolError};
use siteclaw_db::{
    ConnectSettings, Engine, MySqlSettings, OpenFile, PostgresHost, PostgresSettings, Prefixes, SqliteFile,
    Tls,
};
use siteclaw_php::{Access, Cause, Config, PhpValue, RefusedPath};
use siteclaw_tools::root::{Root, RootError, TrustedPlace};

use crate::address::{mysql_addresses, postgres_address};
use crate::attach::{AttachOptions, DatabaseOverride};

/// The configuration cannot be read or lacks what a connection needs.
pub(crate) const CONFIG_UNRESOLVED: Code = Code::new("CONFIG_UNRESOLVED");

/// The database of a site, as its configuration and its operator have it.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Where the database is, or why that is not known.
    pub(crate) database: Result<ConnectSettings, ToolError>,
    /// The prefixes of its tables.
    pub(crate) prefixes: Prefixes,
    /// What a person should know about the configuration.
    pub(crate) notes: Vec<String>,
}

impl Connection {
    /// What may be shown of it.
    pub(crate) fn summary(&self) -> Map<String, Value> {
        let database = match &self.database {
            Ok(ConnectSettings::MySql(mysql)) => json!({
                "engine": "mysql",
                "hosts": mysql.hosts.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "name": mysql.database,
                "user": mysql.user,
            }),
            Ok(ConnectSettings::Postgres(postgres)) => json!({
                "engine": "postgres",
                "hosts": [shown_postgres(&postgres.host, postgres.port)],
                "name": postgres.database,
                "user": postgres.user,
                "schema": postgres.schema,
            }),
            Ok(ConnectSettings::Sqlite(file)) => {
                json!({"engine": "sqlite", "file": file.path().to_string_lossy()})
            }
            Err(error) => json!({"error": sentence(error)}),
        };
        let mut summary = Map::new();
        summary.insert("database".to_owned(), database);
        summary.insert("prefix".to_owned(), json!(self.prefixes.base));
        if !self.notes.is_empty() {
            summary.insert("notes".to_owned(), json!(self.notes));
        }
        summary
    }
}

fn shown_postgres(host: &PostgresHost, port: u16) -> String {
    match host {
        PostgresHost::Tcp(host) if host.contains(':') => format!("[{host}]:{port}"),
        PostgresHost::Tcp(host) => format!("{host}:{port}"),
        PostgresHost::SocketFolder(folder) => folder.join(format!(".s.PGSQL.{port}")).display().to_string(),
    }
}

/// One part of a connection, under the name by which the configuration knows it.
#[derive(Debug)]
pub(crate) struct Field {
    name: String,
    state: State,
}

#[derive(Debug)]
enum State {
    /// A value, which may be one that is not known.
    Set(PhpValue),
    /// Nothing is set.
    Absent,
    /// The configuration means a value that is not here, and why.
    Lacking(String),
}

impl Field {
    /// A value of the configuration; absent where it is not set.
    pub(crate) fn new(name: impl Into<String>, value: Option<&PhpValue>) -> Self {
        Self { name: name.into(), state: value.cloned().map_or(State::Absent, State::Set) }
    }

    /// A text that was found; absent where there is none.
    pub(crate) fn text(name: impl Into<String>, text: Option<&str>) -> Self {
        Self::new(name, text.map(PhpValue::from).as_ref())
    }

    /// A part that the configuration means and that is not here, and why.
    pub(crate) fn lacking(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.into(), state: State::Lacking(reason.into()) }
    }

    /// The text instead of an absent or `null` value.
    pub(crate) fn or(mut self, default: &str) -> Self {
        if matches!(&self.state, State::Absent | State::Set(PhpValue::Null)) {
            self.state = State::Set(PhpValue::from(default));
        }
        self
    }

    /// The text changed, where it is known.
    pub(crate) fn map(mut self, change: impl FnOnce(String) -> String) -> Self {
        if let State::Set(value) = &self.state
            && let Some(text) = value.to_text()
        {
            self.state = State::Set(PhpValue::from(change(text)));
        }
        self
    }

    /// The text, or why there is none.
    fn known(&self) -> Result<String, String> {
        match &self.state {
            State::Absent => Err("it is not set".to_owned()),
            State::Lacking(reason) => Err(reason.clone()),
            State::Set(PhpValue::Unknown(why)) => Err(match why.cause() {
                Cause::Environment(variable) => format!(
                    "it comes from the variable {variable}, which is not set here ({} line {})",
                    why.file().display(),
                    why.line()
                ),
                _ => why.to_string(),
            }),
            State::Set(value) => value.to_text().ok_or_else(|| "it is not a text".to_owned()),
        }
    }

    /// The text of a part that may be absent or empty. One that is there and not known is a note, and
    /// `instead` says what is taken in its place.
    pub(crate) fn optional(&self, instead: &str, notes: &mut Vec<String>) -> Option<String> {
        match self.known() {
            Ok(text) => Some(text).filter(|text| !text.is_empty()),
            Err(why) => {
                if !matches!(self.state, State::Absent) {
                    notes.push(format!("{} is not known ({why}), so {instead} is taken.", self.name));
                }
                None
            }
        }
    }
}

/// What a connection needs and the configuration does not say.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    lines: Vec<String>,
    names: Vec<String>,
}

impl Missing {
    /// The text of a part without which there is no connection.
    pub(crate) fn required(&mut self, field: &Field) -> Option<String> {
        match field.known() {
            Ok(text) => Some(text),
            Err(why) => {
                self.add(&field.name, &why);
                None
            }
        }
    }

    /// Names a part that is missing, and why.
    pub(crate) fn add(&mut self, name: &str, why: &str) {
        self.lines.push(format!("{name}: {why}"));
        self.names.push(name.to_owned());
    }

    /// Whether nothing is missing.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// One line that names the parts, their places and the ways to fix it.
    pub(crate) fn error(self, config: Option<&Config>, env_problem: Option<&str>) -> ToolError {
        let mut text =
            format!("The database settings are not known from the configuration. {}.", self.lines.join("; "));
        if let Some(problem) = env_problem {
            text.push_str(&format!(" {problem}"));
        }
        let hint = match config.and_then(|config| wanted_path(&config.refused)) {
            Some(refused) => trust_hint(refused),
            None => "Set the variables, name a file that has them ([site] env_file in your siteclaw.toml), or give the \
                     values in [site.database] there."
                .to_owned(),
        };
        ToolError::new(CONFIG_UNRESOLVED, text).hint(hint).with("unresolved", self.names)
    }
}

/// The refused path that matters most: code that was not read, before files that are only asked for.
fn wanted_path(refused: &[RefusedPath]) -> Option<&RefusedPath> {
    refused.iter().find(|path| path.access == Access::Include).or(refused.first())
}

fn trust_hint(refused: &RefusedPath) -> String {
    format!(
        "{refused}. To read it, add to your siteclaw.toml: [site] trust = [\"{}\"]",
        refused.path.display()
    )
}

/// Where a database server is and how to log in, in the configuration's own words.
pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) host: Field,
    pub(crate) port: Field,
    /// A socket in place of host and port; MySQL only.
    pub(crate) socket: Option<Field>,
    pub(crate) user: Field,
    pub(crate) password: Field,
    pub(crate) database: Field,
    pub(crate) tls: Tls,
    /// The schema of the tables; PostgreSQL only.
    pub(crate) schema: Option<String>,
}

/// What was read beside the fields themselves.
#[derive(Clone, Copy, Default)]
pub(crate) struct Origin<'a> {
    /// The evaluated configuration, for what it was refused.
    pub(crate) config: Option<&'a Config>,
    /// What is wrong with the operator's env file.
    pub(crate) env_problem: Option<&'a str>,
}

impl Server {
    /// The settings, with the operator's words put over those of the configuration.
    pub(crate) fn settings(
        self,
        given: &DatabaseOverride,
        origin: Origin<'_>,
        notes: &mut Vec<String>,
    ) -> Result<ConnectSettings, ToolError> {
        let mut missing = Missing::default();
        let database = given.name.clone().or_else(|| missing.required(&self.database));
        if database.as_deref() == Some("") {
            missing.add(&self.database.name, "it is empty");
        }
        let user = given.user.clone().or_else(|| missing.required(&self.user));
        let password = match &given.password {
            Some(password) => Some(password.clone()),
            None => missing.required(&self.password).map(Secret::new),
        };
        let socket = self.socket.as_ref().filter(|_| given.host.is_none());
        let socket = socket.and_then(|socket| socket.optional("the host", notes));
        let (host, port) = match (&given.host, &socket) {
            (Some(host), _) => (Some(host.clone()), None),
            (None, Some(socket)) => (Some(socket.clone()), None),
            (None, None) => (missing.required(&self.host), port(&self.port, self.engine, notes)),
        };
        let (Some(database), Some(user), Some(password), Some(host)) = (database, user, password, host)
        else {
            return Err(missing.error(origin.config, origin.env_problem));
        };
        if !missing.is_empty() {
            return Err(missing.error(origin.config, origin.env_problem));
        }
        let tls = self.tls;
        Ok(if self.engine == Engine::Postgres {
            let (host, port) = postgres_address(&host, port);
            let schema = self.schema.unwrap_or_else(|| "public".to_owned());
            ConnectSettings::Postgres(PostgresSettings { host, port, user, password, database, schema, tls })
        } else {
            let hosts = mysql_addresses(&host, port);
            ConnectSettings::MySql(MySqlSettings { hosts, user, password, database, tls })
        })
    }
}

/// The port, where one is set. Empty texts and 0 stand for the usual one.
fn port(field: &Field, engine: Engine, notes: &mut Vec<String>) -> Option<u16> {
    let usual = if engine == Engine::Postgres { "5432" } else { "3306" };
    let text = field.optional(usual, notes)?;
    match text.trim().parse() {
        Ok(0) => None,
        Ok(port) => Some(port),
        Err(_) => {
            notes.push(format!("{} is no port, so {usual} is taken.", field.name));
            None
        }
    }
}

/// The SQLite file that a configuration names. One outside the site needs the operator's trust, as code
/// does: otherwise a hostile configuration could have any database on the machine read out.
pub(crate) fn sqlite(
    path: PathBuf,
    root: &Root,
    options: &AttachOptions,
) -> Result<ConnectSettings, ToolError> {
    if let Some(name) = &options.database.name {
        return Ok(ConnectSettings::Sqlite(SqliteFile::at(name)));
    }
    if path.as_os_str() == ":memory:" {
        return Err(ToolError::new(
            CONFIG_UNRESOLVED,
            "The site keeps its database in memory, where nothing outside its PHP can read it.",
        ));
    }
    // A relative path would be relative to wherever siteclaw was started.
    let path = root.path().join(path);
    match root.trusted_file(&path, &options.trust) {
        Err(error @ (RootError::Untrusted { .. } | RootError::Outside { .. })) => {
            let real = error.target().unwrap_or(&path).display().to_string();
            Err(ToolError::new(
                CONFIG_UNRESOLVED,
                format!("The site's SQLite file {real} lies outside the site."),
            )
            .hint(format!("To read it, add to your siteclaw.toml: [site] trust = [\"{real}\"]")))
        }
        // Anything else, such as a file that is not there, is told when it is opened.
        _ => {
            let (root, trust, named) = (root.clone(), options.trust.clone(), path.clone());
            Ok(ConnectSettings::Sqlite(SqliteFile::opened_by(path, move || {
                let TrustedPlace { file, folder, path } =
                    root.trusted_place(&named, &trust).map_err(|error| unopened(&error))?;
                Ok(OpenFile { file, folder, path })
            })))
        }
    }
}

/// Why a file was not opened, for the message about the database.
fn unopened(error: &RootError) -> io::Error {
    match error {
        RootError::NotFound { .. } => io::ErrorKind::NotFound.into(),
        RootError::PermissionDenied { .. } => io::ErrorKind::PermissionDenied.into(),
        other => io::Error::other(other.to_string().trim_end_matches('.').to_owned()),
    }
}

/// Refuses a driver by its name.
pub(crate) fn unsupported(place: &str, driver: &str) -> ToolError {
    let driver = siteclaw_core::sanitise_fragment(driver, 40);
    ToolError::new(
        CONFIG_UNRESOLVED,
        format!("{place} names the database driver {driver}, which is not supported."),
    )
    .hint("Siteclaw reads MySQL, MariaDB, PostgreSQL and SQLite, as far as the platform itself runs on them.")
}

/// The configuration could not be evaluated at all.
pub(crate) fn unreadable(path: &Path, error: siteclaw_php::PhpError) -> ToolError {
    ToolError::new(
        CONFIG_UNRESOLVED,
        format!("The configuration {} cannot be read: {error}.", path.display()),
    )
    .hint("See that the file is there, whole, and readable for the user who runs siteclaw.")
    .source(error)
}

/// There is no configuration.
pub(crate) fn not_installed(title: &str, expected: &str, folder: &Path) -> ToolError {
    ToolError::new(CONFIG_UNRESOLVED, format!("There is no {expected} in {}.", folder.display()))
        .hint(format!("Finish {title}'s installation, or name the site's folder with --site."))
}

/// What a person should know of an evaluated configuration: what PHP would stumble over, code that was not
/// read, and conditions that cannot be decided on which `names` (their beginnings) depend.
pub(crate) fn notes(config: &Config, names: &[&str]) -> Vec<String> {
    let faults = config
        .faults
        .iter()
        .map(|fault| format!("{} line {}: {}", fault.file.display(), fault.line, fault.message));
    let includes = config.refused.iter().filter(|refused| refused.access == Access::Include);
    let undecided = config.undecided.iter().filter(|undecided| {
        undecided.names.iter().any(|name| names.iter().any(|begin| name.starts_with(begin)))
    });
    let undecided = undecided.map(|undecided| {
        format!(
            "{} line {}: whether the database settings there hold is not known ({}).",
            undecided.file.display(),
            undecided.line,
            undecided.why
        )
    });
    faults.chain(includes.map(trust_hint)).chain(undecided).collect()
}

/// The prefix of tables. One that is not known is a note.
pub(crate) fn prefix(field: &Field, notes: &mut Vec<String>) -> String {
    field.optional("none", notes).unwrap_or_default()
}

/// An error and what to do about it, for a summary.
pub(crate) fn sentence(error: &ToolError) -> String {
    match error.hint_text() {
        Some(hint) => format!("{} {hint}", error.message()),
        None => error.message().to_owned(),
    }
}
