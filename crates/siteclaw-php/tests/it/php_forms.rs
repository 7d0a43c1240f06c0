//! The configurations of the other platforms.

use siteclaw_php::{Config, PhpValue};

use crate::site::{ROOT, Site, check_constants, read, shown, unresolved, variable};

fn returned(config: &Config, path: &[&str]) -> Option<String> {
    config.returned()?.at(path).map(shown)
}

#[test]
fn joomla_class_properties() {
    let config = read(
        "<?php\nclass JConfig {\n\tpublic $offline = '0';\n\tpublic $host = 'localhost:/tmp/my.sock';\n\
         \tpublic $user = \"j\\\"u\";\n\tpublic $password = 'a\\'b';\n\tvar $db = 'joomla' . '5';\n\
         \tpublic string $dbprefix = 'j5_';\n\tpublic $debug = false, $gzip = true;\n\tpublic $list_limit = 20;\n\
         \tpublic $empty;\n\tpublic $metadata = array('a' => 'b');\n\t// public $db = 'decoy';\n\
         \tprivate static $secret = 'x';\n\tpublic function __toString() { return $this->host; }\n}\n",
    );
    for (name, value) in [
        ("host", "localhost:/tmp/my.sock"),
        ("user", "j\"u"),
        ("password", "a'b"),
        ("db", "joomla5"),
        ("dbprefix", "j5_"),
        ("debug", "false"),
        ("gzip", "true"),
        ("list_limit", "20"),
        ("empty", "null"),
        ("metadata", r#"{"a":"b"}"#),
        ("secret", "x"),
    ] {
        assert_eq!(config.property("jconfig", name).map(shown).as_deref(), Some(value), "{name}");
    }
    assert_eq!(config.class("JConfig").unwrap().properties["db"].line, 7);
}

#[test]
fn joomla_constructor_parent_and_environment() {
    let site = Site::of(
        "configuration.php",
        "<?php require __DIR__ . '/base.php';\nclass JConfig extends BaseConfig {\n  const D = 'shop';\n\
         \tpublic $host = 'db';\n\tpublic $tz = self::ZONE;\n\tfunction __construct() {\n\
         \t\t$this->password = getenv('JOOMLA_DB_PASSWORD');\n\t\t$this->user = $_ENV['JU'] ?? 'fallback';\n\
         \t\t$this->db = self::D;\n\t\tif ($this->host === 'db') { $this->port = 3306; }\n\t}\n}",
    )
    .file(
        "base.php",
        "<?php class BaseConfig { const ZONE = 'UTC'; public $dbprefix = 'base_'; public $host = 'x'; }",
    )
    .env(&[("JOOMLA_DB_PASSWORD", "pw")]);
    let config = site.read("configuration.php");
    let members = [
        ("host", "db"),
        ("password", "pw"),
        ("user", "fallback"),
        ("db", "shop"),
        ("port", "3306"),
        ("tz", "UTC"),
    ];
    for (name, value) in members.into_iter().chain([("dbprefix", "base_")]) {
        assert_eq!(config.property("JConfig", name).map(shown).as_deref(), Some(value), "{name}");
    }
    assert_eq!(variable(&config, "this"), None);
}

#[test]
fn version_constants_of_classes() {
    let config = read(
        "<?php\nnamespace Joomla\\CMS;\nfinal class Version {\n public const MAJOR_VERSION = 5;\n\
         public const string TEXT = self::MAJOR_VERSION . '.2';\n}\nclass Drupal { const VERSION = '10.5.6'; }",
    );
    assert_eq!(config.class_constant("Version", "MAJOR_VERSION"), Some(&PhpValue::Int(5)));
    assert_eq!(config.class_constant("version", "TEXT").map(shown).as_deref(), Some("5.2"));
    assert_eq!(config.class_constant("Drupal", "VERSION").map(shown).as_deref(), Some("10.5.6"));
}

#[test]
fn drupal_settings() {
    let text = r#"<?php
$databases = [];
// $databases['default']['default'] = ['database' => 'decoy'];
$settings['hash_salt'] = 'salt';
$settings['container_yamls'][] = $app_root . '/' . $site_path . '/services.yml';
$settings['container_yamls'][] = __DIR__ . '/more.yml';
$databases['default']['default'] = array (
  'database' => 'drupal', 'username' => 'u', 'password' => 'p', 'prefix' => '',
  'host' => getenv('DB_HOST') ?: 'localhost', 'port' => '3306',
  'namespace' => 'Drupal\\mysql\\Driver\\Database\\mysql',
  'pdo' => [\PDO::MYSQL_ATTR_SSL_CA => '/ca.pem', PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => FALSE],
  'init_commands' => ['isolation_level' => 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'],
);
$databases['default']['replica'][] = ['host' => 'r1'] + $databases['default']['default'];
$settings['config_sync_directory'] = 'sites/default/files/config_x/sync';
$settings['config_sync_directory'] = '../config/sync';
$settings += ['file_public_path' => 'files', 'hash_salt' => 'other'];
$config['system.logging']['error_level'] = 'verbose';
$settings['trusted_host_patterns'] = ['^example\.com$'];
foreach (['a', 'b'] as $i => $name) { $settings['queue_' . $name] = "q$i"; }
switch (getenv('STAGE')) {
  case 'live': $settings['stage'] = 'LIVE'; break;
  case 'test': $settings['stage'] = 'TEST'; break;
  default: $settings['stage'] = 'DEV';
}
if (file_exists($app_root . '/' . $site_path . '/settings.local.php')) {
  include $app_root . '/' . $site_path . '/settings.local.php';
}
"#;
    let site = Site::of("web/sites/default/settings.php", text)
        .file(
            "web/sites/default/settings.local.php",
            "<?php $databases['default']['default']['host'] = 'db';",
        )
        .variable("app_root", "/srv/site/web")
        .variable("site_path", "sites/default")
        .env(&[("STAGE", "test")]);
    let config = site.read("web/sites/default/settings.php");
    let database = config.variable("databases").unwrap().at(&["default", "default"]).unwrap();
    for (key, value) in [("database", "drupal"), ("host", "db"), ("port", "3306"), ("prefix", "")] {
        assert_eq!(database.get(key).map(shown).as_deref(), Some(value), "{key}");
    }
    assert_eq!(database.get("pdo").map(shown).as_deref(), Some(r#"{"1009":"/ca.pem","1014":false}"#));
    assert_eq!(
        database.get("namespace").map(shown).as_deref(),
        Some("Drupal\\mysql\\Driver\\Database\\mysql")
    );
    let replica = config.variable("databases").unwrap().at(&["default", "replica", "0"]).unwrap();
    assert_eq!(
        (replica.get("host").map(shown), replica.get("database").map(shown)),
        (Some("r1".into()), Some("drupal".into()))
    );
    let settings = config.variable("settings").unwrap();
    for (key, value) in [
        ("hash_salt", "salt"),
        ("file_public_path", "files"),
        ("config_sync_directory", "../config/sync"),
        ("queue_a", "q0"),
        ("queue_b", "q1"),
        ("stage", "TEST"),
        ("trusted_host_patterns", r#"["^example\\.com$"]"#),
        (
            "container_yamls",
            r#"["/srv/site/web/sites/default/services.yml","/srv/site/web/sites/default/more.yml"]"#,
        ),
    ] {
        assert_eq!(settings.get(key).map(shown).as_deref(), Some(value), "{key}");
    }
    assert_eq!(
        config.variable("config").unwrap().at(&["system.logging", "error_level"]).map(shown).as_deref(),
        Some("verbose")
    );
}

#[test]
fn drupal_on_hosting_platforms() {
    // base64 of {"database":[{"host":"db.internal","port":3306,"username":"u","password":"","path":"main"}]}
    let relationships = "eyJkYXRhYmFzZSI6W3siaG9zdCI6ImRiLmludGVybmFsIiwicG9ydCI6MzMwNiwidXNlcm5hbWUiOiJ1Iiwi\
                         cGFzc3dvcmQiOiIiLCJwYXRoIjoibWFpbiJ9XX0=";
    let text = r#"<?php
$relationships = json_decode(base64_decode(getenv('PLATFORM_RELATIONSHIPS')), TRUE);
if (!empty($relationships['database'])) {
  foreach ($relationships['database'] as $endpoint) {
    $databases['default']['default'] = ['driver' => 'mysql', 'host' => $endpoint['host'], 'database' => $endpoint['path']];
  }
}
if (isset($_SERVER['PRESSFLOW_SETTINGS'])) {
  $flow = json_decode($_SERVER['PRESSFLOW_SETTINGS'], TRUE);
  foreach ($flow as $key => $value) { $$key = $value; }
}
if (getenv('IS_DDEV_PROJECT') == 'true') { $databases['default']['default']['host'] = 'ddev'; }
"#;
    let with = Site::of("s.php", text).env(&[("PLATFORM_RELATIONSHIPS", relationships)]).read("s.php");
    let database = with.variable("databases").unwrap().at(&["default", "default"]).unwrap();
    assert_eq!(database.get("host").map(shown).as_deref(), Some("db.internal"));
    assert_eq!(database.get("database").map(shown).as_deref(), Some("main"));

    let flow = r#"{"databases":{"default":{"default":{"host":"dbserver"}}}}"#;
    let with = Site::of("s.php", text).env(&[("PRESSFLOW_SETTINGS", flow)]).read("s.php");
    let host = with.variable("databases").unwrap().at(&["default", "default", "host"]);
    assert_eq!(host.map(shown).as_deref(), Some("dbserver"));

    let without = Site::of("s.php", text).read("s.php");
    assert_eq!(without.variable("databases"), None);
    assert_eq!(without.undecided, []);
    assert!(without.missing_variables.iter().any(|entry| entry.name == "IS_DDEV_PROJECT"));
}

#[test]
fn magento_env_php() {
    let text = r#"<?php
return [
    'db' => ['table_prefix' => 'mg_', 'connection' => ['default' => [
        'host' => getenv('MAGE_HOST') ?: '127.0.0.1:3306', 'dbname' => $_ENV['MAGE_DB'] ?? 'magento',
        'username' => $_SERVER['MAGE_USER'] ?? 'u', 'password' => getenv('MAGE_PW'),
        'driver_options' => [1014 => false],
    ]]],
    'crypt' => ['key' => 'k1
k2'],
    'MAGE_MODE' => 'production',
    'system' => ['default' => ['web' => ['url' => '#env(URL, "https://x")']]],
    'x' => some_function('a'),
];
"#;
    let config = Site::of("env.php", text).env(&[("MAGE_USER", "mage")]).read("env.php");
    let connection = ["db", "connection", "default"];
    for (key, value) in
        [("host", "127.0.0.1:3306"), ("dbname", "magento"), ("username", "mage"), ("password", "?")]
    {
        let path: Vec<&str> = connection.iter().copied().chain([key]).collect();
        assert_eq!(returned(&config, &path).as_deref(), Some(value), "{key}");
    }
    assert_eq!(returned(&config, &["crypt", "key"]).as_deref(), Some("k1\nk2"));
    assert_eq!(
        returned(&config, &["system", "default", "web", "url"]).as_deref(),
        Some("#env(URL, \"https://x\")")
    );
    let found: Vec<_> = config.unresolved.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "return['db']['connection']['default']['password']: environment variable MAGE_PW is not set here \
         (/srv/site/env.php line 5)",
            "return['x']: some_function() is not evaluated (/srv/site/env.php line 12)",
        ]
    );
}

#[test]
fn prestashop_parameters() {
    let config = read(
        "<?php return array (\n  'parameters' => \n  array (\n    'database_host' => 'localhost:/run/m.sock',\n\
         'database_port' => '',\n    'database_password' => '100%%',\n    'mailer_user' => NULL,\n\
         'ps_caching' => FALSE,\n    'n' => 0x1F,\n  ),\n);\n",
    );
    for (key, value) in [
        ("database_host", "localhost:/run/m.sock"),
        ("database_port", ""),
        ("database_password", "100%%"),
        ("mailer_user", "null"),
        ("ps_caching", "false"),
        ("n", "31"),
    ] {
        assert_eq!(returned(&config, &["parameters", key]).as_deref(), Some(value), "{key}");
    }
}

#[test]
fn opencart_folders_from_constants() {
    let config = read(
        "<?php\n// HTTP\ndefine('HTTP_SERVER', 'http://shop.test/');\ndefine('DIR_OPENCART', __DIR__ . '/');\n\
         define('DIR_SYSTEM', DIR_OPENCART . 'system/');\ndefine('DIR_STORAGE', realpath(DIR_SYSTEM . '../../storage') . '/');\n\
         define('DIR_LOGS', DIR_STORAGE . 'logs/');\ndefine('DB_PASSWORD', 'a\\'b\\\\c&amp;');\n\
         define('DB_PORT', getenv('OC_PORT') ?: '3306');\n//define('DB_PREFIX', 'decoy_');\ndefine('DB_PREFIX', 'oc_');",
    );
    check_constants(
        &config,
        &[
            ("DIR_SYSTEM", Some("/srv/site/system/")),
            ("DIR_LOGS", Some("/srv/storage/logs/")),
            ("DB_PASSWORD", Some("a'b\\c&amp;")),
            ("DB_PORT", Some("3306")),
            ("DB_PREFIX", Some("oc_")),
        ],
    );
}

#[test]
fn laravel_configuration_files() {
    let text = r#"<?php
use Illuminate\Support\Str;
use Monolog\Handler\{NullHandler, StreamHandler as Stream};
return [
    'default' => env('DB_CONNECTION', 'sqlite'),
    'debug' => (bool) env('APP_DEBUG', false),
    'url' => env('DB_URL'),
    'port' => env('DB_PORT', '3306'),
    'pin' => env('PIN'),
    'database' => env('DB_DATABASE', database_path('database.sqlite')),
    'log' => storage_path('logs/laravel.log'),
    'options' => extension_loaded('pdo_mysql') ? array_filter([PDO::MYSQL_ATTR_SSL_CA => env('SSL_CA')]) : [],
    'prefix' => env('CACHE_PREFIX', Str::slug(env('APP_NAME', 'laravel'), '_') . '_cache_'),
    'keys' => [...array_filter(explode(',', (string) env('APP_PREVIOUS_KEYS', '')))],
    'handlers' => [NullHandler::class, Stream::class, \App\Log::class],
    'stack' => explode(',', env('LOG_STACK', 'single,daily')),
    'callback' => fn () => 1,
    'class' => App::environment('local'),
];
"#;
    let env = [("DB_CONNECTION", "mysql"), ("APP_DEBUG", "true"), ("APP_NAME", "My Shop"), ("PIN", "0042")];
    let config = Site::of("config/all.php", text).env(&env).laravel().read("config/all.php");
    for (key, value) in [
        ("default", "mysql"),
        ("debug", "true"),
        ("url", "null"),
        ("port", "3306"),
        ("pin", "0042"),
        ("database", "/srv/site/database/database.sqlite"),
        ("log", "/srv/site/storage/logs/laravel.log"),
        ("options", "[]"),
        ("prefix", "my_shop_cache_"),
        ("keys", "[]"),
        ("handlers", r#"["Monolog\\Handler\\NullHandler","Monolog\\Handler\\StreamHandler","App\\Log"]"#),
        ("stack", r#"["single","daily"]"#),
    ] {
        assert_eq!(returned(&config, &[key]).as_deref(), Some(value), "{key}");
    }
    assert_eq!(unresolved(&config), ["return['callback']", "return['class']"]);
    let without_root = Site::of("config/all.php", text).read("config/all.php");
    assert!(unresolved(&without_root).contains(&"return['log']".to_owned()));
}

#[test]
fn laravel_merges_keep_what_is_known() {
    let config = Site::of(
        "a.php",
        "<?php return ['open' => array_merge(require 'lost.php', ['a' => 1]), 'spread' => ['b' => 0, ...f(), 'c' => 2],\n\
         'both' => array_merge(['x' => 1, 'y' => 1], require 'b.php')];",
    )
    .file("b.php", "<?php return ['y' => 2, 'z' => 3];")
    .read("a.php");
    assert_eq!(returned(&config, &["both"]).as_deref(), Some(r#"{"x":1,"y":2,"z":3}"#));
    assert_eq!(returned(&config, &["open", "a"]).as_deref(), Some("1"));
    assert_eq!(returned(&config, &["spread"]).as_deref(), Some(r#"{"c":2}"#));
    assert_eq!(unresolved(&config), ["return['open'][…]", "return['spread'][…]"]);
}

#[test]
fn symfony_dumped_environment_and_bundles() {
    let config = read(
        "<?php\n// generated\nreturn array (\n  'APP_ENV' => 'prod',\n  'DATABASE_URL' => 'postgresql://a:b%2F@h/db',\n);",
    );
    assert_eq!(returned(&config, &["DATABASE_URL"]).as_deref(), Some("postgresql://a:b%2F@h/db"));
    let bundles = read(
        "<?php return [Acme\\Foo\\FooBundle::class => ['all' => true], \\Bar::class => ['dev' => true]];",
    );
    assert_eq!(returned(&bundles, &["Acme\\Foo\\FooBundle", "all"]).as_deref(), Some("true"));
    assert_eq!(returned(&bundles, &["Bar", "dev"]).as_deref(), Some("true"));
    let secret = read("<?php // app.KEY\nreturn \"\\x00\\xff\\x7fA\";");
    assert_eq!(secret.returned().unwrap().as_bytes(), Some(&b"\x00\xff\x7fA"[..]));
}

#[test]
fn version_file_of_wordpress() {
    let config =
        read("<?php\n/** @global string $wp_version */\n$wp_version = '7.1';\n$wp_db_version = 61833;");
    assert_eq!(variable(&config, "wp_version").as_deref(), Some("7.1"));
    assert_eq!(config.variable("wp_db_version").and_then(PhpValue::as_int), Some(61833));
    assert_eq!(config.variables["wp_version"].file.to_str(), Some(&*format!("{ROOT}/config.php")));
}
