//! Laravel and Symfony: environment files, and what is laid over them.

use super::Place;

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
