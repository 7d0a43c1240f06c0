//! A demo shop to ask, made once for a build of the binary, and copies of it to break.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use siteclaw::demo::{self, DemoOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions};
use tempfile::TempDir;

use crate::binary::BINARY;

pub(crate) const DATABASE: &str = "wp-content/database/.ht.sqlite";
pub(crate) const CONFIG: &str = "wp-config.php";

/// The shop that all tests share. Nobody writes to it.
pub(crate) fn shop() -> PathBuf {
    let built = fs::metadata(BINARY).unwrap().modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
    let shops = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shops");
    fs::create_dir_all(&shops).unwrap();
    let lock = File::create(shops.join("lock")).unwrap();
    lock.lock().unwrap();
    let shop = shops.join(built.as_nanos().to_string());
    if !shop.exists() {
        for old in fs::read_dir(&shops).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            fs::remove_dir_all(old.path()).unwrap();
        }
        block_on(demo::create(&shop, &DemoOptions::default())).unwrap();
    }
    shop
}

/// A copy that a test may change.
pub(crate) struct Copy {
    folder: TempDir,
}

impl Copy {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(&shop(), &folder.path().join("site"));
        Self { folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    /// The folder that holds the site and nothing else.
    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Replaces a line of the configuration that holds `part`.
    pub(crate) fn define(&self, part: &str, line: &str) {
        let file = self.path().join(CONFIG);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.lines().any(|old| old.contains(part)), "{part}");
        let lines: Vec<&str> = text.lines().map(|old| if old.contains(part) { line } else { old }).collect();
        fs::write(file, lines.join("\n")).unwrap();
    }

    /// Makes it a site on a MySQL server, as the configuration says it.
    pub(crate) fn on_mysql(&self, database: &str, user: &str, password: &str, host: &str) {
        for file in ["wp-content/db.php", DATABASE] {
            fs::remove_file(self.path().join(file)).unwrap();
        }
        self.define("'DB_ENGINE'", "");
        let php = |text: &str| text.replace('\\', r"\\").replace('\'', r"\'");
        for (name, value) in
            [("DB_NAME", database), ("DB_USER", user), ("DB_PASSWORD", password), ("DB_HOST", host)]
        {
            self.define(&format!("'{name}'"), &format!("define('{name}', '{}');", php(value)));
        }
    }

    /// The database, to be changed.
    pub(crate) async fn database(&self) -> SqliteConnection {
        SqliteConnectOptions::new().filename(self.path().join(DATABASE)).connect().await.unwrap()
    }
}

/// A number from the shared shop by plain SQL.
pub(crate) fn number(sql: &str) -> i64 {
    let options = SqliteConnectOptions::new().filename(shop().join(DATABASE)).read_only(true).immutable(true);
    block_on(async {
        let mut database = options.connect().await.unwrap();
        sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(&mut database).await.unwrap()
    })
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Everything below a folder: bytes of files, and when each file and folder was last changed. A file that was made
/// and removed again shows in its folder's time.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, (i64, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let meta = fs::metadata(&folder).unwrap();
        found.insert(folder.clone(), (meta.mtime(), meta.mtime_nsec(), Vec::new()));
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.metadata().unwrap());
            if meta.is_dir() {
                folders.push(path);
            } else {
                let bytes = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                found.insert(path, (meta.mtime(), meta.mtime_nsec(), bytes));
            }
        }
    }
    found
}

/// The paths in which two trees differ.
pub(crate) fn changed(
    before: &BTreeMap<PathBuf, (i64, i64, Vec<u8>)>,
    after: &BTreeMap<PathBuf, (i64, i64, Vec<u8>)>,
) -> Vec<PathBuf> {
    let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    keys.into_iter().filter(|key| before.get(*key) != after.get(*key)).cloned().collect()
}
