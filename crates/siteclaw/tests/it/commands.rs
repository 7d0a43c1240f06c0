//! Every command as text and as JSON, and how it ends.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::binary::User;
use crate::shop::{Copy, number, shop};

fn user() -> User {
    User::of(&shop())
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn has_keys(value: &Value, wanted: &[&str]) {
    let found = keys(value);
    for key in wanted {
        assert!(found.contains(key), "no {key} in {found:?}");
    }
}

#[test]
fn site_shows_what_was_detected() {
    let root = shop().canonicalize().unwrap();
    let text = user().run(&["site"]);
    assert!(text.text().contains("platform    wordpress 7.1\n"), "{text:?}");
    assert!(text.out.contains(&format!("root        {}\n", root.display())), "{text:?}");
    assert_eq!(text.err, "");
    let answer = user().run(&["--json", "site"]);
    answer.text();
    let site = answer.json();
    assert_eq!(
        json!([site["platform"], site["version"], site["root"], site["prefix"]]),
        json!(["wordpress", "7.1", root, "wp_"])
    );
    assert_eq!(site["database"], json!({"engine": "sqlite", "file": root.join(crate::shop::DATABASE)}));
    assert_eq!(answer.err, "");
}

/// Tools that may change something; every other one only reads.
pub(crate) const CHANGING: [&str; 5] =
    ["shell_exec", "http_request", "file_write", "file_edit", "zip_package"];

#[test]
fn tools_are_listed_and_one_is_shown_whole() {
    let answer = user().run(&["tools", "--json"]);
    answer.text();
    let tools = answer.json();
    let tools = tools.as_array().unwrap();
    for tool in tools {
        has_keys(tool, &["name", "key", "description", "mutating", "input_schema"]);
        assert_eq!(tool["input_schema"]["type"], "object");
        assert_eq!(tool["mutating"], CHANGING.contains(&tool["name"].as_str().unwrap()), "{tool}");
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in
        ["wp_query", "wp_option", "wp_plugins", "wp_users", "wp_comments", "wc_get_orders", "wc_stock"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    let list = user().run(&["tools"]);
    assert_eq!(list.text().lines().count(), names.len());
    let one = user().run(&["tools", "wp_query"]);
    assert!(one.text().contains("  posts_per_page (integer"), "{one:?}");
    assert!(one.out.contains("siteclaw call wp_query '{"), "{one:?}");
    let document = user().run(&["tools", "wp_query", "--json"]);
    assert_eq!(document.json()["name"], "wp_query");
}

#[test]
fn call_takes_pairs_a_document_and_standard_input() {
    let newest = number(
        "SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' ORDER BY post_date DESC, ID DESC",
    );
    let pairs = user().run(&["--json", "call", "wp_query", "posts_per_page=3"]);
    pairs.text();
    let envelope = pairs.json();
    assert_eq!(keys(&envelope)[..1], ["success"]);
    has_keys(&envelope, &["success", "data", "meta", "warnings"]);
    assert_eq!(envelope["success"], true);
    let posts = envelope["data"]["posts"].as_array().unwrap();
    assert_eq!((posts.len(), &posts[0]["id"]), (3, &json!(newest)));
    let document = user().run(&["--json", "call", "wp_query", r#"{"posts_per_page": 3}"#]);
    assert_eq!(document.json()["data"], envelope["data"]);

    let user = user();
    let mut command = user.command(&["call", "wp_query", "-", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), br#"{"posts_per_page": 3}"#).unwrap();
    let output = child.wait_with_output().unwrap();
    let piped: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(piped["data"], envelope["data"]);

    let text = user.run(&["call", "wp_query", "posts_per_page=3"]);
    assert!(
        text.text().lines().any(|line| line.trim_start().starts_with(&format!("{newest}  "))),
        "{text:?}"
    );
    assert_eq!(text.err, "");
}

#[test]
fn send_answers_on_stdout_and_shows_progress_on_stderr_only() {
    let on_hold =
        number("SELECT COUNT(*) FROM wp_wc_orders WHERE type = 'shop_order' AND status = 'wc-on-hold'");
    let text = user().run(&["send", "How many orders are on hold?"]);
    assert!(text.text().contains(&format!("total_orders: {on_hold}\n")), "{text:?}");
    assert!(text.out.starts_with("No language model was used."), "{text:?}");
    assert!(!text.out.contains('…') && !text.out.contains('✓'), "{text:?}");
    assert!(
        text.err.contains("… wc_get_orders\n") && text.err.contains("✓ wc_get_orders: done in "),
        "{text:?}"
    );
    // Words need no quotes.
    let answer = user().run(&["--json", "send", "how", "many", "orders", "are", "on", "hold"]);
    answer.text();
    let document = answer.json();
    has_keys(&document, &["text", "provider", "model", "tools_called", "usage", "run_id"]);
    assert_eq!(document["provider"], "offline");
    assert!(document["run_id"].as_str().unwrap().starts_with("run_"), "{document}");
    let calls = document["tools_called"].as_array().unwrap();
    assert_eq!(calls.len(), 1);
    assert_eq!(json!([calls[0]["name"], calls[0]["success"]]), json!(["wc_get_orders", true]));
    assert_eq!(calls[0]["input"]["status"], "on-hold");
    assert!(document["text"].as_str().unwrap().contains(&format!("total_orders: {on_hold}")));
}

#[test]
fn explain_shows_what_a_model_would_see_and_why() {
    let answer = user().run(&["--json", "explain", "which products are low in stock"]);
    answer.text();
    let document = answer.json();
    has_keys(&document, &["profile", "budget", "token_budget", "tools"]);
    let tools = document["tools"].as_array().unwrap();
    for tool in tools {
        has_keys(tool, &["name", "score", "pinned", "offered", "reason", "signals"]);
    }
    assert_eq!(tools[0]["name"], "wc_stock");
    assert!(tools[0]["score"].as_f64().unwrap() > tools[1]["score"].as_f64().unwrap());
    assert_eq!(answer.err, "");
    let text = user().run(&["explain", "which products are low in stock"]);
    let first = text.text().lines().find(|line| line.starts_with("w")).unwrap();
    assert!(first.starts_with("wc_stock"), "{text:?}");
}

#[test]
fn doctor_is_content_with_a_whole_shop_and_names_what_a_broken_one_lacks() {
    let text = user().run(&["doctor"]);
    assert!(text.text().lines().all(|line| line.starts_with("ok ")), "{text:?}");
    let answer = user().run(&["--json", "doctor"]);
    answer.text();
    let document = answer.json();
    assert_eq!(document["verdict"], "ok");
    for check in document["checks"].as_array().unwrap() {
        has_keys(check, &["name", "verdict", "message", "fix"]);
    }
    let broken = Copy::new();
    std::fs::remove_file(broken.path().join(crate::shop::DATABASE)).unwrap();
    let answer = User::of(&broken.path()).run(&["--json", "doctor"]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(answer.json()["verdict"], "failed");
}

#[test]
fn the_nearest_parent_folder_that_is_a_site_is_used() {
    let deep = shop().join("wp-content/plugins/woocommerce");
    let answer = User::new().run_in(&deep, &["--json", "site"]);
    answer.text();
    assert_eq!(answer.json()["root"], json!(shop().canonicalize().unwrap()));
    let call = User::new().run_in(&deep, &["--json", "call", "wp_users", "aggregate=true"]);
    assert_eq!(call.json()["success"], true, "{call:?}");
    // A variable names it too, and a flag is stronger.
    let elsewhere = User::new().with("SITECLAW_SITE", &shop().to_string_lossy());
    assert_eq!(elsewhere.run(&["site"]).code, Some(0));
    assert_eq!(elsewhere.run(&["--site", "/nowhere", "site"]).code, Some(2));
}

#[test]
fn failures_have_their_codes_and_json_stays_one_document() {
    let failed = Copy::new();
    std::fs::remove_file(failed.path().join(crate::shop::DATABASE)).unwrap();
    let failed = User::of(&failed.path());
    for (user, arguments, code) in [
        (&user(), ["call", "wp_query", "posts_per_page=1"], 0),
        (&failed, ["call", "wp_query", "posts_per_page=1"], 1),
        (&failed, ["send", "latest", "posts"], 1),
        (&user(), ["call", "wp_qery", "posts_per_page=1"], 2),
        (&user(), ["call", "wp_query", "posts=1"], 2),
        (&user(), ["call", "wp_query", "{"], 2),
    ] {
        let answer = user.run(&[&["--json"], &arguments[..]].concat());
        assert_eq!(answer.code, Some(code), "{answer:?}");
        let document = answer.json();
        if arguments[0] == "call" {
            assert_eq!(document["success"], code == 0, "{document}");
        }
        let text = user.run(&arguments);
        assert_eq!(text.code, Some(code), "{text:?}");
        if code != 0 && arguments[0] == "call" {
            assert_eq!(text.out, "");
            text.complaint(code);
        }
    }
}

#[test]
fn without_a_command_help_is_shown_and_that_is_wrong_usage() {
    let bare = User::new().run(&[]);
    assert_eq!((bare.code, bare.out.as_str()), (Some(2), ""));
    assert!(bare.err.contains("Usage: siteclaw [OPTIONS] <COMMAND>"), "{bare:?}");
    let help = User::new().run(&["--help"]);
    assert!(help.text().contains("Usage: siteclaw [OPTIONS] <COMMAND>"));
    assert_eq!(help.err, "");
    let commands = ["send", "explain", "tools", "call", "mcp", "site", "doctor", "demo", "completions"];
    for command in commands {
        assert!(help.out.contains(&format!("\n  {command} ")), "{command}");
        let own = User::new().run(&[command, "--help"]);
        assert!(own.text().contains(&format!("Usage: siteclaw {command}")), "{own:?}");
    }
    assert!(User::new().run(&["--version"]).text().starts_with("siteclaw 0."));
    for shell in ["bash", "zsh", "fish"] {
        assert!(User::new().run(&["completions", shell]).text().contains("explain"));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for arguments in [&["tools"][..], &["--json", "tools"], &["site"], &["--help"], &["completions", "bash"]]
    {
        let mut child =
            user().command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!error.contains("panic") && !error.contains("could not be written"), "{arguments:?} {error}");
        assert_ne!(output.status.code(), Some(101), "{arguments:?}");
    }
}

#[test]
fn the_date_that_tools_see_can_be_fixed() {
    let orders = |now: &str| {
        let user = User::of(&shop()).with("SITECLAW_NOW", now);
        let answer = user.run(&["--json", "send", "how many orders in the last 30 days"]);
        answer.json()["tools_called"][0]["input"].to_string()
    };
    assert!(orders("2026-11-30").contains("2026-1"), "{}", orders("2026-11-30"));
    assert!(orders("2025-03-31T12:00:00+02:00").contains("2025-03-0"), "{}", orders("2025-03-31"));
}
