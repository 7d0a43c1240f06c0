//! Which logs a site has.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use siteclaw_tools::root::{RelPath, Root};

use crate::wordpress::settings::Settings;

/// Files of WooCommerce's logs that are looked at: the newest of these.
const MAX_FILES: usize = 2_000;
/// How much of a file with PHP's settings is read.
const MAX_SETTINGS: usize = 64 * 1024;

/// A log by its name: one file, or the daily files of one part of WooCommerce, the newest first.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// wordpress, php, php-admin, or wc: and the part.
    pub(crate) name: String,
    pub(crate) files: Vec<LogFile>,
}

/// A log's file.
#[derive(Clone, Debug)]
pub(crate) struct LogFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Bytes.
    pub(crate) size: u64,
    /// Last change, in Unix seconds.
    pub(crate) modified: i64,
}

impl Source {
    /// Bytes of all its files.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Last change of the newest file, in Unix seconds.
    pub(crate) fn modified(&self) -> i64 {
        self.files.iter().map(|file| file.modified).max().unwrap_or(0)
    }

    /// Whether PHP's own errors stand in it.
    pub(crate) fn is_of_php(&self) -> bool {
        !self.name.starts_with("wc:") || self.name == "wc:fatal-errors"
    }
}

/// The logs that are there, those of PHP first, each kind the freshest first; and the places where WordPress and
/// PHP would write theirs.
pub(crate) fn find(root: &Root, settings: &Settings, uploads: &Path) -> (Vec<Source>, Vec<PathBuf>) {
    let mut places: Vec<(&str, PathBuf)> = vec![("wordpress", debug_log(settings))];
    places.extend(configured(root, settings).map(|path| ("php", path)));
    places.push(("php", settings.core.join("error_log")));
    places.push(("php-admin", settings.core.join("wp-admin/error_log")));
    let mut sources: Vec<Source> = Vec::new();
    for (name, path) in &places {
        let taken = sources
            .iter()
            .any(|source| source.name == *name || source.files.iter().any(|file| file.path == *path));
        if let Some(file) = look(root, settings, path).filter(|_| !taken) {
            sources.push(Source { name: (*name).to_owned(), files: vec![file] });
        }
    }
    sources.extend(woocommerce(root, &uploads.join("wc-logs")));
    sources.sort_by(|a, b| {
        b.is_of_php()
            .cmp(&a.is_of_php())
            .then(b.modified().cmp(&a.modified()))
            .then_with(|| a.name.cmp(&b.name))
    });
    let places = places.into_iter().map(|(_, path)| path).collect();
    (sources, places)
}

/// `WP_DEBUG_LOG` where it is a path, else the usual file (`wp_debug_mode()`).
pub(crate) fn debug_log(settings: &Settings) -> PathBuf {
    let usual = settings.content.join("debug.log");
    match settings.facts.text("WP_DEBUG_LOG") {
        Some(path) if !matches!(path.to_ascii_lowercase().as_str(), "1" | "0" | "true" | "false") => {
            settings.core.join(path)
        }
        _ => usual,
    }
}

/// What the files that may hold PHP's settings name as `error_log`, the last first: it wins.
fn configured(root: &Root, settings: &Settings) -> impl Iterator<Item = PathBuf> {
    let mut found = Vec::new();
    for name in ["php.ini", ".user.ini", ".htaccess"] {
        let Ok(path) = root.relative(&settings.core.join(name)) else { continue };
        let Ok(bytes) = root.read(&path, MAX_SETTINGS) else { continue };
        for line in String::from_utf8_lossy(&bytes.data).lines() {
            found.extend(error_log(line).map(|path| settings.core.join(path)));
        }
    }
    found.into_iter().rev()
}

/// `error_log = "path"`, or Apache's `php_value error_log path`.
fn error_log(line: &str) -> Option<String> {
    let line = line.trim();
    let rest = match line.strip_prefix("php_value").or_else(|| line.strip_prefix("php_admin_value")) {
        Some(rest) => rest.trim_start().strip_prefix("error_log")?,
        None => line.strip_prefix("error_log")?.trim_start().strip_prefix('=')?,
    };
    let path = rest.trim().trim_matches(['"', '\'']);
    (!path.is_empty() && path != "syslog").then(|| path.to_owned())
}

fn look(root: &Root, settings: &Settings, path: &Path) -> Option<LogFile> {
    let file = root.trusted_file(path, &settings.trust).ok()?;
    let metadata = file.metadata().ok()?;
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(LogFile {
        path: path.to_path_buf(),
        size: metadata.len(),
        modified: modified.and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or(0),
    })
}

/// WooCommerce's files, put together by the part that writes them: `{part}-{YYYY-MM-DD}-{32 hex}.log`.
fn woocommerce(root: &Root, folder: &Path) -> Vec<Source> {
    let Ok(below) = root.relative(folder) else { return Vec::new() };
    let Ok(listing) = root.list(&below, MAX_FILES) else { return Vec::new() };
    let mut sources: std::collections::BTreeMap<String, Vec<(String, LogFile)>> =
        std::collections::BTreeMap::new();
    for entry in listing.entries {
        let Some(name) = entry.name.to_str() else { continue };
        let Some((part, day)) = parts(name) else { continue };
        let Some(metadata) = RelPath::join(&below, name).ok().and_then(|path| root.metadata(&path).ok())
        else {
            continue;
        };
        let modified = metadata.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let file = LogFile {
            path: folder.join(name),
            size: metadata.size,
            modified: modified.and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or(0),
        };
        sources.entry(part.to_owned()).or_default().push((day.to_owned(), file));
    }
    sources
        .into_iter()
        .map(|(part, mut files)| {
            files.sort_by(|(a, left), (b, right)| b.cmp(a).then(right.modified.cmp(&left.modified)));
            Source { name: format!("wc:{part}"), files: files.into_iter().map(|(_, file)| file).collect() }
        })
        .collect()
}

/// The part and the day in a name.
fn parts(name: &str) -> Option<(&str, &str)> {
    let stem = name.strip_suffix(".log")?;
    let (rest, hash) = stem.rsplit_once('-')?;
    let (part, day) = rest.split_at_checked(rest.len().checked_sub(11)?)?;
    let day = day.strip_prefix('-')?;
    let is_hash = hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && day.parse::<jiff::civil::Date>().is_ok() && !part.is_empty()).then_some((part, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_woocommerces_files_are_taken_apart() {
        let hash = "c1d12de20210d8c1b35c367536e1c255";
        assert_eq!(
            parts(&format!("fatal-errors-2026-11-30-{hash}.log")),
            Some(("fatal-errors", "2026-11-30"))
        );
        for other in
            ["x.log", "fatal-errors-2026-11-30.log", &format!("-2026-11-30-{hash}.log"), "é-2026-11-30-x.log"]
        {
            assert_eq!(parts(other), None, "{other}");
        }
    }

    #[test]
    fn php_settings_name_a_log() {
        for (line, expected) in [
            ("error_log = /home/u/php.log", Some("/home/u/php.log")),
            (" error_log=\"logs/php.log\"", Some("logs/php.log")),
            ("php_value error_log /home/u/e.log", Some("/home/u/e.log")),
            ("error_log = syslog", None),
            ("; error_log = x", None),
            ("error_logger = x", None),
        ] {
            assert_eq!(error_log(line).as_deref(), expected, "{line}");
        }
    }
}
