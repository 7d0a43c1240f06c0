//! Round trips and "never panics".

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use siteclaw_php::dotenv::{Dialect, Dotenv};
use siteclaw_php::{
    Config, Options, PhpArray, PhpKey, PhpValue, begins_serialized, evaluate, file_header, is_serialized,
    unserialize,
};

fn run(text: Vec<u8>) -> Option<Config> {
    let path = Path::new("/srv/site/c.php");
    let files = BTreeMap::from([(PathBuf::from(path), text)]);
    evaluate(path, &files, &BTreeMap::new(), &Options::default()).ok()
}

/// Values as a configuration or a database holds them.
fn value() -> impl Strategy<Value = PhpValue> {
    let leaf = prop_oneof![
        Just(PhpValue::Null),
        any::<bool>().prop_map(PhpValue::from),
        any::<i64>().prop_map(PhpValue::from),
        (-1e300f64..1e300).prop_map(PhpValue::from),
        "\\PC{0,12}".prop_map(PhpValue::from),
        prop::collection::vec(any::<u8>(), 0..12).prop_map(PhpValue::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof![
            any::<i64>().prop_map(PhpKey::from),
            "[a-z'\"$\\\\0-9-]{0,6}".prop_map(|text| PhpKey::from(text.as_str())),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6)
                .prop_map(|list| PhpValue::from(list.into_iter().collect::<PhpArray>())),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|map| PhpValue::from(map.into_iter().collect::<PhpArray>())),
        ]
    })
}

/// PHP source of a value; `style` chooses among the ways to write it.
fn source(value: &PhpValue, style: &mut impl Iterator<Item = u8>, out: &mut Vec<u8>) {
    let choice = style.next().unwrap_or(0);
    match value {
        PhpValue::Null => {
            out.extend_from_slice([&b"null"[..], b"NULL", b"Null", b"(null)"][usize::from(choice % 4)])
        }
        PhpValue::Bool(true) => {
            out.extend_from_slice([&b"true"[..], b"TRUE", b"!false"][usize::from(choice % 3)])
        }
        PhpValue::Bool(false) => {
            out.extend_from_slice([&b"false"[..], b"False", b"(bool) 0"][usize::from(choice % 3)])
        }
        PhpValue::Int(i64::MIN) => out.extend_from_slice(b"PHP_INT_MIN"),
        PhpValue::Int(number) if *number >= 0 && choice % 3 == 1 => {
            out.extend(format!("0x{number:x}").into_bytes())
        }
        PhpValue::Int(number) if *number >= 0 && choice % 3 == 2 => {
            out.extend(format!("0{number:o}").into_bytes())
        }
        PhpValue::Int(number) => out.extend(number.to_string().into_bytes()),
        PhpValue::Float(number) => out.extend(format!("{number:?}").into_bytes()),
        PhpValue::Str(text) => string_source(text.as_bytes(), choice, out),
        PhpValue::Array(array) => {
            out.extend_from_slice(if choice.is_multiple_of(2) { b"[" } else { b"array (" });
            let list = array.is_list() && choice.is_multiple_of(3);
            for (key, value) in array.iter() {
                if !list {
                    match key {
                        PhpKey::Int(number) => source(&PhpValue::Int(*number), style, out),
                        PhpKey::Str(text) => string_source(text.as_bytes(), choice, out),
                    }
                    out.extend_from_slice(b" => ");
                }
                source(value, style, out);
                out.extend_from_slice(b", # note\n");
            }
            out.extend_from_slice(if choice.is_multiple_of(2) { b"]" } else { b")" });
        }
        other => panic!("not generated: {other:?}"),
    }
}

fn string_source(bytes: &[u8], choice: u8, out: &mut Vec<u8>) {
    if choice.is_multiple_of(3) {
        out.push(b'\'');
        for byte in bytes {
            if matches!(byte, b'\'' | b'\\') {
                out.push(b'\\');
            }
            out.push(*byte);
        }
        out.push(b'\'');
        return;
    }
    out.push(b'"');
    for byte in bytes {
        match byte {
            b'"' | b'\\' | b'$' => out.extend([b'\\', *byte]),
            b'\n' if choice % 3 == 1 => out.extend_from_slice(b"\\n"),
            byte if *byte < 0x20 || (*byte >= 0x80 && choice % 3 == 1) => {
                out.extend(format!("\\x{byte:02x}").into_bytes())
            }
            byte => out.push(*byte),
        }
    }
    out.push(b'"');
}

