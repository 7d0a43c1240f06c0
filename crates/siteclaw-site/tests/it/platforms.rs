//! From the configuration texts of eight platforms to a database: nothing connects, and no password shows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siteclaw_core::Secret;
use siteclaw_site::{AttachOptions, DatabaseOverride, Site};
use tempfile::TempDir;

/// The files by which each platform is known, without its configuration.
fn skeleton(platform: &str) -> &'static [(&'static str, &'static str)] {
    match platform {
        "drupal" => &[
            ("web/core/lib/Drupal.php", "<?php class Drupal { const VERSION = '10.5.6'; }"),
            ("composer.json", r#"{"require": {"drupal/core-recommended": "^10"}}"#),
        ],
        "joomla" => &[
            ("administrator/manifests/files/joomla.xml", "<extension><version>5.2.3</version></extension>"),
            ("includes/framework.php", "<?php"),
        ],
        "magento" => &[("bin/magento", ""), ("app/etc/di.xml", "<config/>")],
        "prestashop" => &[
            ("config/config.inc.php", "<?php"),
            ("classes/PrestaShopAutoload.php", "<?php"),
            ("config/defines.inc.php", "<?php"),
            ("modules/index.php", "<?php"),
            ("override/index.php", "<?php"),
        ],
        "opencart" => &[
            ("index.php", "<?php define('VERSION', '4.1.0.4');"),
            ("system/startup.php", "<?php"),
            ("catalog/controller/x.php", "<?php"),
        ],
        "laravel" => &[
            ("artisan", "#!/usr/bin/env php"),
            (
                "bootstrap/app.php",
                "<?php use Illuminate\\Foundation\\Application; return Application::configure()->create();",
            ),
            ("composer.json", r#"{"require": {"laravel/framework": "^12"}}"#),
            ("composer.lock", r#"{"packages": [{"name": "laravel/framework", "version": "v12.20.0"}]}"#),
        ],
        "symfony" => &[
            ("bin/console", ""),
            ("config/bundles.php", "<?php return [];"),
            ("src/Kernel.php", "<?php"),
            ("composer.json", r#"{"require": {"symfony/framework-bundle": "7.*"}}"#),
        ],
        "wordpress" => &[
            ("wp-load.php", "<?php"),
            ("wp-settings.php", "<?php"),
            ("wp-includes/version.php", "<?php $wp_version = '7.1';"),
            ("wp-admin/index.php", "<?php"),
        ],
        other => panic!("{other} has no skeleton"),
    }
}

/// Where each platform keeps its configuration.
fn config(platform: &str) -> &'static str {
    match platform {
        "drupal" => "web/sites/default/settings.php",
        "joomla" => "configuration.php",
        "magento" => "app/etc/env.php",
        "prestashop" => "app/config/parameters.php",
        "opencart" => "config.php",
        "laravel" | "symfony" => ".env",
        "wordpress" => "wp-config.php",
        other => panic!("{other} has no configuration"),
    }
}

struct Place {
    folder: TempDir,
    options: AttachOptions,
    secrets: Arc<Mutex<Vec<Secret>>>,
}

impl Place {
    fn of(platform: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secrets: Arc<Mutex<Vec<Secret>>> = Arc::default();
        let kept = Arc::clone(&secrets);
        let options = AttachOptions {
            on_secrets: Some(Arc::new(move |found| kept.lock().unwrap().extend(found))),
            ..AttachOptions::default()
        };
        let place = Self { folder, options, secrets };
        for (path, text) in skeleton(platform).iter().chain(files) {
            place.write(path, text);
        }
        place
    }

    /// The platform with one configuration text.
    fn with(platform: &str, text: &str) -> Self {
        Self::of(platform, &[(config(platform), text)])
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn process(mut self, variables: &[(&str, &str)]) -> Self {
        let all: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.options.process_env = Some(Arc::new(move |name| all.get(name).cloned()));
        self
    }

    fn attach(&self) -> Site {
        Site::attach(self.folder.path(), self.options.clone()).unwrap()
    }

    fn summary(&self) -> Value {
        self.attach().summary()
    }

    /// Engine, hosts, name, user and prefix on one line, or the error.
    fn line(&self) -> String {
        let summary = self.summary();
        let database = &summary["database"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(error) = database["error"].as_str() {
            return format!("error: {error}");
        }
        if database["engine"] == json!("sqlite") {
            let file = text(&database["file"]);
            let file = Path::new(&file)
                .strip_prefix(self.root())
                .map_or(file.clone(), |path| path.display().to_string());
            return format!("sqlite {file} [{}]", text(&summary["prefix"]));
        }
        let hosts: Vec<String> = database["hosts"].as_array().unwrap().iter().map(text).collect();
        let schema = match database["schema"].as_str() {
            None | Some("public") => String::new(),
            Some(schema) => format!(" schema {schema}"),
        };
        format!(
            "{} {}/{} as {}{schema} [{}]",
            text(&database["engine"]),
            hosts.join("|"),
            text(&database["name"]),
            text(&database["user"]),
            text(&summary["prefix"])
        )
    }

    fn knows_secret(&self, text: &str) -> bool {
        self.secrets.lock().unwrap().iter().any(|secret| secret.expose() == text)
    }
}

fn check(table: &[(&str, &str, &str)]) {
    for (platform, text, expected) in table {
        assert_eq!(&Place::with(platform, text).line(), expected, "{platform}: {text}");
    }
}

#[test]
fn joomla() {
    let class = |words: &str| {
        format!(
            "<?php class JConfig {{ public $user = 'jo'; public $password = 'pw-123456'; public $db = 'jdb'; public $dbprefix = 'abc_'; {words} }}"
        )
    };
    for (words, expected) in [
        (
            "public $dbtype = 'mysqli'; public $host = 'db.example.org:3307';",
            "mysql db.example.org:3307/jdb as jo [abc_]",
        ),
        ("public $dbtype = 'mysql'; public $host = '[::1]:3307';", "mysql [::1]:3307/jdb as jo [abc_]"),
        (
            "public $dbtype = 'mysqli'; public $host = 'unix:/run/my.sock';",
            "mysql /run/my.sock/jdb as jo [abc_]",
        ),
        (
            "public $dbtype = 'mysqli'; public $host = 'localhost:/run/my.sock';",
            "mysql /run/my.sock/jdb as jo [abc_]",
        ),
        ("public $dbtype = 'pgsql'; public $host = 'pg:5433';", "postgres pg:5433/jdb as jo [abc_]"),
        (
            "public $dbtype = 'pgsql'; public $host = '/run/pg';",
            "postgres /run/pg/.s.PGSQL.5432/jdb as jo [abc_]",
        ),
        (
            "public $host = 'db'; function __construct() { $this->host = 'later'; }",
            "mysql later:3306/jdb as jo [abc_]",
        ),
    ] {
        check(&[("joomla", &class(words), expected)]);
    }
    let line = Place::with("joomla", &class("public $dbtype = 'sqlsrv'; public $host = 'x';")).line();
    assert!(line.starts_with("error: JConfig::$dbtype names the database driver sqlsrv"), "{line}");
}

#[test]
fn drupal() {
    let target = |words: &str| {
        format!(
            "<?php\n$databases['default']['default'] = ['database' => 'dd', 'username' => 'du', 'password' => 'pw-123456', {words}];"
        )
    };
    for (words, expected) in [
        (
            "'driver' => 'mysql', 'host' => 'db', 'port' => '3307', 'prefix' => 'fn_'",
            "mysql db:3307/dd as du [fn_]",
        ),
        ("'driver' => 'mysql', 'host' => 'db', 'port' => ''", "mysql db:3306/dd as du []"),
        (
            "'driver' => 'mysql', 'host' => 'db', 'prefix' => ['default' => 'main_', 'users' => 'shared_']",
            "mysql db:3306/dd as du [main_]",
        ),
        (
            "'driver' => 'mysql', 'host' => 'db', 'unix_socket' => '/run/my.sock'",
            "mysql /run/my.sock/dd as du []",
        ),
        (
            "'namespace' => 'Drupal\\\\pgsql\\\\Driver\\\\Database\\\\pgsql', 'host' => 'pg', 'port' => 5433",
            "postgres pg:5433/dd as du []",
        ),
        (
            "'driver' => 'pgsql', 'host' => 'pg', 'prefix' => 'site.x_'",
            "postgres pg:5432/dd as du schema site [x_]",
        ),
    ] {
        check(&[("drupal", &target(words), expected)]);
    }
    // A relative path starts at the web root; a prefix names an attached database beside the main one.
    let sqlite = |prefix: &str| {
        format!(
            "<?php $databases['default']['default'] = ['driver' => 'sqlite', 'database' => 'sites/default/files/.ht.sqlite', 'prefix' => '{prefix}'];"
        )
    };
    check(&[
        ("drupal", &sqlite(""), "sqlite web/sites/default/files/.ht.sqlite []"),
        ("drupal", &sqlite("blog"), "sqlite web/sites/default/files/.ht.sqlite-blog []"),
        (
            "drupal",
            "<?php $databases = [];",
            "error: The database settings are not known from the configuration. $databases['default']['default']: it is not set. Set the variables, name a file that has them ([site] env_file in your siteclaw.toml), or give the values in [site.database] there.",
        ),
    ]);
}

#[test]
fn drupal_includes_its_local_settings_and_asks_the_environment() {
    let main = "<?php\nif (file_exists($app_root . '/' . $site_path . '/settings.local.php')) {\n  include $app_root . '/' . $site_path . '/settings.local.php';\n}";
    let local = "<?php $databases['default']['default'] = ['driver' => 'mysql', 'host' => getenv('MARIADB_HOST') ?: 'mariadb', 'database' => $_ENV['MARIADB_DATABASE'] ?? 'drupal', 'username' => 'u', 'password' => 'pw-123456'];";
    let files = [
        ("web/sites/default/settings.php", main),
        ("web/sites/default/settings.local.php", local),
        (".env", "MARIADB_DATABASE=magazine\n"),
    ];
    assert_eq!(Place::of("drupal", &files).line(), "mysql mariadb:3306/magazine as u []");
    let place = Place::of("drupal", &files).process(&[("MARIADB_HOST", "10.0.0.5")]);
    assert_eq!(place.line(), "mysql 10.0.0.5:3306/magazine as u []");
}

#[test]
fn magento() {
    let env = |words: &str| {
        format!(
            "<?php return ['db' => ['table_prefix' => 'mg_', 'connection' => ['default' => ['dbname' => 'mdb', 'username' => 'mu', 'password' => 'pw-123456', {words}]]], 'crypt' => ['key' => \"first-key-000\\nsecond-key-00\"]];"
        )
    };
    for (words, expected) in [
        ("'host' => 'db:3307'", "mysql db:3307/mdb as mu [mg_]"),
        ("'host' => 'db', 'port' => '3308'", "mysql db:3308/mdb as mu [mg_]"),
        ("'host' => '/run/my.sock'", "mysql /run/my.sock/mdb as mu [mg_]"),
        ("'host' => '#env(SHOP_DB, \"10.0.0.7\")'", "mysql 10.0.0.7:3306/mdb as mu [mg_]"),
    ] {
        check(&[("magento", &env(words), expected)]);
    }
    let place = Place::with("magento", &env("'host' => '#env(SHOP_DB)'"));
    let line = place.line();
    assert!(line.contains("['host']: it comes from the variable SHOP_DB, which is not set here"), "{line}");
    assert!(place.knows_secret("second-key-00") && place.knows_secret("pw-123456"));
    let place = place.process(&[("SHOP_DB", "10.0.0.9")]);
    assert_eq!(place.line(), "mysql 10.0.0.9:3306/mdb as mu [mg_]");
}

#[test]
fn prestashop() {
    let parameters = |host: &str, port: &str| {
        format!(
            "<?php return array ('parameters' => array ('database_host' => '{host}', 'database_port' => '{port}', 'database_name' => 'psdb', 'database_user' => 'pu', 'database_password' => '50%%-off-99', 'database_prefix' => 'ps_', 'database_engine' => 'InnoDB', 'cookie_key' => 'cookie-key-0001', 'cookie_iv' => 'iv-000001'));"
        )
    };
    for (host, port, expected) in [
        ("127.0.0.1", "", "mysql 127.0.0.1:3306/psdb as pu [ps_]"),
        ("127.0.0.1", "3307", "mysql 127.0.0.1:3307/psdb as pu [ps_]"),
        ("db:3308", "", "mysql db:3308/psdb as pu [ps_]"),
        ("db:/run/my.sock", "", "mysql /run/my.sock/psdb as pu [ps_]"),
    ] {
        let place = Place::with("prestashop", &parameters(host, port));
        assert_eq!(place.line(), expected);
        for secret in ["50%-off-99", "cookie-key-0001", "iv-000001"] {
            assert!(place.knows_secret(secret), "{secret}");
        }
    }
    let old = "<?php define('_DB_SERVER_', 'localhost:/run/my.sock'); define('_DB_NAME_', 'old'); define('_DB_USER_', 'ou'); define('_DB_PASSWD_', 'pw-123456'); define('_DB_PREFIX_', 'o_'); define('_PS_VERSION_', '1.6.1.24');";
    let place = Place::of("prestashop", &[("config/settings.inc.php", old)]);
    assert_eq!(place.line(), "mysql /run/my.sock/old as ou [o_]");
    let yaml =
        Place::of("prestashop", &[("app/config/parameters.yml", "parameters:\n  database_host: db\n")]);
    assert!(yaml.line().contains("is YAML, which is not read"), "{}", yaml.line());
}

#[test]
fn opencart() {
    let constants = |driver: &str, port: &str, password: &str| {
        format!(
            "<?php define('DIR_APPLICATION', __DIR__ . '/catalog/'); define('DIR_SYSTEM', __DIR__ . '/system/'); define('DB_DRIVER', '{driver}'); define('DB_HOSTNAME', 'db'); define('DB_USERNAME', 'ou'); define('DB_PASSWORD', '{password}'); define('DB_DATABASE', 'odb'); define('DB_PREFIX', 'oc_'); define('DB_PORT', '{port}');\n//define('DB_HOSTNAME', 'elsewhere');"
        )
    };
    for (driver, port, expected) in [
        ("mysqli", "3307", "mysql db:3307/odb as ou [oc_]"),
        ("pdo", "", "mysql db:3306/odb as ou [oc_]"),
        ("pgsql", "", "postgres db:5432/odb as ou [oc_]"),
    ] {
        check(&[("opencart", &constants(driver, port, "pw-123456"), expected)]);
    }
    let escaped = Place::with("opencart", &constants("mysqli", "3306", "fish&amp;chips"));
    let notes = escaped.summary()["notes"].to_string();
    assert!(notes.contains("HTML entity") && !notes.contains("fish"), "{notes}");
    assert!(escaped.knows_secret("fish&amp;chips") && escaped.knows_secret("fish&chips"));
    assert_eq!(
        Place::with("opencart", &constants("mysqli", "", "fish&chips")).summary()["notes"],
        Value::Null
    );
}

const LARAVEL: &str = "<?php
return ['default' => env('DB_CONNECTION', 'sqlite'), 'connections' => [
  'sqlite' => ['driver' => 'sqlite', 'url' => env('DB_URL'), 'database' => env('DB_DATABASE', database_path('database.sqlite')), 'prefix' => ''],
  'mysql' => ['driver' => 'mysql', 'url' => env('DB_URL'), 'host' => env('DB_HOST', '127.0.0.1'), 'port' => env('DB_PORT', '3306'), 'database' => env('DB_DATABASE', 'laravel'), 'username' => env('DB_USERNAME', 'root'), 'password' => env('DB_PASSWORD', ''), 'unix_socket' => env('DB_SOCKET', ''), 'prefix' => env('DB_PREFIX', '')],
  'split' => ['driver' => 'mariadb', 'read' => ['host' => ['10.0.0.2', '10.0.0.3']], 'write' => ['host' => '10.0.0.1'], 'database' => 'd', 'username' => 'u', 'password' => 'p'],
  'pgsql' => ['driver' => 'pgsql', 'host' => env('DB_HOST', 'pg'), 'database' => 'd', 'username' => 'u', 'password' => 'p', 'search_path' => '\"$user\", tenant'],
  'sqlsrv' => ['driver' => 'sqlsrv', 'host' => 'x'],
]];";

#[test]
fn laravel() {
    let of = |env: &str| Place::of("laravel", &[(".env", env), ("config/database.php", LARAVEL)]).line();
    for (env, expected) in [
        (
            "DB_CONNECTION=mysql\nDB_HOST=db\nDB_PORT=3307\nDB_DATABASE=shop\nDB_USERNAME=su\nDB_PASSWORD='pw#1'\nDB_PREFIX=la_",
            "mysql db:3307/shop as su [la_]",
        ),
        (
            "DB_CONNECTION=mysql\nDB_DATABASE=shop\nDB_SOCKET=/run/my.sock",
            "mysql /run/my.sock/shop as root []",
        ),
        ("DB_CONNECTION=mysql\nDB_URL=mysql://u%40x:p%2Fw@h:3308/other", "mysql h:3308/other as u@x []"),
        ("DB_CONNECTION=mysql\nDB_URL=postgres://pu:pw@h/other", "postgres h:3306/other as pu []"),
        ("DB_CONNECTION=split", "mysql 10.0.0.2:3306/d as u []"),
        ("DB_CONNECTION=pgsql", "postgres pg:5432/d as u schema tenant []"),
        ("APP_ENV=local", "sqlite database/database.sqlite []"),
        ("DB_DATABASE=data/shop.sqlite", "sqlite database/data/shop.sqlite []"),
        // Not in the application's own file, so the framework's holds.
        ("DB_CONNECTION=mariadb\nDB_DATABASE=beneath", "mysql 127.0.0.1:3306/beneath as root []"),
    ] {
        assert_eq!(of(env), expected, "{env}");
    }
    assert!(of("DB_CONNECTION=sqlsrv").contains("names the database driver sqlsrv"));
    assert!(of("DB_CONNECTION=nowhere").contains("database.connections.nowhere: it is not set"));
    assert!(of("DB_DATABASE=:memory:").contains("in memory"));
    // Without a file of its own the application has the framework's configuration.
    let bare = Place::of("laravel", &[(".env", "DB_CONNECTION=pgsql\nDB_HOST=pg\nDB_USERNAME=me")]);
    assert_eq!(bare.line(), "postgres pg:5432/laravel as me []");
}

#[test]
fn laravel_takes_the_file_of_its_environment_and_the_cache_before_all() {
    let files = [
        (".env", "DB_CONNECTION=mysql\nDB_HOST=everywhere"),
        (".env.staging", "DB_CONNECTION=mysql\nDB_HOST=staging"),
        ("config/database.php", LARAVEL),
    ];
    assert_eq!(Place::of("laravel", &files).line(), "mysql everywhere:3306/laravel as root []");
    let place = Place::of("laravel", &files).process(&[("APP_ENV", "staging")]);
    assert_eq!(place.line(), "mysql staging:3306/laravel as root []");
    let place = Place::of("laravel", &files).process(&[("DB_HOST", "process")]);
    assert_eq!(place.line(), "mysql process:3306/laravel as root []");
    place.write(
        "bootstrap/cache/config.php",
        "<?php return array (0 => 'hashing', 'app' => array ('key' => 'app-key-0001'), 'database' => array ('default' => 'mysql', 'connections' => array ('mysql' => array ('driver' => 'mysql', 'host' => 'cached', 'port' => '3306', 'database' => 'd', 'username' => 'u', 'password' => 'cached-pw-1', 'prefix' => ''))));",
    );
    assert_eq!(place.line(), "mysql cached:3306/d as u []");
    assert!(place.knows_secret("app-key-0001") && place.knows_secret("cached-pw-1"));
}

#[test]
fn symfony() {
    let of = |url: &str| Place::of("symfony", &[(".env", &format!("DATABASE_URL=\"{url}\"\n"))]).line();
    for (url, expected) in [
        (
            "postgresql://app:!ChangeMe!@127.0.0.1:5432/app?serverVersion=16&charset=utf8",
            "postgres 127.0.0.1:5432/app as app []",
        ),
        ("mysql://us%40er:p%2Fw@db:3307/my%20db?serverVersion=8.0.32", "mysql db:3307/my db as us@er []"),
        ("pdo-mysql://u:p@localhost/d?unix_socket=/run/my.sock", "mysql /run/my.sock/d as u []"),
        ("postgres://u:p@%2Frun%2Fpg:5433/d", "postgres /run/pg/.s.PGSQL.5433/d as u []"),
        ("postgres://u:p@x/d?host=/run/pg", "postgres /run/pg/.s.PGSQL.5432/d as u []"),
        ("mysql://u:p@db/d?dbname_suffix=_test", "mysql db:3306/d_test as u []"),
        ("sqlite:///%kernel.project_dir%/var/data.db", "sqlite var/data.db []"),
        ("sqlite:///var/data.db", "sqlite var/data.db []"),
    ] {
        assert_eq!(of(url), expected, "{url}");
    }
    assert!(of("oci8://u:p@h/d").contains("names the database driver oci8"));
    assert!(
        of("mysql://u:pw/x@h:33/d").contains("DATABASE_URL: it is no address"),
        "{}",
        of("mysql://u:pw/x@h:33/d")
    );
    assert!(
        of("sqlite:////etc/other.db").starts_with("sqlite /etc/other.db"),
        "a file that is not there is told later"
    );
}

#[test]
fn symfony_cascades() {
    let url = |host: &str| format!("DATABASE_URL=mysql://u:p@{host}/d\n");
    let of = |files: &[(&str, String)]| {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        Place::of("symfony", &files)
    };
    let mut files = vec![(".env", format!("APP_ENV=dev\n{}", url("base")))];
    assert_eq!(of(&files).line(), "mysql base:3306/d as u []");
    files.push((".env.local", format!("APP_ENV=prod\n{}", url("local"))));
    assert_eq!(of(&files).line(), "mysql local:3306/d as u []");
    files.push((".env.dev", url("dev")));
    // The local file has made it prod.
    assert_eq!(of(&files).line(), "mysql local:3306/d as u []");
    files.push((".env.prod", url("prod")));
    assert_eq!(of(&files).line(), "mysql prod:3306/d as u []");
    files.push((".env.prod.local", url("prodlocal")));
    assert_eq!(of(&files).line(), "mysql prodlocal:3306/d as u []");
    // Tests do not see the local file.
    assert_eq!(of(&files).process(&[("APP_ENV", "test")]).line(), "mysql base:3306/d as u []");
    files.push((
        ".env.local.php",
        "<?php return ['APP_ENV' => 'prod', 'DATABASE_URL' => 'mysql://u:p@dumped/d'];".to_owned(),
    ));
    assert_eq!(of(&files).line(), "mysql dumped:3306/d as u []");
    assert_eq!(of(&files).process(&[("APP_ENV", "dev")]).line(), "mysql dev:3306/d as u []");
    let real = of(&files).process(&[("DATABASE_URL", "mysql://u:p@real/d")]);
    assert_eq!(real.line(), "mysql real:3306/d as u []");
}

#[test]
fn symfony_says_where_it_did_not_look() {
    let yaml = [
        (".env", "APP_ENV=prod\n"),
        ("config/packages/doctrine.yaml", "doctrine: {dbal: {url: '%env(SHOP_DB)%'}}"),
    ];
    let line = Place::of("symfony", &yaml).line();
    assert!(line.contains("config/packages/doctrine.yaml") && line.contains("is not read"), "{line}");
    let vault = [
        (".env", "APP_ENV=prod\n"),
        ("config/secrets/prod/prod.list.php", "<?php return ['DATABASE_URL' => null];"),
    ];
    assert!(Place::of("symfony", &vault).line().contains("vault of secrets of the environment prod"));
    let command = [(".env", "DATABASE_URL=$(cat /run/url)\n")];
    assert!(Place::of("symfony", &command).line().contains("needs the output of a command"));
}

#[test]
fn what_cannot_be_known_is_named_with_its_line() {
    let table = [
        (
            "joomla",
            "<?php class JConfig {\n public $host = 'h'; public $user = 'u'; public $db = 'd';\n public function __construct() { $this->password = vault('db'); }\n}",
            "JConfig::$password: vault() is not evaluated",
            "line 3",
        ),
        (
            "drupal",
            "<?php\n$databases['default']['default'] = ['driver' => 'mysql', 'host' => 'h', 'database' => 'd', 'username' => 'u',\n'password' => secret_of('x')];",
            "$databases['default']['default']['password']: secret_of() is not evaluated",
            "line 3",
        ),
        (
            "magento",
            "<?php return ['db' => ['connection' => ['default' => ['host' => 'h', 'dbname' => 'd', 'username' => 'u',\n 'password' => getenv('SHOP_PW')]]]];",
            "['password']: it comes from the variable SHOP_PW, which is not set here",
            "line 2",
        ),
        (
            "prestashop",
            "<?php return ['parameters' => ['database_host' => 'h', 'database_user' => 'u', 'database_password' => 'p',\n\n'database_name' => name()]];",
            "parameters['database_name']: name() is not evaluated",
            "line 3",
        ),
        (
            "opencart",
            "<?php define('DB_DRIVER', 'mysqli'); define('DB_PREFIX', 'oc_'); define('DB_HOSTNAME', 'h'); define('DB_PASSWORD', 'p'); define('DB_DATABASE', 'd');\ndefine('DB_USERNAME', user());",
            "DB_USERNAME: user() is not evaluated",
            "line 2",
        ),
    ];
    for (platform, text, why, line) in table {
        let error = Place::with(platform, text).line();
        assert!(
            error.starts_with("error: ") && error.contains(why) && error.contains(line),
            "{platform}: {error}"
        );
        assert!(error.contains("env_file") && error.contains("[site.database]"), "{platform}: {error}");
    }
}

#[test]
fn the_operators_words_go_over_those_of_the_configuration() {
    let texts = [
        (
            "joomla",
            "<?php class JConfig { public $host = 'a'; public $db = 'b'; public $user = 'c'; public $password = f(); public $dbprefix = 'p_'; }",
        ),
        (
            "drupal",
            "<?php $databases['default']['default'] = ['driver' => 'mysql', 'host' => 'a', 'port' => 1, 'database' => 'b', 'username' => 'c', 'password' => f(), 'prefix' => 'p_'];",
        ),
        (
            "magento",
            "<?php return ['db' => ['table_prefix' => 'p_', 'connection' => ['default' => ['host' => 'a:9', 'password' => f()]]]];",
        ),
        (
            "prestashop",
            "<?php return ['parameters' => ['database_prefix' => 'p_', 'database_port' => '9', 'database_password' => f()]];",
        ),
        (
            "opencart",
            "<?php define('DB_DRIVER', 'mysqli'); define('DB_PREFIX', 'p_'); define('DB_PASSWORD', f());",
        ),
        ("wordpress", "<?php define('DB_PASSWORD', f()); $table_prefix = 'p_';"),
    ];
    for (platform, text) in texts {
        let mut place = Place::with(platform, text);
        place.options.database = DatabaseOverride {
            host: Some("there:3309".to_owned()),
            name: Some("n".to_owned()),
            user: Some("reader".to_owned()),
            password: Some(Secret::new("given-pw-1")),
        };
        assert_eq!(place.line(), "mysql there:3309/n as reader [p_]", "{platform}");
        assert!(place.knows_secret("given-pw-1"), "{platform}");
    }
}

#[test]
fn code_outside_the_site_needs_trust() {
    let outside = tempfile::tempdir().unwrap();
    let shared = outside.path().canonicalize().unwrap().join("db.inc");
    std::fs::write(&shared, "<?php $databases['default']['default'] = ['driver' => 'mysql', 'host' => 'h', 'database' => 'd', 'username' => 'u', 'password' => 'pw-123456'];").unwrap();
    let mut place = Place::with("drupal", &format!("<?php\nrequire '{}';", shared.display()));
    let line = place.line();
    let hint = format!("[site] trust = [\"{}\"]", shared.display());
    assert!(line.starts_with("error: ") && line.contains(&hint) && line.contains("line 2"), "{line}");
    place.options.trust = vec![shared];
    assert_eq!(place.line(), "mysql h:3306/d as u []");
}

#[test]
fn a_database_file_outside_the_site_needs_trust() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().canonicalize().unwrap().join("cookies.sqlite");
    std::fs::write(&file, "").unwrap();
    let mut place =
        Place::of("symfony", &[(".env", &format!("DATABASE_URL=sqlite:///{}\n", file.display()))]);
    let line = place.line();
    assert!(line.starts_with("error: ") && line.contains("lies outside the site"), "{line}");
    place.options.trust = vec![file.clone()];
    assert_eq!(place.line(), format!("sqlite {} []", file.display()));
}

#[test]
fn a_changed_configuration_is_read_again() {
    let place = Place::of("symfony", &[(".env", "DATABASE_URL=mysql://u:p@before/d\n")]);
    let site = place.attach();
    assert_eq!(site.summary()["database"]["hosts"], json!(["before:3306"]));
    // A file that was not there yet counts, too.
    place.write(".env.local", "DATABASE_URL=mysql://u:p@after/d\n");
    assert_eq!(site.summary()["database"]["hosts"], json!(["after:3306"]));
}

#[test]
fn no_password_shows() {
    let password = "hunter2-hunter2";
    let texts = [
        (
            "joomla",
            format!(
                "<?php class JConfig {{ public $host = 'h'; public $db = 'd'; public $user = 'u'; public $password = '{password}'; }}"
            ),
        ),
        (
            "drupal",
            format!(
                "<?php $databases['default']['default'] = ['driver' => 'mysql', 'host' => 'h', 'database' => 'd', 'username' => 'u', 'password' => '{password}'];"
            ),
        ),
        (
            "magento",
            format!(
                "<?php return ['db' => ['connection' => ['default' => ['host' => 'h', 'dbname' => 'd', 'username' => 'u', 'password' => '{password}']]]];"
            ),
        ),
        (
            "prestashop",
            format!(
                "<?php return ['parameters' => ['database_host' => 'h', 'database_name' => 'd', 'database_user' => 'u', 'database_password' => '{password}']];"
            ),
        ),
        (
            "opencart",
            format!(
                "<?php define('DB_DRIVER', 'mysqli'); define('DB_PREFIX', ''); define('DB_HOSTNAME', 'h'); define('DB_DATABASE', 'd'); define('DB_USERNAME', 'u'); define('DB_PASSWORD', '{password}');"
            ),
        ),
        ("laravel", format!("DB_CONNECTION=mysql\nDB_PASSWORD={password}\n")),
        ("symfony", format!("DATABASE_URL=mysql://u:{password}@h/d\n")),
        ("symfony", format!("DATABASE_URL=mysql://u:{password}@:x:/d\n")),
        ("symfony", format!("DATABASE_URL=mysql://u:{password} x\n")),
        (
            "wordpress",
            format!(
                "<?php define('DB_HOST', 'h'); define('DB_NAME', 'd'); define('DB_USER', 'u'); define('DB_PASSWORD', '{password}');"
            ),
        ),
    ];
    for (platform, text) in texts {
        let place = Place::with(platform, &text);
        let site = place.attach();
        let shown = format!("{} {:?} {:?}", site.summary(), site.detection(), place.options);
        assert!(!shown.contains("hunter2"), "{platform}: {shown}");
        if !text.contains(" x\n") && !text.contains(":x:") {
            assert!(place.knows_secret(password), "{platform}");
        }
    }
}
