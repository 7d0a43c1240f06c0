//! Templates of our own SQL: rendering ends in text or an error, literals stay, and no value becomes text.
//!
//! Templates are written by programmers, so this looks for panics and for a scanner that loses its place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use siteclaw_db::{Engine, Prefixes, Statement};

const VALUE: &str = "bound-value-7f3a";

fuzz_target!(|text: &str| {
    let mut prefixes = Prefixes::new("wp_2_", "wp_");
    prefixes.renamed.insert("users".to_owned(), "shared.people".to_owned());
    for engine in [Engine::MySql, Engine::Postgres, Engine::Sqlite] {
        for ones in 0..3 {
            for list in 0..3 {
                let mut statement = Statement::new(text.to_owned()).binds(vec![VALUE; ones]);
                if list > 0 {
                    statement = statement.bind_list(vec![VALUE; list - 1]);
                }
                let Ok(sql) = statement.sql(engine, &prefixes) else { continue };
                assert!(text.contains(VALUE) || !sql.contains(VALUE), "a value became text: {sql}");
                // Without a place for a name or a value there is nothing to replace.
                assert!(text.contains(['{', '?']) || sql == text, "{text:?} became {sql:?}");
            }
        }
    }
});
