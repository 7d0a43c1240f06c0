//! What may happen to a folder.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::demo::{DemoError, DemoOptions, create, files::DATABASE, find};

fn options() -> DemoOptions {
    DemoOptions::default()
}

/// All files below a folder with their bytes.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_same_seed_and_date_give_the_same_bytes() {
    let parent = tempfile::tempdir().unwrap();
    let (a, b, c) = (parent.path().join("a"), parent.path().join("nested/b"), parent.path().join("c"));
    create(&a, &options()).await.unwrap();
    create(&b, &options()).await.unwrap();
    create(&c, &DemoOptions { seed: 2, ..options() }).await.unwrap();
    let (a, b, c) = (tree(&a), tree(&b), tree(&c));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    assert!(a.iter().all(|(path, bytes)| b[path] == *bytes), "{:?}", a.keys().find(|p| a[*p] != b[*p]));
    let database = Path::new(DATABASE);
    assert!(a[database] != c[database]);
    // Rollback journal, not WAL (bytes 18 and 19 of the header), and nothing left beside the file.
    assert_eq!(a[database][18..20], [1, 1]);
    assert!(
        !a.keys().any(|p| p.to_string_lossy().ends_with("-wal") || p.to_string_lossy().ends_with("-journal"))
    );
    assert_eq!(names(parent.path()), ["a", "c", "nested"]);
    assert_eq!(names(&parent.path().join("nested")), ["b"]);
}

#[tokio::test]
async fn a_complete_demo_is_reused_and_a_fresh_one_replaces_it() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("shop");
    let first = create(&dir, &options()).await.unwrap();
    fs::write(dir.join("note.txt"), "mine").unwrap();
    let before = tree(&dir);
    let again = create(&dir, &options()).await.unwrap();
    assert!(again.reused && !first.reused);
    assert_eq!((&again.counts, &again.now, &again.dir), (&first.counts, &first.now, &dir));
    assert!(tree(&dir) == before);
    let fresh = create(&dir, &DemoOptions { fresh: true, ..options() }).await.unwrap();
    assert!(!fresh.reused);
    assert!(!dir.join("note.txt").exists());
    assert_eq!(names(parent.path()), ["shop"]);
}

#[tokio::test]
async fn another_seed_or_date_asks_for_a_fresh_one() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("shop");
    create(&dir, &options()).await.unwrap();
    let seed = create(&dir, &DemoOptions { seed: 9, ..options() }).await.unwrap_err();
    assert!(seed.to_string().contains("seed 1 instead of 9") && seed.to_string().contains("fresh"), "{seed}");
    let ends_on = jiff::civil::date(2027, 3, 1);
    let date = create(&dir, &DemoOptions { ends_on, ..options() }).await.unwrap_err();
    assert!(date.to_string().contains("data to 2026-11-30 instead of 2027-03-01"), "{date}");
    let moved = create(&dir, &DemoOptions { ends_on, fresh: true, ..options() }).await.unwrap();
    assert_eq!(moved.now, "2027-03-01T18:00:00Z");
    fs::remove_file(dir.join(DATABASE)).unwrap();
    let damaged = create(&dir, &DemoOptions { ends_on, ..options() }).await.unwrap_err();
    assert!(matches!(damaged, DemoError::Damaged { .. }), "{damaged}");
}

#[tokio::test]
async fn a_demo_of_any_seed_and_date_is_found_and_nothing_else() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("shop");
    assert_eq!(find(&dir).unwrap(), None);
    fs::create_dir(&dir).unwrap();
    assert_eq!(find(&dir).unwrap(), None);
    let ends_on = jiff::civil::date(2025, 2, 3);
    create(&dir, &DemoOptions { seed: 5, ends_on, ..options() }).await.unwrap();
    let found = find(&dir).unwrap().unwrap();
    assert_eq!((found.seed, found.now.as_str(), found.reused), (5, "2025-02-03T18:00:00Z", true));
    assert_eq!(found.dir, dir);
    assert!(matches!(find(parent.path()).unwrap_err(), DemoError::Foreign { .. }));
    let marker = dir.join(".siteclaw-demo.json");
    let text = fs::read_to_string(&marker).unwrap();
    fs::write(&marker, text.replace("\"siteclaw_demo\": 1", "\"siteclaw_demo\": 999")).unwrap();
    assert!(matches!(find(&dir).unwrap_err(), DemoError::Other { .. }));
    fs::write(&marker, text).unwrap();
    fs::remove_file(dir.join(DATABASE)).unwrap();
    assert!(matches!(find(&dir).unwrap_err(), DemoError::Damaged { .. }));
}

#[tokio::test]
async fn a_foreign_folder_stays_as_it_is() {
    let parent = tempfile::tempdir().unwrap();
    let demo = parent.path().join("demo");
    create(&demo, &options()).await.unwrap();
    let site = parent.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("wp-config.php"), "<?php").unwrap();
    for fresh in [false, true] {
        let options = DemoOptions { fresh, ..options() };
        let error = create(&site, &options).await.unwrap_err();
        assert!(matches!(error, DemoError::Foreign { .. }), "{error}");
        // Somebody else's marker does not make it ours: a broken one, or a link to a real one.
        fs::write(site.join(".siteclaw-demo.json"), "{}").unwrap();
        assert!(matches!(create(&site, &options).await.unwrap_err(), DemoError::Foreign { .. }));
        fs::remove_file(site.join(".siteclaw-demo.json")).unwrap();
        std::os::unix::fs::symlink(demo.join(".siteclaw-demo.json"), site.join(".siteclaw-demo.json"))
            .unwrap();
        assert!(matches!(create(&site, &options).await.unwrap_err(), DemoError::Foreign { .. }));
        fs::remove_file(site.join(".siteclaw-demo.json")).unwrap();
        // A link to a demo, and a file, are no folders of ours either.
        let link = parent.path().join("link");
        std::os::unix::fs::symlink(&demo, &link).unwrap();
        assert!(matches!(create(&link, &options).await.unwrap_err(), DemoError::NotAFolder { .. }));
        fs::remove_file(&link).unwrap();
        assert!(matches!(
            create(&site.join("wp-config.php"), &options).await.unwrap_err(),
            DemoError::NotAFolder { .. }
        ));
        assert!(matches!(
            create(Path::new(".."), &options).await.unwrap_err(),
            DemoError::Foreign { .. } | DemoError::Unnamed { .. }
        ));
    }
    assert_eq!(names(&site), ["wp-config.php"]);
    assert_eq!(names(parent.path()), ["demo", "site"]);
}

#[tokio::test]
async fn an_empty_folder_is_filled_and_a_refused_date_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("empty");
    fs::create_dir(&dir).unwrap();
    let ends_on = jiff::civil::date(2150, 1, 1);
    let error = create(&dir, &DemoOptions { ends_on, ..options() }).await.unwrap_err();
    assert!(matches!(error, DemoError::Date { .. }), "{error}");
    assert_eq!(names(parent.path()), ["empty"]);
    assert!(names(&dir).is_empty());
    create(&dir, &options()).await.unwrap();
    assert!(dir.join(DATABASE).is_file());
}

#[tokio::test]
async fn a_run_that_is_given_up_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("shop");
    let options = options();
    let mut run = Box::pin(create(&dir, &options));
    // Polled once: the files are written, the database is about to be.
    let waiting = std::future::poll_fn(|cx| std::task::Poll::Ready(run.as_mut().poll(cx).is_pending())).await;
    assert!(waiting);
    assert_eq!(names(parent.path()).len(), 1);
    drop(run);
    assert!(names(parent.path()).is_empty());
}
