//! Arbitrary text: the guard answers, soon, and what it lets through is one statement that it would let
//! through again.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{RefusalCode, check};
use crate::Engine;

const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "WITH",
    "RECURSIVE",
    "AS",
    "(",
    ")",
    ",",
    "*",
    "wp_users",
    "users",
    "posts",
    "orders",
    "u",
    "u.",
    ".",
    "user_pass",
    "password",
    "id",
    "ID",
    "1",
    "'x'",
    "'",
    "\"",
    "`",
    "\\",
    "''",
    "\\'",
    "--",
    "-- ",
    "#",
    "/*",
    "*/",
    "/*!",
    ";",
    "?",
    "$1",
    "@",
    "@@",
    ":=",
    "=",
    "<",
    "+",
    "-",
    "||",
    "->",
    "->>",
    "::",
    "[",
    "]",
    "{",
    "}",
    "$$",
    "$a$",
    "E'",
    "U&'",
    "N'",
    "X'",
    "_utf8'",
    "UNION",
    "ALL",
    "JOIN",
    "ON",
    "USING",
    "NATURAL",
    "LEFT",
    "LATERAL",
    "CROSS",
    "ORDER",
    "BY",
    "GROUP",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "FETCH",
    "FOR",
    "UPDATE",
    "INTO",
    "OUTFILE",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST",
    "INTERVAL",
    "EXTRACT",
    "EXISTS",
    "IN",
    "ANY",
    "NOT",
    "NULL",
    "IS",
    "LIKE",
    "COUNT",
    "count(*)",
    "OVER",
    "PARTITION",
    "ROWS",
    "BETWEEN",
    "AND",
    "OR",
    "pg_sleep",
    "sleep",
    "VALUES",
    "ROW",
    "ARRAY",
    "EXPLAIN",
    "INSERT",
    "DELETE",
    "DATE",
    "BINARY",
    "COLLATE",
    "AT",
    "TIME",
    "ZONE",
    "MOD",
    "\0",
    "\u{200B}",
    "Ｓ",
    "é",
    "\n",
    "TABLE",
    "ONLY",
    "DISTINCT",
];

const ENGINES: [Engine; 3] = [Engine::MySql, Engine::Postgres, Engine::Sqlite];

fn answers(sql: &str) -> Result<(), TestCaseError> {
    for engine in ENGINES {
        let start = Instant::now();
        let result = check(engine, sql);
        prop_assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        match result {
            Ok(query) => {
                let again = check(engine, query.sql());
                prop_assert!(again.is_ok(), "{}\nbut then {:?}", query.sql(), again);
            }
            Err(refusal) => prop_assert_ne!(refusal.code, RefusalCode::Unchecked, "{}", sql),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(sql in "\\PC{0,200}") {
        answers(&sql)?;
    }

    #[test]
    fn any_query_like_text(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60), glue in any::<bool>()) {
        let text = words.join(if glue { "" } else { " " });
        answers(&text)?;
        answers(&format!("SELECT {text}"))?;
        answers(&format!("SELECT * FROM users WHERE {text}"))?;
    }

    #[test]
    fn honest_text_with_a_piece_changed(at in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(), word in proptest::sample::select(WORDS)) {
        use super::honest::{APPLICATION, SHOP, SMALL};
        for corpus in [SHOP, APPLICATION, SMALL] {
            let sql = corpus[at.index(corpus.len())];
            let mut cut = from.index(sql.len());
            while !sql.is_char_boundary(cut) {
                cut -= 1;
            }
            let (start, end) = sql.split_at(cut);
            answers(&format!("{start} {word} {end}"))?;
            answers(&format!("{start}{word}"))?;
        }
    }
}

#[test]
fn long_repetitions_of_any_word_are_answered_soon() {
    for engine in ENGINES {
        for word in WORDS {
            for glue in ["", " "] {
                let piece = format!("{word}{glue}");
                let text: String = piece.repeat(15_000 / piece.len().max(1));
                for sql in
                    [format!("SELECT {text}"), format!("SELECT 1 {text}"), format!("SELECT 1 FROM {text}")]
                {
                    let start = Instant::now();
                    let code = check(engine, &sql).err().map(|refusal| refusal.code);
                    assert_ne!(code, Some(RefusalCode::Unchecked), "{word:?}");
                    assert!(start.elapsed() < Duration::from_secs(2), "{word:?} took {:?}", start.elapsed());
                }
            }
        }
    }
}
