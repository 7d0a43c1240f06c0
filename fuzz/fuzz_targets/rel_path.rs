//! Paths beneath a folder: whatever parses has plain names only, parses to itself, and cannot be left by
//! joining.

#![no_main]

use std::path::Component;

use libfuzzer_sys::fuzz_target;
use siteclaw_tools::root::RelPath;

fuzz_target!(|text: &str| {
    let (first, second) = text.split_once('|').unwrap_or((text, ""));
    let Ok(path) = RelPath::parse(first) else { return };
    plain(&path);
    assert_eq!(RelPath::from_path(path.as_path()).expect("parses again"), path);
    let _ = path.to_string();
    if let Some(parent) = path.parent() {
        plain(&parent);
    }
    if let Ok(below) = path.join(second) {
        plain(&below);
        assert!(
            below.as_path().starts_with(path.as_path()),
            "{first:?} joined with {second:?} gives {below}"
        );
    }
});

fn plain(path: &RelPath) {
    let given = path.as_path();
    assert!(given.components().all(|part| matches!(part, Component::Normal(_))), "{given:?}");
    assert!(path.components().count() <= 64 && given.as_os_str().len() <= 4096, "{given:?}");
    assert!(!given.to_string_lossy().contains(['\0', '\n']), "{given:?}");
}
