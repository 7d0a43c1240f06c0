//! `file_edit`: the gate before it, one step for all edits, and the file byte for byte.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use siteclaw_core::{Caller, Run, Surface};

use crate::door::{Ends, PASSWORD, World, code};

fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A run that has read the file.
fn reader(world: &World, path: &str) -> Run {
    let run = world.run();
    let answer = world.call_in(&run, "file_read", json!({"path": path}));
    assert_eq!(answer["success"], true, "{answer}");
    run
}

fn edit(world: &World, run: &Run, path: &str, old: &str, new: &str) -> Value {
    world.call_in(run, "file_edit", json!({"path": path, "old_str": old, "new_str": new}))
}

#[test]
fn one_piece_is_replaced_and_the_rest_stays() {
    let world = World::new();
    world.put("work/a.txt", "one\r\ntwo\r\nthree\r\n");
    fs::set_permissions(world.path("work/a.txt"), PermissionsExt::from_mode(0o640)).unwrap();
    let run = reader(&world, "a.txt");
    let answer = edit(&world, &run, "a.txt", "two", "zwei");
    assert_eq!(
        answer["data"],
        json!({
            "status": "edited",
            "file": "workspace:/a.txt",
            "line_changed": 2,
            "replacements": 1,
            "hash": sha(b"one\r\nzwei\r\nthree\r\n"),
            "diff": "--- workspace:/a.txt\n+++ workspace:/a.txt\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+zwei\r\n three\r\n",
        })
    );
    assert_eq!(answer["meta"]["line_changed"], 2);
    assert_eq!(world.bytes("work/a.txt"), b"one\r\nzwei\r\nthree\r\n");
    assert_eq!(fs::metadata(world.path("work/a.txt")).unwrap().mode() & 0o777, 0o640);
    assert_eq!(world.work(), ["a.txt"]);
    // The preview was the same diff, and the run knows what it wrote.
    assert_eq!(world.asked.lock().unwrap()[0].preview.as_deref(), answer["data"]["diff"].as_str());
    assert_eq!(edit(&world, &run, "a.txt", "zwei", "")["success"], true);
    assert_eq!(world.bytes("work/a.txt"), b"one\r\n\r\nthree\r\n");
}

#[test]
fn only_a_file_that_was_read_and_is_the_same_is_edited() {
    let world = World::new();
    world.put("work/a.txt", "old");
    let call = |run: &Run, hash: Option<String>| {
        let mut arguments = json!({"path": "a.txt", "old_str": "old", "new_str": "new"});
        if let Some(hash) = hash {
            arguments["expected_hash"] = json!(hash);
        }
        world.call_in(run, "file_edit", arguments)
    };
    assert_eq!(code(&call(&world.run(), None)), "READ_REQUIRED");
    assert_eq!(code(&call(&world.run(), Some(sha(b"other")))), "STALE_FILE");
    let run = reader(&world, "a.txt");
    world.put("work/a.txt", "old, and theirs");
    assert_eq!(code(&call(&run, None)), "STALE_FILE");
    assert_eq!(world.bytes("work/a.txt"), b"old, and theirs");
    assert_eq!(call(&world.run(), Some(sha(b"old, and theirs")))["success"], true);
    assert_eq!(world.bytes("work/a.txt"), b"new, and theirs");
    // Another run's reading counts for that run only.
    reader(&world, "a.txt");
    assert_eq!(code(&call(&world.run(), None)), "READ_REQUIRED");
}

