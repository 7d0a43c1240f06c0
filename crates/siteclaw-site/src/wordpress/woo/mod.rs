//! WooCommerce: whether it is on, how the shop is set up, and what its tools share.

pub(crate) mod buyers;
pub(crate) mod catalog;
pub(crate) mod orders;
pub(crate) mod period;
pub(crate) mod places;
pub(crate) mod sales;

use rust_decimal::Decimal;
use siteclaw_core::{Code, ToolError, code};
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::options::{Options, decode};
use super::site::Snapshot;
use super::zone::Zone;

/// The order tables that the shop claims to use are not there.
const ORDER_TABLES_MISSING: Code = Code::new("ORDER_TABLES_MISSING");

/// A table of the shop is not there.
const TABLE_MISSING: Code = Code::new("TABLE_MISSING");

/// Options that say how the shop is set up.
const OPTIONS: [&str; 12] = [
    "active_plugins",
    "woocommerce_db_version",
    "woocommerce_currency",
    "woocommerce_price_num_decimals",
    "woocommerce_custom_orders_table_enabled",
    "woocommerce_notify_low_stock_amount",
    "woocommerce_notify_no_stock_amount",
    "woocommerce_manage_stock",
    "woocommerce_permalinks",
    "timezone_string",
    "gmt_offset",
    "home",
];

/// Product fields that are never returned.
pub(crate) const BLOCKED_FIELDS: &[&str] = &[
    "downloads",
    "download_ids",
    "download_urls",
    "downloadable_files",
    "file_paths",
    "license_key",
    "licence_key",
    "license_keys",
    "licence_keys",
    "gateway_credentials",
    "api_key",
    "api_secret",
];
/// Beginnings of product fields that are never returned.
pub(crate) const BLOCKED_PREFIXES: &[&str] = &[
    "_downloadable_files",
    "_wc_licence",
    "_wc_license",
    "_license_",
    "_stripe_",
    "_ppcp_",
    "_paypal_",
    "_api_key",
];

/// How the shop is set up.
pub(crate) struct Shop {
    pub(crate) currency: String,
    pub(crate) decimals: u32,
    pub(crate) zone: Zone,
    /// Stock up to this many is low.
    pub(crate) low_stock: Decimal,
    /// Stock up to this many counts as none.
    pub(crate) no_stock: Decimal,
    /// Whether the shop keeps stock at all.
    pub(crate) manages_stock: bool,
    /// Whether orders live in WooCommerce's own tables (HPOS) rather than among the posts.
    pub(crate) own_tables: bool,
    pub(crate) options: Options,
}

impl Shop {
    /// The shop, or `FEATURE_OFF` where WooCommerce is installed and not active.
    pub(crate) async fn read(snapshot: &Snapshot) -> Result<Self, ToolError> {
        let mut names = OPTIONS.to_vec();
        names.extend(super::permalink::OPTIONS.iter().filter(|name| !OPTIONS.contains(name)));
        let options = Options::read(snapshot, &names).await?;
        let mut active = options
            .serialised("active_plugins")
            .is_some_and(|list| list.as_array().is_some_and(|list| list.values().any(is_woocommerce)));
        if !active && snapshot.settings.multisite {
            active = active_in_network(snapshot).await?;
        }
        if !active || options.get("woocommerce_db_version").is_none() {
            return Err(ToolError::new(
                code::FEATURE_OFF,
                "WooCommerce is installed but not active on this site.",
            )
            .hint("Activate it under Plugins, or ask for something else."));
        }
        let decimal = |name: &str, default: i64| {
            options.text(name).trim().parse().unwrap_or_else(|_| Decimal::from(default))
        };
        let currency = options.text("woocommerce_currency");
        Ok(Self {
            currency: if currency.is_empty() { "USD".to_owned() } else { currency.to_owned() },
            decimals: options.text("woocommerce_price_num_decimals").trim().parse().unwrap_or(2).min(8),
            zone: options.zone(),
            low_stock: decimal("woocommerce_notify_low_stock_amount", 2),
            no_stock: decimal("woocommerce_notify_no_stock_amount", 0),
            manages_stock: options.text("woocommerce_manage_stock") != "no",
            own_tables: options.text("woocommerce_custom_orders_table_enabled") == "yes",
            options,
        })
    }

