//! Entries of a log: a line with a time in front, and the lines that belong to it.
//!
//! Facts: `php_log_err_with_severity()` writes `[30-Nov-2026 12:00:00 UTC] PHP Warning:  …`,
//! `WC_Log_Handler_File::format_entry()` writes `2026-11-30T12:00:00+00:00 CRITICAL …`.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, fmt::strtime};
use schemars::JsonSchema;
use serde::Serialize;

/// How bad an entry is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// PHP gave up; WooCommerce's emergency, alert and critical.
    Fatal,
    /// PHP could not read a file.
    Parse,
    /// Anything else that is called an error, those of the database among them.
    Error,
    Warning,
    Notice,
    Deprecated,
    /// Whatever says nothing of a level.
    Other,
}

impl Level {
    /// The name, as answers write it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fatal => "fatal",
            Self::Parse => "parse",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
            Self::Deprecated => "deprecated",
            Self::Other => "other",
        }
    }

    /// The level that the words at the start of a message name. A file such as class-wp-error.php is no error.
    fn of(message: &str) -> Self {
        const PHP: [(&str, Level); 10] = [
            ("Fatal error", Level::Fatal),
            ("Recoverable fatal error", Level::Fatal),
            ("Core error", Level::Fatal),
            ("Compile error", Level::Fatal),
            ("Parse error", Level::Parse),
            ("Warning", Level::Warning),
            ("Core warning", Level::Warning),
            ("Notice", Level::Notice),
            ("Deprecated", Level::Deprecated),
            ("Strict Standards", Level::Notice),
        ];
        // FastCGI servers write `PHP message: ` before PHP's own words.
        let message = message.strip_prefix("PHP message: ").unwrap_or(message);
        if let Some(rest) = message.strip_prefix("PHP ") {
            let found = PHP.iter().find(|(words, _)| {
                rest.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words))
                    && rest.get(words.len()..).is_some_and(|rest| rest.starts_with(':'))
            });
            if let Some((_, level)) = found {
                return *level;
            }
        }
        if message.starts_with("WordPress database error") {
            return Self::Error;
        }
        Self::Other
    }

    /// WooCommerce's eight words.
    pub(crate) fn of_woocommerce(word: &str) -> Option<Self> {
        Some(match word {
            "EMERGENCY" | "ALERT" | "CRITICAL" => Self::Fatal,
            "ERROR" => Self::Error,
            "WARNING" => Self::Warning,
            "NOTICE" => Self::Notice,
            "INFO" | "DEBUG" => Self::Other,
            _ => return None,
        })
    }
}

/// An entry, as a part of the log's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// When it was written; `None` where nothing says so.
    pub(crate) at: Option<Timestamp>,
    pub(crate) level: Level,
    /// The first line without its time, and without WooCommerce's word for the level.
    pub(crate) message: &'a str,
    /// All its lines as they stand.
    pub(crate) raw: &'a str,
}

impl<'a> Entry<'a> {
    /// The lines after the first, such as a stack trace.
    pub(crate) fn rest(&self) -> &'a str {
        self.raw.split_once('\n').map_or("", |(_, rest)| rest)
    }

    /// The file and the line that the message names at its end.
    pub(crate) fn place(&self) -> Option<(&'a str, u32)> {
        place(self.message)
    }

    /// Whose file it happened in; where WordPress itself stumbled, the first plugin or theme in the trace.
    pub(crate) fn component(&self) -> Option<Component> {
        let own = self.place().and_then(|(file, _)| Component::of(file));
        if own.as_ref().is_some_and(|component| component.kind != "core") {
            return own;
        }
        let traced = self.rest().lines().filter(|line| line.starts_with('#')).find_map(|line| {
            let path = line.split_whitespace().nth(1)?;
            Component::of(path).filter(|component| component.kind != "core")
        });
        traced.or(own)
    }
}

