//! `code_search` over real folders.

use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::door::{PASSWORD, World, code};

/// A world with these files, each `path` → content.
fn world(files: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, content) in files {
        world.put(path, content);
    }
    world
}

fn found(world: &World, arguments: Value) -> Value {
    world.data("code_search", arguments)
}

/// File and line of each row.
fn places(data: &Value) -> Vec<(String, u64)> {
    let rows = data["results"].as_array().unwrap();
    rows.iter().map(|row| (row["file"].as_str().unwrap().to_owned(), row["line"].as_u64().unwrap())).collect()
}

fn files(data: &Value) -> Vec<String> {
    places(data).into_iter().map(|(file, _)| file).collect()
}

/// What was left out, by reason, with its examples.
fn skipped<'a>(data: &'a Value, reason: &str) -> Option<&'a Value> {
    data["skipped"].as_array().unwrap().iter().find(|skipped| skipped["reason"] == reason)
}

#[test]
fn rows_have_file_line_column_and_text() {
    let world =
        world(&[("site/a.php", "<?php\r\n  $größe = needle();\r\n}\r\n"), ("work/b.txt", "a needle")]);
    let data = found(&world, json!({"pattern": "needle"}));
    assert_eq!(
        data["results"],
        json!([
            {"file": "site:/a.php", "line": 2, "column": 12, "text": "  $größe = needle();"},
            {"file": "workspace:/b.txt", "line": 1, "column": 3, "text": "a needle"},
        ])
    );
    assert_eq!((&data["truncated"], data.get("next_cursor")), (&json!(false), None));
    let with_context = found(&world, json!({"pattern": "needle", "context_lines": 9, "path": "site:/"}));
    let row = &with_context["results"][0];
    assert_eq!((&row["before"], &row["after"]), (&json!(["<?php"]), &json!(["}"])));
    let envelope = world.call("code_search", json!({"pattern": "needle"}));
    assert_eq!(
        (&envelope["meta"]["matches_total"], &envelope["meta"]["files_searched"]),
        (&json!(2), &json!(2))
    );
}

#[test]
fn where_and_how_it_is_looked_for() {
    let world = world(&[
        ("site/a/one.php", "Needle needles\n"),
        ("site/a/two.PHP", "needle\n"),
        ("site/a/deep/three.js", "needle\n"),
        ("site/a/deep/three.min.js", "needle\n"),
        ("site/b.txt", "NEEDLE x.y\n"),
    ]);
    for (arguments, expected) in [
        (
            json!({"pattern": "needle", "path": "a"}),
            vec!["a/deep/three.js", "a/deep/three.min.js", "a/one.php", "a/two.PHP"],
        ),
        (
            json!({"pattern": "needle", "path": "site:/a/deep/"}),
            vec!["a/deep/three.js", "a/deep/three.min.js"],
        ),
        (json!({"pattern": "needle", "path": "site:/a/two.PHP"}), vec!["a/two.PHP"]),
        (json!({"pattern": "needle", "extension": "php"}), vec!["a/one.php", "a/two.PHP"]),
        (json!({"pattern": "needle", "extension": ".JS"}), vec!["a/deep/three.js", "a/deep/three.min.js"]),
        (json!({"pattern": "needle", "glob": ["*.js", "!*.min.js"]}), vec!["a/deep/three.js"]),
        (json!({"pattern": "needle", "glob": ["a/*.php"]}), vec!["a/one.php"]),
        (json!({"pattern": "needle", "glob": ["!deep"]}), vec!["a/one.php", "a/two.PHP"]),
        (
            json!({"pattern": "needle", "glob": ["**/deep/**"]}),
            vec!["a/deep/three.js", "a/deep/three.min.js"],
        ),
        (json!({"pattern": "needle", "word": true, "glob": ["*.php", "*.PHP"]}), vec!["a/two.PHP"]),
        (json!({"pattern": "needle", "case": "insensitive", "glob": ["*.txt"]}), vec!["b.txt"]),
        (json!({"pattern": "Needle", "case": "smart"}), vec!["a/one.php"]),
        (json!({"pattern": "x.y"}), vec!["b.txt"]),
        (json!({"pattern": "x..y"}), vec![]),
        (json!({"pattern": "N[E]+DLE", "is_regex": true}), vec!["b.txt"]),
        (json!({"pattern": "/n[e]+dle x/i", "is_regex": true}), vec!["b.txt"]),
        (json!({"pattern": "y$", "is_regex": true}), vec!["b.txt"]),
    ] {
        let data = found(&world, arguments.clone());
        let expected: Vec<String> = expected.into_iter().map(|file| format!("site:/{file}")).collect();
        assert_eq!(files(&data), expected, "{arguments}");
    }
}

