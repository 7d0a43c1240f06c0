//! Details of a page of products: meta, type, visibility and variations, each in one statement.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use super::{Shop, quantity_json};
use crate::wordpress::modes::Row;
use crate::wordpress::options::{decode, ids};
use crate::wordpress::site::Snapshot;

/// Meta that columns are made from.
const META: [&str; 21] = [
    "_sku",
    "_price",
    "_regular_price",
    "_sale_price",
    "_sale_price_dates_from",
    "_sale_price_dates_to",
    "_stock",
    "_stock_status",
    "_manage_stock",
    "_backorders",
    "_low_stock_amount",
    "_wc_average_rating",
    "_wc_review_count",
    "total_sales",
    "_children",
    "_cogs_total_value",
    "_wc_cog_cost",
    "_alg_wc_cog_cost",
    "_cost_of_goods",
    "_purchase_price",
    "_wholesale_price",
];
/// Where plugins keep what a product costs the shop; the first that is filled wins.
const COST: [&str; 6] = [
    "_cogs_total_value",
    "_wc_cog_cost",
    "_alg_wc_cog_cost",
    "_cost_of_goods",
    "_purchase_price",
    "_wholesale_price",
];
const SUPPLIER: [&str; 2] = ["_supplier", "_wc_supplier"];
const SUPPLIER_SKU: [&str; 2] = ["_supplier_sku", "_wc_supplier_sku"];

/// Columns that say what the shop pays and to whom.
pub(crate) const PURCHASING: &[&str] = &["cost_of_goods", "supplier", "supplier_sku"];

/// A page of products.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Products {
    /// The products, and variations where the tool lists them, with the requested columns.
    pub(crate) products: Vec<Row>,
}

/// A product's own row `l` of the lookup table is missing until WooCommerce has written it; then the meta of
/// the product `p` holds. The stock status and the SKU of either source.
pub(crate) const STOCK_STATUS: &str = "COALESCE(l.stock_status, (SELECT s.meta_value FROM {postmeta} s \
    WHERE s.post_id = p.ID AND s.meta_key = '_stock_status' ORDER BY s.meta_id LIMIT 1))";
pub(crate) const SKU: &str = "COALESCE(l.sku, (SELECT s.meta_value FROM {postmeta} s \
    WHERE s.post_id = p.ID AND s.meta_key = '_sku' ORDER BY s.meta_id LIMIT 1))";
/// The lowest and the highest price of either source. A product without a price has 0 in the lookup table.
pub(crate) const MIN_PRICE: &str = "COALESCE(l.min_price, (SELECT MIN(CAST(s.meta_value AS DECIMAL(26,8))) \
    FROM {postmeta} s WHERE s.post_id = p.ID AND s.meta_key = '_price' AND s.meta_value <> ''))";
pub(crate) const MAX_PRICE: &str = "COALESCE(l.max_price, (SELECT MAX(CAST(s.meta_value AS DECIMAL(26,8))) \
    FROM {postmeta} s WHERE s.post_id = p.ID AND s.meta_key = '_price' AND s.meta_value <> ''))";

/// What is known of the products of one page.
#[derive(Default)]
pub(crate) struct Details {
    meta: BTreeMap<i64, BTreeMap<String, String>>,
    prices: BTreeMap<i64, Vec<String>>,
    types: BTreeMap<i64, String>,
    visibility: BTreeMap<i64, BTreeSet<String>>,
    variations: BTreeMap<i64, Variations>,
}

/// The variations of a product, added up.
#[derive(Clone, Copy, Default)]
struct Variations {
    count: i64,
    stock: i64,
    on_sale: bool,
}

/// Whether a stored sale window, in Unix seconds, has begun and not ended. No window never ends.
fn runs(from: &str, to: &str, now: i64) -> bool {
    let bound = |text: &str| text.trim().parse::<i64>().ok().filter(|&seconds| seconds > 0);
    bound(from).is_none_or(|from| from <= now) && bound(to).is_none_or(|to| now <= to)
}

impl Details {
    /// Reads the details of these products or variations. `now`, in Unix seconds, tells which sales run.
    pub(crate) async fn read(snapshot: &Snapshot, products: &[i64], now: i64) -> Result<Self, ToolError> {
        let mut details = Self::default();
        if products.is_empty() {
            return Ok(details);
        }
        details.read_meta(snapshot, products).await?;
        details.read_terms(snapshot, products).await?;
        details.read_variations(snapshot, products, now).await?;
        Ok(details)
    }

