//! `file_write`: new files, replaced files, and everything that must not be written.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use siteclaw_core::{ApprovalGate, ApprovalRequest, BoxFuture, Caller, Decision, Run, Surface};

use crate::door::{PASSWORD, World, code};

fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write(world: &World, path: &str, content: &str) -> Value {
    world.call("file_write", json!({"path": path, "content": content}))
}

#[test]
fn a_new_file_is_made_with_its_folders() {
    let world = World::new();
    let answer = write(&world, "reports/2026/notes.md", "# Größe\n");
    assert_eq!(
        answer["data"],
        json!({
            "path": "workspace:/reports/2026/notes.md",
            "bytes_written": 10,
            "created": true,
            "hash": sha("# Größe\n".as_bytes()),
        })
    );
    assert_eq!(answer["meta"]["mode"], "write");
    assert_eq!(world.bytes("work/reports/2026/notes.md"), "# Größe\n".as_bytes());
    // Others may read it as far as the process allows: it is no private draft any more.
    fs::write(world.path("work/plain"), "").unwrap();
    let mode = |path: &str| fs::metadata(world.path(path)).unwrap().mode();
    assert_eq!(mode("work/reports/2026/notes.md"), mode("work/plain"));
    let asked = world.asked.lock().unwrap();
    assert_eq!(asked.len(), 1);
    let preview = asked[0].preview.as_deref().unwrap();
    assert_eq!(preview, "--- /dev/null\n+++ workspace:/reports/2026/notes.md\n@@ -0,0 +1 @@\n+# Größe\n");
}