    /// Where the orders are, for `meta.order_storage`.
    pub(crate) const fn order_storage(&self) -> &'static str {
        if self.own_tables { "hpos" } else { "legacy_posts" }
    }

    /// Refuses when the shop claims to use tables that are not there.
    pub(crate) async fn check_order_tables(&self, snapshot: &Snapshot) -> Result<(), ToolError> {
        if !self.own_tables {
            return Ok(());
        }
        if snapshot.has_table("wc_orders").await? {
            return Ok(());
        }
        let table = snapshot.prefixes().table("wc_orders");
        Err(ToolError::new(
            ORDER_TABLES_MISSING,
            format!("The shop is set to keep orders in its own tables, but {table} does not exist."),
        )
        .hint("Repair it under WooCommerce > Status > Tools, or check the table prefix."))
    }

    /// Refuses when tables are not there that every shop of a WooCommerce of today has.
    pub(crate) async fn check_tables(&self, snapshot: &Snapshot, tables: &[&str]) -> Result<(), ToolError> {
        for table in tables {
            if !snapshot.has_table(table).await? {
                return Err(ToolError::new(
                    TABLE_MISSING,
                    format!("WooCommerce's table {} does not exist.", snapshot.prefixes().table(table)),
                )
                .hint("Run WooCommerce's database update under WooCommerce > Status > Tools, or check the table prefix."));
            }
        }
        Ok(())
    }

    /// An amount with the shop's decimals; text that is no number gives `None`.
    pub(crate) fn money(&self, amount: &str) -> Option<String> {
        money(amount, self.decimals)
    }
}

/// An amount as a decimal text with exactly this many places, rounded half away from zero.
pub(crate) fn money(amount: &str, decimals: u32) -> Option<String> {
    let amount = amount.trim();
    let value: Decimal = amount.parse().ok().or_else(|| Decimal::from_scientific(amount).ok())?;
    let mut value =
        value.round_dp_with_strategy(decimals, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    value.rescale(decimals);
    // A rounded -0.001 is no debt.
    if value.is_zero() {
        value.set_sign_positive(true);
    }
    Some(value.to_string())
}

/// A quantity without needless zeros.
pub(crate) fn quantity(amount: &str) -> Option<String> {
    let value: Decimal = amount.trim().parse().ok()?;
    Some(value.normalize().to_string())
}

/// A quantity as a JSON number: whole where it is whole.
pub(crate) fn quantity_json(amount: Option<&str>) -> serde_json::Value {
    let Some(text) = amount.and_then(quantity) else { return serde_json::Value::Null };
    match text.parse::<i64>() {
        Ok(whole) => serde_json::Value::from(whole),
        Err(_) => text.parse::<f64>().map_or(serde_json::Value::Null, serde_json::Value::from),
    }
}

fn is_woocommerce(file: &PhpValue) -> bool {
    file.to_text().is_some_and(|file| file.ends_with("/woocommerce.php"))
}

async fn active_in_network(snapshot: &Snapshot) -> Result<bool, ToolError> {
    let statement =
        Statement::new("SELECT meta_value FROM {base:sitemeta} WHERE meta_key = ? ORDER BY meta_id LIMIT 1")
            .bind("active_sitewide_plugins");
    let Some(row) = snapshot.row(&statement).await? else { return Ok(false) };
    let stored = row.opt_text("meta_value")?.unwrap_or_default();
    let map = decode(&stored);
    Ok(map
        .as_ref()
        .and_then(PhpValue::as_array)
        .is_some_and(|map| map.iter().any(|(file, _)| file.to_text().ends_with("/woocommerce.php"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_the_shops_places() {
        for (amount, places, expected) in [
            ("12.50000000", 2, Some("12.50")),
            ("12.5", 2, Some("12.50")),
            ("-0.001", 2, Some("0.00")),
            ("1.005", 2, Some("1.01")),
            ("-1.005", 2, Some("-1.01")),
            ("1234", 0, Some("1234")),
            ("1e3", 2, Some("1000.00")),
            ("99.99999999999999", 2, Some("100.00")),
            ("", 2, None),
            ("12,50", 2, None),
        ] {
            assert_eq!(money(amount, places).as_deref(), expected, "{amount}");
        }
    }

    #[test]
    fn quantities_are_whole_where_they_are() {
        assert_eq!(quantity_json(Some("5.0000")), 5);
        assert_eq!(quantity_json(Some("-2")), -2);
        assert_eq!(quantity_json(Some("1.50")), 1.5);
        assert!(quantity_json(Some("")).is_null());
        assert!(quantity_json(None).is_null());
    }
}
