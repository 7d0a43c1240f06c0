//! A shop on SQLite, made for one test: files, tables and rows.

mod catalogue;
mod coupons;
mod cron;
mod customers;
mod delivery;
mod goods;
mod logs;
mod media;
mod menus;
mod orders;
mod report;
mod reviews;
mod sales;
mod stock;
mod tables;
mod tax;
mod terms;

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use tempfile::TempDir;

pub(crate) use self::goods::PLANTED;
pub(crate) use self::sales::Store;
pub(crate) use self::tables::{TABLES, for_mysql, prefixed};
use crate::door::{Door, attach};

/// Where the integration keeps its database unless told otherwise.
pub(crate) const DATABASE: &str = "wp-content/database/.ht.sqlite";
pub(crate) const PREFIX: &str = "corner_";

/// What keeps the configuration's four names harmless: SQLite does not use them.
pub(crate) const CONFIG: &str = r"<?php
define( 'DB_ENGINE', 'sqlite' );
define( 'DB_NAME', 'unused' );
define( 'DB_USER', 'unused' );
define( 'DB_PASSWORD', 'PLANTED-db-password' );
define( 'DB_HOST', 'localhost' );
define( 'AUTH_KEY', 'PLANTED-config-auth-key' );
define( 'SECURE_AUTH_SALT', 'PLANTED-config-salt' );
$table_prefix = 'corner_';
require_once ABSPATH . 'wp-settings.php';
";

/// A site of its own, gone with the test.
pub(crate) struct Shop {
    folder: TempDir,
}

impl Shop {
    /// A whole shop with its orders in one of the two stores.
    pub(crate) async fn new(store: Store) -> Self {
        let shop = Self::files();
        shop.write("wp-config.php", CONFIG);
        fill(&shop.path(DATABASE), &rows(store)).await;
        shop
    }

    /// Files only; neither configuration nor database.
    pub(crate) fn files() -> Self {
        let shop = Self { folder: tempfile::tempdir().unwrap() };
        shop.write("wp-load.php", "<?php\n");
        shop.write("wp-settings.php", "<?php\n");
        shop.write("wp-includes/version.php", "<?php\n$wp_version = '7.1';\n");
        shop.write(
            "wp-content/plugins/woocommerce/woocommerce.php",
            "<?php\n/**\n * Plugin Name: WooCommerce\n * Version: 11.0.1\n * Author: Automattic\n */\n",
        );
        shop.write("wp-content/themes/index.php", "<?php\n");
        std::fs::create_dir_all(shop.path("wp-admin")).unwrap();
        std::fs::create_dir_all(shop.path("wp-content/database")).unwrap();
        shop
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn door(&self) -> Door {
        Door::of(&attach(self.root()))
    }

    /// Changes the shop as the site would.
    pub(crate) async fn run(&self, sql: &str) {
        fill(&self.path(DATABASE), &prefixed(sql, PREFIX)).await;
    }
}

/// The tables and all rows of the shop, for SQLite.
pub(crate) fn rows(store: Store) -> String {
    tables::for_sqlite(PREFIX) + &prefixed(&contents(store), PREFIX)
}

/// All rows, with `{p}` for the prefix.
pub(crate) fn contents(store: Store) -> String {
    [goods::PEOPLE, goods::POSTS, goods::GOODS, goods::SETTINGS, &sales::statements(store)].concat()
}

/// Runs statements on a database file, which is made where it is not there, and leaves nothing beside it.
pub(crate) async fn fill(file: &Path, sql: &str) {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let mut site = options.connect().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut site).await.unwrap();
    site.close().await.unwrap();
}
