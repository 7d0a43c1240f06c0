//! `wc_stock`: what is there, what runs low, what is gone.

mod input;

use std::collections::BTreeMap;
use std::sync::Arc;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Reply, ToolError, ToolSpec};
use siteclaw_db::{Row as DbRow, Statement};

use self::input::{Checked, Input};
use crate::wordpress::columns::Columns;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{self, Answer, Listing, Page, stated};
use crate::wordpress::modes::{Mode, Row};
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::woo::catalog::{Details, PURCHASING, Products, STOCK_STATUS};
use crate::wordpress::woo::{BLOCKED_FIELDS, BLOCKED_PREFIXES, Shop, quantity_json};

type Plan = listing::Plan<WcStock>;

const INVALID_FILTER: Code = Code::new("INVALID_FILTER");

/// What stands in place of a SKU that is not set.
const NO_SKU: &str = "n/a";

/// Published products, and variations of published products that keep stock of their own.
const FROM: &str = "FROM {posts} p LEFT JOIN {posts} pp ON pp.ID = p.post_parent AND p.post_type = 'product_variation' \
    LEFT JOIN {wc_product_meta_lookup} l ON l.product_id = p.ID";
/// The same with the stock that is kept by hand and the thresholds.
const MANAGED: &str = "FROM {postmeta} ms JOIN {postmeta} mq ON mq.post_id = ms.post_id AND mq.meta_key = '_stock' \
    JOIN {posts} p ON p.ID = ms.post_id \
    LEFT JOIN {posts} pp ON pp.ID = p.post_parent AND p.post_type = 'product_variation' \
    LEFT JOIN {wc_product_meta_lookup} l ON l.product_id = p.ID \
    LEFT JOIN {postmeta} mo ON mo.post_id = p.ID AND mo.meta_key = '_low_stock_amount' AND mo.meta_value <> '' \
    LEFT JOIN {postmeta} mp ON mp.post_id = pp.ID AND mp.meta_key = '_low_stock_amount' AND mp.meta_value <> ''";
const QUANTITY: &str = "CAST(mq.meta_value AS DECIMAL(20,4))";
/// A variation's own threshold, else its product's, else the shop's.
const THRESHOLD: &str = "CAST(COALESCE(mo.meta_value, mp.meta_value, ?) AS DECIMAL(20,4))";

/// Lists stock.
pub(crate) struct WcStock;

/// Counts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// Published products; variations are not counted.
    total_products: i64,
    /// Stock status → how many products.
    by_stock_status: BTreeMap<String, i64>,
    /// Products and variations whose stock is low.
    low_stock: i64,
    /// The shop's own threshold.
    low_stock_threshold: f64,
}

impl Listing for WcStock {
    type Input = Input;
    type Checked = Checked;
    type Pages = Page<20, 50>;
    type Rows = Products;
    type Counts = Counts;

    const AREA: &'static str = "woocommerce.stock";
    const COLUMNS: Columns = Columns::new(
        &["id", "name", "sku", "stock_status", "stock_qty", "manage_stock", "low_stock"],
        &[
            "threshold",
            "type",
            "parent_id",
            "backorders",
            "price",
            "total_variation_stock",
            "variation_count",
            "cost_of_goods",
            "supplier",
            "supplier_sku",
        ],
    )
    .sensitive(PURCHASING, "commercially sensitive")
    .expensive(&["total_variation_stock", "variation_count"])
    .blocked(BLOCKED_FIELDS, BLOCKED_PREFIXES);
    const FILTERS: &'static [&'static str] = &["filter", "include_variations"];
    const ROW_FILTERS: &'static [&'static str] = &["filter"];
    const COUNTED: &'static str = "Count by stock status instead of listing.";

    fn spec() -> ToolSpec {
        stated(
            "wc_stock",
            "Shows the stock of products and variations: what is there, low, out of stock or on backorder.\nLow means \
             above none and up to the product's own threshold, else its parent's, else the shop's.",
        )
        .title("Stock")
        .field_code("filter", INVALID_FILTER)
        .domains(&["commerce", "inventory"])
        .tags(&[
            "stock", "inventory", "quantity", "qty", "available", "backorder", "instock", "outofstock", "low", "levels",
            "remaining",
        ])
        .intents(&["check stock", "show inventory levels", "what is running low"])
        .example("what is running low", json!({"filter": "lowstock"}))
        .example("which products are out of stock", json!({"filter": "outofstock"}))
        .example("how many products are in stock", json!({"aggregate": true}))
    }

    fn facts() -> Value {
        json!({"filters": ["all", "instock", "outofstock", "onbackorder", "lowstock"]})
    }

    async fn answer(
        ctx: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan,
    ) -> Result<Reply<Answer<Self>>, ToolError> {
        let shop = Shop::read(snapshot).await?;
        let reply = match plan.mode {
            Mode::Aggregate => aggregate(snapshot, &shop, plan).await?,
            _ => query(snapshot, &shop, plan, ctx.now().as_second()).await?,
        };
        if shop.manages_stock {
            return Ok(reply);
        }
        Ok(reply.meta("manages_stock", false))
    }
}

/// Stock above the "none" threshold and up to the "low" one.
fn low(shop: &Shop, variations: bool) -> Condition {
    let mut condition = Condition::default();
    condition.plain("ms.meta_key = '_manage_stock' AND ms.meta_value = 'yes' AND mq.meta_value <> ''");
    condition.plain(if variations {
        "((p.post_type = 'product' AND p.post_status = 'publish') OR (p.post_type = 'product_variation' \
         AND p.post_status IN ('publish', 'private') AND pp.post_status = 'publish'))"
    } else {
        "p.post_type = 'product' AND p.post_status = 'publish'"
    });
    condition.one(&format!("{QUANTITY} > ?"), number(shop.no_stock));
    condition.one(&format!("{QUANTITY} <= {THRESHOLD}"), shop.low_stock.to_string());
    condition
}

