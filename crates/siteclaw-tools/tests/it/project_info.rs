//! `project_info`: platform, packages and tree, bounded and without secrets.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::door::World;

#[test]
fn platform_packages_and_tree_are_told() {
    let world = World::new();
    world.put("site/mark.txt", "");
    world.put("site/hint.txt", "");
    world.put("site/composer.json", r#"{"name": "shop/site", "require": {"a/b": "^1"}}"#);
    world.put("site/composer.lock", r#"{"packages": [{"name": "a/b", "version": "1.4.2"}]}"#);
    world.put("site/src/deep/er/x.php", "");
    world.put("site/.env", "SECRET=1");
    world.put("site/id_rsa", "");
    world.put("site/vendor/a/b/c.php", "");
    world.put("outside/y", "");
    symlink(world.path("outside"), world.path("site/link")).unwrap();
    let answer = world.call("project_info", json!({}));
    let data = &answer["data"];
    assert_eq!((&data["framework"], &data["root"]), (&json!("marked"), &json!("site:/")));
    assert_eq!(
        data["platforms"][0],
        json!({
            "platform": "marked", "score": 80, "version": "7.1", "version_source": "mark.txt",
            "evidence": [{"path": "mark.txt", "weight": 80, "meaning": "a mark"}]
        })
    );
    assert_eq!(data["platforms"][1]["platform"], "hinted", "what else speaks is told too");
    assert_eq!(
        data["projects"],
        json!([{
            "ecosystem": "composer", "name": "shop/site", "manifest": "composer.json", "lock": "composer.lock", "packages": 1
        }])
    );
    assert_eq!(
        data["packages"],
        json!([{"ecosystem": "composer", "name": "a/b", "version": "1.4.2", "dev": false}])
    );
    assert_eq!(
        data["file_tree"],
        json!([
            {"name": "composer.json", "type": "file"},
            {"name": "composer.lock", "type": "file"},
            {"name": "hint.txt", "type": "file"},
            {"name": "link", "type": "link"},
            {"name": "mark.txt", "type": "file"},
            {"name": "src", "type": "folder", "children": [{"name": "deep", "type": "folder"}]},
        ])
    );
    assert_eq!(
        (&answer["meta"]["secret_names_left_out"], &answer["meta"]["truncated"]),
        (&json!(2), &json!(false))
    );
    assert!(!answer.to_string().contains(world.path("").to_str().unwrap()));
    let deep = world.data("project_info", json!({"depth": 4, "path": "src"}));
    assert_eq!(
        deep["file_tree"],
        json!([{"name": "deep", "type": "folder", "children": [
            {"name": "er", "type": "folder", "children": [{"name": "x.php", "type": "file"}]}
        ]}])
    );
    assert_eq!(deep["framework"], "unknown");
}

#[test]
fn without_a_site_the_workspace_is_shown() {
    let world = World::built(json!({}), |_, options| options.site = None);
    world.put("work/a.txt", "");
    let data = world.data("project_info", json!({}));
    assert_eq!((&data["root"], &data["file_tree"][0]["name"]), (&json!("workspace:/"), &json!("a.txt")));
    let none = World::built(json!({}), |folder, options| {
        options.site = None;
        options.workspace = Some(folder.join("none"));
    });
    assert_eq!(none.code("project_info", json!({})), "NOT_FOUND");
}

#[test]
fn a_large_tree_is_cut_where_it_is_deep_and_says_so() {
    let world = World::new();
    for folder in 0..30 {
        for file in 0..30 {
            world.put(&format!("site/f{folder:02}/{file:02}.txt"), "");
        }
    }
    let packages: Vec<Value> =
        (0..500).map(|n| json!({"name": format!("vendor-{n:03}/package"), "version": "1.0.0"})).collect();
    world.put("site/composer.lock", json!({"packages": packages}).to_string());
    let answer = world.call("project_info", json!({"max_entries": 1000}));
    assert!(answer.to_string().chars().count() <= 10_000);
    let tree = answer["data"]["file_tree"].as_array().unwrap();
    assert_eq!(tree.len(), 31, "the first level is whole");
    let shown = answer["meta"]["entries"].as_u64().unwrap();
    assert_eq!(shown + answer["meta"]["entries_left_out"].as_u64().unwrap(), 931);
    let listed = answer["data"]["packages"].as_array().unwrap().len() as u64;
    assert!(listed > 5);
    assert_eq!(listed + answer["meta"]["packages_left_out"].as_u64().unwrap(), 500);
    assert_eq!(answer["data"]["projects"][0]["packages"], 500);
    let few = world.call("project_info", json!({"max_entries": 3}));
    assert_eq!(few["meta"]["entries"], 3);
    for warning in answer["warnings"].as_array().unwrap() {
        assert!(
            !warning["message"].as_str().unwrap().contains("were cut"),
            "the tool fits itself: {warning}"
        );
    }
}

#[test]
fn folders_that_are_not_to_be_entered_are_refused() {
    let world = World::new();
    world.put("site/.git/config", "");
    world.put("site/a.txt", "");
    symlink(world.path("site"), world.path("work/link")).unwrap();
    for (path, code) in [
        ("site:/.git", "PATH_BLOCKED"),
        ("site:/a.txt", "NOT_A_FOLDER"),
        ("site:/missing", "NOT_FOUND"),
        ("workspace:/link", "PATH_SYMLINK"),
        ("../", "PATH_TRAVERSAL"),
        ("/", "PATH_ABSOLUTE"),
    ] {
        assert_eq!(world.code("project_info", json!({"path": path})), code, "{path}");
    }
    assert_eq!(world.code("project_info", json!({"depth": "deep"})), "INVALID_ARGUMENT");
    let clamped = world.call("project_info", json!({"depth": 9}));
    assert_eq!(
        (&clamped["meta"]["depth"], &clamped["warnings"][0]["code"]),
        (&json!(4), &json!("ARGUMENT_ADJUSTED"))
    );
}
