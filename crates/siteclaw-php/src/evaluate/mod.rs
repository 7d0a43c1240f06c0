//! Static evaluation of configuration files.
//!
//! [`evaluate`] parses a file and walks its statements from top to bottom, the way PHP would run them,
//! with the part of the language that configurations use. It runs nothing: a function that is not in its
//! list, `eval`, `new`, a loop without a fixed list give an [`Unknown`](crate::Unknown) with the line. A
//! condition that cannot be decided changes no known name and leaves unknown ones unknown.
//!
//! Hostile text costs a bounded amount: files are capped in size and number, the parser bounds nesting,
//! values are bounded in size and depth, work in steps; parser and evaluator have a thread with a large
//! stack, whose panic would be an error here.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::path::{Path, PathBuf};
//! use siteclaw_php::{Options, evaluate};
//!
//! let path = Path::new("/srv/site/wp-config.php");
//! let text = b"<?php $p = 'wp_'; define('DB_NAME', getenv('DB_NAME') ?: $p . 'shop'); define('X', f());";
//! let files = BTreeMap::from([(PathBuf::from(path), text.to_vec())]);
//! let config = evaluate(path, &files, &BTreeMap::new(), &Options::default()).unwrap();
//! assert_eq!(config.constant("DB_NAME").and_then(|value| value.as_str()), Some("wp_shop"));
//! assert_eq!(config.missing_variables[0].name, "DB_NAME");
//! assert_eq!(config.unresolved[0].to_string(), "X: f() is not evaluated (/srv/site/wp-config.php line 1)");
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use php_rs_parser::bumpalo::Bump;

use crate::config::Config;
use crate::value::PhpValue;
use crate::{Environment, PhpError, Source};

mod assign;
mod budget;
mod calls;
mod classes;
mod constants;
mod environment_calls;
mod expressions;
mod files;
mod functions;
mod includes;
mod machine;
mod operators;
mod places;
mod scope;
mod speculation;
mod statements;
mod truth;

/// Longest file that is evaluated, in bytes.
pub const MAX_CONFIG_BYTES: usize = 256 * 1024;

/// Stack of the thread that parses and evaluates. The parser stops at 512 nested constructs, the
/// evaluator at 400; unoptimised builds need a few kilobytes for each.
const STACK: usize = 64 * 1024 * 1024;

/// How often, and after which pause, a thread that the system refused is asked for again: about a second.
const THREAD_TRIES: u32 = 20;
const THREAD_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// What the caller knows beside the files.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Constants that are defined before the first line, such as `ABSPATH` or `DRUPAL_ROOT`.
    pub constants: &'a BTreeMap<String, PhpValue>,
    /// Variables that are set before the first line, such as `app_root`; an array `_SERVER` supplies what
    /// is not known of the request. They are among the result's variables.
    pub variables: &'a BTreeMap<String, PhpValue>,
    /// Opens files that hold a single secret, named by a variable such as `WORDPRESS_DB_PASSWORD_FILE`
    /// or read by `file_get_contents()`; they often lie outside the site. Any file of the site can name any
    /// path here, so this source must know which ones a person trusts. Without it they are refused.
    pub trusted_files: Option<&'a dyn Source>,
    /// The application's root for Laravel's `storage_path()` and its kin; without it those are unknown.
    pub laravel_root: Option<&'a Path>,
    /// File names whose inclusion ends the configuration.
    pub stop_at: &'a [&'a str],
}

impl Default for Options<'_> {
    fn default() -> Self {
        static NOTHING: BTreeMap<String, PhpValue> = BTreeMap::new();
        Self {
            constants: &NOTHING,
            variables: &NOTHING,
            trusted_files: None,
            laravel_root: None,
            stop_at: &["wp-settings.php"],
        }
    }
}

/// Evaluates a configuration file and what it includes, without running anything.
///
/// `entry` is an absolute path; files are opened through `source` only, environment variables come from
/// `environment` only. Fails when the entry file itself cannot be read or is too long; everything found
/// inside is in the result.
pub fn evaluate(
    entry: &Path,
    source: &dyn Source,
    environment: &dyn Environment,
    options: &Options<'_>,
) -> Result<Config, PhpError> {
    let entry = crate::source::normalise(entry, Path::new("/"));
    let unparsable = |reason| PhpError::Unparsable { path: PathBuf::from(&entry), reason };
    let run = || {
        let arena = Bump::new();
        machine::Machine::new(&arena, source, environment, options, &entry).run(&entry)
    };
    std::thread::scope(|threads| {
        let mut tries = 0;
        let thread = loop {
            let builder = std::thread::Builder::new().name("php-config".to_owned()).stack_size(STACK);
            match builder.spawn_scoped(threads, run) {
                Ok(thread) => break thread,
                // Shared hosts count an account's threads; another process may give one back in a moment.
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock && tries < THREAD_TRIES => {
                    tries += 1;
                    std::thread::sleep(THREAD_PAUSE);
                }
                Err(_) => return Err(unparsable("no thread could be started for it")),
            }
        };
        thread.join().map_err(|_| unparsable("the parser gave up on it"))?
    })
}
