//! What leads out, what is hidden and what is secret, by every way in; and the honest twin of each.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::door::World;

fn read(world: &World, path: &str) -> Value {
    world.call("file_read", json!({"path": path}))
}

#[test]
fn paths_that_lead_out_are_refused_with_a_code_of_their_own() {
    let world = World::new();
    world.put("site/a/in.txt", "in");
    world.put("site-backup/x", "out");
    world.put("outside.txt", "out");
    let long = "n".repeat(5000);
    let deep = vec!["d"; 600].join("/");
    for (path, code) in [
        ("../outside.txt", "PATH_TRAVERSAL"),
        ("a/../../outside.txt", "PATH_TRAVERSAL"),
        ("site:/../outside.txt", "PATH_TRAVERSAL"),
        ("site:/a/../../site-backup/x", "PATH_TRAVERSAL"),
        ("workspace:/../outside.txt", "PATH_TRAVERSAL"),
        ("/etc/passwd", "PATH_ABSOLUTE"),
        ("\\etc\\passwd", "PATH_ABSOLUTE"),
        ("C:\\windows\\win.ini", "PATH_ABSOLUTE"),
        ("/proc/self/environ", "PATH_ABSOLUTE"),
        ("a\u{0}b", "PATH_INVALID"),
        ("a\nb", "PATH_INVALID"),
        (&long, "PATH_INVALID"),
        (&deep, "PATH_INVALID"),
        ("", "MISSING_ARGUMENT"),
        ("a/missing.txt", "NOT_FOUND"),
        ("missing/in.txt", "NOT_FOUND"),
        ("a", "NOT_A_FILE"),
        (".", "NOT_A_FILE"),
        ("site:/", "NOT_A_FILE"),
    ] {
        let answer = read(&world, path);
        assert_eq!(answer["error"]["code"], code, "{path}: {answer}");
        let text = answer.to_string();
        assert!(!text.contains(world.path("").to_str().unwrap()), "{text}");
    }
    for path in
        ["a/in.txt", "./a//in.txt", "a/x/../in.txt", "site:/a/in.txt", "site://a/in.txt", " a/in.txt "]
    {
        let answer = read(&world, path);
        assert_eq!(
            (&answer["data"]["content"], &answer["data"]["path"]),
            (&json!("in"), &json!("site:/a/in.txt")),
            "{path}"
        );
    }
}

#[test]
fn links_are_not_followed_wherever_they_lead() {
    let world = World::new();
    world.put("outside/x.txt", "out");
    world.put("site/real/x.txt", "in");
    world.put("site/real.txt", "in");
    symlink(world.path("outside/x.txt"), world.path("site/out.txt")).unwrap();
    symlink(world.path("outside"), world.path("site/folder")).unwrap();
    symlink("real.txt", world.path("site/inside.txt")).unwrap();
    symlink("real", world.path("site/alias")).unwrap();
    symlink("nowhere", world.path("site/broken")).unwrap();
    symlink("/proc/self/root/etc/passwd", world.path("site/magic")).unwrap();
    for path in ["out.txt", "folder/x.txt", "inside.txt", "alias/x.txt", "broken", "magic"] {
        assert_eq!(read(&world, path)["error"]["code"], "PATH_SYMLINK", "{path}");
    }
    for path in ["real.txt", "real/x.txt"] {
        assert_eq!(read(&world, path)["data"]["content"], "in", "{path}");
    }
}

