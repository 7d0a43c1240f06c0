//! `wc_get_products`: the catalogue.

mod input;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Reply, ToolError, ToolSpec};
use siteclaw_db::{Row as DbRow, Statement};

use self::input::{Checked, Input, OrderBy};
use crate::wordpress::columns::Columns;
use crate::wordpress::listing::{self, Answer, Listing, Page, stated};
use crate::wordpress::modes::{INVALID_STATUS, Mode, Order, Row};
use crate::wordpress::permalink::{Links, Post};
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::woo::catalog::{Details, MIN_PRICE, PURCHASING, Products, STOCK_STATUS};
use crate::wordpress::woo::{BLOCKED_FIELDS, BLOCKED_PREFIXES, Shop, quantity_json};

type Plan = listing::Plan<WcGetProducts>;

const INVALID_STOCK_STATUS: Code = Code::new("INVALID_STOCK_STATUS");

/// Lists products.
pub(crate) struct WcGetProducts;

/// Counts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// Products that pass the filters.
    total_products: i64,
    /// Stock status → how many of them.
    by_stock_status: BTreeMap<String, i64>,
}

impl Listing for WcGetProducts {
    type Input = Input;
    type Checked = Checked;
    type Pages = Page<20, 50>;
    type Rows = Products;
    type Counts = Counts;

    const AREA: &'static str = "woocommerce.products";
    const COLUMNS: Columns = Columns::new(
        &["id", "name", "sku", "stock_status", "stock_qty", "price"],
        &[
            "max_price",
            "type",
            "status",
            "catalog_visibility",
            "featured",
            "regular_price",
            "sale_price",
            "on_sale",
            "manage_stock",
            "backorders",
            "date_created",
            "permalink",
            "average_rating",
            "total_sales",
            "variation_count",
            "total_variation_stock",
            "review_count",
            "cost_of_goods",
            "supplier",
            "supplier_sku",
        ],
    )
    .sensitive(PURCHASING, "commercially sensitive")
    .expensive(&["variation_count", "total_variation_stock", "review_count"])
    .blocked(BLOCKED_FIELDS, BLOCKED_PREFIXES);
    const FILTERS: &'static [&'static str] =
        &["stock_status", "search", "status", "type", "category", "min_price", "max_price", "missing"];
    const COUNTED: &'static str = "Count by stock status instead of listing.";
    const ORDER_NEEDS_ORDERBY: bool = true;

    fn spec() -> ToolSpec {
        stated(
            "wc_get_products",
            "Lists the shop's products with SKU, stock and price, or counts them by stock status.\nFinds them by name, \
             SKU, category, type, price or what they lack. Variations are not listed; use wc_stock for their stock.",
        )
        .title("Products")
        .field_code("stock_status", INVALID_STOCK_STATUS)
        .field_code("status", INVALID_STATUS)
        .domains(&["commerce", "catalog"])
        .tags(&[
            "product", "products", "item", "items", "sku", "price", "prices", "catalog", "catalogue", "listing",
            "variation", "variations", "title",
        ])
        .intents(&["list products", "find an item", "show the catalog", "what do we sell"])
        .example("what do we sell", json!({}))
        .example("the cheapest products", json!({"orderby": "price", "limit": 5}))
        .example("products without an image", json!({"missing": "image"}))
    }

    fn facts() -> Value {
        json!({"stock_statuses": ["all", "instock", "outofstock", "onbackorder"]})
    }

    async fn answer(
        ctx: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan,
    ) -> Result<Reply<Answer<Self>>, ToolError> {
        let shop = Shop::read(snapshot).await?;
        match plan.mode {
            Mode::Aggregate => aggregate(snapshot, plan).await,
            _ => query(snapshot, &shop, plan, ctx.now().as_second()).await,
        }
    }
}

/// Rows without the value come last, whatever the direction.
fn order(by: Option<OrderBy>, direction: Option<Order>) -> String {
    let Some(by) = by else { return "p.post_date DESC, p.ID DESC".to_owned() };
    let direction = direction.unwrap_or(Order::Asc).sql();
    let nulls_last = |field: &str| {
        format!("CASE WHEN {field} IS NULL THEN 1 ELSE 0 END, {field} {direction}, p.ID {direction}")
    };
    match by {
        OrderBy::Price => format!(
            "CASE WHEN EXISTS (SELECT 1 FROM {{postmeta}} m WHERE m.post_id = p.ID AND m.meta_key = '_price' \
             AND m.meta_value <> '') THEN 0 ELSE 1 END, {MIN_PRICE} {direction}, p.ID {direction}"
        ),
        OrderBy::StockQty => nulls_last("l.stock_quantity"),
        OrderBy::TotalSales => nulls_last("l.total_sales"),
        OrderBy::Name | OrderBy::Title => format!("p.post_title {direction}, p.ID {direction}"),
        OrderBy::Date | OrderBy::DateCreated => format!("p.post_date {direction}, p.ID {direction}"),
        OrderBy::Id => format!("p.ID {direction}"),
    }
}

