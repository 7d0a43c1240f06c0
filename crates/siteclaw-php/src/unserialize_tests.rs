use super::*;
use crate::PhpArray;

fn read(text: &str) -> PhpValue {
    unserialize(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refuse(text: &[u8]) -> (CorruptReason, usize) {
    let error = unserialize(text).unwrap_err();
    (error.reason, error.position)
}

#[test]
fn scalars() {
    assert_eq!(read("N;"), PhpValue::Null);
    assert_eq!(read("b:0;"), PhpValue::Bool(false));
    assert_eq!(read("b:1;"), PhpValue::Bool(true));
    assert_eq!(read("i:-9223372036854775808;"), PhpValue::Int(i64::MIN));
    assert_eq!(read("i:+5;"), PhpValue::Int(5));
    assert_eq!(read("d:1.0E+25;"), PhpValue::Float(1e25));
    assert_eq!(read("d:.5;"), PhpValue::Float(0.5));
    assert_eq!(read("d:-INF;"), PhpValue::Float(f64::NEG_INFINITY));
    assert!(matches!(read("d:NAN;"), PhpValue::Float(number) if number.is_nan()));
    assert_eq!(read("s:0:\"\";").as_str(), Some(""));
    assert_eq!(read("S:3:\"a\\62c\";").as_str(), Some("abc"));
}

#[test]
fn strings_count_bytes_and_hold_anything() {
    assert_eq!(read("s:4:\"a\"b;\";").as_str(), Some("a\"b;"));
    assert_eq!(read("s:6:\"naïve\";").as_str(), Some("naïve"));
    assert_eq!(refuse("s:5:\"naïve\";".as_bytes()), (CorruptReason::WrongLength, 2));
    assert_eq!(unserialize(b"s:2:\"\xff\"\";").unwrap().as_bytes(), Some(&b"\xff\""[..]));
}

#[test]
fn cron_and_transient_of_a_site() {
    let cron = read(
        "a:2:{i:1700000000;a:1:{s:16:\"wp_version_check\";a:1:{s:32:\"40cd750bba9870f18aada2478b24840a\";\
         a:3:{s:8:\"schedule\";s:10:\"twicedaily\";s:4:\"args\";a:0:{}s:8:\"interval\";i:43200;}}}\
         s:7:\"version\";i:2;}",
    );
    let event = ["1700000000", "wp_version_check", "40cd750bba9870f18aada2478b24840a"];
    let event = cron.at(&event).unwrap();
    assert_eq!(event.get("schedule").and_then(PhpValue::as_str), Some("twicedaily"));
    assert_eq!(event.get("args").and_then(PhpValue::as_array).map(PhpArray::len), Some(0));
    assert_eq!(event.get("interval"), Some(&PhpValue::Int(43200)));
    assert_eq!(cron.get("version"), Some(&PhpValue::Int(2)));

    let transient = read(
        "O:8:\"stdClass\":2:{s:1:\"a\";i:1;s:8:\"response\";a:1:{s:7:\"x/y.php\";\
         O:8:\"stdClass\":1:{s:11:\"new_version\";s:3:\"2.0\";}}}",
    );
    assert_eq!(transient.as_object().unwrap().class, "stdClass");
    let version = transient.at(&["response", "x/y.php", "new_version"]);
    assert_eq!(version.and_then(PhpValue::as_str), Some("2.0"));

    let mixed = read("a:6:{i:0;b:1;i:1;N;i:2;i:-3;i:3;d:1.5;i:4;d:INF;i:5;s:4:\"a\"b;\";}");
    let list: Vec<_> = mixed.as_array().unwrap().values().cloned().collect();
    let expected = [
        PhpValue::Bool(true),
        PhpValue::Null,
        PhpValue::Int(-3),
        PhpValue::Float(1.5),
        PhpValue::Float(f64::INFINITY),
        PhpValue::from("a\"b;"),
    ];
    assert_eq!(list, expected);
}

#[test]
fn keys_and_property_names() {
    let array = read("a:3:{s:1:\"5\";i:1;s:2:\"05\";i:2;i:5;i:3;}");
    assert_eq!(array.as_array().unwrap().len(), 2);
    assert_eq!(array.get("5"), Some(&PhpValue::Int(3)));
    let object = read("O:1:\"A\":3:{s:4:\"\0A\0p\";i:1;s:4:\"\0*\0q\";i:2;s:1:\"r\";i:3;}");
    let names: Vec<_> = object.as_object().unwrap().fields.iter().map(|(key, _)| key.to_text()).collect();
    assert_eq!(names, ["p", "q", "r"]);
}

// Slot numbers as PHP writes them for `[1 => $o, 2 => $o, 3 => &$s, 4 => &$s, 5 => $o, 6 => &$s]`.
#[test]
fn references_resolve_to_scalars_or_labels() {
    let value = read("a:6:{i:1;O:8:\"stdClass\":0:{}i:2;r:2;i:3;s:1:\"s\";i:4;R:4;i:5;r:2;i:6;R:4;}");
    for key in ["3", "4", "6"] {
        assert_eq!(value.get(key).and_then(PhpValue::as_str), Some("s"), "{key}");
    }
    for key in ["2", "5"] {
        assert_eq!(value.get(key), Some(&PhpValue::Opaque("reference to value 2".into())), "{key}");
    }
    assert_eq!(refuse(b"R:1;"), (CorruptReason::Unexpected, 2));
    assert_eq!(refuse(b"a:1:{i:0;R:0;}"), (CorruptReason::Unexpected, 11));
}

#[test]
fn custom_formats_and_enums_are_labels() {
    let value = read("a:3:{i:0;C:11:\"ArrayObject\":3:{x}y}i:1;E:11:\"Suit:Hearts\";i:2;i:9;}");
    assert_eq!(value.get("0"), Some(&PhpValue::Opaque("ArrayObject with 3 bytes of its own format".into())));
    assert_eq!(value.get("1"), Some(&PhpValue::Opaque("enum Suit:Hearts".into())));
    assert_eq!(value.get("2"), Some(&PhpValue::Int(9)));
}

#[test]
fn damage_names_the_byte() {
    for (text, reason, position) in [
        (&b"s:5:\"abc\";"[..], CorruptReason::WrongLength, 2),
        (b"a:3:{i:0;i:1;", CorruptReason::Truncated, 13),
        (b"a:1:{s:3:\"ab\";i:1;}", CorruptReason::WrongLength, 7),
        (b"s:4000000000:\"x\";", CorruptReason::WrongLength, 2),
        (b"s:99999999999999999999:\"x\";", CorruptReason::Unexpected, 2),
        (b"S:9000000:\"x\";", CorruptReason::WrongLength, 2),
        (b"", CorruptReason::Truncated, 0),
        (b"hello", CorruptReason::Unexpected, 0),
        (b"b:2;", CorruptReason::Unexpected, 2),
        (b"i:;", CorruptReason::Unexpected, 2),
        (b"i: 5;", CorruptReason::Unexpected, 2),
        (b"d:INFx;", CorruptReason::Unexpected, 2),
        (b"a:-1:{}", CorruptReason::Unexpected, 2),
        (b"a:1:{b:1;i:1;}", CorruptReason::Unexpected, 5),
        (b"a:4000000000:{}", CorruptReason::Unexpected, 14),
    ] {
        assert_eq!(refuse(text), (reason, position), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn bytes_after_the_value_are_ignored() {
    assert_eq!(read("i:1;junk"), PhpValue::Int(1));
}

#[test]
fn nesting_and_size_are_bounded() {
    let nested = |levels: usize| format!("{}N;{}", "a:1:{i:0;".repeat(levels), "}".repeat(levels));
    assert!(unserialize(nested(32).as_bytes()).is_ok());
    assert_eq!(refuse(nested(33).as_bytes()).0, CorruptReason::TooDeep);
    assert_eq!(refuse("a:1:{i:0;".repeat(100_000).as_bytes()).0, CorruptReason::TooDeep);
    assert_eq!(refuse("O:1:\"a\":1:{i:0;".repeat(100_000).as_bytes()).0, CorruptReason::TooDeep);
    assert_eq!(refuse(&vec![b'N'; MAX_SERIALIZED_BYTES + 1]).0, CorruptReason::TooLarge);
    let many = format!("a:1000000:{{{}}}", "i:1;N;".repeat(1_000_000));
    assert_eq!(refuse(many.as_bytes()).0, CorruptReason::TooMany);
}

#[test]
fn references_to_a_long_string_do_not_multiply_it() {
    let long = "x".repeat(1_000_000);
    let pointers: String = (1..200).map(|key| format!("i:{key};R:2;")).collect();
    let value = read(&format!("a:200:{{i:0;s:1000000:\"{long}\";{pointers}}}"));
    let whole = value.as_array().unwrap().values().filter(|value| value.as_bytes().is_some()).count();
    assert_eq!(whole, 17, "the string itself and 16 MiB of copies");
}