/// What the text says after its last ` in `: `/path/file.php on line 12` or `/path/file.php:12`.
fn place(message: &str) -> Option<(&str, u32)> {
    let (_, place) = message.rsplit_once(" in ")?;
    let (file, line) = match place.split_once(" on line ") {
        Some(parts) => parts,
        None => place.rsplit_once(':')?,
    };
    let digits = line.find(|c: char| !c.is_ascii_digit()).map_or(line, |end| line.get(..end).unwrap_or(""));
    (file.starts_with('/') || file.get(1..3) == Some(":\\")).then_some((file, digits.parse().ok()?))
}

/// The part of the site that a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct Component {
    /// plugin, must-use, theme or core.
    pub(crate) kind: &'static str,
    /// Folder of the plugin or theme.
    pub(crate) slug: String,
}

impl Component {
    /// By the part of a path that does not depend on the machine it was written on.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let path = path.replace('\\', "/");
        for (folder, kind) in [("/plugins/", "plugin"), ("/mu-plugins/", "must-use"), ("/themes/", "theme")] {
            if let Some((_, rest)) = path.rsplit_once(folder) {
                let slug = rest.split(['/', '(', ':']).next().unwrap_or_default();
                let slug = slug.strip_suffix(".php").unwrap_or(slug);
                if !slug.is_empty() {
                    return Some(Self { kind, slug: slug.to_owned() });
                }
            }
        }
        let is_core = path.contains("/wp-includes/") || path.contains("/wp-admin/");
        is_core.then(|| Self { kind: "core", slug: "wordpress".to_owned() })
    }
}

/// The entries of a text in their order. Lines before the first time belong to an entry that was cut off; they
/// are passed over where the text begins in the middle of a log.
pub(crate) fn entries<'a>(text: &'a str, site: &'a TimeZone, whole: bool) -> impl Iterator<Item = Entry<'a>> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if stamp(line, site).is_some() {
            starts.push(at);
        }
        at += line.len();
    }
    let first = starts.first().copied().unwrap_or(text.len());
    let untimed = whole && first > 0;
    if untimed {
        starts.insert(0, 0);
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).filter_map(move |(start, end)| {
        let raw = text.get(start..end)?.trim_end();
        let line = raw.lines().next().unwrap_or_default();
        if raw.is_empty() {
            return None;
        }
        let Some(stamp) = stamp(line, site) else {
            // A log without times, such as one that only a plugin writes.
            return Some(Entry { at: None, level: Level::of(line), message: line, raw });
        };
        let message = line.get(stamp.length..).unwrap_or_default().trim_start();
        let word = message.split(' ').next().unwrap_or_default();
        Some(match Level::of_woocommerce(word).filter(|_| stamp.is_bare) {
            Some(level) => Entry {
                at: stamp.at,
                level,
                message: message.get(word.len()..).unwrap_or_default().trim_start(),
                raw,
            },
            None => Entry { at: stamp.at, level: Level::of(message), message, raw },
        })
    })
}

/// The time at the start of a line.
struct Stamp {
    at: Option<Timestamp>,
    length: usize,
    /// Without brackets, as WooCommerce writes it.
    is_bare: bool,
}

fn stamp(line: &str, site: &TimeZone) -> Option<Stamp> {
    if let Some(rest) = line.strip_prefix('[') {
        let (inside, _) = rest.split_once(']').filter(|(inside, _)| inside.len() <= 64)?;
        let at = in_brackets(inside, site)?;
        return Some(Stamp { at: Some(at), length: inside.len() + 2, is_bare: false });
    }
    let word = line.split([' ', '\n']).next()?;
    let looks_right = word.len() >= 19 && word.as_bytes().get(10) == Some(&b'T');
    let at: Timestamp = looks_right.then(|| word.parse().ok()).flatten()?;
    Some(Stamp { at: Some(at), length: word.len(), is_bare: true })
}

