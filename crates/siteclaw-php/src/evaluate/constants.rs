//! Constants that PHP itself defines.

use crate::value::PhpValue;

/// The PHP that the site is taken to run on, where a file asks. Sites run on 8.x; what a configuration
/// tests for is older.
const VERSION: (i64, i64, i64) = (8, 3, 0);

pub(super) fn version() -> String {
    format!("{}.{}.{}", VERSION.0, VERSION.1, VERSION.2)
}

/// The value of a predefined constant; the case of `true`, `false` and `null` does not matter.
pub(super) fn value(name: &str) -> Option<PhpValue> {
    let number = |number: i64| Some(PhpValue::Int(number));
    let text = |text: &str| Some(PhpValue::from(text));
    match name {
        "PHP_VERSION" => Some(PhpValue::from(version())),
        "PHP_VERSION_ID" => number(VERSION.0 * 10_000 + VERSION.1 * 100 + VERSION.2),
        "PHP_MAJOR_VERSION" => number(VERSION.0),
        "PHP_MINOR_VERSION" => number(VERSION.1),
        "PHP_RELEASE_VERSION" => number(VERSION.2),
        "PHP_SAPI" => text("cli"),
        "PHP_OS" | "PHP_OS_FAMILY" => text("Linux"),
        "PHP_EOL" => text("\n"),
        "PHP_INT_MAX" => number(i64::MAX),
        "PHP_INT_MIN" => number(i64::MIN),
        "PHP_INT_SIZE" => number(8),
        "DIRECTORY_SEPARATOR" => text("/"),
        "PATH_SEPARATOR" => text(":"),
        "E_ERROR" => number(1),
        "E_WARNING" => number(2),
        "E_PARSE" => number(4),
        "E_NOTICE" => number(8),
        "E_CORE_ERROR" => number(16),
        "E_CORE_WARNING" => number(32),
        "E_COMPILE_ERROR" => number(64),
        "E_COMPILE_WARNING" => number(128),
        "E_USER_ERROR" => number(256),
        "E_USER_WARNING" => number(512),
        "E_USER_NOTICE" => number(1024),
        "E_STRICT" => number(2048),
        "E_RECOVERABLE_ERROR" => number(4096),
        "E_DEPRECATED" => number(8192),
        "E_USER_DEPRECATED" => number(16384),
        "E_ALL" => number(32767),
        "LOG_EMERG" => number(0),
        "LOG_ALERT" => number(1),
        "LOG_CRIT" => number(2),
        "LOG_ERR" => number(3),
        "LOG_WARNING" => number(4),
        "LOG_NOTICE" => number(5),
        "LOG_INFO" => number(6),
        "LOG_DEBUG" => number(7),
        "LOG_USER" => number(8),
        "LOG_MAIL" => number(16),
        "LOG_DAEMON" => number(24),
        "LOG_AUTH" => number(32),
        "LOG_LOCAL0" => number(128),
        "FILTER_VALIDATE_INT" => number(257),
        "FILTER_VALIDATE_BOOLEAN" | "FILTER_VALIDATE_BOOL" => number(258),
        "FILTER_NULL_ON_FAILURE" => number(134_217_728),
        "PHP_URL_SCHEME" => number(0),
        "PHP_URL_HOST" => number(1),
        "PHP_URL_PORT" => number(2),
        "PHP_URL_USER" => number(3),
        "PHP_URL_PASS" => number(4),
        "PHP_URL_PATH" => number(5),
        "PHP_URL_QUERY" => number(6),
        "PHP_URL_FRAGMENT" => number(7),
        "JSON_OBJECT_AS_ARRAY" => number(1),
        "JSON_BIGINT_AS_STRING" => number(2),
        "JSON_THROW_ON_ERROR" => number(4_194_304),
        "ENT_QUOTES" => number(3),
        "MYSQLI_CLIENT_COMPRESS" | "MYSQL_CLIENT_COMPRESS" => number(32),
        "MYSQLI_CLIENT_SSL" | "MYSQL_CLIENT_SSL" => number(2048),
        "MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT" => number(64),
        "MYSQLI_CLIENT_FOUND_ROWS" => number(2),
        _ if name.eq_ignore_ascii_case("true") => Some(PhpValue::Bool(true)),
        _ if name.eq_ignore_ascii_case("false") => Some(PhpValue::Bool(false)),
        _ if name.eq_ignore_ascii_case("null") => Some(PhpValue::Null),
        _ => None,
    }
}

/// Constants of `PDO` (and, under their newer names, of `Pdo\Mysql`). The MySQL ones count from 1000 in
/// builds with mysqlnd, which is what is shipped.
pub(super) fn pdo(name: &str) -> Option<i64> {
    Some(match name.strip_prefix("MYSQL_").unwrap_or(name) {
        "ATTR_USE_BUFFERED_QUERY" => 1000,
        "ATTR_LOCAL_INFILE" => 1001,
        "ATTR_INIT_COMMAND" => 1002,
        "ATTR_COMPRESS" => 1003,
        "ATTR_DIRECT_QUERY" => 1004,
        "ATTR_FOUND_ROWS" => 1005,
        "ATTR_IGNORE_SPACE" => 1006,
        "ATTR_SSL_KEY" => 1007,
        "ATTR_SSL_CERT" => 1008,
        "ATTR_SSL_CA" => 1009,
        "ATTR_SSL_CAPATH" => 1010,
        "ATTR_SSL_CIPHER" => 1011,
        "ATTR_SERVER_PUBLIC_KEY" => 1012,
        "ATTR_MULTI_STATEMENTS" => 1013,
        "ATTR_SSL_VERIFY_SERVER_CERT" => 1014,
        "ATTR_AUTOCOMMIT" => 0,
        "ATTR_TIMEOUT" => 2,
        "ATTR_ERRMODE" => 3,
        "ATTR_CASE" => 8,
        "ATTR_ORACLE_NULLS" => 11,
        "ATTR_PERSISTENT" => 12,
        "ATTR_STRINGIFY_FETCHES" => 17,
        "ATTR_DEFAULT_FETCH_MODE" => 19,
        "ATTR_EMULATE_PREPARES" => 20,
        "ERRMODE_SILENT" | "CASE_NATURAL" | "NULL_NATURAL" => 0,
        "ERRMODE_WARNING" => 1,
        "ERRMODE_EXCEPTION" => 2,
        "FETCH_ASSOC" => 2,
        "FETCH_OBJ" => 5,
        _ => return None,
    })
}
