//! Sites on a real server: logins, limits and callers side by side.

use std::str::FromStr;

use serde_json::json;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions};

use crate::binary::User;
use crate::mcp::Client;
use crate::shop::{Copy, block_on};

const PASSWORD: &str = "r1ght-'Pa55\\word";

fn server() -> MySqlConnectOptions {
    let url = std::env::var("SITECLAW_TEST_MYSQL")
        .unwrap_or_else(|_| panic!("SITECLAW_TEST_MYSQL is not set: run the tests with `cargo xtask test`"));
    MySqlConnectOptions::from_str(&url).unwrap()
}

/// A site with a few tables on the server, and an account with a limit (0: none).
struct Site {
    copy: Copy,
    name: String,
}

impl Site {
    fn new(test: &str, connections: u32) -> Self {
        let name = format!("cli_{test}");
        block_on(async {
            let mut admin: MySqlConnection = server().connect().await.unwrap();
            let password = PASSWORD.replace('\\', "\\\\").replace('\'', "''");
            for sql in [
                format!("DROP DATABASE IF EXISTS {name}"),
                format!("CREATE DATABASE {name} CHARACTER SET utf8mb4"),
                format!("DROP USER IF EXISTS '{name}'@'%'"),
                format!("CREATE USER '{name}'@'%' IDENTIFIED BY '{password}' WITH MAX_USER_CONNECTIONS {connections}"),
                format!("GRANT ALL ON {name}.* TO '{name}'@'%'"),
                format!("USE {name}"),
                "CREATE TABLE wp_options (option_id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, option_name VARCHAR(191) \
                 UNIQUE, option_value LONGTEXT NOT NULL, autoload VARCHAR(20) NOT NULL DEFAULT 'yes')"
                    .to_owned(),
                "INSERT INTO wp_options (option_name, option_value) VALUES ('blogname', 'Harbour & Sons'), \
                 ('active_plugins', 'a:1:{i:0;s:27:\"woocommerce/woocommerce.php\";}'), ('siteurl', 'https://h.example')"
                    .to_owned(),
            ] {
                sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut admin).await.unwrap();
            }
        });
        let copy = Copy::new();
        let host = format!("{}:{}", server().get_host(), server().get_port());
        copy.on_mysql(&name, &name, PASSWORD, &host);
        Self { copy, name }
    }

    fn user(&self) -> User {
        User::of(&self.copy.path())
    }
}

#[test]
fn a_wrong_password_is_told_without_the_password() {
    let site = Site::new("password", 0);
    let right = site.user().run(&["call", "wp_option", "option_name=blogname"]);
    assert!(right.text().contains("Harbour & Sons"), "{right:?}");
    site.copy.define("'DB_PASSWORD'", "define('DB_PASSWORD', 'pl4nted-Wr0ng');");
    for more in [&[][..], &["--json"], &["-vvv"]] {
        let answer = site.user().run(&[more, &["call", "wp_option", "option_name=blogname"]].concat());
        assert_eq!(answer.code, Some(1));
        assert!(!answer.out.contains("pl4nted") && !answer.err.contains("pl4nted"), "{answer:?}");
    }
    let answer = site.user().run(&["call", "wp_option", "option_name=blogname"]);
    let line = answer.complaint(1);
    assert!(line.contains(&format!("refused the login of user `{}`", site.name)), "{line}");
    assert!(line.contains("Check user and password"), "{line}");
    let plugins = site.user().run(&["--json", "call", "wp_plugins"]).json();
    assert_eq!(plugins["data"]["plugins"][0]["active"], serde_json::Value::Null, "{plugins}");

    let user = site.user();
    user.configure(&format!("[site.database]\npassword = '''{PASSWORD}'''\n"));
    let overridden = user.run(&["call", "wp_option", "option_name=blogname"]);
    assert!(overridden.text().contains("Harbour & Sons"), "{overridden:?}");
}

#[test]
fn a_missing_table_is_named() {
    let site = Site::new("table", 0);
    let answer = site.user().run(&["call", "wp_users"]);
    assert!(answer.complaint(1).contains("wp_users"), "{answer:?}");
    let doctor = site.user().run(&["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.out.contains("The database lacks wp_posts, "), "{doctor:?}");
}

#[test]
fn six_at_once_get_their_answers_from_an_account_with_two_connections() {
    let site = Site::new("two", 2);
    let user = site.user();
    let children: Vec<_> = (0..6)
        .map(|_| {
            let mut command = user.command(&["--json", "call", "wp_option", "option_name=blogname"]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("Harbour"), "{text}");
    }
    let mut client = Client::start(&mut user.command(&["mcp"]));
    for id in 1..=6 {
        client.call(id, "wp_option", json!({"option_name": "blogname"}));
    }
    for _ in 0..6 {
        let answer = client.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    client.end();
}