fn serialise(value: &PhpValue, out: &mut Vec<u8>) {
    match value {
        PhpValue::Null => out.extend_from_slice(b"N;"),
        PhpValue::Bool(flag) => out.extend(format!("b:{};", i32::from(*flag)).into_bytes()),
        PhpValue::Int(number) => out.extend(format!("i:{number};").into_bytes()),
        PhpValue::Float(number) => {
            out.extend(format!("d:{};", format!("{number:?}").to_uppercase()).into_bytes())
        }
        PhpValue::Str(text) => serialise_string(text.as_bytes(), out),
        PhpValue::Array(array) => {
            out.extend(format!("a:{}:{{", array.len()).into_bytes());
            for (key, value) in array.iter() {
                match key {
                    PhpKey::Int(number) => out.extend(format!("i:{number};").into_bytes()),
                    PhpKey::Str(text) => serialise_string(text.as_bytes(), out),
                }
                serialise(value, out);
            }
            out.push(b'}');
        }
        other => panic!("not generated: {other:?}"),
    }
}

fn serialise_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(format!("s:{}:\"", bytes.len()).into_bytes());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\";");
}

/// Pieces of PHP in any order: most of them parse a little.
fn php_soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "$a",
        "$b",
        "$a['k']",
        "$a[]",
        "$_SERVER['X']",
        "'text'",
        "\"t{$a}\"",
        "1",
        "0.5",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ";",
        ",",
        "=",
        "=>",
        ".",
        "+",
        "-",
        "!",
        "?",
        ":",
        "??",
        "?:",
        "==",
        "===",
        "&&",
        "||",
        ".=",
        "??=",
        "if",
        "else",
        "foreach",
        "as",
        "switch",
        "case 1:",
        "default:",
        "break;",
        "return",
        "define('A',",
        "defined('A')",
        "const B =",
        "function f($x)",
        "class C",
        "public $p",
        "__DIR__",
        "include",
        "require_once",
        "getenv('E')",
        "env('E', 1)",
        "isset(",
        "empty(",
        "array(",
        "list(",
        "new",
        "fn",
        "match",
        "true",
        "null",
        "A",
        "f(",
        "trim(",
        "explode(',',",
        "namespace N;",
        "use A\\B;",
        "//c\n",
        "#c\n",
        "/*",
        "*/",
        "?>",
        "<?php ",
        "<<<E\n",
        "\nE;",
        "global",
        "static",
        "unset(",
        "exit",
        "throw",
        "eval(",
        "while",
        "for(;;)",
        "do",
        "try",
        "catch(E $e)",
        "->",
        "::",
        "\\",
        "@",
        "&",
        "Config::define('Z',",
        "$GLOBALS['a']",
        "$$a",
        "(int)",
        "(object)",
        "...",
        "yield",
        "goto x;",
        "x:",
        "'",
        "\"",
        "`",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn literals_come_back(value in value(), style in prop::collection::vec(any::<u8>(), 64)) {
        let mut text = b"<?php\nreturn ".to_vec();
        source(&value, &mut style.into_iter().cycle(), &mut text);
        text.extend_from_slice(b";\n");
        let config = run(text.clone()).unwrap();
        prop_assert_eq!(config.returned(), Some(&value), "{}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn serialised_values_come_back(value in value()) {
        let mut text = Vec::new();
        serialise(&value, &mut text);
        prop_assert_eq!(unserialize(&text), Ok(value));
        if let Ok(text) = std::str::from_utf8(&text) {
            prop_assert!(is_serialized(text), "{}", text);
        }
    }

    #[test]
    fn cut_off_values_are_corrupt(value in value(), cut in any::<prop::sample::Index>()) {
        let mut text = Vec::new();
        serialise(&value, &mut text);
        let cut = cut.index(text.len());
        let error = unserialize(&text[..cut]).unwrap_err();
        prop_assert!(error.position <= cut);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        drop(unserialize(&bytes));
        drop(file_header(&bytes));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        is_serialized(&text);
        begins_serialized(&text);
        for dialect in [Dialect::Plain, Dialect::Laravel, Dialect::Symfony] {
            Dotenv::new(dialect).read(&text).unwrap();
        }
        run([b"<?php ", bytes.as_slice()].concat());
    }

    #[test]
    fn damaged_values_are_survived(value in value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = Vec::new();
        serialise(&value, &mut text);
        let at = at.index(text.len());
        text[at] = byte;
        drop(unserialize(&text));
    }

    #[test]
    fn any_php_is_survived(soup in php_soup()) {
        run(format!("<?php {soup}").into_bytes());
    }

    #[test]
    fn quoted_variables_come_back(value in "[ -~éß\n]{0,30}") {
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$");
        let text = format!("# first\nexport A=\"{quoted}\"\nB=after\n");
        for dialect in [Dialect::Plain, Dialect::Laravel] {
            let mut env = Dotenv::new(dialect);
            env.read(&text).unwrap();
            prop_assert_eq!(env.get("A"), Some(value.as_str()), "{:?}", dialect);
            prop_assert_eq!(env.get("B"), Some("after"));
        }
        if !value.contains('\'') {
            let mut env = Dotenv::new(Dialect::Symfony);
            env.read(&format!("A='{value}'\nB=after")).unwrap();
            prop_assert_eq!(env.get("A"), Some(value.as_str()));
            prop_assert_eq!(env.get("B"), Some("after"));
        }
    }
}
