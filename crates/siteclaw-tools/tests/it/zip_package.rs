//! `zip_package`: what goes in, what stays out, and what is never clobbered.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::door::{Ends, PASSWORD, World, code};

fn pack(world: &World, source: &str, name: &str) -> Value {
    world.call("zip_package", json!({"source_dir": source, "output_name": name}))
}

/// What an archive holds: name → bytes and mode.
fn entries(world: &World, path: &str) -> BTreeMap<String, (Vec<u8>, u32)> {
    let mut archive = zip::ZipArchive::new(File::open(world.path(path)).unwrap()).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut entry = archive.by_index(index).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (entry.name().unwrap().into_owned(), (bytes, entry.unix_mode().unwrap() & 0o777))
        })
        .collect()
}

fn reasons(answer: &Value) -> BTreeMap<&str, &str> {
    let skipped = answer["data"]["skipped"].as_array().unwrap();
    skipped.iter().map(|one| (one["path"].as_str().unwrap(), one["reason"].as_str().unwrap())).collect()
}

#[test]
fn a_folder_becomes_an_archive_that_other_programs_read() {
    let world = World::new();
    world.put("work/plugin/main.php", "<?php // plugin");
    world.put("work/plugin/assets/big.css", "a { color: red }\n".repeat(5000));
    world.put("work/plugin/vendor/lib/x.php", "<?php");
    world.put("work/plugin/img.png", b"\x89PNG not compressed again");
    world.put("work/plugin/größe.txt", "ö");
    world.put("work/plugin/run", "#!/bin/sh");
    world.put("work/plugin/empty.txt", "");
    fs::set_permissions(world.path("work/plugin/run"), PermissionsExt::from_mode(0o700)).unwrap();
    let answer = pack(&world, "plugin", "my-plugin");
    let data = &answer["data"];
    assert_eq!(
        json!([data["status"], data["zip_path"], data["files"], data["source_bytes"], data["skipped"]]),
        json!(["created", "workspace:/packages/my-plugin.zip", 7, 15 + 85_000 + 5 + 25 + 2 + 9, []]),
        "{answer}"
    );
    let bytes = world.bytes("work/packages/my-plugin.zip");
    let sha: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!((&data["sha256"], &data["size_bytes"]), (&json!(sha), &json!(bytes.len())));
    assert!(bytes.len() < 5000, "text is deflated: {}", bytes.len());
    let found = entries(&world, "work/packages/my-plugin.zip");
    assert_eq!(
        found.keys().map(String::as_str).collect::<Vec<_>>(),
        [
            "my-plugin/assets/big.css",
            "my-plugin/empty.txt",
            "my-plugin/größe.txt",
            "my-plugin/img.png",
            "my-plugin/main.php",
            "my-plugin/run",
            "my-plugin/vendor/lib/x.php"
        ]
    );
    assert_eq!(found["my-plugin/main.php"], (b"<?php // plugin".to_vec(), 0o644));
    assert_eq!(found["my-plugin/run"].1, 0o755);
    // A peer program agrees that the archive is whole.
    if let Ok(output) = std::process::Command::new("python3")
        .args(["-m", "zipfile", "-t"])
        .arg(world.path("work/packages/my-plugin.zip"))
        .output()
    {
        assert!(output.status.success(), "{output:?}");
    }
    let mode = |path: &str| fs::metadata(world.path(path)).unwrap().mode() & 0o777;
    assert_eq!((mode("work/packages"), mode("work/packages/my-plugin.zip")), (0o700, 0o600));
    let preview = world.asked.lock().unwrap()[0].preview.clone().unwrap();
    assert!(
        preview.starts_with("workspace:/plugin → workspace:/packages/my-plugin.zip: 7 files, "),
        "{preview}"
    );
}

#[test]
fn a_folder_of_the_site_is_packed_into_the_workspace() {
    let world = World::new();
    world.put("site/wp-content/themes/shop/style.css", "x");
    let answer = pack(&world, "site:/wp-content/themes/shop", "shop");
    assert_eq!(answer["data"]["files"], 1, "{answer}");
    assert!(world.exists("work/packages/shop.zip") && !world.exists("site/packages"));
}

