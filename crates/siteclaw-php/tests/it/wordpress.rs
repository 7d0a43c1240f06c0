//! The forms of `wp-config.php`.

use crate::site::{Site, check_constants, constant, unresolved, variable};

const SETTINGS: &str = "if ( ! defined( 'ABSPATH' ) ) { define( 'ABSPATH', __DIR__ . '/' ); }\n\
    require_once ABSPATH . 'wp-settings.php';\ndefine('AFTER', 1); $table_prefix = 'late_';\n";

fn config(text: &str) -> siteclaw_php::Config {
    Site::of("wp-config.php", format!("<?php\n{text}\n{SETTINGS}")).read("wp-config.php")
}

#[test]
fn plain_sample() {
    let config = config(
        "/** The name of the database */\ndefine( 'DB_NAME', 'harbour' );\ndefine( 'DB_USER', 'harbour_rw' );\n\
         define( 'DB_PASSWORD', 'Pa$$w0rd' );\ndefine( \"DB_HOST\", \"localhost\" );\n\
         define( 'DB_CHARSET', 'utf8mb4' );\ndefine( 'DB_COLLATE', '' );\n$table_prefix = 'Wp7_';\n\
         define( 'WP_DEBUG', false );\ndefine('WP_POST_REVISIONS', 10);",
    );
    check_constants(
        &config,
        &[
            ("DB_NAME", Some("harbour")),
            ("DB_USER", Some("harbour_rw")),
            ("DB_PASSWORD", Some("Pa$$w0rd")),
            ("DB_HOST", Some("localhost")),
            ("DB_COLLATE", Some("")),
            ("WP_DEBUG", Some("false")),
            ("WP_POST_REVISIONS", Some("10")),
            ("ABSPATH", Some("/srv/site/")),
            ("AFTER", None),
        ],
    );
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("Wp7_"));
    assert_eq!(unresolved(&config), [""; 0]);
    let name = &config.constants["DB_NAME"];
    assert_eq!((name.file.to_str(), name.line), (Some("/srv/site/wp-config.php"), 3));
}

#[test]
fn decoys_in_comments_do_not_count() {
    let config = config(
        "define('DB_NAME', 'live');\n// define('DB_USER', 'decoy1');\n# define('DB_USER', 'decoy2');\n\
         /* define('DB_USER', 'decoy3');\n$table_prefix = 'old_'; */\n/** define('DB_USER', 'decoy4'); */\n\
         #define('DB_HOST','x');\ndefine('DB_USER', 'u' /* , 'decoy5' */); // define('DB_USER', 'decoy6');\n\
         $table_prefix = 'wp_'; # $table_prefix = 'no_';\ndefine('NOTE', 'define(\\'DB_HOST\\', \\'decoy7\\');');",
    );
    check_constants(&config, &[("DB_NAME", Some("live")), ("DB_USER", Some("u")), ("DB_HOST", None)]);
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("wp_"));
}

