//! What holds for every platform: causes with their lines, the operator's words, trust, silence about passwords.

use serde_json::json;
use siteclaw_core::Secret;
use siteclaw_site::DatabaseOverride;

use super::Place;

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
