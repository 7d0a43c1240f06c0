//! A database and an account of a test's own on the server that `cargo xtask test` starts.

use std::str::FromStr;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions};

use crate::journal::variable;
use crate::shop::{PREFIX, Store, contents, for_mysql, prefixed};

/// With the characters that break naive readers of PHP.
pub(crate) const PASSWORD: &str = "p\"ss$w#rd;//x";

pub(crate) struct Server {
    pub(crate) name: String,
    options: MySqlConnectOptions,
}

impl Server {
    /// The shop's tables with its rows; the account may do everything in them.
    pub(crate) async fn new(test: &str) -> Self {
        let options = MySqlConnectOptions::from_str(&variable("SITECLAW_TEST_MYSQL")).unwrap();
        let name = format!("sc_site_{test}");
        let server = Self { name, options };
        let name = &server.name;
        let mut admin = server.options.connect().await.unwrap();
        for sql in [
            format!("DROP DATABASE IF EXISTS {name}"),
            format!("CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci"),
            format!("DROP USER IF EXISTS '{name}'@'%', '{name}'@'localhost'"),
            format!("CREATE USER '{name}'@'%' IDENTIFIED BY '{PASSWORD}'"),
            format!("CREATE USER '{name}'@'localhost' IDENTIFIED BY '{PASSWORD}'"),
            format!("GRANT ALL ON {name}.* TO '{name}'@'%'"),
            format!("GRANT ALL ON {name}.* TO '{name}'@'localhost'"),
        ] {
            run(&mut admin, &sql).await;
        }
        server.fill(&contents(Store::Own)).await;
        server
    }

    /// `DB_HOST`.
    pub(crate) fn host(&self) -> String {
        match self.options.get_socket() {
            Some(socket) => format!("localhost:{}", socket.display()),
            None => format!("{}:{}", self.options.get_host(), self.options.get_port()),
        }
    }

    /// A configuration that leads here.
    pub(crate) fn config(&self) -> String {
        format!(
            "<?php\ndefine( 'DB_NAME', '{name}' );\ndefine( 'DB_USER', '{name}' );\ndefine( 'DB_PASSWORD', '{PASSWORD}' );\n\
             define( 'DB_HOST', '{}' );\n$table_prefix = '{PREFIX}';\nrequire_once ABSPATH . 'wp-settings.php';\n",
            self.host(),
            name = self.name
        )
    }

    /// Makes all tables anew and fills them.
    pub(crate) async fn fill(&self, contents: &str) {
        let mut admin = self.admin().await;
        run(&mut admin, &format!("DROP DATABASE {0}; CREATE DATABASE {0} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci; USE {0}", self.name)).await;
        for (table, _) in crate::shop::TABLES {
            let sql = for_mysql(PREFIX);
            let create = sql.split(';').find(|sql| sql.contains(&format!("{PREFIX}{table} ("))).unwrap();
            run(&mut admin, create).await;
        }
        run(&mut admin, &prefixed(contents, PREFIX)).await;
    }

    /// A connection of the administrator, in this database, as lax as WordPress makes its own.
    pub(crate) async fn admin(&self) -> MySqlConnection {
        let mut admin = self.options.connect().await.unwrap();
        run(&mut admin, &format!("USE {}", self.name)).await;
        run(&mut admin, "SET sql_mode = 'NO_ENGINE_SUBSTITUTION'").await;
        admin
    }
}

pub(crate) async fn run(admin: &mut MySqlConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(admin).await.unwrap();
}
