//! Pairs of databases that differ in their secrets alone.

use std::fmt::Write as _;

use siteclaw_db::{Database, Engine, Schema};
use sqlx::mysql::MySqlConnection;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, ColumnIndex, Row};
use tokio::runtime::Runtime;

use crate::servers::{MySql, Postgres};

/// Stands in every secret and in nothing else.
pub(crate) const MARK: &str = "zzz";

/// A database with secrets.
pub(crate) trait World {
    fn engine(&self) -> Engine;
    fn schema(&self) -> Schema;
    /// The rows as one text, in an order of their own, or the server's message.
    fn run(&mut self, sql: &str) -> Result<String, String>;
}

/// The secrets of the two worlds: of different length and order.
fn secrets(world: usize) -> [String; 3] {
    match world {
        0 => [format!("a{MARK}"), format!("q{MARK}{MARK}"), format!("{MARK}1")],
        _ => [format!("n{MARK}{MARK}{MARK}z"), format!("b{MARK}"), format!("{MARK}-{MARK}-22")],
    }
}

fn statements(engine: Engine, world: usize) -> Vec<String> {
    let [a, b, c] = secrets(world);
    let key = |name: &str| if engine == Engine::MySql { format!("`{name}`") } else { name.to_owned() };
    let text = if engine == Engine::MySql { "varchar(100)" } else { "text" };
    let json = if engine == Engine::Postgres { "jsonb" } else { text };
    let (some, none) = if world == 0 {
        ("NULL".to_owned(), format!("'{c}'"))
    } else {
        (format!("'{a}'"), "NULL".to_owned())
    };
    let json_a = if engine == Engine::Postgres { format!("{{\"k\": \"{a}\"}}") } else { a.clone() };
    let json_free = if engine == Engine::Postgres { "{\"k\": \"free\"}" } else { "free" };
    vec![
        format!(
            "CREATE TABLE users (id int, login {text}, pass {text}, email {text}, api_key {text}, score int)"
        ),
        format!(
            "INSERT INTO users VALUES (1, 'ann', '{a}', 'ann@example.org', {some}, 5), \
             (2, 'bob', '{b}', NULL, '{c}', 3), (3, 'cid', {none}, 'cid@example.org', '{b}', 5)"
        ),
        format!("CREATE TABLE options (id int, {} {text}, {} {text})", key("name"), key("value")),
        format!(
            "INSERT INTO options VALUES (1, 'blogname', 'Shop'), (2, 'smtp_PASSWORD', '{a}'), (3, 'Stripe_id', '{b}'), \
             (4, 'auth_salt', '{c}'), (5, NULL, 'free'), (6, 'mail''er', '{b}'), (7, 'my_Api_Keys', {some})"
        ),
        format!("CREATE TABLE meta (id int, user_id int, mkey {text}, mvalue {json})"),
        format!(
            "INSERT INTO meta VALUES (1, 1, 'session_tokens', '{json_a}'), (2, 1, 'colour', '{json_free}'), (3, 2, 'colour', NULL)"
        ),
        format!("CREATE TABLE posts (id int, user_id int, title {text}, views int)"),
        "INSERT INTO posts VALUES (1, 1, 'Hello', 10), (2, 1, 'World', 3), (3, 2, '[masked]', 3)".to_owned(),
        "CREATE VIEW staff AS SELECT id, login AS who, pass AS p FROM users".to_owned(),
        "CREATE VIEW titles AS SELECT id, title FROM posts".to_owned(),
        "CREATE VIEW nested AS SELECT who, upper(p) AS q FROM staff".to_owned(),
        "CREATE VIEW everything AS SELECT * FROM users".to_owned(),
    ]
}

struct Served<C> {
    runtime: Runtime,
    engine: Engine,
    schema: Schema,
    connection: C,
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn schema_of(database: Database) -> Schema {
    let schema = database.schema().await.unwrap().as_ref().clone();
    database.close().await;
    schema
}

/// A MySQL database. The second world runs in modes that read strings and quotes differently.
pub(crate) fn mysql(name: &str, world: usize) -> impl World {
    let runtime = runtime();
    let (schema, connection) = runtime.block_on(async {
        let mut server = MySql::new(name).await;
        for sql in statements(Engine::MySql, world) {
            server.run(&sql).await;
        }
        if world == 1 {
            server.run("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'").await;
        }
        (schema_of(server.database()).await, server.admin)
    });
    Served { runtime, engine: Engine::MySql, schema, connection }
}

/// A PostgreSQL database. The second world runs without standard strings.
pub(crate) fn postgres(name: &str, world: usize) -> impl World {
    let runtime = runtime();
    let (schema, connection) = runtime.block_on(async {
        let mut server = Postgres::new(name).await;
        for sql in statements(Engine::Postgres, world) {
            server.run(&sql).await;
        }
        if world == 1 {
            server.run("SET standard_conforming_strings = off").await;
        }
        (schema_of(server.database()).await, server.admin)
    });
    Served { runtime, engine: Engine::Postgres, schema, connection }
}

/// A SQLite file.
pub(crate) fn sqlite(world: usize) -> impl World {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let (schema, connection) = runtime.block_on(async {
        let mut connection = crate::sqlite::site(&path).await;
        for sql in statements(Engine::Sqlite, world) {
            crate::sqlite::run(&mut connection, &sql).await;
        }
        (schema_of(crate::sqlite::open(&path, crate::servers::limits())).await, connection)
    });
    // The file is gone from its folder and stays open.
    drop(folder);
    Served { runtime, engine: Engine::Sqlite, schema, connection }
}

/// Every value as bytes: what the server sent, without regard to its type.
fn rendered<R>(rows: &[R]) -> String
where
    R: Row,
    usize: ColumnIndex<R>,
    for<'r> Option<Vec<u8>>: sqlx::Decode<'r, R::Database>,
{
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let mut line = String::new();
            for at in 0..row.len() {
                let value: Option<Vec<u8>> = row.try_get_unchecked(at).unwrap();
                match value {
                    Some(value) => write!(line, "|{}", String::from_utf8_lossy(&value)).unwrap(),
                    None => line.push_str("|NULL"),
                }
            }
            line
        })
        .collect();
    lines.sort_unstable();
    lines.join("\n")
}

macro_rules! world {
    ($connection:ty) => {
        impl World for Served<$connection> {
            fn engine(&self) -> Engine {
                self.engine
            }

            fn schema(&self) -> Schema {
                self.schema.clone()
            }

            fn run(&mut self, sql: &str) -> Result<String, String> {
                let query = sqlx::query(AssertSqlSafe(sql.to_owned())).persistent(false);
                let rows = self.runtime.block_on(query.fetch_all(&mut self.connection));
                rows.map(|rows| rendered(&rows)).map_err(|error| error.to_string())
            }
        }
    };
}

world!(MySqlConnection);
world!(PgConnection);
world!(SqliteConnection);
