//! Identifiers: read as the server reads them, sent in quotes always.
//!
//! A bare word may be more than a name to the server (`CURRENT_USER`, `@@version`, `user` in
//! PostgreSQL); a quoted one never is. So every name is quoted before it is sent, which makes "the
//! parser took it for a name" and "the server takes it for a name" the same thing.

use siteclaw_core::{is_invisible, sanitise_fragment};
use sqlparser::ast::{Ident, ObjectName, ObjectNamePart};

use super::refusal::{Refusal, RefusalCode};
use crate::Engine;

/// MySQL allows 256 characters in an alias, the others less.
const LONGEST: usize = 256;
/// PostgreSQL cuts longer names silently, so a longer name could mean another column.
const LONGEST_POSTGRES: usize = 63;

/// The quotation mark of names. SQLite takes an unknown name in double quotes for a text, so that a
/// misspelt column would give its own name in each row: there it is MySQL's mark, which SQLite knows too.
pub(super) const fn quote_mark(engine: Engine) -> char {
    match engine {
        Engine::MySql | Engine::Sqlite => '`',
        Engine::Postgres => '"',
    }
}

/// The name as the server reads it: PostgreSQL folds bare words to lower case.
pub(super) fn read(engine: Engine, ident: &Ident) -> Result<String, Refusal> {
    let name = &ident.value;
    let mark = quote_mark(engine);
    let odd = |c: char| {
        c == mark || (c == '"' && engine == Engine::Sqlite) || c == '\\' || c.is_control() || is_invisible(c)
    };
    let too_long = match engine {
        Engine::Postgres => name.len() > LONGEST_POSTGRES,
        Engine::MySql | Engine::Sqlite => name.chars().count() > LONGEST,
    };
    if name.is_empty() || too_long || name.chars().any(odd) {
        return Err(unreadable(name));
    }
    if ident.quote_style.is_some() {
        return Ok(name.clone());
    }
    if name.contains('@') {
        return Err(Refusal::clause("A variable").hint("Write the value itself, or pass it as a parameter."));
    }
    if name.chars().any(is_full_width) {
        return Err(unreadable(name));
    }
    Ok(match engine {
        Engine::Postgres => name.to_ascii_lowercase(),
        Engine::MySql | Engine::Sqlite => name.clone(),
    })
}

fn unreadable(name: &str) -> Refusal {
    let shown = sanitise_fragment(name, 40);
    Refusal::new(
        RefusalCode::Syntax,
        format!("The name '{shown}' is empty, too long or has characters that hide what it is."),
    )
    .hint("Write the name in plain letters, digits and underscores.")
}

/// Full-width forms of ASCII letters look like keywords and are none.
fn is_full_width(c: char) -> bool {
    ('\u{FF01}'..='\u{FF5E}').contains(&c)
}

/// Reads a name and puts it into quotes. Double quotes of SQLite stay: whoever wrote them may have meant a
/// text, and the server decides.
pub(super) fn quote(engine: Engine, ident: &mut Ident) -> Result<String, Refusal> {
    let name = read(engine, ident)?;
    if engine != Engine::Sqlite || ident.quote_style != Some('"') {
        *ident = quoted(engine, &name);
    }
    Ok(name)
}

/// A name in quotes. The name must have passed [`read`] or [`is_plain`].
pub(super) fn quoted(engine: Engine, name: &str) -> Ident {
    Ident::with_quote(quote_mark(engine), name)
}

/// Whether a name of the catalogue can be sent in quotes.
pub(super) fn is_plain(engine: Engine, name: &str) -> bool {
    read(engine, &quoted(engine, name)).is_ok()
}

/// The parts of a dotted name, none of which may be computed.
pub(super) fn parts(name: &ObjectName) -> Result<Vec<Ident>, Refusal> {
    name.0
        .iter()
        .map(|part| match part {
            ObjectNamePart::Identifier(ident) => Ok(ident.clone()),
            ObjectNamePart::Function(_) => Err(Refusal::clause("A computed name")),
        })
        .collect()
}

/// A name for a message.
pub(super) fn shown(name: &str) -> String {
    sanitise_fragment(name, 64)
}

/// The nearest of the known names, best first, at most three.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let mut near: Vec<(f64, &str)> = known
        .map(|known| {
            let lower = known.to_lowercase();
            let mut likeness = strsim::jaro_winkler(&wanted, &lower);
            // A forgotten prefix is the commonest slip: `posts` for `wp_posts`.
            if wanted.len() >= 3 && (lower.ends_with(&wanted) || wanted.ends_with(&lower)) {
                likeness = likeness.max(0.95);
            }
            (likeness, known)
        })
        .filter(|(likeness, _)| *likeness >= 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.truncate(3);
    near.into_iter().map(|(_, known)| known).collect()
}

/// A sentence that offers near names, or nothing.
pub(super) fn did_you_mean(near: &[&str]) -> Option<String> {
    match near {
        [] => None,
        [one] => Some(format!("Did you mean {one}?")),
        [start @ .., last] => Some(format!("Did you mean {} or {last}?", start.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_folds_bare_words_only() {
        assert_eq!(read(Engine::Postgres, &Ident::new("UserS")).unwrap(), "users");
        assert_eq!(read(Engine::Postgres, &Ident::with_quote('"', "UserS")).unwrap(), "UserS");
        assert_eq!(read(Engine::MySql, &Ident::new("UserS")).unwrap(), "UserS");
    }

    #[test]
    fn names_that_could_break_their_quotes_or_hide_are_refused() {
        for name in ["a`b", "a\\", "a\u{200B}b", "a\nb", "", "@x", "@@version", "ＳＥＬＥＣＴ"] {
            assert!(read(Engine::MySql, &Ident::new(name)).is_err(), "{name:?}");
        }
        assert!(read(Engine::MySql, &Ident::with_quote('`', "a`b")).is_err());
        assert!(read(Engine::Postgres, &Ident::new("x".repeat(64))).is_err());
        assert_eq!(read(Engine::Postgres, &Ident::new("größe")).unwrap(), "größe");
        assert_eq!(read(Engine::MySql, &Ident::with_quote('"', "it's \"so\"")).unwrap(), "it's \"so\"");
    }

    #[test]
    fn near_names_come_best_first() {
        let known = ["wp_posts", "wp_postmeta", "wp_users", "wp_options"];
        assert_eq!(nearest("posts", known.into_iter()).first(), Some(&"wp_posts"));
        assert_eq!(nearest("wp_user", known.into_iter()).first(), Some(&"wp_users"));
        assert!(nearest("zzz", known.into_iter()).is_empty());
        assert_eq!(did_you_mean(&["a", "b"]).unwrap(), "Did you mean a or b?");
    }
}
