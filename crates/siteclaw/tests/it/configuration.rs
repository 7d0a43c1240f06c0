//! The user's configuration: trust, variables, the database, denied tools.

use std::fs;

use crate::binary::User;
use crate::shop::{CONFIG, Copy, DATABASE, shop};

#[test]
fn a_configuration_outside_the_root_is_read_once_it_is_trusted() {
    let site = Copy::new();
    // As the host lays it out: the real file outside, a stub in its place.
    let private = tempfile::tempdir().unwrap();
    let outside = private.path().join(CONFIG);
    site.on_mysql("shop_live", "shop_rw", "secret-word", "127.0.0.1:9");
    fs::rename(site.path().join(CONFIG), &outside).unwrap();
    fs::write(site.path().join(CONFIG), format!("<?php\nrequire '{}';\n", outside.display())).unwrap();
    let user = User::of(&site.path());
    let answer = user.run(&["call", "wp_query"]);
    let line = format!("[site] trust = [\"{}\"]", outside.display());
    assert!(answer.complaint(1).contains(&line), "{answer:?}");
    assert_eq!(user.run(&["--json", "site"]).json()["database"]["name"], serde_json::Value::Null);
    user.configure(&line.replace("[site] ", "[site]\n"));
    let opened = user.run(&["--json", "site"]).json();
    assert_eq!(opened["database"]["name"], "shop_live", "{opened}");
    assert_eq!(opened["database"]["user"], "shop_rw");
    assert!(user.run(&["call", "wp_query"]).complaint(1).contains("127.0.0.1:9"));
}

#[test]
fn variables_that_only_the_web_server_has_come_from_a_file() {
    let site = Copy::new();
    site.on_mysql("x", "x", "x", "x");
    for name in ["NAME", "USER", "PASSWORD", "HOST"] {
        site.define(&format!("'DB_{name}'"), &format!("define('DB_{name}', getenv('SHOP_{name}'));"));
    }
    let user = User::of(&site.path());
    let unknown = user.run(&["call", "wp_query"]);
    assert!(unknown.complaint(1).contains("SHOP_USER"), "{unknown:?}");
    let file = user.home.path().join("shop.env");
    fs::write(
        &file,
        "SHOP_NAME=live\nSHOP_USER=\"web\"\nSHOP_PASSWORD='s3cret-w0rd'\nSHOP_HOST=127.0.0.1:9\n",
    )
    .unwrap();
    user.configure(&format!("[site]\nenv_file = \"{}\"\n", file.display()));
    let summary = user.run(&["--json", "site"]);
    assert_eq!(summary.json()["database"]["user"], "web", "{summary:?}");
    assert!(!summary.out.contains("s3cret"));
    // The configured file is stronger than the process, which may have it too.
    let both = user.with("SHOP_USER", "shell").with("SHOP_NAME", "shell");
    assert_eq!(both.run(&["--json", "site"]).json()["database"]["user"], "web");
}

#[test]
fn the_database_can_be_named_by_the_user_for_one_site() {
    let site = Copy::new();
    let moved = site.outside().join("moved.sqlite");
    fs::rename(site.path().join(DATABASE), &moved).unwrap();
    let user = User::of(&site.path());
    assert_eq!(user.run(&["call", "wp_query"]).code, Some(1));
    user.configure(&format!(
        "[sites.\"{}\".site.database]\nname = \"{}\"\n",
        site.path().display(),
        moved.display()
    ));
    assert_eq!(user.run(&["call", "wp_query"]).code, Some(0), "{:?}", user.run(&["call", "wp_query"]));
    let other = user.run(&["--site", shop().to_str().unwrap(), "--json", "site"]);
    assert_eq!(other.code, Some(2), "--site is given once: {other:?}");
}

#[test]
fn denied_tools_are_gone_from_every_surface() {
    let user = User::of(&shop());
    user.configure("[tools]\ndeny = [\"wp_users\"]\n");
    assert!(!user.run(&["tools"]).text().contains("wp_users"));
    assert!(user.run(&["call", "wp_users"]).complaint(2).contains("wp_users"));
    let explained = user.run(&["--json", "explain", "list all users"]);
    assert!(!explained.text().contains("wp_users"), "{explained:?}");
}

#[test]
fn files_of_site_and_workspace_are_read_and_the_program_s_own_are_not() {
    let site = Copy::new();
    fs::write(site.path().join("note.txt"), "in the site").unwrap();
    let user = User::of(&site.path());
    user.configure("# the operator's\n");
    let read = |path: &str| user.run(&["--json", "call", "file_read", &format!("path={path}")]);
    assert_eq!(read("note.txt").json()["data"]["content"], "in the site");
    assert_eq!(read("wp-config.php").json()["error"]["code"], "PATH_BLOCKED");
    // The whole home as workspace holds configuration and state, and shows neither.
    let home = user.home.path().to_owned();
    fs::write(home.join("plan.txt"), "in the workspace").unwrap();
    let user = user.with("SITECLAW_WORKSPACE", &home.to_string_lossy());
    let read = |path: &str| user.run(&["--json", "call", "file_read", &format!("path=workspace:/{path}")]);
    assert_eq!(read("plan.txt").json()["data"]["content"], "in the workspace");
    for entry in walk(&home).into_iter().filter(|path| !path.ends_with("plan.txt")) {
        let path = entry.strip_prefix(&home).unwrap().to_string_lossy().into_owned();
        assert_eq!(read(&path).json()["success"], false, "{path}");
    }
    let inside = user.with("SITECLAW_WORKSPACE", &site.path().to_string_lossy());
    assert!(inside.run(&["tools"]).complaint(2).contains("workspace_in_site"));
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() { found.extend(walk(&entry.path())) } else { found.push(entry.path()) }
    }
    found
}
