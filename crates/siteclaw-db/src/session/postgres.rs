//! PostgreSQL.
//!
//! The prepared protocol carries every type in its own binary form. Only the plain ones are read and written
//! here; for all others the server does the work: a column becomes `column::text` in a wrapping SELECT, and a
//! parameter `CAST(CAST($1 AS text) AS type)`. So arrays, ranges, intervals, numerics and times come out as
//! the server prints them.

mod decode;

use std::collections::BTreeMap;

use futures_util::TryStreamExt;
use siteclaw_core::Secret;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode, PgStatement};
use sqlx::{
    AssertSqlSafe, Column, ColumnOrigin, ConnectOptions, Connection, Either, Executor, Row as _, SqlSafeStr,
    Statement, TypeInfo,
};

use super::{Collector, OpenError, Outcome, encryption, failed};
use crate::error::{Place, classify};
use crate::settings::{Limits, PostgresHost, PostgresSettings, Tls};
use crate::statement::scan;
use crate::wire::{self, Address, Encryption, Refusal, Report};
use crate::{DbError, Engine, Flavour, Origin, Param, ResultColumn, ServerInfo};

const APPLICATION: &str = "siteclaw";

pub(crate) struct PostgresSession {
    connection: PgConnection,
    pid: i32,
    server: ServerInfo,
    place: Place,
    login: Login,
    report: Report,
}

impl PostgresSession {
    /// Connects, makes the session read-only and limits its time.
    pub(crate) async fn open(settings: &PostgresSettings, limits: &Limits) -> Result<Self, OpenError> {
        let place = Place {
            engine: Engine::Postgres,
            address: settings.address(),
            user: settings.user.clone(),
            database: settings.database.clone(),
            statement_time: limits.statement_time,
        };
        let (connection, login, report) = connect(settings, &place).await?;
        let session = Self::set_up(connection, login, report, place, settings, limits).await;
        session.map_err(OpenError::Refused)
    }

    async fn set_up(
        mut connection: PgConnection,
        login: Login,
        report: Report,
        place: Place,
        settings: &PostgresSettings,
        limits: &Limits,
    ) -> Result<Self, DbError> {
        let failed = |error| failed(error, &report, &place, "");
        let fixed = format!(
            "SET default_transaction_read_only = on; SET statement_timeout = {}; SET lock_timeout = 3000; \
             SET idle_in_transaction_session_timeout = 120000; SET standard_conforming_strings = on; \
             SET IntervalStyle = postgres; SET bytea_output = hex",
            limits.statement_time.as_millis().max(1)
        );
        sqlx::raw_sql(AssertSqlSafe(fixed)).execute(&mut connection).await.map_err(failed)?;
        // The second setting has the server itself notice a client that is gone; only newer ones know it.
        let row = sqlx::query(
            "SELECT set_config('search_path', quote_ident($1), false), pg_backend_pid(), current_setting('server_version'), \
             (SELECT set_config(name, '1000', false) FROM pg_settings WHERE name = 'client_connection_check_interval')",
        )
        .bind(&settings.schema)
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
        let pid = row.try_get(1).map_err(failed)?;
        let version = row.try_get(2).map_err(failed)?;
        let server = ServerInfo {
            engine: Engine::Postgres,
            flavour: Flavour::Postgres,
            version,
            address: place.address.clone(),
        };
        Ok(Self { connection, pid, server, place, login, report })
    }

    pub(crate) const fn server(&self) -> &ServerInfo {
        &self.server
    }

    pub(super) async fn fetch(
        &mut self,
        sql: &str,
        params: &[Param],
        into: &mut Collector,
    ) -> Result<Outcome, DbError> {
        let mut statement = self.prepare(sql).await?;
        let asked = parameter_types(&statement);
        if asked != params.len() {
            let problem = format!("{asked} are needed and {} were given", params.len());
            return Err(DbError::BadParameters { problem });
        }
        into.columns(statement.columns().iter().map(describe).collect());
        if let Some(plain) = self.in_plain_types(sql, &statement).await? {
            statement = self.prepare(&plain).await?;
        }
        let arguments = decode::arguments(params, &statement)?;
        let (report, place) = (&self.report, &self.place);
        let mut kinds = None;
        let mut stream = statement.query_with(arguments).fetch(&mut self.connection);
        while let Some(row) = stream.try_next().await.map_err(|error| failed(error, report, place, sql))? {
            if into.is_cut() {
                continue;
            }
            let kinds = kinds.get_or_insert_with(|| decode::kinds(row.columns()));
            let values = decode::values(&row, kinds).map_err(|error| classify(error, place))?;
            if !into.offer(values) {
                return Ok(Outcome::Stopped);
            }
        }
        Ok(Outcome::Complete)
    }