#[test]
fn what_cannot_be_searched_for_is_refused() {
    let world =
        world(&[("site/a", "x"), ("site/.git/config", "x"), ("site/vendor/v.php", "x"), ("site/.env", "x")]);
    symlink(world.path("state"), world.path("site/out")).unwrap();
    for (arguments, expected) in [
        (json!({"pattern": ""}), "INVALID_ARGUMENT"),
        (json!({}), "MISSING_ARGUMENT"),
        (json!({"pattern": "x", "colour": true}), "UNKNOWN_ARGUMENT"),
        (json!({"pattern": "(", "is_regex": true}), "INVALID_PATTERN"),
        (json!({"pattern": "(?:\\pL{100}){100}{100}", "is_regex": true}), "INVALID_PATTERN"),
        (json!({"pattern": "(?<=a)b", "is_regex": true}), "INVALID_PATTERN"),
        (json!({"pattern": "a\nb"}), "INVALID_PATTERN"),
        (json!({"pattern": "x", "glob": ["a[b"]}), "INVALID_GLOB"),
        (json!({"pattern": "x", "cursor": "../a:1"}), "INVALID_CURSOR"),
        (json!({"pattern": "x", "cursor": "workspace:/a:1", "path": "site:/"}), "INVALID_CURSOR"),
        (json!({"pattern": "x", "path": "missing"}), "NOT_FOUND"),
        (json!({"pattern": "x", "path": "../state"}), "PATH_TRAVERSAL"),
        (json!({"pattern": "x", "path": "/etc"}), "PATH_ABSOLUTE"),
        (json!({"pattern": "x", "path": "site:/out"}), "PATH_SYMLINK"),
        (json!({"pattern": "x", "path": "site:/.git"}), "PATH_BLOCKED"),
        (json!({"pattern": "x", "path": "site:/.git/config"}), "PATH_BLOCKED"),
        (json!({"pattern": "x", "path": "site:/vendor"}), "PATH_BLOCKED"),
        (json!({"pattern": "x", "path": "site:/.env"}), "PATH_BLOCKED"),
    ] {
        assert_eq!(world.code("code_search", arguments.clone()), expected, "{arguments}");
    }
}

#[test]
fn links_are_not_followed_and_are_told() {
    let world = world(&[("site/a", "needle\n"), ("outside/secret", "needle\n")]);
    symlink(world.path("outside/secret"), world.path("site/file")).unwrap();
    symlink(world.path("outside"), world.path("site/folder")).unwrap();
    symlink("a", world.path("site/inside")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, world.path("site/pipe"), rustix::fs::Mode::RUSR).unwrap();
    let data = found(&world, json!({"pattern": "needle"}));
    assert_eq!(files(&data), ["site:/a"]);
    let links = skipped(&data, "link").unwrap();
    assert_eq!(links["examples"], json!(["site:/file", "site:/folder", "site:/inside"]));
    assert_eq!(skipped(&data, "special").unwrap()["examples"], json!(["site:/pipe"]));
}

#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    let world = world(&[("outside/swapped/f", "SECRET needle\n"), ("site/swapped/f", "needle\n")]);
    for number in 0..40 {
        world.put(&format!("site/a{number:02}/f"), "needle\n");
    }
    let (real, hidden) = (world.path("site/swapped"), world.path("aside"));
    let outside = world.path("outside/swapped");
    std::thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            for _ in 0..3000 {
                fs::rename(&real, &hidden).unwrap();
                symlink(&outside, &real).unwrap();
                fs::remove_file(&real).unwrap();
                fs::rename(&hidden, &real).unwrap();
            }
        });
        while !swapping.is_finished() {
            let data = found(&world, json!({"pattern": "needle"}));
            assert!(!data["results"].to_string().contains("SECRET"), "{data}");
            assert!((40..=41).contains(&places(&data).len()), "{data}");
        }
    });
    assert_eq!(places(&found(&world, json!({"pattern": "needle"}))).len(), 41);
}

