//! A hostile `wp-config.php`: evaluation ends, without a panic, and no value of the environment shows in what
//! the result prints of itself.
//!
//! Time is bounded by the fuzzer's `-timeout`.

#![no_main]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use siteclaw_php::{Config, Environment, Located, Options, PhpValue, evaluate};

/// What every variable of the environment holds.
const VALUE: &str = "Zq7vX2pL9w";

struct Answers;

impl Environment for Answers {
    fn get(&self, name: &str) -> Option<String> {
        (!name.starts_with('_')).then(|| VALUE.to_owned())
    }
}

fuzz_target!(|data: &[u8]| {
    let entry = Path::new("/srv/site/wp-config.php");
    let files = BTreeMap::from([
        (PathBuf::from(entry), data.to_vec()),
        // A file that includes its includer, and one to find above the root.
        (
            PathBuf::from("/srv/site/b.php"),
            b"<?php $b = 1; include 'wp-config.php'; return ['x' => $b];".to_vec(),
        ),
        (PathBuf::from("/srv/wp-config.php"), b"<?php define('DB_NAME', 'shop');".to_vec()),
    ]);
    let constants = BTreeMap::from([("ABSPATH".to_owned(), PhpValue::from("/srv/site/"))]);
    let options = Options { constants: &constants, trusted_files: Some(&files), ..Options::default() };
    let Ok(config) = evaluate(entry, &files, &Answers, &options) else { return };

    let printed = format!("{config:?}");
    let told = config.unresolved.iter().map(ToString::to_string).collect::<String>();
    if shows(&printed) || shows(&told) {
        // Names may be computed from values, and names are shown.
        assert!(contains(data, VALUE) || named(&config), "a value shows: {printed}\n{told}");
    }
});

/// Whether the value stands in the text other than in a path: files that are wanted are named.
fn shows(text: &str) -> bool {
    text.match_indices(VALUE).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let word = before.rsplit([' ', '"', '(', '\'']).next().unwrap_or_default();
        !word.contains('/')
    })
}

fn contains(data: &[u8], text: &str) -> bool {
    data.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Whether the value stands in the name of something.
fn named(config: &Config) -> bool {
    let holds = |name: &str| name.contains(VALUE);
    let members = |members: &BTreeMap<String, Located>| {
        members.iter().any(|(name, located)| {
            holds(name) || holds(&located.file.to_string_lossy()) || keyed(&located.value)
        })
    };
    members(&config.constants)
        || members(&config.variables)
        || config.returned.as_ref().is_some_and(|located| keyed(&located.value))
        || config.classes.iter().any(|(name, class)| {
            holds(name)
                || holds(&class.name)
                || class.parent.as_deref().is_some_and(holds)
                || members(&class.constants)
                || members(&class.properties)
        })
        || config.undecided.iter().any(|undecided| undecided.names.iter().any(|name| holds(name)))
        || config.refused.iter().any(|refused| holds(&refused.path.to_string_lossy()))
        || config.missing_variables.iter().any(|missing| holds(&missing.name))
        || config.files.iter().any(|file| holds(&file.to_string_lossy()))
}

fn keyed(value: &PhpValue) -> bool {
    match value {
        PhpValue::Array(array) => {
            array.iter().any(|(key, value)| key.to_text().contains(VALUE) || keyed(value))
        }
        PhpValue::Object(object) => {
            object.fields.iter().any(|(key, value)| key.to_text().contains(VALUE) || keyed(value))
        }
        _ => false,
    }
}
