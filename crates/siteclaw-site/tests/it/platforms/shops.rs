//! Magento, PrestaShop and OpenCart: arrays and constants.

use serde_json::Value;

use super::{Place, check};

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
