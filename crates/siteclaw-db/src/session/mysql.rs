//! MySQL and MariaDB.
//!
//! The SQL mode is fixed, whatever the server's: double quotes make strings, a backslash escapes, `||` is OR.
//! The guard parses by these rules, so the session must hold them. Times are UTC. GROUP_CONCAT is allowed a
//! mebibyte, because the 1024 bytes of MySQL's default cut results without an error.

mod decode;

use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use siteclaw_core::Secret;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlSslMode};
use sqlx::{
    AssertSqlSafe, Column, ColumnOrigin, ConnectOptions, Connection, Either, Executor, Row as _, Statement,
};

use super::{Collector, OpenError, Outcome, encryption, failed};
use crate::error::Place;
use crate::settings::{Limits, MySqlAddress, MySqlSettings, Tls};
use crate::wire::{self, Address, Encryption, Refusal, Report};
use crate::{DbError, Engine, Flavour, Origin, Param, ResultColumn, ServerInfo};

/// Statements that a connection keeps prepared. The server answers nothing to the closing of one, so the next
/// packet waits 40 ms for the acknowledgement that TCP delays: a full connection is replaced (in 2 ms) instead.
const PREPARED: usize = 200;

pub(crate) struct MySqlSession {
    connection: MySqlConnection,
    id: u64,
    server: ServerInfo,
    limits_time: bool,
    place: Place,
    login: Login,
    report: Report,
}

impl MySqlSession {
    /// Connects to one address, makes the session read-only and limits its time.
    pub(crate) async fn open(
        settings: &MySqlSettings,
        address: &MySqlAddress,
        limits: &Limits,
    ) -> Result<Self, OpenError> {
        let place = Place {
            engine: Engine::MySql,
            address: address.to_string(),
            user: settings.user.clone(),
            database: settings.database.clone(),
            statement_time: limits.statement_time,
        };
        let (connection, login, report) = connect(settings, address, &place).await?;
        let session = Self::set_up(connection, login, report, place, limits).await;
        session.map_err(OpenError::Refused)
    }

    async fn set_up(
        mut connection: MySqlConnection,
        login: Login,
        report: Report,
        place: Place,
        limits: &Limits,
    ) -> Result<Self, DbError> {
        let failed = |error| failed(error, &report, &place, "");
        let row = sqlx::raw_sql("SELECT VERSION(), CONNECTION_ID()")
            .fetch_one(&mut connection)
            .await
            .map_err(failed)?;
        let version: String = row.try_get(0).map_err(failed)?;
        let id: u64 = row.try_get(1).map_err(failed)?;
        let flavour =
            if version.to_ascii_lowercase().contains("mariadb") { Flavour::MariaDb } else { Flavour::MySql };
        let read_only = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        if let Err(error) = sqlx::raw_sql(read_only).execute(&mut connection).await {
            return Err(match failed(error) {
                DbError::SyntaxNear { .. } => DbError::ServerTooOld { version },
                error => error,
            });
        }
        let fixed = "SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION', group_concat_max_len = 1048576, lock_wait_timeout = 3";
        sqlx::raw_sql(fixed).execute(&mut connection).await.map_err(failed)?;
        set_if_known(&mut connection, "SET SESSION innodb_lock_wait_timeout = 3".to_owned())
            .await
            .map_err(failed)?;
        let limit = time_limit(flavour, limits.statement_time);
        let limits_time = set_if_known(&mut connection, limit).await.map_err(failed)?;
        let server = ServerInfo { engine: Engine::MySql, flavour, version, address: place.address.clone() };
        Ok(Self { connection, id, server, limits_time, place, login, report })
    }

    pub(crate) const fn server(&self) -> &ServerInfo {
        &self.server
    }

    pub(super) const fn limits_time(&self) -> bool {
        self.limits_time
    }

    pub(super) fn is_full(&self) -> bool {
        self.report.is_worn() || self.connection.cached_statements_size() + 1 >= PREPARED
    }

    pub(super) async fn fetch(
        &mut self,
        sql: &str,
        params: &[Param],
        into: &mut Collector,
    ) -> Result<Outcome, DbError> {
        let failed = |error| failed(error, &self.report, &self.place, sql);
        let statement = self
            .connection
            .prepare(sqlx::SqlSafeStr::into_sql_str(AssertSqlSafe(sql)))
            .await
            .map_err(failed)?;
        if let Some(Either::Right(expected)) = statement.parameters()
            && expected != params.len()
        {
            let problem = format!("{expected} are needed and {} were given", params.len());
            return Err(DbError::BadParameters { problem });
        }
        into.columns(statement.columns().iter().map(describe).collect());
        let started = Instant::now();
        let query = statement.query_with(decode::arguments(params).map_err(failed)?);
        let mut kinds = None;
        let mut stream = query.fetch(&mut self.connection);
        while let Some(row) = stream.try_next().await.map_err(failed)? {
            if into.is_cut() {
                continue;
            }
            if kinds.is_none() {
                // The types of the execution count: those of the preparation do not know the parameters.
                into.columns(row.columns().iter().map(describe).collect());
            }
            let kinds = kinds.get_or_insert_with(|| decode::kinds(&row));
            if !into.offer(decode::values(&row, kinds).map_err(failed)?) {
                return Ok(Outcome::Stopped);
            }
        }
        // SLEEP and BENCHMARK answer the server's time limit with an early end and no error.
        if self.limits_time && started.elapsed() >= self.place.statement_time {
            return Err(DbError::TimedOut { limit: self.place.statement_time });
        }
        Ok(Outcome::Complete)
    }