#[test]
fn the_workspace_is_made_at_the_first_write_and_private() {
    let world = World::built(json!({}), |folder, options| options.workspace = Some(folder.join("a/b")));
    write(&world, "x.txt", "x");
    assert_eq!(world.bytes("a/b/x.txt"), b"x");
    assert_eq!(fs::metadata(world.path("a/b")).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_file_that_is_there_is_replaced_only_by_whoever_knows_what_it_holds() {
    let world = World::new();
    world.put("work/a.txt", "old");
    fs::set_permissions(world.path("work/a.txt"), PermissionsExt::from_mode(0o640)).unwrap();
    let call = |run: &Run, more: Value| {
        let mut arguments = json!({"path": "a.txt", "content": "new"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        world.call_in(run, "file_write", arguments)
    };
    assert_eq!(code(&call(&world.run(), json!({}))), "FILE_EXISTS");
    assert_eq!(code(&call(&world.run(), json!({"mode": "create"}))), "FILE_EXISTS");
    assert_eq!(code(&call(&world.run(), json!({"expected_hash": sha(b"other")}))), "STALE_FILE");
    assert_eq!(
        code(&call(&world.run(), json!({"expected_hash": sha(b"other"), "mode": "overwrite"}))),
        "STALE_FILE"
    );
    assert_eq!(world.bytes("work/a.txt"), b"old");

    let run = world.run();
    world.call_in(&run, "file_read", json!({"path": "a.txt"}));
    world.put("work/a.txt", "theirs");
    assert_eq!(code(&call(&run, json!({}))), "STALE_FILE");
    world.call_in(&run, "file_read", json!({"path": "a.txt"}));
    let answer = call(&run, json!({}));
    assert_eq!(
        (&answer["data"]["created"], &answer["data"]["hash"]),
        (&json!(false), &json!(sha(b"new"))),
        "{answer}"
    );
    let diff = answer["data"]["diff"].as_str().unwrap();
    assert!(diff.contains("-theirs\n") && diff.contains("+new\n"), "{diff}");
    assert_eq!(fs::metadata(world.path("work/a.txt")).unwrap().mode() & 0o777, 0o640);
    // What a run wrote, it knows.
    let again = world.call_in(&run, "file_write", json!({"path": "a.txt", "content": "newer"}));
    assert_eq!(again["success"], true, "{again}");
    assert_eq!(call(&world.run(), json!({"expected_hash": sha(b"newer").to_uppercase()}))["success"], true);
    assert_eq!(call(&world.run(), json!({"mode": "overwrite"}))["success"], true);
    assert_eq!(world.work(), ["a.txt"]);
}

#[test]
fn the_encoding_of_a_replaced_file_stays() {
    let world = World::new();
    let replace = |name: &str, bytes: &[u8], content: &str| {
        world.put(&format!("work/{name}"), bytes);
        world.call("file_write", json!({"path": name, "content": content, "mode": "overwrite"}))
    };
    replace("a.txt", b"\xEF\xBB\xBFold", "neu");
    assert_eq!(world.bytes("work/a.txt"), b"\xEF\xBB\xBFneu");
    replace("b.txt", b"gr\xF6\xDFe", "Größe");
    assert_eq!(world.bytes("work/b.txt"), b"Gr\xF6\xDFe");
    replace("c.txt", b"\xFF\xFEa\0", "ö");
    assert_eq!(world.bytes("work/c.txt"), b"\xFF\xFE\xF6\0");
    let answer = replace("d.txt", b"gr\xF6\xDFe", "₽");
    assert_eq!(answer["warnings"][0]["code"], "ENCODING_CHANGED");
    assert_eq!(world.bytes("work/d.txt"), "₽".as_bytes());
    let answer = replace("e.txt", b"a\r\nb\r\n", "a\nc\n");
    assert_eq!(answer["warnings"][0]["code"], "LINE_ENDINGS_CHANGED");
}

#[test]
fn a_secret_is_not_lost_to_its_placeholder() {
    let world = World::new();
    let placeholder = world.masker.placeholder(PASSWORD);
    world.put("work/a.ini", format!("password = {PASSWORD}\nuser = a\n"));
    let run = world.run();
    let shown = world.call_in(&run, "file_read", json!({"path": "a.ini"}));
    let content = shown["data"]["content"].as_str().unwrap().replace("user = a", "user = b");
    assert!(content.contains(&placeholder));
    let answer = world.call_in(&run, "file_write", json!({"path": "a.ini", "content": content}));
    assert_eq!(code(&answer), "SECRET_WOULD_BE_LOST");
    assert!(String::from_utf8(world.bytes("work/a.ini")).unwrap().contains(PASSWORD));
    let other = write(&world, "b.txt", &content);
    assert_eq!(other["warnings"][0]["code"], "PLACEHOLDER_WRITTEN");
    // A secret that is written shows in no preview, answer or record.
    world.asked.lock().unwrap().clear();
    let answer = write(&world, "c.txt", &format!("pass {PASSWORD}\n"));
    assert_eq!(world.bytes("work/c.txt"), format!("pass {PASSWORD}\n").as_bytes());
    let asked = format!("{:?}", world.asked.lock().unwrap());
    assert!(!answer.to_string().contains(PASSWORD) && !asked.contains(PASSWORD), "{asked}");
}

#[test]
fn nothing_is_written_outside_into_the_site_or_under_a_name_that_runs() {
    let world = World::new();
    world.put("outside/x.txt", "out");
    world.put("work/real/x.txt", "in");
    symlink(world.path("outside/x.txt"), world.path("work/file.txt")).unwrap();
    symlink(world.path("outside/new.txt"), world.path("work/dangling.txt")).unwrap();
    symlink(world.path("outside"), world.path("work/folder")).unwrap();
    symlink("real", world.path("work/alias")).unwrap();
    let before = world.work();
    for (path, code) in [
        ("../x.txt", "PATH_TRAVERSAL"),
        ("a/../../x.txt", "PATH_TRAVERSAL"),
        ("workspace:/../x.txt", "PATH_TRAVERSAL"),
        ("/etc/cron.d/x", "PATH_ABSOLUTE"),
        ("site:/x.txt", "READ_ONLY"),
        ("site:/new/x.txt", "READ_ONLY"),
        (".", "NOT_A_FILE"),
        ("workspace:/", "NOT_A_FILE"),
        ("real", "NOT_A_FILE"),
        ("real/x.txt/y.txt", "NOT_FOUND"),
        ("file.txt", "PATH_SYMLINK"),
        ("dangling.txt", "PATH_SYMLINK"),
        ("folder/x.txt", "PATH_SYMLINK"),
        ("folder/new.txt", "PATH_SYMLINK"),
        ("folder/deep/new.txt", "PATH_SYMLINK"),
        ("alias/new.txt", "PATH_SYMLINK"),
        (".htaccess", "PATH_BLOCKED"),
        (".user.ini", "PATH_BLOCKED"),
        ("web.config", "PATH_BLOCKED"),
        (".git/hooks/pre-commit", "PATH_BLOCKED"),
        ("composer.json", "PATH_BLOCKED"),
        (".env", "PATH_BLOCKED"),
        ("siteclaw.toml", "PATH_BLOCKED"),
        ("x.php", "PHP_WRITE_DISABLED"),
        ("x.pHp", "PHP_WRITE_DISABLED"),
        ("x.php.", "PATH_BLOCKED"),
        ("x.php ", "PHP_WRITE_DISABLED"),
        ("a/x.php /b.txt", "NOT_A_FILE"),
        ("x.phtml", "PHP_WRITE_DISABLED"),
        ("x.phar", "PATH_BLOCKED"),
        ("x.php5", "PATH_BLOCKED"),
        ("x.jpg.php", "PHP_WRITE_DISABLED"),
        ("x.php.txt", "PATH_BLOCKED"),
        ("a\u{0}b.txt", "PATH_INVALID"),
    ] {
        let answer = world.call("file_write", json!({"path": path, "content": "<?php", "mode": "overwrite"}));
        let found = answer["error"]["code"].as_str().unwrap_or("success");
        // A folder name with a trailing space is refused as a name, whatever stands below it.
        let expected = if path == "a/x.php /b.txt" { "PATH_BLOCKED" } else { code };
        assert_eq!(found, expected, "{path:?}: {answer}");
    }
    assert_eq!(world.work(), before);
    assert_eq!(world.bytes("outside/x.txt"), b"out");
    assert_eq!(fs::read_dir(world.path("outside")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(world.path("site")).unwrap().count(), 0);
    // The honest twins.
    for path in ["x.txt", "a/../y.txt", "./z.md", "foo..bar.txt", "src/core/app.css", "workspace:/w.html"] {
        assert_eq!(write(&world, path, "text")["success"], true, "{path}");
    }
}

#[test]
fn what_is_too_long_is_not_written() {
    let world = World::with(json!({"file_write": {"max_bytes": 10}}));
    assert_eq!(code(&write(&world, "a.txt", "12345678901")), "CONTENT_TOO_LARGE");
    assert_eq!(write(&world, "a.txt", "1234567890")["success"], true);
    assert_eq!(world.code("file_write", json!({"path": "b.txt"})), "MISSING_ARGUMENT");
    world.put("work/long.txt", "12345678901");
    let over = world.call("file_write", json!({"path": "long.txt", "content": "x", "mode": "overwrite"}));
    assert_eq!(code(&over), "FILE_TOO_LARGE");
    assert_eq!(world.bytes("work/long.txt"), b"12345678901");
}

#[test]
fn php_is_written_by_a_person_where_it_is_allowed_and_nobody_serves_it() {
    let allowed = json!({"file_write": {"allow_php": true}});
    let write = |world: &World, path: &str, interactive: bool| {
        let run = world.run_builder(Caller::console(Surface::Cli, interactive)).build();
        world.call_in(
            &run,
            "file_write",
            json!({"path": path, "content": "<?php echo 1;\n", "mode": "overwrite"}),
        )
    };
    let world = World::with(allowed.clone());
    assert_eq!(write(&world, "x.php", true)["success"], true);
    let unattended = write(&world, "y.php", false);
    assert_eq!(code(&unattended), "PHP_WRITE_DISABLED");
    assert!(unattended["error"]["hint"].as_str().unwrap().contains("interactive console"));
    for path in ["x.phar", "wp-config.php", "x.php.txt"] {
        assert_eq!(code(&write(&world, path, true)), "PATH_BLOCKED", "{path}");
    }
    // A template is text for whoever may not write PHP, as long as no server runs it.
    assert_eq!(write(&world, "notes.md", false)["success"], true);

    let served = World::built(allowed.clone(), |folder, options| {
        fs::create_dir(folder.join("site/uploads")).unwrap();
        options.workspace = Some(folder.join("site/uploads"));
        options.served = vec![folder.join("site")];
    });
    for path in ["x.php", "notes.md", "page.html"] {
        let answer = write(&served, path, true);
        assert_eq!(code(&answer), "PHP_WRITE_DISABLED", "{path}");
        assert!(answer["error"]["hint"].as_str().unwrap().contains("document root"), "{answer}");
    }
    let by_name = World::built(allowed, |folder, options| {
        fs::create_dir(folder.join("public_html")).unwrap();
        options.workspace = Some(folder.join("public_html"));
    });
    assert_eq!(code(&write(&by_name, "x.php", true)), "PHP_WRITE_DISABLED");
}

/// Approves, but changes the file while it is thinking.
struct Meddler<'a>(&'a World, &'static str);

impl ApprovalGate for Meddler<'static> {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        self.0.put("work/a.txt", self.1);
        Box::pin(std::future::ready(Decision::Approved))
    }
}

#[test]
fn what_changed_while_a_person_was_asked_is_not_overwritten() {
    let world: &'static World = Box::leak(Box::new(World::new()));
    world.put("work/a.txt", "old");
    for (there, expected) in [("theirs", "STALE_APPROVAL"), ("old", "success")] {
        world.put("work/a.txt", "old");
        let run = Run::builder("r", Caller::console(Surface::Cli, true))
            .gate(std::sync::Arc::new(Meddler(world, there)))
            .build();
        let arguments = json!({"path": "a.txt", "content": "new", "mode": "overwrite"});
        let answer = world.call_in(&run, "file_write", arguments);
        assert_eq!(answer["error"]["code"].as_str().unwrap_or("success"), expected, "{answer}");
        let now = if expected == "success" { "new" } else { there };
        assert_eq!(world.bytes("work/a.txt"), now.as_bytes());
    }
}

#[test]
fn without_anybody_to_ask_nothing_is_written() {
    let world = World::new();
    let run = Run::builder("r", Caller::console(Surface::Cli, false)).build();
    let answer = world.call_in(&run, "file_write", json!({"path": "a.txt", "content": "x"}));
    assert_eq!(code(&answer), "APPROVAL_DENIED");
    assert!(world.work().is_empty());
}

#[test]
fn a_read_only_folder_is_left_as_it_is() {
    if rustix::process::geteuid().is_root() {
        // Root writes everywhere; as the owner of a site it does not.
        let world = World::built(json!({}), |folder, options| {
            std::os::unix::fs::chown(folder.join("site"), Some(4711), Some(4712)).unwrap();
            options.workspace = Some(folder.join("work"));
        });
        world.put("work/a.txt", "old");
        let answer =
            world.call("file_write", json!({"path": "a.txt", "content": "new", "mode": "overwrite"}));
        assert_eq!(code(&answer), "WRITE_FAILED", "{answer}");
        assert_eq!((world.bytes("work/a.txt"), world.work()), (b"old".to_vec(), vec!["a.txt".to_owned()]));
        std::os::unix::fs::chown(world.path("work"), Some(4711), Some(4712)).unwrap();
        let made = world.call("file_write", json!({"path": "sub/new.txt", "content": "new"}));
        assert_eq!(made["success"], true, "{made}");
        let meta = fs::metadata(world.path("work/sub/new.txt")).unwrap();
        assert_eq!((meta.uid(), meta.gid()), (4711, 4712));
    }
}
