//! Conditions, and what becomes of names when one cannot be decided.

use siteclaw_php::{Access, Cause, PhpValue};

use crate::site::{Site, check_constants, constant, read, shown, unresolved, variable};

#[test]
fn an_undecided_condition_changes_no_known_name() {
    let config = read(
        "<?php\ndefine('DB_HOST', 'localhost');\n$table_prefix = 'wp_';\n$db = ['host' => 'a'];\n\
         if ($_SERVER['HTTP_HOST'] === 'dev.test') {\n  define('DB_NAME', 'dev');\n  define('DB_HOST', 'dev-db');\n\
         $table_prefix = 'dev_';\n  $db['host'] = 'b';\n  $db['port'] = 1;\n} elseif (true) {\n\
         define('DB_NAME', 'prod');\n  define('DB_USER', 'prod');\n}\ndefine('DB_NAME', 'late');\ndefine('WP_DEBUG', false);",
    );
    check_constants(
        &config,
        &[
            ("DB_HOST", Some("localhost")),
            ("DB_NAME", Some("?")),
            ("DB_USER", Some("?")),
            ("WP_DEBUG", Some("false")),
        ],
    );
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("wp_"));
    assert_eq!(config.variable("db").unwrap().get("host").map(shown).as_deref(), Some("a"));
    assert_eq!(config.variable("db").unwrap().get("port").map(shown).as_deref(), Some("?"));
    assert_eq!(unresolved(&config), ["$db['port']", "DB_NAME", "DB_USER"]);
    let undecided = &config.undecided[0];
    assert_eq!(undecided.line, 5);
    assert_eq!(undecided.names, ["$db", "$table_prefix", "DB_HOST", "DB_NAME", "DB_USER"]);
    assert_eq!(undecided.why.cause(), &Cause::Request("$_SERVER['HTTP_HOST']".into()));
    assert_eq!(
        config.unresolved.iter().find(|entry| entry.name == "DB_NAME").unwrap().to_string(),
        "DB_NAME: depends on the undecided condition of line 5 (/srv/site/config.php line 5)"
    );
}

#[test]
fn dead_branches_do_not_win() {
    let config = read(
        "<?php if (false) { define('A', 'evil'); } define('A', 'good');\n\
         if (1 > 2): define('B', 'evil'); elseif (PHP_SAPI === 'cli'): define('B', 'good'); else: define('B', 'evil'); endif;\n\
         if (isset($_SERVER['HTTP_HOST']) || !empty($_GET['x'])) define('C', 'evil'); else define('C', 'good');\n\
         while (false) { define('D', 'evil'); }\nfunction f() { define('E', 'evil'); }\n\
         if (defined('A') && A === 'good' && version_compare(PHP_VERSION, '5.6', '>=')) { define('F', 'good'); }\n\
         $x = true ? 'good' : 'evil'; define('G', $x);\nreturn;\ndefine('H', 'evil');",
    );
    check_constants(
        &config,
        &[
            ("A", Some("good")),
            ("B", Some("good")),
            ("C", Some("good")),
            ("D", Some("?")),
            ("E", None),
            ("F", Some("good")),
            ("G", Some("good")),
            ("H", None),
        ],
    );
}

#[test]
fn environment_values_decide() {
    let text = "<?php if (getenv('STAGE') === 'live') { define('DB', 'live'); } else { define('DB', 'dev'); }\n\
                define('A', getenv('A'));\ndefine('B', getenv('B') ?: 'b');\ndefine('C', $_ENV['C'] ?? 'c');\n\
                define('D', $_SERVER['D'] ?? null ?: 'd');\ndefine('E', 'x' . getenv('E'));\n\
                define('F', trim((string) getenv('F')) ?: 'f');\ndefine('G', !getenv('G'));\ndefine('H', $_ENV['H']);\n\
                define('I', false !== getenv('I') ? 'set' : 'unset');\ndefine('J', ('x' . getenv('J')) ?: 'j');\n\
                define('K', getenv('K') ?? 'never'); define('L', json_decode(getenv('L'), true)['x'] ?? 'l');";
    let config = Site::of("c.php", text).env(&[("STAGE", "live"), ("H", "")]).read("c.php");
    check_constants(
        &config,
        &[
            ("DB", Some("live")),
            ("A", Some("?")),
            ("B", Some("b")),
            ("C", Some("c")),
            ("D", Some("d")),
            ("E", Some("?")),
            ("F", Some("f")),
            ("G", Some("true")),
            ("H", Some("")),
            ("I", Some("unset")),
            ("J", Some("?")),
            ("K", Some("?")),
            ("L", Some("l")),
        ],
    );
    let cause = config.constant("A").unwrap().unknown().unwrap().cause().clone();
    assert_eq!(cause, Cause::Environment("A".into()));
    let missing: Vec<_> = config.missing_variables.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(missing, ["A", "B", "C", "D", "E", "F", "G", "I", "J", "K", "L"]);
    assert_eq!(constant(&Site::of("c.php", text).read("c.php"), "DB").as_deref(), Some("dev"));
}

