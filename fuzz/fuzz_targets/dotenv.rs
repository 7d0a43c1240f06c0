//! Environment files in each dialect: a variable is known or unknown and never both, problems have a line of
//! the file, and nothing of a value is shown.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use siteclaw_php::dotenv::{Dialect, Dotenv};

const OUTER: &str = "outer-value-7f3a";

fuzz_target!(|text: &str| {
    let lines = text.split(['\n', '\r']).count();
    let real = BTreeMap::from([("OUTER".to_owned(), OUTER.to_owned())]);
    for dialect in [Dialect::Plain, Dialect::Laravel, Dialect::Symfony] {
        let mut env = Dotenv::new(dialect);
        if env.read_with(text, &real).is_err() {
            continue;
        }
        for name in env.unknown() {
            assert!(env.get(name).is_none(), "{dialect:?}: {name} is known and unknown");
        }
        for problem in env.problems() {
            let line = usize::try_from(problem.line).unwrap_or(usize::MAX);
            assert!((1..=lines + 1).contains(&line), "{dialect:?}: line {line} of {lines}");
        }
        if !text.contains(OUTER) {
            assert!(!format!("{env:?}").contains(OUTER), "{dialect:?} shows a value");
        }
    }
});
