//! `siteclaw demo`: made once, found again, and nothing beside it.

use std::fs;

use serde_json::json;

use crate::binary::User;
use crate::shop::{Copy, changed, tree};

#[test]
fn the_demo_is_made_found_again_and_made_anew_in_its_folder_only() {
    let user = User::new();
    let folder = user.home.path().join("here/demo");
    let dir = folder.to_str().unwrap();
    let made = user.run(&["--json", "demo", dir]);
    made.text();
    let document = made.json();
    assert_eq!(
        json!([document["reused"], document["site"], document["now"]]),
        json!([false, folder.join("shop"), "2026-11-30T18:00:00Z"])
    );
    let answers = document["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 3);
    for answer in answers {
        assert!(answer["question"].is_string());
        assert_eq!(answer["answer"]["tools_called"][0]["success"], true, "{answer}");
    }
    let listed = |path: &std::path::Path| {
        let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    // The home of this user is where a state folder would appear.
    assert_eq!(listed(user.home.path()), ["here"]);
    assert_eq!(listed(&user.home.path().join("here")), ["demo"]);
    assert!(listed(&folder).iter().all(|name| name == "shop" || name == "state"), "{:?}", listed(&folder));

    // Days later it is the same shop, asked as of its own day.
    let before = tree(&folder.join("shop"));
    let later = user.command(&["demo", dir]).env("SITECLAW_NOW", "2026-12-24").output().unwrap();
    let error = String::from_utf8(later.stderr).unwrap();
    assert_eq!(later.status.code(), Some(0), "{error}");
    assert!(error.starts_with("Found the demo shop in "), "{error}");
    assert!(error.contains("SITECLAW_NOW=2026-11-30T18:00:00Z siteclaw --site "), "{error}");
    assert_eq!(changed(&before, &tree(&folder.join("shop"))), Vec::<std::path::PathBuf>::new());
    let out = String::from_utf8(later.stdout).unwrap();
    assert_eq!(out.matches("\n> ").count(), 3);
    assert_eq!(out.matches("\n  called w").count(), 3);

    let fresh =
        user.command(&["--json", "demo", dir, "--fresh"]).env("SITECLAW_NOW", "2026-12-24").output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&fresh.stdout).unwrap();
    assert_eq!(json!([document["reused"], document["now"]]), json!([false, "2026-12-23T18:00:00Z"]));
    assert_eq!(listed(user.home.path()), ["here"]);
}

#[test]
fn a_folder_with_anything_else_in_it_or_in_a_site_is_refused() {
    let user = User::new();
    let folder = user.home.path().join("mine");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("letter.txt"), "dear").unwrap();
    let refused = user.run(&["demo", "mine"]);
    assert!(refused.complaint(2).contains("letter.txt"), "{refused:?}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);

    let site = Copy::new();
    let before = tree(site.outside());
    for start in [site.path(), site.path().join("wp-content/uploads")] {
        for arguments in [&["demo"][..], &["demo", "--fresh"], &["demo", "a/b"]] {
            let refused = user.run_in(&start, arguments);
            assert!(refused.complaint(2).contains("sites are never written to"), "{refused:?}");
        }
    }
    assert!(changed(&before, &tree(site.outside())).is_empty());
    let named = User::of(&site.path()).run(&["demo"]);
    assert!(named.complaint(2).contains("without --site"), "{named:?}");
}

#[test]
fn configuration_for_other_sites_does_not_reach_the_demo() {
    let user = User::new();
    user.configure("[tools]\ndeny = [\"wc_stock\"]\n[site.database]\nname = \"/nowhere.sqlite\"\n");
    let answer = user.run(&["--json", "demo"]);
    answer.text();
    assert_eq!(answer.json()["answers"][0]["answer"]["tools_called"][0]["success"], true);
}
