use std::collections::BTreeMap;

use super::*;

fn read(dialect: Dialect, text: &str) -> Dotenv {
    let mut env = Dotenv::new(dialect);
    env.read(text).unwrap();
    env
}

/// Line, and the values it gives in the plain, Laravel and Symfony dialect; `None` is a refused line.
type Row = (&'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);

#[test]
fn one_line_in_three_dialects() {
    let rows: &[Row] = &[
        ("A=x", Some("x"), Some("x"), Some("x")),
        ("export A=x", Some("x"), Some("x"), Some("x")),
        ("A=", Some(""), Some(""), Some("")),
        ("A = x", Some("x"), Some("x"), None),
        ("A= x", Some("x"), Some("x"), None),
        ("A=x y", Some("x y"), None, None),
        ("A=x # note", Some("x"), Some("x"), Some("x")),
        ("A=x#y", Some("x#y"), Some("x"), Some("x#y")),
        ("A=#x", Some("#x"), Some(""), Some("")),
        ("A='it''s'", None, None, Some("its")),
        ("A='$B \\n # \"'", Some("$B \\n # \""), Some("$B \\n # \""), Some("$B \\n # \"")),
        (
            r#"A="p'a\"ss\$w#rd;//x""#,
            Some("p'a\"ss$w#rd;//x"),
            Some("p'a\"ss$w#rd;//x"),
            Some("p'a\"ss$w#rd;//x"),
        ),
        (r#"A="a\nb""#, Some("a\nb"), Some("a\nb"), Some("a\nb")),
        (r#"A="a\\b""#, Some("a\\b"), Some("a\\b"), Some("a\\b")),
        (r#"A="a\qb""#, Some("a\\qb"), None, Some("a\\qb")),
        ("A=\"a\nb\"", Some("a\nb"), Some("a\nb"), Some("a\nb")),
        ("A=\"x\" # note", Some("x"), Some("x"), Some("x")),
        ("A=\"x\"y", None, None, Some("xy")),
        ("A='x'\"y\"z", None, None, Some("xyz")),
        ("A=${B}", Some("${B}"), Some("${B}"), Some("")),
        ("A=$B", Some("$B"), Some("$B"), Some("")),
        ("A=${B:-d}", Some("${B:-d}"), Some("${B:-d}"), Some("d")),
        (r"A=\$B", Some(r"\$B"), Some(r"\$B"), Some("$B")),
        ("A=${A}", Some("${A}"), Some("${A}"), Some("")),
        ("A=$(id)", Some("$(id)"), Some("$(id)"), None),
        ("A=\"$(id -u)\"", Some("$(id -u)"), Some("$(id -u)"), None),
        ("A=`id`", Some("`id`"), Some("`id`"), Some("`id`")),
        ("A=base64:i83/+=", Some("base64:i83/+="), Some("base64:i83/+="), Some("base64:i83/+=")),
        ("'A'=x", Some("x"), Some("x"), None),
        ("A=\"x", None, None, None),
        ("A='x", None, None, None),
        ("A", None, None, None),
        ("# A=x", None, None, None),
        ("  A=x", Some("x"), Some("x"), Some("x")),
        ("A=x\r\nB=y", Some("x"), Some("x"), Some("x")),
    ];
    for (line, plain, laravel, symfony) in rows {
        for (dialect, expected) in
            [(Dialect::Plain, plain), (Dialect::Laravel, laravel), (Dialect::Symfony, symfony)]
        {
            assert_eq!(read(dialect, line).get("A"), *expected, "{dialect:?}: {line}");
        }
    }
}

#[test]
fn references_see_what_stands_before_them() {
    let text = "A=1\nB=${A}2\nA=3\nC=\"${B}-${A}\"\nD='${A}'\nE=${F}\nF=6";
    for dialect in [Dialect::Plain, Dialect::Laravel] {
        let env = read(dialect, text);
        let got: Vec<_> = ["B", "C", "D", "E"].map(|name| env.get(name).unwrap()).into();
        assert_eq!(got, ["12", "12-3", "${A}", "${F}"], "{dialect:?}");
    }
    let env = read(Dialect::Symfony, text);
    assert_eq!(["B", "C", "D", "E"].map(|name| env.get(name).unwrap()), ["12", "12-3", "${A}", ""]);
}

#[test]
fn the_real_environment_wins_in_references_and_later_files_in_values() {
    let real = BTreeMap::from([("HOST".to_owned(), "real".to_owned())]);
    let mut env = Dotenv::new(Dialect::Symfony);
    env.read_with("HOST=file\nUSER=a\nURL=\"x://${USER}@${HOST}\"", &real).unwrap();
    env.read_with("USER=b\nURL2=x://$USER@$HOST", &real).unwrap();
    assert_eq!(env.get("URL"), Some("x://a@real"));
    assert_eq!(env.get("URL2"), Some("x://b@real"));
    assert_eq!((env.get("USER"), env.get("HOST")), (Some("b"), Some("file")));
}

#[test]
fn symfony_defaults_assign_and_commands_stay_unknown() {
    let env = read(Dialect::Symfony, "A=${Q:=d}\nB=x$(rm -rf /)\nC=${B}!\nD=$Q");
    assert_eq!((env.get("A"), env.get("Q"), env.get("D")), (Some("d"), Some("d"), Some("d")));
    assert_eq!(env.unknown().iter().map(String::as_str).collect::<Vec<_>>(), ["B", "C"]);
    assert_eq!(env.get("B"), None);
    assert_eq!(env.problems()[0].line, 2);
}

#[test]
fn a_bad_line_spoils_only_itself() {
    for dialect in [Dialect::Plain, Dialect::Laravel, Dialect::Symfony] {
        let env = read(dialect, "A=1\n%%%\nB=\"open\nC=3\n\n# c\nD='4'\n");
        assert_eq!((env.get("A"), env.get("B")), (Some("1"), None), "{dialect:?}");
        assert_eq!((env.get("C"), env.get("D")), (Some("3"), Some("4")), "{dialect:?}");
        assert_eq!(
            env.problems().iter().map(|problem| problem.line).collect::<Vec<_>>(),
            [2, 3],
            "{dialect:?}"
        );
    }
}

#[test]
fn values_of_a_laravel_site() {
    let env = read(
        Dialect::Laravel,
        "\u{feff}APP_NAME=\"Tidepool Bookings\"\nAPP_KEY=base64:i83tL+6li8Y=\n\nDB_PASSWORD=\"pw#1\"\n\
         MAIL_FROM_NAME=\"${APP_NAME}\"\nMAIL_HOST=smtp.example # relay\napp.dotted=1\n",
    );
    assert_eq!(env.get("MAIL_FROM_NAME"), Some("Tidepool Bookings"));
    assert_eq!(env.get("DB_PASSWORD"), Some("pw#1"));
    assert_eq!(env.get("APP_KEY"), Some("base64:i83tL+6li8Y="));
    assert_eq!(env.get("app.dotted"), Some("1"));
    assert_eq!(env.problems(), []);
}

#[test]
fn expansion_is_bounded() {
    let mut text = "A0=xxxxxxxxxxxxxxxx\n".to_owned();
    for number in 1..60 {
        text.push_str(&format!("A{number}=\"${{A{0}}}${{A{0}}}\"\n", number - 1));
    }
    for dialect in [Dialect::Plain, Dialect::Laravel, Dialect::Symfony] {
        let env = read(dialect, &text);
        assert_eq!(env.get("A12").map(str::len), Some(16 << 12), "{dialect:?}");
        assert!(env.values().values().all(|value| value.len() <= MAX_VALUE), "{dialect:?}");
    }
    assert!(Dotenv::new(Dialect::Plain).read(&"A=1\n".repeat(MAX_FILE_BYTES / 4 + 1)).is_err());
}

#[test]
fn debug_shows_no_value() {
    let shown = format!("{:?}", read(Dialect::Plain, "DB_PASSWORD=hunter2\nB=\"hunter3"));
    assert!(shown.contains("DB_PASSWORD") && !shown.contains("hunter"), "{shown}");
}