#[test]
fn values_of_the_request_are_unset_to_isset_and_unknown_otherwise() {
    let site = Site::of(
        "c.php",
        "<?php define('A', $_SERVER['HTTP_HOST'] ?? 'default');\ndefine('B', 'https://' . $_SERVER['HTTP_HOST']);\n\
         $_SERVER['HTTPS'] = 'on'; define('C', $_SERVER['HTTPS']);\ndefine('D', $_SERVER['HTTP_PROXY']);",
    );
    // A header of the visitor's must not read our environment.
    let config = site.env(&[("HTTP_PROXY", "leak"), ("HTTP_HOST", "leak")]).read("c.php");
    check_constants(
        &config,
        &[("A", Some("default")), ("B", Some("?")), ("C", Some("on")), ("D", Some("?"))],
    );
}

#[test]
fn the_caller_may_supply_the_request() {
    let server: siteclaw_php::PhpArray =
        [("HTTP_HOST".into(), PhpValue::from("a.test"))].into_iter().collect();
    let site = Site::of(
        "c.php",
        "<?php if ($_SERVER['HTTP_HOST'] == 'a.test') define('DB', 'a'); else define('DB', 'b');",
    );
    let config = site.variable("_SERVER", server).read("c.php");
    assert_eq!(constant(&config, "DB").as_deref(), Some("a"));
}

#[test]
fn guards_against_direct_access_do_not_end_the_file() {
    let config = read(
        "<?php defined('_JEXEC') or die;\nif (!defined('ABSPATH')) { exit; }\ndefine('A', 1);\n\
         if (!defined('X')) { throw new Exception('no'); }\ndefine('B', 2);\ndie('maintenance');\ndefine('C', 3);",
    );
    check_constants(&config, &[("A", Some("1")), ("B", Some("2")), ("C", None)]);
}

#[test]
fn a_return_under_doubt_puts_the_rest_in_doubt() {
    let config = read(
        "<?php $a = 1; define('A', 1);\nif (f()) { return ['x' => 1]; }\n$a = 2; define('B', 2);\nreturn ['x' => 2];",
    );
    check_constants(&config, &[("A", Some("1")), ("B", Some("?"))]);
    assert_eq!(variable(&config, "a").as_deref(), Some("1"));
    assert_eq!(config.returned().map(shown).as_deref(), Some("?"));
    assert_eq!(unresolved(&config), ["B", "return"]);
}

#[test]
fn loops_without_a_list_lose_what_they_assign() {
    let config = read(
        "<?php $p = 'a'; $q = 'b'; for ($i = 0; $i < 3; $i++) { $p .= 'x'; }\n\
         do { define('A', 1); } while (f()); foreach (g() as $k => $v) { $q = $v; $r = $k; }\n\
         foreach (['x' => 1, 'y' => 2] as $k => $v) { if ($v == 2) continue; $s = $k; }\n\
         foreach ([1, 2, 3] as $n) { if ($n == 2) break; $t = $n; }",
    );
    let known: Vec<_> = ["p", "q", "r", "s", "t"].map(|name| variable(&config, name).unwrap()).into();
    assert_eq!(known, ["?", "b", "?", "x", "1"]);
    assert_eq!(constant(&config, "A").as_deref(), Some("?"));
}

#[test]
fn functions_of_the_file_are_followed() {
    let config = Site::of(
        "c.php",
        "<?php define('A', setting('A', 'x')); define('B', setting('B'));\n\
         function setting($name, $default = 'none') { $value = getenv('APP_' . $name); if ($value === false) return $default;\n\
         return strtoupper($value); }\nfunction prefix() { global $table_prefix; $table_prefix = 'g_'; }\nprefix();\n\
         function loop($n) { return loop($n + 1); } define('C', loop(0)); function r(&$x) { $x = 1; } r($y); define('D', r($z));",
    )
    .env(&[("APP_A", "live")])
    .read("c.php");
    check_constants(&config, &[("A", Some("LIVE")), ("B", Some("none")), ("C", Some("?")), ("D", Some("?"))]);
    assert_eq!(variable(&config, "table_prefix").as_deref(), Some("g_"));
}