    async fn read_meta(&mut self, snapshot: &Snapshot, products: &[i64]) -> Result<(), ToolError> {
        let keys = META.iter().chain(&SUPPLIER).chain(&SUPPLIER_SKU).copied();
        let statement = Statement::new(
            "SELECT post_id, meta_key, meta_value FROM {postmeta} WHERE post_id IN (?*) AND meta_key IN (?*) \
             ORDER BY post_id, meta_id",
        )
        .bind_list(products.iter().copied())
        .bind_list(keys);
        for row in snapshot.rows(&statement).await?.iter() {
            let (id, key) = (row.i64("post_id")?, row.text("meta_key")?);
            let value = row.opt_text("meta_value")?.unwrap_or_default();
            if key == "_price" {
                self.prices.entry(id).or_default().push(value.clone());
            }
            // Of several rows the first counts.
            self.meta.entry(id).or_default().entry(key).or_insert(value);
        }
        Ok(())
    }

    async fn read_terms(&mut self, snapshot: &Snapshot, products: &[i64]) -> Result<(), ToolError> {
        let statement = Statement::new(
            "SELECT r.object_id, tt.taxonomy, t.slug FROM {term_relationships} r \
             JOIN {term_taxonomy} tt ON tt.term_taxonomy_id = r.term_taxonomy_id JOIN {terms} t ON t.term_id = tt.term_id \
             WHERE tt.taxonomy IN ('product_type', 'product_visibility') AND r.object_id IN (?*) \
             ORDER BY r.object_id, t.slug",
        )
        .bind_list(products.iter().copied());
        for row in snapshot.rows(&statement).await?.iter() {
            let (id, slug) = (row.i64("object_id")?, row.text("slug")?);
            if row.text("taxonomy")? == "product_type" {
                self.types.insert(id, slug);
            } else {
                self.visibility.entry(id).or_default().insert(slug);
            }
        }
        Ok(())
    }

    async fn read_variations(
        &mut self,
        snapshot: &Snapshot,
        products: &[i64],
        now: i64,
    ) -> Result<(), ToolError> {
        // The children of grouped products are products themselves.
        let mut children: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (id, meta) in &self.meta {
            let listed = meta.get("_children").and_then(|text| decode(text));
            for child in listed.map(|list| ids(&list)).unwrap_or_default() {
                children.entry(child).or_default().push(*id);
            }
        }
        let statement = Statement::new(
            "SELECT v.ID, v.post_parent, COALESCE(l.onsale, 0) AS onsale, l.stock_quantity, \
             (SELECT f.meta_value FROM {postmeta} f WHERE f.post_id = v.ID AND f.meta_key = '_sale_price_dates_from' \
              ORDER BY f.meta_id LIMIT 1) AS sale_from, \
             (SELECT e.meta_value FROM {postmeta} e WHERE e.post_id = v.ID AND e.meta_key = '_sale_price_dates_to' \
              ORDER BY e.meta_id LIMIT 1) AS sale_to FROM {posts} v \
             LEFT JOIN {wc_product_meta_lookup} l ON l.product_id = v.ID \
             WHERE (v.post_type = 'product_variation' AND v.post_parent IN (?*) AND v.post_status IN ('publish', 'private')) \
             OR (v.post_type = 'product' AND v.ID IN (?*)) ORDER BY v.ID",
        )
        .bind_list(products.iter().copied())
        .bind_list(if children.is_empty() { vec![0] } else { children.keys().copied().collect() });
        for row in snapshot.rows(&statement).await?.iter() {
            let (id, parent) = (row.i64("ID")?, row.i64("post_parent")?);
            let from = row.opt_text("sale_from")?.unwrap_or_default();
            let to = row.opt_text("sale_to")?.unwrap_or_default();
            let on_sale = row.i64("onsale")? != 0 && runs(&from, &to, now);
            for group in children.get(&id).into_iter().flatten() {
                self.variations.entry(*group).or_default().on_sale |= on_sale;
            }
            if products.contains(&parent) {
                let sum = self.variations.entry(parent).or_default();
                sum.count += 1;
                sum.on_sale |= on_sale;
                sum.stock += row.opt_decimal("stock_quantity")?.and_then(|text| whole(&text)).unwrap_or(0);
            }
        }
        Ok(())
    }