fn in_brackets(text: &str, site: &TimeZone) -> Option<Timestamp> {
    let first = text.bytes().next()?;
    if !first.is_ascii_digit() {
        // Apache's own: Mon Nov 30 12:00:00.123456 2026.
        let parsed = strtime::parse("%a %b %d %H:%M:%S%.f %Y", text).ok()?;
        return site.to_timestamp(parsed.to_datetime().ok()?).ok();
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    // 30-Nov-2026 12:00:00 Europe/Berlin
    if text.as_bytes().get(2) == Some(&b'-') {
        let (clock, zone) = text.split_at_checked(20)?;
        let clock = strtime::parse("%d-%b-%Y %H:%M:%S", clock.trim_end()).ok()?.to_datetime().ok()?;
        let zone = zone.trim();
        let zone = if zone.is_empty() { TimeZone::UTC } else { TimeZone::get(zone).unwrap_or(TimeZone::UTC) };
        return zone.to_timestamp(clock).ok();
    }
    let clock: DateTime = text.replacen(' ', "T", 1).parse().ok()?;
    site.to_timestamp(clock).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "tail of something\n\
[30-Nov-2026 12:00:00 UTC] PHP Fatal error:  Uncaught TypeError: count() in /var/www/html/wp-includes/class-wp-error.php:12\n\
Stack trace:\n\
#0 /var/www/html/wp-includes/plugin.php(3): do_action('init')\n\
#1 /var/www/html/wp-content/plugins/acme-seo/main.php(7): acme()\n\
  thrown in /var/www/html/wp-includes/class-wp-error.php on line 12\n\
[30-Nov-2026 13:00:00 Europe/Berlin] PHP Warning:  Undefined variable $error in /srv/wp-content/themes/child/functions.php on line 5\n\
[2026-11-30 13:30:00] a plugin's own words about an error\n\
[30-Nov-2026 12:31:00] WordPress database error Table 'x' doesn't exist for query SELECT 1\n\
2026-11-30T12:40:00+00:00 CRITICAL Uncaught exception in /srv/wp-content/mu-plugins/loader.php:9 CONTEXT: {\"a\":1}\n\
2026-11-30T12:41:00+00:00 INFO fine\n\
[Mon Nov 30 13:45:00.123456 2026] [php:error] PHP Parse error:  x\n";

    fn zone() -> TimeZone {
        TimeZone::get("Europe/Berlin").unwrap()
    }

    #[test]
    fn lines_without_a_time_belong_to_the_entry_before_them() {
        let zone = zone();
        let found: Vec<Entry<'_>> = entries(LOG, &zone, false).collect();
        let shown: Vec<(String, &str)> =
            found.iter().map(|entry| (entry.at.unwrap().to_string(), entry.level.name())).collect();
        assert_eq!(
            shown,
            [
                ("2026-11-30T12:00:00Z".to_owned(), "fatal"),
                ("2026-11-30T12:00:00Z".to_owned(), "warning"),
                // Without a zone it is the site's clock.
                ("2026-11-30T12:30:00Z".to_owned(), "other"),
                ("2026-11-30T12:31:00Z".to_owned(), "error"),
                ("2026-11-30T12:40:00Z".to_owned(), "fatal"),
                ("2026-11-30T12:41:00Z".to_owned(), "other"),
                ("2026-11-30T12:45:00.123456Z".to_owned(), "other"),
            ]
        );
        assert_eq!(found[0].rest().lines().count(), 4);
        assert_eq!(entries(LOG, &zone, true).count(), 8, "the first line of a whole log is one too");
    }

    #[test]
    fn an_entry_names_its_place_and_whose_it_is() {
        let zone = zone();
        let found: Vec<Entry<'_>> = entries(LOG, &zone, false).collect();
        let whose = |entry: &Entry<'_>| entry.component().map(|component| (component.kind, component.slug));
        assert_eq!(found[0].place(), Some(("/var/www/html/wp-includes/class-wp-error.php", 12)));
        assert_eq!(whose(&found[0]), Some(("plugin", "acme-seo".to_owned())));
        assert_eq!(found[1].place(), Some(("/srv/wp-content/themes/child/functions.php", 5)));
        assert_eq!(whose(&found[1]), Some(("theme", "child".to_owned())));
        assert_eq!(whose(&found[2]), None);
        assert_eq!(whose(&found[4]), Some(("must-use", "loader".to_owned())));
        assert_eq!(Component::of("C:\\w\\wp-content\\plugins\\hello.php").unwrap().slug, "hello");
        assert_eq!(Component::of("/w/wp-admin/admin.php").unwrap().kind, "core");
    }
}