#[test]
fn what_cannot_be_done_leaves_the_file_byte_for_byte() {
    let world = World::new();
    let original = b"dup dup\nx\n".to_vec();
    world.put("work/a.txt", &original);
    let inode = fs::metadata(world.path("work/a.txt")).unwrap().ino();
    let run = reader(&world, "a.txt");
    for (arguments, expected) in [
        (json!({"old_str": "dup", "new_str": "y"}), "AMBIGUOUS_MATCH"),
        (json!({"old_str": "absent", "new_str": "y"}), "NO_MATCH"),
        (json!({"old_str": "", "new_str": "y"}), "MISSING_ARGUMENT"),
        (json!({"old_str": "x", "new_str": "x"}), "INVALID_ARGUMENT"),
        (json!({"old_str": "x"}), "MISSING_ARGUMENT"),
        (json!({"new_str": "x"}), "MISSING_ARGUMENT"),
        (json!({"old_str": "dup", "new_str": "y", "expected_count": 3}), "AMBIGUOUS_MATCH"),
        (json!({"old_str": "x", "new_str": "⟦secret:00000000⟧"}), "UNKNOWN_SECRET"),
        (
            json!({"old_str": "x", "new_str": "y", "more_edits": [{"old_str": "absent", "new_str": ""}]}),
            "NO_MATCH",
        ),
        (
            json!({"old_str": "p\nx", "new_str": "y", "more_edits": [{"old_str": "x\n", "new_str": ""}]}),
            "OVERLAPPING_EDITS",
        ),
        (json!({"old_str": "x", "new_str": "y", "more_edits": [{"old_str": "p\nx"}]}), "MISSING_ARGUMENT"),
        (json!({"old_str": "x", "new_str": "y", "file": "a.txt"}), "UNKNOWN_ARGUMENT"),
        (json!({"old_str": 7, "new_str": "y"}), "INVALID_ARGUMENT"),
    ] {
        let mut given = arguments.clone();
        given["path"] = json!("a.txt");
        let answer = world.call_in(&run, "file_edit", given);
        assert_eq!(code(&answer), expected, "{arguments}: {answer}");
        assert_eq!(world.bytes("work/a.txt"), original, "{arguments}");
    }
    assert_eq!(fs::metadata(world.path("work/a.txt")).unwrap().ino(), inode);
    assert_eq!(world.work(), ["a.txt"]);
    let many = edit(&world, &run, "a.txt", "dup", "y");
    assert_eq!((&many["error"]["matches"], &many["error"]["lines"]), (&json!(2), &json!([1, 1])));
}

#[test]
fn refusals_never_repeat_what_was_written() {
    let world = World::new();
    world.put("work/a.txt", "MARK MARK");
    let run = reader(&world, "a.txt");
    for old in ["MARK", "MARKER<b>"] {
        let answer = edit(&world, &run, "a.txt", old, "REPLACED");
        let error = answer["error"].to_string();
        assert!(!error.contains("MARK") && !error.contains("REPLACED"), "{error}");
    }
}

#[test]
fn several_edits_are_one_step_and_counted() {
    let world = World::new();
    world.put("work/a.json", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 1\n}\n");
    let run = reader(&world, "a.json");
    let answer = world.call_in(
        &run,
        "file_edit",
        json!({
            "path": "a.json", "old_str": ": 1", "new_str": ": 10", "expected_count": 2,
            "more_edits": [{"old_str": "\"b\": 2", "new_str": "\"b\": 20"}]
        }),
    );
    assert_eq!(
        (&answer["data"]["replacements"], &answer["data"]["line_changed"]),
        (&json!(3), &json!(2)),
        "{answer}"
    );
    assert_eq!(world.bytes("work/a.json"), b"{\n  \"a\": 10,\n  \"b\": 20,\n  \"c\": 10\n}\n");
}

#[test]
fn a_dry_run_shows_the_diff_asks_nobody_and_changes_nothing() {
    let world = World::new();
    world.put("work/a.txt", "old\n");
    let run = reader(&world, "a.txt");
    let answer = world.call_in(
        &run,
        "file_edit",
        json!({"path": "a.txt", "old_str": "old", "new_str": "new", "dry_run": true}),
    );
    assert_eq!(answer["data"]["status"], "unchanged");
    assert!(answer["data"]["diff"].as_str().unwrap().contains("-old\n+new\n"));
    assert_eq!(answer["data"]["hash"], sha(b"old\n"));
    assert!(world.asked.lock().unwrap().is_empty());
    assert_eq!(world.bytes("work/a.txt"), b"old\n");
}

#[test]
fn masked_secrets_come_back_as_the_real_bytes() {
    let world = World::new();
    let hash = "$2y$10$TAc2Ni85MK1AKaka/C9w3utiPjZskZki0Wi4peTJWATzf.X/bjxPq";
    world.put("work/a.ini", format!("password = {PASSWORD}\nhash={hash}\nuser = a\n"));
    let run = world.run();
    let shown = world.call_in(&run, "file_read", json!({"path": "a.ini"}));
    let text = shown["data"]["content"].as_str().unwrap();
    assert!(!text.contains(PASSWORD) && !text.contains(hash));
    let answer = edit(&world, &run, "a.ini", text, &text.replace("user = a", "user = b"));
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(
        String::from_utf8(world.bytes("work/a.ini")).unwrap(),
        format!("password = {PASSWORD}\nhash={hash}\nuser = b\n")
    );
    let asked = format!("{:?}", world.asked.lock().unwrap());
    for secret in [PASSWORD, hash] {
        assert!(!answer.to_string().contains(secret) && !asked.contains(secret), "{asked}");
    }
    // Guessing the secret finds nothing.
    assert_eq!(code(&edit(&world, &run, "a.ini", PASSWORD, "x")), "NO_MATCH");
}