#[test]
fn secrets_links_devices_and_archives_of_itself_stay_out_and_are_listed() {
    let world = World::new();
    world.put("outside/x.txt", "OUTSIDE");
    for path in
        [".env", ".env.bak", "id_rsa", "server.key.old", ".git/config", ".ssh/id", "deep/wp-config.php~"]
    {
        world.put(&format!("work/src/{path}"), "SECRET");
    }
    world.put("work/src/config.php", format!("<?php $p = '{PASSWORD}';"));
    world.put("work/src/lib/config.php", "<?php return [];");
    world.put("work/src/ok.txt", "fine");
    world.put("work/src/back\\slash.txt", "odd");
    symlink(world.path("outside/x.txt"), world.path("work/src/link.txt")).unwrap();
    symlink(world.path("outside"), world.path("work/src/folder")).unwrap();
    let fifo = world.path("work/src/fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o644.into(), 0).unwrap();
    let answer = pack(&world, "src", "a");
    let found = entries(&world, "work/packages/a.zip");
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), ["a/lib/config.php", "a/ok.txt"]);
    let reasons = reasons(&answer);
    for (path, part) in [
        (".env", "credentials"),
        (".env.bak", "credentials"),
        ("id_rsa", "credentials"),
        ("server.key.old", "credentials"),
        (".git", "repository"),
        (".ssh", "keys"),
        ("deep/wp-config.php~", "credentials"),
        ("config.php", "holds credentials"),
        ("link.txt", "link"),
        ("folder", "link"),
        ("fifo", "regular file"),
        ("back\\slash.txt", "name"),
    ] {
        assert!(reasons.get(path).is_some_and(|reason| reason.contains(part)), "{path}: {reasons:?}");
    }
    assert_eq!((reasons.len(), &answer["meta"]["skipped_in_all"]), (12, &json!(12)));
    let archive = String::from_utf8_lossy(&world.bytes("work/packages/a.zip")).into_owned();
    assert!(!archive.contains("SECRET") && !archive.contains("OUTSIDE") && !archive.contains(PASSWORD));
    // The whole workspace: without the archives that were made.
    let whole = pack(&world, "workspace:/", "whole");
    assert!(self::reasons(&whole)["packages"].contains("archives"), "{whole}");
    assert!(entries(&world, "work/packages/whole.zip").contains_key("whole/src/ok.txt"));
}

#[test]
fn odd_names_are_refused_and_not_repaired() {
    let world = World::new();
    world.put("work/src/ok.txt", "fine");
    let long = "n".repeat(300);
    for name in
        ["../x", "a/b", "", ".", "..", "CON", "nul", "com1", "a.zip", "my evil", "a\nb", "-x", "größe", &long]
    {
        let answer = pack(&world, "src", name);
        assert_eq!(code(&answer), "INVALID_NAME", "{name:?}");
        assert!(answer["error"]["hint"].as_str().unwrap().contains("letters, digits"), "{answer}");
    }
    assert!(!world.exists("work/packages"));
    for name in ["a", "my_plugin-2", "console", "com10"] {
        assert_eq!(pack(&world, "src", name)["success"], true, "{name}");
    }
}

#[test]
fn folders_that_are_none_are_refused() {
    let world = World::new();
    world.put("work/a.txt", "x");
    world.put("work/.git/config", "x");
    world.put("outside/x.txt", "x");
    fs::create_dir(world.path("work/empty")).unwrap();
    symlink(world.path("outside"), world.path("work/link")).unwrap();
    for (source, expected) in [
        ("missing", "NOT_FOUND"),
        ("a.txt", "NOT_A_FOLDER"),
        ("../outside", "PATH_TRAVERSAL"),
        ("/etc", "PATH_ABSOLUTE"),
        ("workspace:/link", "PATH_SYMLINK"),
        (".git", "PATH_BLOCKED"),
        ("empty", "NOTHING_TO_PACK"),
        ("", "MISSING_ARGUMENT"),
    ] {
        assert_eq!(code(&pack(&world, source, "x")), expected, "{source:?}");
    }
    assert!(!world.exists("work/packages"));
}

