//! The servers that the tests run against, and a database and account for each test.

use std::str::FromStr;
use std::time::Duration;

use siteclaw_core::Secret;
use siteclaw_db::{
    ConnectSettings, Database, DbError, Limits, MySqlAddress, MySqlSettings, PostgresHost, PostgresSettings,
    Prefixes, Rows, Statement, Tls, Value,
};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions};

/// With the characters that break naive connection strings.
pub(crate) const PASSWORD: &str = "p'a\"ss$w#rd;//x";

fn variable(name: &str) -> String {
    match std::env::var(name) {
        Ok(url) => url,
        Err(_) => panic!("{name} is not set: run the tests with `cargo xtask test`"),
    }
}

/// A MySQL server with a database and an account of this test's own.
pub(crate) struct MySql {
    pub(crate) admin: MySqlConnection,
    pub(crate) settings: MySqlSettings,
    pub(crate) name: String,
}

impl MySql {
    /// The account may do everything in its database, so that only the session keeps it from writing.
    pub(crate) async fn new(test: &str) -> Self {
        let options = MySqlConnectOptions::from_str(&variable("SITECLAW_TEST_MYSQL")).unwrap();
        let host = match options.get_socket() {
            Some(path) => MySqlAddress::Socket { path: path.clone() },
            None => MySqlAddress::Tcp { host: options.get_host().to_owned(), port: options.get_port() },
        };
        let mut admin = options.connect().await.unwrap();
        let name = format!("sc_{test}");
        let password = PASSWORD.replace('\'', "''");
        for sql in [
            format!("DROP DATABASE IF EXISTS {name}"),
            format!("CREATE DATABASE {name} CHARACTER SET utf8mb4"),
            format!("DROP USER IF EXISTS '{name}'@'%', '{name}'@'localhost'"),
            format!("CREATE USER '{name}'@'%' IDENTIFIED BY '{password}'"),
            format!("CREATE USER '{name}'@'localhost' IDENTIFIED BY '{password}'"),
            format!("GRANT ALL ON {name}.* TO '{name}'@'%'"),
            format!("GRANT ALL ON {name}.* TO '{name}'@'localhost'"),
            format!("USE {name}"),
            "SET sql_mode = ''".to_owned(),
        ] {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut admin).await.unwrap();
        }
        let settings = MySqlSettings {
            hosts: vec![host],
            user: name.clone(),
            password: Secret::new(PASSWORD),
            database: name.clone(),
            tls: Tls::Preferred,
        };
        Self { admin, settings, name }
    }

    /// Runs statements as the administrator, in the test's database.
    pub(crate) async fn run(&mut self, sql: &str) {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.admin).await.unwrap();
    }

    pub(crate) fn database(&self) -> Database {
        self.limited(limits())
    }

    pub(crate) fn limited(&self, limits: Limits) -> Database {
        Database::new(ConnectSettings::MySql(self.settings.clone()), limits)
    }

    /// How many statements of this test's account run whose text holds `needle`.
    pub(crate) async fn running(&mut self, needle: &str) -> i64 {
        sqlx::query_scalar(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = ? AND INFO LIKE ?",
        )
        .bind(&self.name)
        .bind(format!("%{needle}%"))
        .fetch_one(&mut self.admin)
        .await
        .unwrap()
    }

    /// Waits until as many run as expected; fails after ten seconds.
    pub(crate) async fn wait_running(&mut self, needle: &str, expected: i64) {
        let wait = async {
            while self.running(needle).await != expected {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(10), wait).await;
        assert!(waited.is_ok(), "{expected} statements like {needle} should run");
    }
}

/// A PostgreSQL server with a database and a role of this test's own.
pub(crate) struct Postgres {
    pub(crate) admin: PgConnection,
    pub(crate) settings: PostgresSettings,
    pub(crate) name: String,
}

impl Postgres {
    pub(crate) async fn new(test: &str) -> Self {
        let options = PgConnectOptions::from_str(&variable("SITECLAW_TEST_POSTGRES")).unwrap();
        let host = match options.get_socket() {
            Some(path) => PostgresHost::SocketFolder(path.clone()),
            None => PostgresHost::Tcp(options.get_host().to_owned()),
        };
        let port = options.get_port();
        let mut server = options.clone().connect().await.unwrap();
        let name = format!("sc_{test}");
        let password = PASSWORD.replace('\'', "''");
        for sql in [
            format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            format!("DROP ROLE IF EXISTS {name}"),
            format!("CREATE ROLE {name} LOGIN PASSWORD '{password}'"),
            format!("CREATE DATABASE {name} OWNER {name} ENCODING 'UTF8' TEMPLATE template0"),
        ] {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut server).await.unwrap();
        }
        let admin = options.database(&name).connect().await.unwrap();
        let settings = PostgresSettings {
            host,
            port,
            user: name.clone(),
            password: Secret::new(PASSWORD),
            database: name.clone(),
            schema: "public".to_owned(),
            tls: Tls::Preferred,
        };
        let mut postgres = Self { admin, settings, name };
        let name = &postgres.name;
        let sql = format!(
            "GRANT ALL ON SCHEMA public TO {name}; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO {name}"
        );
        postgres.run(&sql).await;
        postgres
    }

    pub(crate) async fn run(&mut self, sql: &str) {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.admin).await.unwrap();
    }

    pub(crate) fn database(&self) -> Database {
        self.limited(limits())
    }

    pub(crate) fn limited(&self, limits: Limits) -> Database {
        Database::new(ConnectSettings::Postgres(self.settings.clone()), limits)
    }

    pub(crate) async fn running(&mut self, needle: &str) -> i64 {
        sqlx::query_scalar(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = $1 AND state = 'active' AND query LIKE $2",
        )
        .bind(&self.name)
        .bind(format!("%{needle}%"))
        .fetch_one(&mut self.admin)
        .await
        .unwrap()
    }

    pub(crate) async fn wait_running(&mut self, needle: &str, expected: i64) {
        let wait = async {
            while self.running(needle).await != expected {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(10), wait).await;
        assert!(waited.is_ok(), "{expected} statements like {needle} should run");
    }
}

pub(crate) fn limits() -> Limits {
    Limits::default()
}

/// Statements may run this long, so that a time-out is met soon.
pub(crate) fn hasty() -> Limits {
    Limits { statement_time: Duration::from_millis(300), ..Limits::default() }
}

pub(crate) async fn rows(database: &Database, sql: &str) -> Result<Rows, DbError> {
    database.rows(&Prefixes::default(), &Statement::new(sql.to_owned())).await
}

/// The values of the first row.
pub(crate) async fn values(database: &Database, sql: &str) -> Vec<Value> {
    rows(database, sql).await.unwrap().into_iter().next().unwrap().values().to_vec()
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
