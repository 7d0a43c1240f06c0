//! Shared hosts: few threads, little address space, no home, a site that may only be read.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::binary::{Answer, BINARY, User, answer};
use crate::mcp::Client;
use crate::shop::{Copy, shop};

/// The command within 1 GiB of address space and without a home or any other variable.
fn limited(site: &Path, arguments: &str) -> Command {
    let mut command = Command::new("sh");
    command.env_clear().env("SITECLAW_NOW", crate::binary::NOW).current_dir("/");
    command
        .args(["-c", &format!("ulimit -v 1048576; exec \"$0\" --site \"$1\" {arguments}"), BINARY])
        .arg(site);
    command
}

fn run(site: &Path, arguments: &str) -> Answer {
    answer(limited(site, arguments).stdin(std::process::Stdio::null()))
}

#[test]
fn a_gigabyte_of_address_space_and_no_home_are_enough() {
    let site = shop();
    for arguments in
        ["site", "doctor", "call wp_query search=coffee", "call wc_get_orders aggregate=true", "tools"]
    {
        let answer = run(&site, arguments);
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
    let children: Vec<_> = (0..6)
        .map(|_| {
            let mut command = limited(&site, "--json call wp_query posts_per_page=1");
            command.stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let mut client = Client::start(&mut limited(&site, "mcp"));
    for id in 1..=6 {
        client.call(id, "wp_query", json!({"search": "coffee"}));
    }
    for _ in 0..6 {
        let answer = client.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    client.end();
}

#[test]
fn a_process_has_few_threads_whatever_the_machine_has() {
    let user = User::of(&shop());
    let mut client = Client::start(&mut user.command(&["mcp"]));
    for id in 1..=8 {
        client.call(id, "wp_query", json!({"search": "coffee"}));
    }
    for _ in 0..8 {
        assert_eq!(client.receive()["result"]["isError"], false);
    }
    let threads = fs::read_dir(format!("/proc/{}/task", client.id())).unwrap().count();
    assert!(threads <= 16, "{threads} threads");
    client.end();
}

#[test]
fn a_site_that_may_only_be_read_is_enough() {
    let site = Copy::new();
    let mut paths: Vec<_> = crate::shop::tree(&site.path()).into_keys().collect();
    let mode = |path: &Path, folder: u32, file: u32| {
        let mode = if path.is_dir() { folder } else { file };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    paths.iter().for_each(|path| mode(path, 0o555, 0o444));
    let user = User::of(&site.path());
    for arguments in [&["site"][..], &["doctor"], &["call", "wp_query"], &["call", "wp_plugins"]] {
        let answer = user.run(arguments);
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
    paths.sort_unstable();
    paths.iter().for_each(|path| mode(path, 0o755, 0o644));
}
