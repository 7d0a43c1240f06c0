//! Which plugin a name belongs to: a hook, an option or a table begins with the plugin's slug, its text domain, or
//! the short form that its authors use.
//!
//! A guess by names, and said to be one: a plugin may call things as it likes.

use std::sync::Arc;

use siteclaw_core::{Ctx, ToolError};
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::options::{Options, decode};
use super::plugin_files;
use super::site::Snapshot;

/// Short forms that widely used plugins have for their own.
const SHORT_FORMS: [(&str, &[&str]); 20] = [
    ("woocommerce", &["wc", "action_scheduler", "actionscheduler"]),
    ("wordpress-seo", &["wpseo", "yoast"]),
    ("seo-by-rank-math", &["rank_math"]),
    ("all-in-one-seo-pack", &["aioseo"]),
    ("wp-seopress", &["seopress"]),
    ("advanced-custom-fields", &["acf"]),
    ("contact-form-7", &["wpcf7"]),
    ("wpforms-lite", &["wpforms"]),
    ("gravityforms", &["gf", "rg", "gform"]),
    ("ninja-forms", &["nf", "nf3"]),
    ("bbpress", &["bbp"]),
    ("buddypress", &["bp"]),
    ("wordfence", &["wf"]),
    ("updraftplus", &["updraft"]),
    ("wp-rocket", &["rocket"]),
    ("w3-total-cache", &["w3tc"]),
    ("litespeed-cache", &["litespeed"]),
    ("the-events-calendar", &["tribe"]),
    ("amazon-s3-and-cloudfront", &["as3cf"]),
    ("limit-login-attempts-reloaded", &["limit_login"]),
];
/// A shorter beginning would claim names of others.
const SHORTEST: usize = 4;

/// The plugins on disk with the beginnings of their names.
#[derive(Debug, Default)]
pub(crate) struct Owners(Vec<Claim>);

#[derive(Debug)]
struct Claim {
    slug: String,
    beginnings: Vec<String>,
    active: bool,
}

/// The plugin that a name seems to belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner<'a> {
    pub(crate) slug: &'a str,
    pub(crate) active: bool,
}

impl Owners {
    /// Reads which plugins are on disk, and from the options which of them are active; read `active_plugins` for
    /// it.
    pub(crate) async fn read(
        ctx: &Ctx,
        snapshot: &Arc<Snapshot>,
        options: &Options,
    ) -> Result<Self, ToolError> {
        let mut active: Vec<String> = options
            .serialised("active_plugins")
            .as_ref()
            .and_then(PhpValue::as_array)
            .map(|list| list.values().filter_map(PhpValue::to_text).collect())
            .unwrap_or_default();
        if snapshot.settings.multisite {
            let statement = Statement::new(
                "SELECT meta_value FROM {base:sitemeta} WHERE meta_key = ? ORDER BY meta_id LIMIT 1",
            )
            .bind("active_sitewide_plugins");
            let stored = snapshot.row(&statement).await?.map(|row| row.opt_text("meta_value")).transpose()?;
            let map = stored.flatten().and_then(|text| decode(&text));
            let files = map.as_ref().and_then(PhpValue::as_array).into_iter().flat_map(|map| map.iter());
            active.extend(files.map(|(file, _)| file.to_text()));
        }
        let site = Arc::clone(snapshot);
        let installed = ctx
            .blocking(move |_| {
                let folder = crate::files::below(&site.root, &site.settings.plugins);
                Ok(folder.map(|folder| plugin_files::installed(&site.root, &folder)).unwrap_or_default())
            })
            .await?;
        Ok(Self(
            installed
                .iter()
                .map(|plugin| Claim {
                    slug: plugin.slug().to_owned(),
                    beginnings: beginnings(plugin.slug(), &plugin.text_domain),
                    active: active.contains(&plugin.file),
                })
                .collect(),
        ))
    }

    /// The plugin with the longest beginning of the name; of two, the active one.
    pub(crate) fn of(&self, name: &str) -> Option<Owner<'_>> {
        let name = flat(name.trim_start_matches('_'));
        let claims = self.0.iter().filter_map(|claim| {
            let fits = |beginning: &&String| {
                name.strip_prefix(beginning.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            let length = claim.beginnings.iter().filter(fits).map(String::len).max()?;
            Some(((length, claim.active), claim))
        });
        let (_, claim) = claims.max_by_key(|(rank, _)| *rank)?;
        Some(Owner { slug: &claim.slug, active: claim.active })
    }
}

fn flat(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '/', '.', ' '], "_")
}

/// Editions of one plugin, which call things alike.
const EDITIONS: [&str; 5] = ["_lite", "_free", "_pro", "_premium", "_plus"];

fn beginnings(slug: &str, text_domain: &str) -> Vec<String> {
    let names = [slug, text_domain].map(flat);
    let bare = names.iter().flat_map(|name| EDITIONS.iter().filter_map(|edition| name.strip_suffix(edition)));
    let mut beginnings: Vec<String> = names
        .iter()
        .map(String::as_str)
        .chain(bare)
        .filter(|name| name.len() >= SHORTEST)
        .map(str::to_owned)
        .collect();
    let known = SHORT_FORMS.iter().filter(|(known, _)| *known == slug);
    beginnings.extend(known.flat_map(|(_, forms)| forms.iter().map(|form| (*form).to_owned())));
    beginnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_owns_a_name() {
        let claim =
            |slug: &str, active| Claim { slug: slug.to_owned(), beginnings: beginnings(slug, ""), active };
        let owners = Owners(vec![
            claim("woocommerce", true),
            claim("woocommerce-payments", false),
            claim("acme-seo", true),
            claim("ab", true),
            claim("quay-maps-lite", true),
        ]);
        let slug = |name: &str| owners.of(name).map(|owner| (owner.slug, owner.active));
        assert_eq!(slug("woocommerce_cleanup_logs"), Some(("woocommerce", true)));
        assert_eq!(slug("wc_admin_daily"), Some(("woocommerce", true)));
        assert_eq!(slug("woocommerce_payments_sync"), Some(("woocommerce-payments", false)));
        assert_eq!(slug("_acme_seo_state"), Some(("acme-seo", true)));
        assert_eq!(slug("quay_maps_ping"), Some(("quay-maps-lite", true)));
        assert_eq!(slug("acme_seoul"), None);
        assert_eq!(slug("ab_x"), None);
        assert_eq!(slug("wcx"), None);
    }
}