#[test]
fn what_is_there_is_never_replaced_and_no_link_is_written_through() {
    let world = World::new();
    world.put("work/src/ok.txt", "fine");
    world.put("outside/victim", "untouched");
    fs::create_dir(world.path("work/packages")).unwrap();
    symlink(world.path("outside/victim"), world.path("work/packages/a.zip")).unwrap();
    symlink(world.path("outside/absent"), world.path("work/packages/b.zip")).unwrap();
    world.put("work/packages/c.zip", "theirs");
    for name in ["a", "b", "c"] {
        assert_eq!(code(&pack(&world, "src", name)), "FILE_EXISTS", "{name}");
    }
    assert_eq!(
        (world.bytes("outside/victim"), world.bytes("work/packages/c.zip")),
        (b"untouched".to_vec(), b"theirs".to_vec())
    );
    assert!(!world.exists("outside/absent"));
    // The folder itself as a link.
    let world = World::new();
    world.put("work/src/ok.txt", "fine");
    fs::create_dir(world.path("outside")).unwrap();
    symlink(world.path("outside"), world.path("work/packages")).unwrap();
    assert_eq!(pack(&world, "src", "a")["success"], false);
    assert_eq!(fs::read_dir(world.path("outside")).unwrap().count(), 0);
}

#[test]
fn limits_hold_and_nothing_is_left_of_an_archive_that_hits_one() {
    let world = World::with(json!({"zip_package": {"max_files": 3, "max_bytes": 100, "max_depth": 2}}));
    for file in 0..4 {
        world.put(&format!("work/many/{file}.txt"), "x");
    }
    world.put("work/long/a.txt", "x".repeat(101));
    world.put("work/deep/a/b/c/x.txt", "x");
    world.put("work/deep/a/b/y.txt", "y");
    world.put("work/fits/a.txt", "x".repeat(100));
    world.put("work/sparse/a.txt", "");
    File::options().write(true).open(world.path("work/sparse/a.txt")).unwrap().set_len(30 << 30).unwrap();
    for (source, expected) in
        [("many", "ARCHIVE_TOO_LARGE"), ("long", "ARCHIVE_TOO_LARGE"), ("sparse", "ARCHIVE_TOO_LARGE")]
    {
        assert_eq!(code(&pack(&world, source, "x")), expected, "{source}");
    }
    assert!(!world.exists("work/packages"));
    assert_eq!(pack(&world, "fits", "fits")["success"], true);
    let deep = pack(&world, "deep", "deep");
    assert_eq!(deep["data"]["files"], 1, "{deep}");
    assert!(reasons(&deep)["a/b/c"].contains("deep"));
}

/// A second thread changes the folder while it is packed: what comes out is whole or refused, and never holds what
/// lies outside.
#[test]
fn a_folder_that_changes_while_it_is_packed_gives_a_whole_archive_or_none() {
    let world = World::with(json!({"zip_package": {"max_bytes": 4_000_000}}));
    world.put("outside/x.txt", "OUTSIDE");
    for file in 0..20 {
        world.put(&format!("work/src/{file:02}.txt"), "text ".repeat(2000));
    }
    let (done, target) = (AtomicBool::new(false), world.path("work/src/10.txt"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut size = 0;
            while !done.load(Ordering::Relaxed) {
                size = (size + 7919) % 50_000;
                let _ = fs::write(&target, "x".repeat(size));
                let _ = fs::remove_file(&target);
                let _ = symlink(world.path("outside/x.txt"), &target);
                let _ = fs::remove_file(&target);
                let _ = fs::write(&target, "x".repeat(size / 2));
            }
        });
        let _ends = Ends(&done);
        for round in 0..8 {
            let answer = pack(&world, "src", &format!("a{round}"));
            if answer["success"] == true {
                let found = entries(&world, &format!("work/packages/a{round}.zip"));
                assert_eq!(json!(found.len()), answer["data"]["files"]);
                assert!(found.values().all(|(bytes, _)| !String::from_utf8_lossy(bytes).contains("OUTSIDE")));
            } else {
                assert_eq!(code(&answer), "STALE_APPROVAL", "{answer}");
            }
        }
    });
    let left = fs::read_dir(world.path("work/packages")).unwrap().flatten();
    assert!(left.into_iter().all(|entry| entry.file_name().to_str().unwrap().ends_with(".zip")));
}
