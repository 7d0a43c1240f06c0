//! A genuine WordPress, and what its own API said about it when it was made (`xtask/php/expected.php`).

mod comments;
mod cron;
mod media;
mod menus;
mod options;
mod people;
mod plugins;
mod posts;
mod terms;

use std::path::PathBuf;

use serde_json::Value;

use crate::door::{Door, attach};

/// The site's folder.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(variable("SITECLAW_TEST_WORDPRESS"))
}

/// What WordPress answered.
pub(crate) fn expected() -> Value {
    let file = variable("SITECLAW_TEST_WORDPRESS_EXPECTED");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

pub(crate) fn door() -> Door {
    Door::of(&attach(&folder()))
}

pub(crate) fn variable(name: &str) -> String {
    match std::env::var(name) {
        Ok(value) => value,
        Err(_) => panic!("{name} is not set: run the tests with `cargo xtask test`"),
    }
}

/// Text as a reader sees it: WordPress stores titles and names with entities.
pub(crate) fn read(stored: &Value) -> String {
    let mut text = stored.as_str().unwrap().to_owned();
    for (entity, character) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#039;", "'"), ("&#8211;", "–"), ("&amp;", "&")]
    {
        text = text.replace(entity, character);
    }
    text
}
