//! What is wrong, where, and how to fix it: in one line, and without a secret.

use std::fs;
use std::os::unix::fs::symlink;

use sqlx::{Connection, Executor};

use crate::binary::{Answer, User};
use crate::shop::{CONFIG, Copy, block_on, shop};

/// Planted wherever a configuration keeps secrets.
const PASSWORD: &str = "pl4nted-Pa55word";
const SALT: &str = "pl4nted-Sa1t-of-sixty-four-characters-0123456789-0123456789-01234";
const DSN: &str = "mysql://app:pl4nted-Dsn@db.example/shop";

/// A site on a MySQL server that is not there, with secrets to be kept.
fn planted(host: &str) -> Copy {
    let site = Copy::new();
    site.on_mysql("shop_live", "shop_rw", PASSWORD, host);
    site.define("'AUTH_KEY'", &format!("define('AUTH_KEY', '{SALT}'); define('MAIL_DSN', '{DSN}');"));
    site
}

/// Runs a command as it is, as JSON and with the whole log; no secret may be in any of them.
fn run(user: &User, arguments: &[&str]) -> Answer {
    for more in [&["--json"][..], &["-vvv"], &["-vvv", "--json"]] {
        keeps_secrets(&user.run(&[more, arguments].concat()));
    }
    let answer = user.run(arguments);
    keeps_secrets(&answer);
    answer
}

fn keeps_secrets(answer: &Answer) {
    for part in ["pl4nted", "Pa55word", "Sa1t-of", "sk-ant-planted"] {
        assert!(!answer.out.contains(part) && !answer.err.contains(part), "{part} in {answer:?}");
    }
}

#[track_caller]
fn says(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "no {part:?} in {line}");
    }
}