#[test]
fn references_and_by_reference_functions_make_unknown() {
    let config = read(
        "<?php $db = ['h' => 1]; $x = &$db['h']; $x = 2;\n$list = [3, 1]; sort($list);\n$keep = [1]; count($keep);\n\
         parse_str('a=1', $parsed);\n$name = 'dyn'; $$name = 'v'; [$p, 'k' => $q] = [5, 'k' => 6]; list(, $r) = [7, 8];",
    );
    let known: Vec<_> =
        ["list", "keep", "parsed", "dyn", "p", "r"].map(|name| variable(&config, name).unwrap()).into();
    assert_eq!(known, ["?", "[1]", "?", "v", "5", "8"]);
    assert_eq!(config.variable("db").unwrap().get("h").map(shown).as_deref(), Some("?"));
}

#[test]
fn an_object_written_under_one_name_is_unknown_under_others() {
    let config = read(
        "<?php $a = (object) ['x' => 1]; $b = $a; $list = [$a, 2]; $c = (object) ['x' => 1]; $c->x = 5;\n\
         function set($o) { $o->x = 9; } $d = new stdClass; set($d); $a->x = 2;",
    );
    let known: Vec<_> = ["a", "b", "list", "c", "d"].map(|name| variable(&config, name).unwrap()).into();
    assert_eq!(known, [r#"{"@class":"stdClass","x":2}"#, "?", "?", r#"{"@class":"stdClass","x":5}"#, "?"]);
}

#[test]
fn paths_that_may_not_be_read_keep_a_condition_open() {
    let config = read(
        "<?php if (file_exists('/etc/site/db.php')) { require '/etc/site/db.php'; define('A', 1); }\n\
         if (file_exists(__DIR__ . '/none.php')) { define('B', 1); }\ndefine('C', file_get_contents('/run/pw'));\n\
         require 'php://input'; include 'http://me:hunter2@evil.test/x'; $x = is_file('ftp://me:hunter2@h/x');",
    );
    check_constants(&config, &[("A", Some("?")), ("B", None), ("C", Some("?"))]);
    let refused: Vec<_> =
        config.refused.iter().map(|entry| (entry.path.to_str().unwrap(), entry.access, entry.line)).collect();
    assert_eq!(
        refused,
        [
            ("/etc/site/db.php", Access::Exists, 1),
            ("/etc/site/db.php", Access::Include, 1),
            ("/run/pw", Access::Read, 3),
            ("php://…", Access::Include, 4),
            ("http://…", Access::Include, 4),
            ("ftp://…", Access::Exists, 4),
        ]
    );
}

#[test]
fn addresses_in_findings_are_cut() {
    let config =
        read("<?php include 'http://me:hunter2@h/x'; $x = file_get_contents(\"mysql://me:hunter2@h/x\");");
    assert!(!format!("{config:?}").contains("hunter2"), "{config:?}");
}

#[test]
fn a_syntax_error_keeps_what_stands_before_it() {
    let config = read("<?php\ndefine('A', 1);\ndefine('B', 2)\ndefine('C', 3);\n");
    check_constants(&config, &[("A", Some("1")), ("B", None), ("C", None)]);
    assert_eq!(config.faults.len(), 1);
    assert!(config.faults[0].message.starts_with("syntax error"), "{}", config.faults[0].message);

    let config =
        read("<?php\ndefine('A', 1);\ndefine('DB_PASSWORD', 'hunter2);\ndefine('DB_HOST', 'localhost');\n");
    check_constants(&config, &[("A", Some("1")), ("DB_PASSWORD", None), ("DB_HOST", None)]);
    assert!(!format!("{:?}", config.faults).contains("hunter2"), "{:?}", config.faults);
}

#[test]
fn required_files_that_are_missing_are_faults() {
    let config = read(
        "<?php\n@include 'a.php';\nrequire __DIR__ . '/b.php';\nrequire $unset . '/c.php';\ndefine('A', 1);",
    );
    check_constants(&config, &[("A", Some("1"))]);
    let faults: Vec<_> = config.faults.iter().map(|fault| (fault.line, fault.message.as_str())).collect();
    assert_eq!(faults, [(3, "/srv/site/b.php cannot be read: there is no such file")]);
    assert_eq!(unresolved(&config), ["include"]);
}

#[test]
fn once_files_are_read_once_and_cycles_end() {
    let config = Site::of(
        "a.php",
        "<?php require_once 'b.php'; require_once __DIR__ . '/b.php'; $n .= 'a'; require 'a.php';",
    )
    .file("b.php", "<?php $n = ($n ?? '') . 'b'; require 'a.php'; return 5;")
    .read("a.php");
    assert_eq!(variable(&config, "n").as_deref(), Some("ba"));
    assert_eq!(config.faults.len(), 2, "{:?}", config.faults);
    assert!(config.faults[0].message.contains("includes itself"));
}