fn number(amount: Decimal) -> f64 {
    amount.to_string().parse().unwrap_or(0.0)
}

async fn aggregate(
    snapshot: &Snapshot,
    shop: &Shop,
    plan: &Plan,
) -> Result<Reply<Answer<WcStock>>, ToolError> {
    let statement = Statement::new(format!(
        "SELECT COALESCE({STOCK_STATUS}, 'unknown') AS status, COUNT(*) AS n FROM {{posts}} p \
         LEFT JOIN {{wc_product_meta_lookup}} l ON l.product_id = p.ID \
         WHERE p.post_type = 'product' AND p.post_status = 'publish' GROUP BY 1 ORDER BY 1"
    ));
    let mut by_stock_status: BTreeMap<String, i64> =
        ["instock", "outofstock", "onbackorder"].iter().map(|status| ((*status).to_owned(), 0)).collect();
    for row in snapshot.rows(&statement).await?.iter() {
        *by_stock_status.entry(row.text("status")?).or_default() += row.i64("n")?;
    }
    let low_stock = low(shop, plan.own.variations).count(snapshot, MANAGED).await?;
    let counts = Counts {
        total_products: by_stock_status.values().sum(),
        by_stock_status,
        low_stock,
        low_stock_threshold: number(shop.low_stock),
    };
    Ok(plan.counts(counts).trusted())
}

async fn query(
    snapshot: &Snapshot,
    shop: &Shop,
    plan: &Plan,
    now: i64,
) -> Result<Reply<Answer<WcStock>>, ToolError> {
    let (from, condition) = plan.own.condition(shop);
    let total = condition.count(snapshot, from).await?;
    let statement = condition.bind(Statement::new(format!(
        "SELECT p.ID, p.post_title, p.post_type, p.post_parent, pp.post_title AS parent_title, l.sku, \
         l.stock_status, l.stock_quantity {from} WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
        condition.text(),
        plan.own.sorting()
    )));
    let rows = snapshot.rows(&plan.own.page.bind(statement)).await?;
    let mut ids = Vec::with_capacity(rows.len() * 2);
    for row in rows.iter() {
        ids.push(row.i64("ID")?);
        // A variation's threshold may be its product's.
        ids.extend(Some(row.i64("post_parent")?).filter(|parent| *parent > 0));
    }
    ids.sort_unstable();
    ids.dedup();
    let details = Details::read(snapshot, &ids, now).await?;
    let mut products = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        products.push(shown(row, plan, shop, &details)?);
    }
    let reply = plan
        .rows(Products { products })
        .meta("filter", plan.own.name())
        .meta("low_stock_threshold", number(shop.low_stock))
        .meta("currency", shop.currency.as_str());
    Ok(reply.list("products", plan.own.page.of(total)))
}

fn shown(row: &DbRow, plan: &Plan, shop: &Shop, details: &Details) -> Result<Row, ToolError> {
    let id = row.i64("ID")?;
    let parent = row.i64("post_parent")?;
    let is_variation = row.text("post_type")? == "product_variation";
    let stored = |key: &str| Some(details.meta(id, key).to_owned()).filter(|text| !text.is_empty());
    let quantity = row.opt_decimal("stock_quantity")?.or_else(|| stored("_stock"));
    let threshold = || {
        [id, parent]
            .iter()
            .find_map(|id| details.meta(*id, "_low_stock_amount").trim().parse::<Decimal>().ok())
            .unwrap_or(shop.low_stock)
    };
    let mut out = Row::new();
    for &column in &plan.columns {
        let value = match column {
            "id" => json!(id),
            "name" => json!(name(row, is_variation)?),
            "sku" => json!(
                row.opt_text("sku")?
                    .filter(|sku| !sku.is_empty())
                    .or_else(|| stored("_sku"))
                    .unwrap_or_else(|| NO_SKU.to_owned())
            ),
            "stock_status" => json!(row.opt_text("stock_status")?.or_else(|| stored("_stock_status"))),
            "stock_qty" => quantity_json(quantity.as_deref()),
            "low_stock" => {
                let held = quantity.as_deref().and_then(|text| text.trim().parse::<Decimal>().ok());
                let managed = details.meta(id, "_manage_stock") == "yes";
                json!(managed && held.is_some_and(|held| held > shop.no_stock && held <= threshold()))
            }
            "threshold" => quantity_json(Some(&threshold().to_string())),
            "type" if is_variation => json!("variation"),
            "parent_id" => {
                if is_variation {
                    json!(parent)
                } else {
                    Value::Null
                }
            }
            column => details.column(id, column, shop).unwrap_or(Value::Null),
        };
        out.insert(column.to_owned(), value);
    }
    Ok(out)
}

/// The title; a variation whose title does not begin with its product's gets that in front.
fn name(row: &DbRow, is_variation: bool) -> Result<String, ToolError> {
    let title = text::decode(&row.text("post_title")?).into_owned();
    let parent = row.opt_text("parent_title")?.unwrap_or_default();
    let parent = text::decode(&parent);
    if !is_variation || parent.is_empty() || title.starts_with(parent.as_ref()) {
        return Ok(title);
    }
    Ok(if title.is_empty() { parent.into_owned() } else { format!("{parent} - {title}") })
}
