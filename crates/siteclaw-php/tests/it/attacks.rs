//! Hostile configurations. Each ends soon, gives nothing away and leaves the process alive; the
//! evaluator has its own stack, so these also hold on a small one.

use std::time::{Duration, Instant};

use siteclaw_php::dotenv::{Dialect, Dotenv};
use siteclaw_php::{Environment, LayeredEnvironment, Options, PhpError, evaluate};

use crate::site::{Site, check_constants, constant, read, shown, unresolved, variable};

/// Long enough for an unoptimised build on a busy machine, short against what these texts ask for.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn evaluated_code_stays_text() {
    let config = read(
        "<?php define('DB_PASSWORD', eval(base64_decode('cmV0dXJuIDE7'))); define('A', `id`);\n\
         define('B', shell_exec('id')); define('C', system('id')); define('D', (function () { return 1; })());\n\
         define('E', call_user_func('phpversion')); $f = 'phpversion'; define('F', $f()); define('G', new Exception('x'));\n\
         define('H', assert('phpinfo()')); define('I', include 'data:text/plain,<?php return 1;');\n\
         define('J', preg_replace('/x/e', 'phpinfo()', 'x')); define('DB_NAME', 'kept');",
    );
    for name in ["DB_PASSWORD", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"] {
        assert_eq!(constant(&config, name).as_deref(), Some("?"), "{name}");
    }
    assert_eq!(constant(&config, "DB_NAME").as_deref(), Some("kept"));
}

#[test]
fn credentials_of_our_process_do_not_reach_a_value() {
    let names = [
        "SITECLAW_KEY",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ];
    let mut text = "<?php define('DB_HOST', getenv('DB_HOST') ?: 'localhost');\n".to_owned();
    for name in names {
        text.push_str(&format!(
            "define('G_{name}', getenv('{name}')); define('E_{name}', $_ENV['{name}']); define('S_{name}', $_SERVER['{name}']);\n\
             define('L_{name}', env('{name}')); define('D_{name}', getenv_docker('{name}', 'none'));\n"
        ));
    }
    let environment = LayeredEnvironment::new().with_process(|_| Some("from the process".to_owned()));
    let path = std::path::Path::new("/srv/site/c.php");
    let files = std::collections::BTreeMap::from([(path.to_owned(), text.into_bytes())]);
    let config = evaluate(path, &files, &environment, &Options::default()).unwrap();
    assert_eq!(constant(&config, "DB_HOST").as_deref(), Some("from the process"));
    for name in names {
        for form in ["G", "E", "S"] {
            assert_eq!(constant(&config, &format!("{form}_{name}")).as_deref(), Some("?"), "{form} {name}");
        }
        assert_eq!(constant(&config, &format!("L_{name}")).as_deref(), Some("null"));
        assert_eq!(constant(&config, &format!("D_{name}")).as_deref(), Some("none"));
        assert_eq!(environment.get(name), None);
    }
}

#[test]
fn includes_stay_inside_and_end() {
    let config = Site::of(
        "wp-config.php",
        "<?php require __DIR__.'/../../../etc/passwd'; require '/proc/self/environ'; require __FILE__;\n\
         require 'deep1.php'; define('A', 1);",
    )
    .file("deep1.php", "<?php require 'deep2.php';")
    .file("deep2.php", "<?php require 'deep3.php';")
    .file("deep3.php", "<?php require 'deep4.php';")
    .file("deep4.php", "<?php require 'deep5.php';")
    .file("deep5.php", "<?php define('FIVE', 1); require 'deep6.php';")
    .file("deep6.php", "<?php define('SIX', 1);")
    .read("wp-config.php");
    let refused: Vec<_> = config.refused.iter().map(|entry| entry.path.to_str().unwrap()).collect();
    assert_eq!(refused, ["/etc/passwd", "/proc/self/environ"]);
    check_constants(&config, &[("A", Some("1")), ("FIVE", Some("1")), ("SIX", None)]);
}

#[test]
fn a_chain_of_files_has_an_end() {
    let mut site = Site::of(
        "c0.php",
        "<?php foreach (range(1, 9) as $x) {} for ($i = 0; $i < 9; $i++) { require 'c1.php'; }",
    );
    let mut all = "<?php\n".to_owned();
    for number in 0..200 {
        site = site.file(&format!("n{number}.php"), "<?php $n = ($n ?? 0) + 1;");
        all.push_str(&format!("require 'n{number}.php';\n"));
    }
    let config = site.file("all.php", all).read("all.php");
    let count: i64 = config.variable("n").unwrap().as_int().unwrap();
    assert!((10..=64).contains(&count), "{count}");
    assert!(!config.faults.is_empty());
}

fn soon(name: &str, text: String, check: impl FnOnce(Result<siteclaw_php::Config, PhpError>)) {
    let start = Instant::now();
    let outcome = Site::of("c.php", text).try_read("c.php");
    let took = start.elapsed();
    assert!(took < SOON, "{name}: {took:?}");
    check(outcome);
}

