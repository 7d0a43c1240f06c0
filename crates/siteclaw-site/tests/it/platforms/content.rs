//! Joomla and Drupal: a class of properties, and a script.

use super::{Place, check};

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
