//! SQLite files under the hands of somebody who swaps them: only what was judged is ever read.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, openat, renameat_with};
use siteclaw_db::{ConnectSettings, Database, DbError, OpenFile, SqliteFile};

use crate::servers::{limits, rows};
use crate::sqlite::{open, run, site};

async fn database(path: &Path, owner: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut site = site(path).await;
    run(&mut site, &format!("CREATE TABLE t (owner TEXT); INSERT INTO t VALUES ('{owner}')")).await;
    sqlx::Connection::close(site).await.unwrap();
}

/// Opens `data/site.sqlite` beneath an open folder and follows no link there, as a site's root does.
fn open_beneath(root: &OwnedFd, path: &Path) -> io::Result<OpenFile> {
    let data = openat(root, "data", OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?;
    let file = openat(&data, "site.sqlite", OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())?;
    Ok(OpenFile { file: file.into(), folder: data, path: path.to_owned() })
}

fn root(folder: &Path) -> OwnedFd {
    openat(CWD, folder, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap()
}

fn judged(folder: &Path) -> SqliteFile {
    let (root, path) = (root(folder), folder.join("data/site.sqlite"));
    SqliteFile::opened_by(path.clone(), move || open_beneath(&root, &path))
}

/// Has two names change places as fast as it can, until it is dropped.
struct Swapper(Arc<AtomicBool>, Option<std::thread::JoinHandle<u64>>);

impl Swapper {
    fn of(one: &Path, other: &Path) -> Self {
        let goes_on = Arc::new(AtomicBool::new(true));
        let (one, other, still) = (one.to_owned(), other.to_owned(), Arc::clone(&goes_on));
        let thread = std::thread::spawn(move || {
            let mut swaps = 0;
            while still.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
            }
            swaps
        });
        Self(goes_on, Some(thread))
    }

    fn stop(&mut self) -> u64 {
        self.0.store(false, Ordering::Relaxed);
        self.1.take().map_or(0, |thread| thread.join().unwrap())
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Asks new connections while the names change places: no answer is another's, and the file is read once they rest.
async fn only_ours(file: &SqliteFile, one: &Path, other: &Path) {
    let ask = async || {
        let database = Database::new(ConnectSettings::Sqlite(file.clone()), limits());
        let found = rows(&database, "SELECT owner FROM t").await;
        database.close().await;
        if let Ok(found) = &found {
            assert_eq!(found.rows[0].text("owner").unwrap(), "us", "another database was read");
        }
        found
    };
    let mut swapper = Swapper::of(one, other);
    for _ in 0..300 {
        drop(ask().await);
    }
    let swaps = swapper.stop();
    assert!(swaps > 100, "{swaps}");
    if swaps % 2 == 1 {
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }
    ask().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_changes_places_with_a_link_never_leads_out() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (folder.path().join("site/data/site.sqlite"), folder.path().join("theirs.sqlite"));
    database(&ours, "us").await;
    database(&theirs, "them").await;
    let link = folder.path().join("link");
    symlink(&theirs, &link).unwrap();
    only_ours(&judged(&folder.path().join("site")), &ours, &link).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_changes_places_with_a_link_never_leads_out() {
    let folder = tempfile::tempdir().unwrap();
    database(&folder.path().join("site/data/site.sqlite"), "us").await;
    database(&folder.path().join("other/site.sqlite"), "them").await;
    let link = folder.path().join("link");
    symlink(folder.path().join("other"), &link).unwrap();
    only_ours(&judged(&folder.path().join("site")), &folder.path().join("site/data"), &link).await;
}

/// Another database's `-wal` and `-shm` in the place of the file's own would be read as its pages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn companions_of_another_folder_are_never_used() {
    let folder = tempfile::tempdir().unwrap();
    let mut connections = Vec::new();
    for (place, owner) in [("site/data", "us"), ("other", "them")] {
        let path = folder.path().join(place).join("site.sqlite");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut site = site(&path).await;
        let sql = format!(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (owner TEXT); \
             INSERT INTO t VALUES ('{owner}')"
        );
        run(&mut site, &sql).await;
        connections.push(site);
    }
    let link = folder.path().join("link");
    symlink(folder.path().join("other"), &link).unwrap();
    only_ours(&judged(&folder.path().join("site")), &folder.path().join("site/data"), &link).await;
}

/// The worst moment of all: the file was judged, and SQLite is about to open its name.
#[tokio::test]
async fn a_folder_that_is_swapped_once_the_file_was_judged_changes_nothing() {
    for wal in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut sites = Vec::new();
        for (place, owner) in [("site/data", "us"), ("other", "them")] {
            let path = folder.path().join(place).join("site.sqlite");
            database(&path, owner).await;
            let mut site = site(&path).await;
            if wal {
                run(&mut site, "PRAGMA journal_mode = WAL; INSERT INTO t VALUES ('more')").await;
            }
            sites.push(site);
        }
        let (data, other) = (folder.path().join("site/data"), folder.path().join("other"));
        let (root, path) = (root(&folder.path().join("site")), data.join("site.sqlite"));
        let aside = folder.path().join("aside");
        let swapped = SqliteFile::opened_by(path.clone(), move || {
            let place = open_beneath(&root, &path)?;
            fs::rename(&data, &aside)?;
            symlink(&other, &data)?;
            Ok(place)
        });
        let database = Database::new(ConnectSettings::Sqlite(swapped), limits());
        // What SQLite opened is dropped, and the file that was judged is copied by its handle.
        let found = rows(&database, "SELECT owner FROM t ORDER BY owner DESC").await.unwrap();
        assert_eq!(found.rows[0].text("owner").unwrap(), "us", "in WAL mode: {wal}");
        assert_eq!(found.len(), if wal { 2 } else { 1 });
    }
}

/// A crashed transaction over several databases leaves a journal that names a "super-journal", which SQLite
/// deletes once it has rolled back. Whoever writes a site's journal must not have a file of his choice deleted.
#[tokio::test]
async fn a_journal_cannot_have_another_file_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.sqlite");
    let mut writer = site(&path).await;
    run(
        &mut writer,
        "PRAGMA cache_size = 1; PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER, filler TEXT)",
    )
    .await;
    run(&mut writer, "INSERT INTO t VALUES (1, 'a'); BEGIN").await;
    let many = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 500) INSERT INTO t SELECT i, hex(zeroblob(500)) FROM n";
    run(&mut writer, many).await;
    let crashed = tempfile::tempdir().unwrap();
    for name in ["site.sqlite", "site.sqlite-journal"] {
        fs::copy(folder.path().join(name), crashed.path().join(name)).unwrap();
    }
    drop(writer);
    let victim = folder.path().join("authorized_keys");
    fs::write(&victim, "ssh-ed25519 AAAA").unwrap();
    // File format, section 3: page number, name, length, sum of the bytes, magic.
    let name = victim.to_str().unwrap().as_bytes();
    let sum: u32 = name.iter().map(|byte| u32::from(*byte)).sum();
    let mut journal = fs::read(crashed.path().join("site.sqlite-journal")).unwrap();
    journal.extend(0x4000_0001_u32.to_be_bytes());
    journal.extend(name);
    journal.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    fs::write(crashed.path().join("site.sqlite-journal"), journal).unwrap();

    let database = open(&crashed.path().join("site.sqlite"), limits());
    let error = rows(&database, "SELECT count(*) FROM t").await.unwrap_err();
    assert!(victim.exists(), "the named file is gone: {error}");
    assert!(matches!(error, DbError::FileUnreadable { .. }), "{error:?}");
    assert!(error.to_string().contains("a transaction over several databases"), "{error}");
}
