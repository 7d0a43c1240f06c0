//! Which values of a configuration are secrets, by the names they stand under.

use siteclaw_core::Secret;
use siteclaw_php::PhpValue;

use crate::dsn::Dsn;

/// What a name must hold for its value to be a secret.
const WORDS: [&str; 7] = ["KEY", "SALT", "SECRET", "PASSWORD", "PASSWD", "SMTPPASS", "TOKEN"];

/// Nesting that is looked through; configurations are a few levels deep.
const MAX_DEPTH: usize = 32;

/// Whether the name says that its value is secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word)) || name.ends_with("_PASS") || name == "PASS"
}

/// The secrets of a text under a name: all of it, or the password within an address.
pub(crate) fn of_text(name: &str, text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    if is_secret_name(name) {
        found.push(Secret::new(text));
    }
    if text.contains("://")
        && let Some(dsn) = Dsn::parse(text)
        && let Some(written) = dsn.written_password
    {
        found.extend(dsn.password);
        found.push(written);
    }
    found
}

/// The secrets of a value and of all that is nested in it. Everything beneath a secret name counts.
pub(crate) fn of_value(name: &str, value: &PhpValue) -> Vec<Secret> {
    let mut found = Vec::new();
    collect(name, value, false, MAX_DEPTH, &mut found);
    found
}

fn collect(name: &str, value: &PhpValue, inherited: bool, depth: usize, found: &mut Vec<Secret>) {
    match value {
        PhpValue::Array(array) if depth > 0 => {
            let inherited = inherited || is_secret_name(name);
            for (key, value) in array.iter() {
                collect(&key.to_text(), value, inherited, depth - 1, found);
            }
        }
        PhpValue::Str(_) => {
            let Some(text) = value.to_text() else { return };
            let own = of_text(name, &text);
            if own.is_empty() && inherited {
                found.push(Secret::new(text));
            }
            found.extend(own);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exposed(found: &[Secret]) -> Vec<&str> {
        found.iter().map(Secret::expose).collect()
    }

    #[test]
    fn names_decide_and_addresses_give_up_their_password_in_both_spellings() {
        assert_eq!(exposed(&of_text("APP_KEY", "base64:abc")), ["base64:abc"]);
        assert_eq!(exposed(&of_text("smtppass", "hush")), ["hush"]);
        assert_eq!(exposed(&of_text("MAILER_DSN", "smtp://me:a%2Fb@mail:25")), ["a/b", "a%2Fb"]);
        assert!(of_text("APP_URL", "https://example.org/x").is_empty());
        assert!(of_text("DB_HOST", "10.0.0.5").is_empty());
        assert!(of_text("COMPASS", "north-west").is_empty());
    }

    #[test]
    fn all_beneath_a_secret_name_is_secret() {
        let mut keys = siteclaw_php::PhpArray::new();
        keys.push(PhpValue::from("first-key"));
        keys.push(PhpValue::from("second-key"));
        let found = of_value("previous_keys", &PhpValue::Array(keys.into()));
        assert_eq!(exposed(&found), ["first-key", "second-key"]);
    }
}