#[test]
fn files_with_credentials_are_passed_over() {
    let world = world(&[
        ("site/wp-config.php", "needle\n"),
        ("site/.env", "needle\n"),
        ("site/.env.bak", "needle\n"),
        ("site/id_rsa", "needle\n"),
        ("site/.ssh/notes.txt", "needle\n"),
        ("site/.git/HEAD", "needle\n"),
        ("site/wp-admin/a.php", "needle\n"),
        ("site/vendor/v.php", "needle\n"),
        ("site/good/config.php", "needle\n"),
        ("site/bad/config.php", &format!("needle\n$pass = '{PASSWORD}';\n")),
        ("site/plain.php", "needle\n"),
    ]);
    let data = found(&world, json!({"pattern": "needle"}));
    assert_eq!(files(&data), ["site:/good/config.php", "site:/plain.php"]);
    assert_eq!(skipped(&data, "secret"), Some(&json!({"reason": "secret", "count": 5, "examples": []})));
    assert_eq!(skipped(&data, "closed_folder").unwrap()["count"], 3);
    assert_eq!(skipped(&data, "packages").unwrap()["examples"], json!(["site:/vendor"]));

    let open = World::with(json!({"file_read": {"packages": true}}));
    open.put("site/vendor/v.php", "needle\n");
    assert_eq!(files(&found(&open, json!({"pattern": "needle"}))), ["site:/vendor/v.php"]);
}

#[test]
fn a_secret_is_never_found_and_never_shown() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAtestkeybody0123456789\nABCDEFtestkeybodysecondline\n-----END RSA PRIVATE KEY-----";
    let text = format!("one\n$password = '{PASSWORD}'; // needle\n{key}\nafter needle\n");
    let world = world(&[("site/a.php", &text)]);
    let rows = found(&world, json!({"pattern": "needle", "context_lines": 1}))["results"].clone();
    assert!(!rows.to_string().contains(PASSWORD) && !rows.to_string().contains("testkeybody"), "{rows}");
    assert!(rows[0]["text"].as_str().unwrap().contains("⟦secret:"), "{rows}");
    // The key is one word in what is shown, and four lines in the file.
    assert_eq!((&rows[0]["line"], &rows[1]["line"]), (&json!(2), &json!(7)));
    for pattern in [PASSWORD, &PASSWORD[..3], "testkeybody", "password = 'c", "MIIE", "= '[a-m]"] {
        let data = found(&world, json!({"pattern": pattern, "is_regex": pattern.contains('[')}));
        assert_eq!(data["results"], json!([]), "{pattern}");
    }
    // The name beside it is no secret.
    assert_eq!(places(&found(&world, json!({"pattern": "$password ="}))), [("site:/a.php".to_owned(), 2)]);
}