#[test]
fn only_regular_files_are_opened_and_nothing_hangs() {
    let world = World::new();
    let fifo = world.path("site/fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o644.into(), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.path("site/socket")).unwrap();
    for path in ["fifo", "socket"] {
        assert_eq!(read(&world, path)["error"]["code"], "NOT_A_FILE", "{path}");
    }
}

#[test]
fn a_bare_path_means_the_workspace_and_then_the_site() {
    let world = World::new();
    world.put("site/both.txt", "site");
    world.put("site/only.txt", "site");
    world.put("work/both.txt", "work");
    for (path, content, shown) in [
        ("both.txt", "work", "workspace:/both.txt"),
        ("site:/both.txt", "site", "site:/both.txt"),
        ("workspace:/both.txt", "work", "workspace:/both.txt"),
        ("only.txt", "site", "site:/only.txt"),
    ] {
        let data = world.data("file_read", json!({"path": path}));
        assert_eq!((&data["content"], &data["path"]), (&json!(content), &json!(shown)));
    }
    assert_eq!(world.code("file_read", json!({"path": "workspace:/only.txt"})), "NOT_FOUND");
    // A link in the workspace is no reason to look elsewhere.
    symlink("both.txt", world.path("work/only.txt")).unwrap();
    assert_eq!(world.code("file_read", json!({"path": "only.txt"})), "PATH_SYMLINK");
}

#[test]
fn the_programs_own_files_are_out_of_reach_whatever_the_workspace_is() {
    let world = World::built(json!({}), |folder, options| {
        options.workspace = Some(folder.to_owned());
        options.hidden.push(folder.join("conf/tool.toml"));
    });
    world.put("state/masking.bin", "key");
    world.put("state/deep/er/x.txt", "key");
    world.put("conf/tool.toml", "deny = []");
    world.put("conf/other.toml", "fine");
    std::fs::hard_link(world.path("conf/tool.toml"), world.path("conf/same.toml")).unwrap();
    for path in ["state/masking.bin", "state/deep/er/x.txt", "conf/tool.toml", "conf/same.toml", "state"] {
        let answer = read(&world, &format!("workspace:/{path}"));
        assert_eq!(answer["success"], false, "{path}: {answer}");
        assert!(!answer.to_string().contains("key") && !answer.to_string().contains("deny"), "{answer}");
    }
    assert_eq!(read(&world, "workspace:/conf/other.toml")["data"]["content"], "fine");
    // Made after the roots were opened.
    let late = World::built(json!({}), |folder, options| {
        options.workspace = Some(folder.to_owned());
        options.hidden.push(folder.join("later"));
    });
    late.put("later/x.txt", "key");
    assert_eq!(late.code("file_read", json!({"path": "workspace:/later/x.txt"})), "READ_FAILED");
}

#[test]
fn secret_files_are_refused_by_name_and_by_content() {
    let world = World::new();
    for path in [
        ".env",
        "WP-CONFIG.PHP",
        "wp-config.php~",
        ".wp-config.php.swp",
        "id_ed25519",
        ".git/config",
        "auth.json",
    ] {
        world.put(&format!("site/{path}"), "SECRET_VALUE");
        let answer = read(&world, &format!("site:/{path}"));
        assert_eq!(answer["error"]["code"], "PATH_BLOCKED", "{path}");
        assert!(!answer.to_string().contains("SECRET_VALUE"));
    }
    world.put("site/config.php", format!("<?php $c = new Db('{}');", crate::door::PASSWORD));
    world.put("site/lib/config.php", "<?php return ['debug' => true];");
    world.put("site/database.php", "<?php return ['password' => 'hunter22x'];");
    world.put("site/app/database.php", "<?php return ['password' => env('DB_PASSWORD')];");
    for (path, blocked) in
        [("config.php", true), ("lib/config.php", false), ("database.php", true), ("app/database.php", false)]
    {
        let answer = read(&world, path);
        assert_eq!(answer["success"], !blocked, "{path}: {answer}");
        if blocked {
            assert_eq!(answer["error"]["code"], "PATH_BLOCKED");
        }
    }
}

#[test]
fn without_a_site_the_workspace_is_all_there_is() {
    let world = World::built(json!({}), |_, options| options.site = None);
    world.put("work/a.txt", "here");
    assert_eq!(world.data("file_read", json!({"path": "a.txt"}))["path"], "workspace:/a.txt");
    assert_eq!(world.code("file_read", json!({"path": "site:/a.txt"})), "NOT_FOUND");
    let bare = World::built(json!({}), |folder, options| options.workspace = Some(folder.join("none")));
    bare.put("site/a.txt", "site");
    assert_eq!(bare.data("file_read", json!({"path": "a.txt"}))["content"], "site");
    assert_eq!(bare.code("file_read", json!({"path": "workspace:/a.txt"})), "NOT_FOUND");
    assert!(!bare.exists("none"), "reading makes no workspace");
}

/// Only a root process can show it: everybody else is stopped by the system anyhow.
#[test]
fn a_root_process_reads_with_the_rights_of_the_sites_owner() {
    use std::os::unix::fs::{PermissionsExt, chown};
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::built(json!({}), |folder, _| {
        chown(folder.join("site"), Some(4711), Some(4712)).unwrap();
    });
    let private = |path: &str, uid, gid, mode| {
        world.put(path, "content");
        chown(world.path(path), Some(uid), Some(gid)).unwrap();
        std::fs::set_permissions(world.path(path), PermissionsExt::from_mode(mode)).unwrap();
    };
    private("site/roots.txt", 0, 0, 0o600);
    private("site/others.txt", 4000, 4000, 0o640);
    private("site/own.txt", 4711, 4712, 0o600);
    private("site/group.txt", 0, 4712, 0o640);
    private("site/public.txt", 0, 0, 0o644);
    for (path, allowed) in [
        ("roots.txt", false),
        ("others.txt", false),
        ("own.txt", true),
        ("group.txt", true),
        ("public.txt", true),
    ] {
        assert_eq!(read(&world, path)["success"], allowed, "{path}: {}", read(&world, path));
    }
    // A site that belongs to root: what root keeps to itself stays with root.
    let world = World::new();
    world.put("site/roots.txt", "content");
    world.put("site/public.txt", "content");
    std::fs::set_permissions(world.path("site/roots.txt"), PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(world.code("file_read", json!({"path": "roots.txt"})), "READ_FAILED");
    assert_eq!(read(&world, "public.txt")["success"], true);
}
