//! A site whose owner swaps its files while they are in use.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::door::column;
use crate::shop::{DATABASE, Shop, Store, fill, rows};

/// The configuration was read and its file judged; what the name leads to afterwards was not.
#[tokio::test]
async fn a_database_that_becomes_a_link_to_another_is_not_read() {
    let (shop, other) = (Shop::new(Store::Own).await, tempfile::tempdir().unwrap());
    let theirs = other.path().join("other.sqlite");
    fill(&theirs, &rows(Store::Own)).await;
    let door = shop.door();
    let before = door.ask("wp_query", json!({})).await;
    assert_eq!(column(&before["data"]["posts"], "title"), ["Hello & goodbye", "Members only"]);
    let file = shop.path(DATABASE);
    fs::rename(&file, shop.path("aside")).unwrap();
    symlink(&theirs, &file).unwrap();
    let error = door.refused("wp_query", json!({})).await;
    assert_eq!(error["code"], json!("DATABASE_UNAVAILABLE"), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("lies outside the folder, and no trusted path covers it"), "{message}");
    fs::remove_file(&file).unwrap();
    fs::rename(shop.path("aside"), &file).unwrap();
    assert_eq!(door.ask("wp_query", json!({})).await["data"], before["data"]);
}
