//! Options that are never shown, by their names.

use siteclaw_core::{Code, ToolError, code};
use siteclaw_db::Statement;

use super::input::Names;
use crate::wordpress::condition::Condition;
use crate::wordpress::modes::{containing, shown};
use crate::wordpress::site::Snapshot;

pub(super) const BLOCKED_OPTION: Code = Code::new("BLOCKED_OPTION");

/// Options that are never shown.
pub(super) const BLOCKED: [&str; 2] = ["phpclaw_settings", "mailserver_pass"];
/// Parts of names of options that are never shown.
pub(super) const BLOCKED_PARTS: [&str; 16] = [
    "password",
    "passwd",
    "secret",
    "auth_key",
    "auth_salt",
    "nonce_key",
    "nonce_salt",
    "logged_in_key",
    "logged_in_salt",
    "secure_auth_key",
    "secure_auth_salt",
    "api_key",
    "private_key",
    "token",
    "credential",
    "licen_e_key",
];
/// Words with a blocked part in them that mean something else: a tokenizer, a secretary.
const HARMLESS_PARTS: [&str; 3] = ["tokeniz", "tokenis", "secretar"];
/// Options with such a word that are looked at one by one; sites have few of them.
const MAX_HARMLESS: i64 = 500;
pub(super) const MAX_NAMES: usize = 50;

/// The names, each once; one that is blocked refuses them all.
pub(super) fn checked_names(names: Names) -> Result<Vec<String>, ToolError> {
    let names = match names {
        Names::One(name) => vec![name],
        Names::Many(names) => names,
    };
    if names.is_empty() || names.len() > MAX_NAMES {
        return Err(ToolError::new(
            code::INVALID_ARGUMENT,
            format!("option_name takes 1 to {MAX_NAMES} names, not {}.", names.len()),
        ));
    }
    let mut checked: Vec<String> = Vec::new();
    for name in names {
        let length = name.chars().count();
        if name.trim().is_empty() || length > 191 {
            return Err(ToolError::new(
                code::INVALID_ARGUMENT,
                "A name of an option has 1 to 191 characters.",
            ));
        }
        if is_blocked(&name) {
            return Err(ToolError::new(
                BLOCKED_OPTION,
                format!("The option '{}' may hold a secret and is not shown.", shown(&name)),
            )
            .with("blocked_exact", BLOCKED.as_slice())
            .with("blocked_substrings", BLOCKED_PARTS.as_slice()));
        }
        if !checked.contains(&name) {
            checked.push(name);
        }
    }
    Ok(checked)
}

/// Whether an option's name says that it is secret. `_` in a part stands for any letter, as in LIKE.
fn is_blocked(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let rest = HARMLESS_PARTS.iter().fold(name.clone(), |name, part| name.replace(part, ""));
    BLOCKED.contains(&name.as_str())
        || BLOCKED_PARTS.iter().any(|part| match part.split_once("licen_e") {
            Some((_, after)) => {
                ["license", "licence"].iter().any(|word| rest.contains(&format!("{word}{after}")))
            }
            None => rest.contains(part),
        })
}

/// Leaves blocked options out, in the database: names, counts and pages agree.
pub(super) async fn allowed(snapshot: &Snapshot, wanted: &str) -> Result<Condition, ToolError> {
    let harmless = harmless(snapshot, wanted).await?;
    let mut condition = Condition::default();
    condition.list("option_name NOT IN (?*)", BLOCKED);
    let mut parts = Condition::default();
    for part in BLOCKED_PARTS {
        let pattern = if part.contains("licen_e") { format!("%{part}%") } else { containing(part) };
        parts.one("LOWER(option_name) NOT LIKE ? ESCAPE '!'", pattern);
    }
    if !harmless.is_empty() {
        let mut named = Condition::default();
        named.list("option_name IN (?*)", harmless);
        parts = parts.or(named);
    }
    condition.and(parts);
    Ok(condition)
}

/// Names that a blocked part does not make secret, because it is part of another word. SQL cannot tell.
async fn harmless(snapshot: &Snapshot, wanted: &str) -> Result<Vec<String>, ToolError> {
    let [one, two, three] = HARMLESS_PARTS.map(containing);
    let statement = Statement::new(
        "SELECT option_name FROM {options} WHERE option_name LIKE ? ESCAPE '!' AND (LOWER(option_name) LIKE ? ESCAPE '!' \
         OR LOWER(option_name) LIKE ? ESCAPE '!' OR LOWER(option_name) LIKE ? ESCAPE '!') ORDER BY option_name LIMIT ?",
    )
    .bind(containing(wanted))
    .binds([one, two, three])
    .bind(MAX_HARMLESS);
    let rows = snapshot.rows(&statement).await?;
    let names = rows.iter().map(|row| row.text("option_name")).collect::<Result<Vec<_>, _>>()?;
    Ok(names.into_iter().filter(|name| !is_blocked(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_secret_are_blocked() {
        for name in [
            "AUTH_KEY",
            "mailserver_pass",
            "my_api_key_2",
            "x_License_Key",
            "oauth_token",
            "phpclaw_settings",
            "tokenizer_token",
        ] {
            assert!(is_blocked(name), "{name}");
        }
        for name in ["blogname", "passenger_list", "licensed", "keyring", "tokenizer", "secretary_of_the_day"]
        {
            assert!(!is_blocked(name), "{name}");
        }
    }
}