    async fn prepare(&mut self, sql: &str) -> Result<PgStatement, DbError> {
        let prepared = (&mut self.connection).prepare(AssertSqlSafe(sql).into_sql_str()).await;
        prepared.map_err(|error| failed(error, &self.report, &self.place, sql))
    }

    /// The statement with the server's casts where a parameter or column is of a type that is not plain.
    async fn in_plain_types(
        &mut self,
        sql: &str,
        statement: &PgStatement,
    ) -> Result<Option<String>, DbError> {
        let mut casts = BTreeMap::new();
        if let Some(Either::Left(types)) = statement.parameters() {
            for (index, info) in types.iter().enumerate() {
                if !decode::is_plain(info) {
                    casts.insert(index + 1, self.type_name(info).await?);
                }
            }
        }
        let cast = if casts.is_empty() { None } else { Some(cast_parameters(sql, &casts)) };
        if statement.columns().iter().all(|column| decode::is_plain(column.type_info())) {
            return Ok(cast);
        }
        let inner = cast.as_deref().unwrap_or(sql);
        Ok(Some(wrap(inner, statement.columns().iter().map(|column| decode::is_plain(column.type_info())))))
    }

    async fn type_name(&mut self, info: &sqlx::postgres::PgTypeInfo) -> Result<String, DbError> {
        if let Some(known) = decode::known_type(info) {
            return Ok(known.to_owned());
        }
        let name = sqlx::query_scalar("SELECT format_type($1, NULL)").bind(info.oid());
        let named = name.fetch_one(&mut self.connection).await;
        named.map_err(|error| failed(error, &self.report, &self.place, ""))
    }

    /// The savepoint lets later statements run after one of them failed.
    pub(super) async fn begin(&mut self) -> Result<(), DbError> {
        self.constant("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SAVEPOINT clean").await
    }

    pub(super) async fn recover(&mut self) -> Result<(), DbError> {
        self.constant("ROLLBACK TO SAVEPOINT clean").await
    }

    pub(super) async fn rollback(&mut self) -> Result<(), DbError> {
        self.constant("ROLLBACK").await
    }

    async fn constant(&mut self, sql: &'static str) -> Result<(), DbError> {
        let result = sqlx::raw_sql(sql).execute(&mut self.connection).await;
        result.map(drop).map_err(|error| failed(error, &self.report, &self.place, sql))
    }

    /// Whether the driver has kept so much that the connection should be replaced.
    pub(super) fn is_worn(&self) -> bool {
        self.report.is_worn()
    }

    pub(super) async fn ping(&mut self) -> bool {
        self.connection.ping().await.is_ok()
    }

    pub(super) async fn close(self) {
        if let Err(error) = self.connection.close().await {
            tracing::debug!(%error, "the connection did not close cleanly");
        }
        self.report.ended().await;
    }

    pub(super) fn abandon(self) -> PostgresKill {
        PostgresKill { login: self.login, pid: self.pid }
    }
}

/// A way to log in, kept for the order to stop a statement.
#[derive(Clone)]
struct Login {
    address: Address,
    encryption: Encryption,
    user: String,
    password: Secret,
    database: String,
}

impl Login {
    /// Logs in. The report tells more than the driver's error, if it tells anything.
    async fn connect(&self) -> Result<(PgConnection, Report), (sqlx::Error, Report)> {
        let opened = wire::postgres(&self.address, self.encryption.clone()).await;
        let (endpoint, report) = opened.map_err(|error| (error.into(), Report::default()))?;
        let options = PgConnectOptions::new_without_pgpass()
            .host("localhost")
            .socket(endpoint.folder())
            .port(wire::PORT)
            .ssl_mode(PgSslMode::Disable)
            .username(&self.user)
            .password(self.password.expose())
            .database(&self.database)
            .application_name(APPLICATION)
            .statement_cache_capacity(50)
            .disable_statement_logging();
        match PgConnection::connect_with(&options).await {
            Ok(connection) => Ok((connection, report)),
            Err(error) => Err((error, report)),
        }
    }
}

async fn connect(
    settings: &PostgresSettings,
    place: &Place,
) -> Result<(PgConnection, Login, Report), OpenError> {
    let address = match &settings.host {
        PostgresHost::Tcp(host) => Address::Tcp(host.clone(), settings.port),
        PostgresHost::SocketFolder(folder) => {
            Address::Socket(folder.join(format!(".s.PGSQL.{}", settings.port)))
        }
    };
    let mut login = Login {
        encryption: encryption(&settings.tls, address.host(), place).await?,
        address,
        user: settings.user.clone(),
        password: settings.password.clone(),
        database: settings.database.clone(),
    };
    let (error, report) = match login.connect().await {
        Ok((connection, report)) => return Ok((connection, login, report)),
        Err(failure) => failure,
    };
    if settings.tls == Tls::Preferred && matches!(report.refusal(), Some(Refusal::Tls(_))) {
        login.encryption = Encryption::Off;
        if let Ok((connection, report)) = login.connect().await {
            return Ok((connection, login, report));
        }
    }
    Err(OpenError::new(error, &report, place))
}