#[test]
fn passwords_with_every_awkward_character() {
    for (literal, password) in [
        (r#"'p\'a"ss$w#rd;//x'"#, r#"p'a"ss$w#rd;//x"#),
        (r#""p'a\"ss\$w#rd;//x""#, r#"p'a"ss$w#rd;//x"#),
        (r"'back\\slash\n'", r"back\slash\n"),
        (r#""tab\tnul\0hex\x41oct\101uni\u{e9}""#, "tab\tnul\0hexAoctAunié"),
        (r#""$""#, "$"),
        (r#""a$ b$1""#, "a$ b$1"),
        ("'?>'", "?>"),
        ("'<?php'", "<?php"),
        ("'/* x */'", "/* x */"),
        ("'two\nlines'", "two\nlines"),
        ("<<<'END'\nnow$doc \\n 'x'\nEND", "now$doc \\n 'x'"),
        ("<<<END\nhere \\\"doc\\\" \\x41\nEND", "here \\\"doc\\\" A"),
        ("<<<END\n    indented\n      more\n    END", "indented\n  more"),
        ("'p' . \"a\" . 's'", "pas"),
        ("''", ""),
    ] {
        let config = config(&format!("define('DB_PASSWORD', {literal});\ndefine('NEXT', 'n');"));
        assert_eq!(constant(&config, "DB_PASSWORD").as_deref(), Some(password), "{literal}");
        assert_eq!(constant(&config, "NEXT").as_deref(), Some("n"), "{literal}");
        let shown = format!("{config:?}");
        assert!(password.len() < 5 || !shown.contains(password), "{shown}");
    }
}

#[test]
fn terse_and_old_forms() {
    let config = config(
        "define(\"DB_NAME\",\"a\");define(\"DB_USER\",'b',true);DEFINE('DB_HOST','c');const DB_PASSWORD='d';\
         const A = 1, B = A + 1;@define('C', 'e');\\define('D', 'f');",
    );
    check_constants(
        &config,
        &[
            ("DB_NAME", Some("a")),
            ("DB_USER", Some("b")),
            ("DB_HOST", Some("c")),
            ("DB_PASSWORD", Some("d")),
            ("B", Some("2")),
            ("C", Some("e")),
            ("D", Some("f")),
        ],
    );
}

#[test]
fn the_first_definition_wins_and_the_last_assignment() {
    let config = config(
        "define('DB_NAME', 'first'); define('DB_NAME', 'second');\n\
         if (!defined('DB_USER')) define('DB_USER', 'u1');\ndefined('DB_USER') or define('DB_USER', 'u2');\n\
         defined('DB_HOST') || define('DB_HOST', 'h1');\n!defined('DB_HOST') && define('DB_HOST', 'h2');\n\
         $prefix = 'x'; $table_prefix = 'a_'; $table_prefix = $prefix . '_';\n\
         $creds = ['pw' => 'secret']; define('DB_PASSWORD', $creds['pw']); define('WP_HOME', 'https://' . DB_HOST);",
    );
    check_constants(
        &config,
        &[
            ("DB_NAME", Some("first")),
            ("DB_USER", Some("u1")),
            ("DB_HOST", Some("h1")),
            ("DB_PASSWORD", Some("secret")),
            ("WP_HOME", Some("https://h1")),
        ],
    );
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("x_"));
}

#[test]
fn host_forms_and_content_folders() {
    for host in ["localhost:/run/mysqld/mysqld.sock", "127.0.0.1:3307", "[::1]:3306", "::1", ""] {
        let config = config(&format!("define('DB_HOST', '{host}');"));
        assert_eq!(constant(&config, "DB_HOST").as_deref(), Some(host));
    }
    let config = config(
        "define('WP_CONTENT_DIR', dirname(__FILE__) . DIRECTORY_SEPARATOR . 'content');\n\
         define('WP_PLUGIN_DIR', realpath(__DIR__ . '/../site/./plugins'));\n\
         define('WP_CONTENT_URL', 'https://' . 'example.test' . '/content');\n\
         define('WP_TEMP_DIR', dirname(__DIR__, 2) . 'tmp');",
    );
    check_constants(
        &config,
        &[
            ("WP_CONTENT_DIR", Some("/srv/site/content")),
            ("WP_PLUGIN_DIR", Some("/srv/site/plugins")),
            ("WP_CONTENT_URL", Some("https://example.test/content")),
            ("WP_TEMP_DIR", Some("/tmp")),
        ],
    );
}

#[test]
fn networks_of_sites() {
    let config = config(
        "define('WP_ALLOW_MULTISITE', true);\ndefine('MULTISITE', true);\n$base = '/';\n\
         define('SUBDOMAIN_INSTALL', 'yes' == 'no');\ndefine('DOMAIN_CURRENT_SITE', 'example.test');\n\
         define('PATH_CURRENT_SITE', $base);\ndefine('SITE_ID_CURRENT_SITE', 1);\n$super_admins = array('ann', 'bob');",
    );
    check_constants(
        &config,
        &[
            ("MULTISITE", Some("true")),
            ("SUBDOMAIN_INSTALL", Some("false")),
            ("PATH_CURRENT_SITE", Some("/")),
            ("SITE_ID_CURRENT_SITE", Some("1")),
        ],
    );
    assert_eq!(variable(&config, "super_admins").as_deref(), Some(r#"["ann","bob"]"#));
}

#[test]
fn sqlite_forms() {
    let config = Site::of(
        "wp-config.php",
        format!(
            "<?php define('DB_ENGINE', 'sqlite'); include __DIR__ . '/db-path.php';\n\
                 define('FQDB', DB_DIR . '/' . (defined('DB_FILE') ? DB_FILE : '.ht.sqlite'));\n{SETTINGS}"
        ),
    )
    .file("db-path.php", "<?php if (!defined('DB_DIR')) define('DB_DIR', __DIR__ . '/wp-content/database');")
    .read("wp-config.php");
    check_constants(&config, &[("FQDB", Some("/srv/site/wp-content/database/.ht.sqlite"))]);
    assert_eq!(config.files.len(), 2);
    assert_eq!(config.constants["DB_DIR"].file.to_str(), Some("/srv/site/db-path.php"));
}

const DOCKER: &str = r#"<?php
if (!function_exists('getenv_docker')) {
    function getenv_docker($env, $default) {
        if ($fileEnv = getenv($env . '_FILE')) { return rtrim(file_get_contents($fileEnv), "\r\n"); }
        else if (($val = getenv($env)) !== false) { return $val; }
        else { return $default; }
    }
}
define( 'DB_NAME', getenv_docker('WORDPRESS_DB_NAME', 'wordpress') );
define( 'DB_USER', getenv_docker('WORDPRESS_DB_USER', 'example username') );
define( 'DB_PASSWORD', getenv_docker('WORDPRESS_DB_PASSWORD', 'example password') );
define( 'DB_HOST', getenv_docker('WORDPRESS_DB_HOST', 'mysql') );
define( 'DB_COLLATE', getenv_docker('WORDPRESS_DB_COLLATE', '') );
$table_prefix = getenv_docker('WORDPRESS_TABLE_PREFIX', 'wp_');
define( 'WP_DEBUG', !!getenv_docker('WORDPRESS_DEBUG', '') );
if (isset($_SERVER['HTTP_X_FORWARDED_PROTO']) && strpos($_SERVER['HTTP_X_FORWARDED_PROTO'], 'https') !== false) {
    $_SERVER['HTTPS'] = 'on';
}
if ($configExtra = getenv_docker('WORDPRESS_CONFIG_EXTRA', '')) {
    eval($configExtra);
}
if ( ! defined( 'ABSPATH' ) ) { define( 'ABSPATH', __DIR__ . '/' ); }
require_once ABSPATH . 'wp-settings.php';
"#;

#[test]
fn container_image_from_the_environment() {
    let site = Site::of("wp-config.php", DOCKER).env(&[
        ("WORDPRESS_DB_NAME", "blog"),
        ("WORDPRESS_DB_USER", ""),
        ("WORDPRESS_DB_PASSWORD_FILE", "/run/secrets/pw"),
        ("WORDPRESS_DB_PASSWORD", "not this"),
        ("WORDPRESS_DEBUG", "1"),
    ]);
    let site = site.secret_file("/run/secrets/pw", "  s3cret\r\n\n");
    let config = site.read("wp-config.php");
    check_constants(
        &config,
        &[
            ("DB_NAME", Some("blog")),
            ("DB_USER", Some("")),
            ("DB_PASSWORD", Some("  s3cret")),
            ("DB_HOST", Some("mysql")),
            ("WP_DEBUG", Some("true")),
        ],
    );
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("wp_"));
    let missing: Vec<_> =
        config.missing_variables.iter().map(|entry| (entry.name.as_str(), entry.line)).collect();
    assert!(missing.contains(&("WORDPRESS_DB_HOST", 12)), "{missing:?}");
    assert!(!missing.iter().any(|(name, _)| name.ends_with("_FILE") || *name == "WORDPRESS_DB_NAME"));
    assert!(config.undecided.is_empty(), "{:?}", config.undecided);
    assert!(config.files.iter().any(|file| file.to_str() == Some("/run/secrets/pw")));
}

#[test]
fn a_secret_file_that_is_not_trusted_is_named() {
    let site = Site::of("wp-config.php", DOCKER).env(&[("WORDPRESS_DB_PASSWORD_FILE", "/run/secrets/pw")]);
    let config = site.read("wp-config.php");
    assert_eq!(unresolved(&config), ["DB_PASSWORD"]);
    let refused = &config.refused[0];
    assert_eq!((refused.path.to_str(), refused.line), (Some("/run/secrets/pw"), 11));
    assert_eq!(
        refused.to_string(),
        "/run/secrets/pw lies outside the folders that may be read (/srv/site/wp-config.php line 11)"
    );
}

#[test]
fn container_image_with_php_from_the_environment() {
    let extra = "define('WP_HOME', 'https://x.test');\n// define('WP_SITEURL', 'decoy');\n\
                 if (defined('WP_HOME')) { define('WP_SITEURL', WP_HOME . '/wp'); } define('ABSPATH', __DIR__ . '/');";
    let config =
        Site::of("wp-config.php", DOCKER).env(&[("WORDPRESS_CONFIG_EXTRA", extra)]).read("wp-config.php");
    check_constants(
        &config,
        &[
            ("WP_HOME", Some("https://x.test")),
            ("WP_SITEURL", Some("https://x.test/wp")),
            ("ABSPATH", Some("/srv/site/")),
        ],
    );
    let site_url = &config.constants["WP_SITEURL"];
    assert_eq!((site_url.file.to_str(), site_url.line), (Some("WORDPRESS_CONFIG_EXTRA"), 3));

    let direct = "<?php eval(getenv_docker('WORDPRESS_CONFIG_EXTRA', '')); eval(getenv('OTHER'));";
    let site = Site::of("wp-config.php", direct)
        .env(&[("WORDPRESS_CONFIG_EXTRA", "define('A', 1);"), ("OTHER", "define('B', 1);")]);
    let config = site.read("wp-config.php");
    check_constants(&config, &[("A", Some("1")), ("B", None)]);
    assert_eq!(unresolved(&config), ["eval"]);
}

#[test]
fn eval_of_a_reassigned_variable_is_not_trusted() {
    let text = "<?php $x = getenv_docker('WORDPRESS_CONFIG_EXTRA', ''); $x = \"define('A', 1);\"; eval($x);";
    let config = Site::of("wp-config.php", text).env(&[("WORDPRESS_CONFIG_EXTRA", "")]).read("wp-config.php");
    check_constants(&config, &[("A", None)]);
}

const BEDROCK: &str = r#"<?php
use Roots\WPConfig\Config;
use function Env\env;
Env\Env::$options = 31;
$root_dir = dirname(__DIR__);
$webroot_dir = $root_dir . '/web';
if (file_exists($root_dir . '/.env')) {
    $env_files = file_exists($root_dir . '/.env.local') ? ['.env', '.env.local'] : ['.env'];
    $dotenv = Dotenv\Dotenv::createUnsafeImmutable($root_dir, $env_files, false);
    $dotenv->load();
    $dotenv->required(['WP_HOME', 'WP_SITEURL']);
}
define('WP_ENV', env('WP_ENV') ?: 'production');
if (!env('WP_ENVIRONMENT_TYPE') && in_array(WP_ENV, ['production', 'staging', 'development', 'local'])) {
    Config::define('WP_ENVIRONMENT_TYPE', WP_ENV);
}
Config::define('WP_HOME', env('WP_HOME'));
Config::define('CONTENT_DIR', '/app');
Config::define('WP_CONTENT_DIR', $webroot_dir . Config::get('CONTENT_DIR'));
Config::define('DB_NAME', env('DB_NAME'));
Config::define('DB_USER', env('DB_USER'));
Config::define('DB_PASSWORD', env('DB_PASSWORD'));
Config::define('DB_HOST', env('DB_HOST') ?: 'localhost');
$table_prefix = env('DB_PREFIX') ?: 'wp_';
if (env('DATABASE_URL')) {
    $dsn = (object) parse_url(env('DATABASE_URL'));
    Config::define('DB_NAME', substr($dsn->path, 1));
    Config::define('DB_USER', $dsn->user);
    Config::define('DB_PASSWORD', isset($dsn->pass) ? $dsn->pass : null);
    Config::define('DB_HOST', isset($dsn->port) ? "{$dsn->host}:{$dsn->port}" : $dsn->host);
}
Config::define('AUTH_KEY', env('AUTH_KEY'));
Config::define('DISABLE_WP_CRON', env('DISABLE_WP_CRON') ?: false);
Config::define('WP_POST_REVISIONS', env('WP_POST_REVISIONS') ?? true);
Config::define('WP_DEBUG', false);
ini_set('display_errors', '0');
$env_config = __DIR__ . '/environments/' . WP_ENV . '.php';
if (file_exists($env_config)) {
    require_once $env_config;
}
Config::apply();
if (!defined('ABSPATH')) {
    define('ABSPATH', $webroot_dir . '/wp/');
}
"#;

fn bedrock() -> Site {
    Site::of(
        "web/wp-config.php",
        "<?php require_once dirname(__DIR__) . '/vendor/autoload.php';\n\
         require_once dirname(__DIR__) . '/config/application.php';\nrequire_once ABSPATH . 'wp-settings.php';\n\
         define('AFTER', 1);",
    )
    .file("config/application.php", BEDROCK)
    .file("config/environments/staging.php", "<?php use Roots\\WPConfig\\Config; Config::define('WP_DEBUG', true);")
    .file(".env", "")
}

#[test]
fn bedrock_with_single_variables() {
    let env = [
        ("WP_ENV", "staging"),
        ("WP_HOME", "https://x.test"),
        ("DB_NAME", "bed"),
        ("DB_USER", "rock"),
        ("DB_PASSWORD", "p#w"),
        ("WP_POST_REVISIONS", "5"),
        ("DISABLE_WP_CRON", "true"),
    ];
    let config = bedrock().env(&env).read("web/wp-config.php");
    check_constants(
        &config,
        &[
            ("WP_ENV", Some("staging")),
            ("WP_ENVIRONMENT_TYPE", Some("staging")),
            ("DB_NAME", Some("bed")),
            ("DB_PASSWORD", Some("p#w")),
            ("DB_HOST", Some("localhost")),
            ("WP_CONTENT_DIR", Some("/srv/site/web/app")),
            ("WP_DEBUG", Some("true")),
            ("WP_POST_REVISIONS", Some("5")),
            ("DISABLE_WP_CRON", Some("true")),
            ("AUTH_KEY", Some("null")),
            ("ABSPATH", Some("/srv/site/web/wp/")),
            ("AFTER", None),
        ],
    );
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("wp_"));
    assert!(config.missing_variables.iter().any(|entry| entry.name == "AUTH_KEY" && !entry.defaulted));
    assert_eq!(config.constants["DB_NAME"].file.to_str(), Some("/srv/site/config/application.php"));
    assert_eq!(config.undecided, []);
    assert_eq!(config.faults, []);
}

#[test]
fn bedrock_with_a_database_address() {
    let env =
        [("DATABASE_URL", "mysql://u:p%40w@db.test:3307/shop"), ("DB_NAME", "other"), ("DB_PREFIX", "b_")];
    let config = bedrock().env(&env).read("web/wp-config.php");
    check_constants(
        &config,
        &[
            ("DB_NAME", Some("shop")),
            ("DB_USER", Some("u")),
            ("DB_PASSWORD", Some("p%40w")),
            ("DB_HOST", Some("db.test:3307")),
        ],
    );
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("b_"));
}

#[test]
fn a_stub_outside_the_site_is_named_with_its_line() {
    let config = Site::of("wp-config.php", "<?php\n\ninclude '/home/u/private/wp-config.php';\n")
        .read("wp-config.php");
    let refused: Vec<_> =
        config.refused.iter().map(|entry| (entry.path.to_str().unwrap(), entry.line)).collect();
    assert_eq!(refused, [("/home/u/private/wp-config.php", 3)]);
    assert_eq!(constant(&config, "DB_NAME"), None);
}

#[test]
fn files_in_an_old_encoding_keep_their_bytes() {
    let text =
        b"<?php // caf\xe9\ndefine('DB_PASSWORD', 'p\xe4ss'); define('DB_NAME', \"n\xe9\\x41\");".to_vec();
    let config = Site::of("wp-config.php", text).read("wp-config.php");
    assert_eq!(config.constant("DB_PASSWORD").unwrap().as_bytes(), Some(&b"p\xe4ss"[..]));
    assert_eq!(config.constant("DB_NAME").unwrap().as_bytes(), Some(&b"n\xe9A"[..]));
    assert_eq!(config.constant("DB_PASSWORD").unwrap().as_str(), None);
}
