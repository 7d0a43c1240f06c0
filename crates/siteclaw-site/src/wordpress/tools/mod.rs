//! The tools, one a file.

mod db_query;
mod read_log;
mod wc_categories;
mod wc_coupons;
mod wc_get_customer;
mod wc_get_orders;
mod wc_get_products;
mod wc_report;
mod wc_reviews;
mod wc_shipping;
mod wc_stock;
mod wc_tax;
mod wp_comments;
mod wp_cron;
mod wp_media;
mod wp_menus;
mod wp_option;
mod wp_plugins;
mod wp_query;
mod wp_taxonomy;
mod wp_users;

use siteclaw_core::{Entry, RegistryError};

use super::WordPress;
use super::listing::{Listed, Listing};

/// Sets of tools for deny lists.
pub(crate) const GROUPS: &[(&str, &[&str])] = &[
    ("group:content", &["wp_query", "wp_taxonomy", "wp_comments", "wp_media"]),
    ("group:admin", &["wp_users", "wp_plugins", "wp_option", "wp_cron"]),
    (
        "group:system",
        &[
            "db_query",
            "read_log",
            "http_request",
            "file_read",
            "file_write",
            "file_edit",
            "code_search",
            "project_info",
            "shell_exec",
        ],
    ),
    ("group:builder", &["zip_package", "wp_zip_plugin"]),
    ("group:nav", &["wp_menus", "wp_taxonomy"]),
    (
        "group:commerce",
        &[
            "wc_get_orders",
            "wc_get_products",
            "wc_stock",
            "wc_get_customer",
            "wc_report",
            "wc_coupons",
            "wc_categories",
            "wc_reviews",
            "wc_shipping",
            "wc_tax",
        ],
    ),
];

/// Names that a group may hold although this site or this version has no such tool.
pub(crate) const KNOWN_NAMES: &[&str] = &[
    "wp_query",
    "wp_users",
    "wp_option",
    "db_query",
    "wp_plugins",
    "wp_taxonomy",
    "wp_comments",
    "wp_media",
    "wp_menus",
    "wp_cron",
    "read_log",
    "wp_zip_plugin",
    "wc_get_orders",
    "wc_get_products",
    "wc_stock",
    "wc_get_customer",
    "wc_report",
    "wc_coupons",
    "wc_categories",
    "wc_reviews",
    "wc_shipping",
    "wc_tax",
    "http_request",
    "file_read",
    "file_write",
    "file_edit",
    "code_search",
    "project_info",
    "shell_exec",
    "zip_package",
    "load_skill",
];

/// The tools of a site, in the order in which they are listed. WooCommerce's are there when its files are.
pub(crate) fn entries(site: &WordPress) -> Result<Vec<Entry>, RegistryError> {
    let mut entries = vec![listed::<wp_query::WpQuery>(site)?];
    if site.has_woocommerce() {
        entries.push(listed::<wc_get_orders::WcGetOrders>(site)?);
        entries.push(listed::<wc_get_products::WcGetProducts>(site)?);
        entries.push(listed::<wp_users::WpUsers>(site)?);
        entries.push(listed::<wc_stock::WcStock>(site)?);
        entries.push(listed::<wc_get_customer::WcGetCustomer>(site)?);
        entries.push(Entry::new(wp_option::WpOption::new(site.clone()))?);
        entries.push(Entry::new(wc_report::WcReport::new(site.clone()))?);
        entries.push(Entry::new(db_query::DbQuery::new(site.clone()))?);
        entries.push(listed::<wc_coupons::WcCoupons>(site)?);
        entries.push(listed::<wc_categories::WcCategories>(site)?);
        entries.push(listed::<wp_plugins::WpPlugins>(site)?);
        entries.push(listed::<wc_reviews::WcReviews>(site)?);
        entries.push(Entry::new(wc_shipping::WcShipping::new(site.clone()))?);
        entries.push(listed::<wc_tax::WcTax>(site)?);
    } else {
        entries.push(listed::<wp_users::WpUsers>(site)?);
        entries.push(Entry::new(wp_option::WpOption::new(site.clone()))?);
        entries.push(Entry::new(db_query::DbQuery::new(site.clone()))?);
        entries.push(listed::<wp_plugins::WpPlugins>(site)?);
    }
    entries.push(listed::<wp_taxonomy::WpTaxonomy>(site)?);
    entries.push(listed::<wp_comments::WpComments>(site)?);
    entries.push(listed::<wp_media::WpMedia>(site)?);
    entries.push(listed::<wp_menus::WpMenus>(site)?);
    entries.push(listed::<wp_cron::WpCron>(site)?);
    entries.push(Entry::new(read_log::ReadLog::new(site.clone()))?);
    Ok(entries)
}

fn listed<L: Listing>(site: &WordPress) -> Result<Entry, RegistryError> {
    Entry::new(Listed::<L>::new(site.clone()))
}