#[test]
fn rules_of_ignore_files_hold_and_are_told() {
    let world = world(&[
        ("site/.ignore", "logs/\n"),
        ("site/.gitignore", "*.cache\n"),
        ("site/logs/a.log", "needle\n"),
        ("site/a.cache", "needle\n"),
        ("site/sub/.gitignore", "!keep.cache\n/only-here\n"),
        ("site/sub/keep.cache", "needle\n"),
        ("site/sub/only-here", "needle\n"),
        ("site/sub/deep/only-here", "needle\n"),
    ]);
    // Outside of a repository nobody reads .gitignore.
    let all = ["site:/a.cache", "site:/sub/deep/only-here", "site:/sub/keep.cache", "site:/sub/only-here"];
    assert_eq!(files(&found(&world, json!({"pattern": "needle"}))), all);
    fs::create_dir(world.path("site/.git")).unwrap();
    let data = found(&world, json!({"pattern": "needle"}));
    assert_eq!(files(&data), ["site:/sub/deep/only-here", "site:/sub/keep.cache"]);
    let ignored = skipped(&data, "ignored").unwrap();
    assert_eq!(ignored["examples"], json!(["site:/a.cache", "site:/logs", "site:/sub/only-here"]));
    // The rules of the folders above hold beneath, and what is named is searched.
    assert_eq!(
        files(&found(&world, json!({"pattern": "needle", "path": "sub"}))),
        ["site:/sub/deep/only-here", "site:/sub/keep.cache"]
    );
    assert_eq!(files(&found(&world, json!({"pattern": "needle", "path": "a.cache"}))), ["site:/a.cache"]);
    assert_eq!(
        found(&world, json!({"pattern": "needle", "include_ignored": true}))["results"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
}

#[test]
fn text_of_any_encoding_is_found_and_bytes_are_not_text() {
    let world = World::new();
    world.put("site/latin", b"caf\xe9 needle\n");
    world.put(
        "site/utf16",
        [&b"\xff\xfe"[..], &"größe needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()]
            .concat(),
    );
    world.put("site/bom", b"\xef\xbb\xbfneedle\n");
    world.put("site/binary", b"needle\0\n");
    world.put("site/empty", b"");
    let data = found(&world, json!({"pattern": "needle"}));
    let texts: Vec<&str> =
        data["results"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["\u{feff}needle", "café needle", "größe needle"]);
    assert_eq!(skipped(&data, "binary").unwrap()["examples"], json!(["site:/binary"]));
}

#[test]
fn long_files_are_searched_in_bounded_memory() {
    let world = World::with(json!({"code_search": {"max_file_bytes": 20_000_000}}));
    // Past what is read whole: 6 MB, a match on line 300,001 beside a secret.
    let mut text = "0123456789 12345678\n".repeat(300_000);
    text.push_str(&format!("needle '{PASSWORD}' caf"));
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(b"\xe9\nend\n");
    world.put("site/log", bytes);
    world.put("site/line", format!("{}needle", "x".repeat(9_000_000)));
    world.put("site/binary", [&b"needle\n\0"[..], &b"needle\n".repeat(800_000)].concat());
    fs::File::create(world.path("site/sparse")).unwrap().set_len(1 << 40).unwrap();
    let data = found(&world, json!({"pattern": "needle", "context_lines": 1}));
    let row = &data["results"][0];
    assert_eq!((places(&data).len(), &row["file"], &row["line"]), (1, &json!("site:/log"), &json!(300_001)));
    let line = row["text"].as_str().unwrap();
    assert!(line.starts_with("needle '⟦secret:") && line.ends_with("⟧' café"), "{line}");
    assert_eq!((&row["before"], &row["after"]), (&json!(["0123456789 12345678"]), &json!(["end"])));
    assert_eq!(found(&world, json!({"pattern": PASSWORD}))["results"], json!([]));
    for (reason, file) in [("long_line", "line"), ("binary", "binary"), ("too_large", "sparse")] {
        assert_eq!(skipped(&data, reason).unwrap()["examples"], json!([format!("site:/{file}")]), "{reason}");
    }
}

#[test]
fn a_pattern_that_others_choke_on_takes_time_in_proportion() {
    let world = world(&[("site/a.txt", &format!("{}b\n", "a".repeat(1_000_000)))]);
    let data = found(&world, json!({"pattern": "(a+)+$", "is_regex": true}));
    assert_eq!(data["results"], json!([]));
    assert_eq!(places(&found(&world, json!({"pattern": "(a+)+b$", "is_regex": true}))).len(), 1);
}

#[test]
fn pages_follow_one_order_and_cover_each_line_once() {
    let world = world(&[
        ("site/b/c.txt", "x\nx\n"),
        ("site/b.txt", "x\n"),
        ("site/b/a/z.txt", "x\n"),
        ("site/B.txt", "x\n"),
        ("site/c%:1.txt", "x\nx\n"),
        ("site/größe.txt", "x\n"),
        ("work/a.txt", "x\nx\nx\n"),
    ]);
    // By their bytes, a folder at the place of its name.
    let expected: Vec<(String, u64)> = [
        ("site:/B.txt", 1),
        ("site:/b/a/z.txt", 1),
        ("site:/b/c.txt", 1),
        ("site:/b/c.txt", 2),
        ("site:/b.txt", 1),
        ("site:/c%:1.txt", 1),
        ("site:/c%:1.txt", 2),
        ("site:/größe.txt", 1),
        ("workspace:/a.txt", 1),
        ("workspace:/a.txt", 2),
        ("workspace:/a.txt", 3),
    ]
    .map(|(file, line)| (file.to_owned(), line))
    .to_vec();
    assert_eq!(places(&found(&world, json!({"pattern": "x"}))), expected);
    for limit in 1..12 {
        assert_eq!(paged(&world, json!({"pattern": "x", "limit": limit})), expected, "{limit}");
    }
}

/// All rows, page by page.
fn paged(world: &World, mut arguments: Value) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    for _ in 0..500 {
        let data = found(world, arguments.clone());
        all.extend(places(&data));
        let Some(cursor) = data.get("next_cursor") else {
            assert_eq!(data["truncated"], false);
            return all;
        };
        assert_eq!(data["truncated"], true);
        arguments["cursor"] = cursor.clone();
    }
    panic!("pages without end");
}

#[test]
fn a_page_fits_the_result_however_much_there_is() {
    let world = World::new();
    for number in 0..40 {
        world.put(
            &format!("site/{number:02}-{}.txt", "n".repeat(200)),
            format!("{}needle\"\\\n", "y".repeat(500)).repeat(50),
        );
        symlink("x", world.path(&format!("site/{number:02}-{}", "l".repeat(200)))).unwrap();
    }
    let envelope = world.call("code_search", json!({"pattern": "needle", "context_lines": 5}));
    assert!(envelope.to_string().chars().count() <= 10_000, "{}", envelope.to_string().chars().count());
    assert_eq!(
        (&envelope["data"]["truncated"], envelope["warnings"].as_array().unwrap().len()),
        (&json!(true), 0)
    );
    assert!(envelope["meta"]["matches_at_least"].as_u64() > envelope["meta"]["matches_returned"].as_u64());
    let rows = paged(&world, json!({"pattern": "needle", "glob": ["0*"]}));
    assert_eq!(rows.len(), 500);
    assert!(rows.is_sorted());
}

#[test]
fn the_programs_own_files_are_not_reached() {
    let world = World::built(json!({}), |folder, options| options.workspace = Some(folder.to_owned()));
    world.put("state/audit", "needle\n");
    world.put("notes.txt", "needle\n");
    let data = found(&world, json!({"pattern": "needle", "path": "workspace:/"}));
    assert_eq!(files(&data), ["workspace:/notes.txt"]);
    assert_eq!(skipped(&data, "unreadable").unwrap()["examples"], json!(["workspace:/state"]));
}

#[test]
fn a_text_that_is_nowhere_gets_a_hint_where_a_regex_was_meant() {
    let world = world(&[("site/a", "abc\n")]);
    let envelope = world.call("code_search", json!({"pattern": "a.*c"}));
    assert!(envelope["meta"]["hint"].as_str().unwrap().contains("is_regex"), "{envelope}");
    let none = world.call("code_search", json!({"pattern": "nowhere"}));
    assert_eq!((none["meta"].get("hint"), &none["meta"]["matches_total"]), (None, &json!(0)));
    assert_eq!(code(&world.call("code_search", json!({"pattern": "a", "limit": "many"}))), "INVALID_LIMIT");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Against lines that contain the text, by hand.
    #[test]
    fn whatever_the_tree_pages_give_what_a_plain_loop_gives(
        tree in prop::collection::btree_map("[ab]{1,2}(/[ab.]{1,2}[ab]){0,2}", prop::collection::vec("[xyö ]{0,6}", 0..6), 1..12),
        limit in 1u32..7,
    ) {
        let world = World::new();
        let mut expected = Vec::new();
        for (path, lines) in &tree {
            let file = world.path(&format!("site/{path}"));
            // A name may be a file in one path and a folder in another: the first one counts.
            if fs::create_dir_all(file.parent().unwrap()).is_ok() && !file.exists() && fs::write(&file, lines.join("\n")).is_ok() {
                let names: Vec<String> = path.split('/').map(str::to_owned).collect();
                expected.extend((1u64..).zip(lines).filter(|(_, text)| text.contains("xy")).map(|(line, _)| (names.clone(), line)));
            }
        }
        expected.sort();
        let expected: Vec<(String, u64)> =
            expected.into_iter().map(|(names, line)| (format!("site:/{}", names.join("/")), line)).collect();
        prop_assert_eq!(paged(&world, json!({"pattern": "xy", "limit": limit})), expected);
    }
}
