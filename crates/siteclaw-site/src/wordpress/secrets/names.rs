//! What a name says of the value under it.
//!
//! A name is taken apart at separators and at changes of case, and words that plugins write together are
//! known by their ends, so `license_key`, `license-key`, `licenseKey` and `licensekey` are one name. The words
//! that mean a secret in any database are [`is_secret_name`]'s; options and meta have more of them.

use siteclaw_db::guard::{is_secret_name, name_words};

use super::words::{
    LIKELY_ANYWHERE, LIKELY_LAST, LOGINS, NEAR, OPEN_KEYS, SECRET_ENDS, SECRET_KEYS, SERVICES,
};

/// What a name says of the value under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Nothing.
    Plain,
    /// It is about something that has secrets: a random text under it is one.
    Near,
    /// It is a secret if it looks like one at all.
    Likely,
    /// It is a secret.
    Secret,
}

/// What the name says.
pub(crate) fn verdict(name: &str) -> Verdict {
    if is_secret_name(name, "") {
        return Verdict::Secret;
    }
    let words = name_words(name);
    let mut words: Vec<&str> =
        words.iter().map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
    words.retain(|word| !word.is_empty());
    let Some((&last, before)) = words.split_last() else { return Verdict::Plain };
    let by_last = last_word(last, before.last().copied());
    if by_last >= Verdict::Likely {
        return by_last;
    }
    if words.iter().any(|word| LIKELY_ANYWHERE.contains(word) || ends_secret(word)) {
        return Verdict::Likely;
    }
    let keys = words.windows(2).map(|pair| match pair {
        [before, "key"] if is_secret_name(&format!("{before}_key"), "") => Verdict::Likely,
        [before, "key"] => last_word("key", Some(before)).min(Verdict::Likely),
        _ => Verdict::Plain,
    });
    let is_near = |word: &&str| NEAR.contains(word) || SERVICES.contains(word);
    let near = if words.iter().any(is_near) { Verdict::Near } else { Verdict::Plain };
    keys.max().unwrap_or(Verdict::Plain).max(near)
}

/// Whether nothing under this name may be shown that looks like a secret at all.
pub(crate) fn is_suspect(name: &str) -> bool {
    verdict(name) >= Verdict::Likely
}

fn ends_secret(word: &str) -> bool {
    SECRET_ENDS.iter().any(|end| word.ends_with(end))
        || word.strip_suffix("pass").is_some_and(|rest| LOGINS.contains(&rest) || SERVICES.contains(&rest))
}

fn last_word(last: &str, before: Option<&str>) -> Verdict {
    if ends_secret(last) {
        return Verdict::Secret;
    }
    if matches!(last, "key" | "keys") {
        return match before {
            None => Verdict::Plain,
            Some(word) if SECRET_KEYS.contains(&word) => Verdict::Secret,
            Some(word) if OPEN_KEYS.contains(&word) => Verdict::Plain,
            Some(_) => Verdict::Likely,
        };
    }
    let joined = last.strip_suffix("key").or_else(|| last.strip_suffix("api"));
    let end = ["signature", "license", "licence"].iter().any(|end| last.ends_with(end));
    if LIKELY_LAST.contains(&last) || end || joined.is_some_and(|rest| SERVICES.contains(&rest)) {
        return Verdict::Likely;
    }
    if joined.is_some_and(|rest| SECRET_KEYS.contains(&rest)) { Verdict::Secret } else { Verdict::Plain }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Names of secrets as plugins give them, each in every spelling.
    pub(crate) fn spellings() -> Vec<String> {
        let words = [
            "stripe key",
            "sendgrid key",
            "acme key",
            "api key",
            "license key",
            "licence key",
            "client secret",
            "access token",
            "consumer key",
            "consumer secret",
            "api signature",
            "smtp pass",
            "db pwd",
            "nonce salt",
            "private key",
            "plugin license",
            "mailchimp api",
            "bot token",
            "webhook secret",
            "user password",
            "account credentials",
            "auth key",
            "signing key",
            "security key",
            "master password",
            "merchant key",
        ];
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        let mut all = Vec::new();
        for name in words {
            let parts: Vec<&str> = name.split(' ').collect();
            let capitals: Vec<String> = parts.iter().map(|part| capital(part)).collect();
            let camel = format!("{}{}", parts[0], capitals[1..].concat());
            let joined = [parts.join("_"), parts.join("-"), parts.join("."), camel, capitals.concat()];
            for name in joined {
                all.extend([name.clone(), name.to_uppercase(), format!("my_{name}"), format!("{name}_2")]);
            }
        }
        // Upper case has no humps: what was one is two words no more.
        all.retain(|name| name.contains(['_', '-', '.']) || name.chars().any(char::is_lowercase));
        all
    }

    #[test]
    fn secrets_are_known_in_every_spelling() {
        for name in spellings() {
            assert!(is_suspect(&name), "{name}");
        }
        for name in [
            "licensekey",
            "apikey",
            "APIKEY",
            "clientsecret",
            "accesstoken",
            "stripekey",
            "sendgridkey",
            "smtppass",
            "mysqlpwd",
            "authsalt",
            "consumerkey",
            "mailchimpapi",
            "apisignature",
            "s3key",
            "pluginlicense",
        ] {
            assert!(is_suspect(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_look_like_it_are_plain() {
        for name in [
            "blog_public",
            "keyword_list",
            "monkey",
            "monkey_island",
            "nav_menu_options",
            "passage",
            "primary_key_column",
            "primary_key",
            "tokenizer",
            "passenger_list",
            "compass",
            "bypass_cache",
            "secretary",
            "salty_snacks",
            "keyring",
            "key",
            "keys",
            "site_key",
            "public_key",
            "meta_key",
            "cache_key",
            "cart_item_key",
            "blogname",
            "authors",
            "capital",
            "designer",
            "shortcut_key",
            "menuKey",
            "hockey",
            "turkey",
            "hotkey",
            "basalt",
            "compassion",
            "spinner",
            "licensed",
        ] {
            assert_eq!(verdict(name), Verdict::Plain, "{name}");
        }
    }

    #[test]
    fn what_is_said_about_a_secret_is_no_secret() {
        for name in ["consumer_key_live", "api_key_test_mode"] {
            assert_eq!(verdict(name), Verdict::Likely, "{name}");
        }
        for name in ["token_count", "token_expires", "license_status", "api_key_id", "password_changed_at"] {
            assert_ne!(verdict(name), Verdict::Secret, "{name}");
        }
    }
}