fn parameter_types(statement: &PgStatement) -> usize {
    match statement.parameters() {
        Some(Either::Left(types)) => types.len(),
        Some(Either::Right(count)) => count,
        None => 0,
    }
}

fn describe(column: &sqlx::postgres::PgColumn) -> ResultColumn {
    let origin = match column.origin() {
        ColumnOrigin::Table(origin) => {
            Some(Origin { table: origin.table.to_string(), column: origin.name.to_string() })
        }
        ColumnOrigin::Expression | ColumnOrigin::Unknown => None,
    };
    let data_type = column.type_info().name().to_lowercase();
    ResultColumn { name: column.name().to_owned(), data_type, origin }
}

/// `SELECT … FROM (statement) AS result(c1, c2…)`, with a cast to text for each column that is not plain.
fn wrap(sql: &str, plain: impl Iterator<Item = bool>) -> String {
    let mut names = String::new();
    let mut columns = String::new();
    for (index, plain) in plain.enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        names.push_str(&format!("{comma}c{index}"));
        columns.push_str(&format!("{comma}c{index}{}", if plain { "" } else { "::text" }));
    }
    let sql = sql.trim_end().trim_end_matches(';');
    // The line break ends a comment that the statement may end with.
    format!("SELECT {columns} FROM (\n{sql}\n) AS result({names})")
}

/// Writes a cast round each `$n` that needs one.
fn cast_parameters(sql: &str, casts: &BTreeMap<usize, String>) -> String {
    let mut out = String::with_capacity(sql.len() + casts.len() * 32);
    let mut at = 0;
    let mut before = None;
    while let Some(rest) = sql.get(at..).filter(|rest| !rest.is_empty()) {
        let len = if let Some(end) = scan::quoted_end(sql, at, Engine::Postgres) {
            out.push_str(sql.get(at..end).unwrap_or_default());
            end - at
        } else if let Some(digits) = placeholder(rest, before) {
            match digits.parse().ok().and_then(|number: usize| casts.get(&number)) {
                Some(type_name) => out.push_str(&format!("CAST(CAST(${digits} AS text) AS {type_name})")),
                None => out.push_str(&format!("${digits}")),
            }
            digits.len() + 1
        } else {
            let c = rest.chars().next().unwrap_or_default();
            out.push(c);
            c.len_utf8()
        };
        at += len;
        before = sql.as_bytes().get(at - 1).copied();
    }
    out
}

fn placeholder(rest: &str, before: Option<u8>) -> Option<&str> {
    let digits = rest.strip_prefix('$')?;
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    (len > 0 && !before.is_some_and(scan::is_identifier_byte)).then(|| digits.get(..len))?
}

/// Ends a statement whose client is gone.
pub(crate) struct PostgresKill {
    login: Login,
    pid: i32,
}

impl PostgresKill {
    pub(super) async fn run(self) -> Result<(), sqlx::Error> {
        let (mut connection, report) = self.login.connect().await.map_err(|(error, _)| error)?;
        // The process number may have passed to somebody else's connection: only our own is ended.
        let sql =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2";
        sqlx::query(sql).bind(self.pid).bind(APPLICATION).execute(&mut connection).await?;
        connection.close().await?;
        report.ended().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_placeholders_in_code_are_cast() {
        let casts = BTreeMap::from([(1, "numeric".to_owned()), (12, "timestamp".to_owned())]);
        assert_eq!(
            cast_parameters("a = $1 AND b = $2 AND c = '$1' AND d = $12 AND e$1 = x -- $1", &casts),
            "a = CAST(CAST($1 AS text) AS numeric) AND b = $2 AND c = '$1' AND d = CAST(CAST($12 AS text) AS timestamp) AND e$1 = x -- $1"
        );
    }

    #[test]
    fn a_wrapped_statement_may_end_in_a_comment_or_semicolon() {
        assert_eq!(
            wrap("SELECT a, b FROM t -- end", [true, false].into_iter()),
            "SELECT c0, c1::text FROM (\nSELECT a, b FROM t -- end\n) AS result(c0, c1)"
        );
        assert_eq!(
            wrap("SELECT a FROM t; ", [false].into_iter()),
            "SELECT c0::text FROM (\nSELECT a FROM t\n) AS result(c0)"
        );
    }
}
