//! A large shop: a WordPress folder as far as tools read it, and its database in MariaDB.

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use crate::error::{BenchError, Context};

const DATABASE: &str = "siteclaw_bench";

/// The shop, in a folder and a database of its own.
pub(crate) struct Shop {
    folder: PathBuf,
    server: MySqlConnectOptions,
}

impl Shop {
    /// Makes both. A database of that name that is there already is an error: it is not ours to replace.
    pub(crate) async fn create(url: &str, folder: &Path) -> Result<Self, BenchError> {
        // The address may hold a password, so it stays out of messages.
        let server: MySqlConnectOptions = url.parse().context(|| "reading the server's address".into())?;
        let server = server.disable_statement_logging();
        let mut connection = server.connect().await.context(|| "connecting to MariaDB".into())?;
        let create =
            format!("CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci");
        sqlx::raw_sql(AssertSqlSafe(create))
            .execute(&mut connection)
            .await
            .context(|| format!("making the database {DATABASE}"))?;
        let shop = Self { folder: folder.to_owned(), server: server.database(DATABASE) };
        if let Err(error) = shop.fill().await {
            shop.remove().await?;
            return Err(error);
        }
        Ok(shop)
    }

    async fn fill(&self) -> Result<(), BenchError> {
        let mut connection = self.connect().await?;
        for (what, statements) in [
            ("tables", include_str!("../sql/schema.sql")),
            ("rows", include_str!("../sql/rows.sql")),
            ("statistics", include_str!("../sql/statistics.sql")),
        ] {
            let filled = sqlx::raw_sql(statements).execute(&mut connection).await;
            filled.context(|| format!("making the {what} of the large shop"))?;
        }
        connection.close().await.context(|| "closing a connection".into())?;
        self.write_files()
    }

    fn write_files(&self) -> Result<(), BenchError> {
        let server = &self.server;
        let config = format!(
            "<?php\ndefine( 'DB_NAME', '{DATABASE}' );\ndefine( 'DB_USER', '{user}' );\n\
             define( 'DB_PASSWORD', '' );\ndefine( 'DB_HOST', '{host}:{port}' );\n\
             define( 'DB_CHARSET', 'utf8mb4' );\n$table_prefix = 'wp_';\n\
             require_once ABSPATH . 'wp-settings.php';\n",
            user = server.get_username(),
            host = server.get_host(),
            port = server.get_port(),
        );
        let nothing = "<?php\n";
        for (path, text) in [
            ("wp-config.php", config.as_str()),
            ("wp-load.php", nothing),
            ("wp-settings.php", nothing),
            ("wp-includes/version.php", "<?php\n$wp_version = '7.0';\n"),
            (
                "wp-content/plugins/woocommerce/woocommerce.php",
                "<?php\n/**\n * Plugin Name: WooCommerce\n * Version: 10.3.0\n */\n",
            ),
            ("wp-content/themes/index.php", nothing),
        ] {
            let path = self.folder.join(path);
            let written =
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
            written.context(|| format!("writing {}", path.display()))?;
        }
        Ok(())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A plain connection to the shop's database.
    pub(crate) async fn connect(&self) -> Result<MySqlConnection, BenchError> {
        self.server.connect().await.context(|| "connecting to the large shop's database".into())
    }

    /// Drops the database; the folder goes with the run's.
    pub(crate) async fn remove(&self) -> Result<(), BenchError> {
        let mut connection = self.connect().await?;
        let dropped =
            sqlx::raw_sql(AssertSqlSafe(format!("DROP DATABASE {DATABASE}"))).execute(&mut connection);
        dropped.await.map(drop).context(|| format!("dropping the database {DATABASE}"))
    }
}