    /// A stored value, or an empty text.
    pub(crate) fn meta(&self, id: i64, key: &str) -> &str {
        self.meta.get(&id).and_then(|meta| meta.get(key)).map_or("", String::as_str)
    }

    /// The type: `simple` where no term says otherwise.
    pub(crate) fn kind(&self, id: i64) -> &str {
        self.types.get(&id).map_or("simple", String::as_str)
    }

    /// The lowest price; `None` for a product without one, which is not free.
    pub(crate) fn lowest(&self, id: i64, shop: &Shop) -> Option<String> {
        self.price_by(id, shop, |a, b| a < b)
    }

    /// The highest price.
    pub(crate) fn highest(&self, id: i64, shop: &Shop) -> Option<String> {
        self.price_by(id, shop, |a, b| a > b)
    }

    fn price_by(
        &self,
        id: i64,
        shop: &Shop,
        better: fn(rust_decimal::Decimal, rust_decimal::Decimal) -> bool,
    ) -> Option<String> {
        let mut best: Option<rust_decimal::Decimal> = None;
        for price in self.prices.get(&id).into_iter().flatten() {
            if let Ok(price) = price.trim().parse()
                && best.is_none_or(|best| better(price, best))
            {
                best = Some(price);
            }
        }
        shop.money(&best?.to_string())
    }

    /// Whether the product, one of its variations or one of its group is on sale now. The stored flag changes
    /// only when a scheduled job runs, so a window that is over or not begun overrules it.
    pub(crate) fn on_sale(&self, id: i64, flag: bool, now: i64) -> bool {
        if self.variations.get(&id).is_some_and(|sum| sum.on_sale) {
            return true;
        }
        flag && runs(self.meta(id, "_sale_price_dates_from"), self.meta(id, "_sale_price_dates_to"), now)
    }

    /// How the shop front shows the product: visible, catalog, search or hidden.
    pub(crate) fn visibility(&self, id: i64) -> &'static str {
        let has = |slug: &str| self.visibility.get(&id).is_some_and(|slugs| slugs.contains(slug));
        match (has("exclude-from-catalog"), has("exclude-from-search")) {
            (true, true) => "hidden",
            (false, true) => "catalog",
            (true, false) => "search",
            (false, false) => "visible",
        }
    }

    /// Whether the product is marked as featured.
    pub(crate) fn is_featured(&self, id: i64) -> bool {
        self.visibility.get(&id).is_some_and(|slugs| slugs.contains("featured"))
    }

    /// A column that is the same for all product tools, or `None` for another column.
    pub(crate) fn column(&self, id: i64, column: &str, shop: &Shop) -> Option<Value> {
        let first = |keys: &[&str]| {
            let filled = keys.iter().map(|key| self.meta(id, key)).find(|value| !value.trim().is_empty());
            json!(filled)
        };
        let sum = self.variations.get(&id).copied().unwrap_or_default();
        Some(match column {
            "type" => json!(self.kind(id)),
            "price" => json!(self.lowest(id, shop)),
            "max_price" => json!(self.highest(id, shop)),
            "regular_price" => json!(shop.money(self.meta(id, "_regular_price"))),
            "sale_price" => json!(shop.money(self.meta(id, "_sale_price"))),
            "manage_stock" => json!(self.meta(id, "_manage_stock") == "yes"),
            "backorders" => json!(match self.meta(id, "_backorders") {
                "" => "no",
                other => other,
            }),
            "catalog_visibility" => json!(self.visibility(id)),
            "featured" => json!(self.is_featured(id)),
            "average_rating" => {
                json!(self.meta(id, "_wc_average_rating").trim().parse::<f64>().unwrap_or(0.0))
            }
            "review_count" => json!(self.meta(id, "_wc_review_count").trim().parse::<i64>().unwrap_or(0)),
            "total_sales" => quantity_json(Some(self.meta(id, "total_sales"))),
            "variation_count" => json!(sum.count),
            "total_variation_stock" => json!(sum.stock),
            "cost_of_goods" => json!(COST.iter().find_map(|key| shop.money(self.meta(id, key)))),
            "supplier" => first(&SUPPLIER),
            "supplier_sku" => first(&SUPPLIER_SKU),
            _ => return None,
        })
    }
}

fn whole(text: &str) -> Option<i64> {
    quantity_json(Some(text)).as_f64().map(|number| number as i64)
}
