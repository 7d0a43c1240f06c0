//! Which authors are administrators: texts of all others are untrusted.

use std::collections::BTreeSet;

use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::options::{Options, decode};
use super::site::Snapshot;

/// The capability that tells an administrator.
const ADMINISTRATIVE: &str = "manage_options";

/// Those of the users who lack `manage_options`, sorted. Accounts that no longer exist count as lacking it.
pub(crate) async fn without_administrators(
    snapshot: &Snapshot,
    users: impl IntoIterator<Item = i64>,
) -> Result<Vec<i64>, ToolError> {
    let users: BTreeSet<i64> = users.into_iter().collect();
    if users.is_empty() {
        return Ok(Vec::new());
    }
    let part = snapshot.prefixes().part.clone();
    let roles_option = format!("{part}user_roles");
    let roles = Options::read(snapshot, &[&roles_option]).await?;
    let roles = roles.serialised(&roles_option);
    let statement = Statement::new(
        "SELECT user_id, meta_value FROM {base:usermeta} WHERE meta_key = ? AND user_id IN (?*) ORDER BY umeta_id",
    )
    .bind(format!("{part}capabilities"))
    .bind_list(users.iter().copied());
    let rows = snapshot.rows(&statement).await?;
    let mut administrators = BTreeSet::new();
    for row in rows.iter() {
        let capabilities = row.opt_text("meta_value")?.and_then(|text| decode(&text));
        if capabilities.is_some_and(|held| is_administrator(&held, roles.as_ref())) {
            administrators.insert(row.i64("user_id")?);
        }
    }
    Ok(users.difference(&administrators).copied().collect())
}

/// A role grants what its map says; an entry of the user's own overrules it.
fn is_administrator(held: &PhpValue, roles: Option<&PhpValue>) -> bool {
    if let Some(own) = held.get(ADMINISTRATIVE).and_then(PhpValue::to_bool) {
        return own;
    }
    let Some(held) = held.as_array() else { return false };
    held.iter().any(|(role, granted)| {
        granted.to_bool() == Some(true)
            && roles
                .and_then(|roles| roles.at(&[&role.to_text(), "capabilities", ADMINISTRATIVE]))
                .and_then(PhpValue::to_bool)
                == Some(true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_grant_and_own_entries_overrule() {
        let roles = decode(
            r#"a:2:{s:13:"administrator";a:1:{s:12:"capabilities";a:1:{s:14:"manage_options";b:1;}}s:6:"editor";a:1:{s:12:"capabilities";a:1:{s:10:"edit_posts";b:1;}}}"#,
        );
        let held = |text: &str| is_administrator(&decode(text).unwrap(), roles.as_ref());
        assert!(held(r#"a:1:{s:13:"administrator";b:1;}"#));
        assert!(!held(r#"a:1:{s:13:"administrator";b:0;}"#));
        assert!(!held(r#"a:1:{s:6:"editor";b:1;}"#));
        assert!(held(r#"a:2:{s:6:"editor";b:1;s:14:"manage_options";b:1;}"#));
        assert!(!held(r#"a:2:{s:13:"administrator";b:1;s:14:"manage_options";b:0;}"#));
    }
}