#[test]
fn large_values_are_unknown() {
    for (name, text) in [
        ("repeat", "$x = str_repeat('a', 1e9);".to_owned()),
        ("repeat int", "$x = str_repeat('ab', PHP_INT_MAX);".to_owned()),
        ("doubling", format!("$x = 'aaaaaaaa'; {}", "$x .= $x;".repeat(60))),
        ("nesting", format!("$x = []; {}", "$x = [$x];".repeat(5_000))),
        ("sharing", format!("$x = [1]; {}", "$x = [$x, $x];".repeat(60))),
        ("deep keys", format!("$x = 1; $x = []; $x{} = 1;", "['a']".repeat(2_000))),
        ("replace", format!("$x = 'a'; {}", "$x = str_replace('a', 'aaaaaaaaaa', $x);".repeat(60))),
        ("implode", format!("$x = 'aa'; {}", "$x = implode($x, explode('a', $x));".repeat(60))),
    ] {
        soon(name, format!("<?php {text} define('AFTER', 'yes');"), |outcome| {
            let config = outcome.unwrap();
            let x = variable(&config, "x");
            match name {
                "deep keys" => assert_eq!(x.as_deref(), Some("[]")),
                "nesting" | "sharing" => assert!(x.is_some_and(|x| x.contains("@unknown")), "{name}"),
                _ => assert!(x.as_deref() == Some("?"), "{name}"),
            }
            assert_eq!(constant(&config, "AFTER").as_deref(), Some("yes"), "{name}");
        });
    }
}

#[test]
fn a_hundred_thousand_concatenations() {
    // 'a'.'a'.… of 100,000 parts is longer than a configuration is read.
    let text = format!("<?php $x = {};", vec!["'a'"; 100_000].join("."));
    soon("too long", text, |outcome| assert!(matches!(outcome, Err(PhpError::TooLarge { .. }))));
    // Bare constants fit: the chain is evaluated without recursion.
    let text = format!("<?php define('A', 'b'); $x = {}; define('AFTER', 1);", vec!["A"; 100_000].join("."));
    soon("constants", text, |outcome| {
        let config = outcome.unwrap();
        assert_eq!(config.variable("x").unwrap().as_bytes().map(<[u8]>::len), Some(100_000));
        assert_eq!(constant(&config, "AFTER").as_deref(), Some("1"));
    });
    for operator in ["+", "||", "&&", "|", "==1+", "?:", "??", "**", "<=>1+", "xor"] {
        let text = format!("<?php $x = {}1; define('AFTER', 1);", format!("A {operator} ").repeat(20_000));
        soon(operator, text, |outcome| drop(outcome.unwrap()));
    }
}

#[test]
fn nested_text_of_every_kind() {
    for (name, open, middle, close, levels) in [
        ("arrays", "[", "1", "]", 5_000),
        ("long arrays", "array(", "1", ")", 20_000),
        ("parentheses", "(", "1", ")", 100_000),
        ("not", "!", "1", "", 200_000),
        ("minus", "- ", "1", "", 100_000),
        ("silence", "@", "1", "", 200_000),
        ("casts", "(int)", "1", "", 40_000),
        ("calls", "trim(", "'a'", ")", 30_000),
        ("indexes", "$a[", "1", "]", 60_000),
        ("closures", "fn() => ", "1", "", 30_000),
        ("matches", "match(1){1=>", "1", "}", 15_000),
        ("interpolation", "\"{$a[", "1", "]}\"", 20_000),
        ("dollars", "$", "$a", "", 200_000),
        ("assignments", "$a=", "1", "", 60_000),
    ] {
        let text = format!(
            "<?php define('BEFORE', 1); $x = {}{middle}{};",
            open.repeat(levels),
            close.repeat(levels)
        );
        soon(name, text, |outcome| {
            if let Ok(config) = outcome {
                assert_eq!(constant(&config, "BEFORE").as_deref(), Some("1"), "{name}");
            }
        });
    }
    for (name, text) in [
        ("ifs", "if (1) ".repeat(30_000) + "$x = 1;"),
        ("else ifs", "if (0) {} else ".repeat(15_000) + "$x = 1;"),
        ("blocks", "{".repeat(100_000)),
        ("members", format!("$x = $a{};", "->a".repeat(60_000))),
        ("elements", format!("$x = $a{};", "[0]".repeat(60_000))),
        ("written elements", format!("$a{} = 1;", "[0]".repeat(60_000))),
        ("calls of calls", format!("$x = f{};", "()".repeat(100_000))),
        ("heredocs", "<<<A\n".repeat(50_000)),
        ("quotes", "'".repeat(200_001)),
        ("classes", "new class { function a() { return ".repeat(6_000)),
        ("foreach", "foreach ([1,2] as $x) ".repeat(40) + "$y = 1;"),
        ("lists", format!("{}$a{} = 1;", "[".repeat(5_000), "]".repeat(5_000))),
        ("functions", "function f($n) { return f($n) . f($n); } $x = f(1);".to_owned()),
        (
            "searches",
            format!(
                "$a = str_repeat('a', 200000); $b = str_repeat('a', 100000) . 'b'; {}",
                "$c = strpos($a, $b);".repeat(5_000)
            ),
        ),
        ("merges", format!("$a = [{}]; {}", "1,".repeat(50_000), "$b = array_merge($a, $a);".repeat(3_000))),
        ("comparisons", format!("$a = [{}]; {}", "1,".repeat(50_000), "$b = $a === $a;".repeat(5_000))),
        (
            "removals",
            format!("$a = ['x' => 1, {}]; {}", "1,".repeat(50_000), "unset($a[5]); $a[5] = 1;".repeat(5_000)),
        ),
        (
            "early exits",
            format!("$a = [{}]; {}", "1,".repeat(50_000), "foreach ($a as $b) break;".repeat(4_000)),
        ),
        (
            "many names",
            format!(
                "$a = [{}]; {}",
                "f(),1,".repeat(20_000),
                (0..8_000).map(|n| format!("$a{n}=$a;")).collect::<String>()
            ),
        ),
        ("doubts", "if (f()) return; $a = 1;".repeat(9_000)),
        ("spreads", format!("$a = [{}]; {}", "1,".repeat(50_000), "$b = [...$a];".repeat(5_000))),
        ("copies", format!("$a = [{}]; {}", "1,".repeat(30_000), "$b = $a; $a[] = 1;".repeat(9_000))),
    ] {
        soon(name, format!("<?php {text}"), drop);
    }
}

