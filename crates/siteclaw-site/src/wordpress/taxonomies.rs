//! What is known of taxonomies without running the code that registers them.

use std::collections::BTreeMap;

use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::options::Options;
use super::site::Snapshot;

/// Public ones of WordPress and WooCommerce, with their labels.
const PUBLIC: [(&str, &str); 6] = [
    ("category", "Categories"),
    ("post_tag", "Tags"),
    ("post_format", "Formats"),
    ("product_cat", "Product categories"),
    ("product_tag", "Product tags"),
    ("product_brand", "Brands"),
];
/// Those that readers never see, of WordPress, WooCommerce and widely used plugins.
const PRIVATE: [(&str, &str); 11] = [
    ("nav_menu", "Navigation menus"),
    ("link_category", "Link categories"),
    ("product_type", "Product types"),
    ("product_visibility", "Product visibility"),
    ("product_shipping_class", "Product shipping classes"),
    ("wp_theme", "Themes"),
    ("wp_template_part_area", "Template part areas"),
    ("wp_pattern_category", "Pattern categories"),
    ("elementor_library_type", "Template types"),
    ("elementor_library_category", "Template categories"),
    ("action-group", "Action groups"),
];

/// A taxonomy that has terms.
#[derive(Clone, Debug)]
pub(crate) struct Taxonomy {
    pub(crate) slug: String,
    pub(crate) label: String,
    /// Terms.
    pub(crate) count: i64,
    pub(crate) public: bool,
    /// Whether its being there, and being public, is only concluded from its terms.
    pub(crate) inferred: bool,
}

/// The taxonomies that have terms, by slug, in three statements at most.
pub(crate) async fn read(snapshot: &Snapshot) -> Result<Vec<Taxonomy>, ToolError> {
    let statement = Statement::new(
        "SELECT taxonomy, COUNT(*) AS n FROM {term_taxonomy} GROUP BY taxonomy ORDER BY taxonomy",
    );
    let rows = snapshot.rows(&statement).await?;
    let options = Options::read(snapshot, &["cptui_taxonomies"]).await?;
    let declared = options.serialised("cptui_taxonomies");
    let attributes = attributes(snapshot).await?;
    let mut taxonomies = Vec::new();
    for row in rows.iter() {
        let slug = row.text("taxonomy")?;
        let named = |list: &[(&str, &str)]| {
            list.iter().find(|(known, _)| *known == slug).map(|(_, label)| (*label).to_owned())
        };
        let attribute = slug.strip_prefix("pa_").and_then(|name| attributes.get(name));
        let by_plugin = declared.as_ref().and_then(|map| map.get(&slug));
        let (label, public, inferred) = if let Some(label) = named(&PUBLIC) {
            (label, true, false)
        } else if let Some(label) = named(&PRIVATE) {
            (label, false, false)
        } else if let Some(label) = attribute {
            (label.clone(), true, false)
        } else if let Some(declared) = by_plugin {
            let label = declared.get("label").and_then(PhpValue::to_text).unwrap_or_else(|| slug.clone());
            let public = declared.get("public").and_then(PhpValue::to_text);
            (label, public.is_none_or(|public| public != "false"), false)
        } else {
            (slug.clone(), true, true)
        };
        taxonomies.push(Taxonomy { slug, label, count: row.i64("n")?, public, inferred });
    }
    Ok(taxonomies)
}

/// Labels of WooCommerce's attributes by name.
async fn attributes(snapshot: &Snapshot) -> Result<BTreeMap<String, String>, ToolError> {
    let mut labels = BTreeMap::new();
    if !snapshot.has_table("woocommerce_attribute_taxonomies").await? {
        return Ok(labels);
    }
    let statement = Statement::new(
        "SELECT attribute_name, attribute_label FROM {woocommerce_attribute_taxonomies} ORDER BY attribute_id",
    );
    for row in snapshot.rows(&statement).await?.iter() {
        let name = row.text("attribute_name")?;
        let label = row.opt_text("attribute_label")?.filter(|label| !label.is_empty());
        labels.insert(name.clone(), label.unwrap_or(name));
    }
    Ok(labels)
}
