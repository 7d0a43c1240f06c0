//! No command writes to a site.

use std::path::PathBuf;

use sqlx::{Connection, Executor, SqliteConnection};

use crate::binary::User;
use crate::mcp::Client;
use crate::shop::{Copy, block_on, changed, tree};

fn everything(site: &std::path::Path) {
    let user = User::of(site);
    for arguments in [
        &["site"][..],
        &["tools"],
        &["doctor"],
        &["explain", "low stock"],
        &["send", "which products are low in stock"],
        &["call", "wp_query", "search=coffee"],
        &["call", "wp_plugins", "kind=all"],
        &["call", "wp_users"],
        &["call", "wp_comments"],
        &["call", "wp_option", "option_name=siteurl"],
        &["call", "wc_get_orders", "aggregate=true"],
        &["call", "wc_get_products"],
        &["call", "nothing"],
    ] {
        let answer = user.run(arguments);
        assert_eq!(answer.code, Some(if arguments[1..] == ["nothing"] { 2 } else { 0 }), "{answer:?}");
    }
    let mut client = Client::start(&mut user.command(&["mcp"]));
    client.call(1, "wp_query", serde_json::json!({"posts_per_page": 1}));
    assert_eq!(client.receive()["result"]["isError"], false);
    client.end();
}

#[test]
fn a_site_at_rest_stays_as_it_is() {
    let site = Copy::new();
    let before = tree(site.outside());
    everything(&site.path());
    assert_eq!(changed(&before, &tree(site.outside())), Vec::<PathBuf>::new());
}

#[test]
fn a_site_that_is_being_written_to_gets_no_files_and_no_bytes_from_us() {
    let site = Copy::new();
    let mut writer: SqliteConnection = block_on(async {
        let mut writer = site.database().await;
        writer.execute("PRAGMA journal_mode = WAL").await.unwrap();
        writer
            .execute("UPDATE wp_options SET option_value = 'Live' WHERE option_name = 'blogname'")
            .await
            .unwrap();
        writer
    });
    let before = tree(site.outside());
    let database = site.path().join(crate::shop::DATABASE);
    let beside = |end: &str| PathBuf::from(format!("{}{end}", database.display()));
    assert!(before.contains_key(&beside("-wal")) && before.contains_key(&beside("-shm")));
    let name = User::of(&site.path()).run(&["call", "wp_option", "option_name=blogname"]);
    assert!(name.text().contains("Live"), "{name:?}");
    everything(&site.path());
    // The index is shared memory in which every reader marks where it reads; all else stays.
    let mut differing = changed(&before, &tree(site.outside()));
    differing.retain(|path| *path != beside("-shm"));
    assert_eq!(differing, Vec::<PathBuf>::new());
    block_on(async {
        writer
            .execute("UPDATE wp_options SET option_value = 'Still' WHERE option_name = 'blogname'")
            .await
            .unwrap();
        writer.close().await.unwrap();
    });
}