#[test]
fn the_same_paths_are_refused_as_for_writing() {
    let world = World::with(json!({"file_write": {"allow_php": true}}));
    world.put("outside/x.txt", "text");
    world.put("site/x.txt", "text");
    for path in [
        "x.php",
        "sub/.htaccess",
        "composer.json",
        ".github/ci.yml",
        "sub/wp-config.php",
        "x.phar",
        "real.txt",
    ] {
        world.put(&format!("work/{path}"), "text");
    }
    symlink(world.path("outside/x.txt"), world.path("work/link.txt")).unwrap();
    symlink(world.path("outside"), world.path("work/folder")).unwrap();
    let run = world.run_builder(Caller::console(Surface::Cli, false)).build();
    for (path, expected) in [
        ("site:/x.txt", "READ_ONLY"),
        ("../outside/x.txt", "PATH_TRAVERSAL"),
        ("/etc/passwd", "PATH_ABSOLUTE"),
        ("link.txt", "PATH_SYMLINK"),
        ("folder/x.txt", "PATH_SYMLINK"),
        ("missing.txt", "NOT_FOUND"),
        ("x.php", "PHP_WRITE_DISABLED"),
        ("sub/.htaccess", "PATH_BLOCKED"),
        ("composer.json", "PATH_BLOCKED"),
        (".github/ci.yml", "PATH_BLOCKED"),
        ("sub/wp-config.php", "PATH_BLOCKED"),
        ("x.phar", "PATH_BLOCKED"),
        ("real.txt", "success"),
    ] {
        let arguments =
            json!({"path": path, "old_str": "text", "new_str": "TEXT", "expected_hash": sha(b"text")});
        let answer = world.call_in(&run, "file_edit", arguments);
        assert_eq!(answer["error"]["code"].as_str().unwrap_or("success"), expected, "{path}: {answer}");
    }
    assert_eq!(world.bytes("outside/x.txt"), b"text");
    assert_eq!(world.bytes("work/x.php"), b"text");
    // A person may, since the setting says so.
    let arguments =
        json!({"path": "x.php", "old_str": "text", "new_str": "<?php", "expected_hash": sha(b"text")});
    assert_eq!(world.call_in(&world.run(), "file_edit", arguments)["success"], true);
}

#[test]
fn binary_and_long_files_are_not_edited() {
    let world = World::new();
    let binary = b"\x7fELF\0text".to_vec();
    world.put("work/a.txt", &binary);
    let call = |hash: String| {
        world.call(
            "file_edit",
            json!({"path": "a.txt", "old_str": "text", "new_str": "x", "expected_hash": hash}),
        )
    };
    assert_eq!(code(&call(sha(&binary))), "BINARY_FILE");
    assert_eq!(world.bytes("work/a.txt"), binary);
    world.put("work/a.txt", "x".repeat(2 * 1024 * 1024 + 1));
    assert_eq!(code(&call(sha(b""))), "FILE_TOO_LARGE");
}

/// Another program writes the file between the read and the edit, in a loop: no text of its is ever lost.
#[test]
fn a_file_that_changes_between_read_and_edit_is_never_overwritten() {
    let world = World::new();
    world.put("work/a.txt", "0 base");
    let (done, target, spare) = (AtomicBool::new(false), world.path("work/a.txt"), world.path("spare"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut count = 0;
            while !done.load(Ordering::Relaxed) {
                // Takes what is there, adds to it and puts it back: a change of ours that it has seen stays.
                let text = fs::read_to_string(&target).unwrap();
                count += 1;
                fs::write(&spare, format!("{count} base")).unwrap();
                if fs::read_to_string(&target).unwrap() == text {
                    fs::rename(&spare, &target).unwrap();
                }
            }
        });
        let _ends = Ends(&done);
        let mut edited = 0;
        for _ in 0..20 {
            let run = world.run();
            world.call_in(&run, "file_read", json!({"path": "a.txt"}));
            let answer = edit(&world, &run, "a.txt", "base", "ours");
            match answer["error"]["code"].as_str() {
                None => {
                    edited += 1;
                    // What was edited is what the diff showed, not what came between.
                    let diff = answer["data"]["diff"].as_str().unwrap();
                    let number = |sign: &str| {
                        diff.lines()
                            .find(|line| {
                                line.starts_with(sign)
                                    && line.len() > 4
                                    && !line.starts_with("---")
                                    && !line.starts_with("+++")
                            })
                            .unwrap()[1..]
                            .split(' ')
                            .next()
                            .unwrap()
                            .to_owned()
                    };
                    assert_eq!(number("-"), number("+"), "{diff}");
                }
                Some("STALE_FILE" | "STALE_APPROVAL" | "NO_MATCH") => {}
                other => panic!("{other:?}: {answer}"),
            }
        }
        println!("edited {edited} of 20");
    });
    assert_eq!(world.work(), ["a.txt"]);
}