#[test]
fn the_callers_stack_does_not_matter() {
    let text = format!("<?php $x = {}1{}; define('A', 1);", "[".repeat(150), "]".repeat(150));
    let run = move || {
        let config = Site::of("c.php", text).read("c.php");
        constant(&config, "A")
    };
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(run).unwrap();
    assert_eq!(thread.join().unwrap().as_deref(), Some("1"));
}

#[test]
fn work_has_a_limit_that_is_reported() {
    let text = format!(
        "<?php define('A', 1); $l = explode(',', '{}'); foreach ($l as $a) foreach ($l as $b) foreach ($l as $c) $n = $c; define('B', 1);",
        "1,".repeat(200)
    );
    soon("loops", text, |outcome| {
        let config = outcome.unwrap();
        check_constants(&config, &[("A", Some("1")), ("B", None)]);
        assert!(config.faults.iter().any(|fault| fault.message.contains("more work")), "{:?}", config.faults);
    });
}

#[test]
fn files_that_are_too_long_are_named() {
    let long = format!("<?php /*{}*/", " ".repeat(300 * 1024));
    let error = Site::of("c.php", long.clone()).try_read("c.php").unwrap_err();
    assert_eq!(error.to_string(), "/srv/site/c.php is 307210 bytes long; at most 262144 bytes are read");
    let config =
        Site::of("c.php", "<?php require 'long.php'; define('A', 1);").file("long.php", long).read("c.php");
    check_constants(&config, &[("A", Some("1"))]);
    assert_eq!(config.faults[0].message, "/srv/site/long.php was not read: it is too long");
    let error = Site::default().try_read("none.php").unwrap_err();
    assert_eq!(error.to_string(), "/srv/site/none.php cannot be read: there is no such file");
}

#[test]
fn commands_in_environment_files_are_inert() {
    for dialect in [Dialect::Plain, Dialect::Laravel, Dialect::Symfony] {
        let mut env = Dotenv::new(dialect);
        env.read("A=$(id)\nB=`id`\nC=${C}\nD=\"$(id)\"\nE=${E}${E}\nF=1").unwrap();
        for value in env.values().values() {
            assert!(!value.contains("uid="), "{value}");
        }
        assert_eq!(env.get("F"), Some("1"));
        assert!(env.get("E").unwrap().len() < 10);
    }
}

#[test]
fn findings_never_show_values() {
    let secret = "S3cr3tV4lue";
    let config = Site::of(
        "c.php",
        format!(
            "<?php define('P', '{secret}'); $p = ['x' => '{secret}', f('{secret}')]; define('Q', f('{secret}'));\n\
             class JConfig {{ public $password = '{secret}'; }}\nif ($_SERVER['HTTP_HOST'] == '{secret}') {{ $z = '{secret}'; }}\n\
             return ['{secret}', g(getenv('{secret}_NAME'))];"
        ),
    )
    .read("c.php");
    let shown_values = config.constant("P").map(shown);
    assert_eq!(shown_values.as_deref(), Some(secret));
    let text =
        format!("{config:?}{:?}", config.unresolved.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(text.matches(secret).count(), text.matches(&format!("{secret}_NAME")).count(), "{text}");
    assert!(unresolved(&config).contains(&"Q".to_owned()));
}