#[test]
fn no_site_is_found() {
    let user = User::new();
    for arguments in
        [&["site"][..], &["call", "wp_query"], &["send", "x"], &["explain", "x"], &["tools", "wp_query"]]
    {
        let answer = run(&user, arguments);
        says(
            answer.complaint(2),
            &["No site was found", "WordPress (wp-includes/version.php", "Name the site's own folder"],
        );
        assert_eq!(answer.out, "");
    }
    // The tools that need no site are there.
    let answer = run(&user, &["tools"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.out.contains("file_read") && !answer.out.contains("wp_query"), "{answer:?}");
    assert!(answer.err.contains("No site was found"), "{answer:?}");
    let answer = run(&user, &["--site", "/nowhere/at/all", "site"]);
    says(answer.complaint(2), &["/nowhere/at/all", "Name a folder"]);
}

#[test]
fn the_server_is_down_and_files_go_on() {
    let site = planted("127.0.0.1:9");
    let user = User::of(&site.path());
    let answer = run(&user, &["call", "wp_query"]);
    says(answer.complaint(1), &["127.0.0.1:9", "refused", "Check host and port", "(DATABASE_UNAVAILABLE)"]);
    let plugins = run(
        &user,
        &[
            "--json",
            "call",
            "wp_plugins",
            r#"{"columns": ["name", "active", "network_active", "update_available"]}"#,
        ],
    );
    assert_eq!(plugins.code, Some(0), "{plugins:?}");
    let plugins = plugins.json();
    let rows = plugins["data"]["plugins"].as_array().unwrap();
    assert_eq!(rows.len(), 9, "{plugins}");
    for row in rows {
        let unknown = ["active", "network_active", "update_available"];
        assert!(unknown.iter().all(|name| row[name].is_null()) && row["name"].is_string(), "{row}");
    }
    assert!(plugins["warnings"].to_string().contains("Which plugins are active is not known"), "{plugins}");
    let counts = run(&user, &["--json", "call", "wp_plugins", "aggregate=true"]).json();
    assert_eq!(counts["data"], serde_json::json!({"total": 9}));
    // A question that only the database can answer is not answered with a guess.
    let active = run(&user, &["call", "wp_plugins", "status=active"]);
    says(active.complaint(1), &["(DATABASE_UNAVAILABLE)"]);
    assert_eq!(run(&user, &["site"]).code, Some(0));
    assert_eq!(run(&user, &["tools"]).code, Some(0));
    let doctor = run(&user, &["doctor"]);
    assert_eq!(doctor.code, Some(1));
    says(&doctor.out, &["failed   connection", "127.0.0.1:9", "→ Check host and port"]);
    assert_eq!(run(&user, &["send", "latest posts"]).code, Some(1));
}

#[test]
fn a_table_is_missing() {
    let site = Copy::new();
    block_on(async {
        let mut database = site.database().await;
        database.execute("DROP TABLE wp_comments").await.unwrap();
        database.close().await.unwrap();
    });
    let user = User::of(&site.path());
    let answer = run(&user, &["call", "wp_comments"]);
    says(answer.complaint(1), &["wp_comments", "(SQL_UNKNOWN_TABLE)"]);
    assert_eq!(run(&user, &["call", "wp_query"]).code, Some(0));
    let doctor = run(&user, &["doctor"]);
    says(&doctor.out, &["failed   tables        The database lacks wp_comments.", "→ Check $table_prefix"]);
    assert_eq!(doctor.code, Some(1));
}

#[test]
fn a_serialised_option_is_corrupt() {
    let site = Copy::new();
    block_on(async {
        let mut database = site.database().await;
        let broken = "UPDATE wp_options SET option_value = 'a:2:{i:0;s:99:\"woocommerce' WHERE option_name = 'active_plugins'";
        database.execute(broken).await.unwrap();
        database.close().await.unwrap();
    });
    let user = User::of(&site.path());
    let answer = run(&user, &["--json", "call", "wp_option", "option_name=active_plugins"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(answer.json()["data"]["options"][0]["value_state"], "corrupt_serialisation");
    // It is no reason to fail, nor to take the plugins for inactive in silence.
    let plugins = run(&user, &["--json", "call", "wp_plugins"]).json();
    assert_eq!(plugins["success"], true);
    says(&plugins["warnings"].to_string(), &["active_plugins cannot be decoded"]);
}

#[test]
fn the_configuration_cannot_be_read() {
    let folder = Copy::new();
    fs::remove_file(folder.path().join(CONFIG)).unwrap();
    fs::create_dir(folder.path().join(CONFIG)).unwrap();
    let answer = run(&User::of(&folder.path()), &["call", "wp_query"]);
    says(answer.complaint(1), &["wp-config.php is not a file", "(CONFIG_UNRESOLVED)"]);

    let link = Copy::new();
    fs::remove_file(link.path().join(CONFIG)).unwrap();
    symlink("/nowhere/wp-config.php", link.path().join(CONFIG)).unwrap();
    let user = User::of(&link.path());
    let answer = run(&user, &["call", "wp_query"]);
    says(
        answer.complaint(1),
        &["wp-config.php cannot be read", "readable for the user", "(CONFIG_UNRESOLVED)"],
    );
    let doctor = run(&user, &["doctor"]);
    says(&doctor.out, &["failed   configuration"]);
    assert_eq!(doctor.code, Some(1));

    let broken = planted("127.0.0.1:9");
    let file = broken.path().join(CONFIG);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("define('DB_HOST'", "define(('DB_HOST'")).unwrap();
    let answer = run(&User::of(&broken.path()), &["call", "wp_query"]);
    says(answer.complaint(1), &["(CONFIG_UNRESOLVED)"]);
}

#[test]
fn an_expression_cannot_be_evaluated() {
    let site = planted("127.0.0.1:9");
    site.define("'DB_PASSWORD'", &format!("define('DB_PASSWORD', my_vault('{PASSWORD}'));"));
    let user = User::of(&site.path());
    let answer = run(&user, &["call", "wp_query"]);
    says(
        answer.complaint(1),
        &["DB_PASSWORD: my_vault() is not evaluated", "wp-config.php line ", "[site.database]"],
    );
    let summary = run(&user, &["--json", "site"]);
    says(summary.json()["database"]["error"].as_str().unwrap(), &["DB_PASSWORD: my_vault()"]);
}

#[test]
fn a_providers_key_is_no_account() {
    let site = planted("127.0.0.1:9");
    site.define("'DB_USER'", "define('DB_USER', getenv('ANTHROPIC_API_KEY'));");
    let user = User::of(&site.path()).with("ANTHROPIC_API_KEY", "sk-ant-planted");
    let answer = run(&user, &["call", "wp_query"]);
    says(answer.complaint(1), &["DB_USER", "ANTHROPIC_API_KEY"]);
    run(&user, &["site"]);
    run(&user, &["doctor"]);
}

#[test]
fn names_and_arguments_are_misspelt() {
    let user = User::of(&shop());
    for (arguments, parts) in [
        (&["call", "wp_qurey"][..], &["'wp_qurey'", "Did you mean 'wp_query'"][..]),
        (&["call", "wp_query", "post_per_page=3"], &["'post_per_page'", "Did you mean 'posts_per_page'?"]),
        (&["tools", "wp_usres"], &["'wp_usres'", "Did you mean 'wp_users'"]),
        (&["tools", "zzzzzzzz"], &["'zzzzzzzz'", "`siteclaw tools`"]),
        (&["call", "wp_query", "{\"posts_per_page\": "], &["not JSON", "line 1", "Write them like"]),
        (&["call", "wp_query", "[1]"], &["one JSON object"]),
        (&["call", "wp_query", "three"], &["key=value", "limit=5"]),
        (&["call", "wp_query", "paged=x"], &["paged", "integer"]),
    ] {
        let answer = run(&user, arguments);
        says(answer.complaint(2), parts);
        assert_eq!(answer.out, "");
    }
}

#[test]
fn the_users_own_file_is_wrong() {
    let user = User::of(&shop());
    let file = user.configure("[site]\n[site.database]\npasword = \"pl4nted-Pa55word\"\n");
    let answer = run(&user, &["site"]);
    says(answer.complaint(2), &[&file.to_string_lossy(), "line 3", "`pasword`", "Did you mean 'password'?"]);
    user.configure("[tools]\ndeny = [\"wp_qury\"]\n");
    says(run(&user, &["tools"]).complaint(2), &["wp_qury", "Did you mean 'wp_query'", "deny of "]);
    let absent = User::of(&shop()).run(&["--config", "/nowhere.toml", "site"]);
    says(absent.complaint(2), &["/nowhere.toml", "--config"]);
    let moment = User::of(&shop()).with("SITECLAW_NOW", "yesterday").run(&["site"]);
    says(moment.complaint(2), &["SITECLAW_NOW", "2026-11-30T12:00:00Z"]);
}