    pub(super) async fn begin(&mut self) -> Result<(), DbError> {
        self.constant("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY").await
    }

    pub(super) async fn rollback(&mut self) -> Result<(), DbError> {
        self.constant("ROLLBACK").await
    }

    async fn constant(&mut self, sql: &'static str) -> Result<(), DbError> {
        let result = sqlx::raw_sql(sql).execute(&mut self.connection).await;
        result.map(drop).map_err(|error| failed(error, &self.report, &self.place, sql))
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

    pub(super) fn abandon(self) -> MySqlKill {
        MySqlKill { login: self.login, id: self.id }
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
    async fn connect(&self) -> Result<(MySqlConnection, Report), (sqlx::Error, Report)> {
        let opened = wire::mysql(&self.address, self.encryption.clone(), self.password.clone()).await;
        let (endpoint, report) = opened.map_err(|error| (error.into(), Report::default()))?;
        let mut options = MySqlConnectOptions::new()
            .socket(endpoint.path())
            .ssl_mode(MySqlSslMode::Disabled)
            .username(&self.user)
            .database(&self.database)
            .charset("utf8mb4")
            .timezone(Some("+00:00".to_owned()))
            .pipes_as_concat(false)
            .no_engine_substitution(false)
            .statement_cache_capacity(PREPARED)
            .disable_statement_logging();
        if !self.password.is_empty() {
            options = options.password(self.password.expose());
        }
        match MySqlConnection::connect_with(&options).await {
            Ok(connection) => Ok((connection, report)),
            Err(error) => Err((error, report)),
        }
    }
}

async fn connect(
    settings: &MySqlSettings,
    address: &MySqlAddress,
    place: &Place,
) -> Result<(MySqlConnection, Login, Report), OpenError> {
    let address = match address {
        MySqlAddress::Tcp { host, port } => Address::Tcp(host.clone(), *port),
        MySqlAddress::Socket { path } => Address::Socket(path.clone()),
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
    // An old server that offers only TLS 1.0 fails in the handshake; preferring TLS does not mean insisting.
    if settings.tls == Tls::Preferred && breaks_off(&error, &report) {
        login.encryption = Encryption::Off;
        if let Ok((connection, report)) = login.connect().await {
            return Ok((connection, login, report));
        }
    }
    Err(OpenError::new(error, &report, place))
}

fn breaks_off(error: &sqlx::Error, report: &Report) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    match (report.refusal(), error) {
        (Some(refusal), _) => matches!(refusal, Refusal::Tls(_)),
        (None, sqlx::Error::Io(io)) => {
            matches!(io.kind(), UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe)
        }
        (None, _) => false,
    }
}

/// MariaDB counts in seconds and covers every statement, MySQL in milliseconds and covers SELECT, which is
/// all that a read-only session runs.
fn time_limit(flavour: Flavour, limit: Duration) -> String {
    if flavour == Flavour::MariaDb {
        format!("SET SESSION max_statement_time = {:.3}", limit.as_secs_f64())
    } else {
        format!("SET SESSION max_execution_time = {}", limit.as_millis().max(1))
    }
}

/// Sets a variable that older servers or builds lack; says whether this one has it.
async fn set_if_known(connection: &mut MySqlConnection, sql: String) -> Result<bool, sqlx::Error> {
    const UNKNOWN_SYSTEM_VARIABLE: u16 = 1193;
    match sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await {
        Ok(_) => Ok(true),
        Err(sqlx::Error::Database(error))
            if error
                .try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>()
                .is_some_and(|error| error.number() == UNKNOWN_SYSTEM_VARIABLE) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

fn describe(column: &sqlx::mysql::MySqlColumn) -> ResultColumn {
    let origin = match column.origin() {
        ColumnOrigin::Table(origin) => {
            Some(Origin { table: origin.table.to_string(), column: origin.name.to_string() })
        }
        ColumnOrigin::Expression | ColumnOrigin::Unknown => None,
    };
    let data_type = decode::type_name(column.type_info());
    ResultColumn { name: column.name().to_owned(), data_type, origin }
}

/// Ends a statement whose client is gone. The server would not notice before it has rows to send.
pub(crate) struct MySqlKill {
    login: Login,
    id: u64,
}

impl MySqlKill {
    pub(super) async fn run(self) -> Result<(), sqlx::Error> {
        let (mut connection, report) = self.login.connect().await.map_err(|(error, _)| error)?;
        sqlx::raw_sql(AssertSqlSafe(format!("KILL {}", self.id))).execute(&mut connection).await?;
        connection.close().await?;
        report.ended().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_counts_time_its_own_way() {
        let limit = Duration::from_millis(20_500);
        assert_eq!(time_limit(Flavour::MariaDb, limit), "SET SESSION max_statement_time = 20.500");
        assert_eq!(time_limit(Flavour::MySql, limit), "SET SESSION max_execution_time = 20500");
    }
}