async fn aggregate(snapshot: &Snapshot, plan: &Plan) -> Result<Reply<Answer<WcGetProducts>>, ToolError> {
    let filter = plan.own.filter(snapshot).await?;
    let statement = filter.bind(Statement::new(format!(
        "SELECT COALESCE({STOCK_STATUS}, 'unknown') AS status, COUNT(*) AS n FROM {{posts}} p \
         LEFT JOIN {{wc_product_meta_lookup}} l ON l.product_id = p.ID WHERE {} GROUP BY 1 ORDER BY 1",
        filter.text()
    )));
    let mut by_stock_status: BTreeMap<String, i64> =
        ["instock", "outofstock", "onbackorder"].iter().map(|status| ((*status).to_owned(), 0)).collect();
    for row in snapshot.rows(&statement).await?.iter() {
        *by_stock_status.entry(row.text("status")?).or_default() += row.i64("n")?;
    }
    let total_products = by_stock_status.values().sum();
    Ok(plan.counts(Counts { total_products, by_stock_status }).trusted())
}

async fn query(
    snapshot: &Snapshot,
    shop: &Shop,
    plan: &Plan,
    now: i64,
) -> Result<Reply<Answer<WcGetProducts>>, ToolError> {
    let filter = plan.own.filter(snapshot).await?;
    let from = "FROM {posts} p LEFT JOIN {wc_product_meta_lookup} l ON l.product_id = p.ID";
    let total = filter.count(snapshot, from).await?;
    let statement = filter.bind(Statement::new(format!(
        "SELECT p.ID, p.post_title, p.post_status, p.post_name, CAST(p.post_date AS CHAR) AS post_date, l.sku, \
         l.stock_status, l.stock_quantity, COALESCE(l.onsale, 0) AS onsale {from} WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
        filter.text(),
        plan.own.order
    )));
    let rows = snapshot.rows(&plan.own.page.bind(statement)).await?;
    let ids = rows.iter().map(|row| row.i64("ID")).collect::<Result<Vec<_>, _>>()?;
    let details = Details::read(snapshot, &ids, now).await?;
    let links = if plan.wants("permalink") {
        let posts = rows.iter().map(linked).collect::<Result<Vec<_>, ToolError>>()?;
        Links::new(snapshot, &shop.options).of(snapshot, &posts).await?
    } else {
        BTreeMap::new()
    };
    let mut products = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let id = row.i64("ID")?;
        let mut out = Row::new();
        for &column in &plan.columns {
            let value = match column {
                "on_sale" => json!(details.on_sale(id, row.i64("onsale")? != 0, now)),
                "permalink" => json!(links.get(&id).map(|link| link.url.as_str())),
                column => match details.column(id, column, shop) {
                    Some(value) => value,
                    None => own(row, column, &details, id)?,
                },
            };
            out.insert(column.to_owned(), value);
        }
        products.push(out);
    }
    let reply = plan.rows(Products { products }).meta("currency", shop.currency.as_str());
    Ok(reply.list("products", plan.own.page.of(total)))
}

/// A column of the product's own row; the lookup row may be missing.
fn own(row: &DbRow, column: &str, details: &Details, id: i64) -> Result<Value, ToolError> {
    let stored = |key: &str| Some(details.meta(id, key).to_owned()).filter(|text| !text.is_empty());
    Ok(match column {
        "id" => json!(id),
        "name" => json!(text::decode(&row.text("post_title")?)),
        "sku" => json!(row.opt_text("sku")?.filter(|sku| !sku.is_empty()).or_else(|| stored("_sku"))),
        "status" => json!(row.text("post_status")?),
        "stock_status" => json!(row.opt_text("stock_status")?.or_else(|| stored("_stock_status"))),
        "stock_qty" => quantity_json(row.opt_decimal("stock_quantity")?.as_deref()),
        "date_created" => json!(row.text("post_date")?),
        _ => Value::Null,
    })
}

fn linked(row: &DbRow) -> Result<Post, ToolError> {
    Ok(Post {
        id: row.i64("ID")?,
        kind: "product".to_owned(),
        status: row.text("post_status")?,
        slug: row.text("post_name")?,
        date: row.text("post_date")?,
        parent: 0,
        author: String::new(),
    })
}
