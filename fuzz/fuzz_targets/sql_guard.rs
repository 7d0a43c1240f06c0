//! SQL that a model wrote: the guard answers for every engine, and what it lets through it lets through again,
//! reads no table with secrets but through its mask, and none that the policy closes.

#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use siteclaw_db::guard::{Guard, MASK, RefusalCode, SecretRows, SqlPolicy};
use siteclaw_db::{Column, Engine, Schema, Table, TableKind};
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::tokenizer::{Token, Tokenizer};

/// Tables with secret columns, and the last column of each, which is one.
const SECRETS: [(&str, &str); 2] = [("wp_users", "user_activation_key"), ("wp_hooks", "secret")];
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

/// Each table with secret columns is read as `'[masked]' AS secret FROM shop.wp_hooks`: names alone may stand
/// elsewhere, as aliases or as columns that no table has.
fn masks_only(site: &Site, sent: &str) {
    let tokens = Tokenizer::new(site.dialect.as_ref(), sent).tokenize().expect("what was printed has tokens");
    let tokens: Vec<_> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    let word = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
        Some(Token::Word(word)) => word.value.as_str(),
        _ => "",
    };
    for at in 0..tokens.len() {
        let Some((_, secret)) = SECRETS.iter().find(|(table, _)| word(Some(at)).eq_ignore_ascii_case(table))
        else {
            continue;
        };
        let is_period = |at: Option<usize>| at.and_then(|at| tokens.get(at)) == Some(&&Token::Period);
        let qualified = is_period(at.checked_sub(1)) && word(at.checked_sub(2)) == site.schema.current;
        let Some(before) = at.checked_sub(if qualified { 3 } else { 1 }) else { continue };
        if is_period(Some(at + 1)) || !(qualified || matches!(word(Some(before)), "FROM" | "JOIN")) {
            continue;
        }
        let mask = before.checked_sub(3).and_then(|start| tokens.get(start));
        let masked = matches!(mask, Some(Token::SingleQuotedString(text)) if text == MASK)
            && word(before.checked_sub(2)) == "AS"
            && word(before.checked_sub(1)) == *secret
            && word(Some(before)) == "FROM";
        assert!(masked, "{:?} reads {}: {sent}", site.schema.engine, word(Some(at)));
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
