//! Roles of users, from the stored maps.
//!
//! Usermeta `{prefix}capabilities` maps roles and single capabilities to true or false; option
//! `{prefix}user_roles` names the registered roles. Roles that a plugin registers in code are not in that
//! option, so a true entry that is no known capability is taken for one of those.

use std::collections::{BTreeMap, BTreeSet};

use siteclaw_core::ToolError;
use siteclaw_php::PhpValue;

use super::options::{Options, decode};
use super::site::Snapshot;

/// The registered roles.
#[derive(Debug, Default)]
pub(crate) struct Roles {
    /// Slug → label.
    labels: BTreeMap<String, String>,
    capabilities: BTreeSet<String>,
}

impl Roles {
    /// Reads the registered roles of the blog.
    pub(crate) async fn read(snapshot: &Snapshot) -> Result<Self, ToolError> {
        let name = format!("{}user_roles", snapshot.prefixes().part);
        let options = Options::read(snapshot, &[&name]).await?;
        Ok(options.serialised(&name).map(|value| Self::of(&value)).unwrap_or_default())
    }

    fn of(value: &PhpValue) -> Self {
        let mut roles = Self::default();
        for (slug, role) in value.as_array().into_iter().flat_map(|array| array.iter()) {
            let slug = slug.to_text();
            let label = role.get("name").and_then(PhpValue::to_text).unwrap_or_else(|| slug.clone());
            roles.labels.insert(slug, label);
            if let Some(map) = role.get("capabilities").and_then(PhpValue::as_array) {
                roles.capabilities.extend(map.iter().map(|(key, _)| key.to_text()));
            }
        }
        roles
    }

    /// Slugs of the registered roles, sorted.
    pub(crate) fn slugs(&self) -> impl Iterator<Item = &str> {
        self.labels.keys().map(String::as_str)
    }

    /// Whether a role is registered.
    pub(crate) fn is_registered(&self, slug: &str) -> bool {
        self.labels.contains_key(slug)
    }

    /// The label of a role, or its slug.
    pub(crate) fn label<'a>(&'a self, slug: &'a str) -> &'a str {
        self.labels.get(slug).map_or(slug, String::as_str)
    }

    /// The roles that a stored map holds as true, in its order. `None` for a corrupt map, which WordPress
    /// treats as no roles.
    pub(crate) fn held(&self, capabilities: &str) -> Option<Vec<String>> {
        let value = decode(capabilities)?;
        let map = value.as_array()?;
        Some(
            map.iter()
                .filter(|(_, granted)| granted.to_bool() == Some(true))
                .map(|(key, _)| key.to_text())
                .filter(|key| self.is_registered(key) || !self.is_capability(key))
                .collect(),
        )
    }

    fn is_capability(&self, name: &str) -> bool {
        self.capabilities.contains(name) || name.starts_with("level_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_entries_are_roles_unless_they_are_capabilities() {
        let stored = r#"a:2:{s:6:"editor";a:2:{s:4:"name";s:6:"Editor";s:12:"capabilities";a:1:{s:10:"edit_posts";b:1;}}s:6:"author";a:2:{s:4:"name";s:6:"Author";s:12:"capabilities";a:0:{}}}"#;
        let roles = Roles::of(&decode(stored).unwrap());
        let held = |text: &str| roles.held(text).map(|held| held.join(","));
        assert_eq!(
            held(
                r#"a:4:{s:6:"editor";b:1;s:6:"author";b:0;s:10:"edit_posts";b:1;s:15:"bbp_participant";b:1;}"#
            )
            .as_deref(),
            Some("editor,bbp_participant")
        );
        assert_eq!(held("a:0:{}").as_deref(), Some(""));
        assert_eq!(held("a:1:{s:6:\"editor\";b:1"), None);
        assert_eq!(roles.label("editor"), "Editor");
    }
}
