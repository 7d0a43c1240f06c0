//! MySQL and MariaDB: what goes wrong before and around a statement, and what is said about it.

use siteclaw_core::{Secret, ToolError};
use siteclaw_db::{DbError, MySqlAddress, Tls};

use crate::servers::{MySql, PASSWORD, rows};

#[tokio::test]
async fn a_wrong_password_is_refused_without_being_named() {
    let mut server = MySql::new("password").await;
    server.settings.password = Secret::new("hunter2");
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert!(matches!(error, DbError::LoginRefused { .. }), "{error:?}");
    let mut all = format!("{error} {error:?} {:?}", error.hint());
    all.push_str(&ToolError::from(error).cause_chain().unwrap());
    assert!(!all.contains("hunter2"), "{all}");
    assert!(all.contains("sc_password"), "{all}");
}

#[tokio::test]
async fn a_dead_port_and_an_unknown_host_say_so() {
    let mut server = MySql::new("dead").await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    server.settings.hosts = vec![MySqlAddress::Tcp { host: "127.0.0.1".into(), port }];
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    let expected = format!("No database server answers at 127.0.0.1:{port}: the connection was refused.");
    assert_eq!(error.to_string(), expected);
    assert!(!format!("{error:?}").contains(PASSWORD));

    server.settings.hosts = vec![MySqlAddress::Tcp { host: "mysql".into(), port: 3306 }];
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert!(matches!(error, DbError::Unreachable { .. }), "{error:?}");
    let hint = error.hint().unwrap();
    assert!(hint.contains("`mysql` looks like the name of a container"), "{error} {hint}");

    server.settings.hosts = vec![MySqlAddress::Socket { path: "/nowhere/m.sock".into() }];
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert_eq!(error.to_string(), "No database server answers at /nowhere/m.sock: it does not exist.");
}

#[tokio::test]
async fn an_unknown_database_is_named() {
    let mut server = MySql::new("nodb").await;
    server.settings.database = "sc_no_such".to_owned();
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert!(
        matches!(&error, DbError::UnknownDatabase { database, .. } if database == "sc_no_such"),
        "{error:?}"
    );
}

#[tokio::test]
async fn mistakes_in_a_statement_are_told_apart() {
    let mut server = MySql::new("mistakes").await;
    server.run("CREATE TABLE t (id INT); CREATE TABLE u (id INT)").await;
    let database = server.database();
    let message = async |sql: &str| rows(&database, sql).await.unwrap_err().to_string();
    assert_eq!(message("SELECT * FROM nowhere").await, "There is no table `nowhere`.");
    assert_eq!(message("SELECT titel FROM t").await, "There is no column `titel`.");
    assert_eq!(message("SELECT id FORM t").await, "The statement has a syntax error near `t`.");
    assert_eq!(message("SELECT id FROM t WHERE").await, "The statement has a syntax error near ``.");
    assert_eq!(
        message("SELECT id FROM t, u").await,
        "The database refused the statement: column `id` is ambiguous, name its table (1052)."
    );
    assert_eq!(
        message("SELECT no_such_function(1)").await,
        "The database refused the statement: a function does not exist on this server (1305)."
    );
}

#[tokio::test]
async fn what_the_account_may_not_read_is_named() {
    let server = MySql::new("rights").await;
    let error = rows(&server.database(), "SELECT * FROM mysql.user").await.unwrap_err();
    assert_eq!(error.to_string(), "The database account may not read table `mysql`.`user`.");
}

#[tokio::test]
async fn demanded_encryption_is_not_given_up() {
    let mut server = MySql::new("tls").await;
    let offers_tls: String =
        sqlx::query_scalar("SELECT @@have_ssl").fetch_one(&mut server.admin).await.unwrap();
    server.settings.tls = Tls::Required { ca: None };
    let result = rows(&server.database(), "SHOW STATUS LIKE 'Ssl_cipher'").await;
    if offers_tls == "YES" {
        assert!(!result.unwrap().rows[0].text("Value").unwrap().is_empty());
    } else {
        assert!(matches!(result, Err(DbError::TlsFailed { .. })), "{result:?}");
    }
    server.settings.tls = Tls::Required { ca: Some("/nowhere/ca.pem".into()) };
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err().to_string();
    assert!(error.contains("the certificate authorities in /nowhere/ca.pem cannot be read"), "{error}");
}

#[tokio::test]
async fn an_unsupported_login_method_is_named() {
    let mut server = MySql::new("plugin").await;
    let installed = sqlx::raw_sql("INSTALL SONAME 'auth_ed25519'").execute(&mut server.admin).await;
    drop(installed);
    for host in ["%", "localhost"] {
        let sql =
            format!("ALTER USER '{}'@'{host}' IDENTIFIED VIA ed25519 USING PASSWORD('secret')", server.name);
        if sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut server.admin).await.is_err() {
            return;
        }
    }
    let error = rows(&server.database(), "SELECT 1").await.unwrap_err();
    assert!(
        matches!(&error, DbError::AuthPluginUnsupported { plugin, .. } if plugin == "client_ed25519"),
        "{error:?}"
    );
}
