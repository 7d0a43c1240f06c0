//! SQL that a model wrote: the guard answers for every engine, and what it lets through it lets through again,
//! names no secret column outside a mask and reads no table that the policy closes.

#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use siteclaw_db::guard::{Guard, MASK, RefusalCode, SecretRows, SqlPolicy};
use siteclaw_db::{Column, Engine, Schema, Table, TableKind};
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::tokenizer::{Token, Tokenizer};

const SECRETS: [&str; 3] = ["user_pass", "user_activation_key", "secret"];
const CLOSED: &str = "wp_sessions";

struct Site {
    guard: Guard,
    schema: Schema,
    dialect: Box<dyn Dialect + Send + Sync>,
}

static SITES: LazyLock<[Site; 3]> = LazyLock::new(|| {
    [
        site(Engine::MySql, "shop", Box::new(MySqlDialect {})),
        site(Engine::Postgres, "public", Box::new(PostgreSqlDialect {})),
        site(Engine::Sqlite, "main", Box::new(SQLiteDialect {})),
    ]
});

fuzz_target!(|sql: &str| {
    for site in SITES.iter() {
        check(site, sql);
        // Most text is no query; so that the walk is reached, it is also tried as parts of one.
        check(site, &format!("SELECT {sql} FROM wp_users u"));
        check(site, &format!("SELECT * FROM wp_users u WHERE {sql}"));
    }
});

fn check(site: &Site, sql: &str) {
    let engine = site.schema.engine;
    let query = match site.guard.check(sql, &site.schema) {
        Ok(query) => query,
        Err(refusal) => {
            assert_ne!(refusal.code, RefusalCode::Unchecked, "{engine:?}: {sql}");
            return;
        }
    };
    let sent = query.sql();
    assert!(!query.tables().iter().any(|table| table == CLOSED), "{engine:?}: {sent}");
    // A view is written out, and names the secret columns of the masked sub-query that it then reads from.
    let unfolded = query.tables().iter().any(|table| table == "wp_staff");
    if unfolded {
        return;
    }
    masks_only(site, sent);
    match site.guard.check(sent, &site.schema) {
        Ok(again) => assert_eq!(again.tables(), query.tables(), "{engine:?}: {sql}\n{sent}"),
        // Masks make a statement longer and deeper than the caps for what comes in.
        Err(refusal) => assert!(
            matches!(refusal.code, RefusalCode::TooLong | RefusalCode::TooDeep),
            "{engine:?}: {sql}\n{sent}\n{refusal}"
        ),
    }
}

/// Each word that is a secret column's name stands as `'[masked]' AS user_pass`.
fn masks_only(site: &Site, sent: &str) {
    let tokens = Tokenizer::new(site.dialect.as_ref(), sent).tokenize().expect("what was printed has tokens");
    let tokens: Vec<_> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        if !SECRETS.iter().any(|secret| secret.eq_ignore_ascii_case(&word.value)) {
            continue;
        }
        let mask = at.checked_sub(2).and_then(|start| tokens.get(start..at));
        let masked = matches!(mask, Some([Token::SingleQuotedString(text), Token::Word(word)])
            if text == MASK && word.value == "AS");
        assert!(masked, "{:?} names {word}: {sent}", site.schema.engine);
    }
}

fn site(engine: Engine, current: &str, dialect: Box<dyn Dialect + Send + Sync>) -> Site {
    let policy = SqlPolicy::new()
        .deny_table(CLOSED, None)
        .secret_column("wp_hooks", "secret")
        .secret_rows(SecretRows::new("wp_options", "option_name", &["option_value"]).ending(&["_key"]));
    let view = match engine {
        Engine::MySql => "select `u`.`ID` AS `id`,`u`.`user_pass` AS `p` from `shop`.`wp_users` `u`",
        Engine::Postgres => " SELECT u.\"ID\" AS id,\n    u.user_pass AS p\n   FROM wp_users u;",
        Engine::Sqlite => "CREATE VIEW wp_staff(id, p) AS SELECT ID, user_pass FROM wp_users",
    };
    let tables = [
        table("wp_posts", &["ID", "post_author", "post_title", "post_status", "post_date"]),
        table("wp_users", &["ID", "user_login", "user_pass", "user_email", "user_activation_key"]),
        table("wp_options", &["option_id", "option_name", "option_value"]),
        table("wp_hooks", &["id", "name", "secret"]),
        table(CLOSED, &["id", "body"]),
        Table { kind: TableKind::View(Some(view.to_owned())), ..table("wp_staff", &["id", "p"]) },
    ];
    let tables: BTreeMap<_, _> = tables.into_iter().map(|table| (table.name.clone(), table)).collect();
    let schema = Schema { engine, current: current.to_owned(), tables };
    Site { guard: Guard::new(engine, policy), schema, dialect }
}

fn table(name: &str, columns: &[&str]) -> Table {
    let column = |name: &&str| {
        let number = name.to_ascii_lowercase().ends_with("id");
        let data_type = if number { "bigint" } else { "text" };
        Column { name: (*name).to_owned(), data_type: data_type.to_owned(), nullable: true }
    };
    let columns = columns.iter().map(column).collect();
    Table { name: name.to_owned(), kind: TableKind::Base, columns, row_estimate: None, bytes: None }
}
