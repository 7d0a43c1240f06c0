//! What of the goods was sold: best sellers, categories and coupons, from the lines of the counted orders.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use super::figures::decimal;
use crate::wordpress::condition::as_i64;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::woo::sales::{Key, Kind, Rows, Sales, Statuses};
use crate::wordpress::woo::{Shop, quantity_json};

/// The most categories or coupons that are listed.
const MOST_GROUPS: i64 = 200;

/// A best seller.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Seller {
    product_id: i64,
    name: String,
    /// Pieces sold, less those that were given back.
    quantity_sold: Value,
    /// Currency → what they brought, after coupons and refunds, without tax.
    net_revenue: BTreeMap<String, String>,
}

/// Pieces of a category or uses of a coupon.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Bucket {
    /// Id of the category; null for coupons and for goods in no category.
    id: Option<i64>,
    /// Name of the category, or the coupon's code; empty for goods in no category.
    key: String,
    /// Orders with it.
    orders: i64,
    /// Pieces sold, less those that were given back; null for coupons.
    quantity: Value,
    /// Currency → revenue without tax after refunds; for coupons what they took off.
    amounts: BTreeMap<String, String>,
}

/// Lines of the counted orders and their refunds.
pub(super) struct Lines {
    orders: Rows,
    refunds: Rows,
}

impl Lines {
    pub(super) fn of(sales: &Sales<'_>, statuses: Statuses<'_>) -> Self {
        Self {
            orders: sales.rows(Kind::Orders, Key::Whole, statuses),
            refunds: sales.rows(Kind::Refunds, Key::Whole, statuses),
        }
    }

    /// A derived table of the orders and refunds: `id, currency`.
    fn table(&self) -> String {
        format!(
            "(SELECT y.id, y.currency FROM ({}) y UNION ALL SELECT z.id, z.currency FROM ({}) z) s",
            self.orders.text(),
            self.refunds.text()
        )
    }

    fn bind(&self, statement: Statement) -> Statement {
        self.refunds.bind(self.orders.bind(statement))
    }

    /// FROM the lines, with product, quantity and revenue.
    fn from(&self) -> String {
        format!(
            "FROM {} JOIN {{woocommerce_order_items}} i ON i.order_id = s.id AND i.order_item_type = 'line_item' \
             JOIN {{woocommerce_order_itemmeta}} p ON p.order_item_id = i.order_item_id AND p.meta_key = '_product_id' \
             JOIN {{woocommerce_order_itemmeta}} q ON q.order_item_id = i.order_item_id AND q.meta_key = '_qty' \
             LEFT JOIN {{woocommerce_order_itemmeta}} t ON t.order_item_id = i.order_item_id AND t.meta_key = '_line_total'",
            self.table()
        )
    }
}

const QUANTITY: &str = "SUM(CAST(q.meta_value AS DECIMAL(26,8)))";
const REVENUE: &str = "SUM(CAST(t.meta_value AS DECIMAL(26,8)))";

/// How many products were sold, and the best of them by pieces, in four statements.
pub(super) async fn best(
    snapshot: &Snapshot,
    shop: &Shop,
    lines: &Lines,
    top: u64,
) -> Result<(i64, Vec<Seller>), ToolError> {
    let from = lines.from();
    let count = lines.bind(Statement::new(format!(
        "SELECT COUNT(DISTINCT p.meta_value) {from} WHERE CAST(q.meta_value AS DECIMAL(26,8)) > 0"
    )));
    let unique = snapshot.database()?.scalar_i64(snapshot.prefixes(), &count).await?;
    let statement = lines
        .bind(Statement::new(format!(
            "SELECT CAST(p.meta_value AS DECIMAL(20)) AS product_id, {QUANTITY} AS quantity, MAX(i.order_item_name) AS line \
             {from} GROUP BY p.meta_value HAVING {QUANTITY} > 0 ORDER BY quantity DESC, product_id LIMIT ?"
        )))
        .bind(as_i64(top));
    let mut sellers = Vec::new();
    for row in snapshot.rows(&statement).await?.iter() {
        sellers.push(Seller {
            product_id: row.opt_i64("product_id")?.unwrap_or(0),
            name: text::decode(&row.opt_text("line")?.unwrap_or_default()).into_owned(),
            quantity_sold: quantity_json(row.opt_text("quantity")?.as_deref()),
            net_revenue: BTreeMap::new(),
        });
    }
    if sellers.is_empty() {
        return Ok((unique, sellers));
    }
    revenue(snapshot, shop, lines, &mut sellers).await?;
    names(snapshot, &mut sellers).await?;
    Ok((unique, sellers))
}

async fn revenue(
    snapshot: &Snapshot,
    shop: &Shop,
    lines: &Lines,
    sellers: &mut [Seller],
) -> Result<(), ToolError> {
    let statement = lines
        .bind(Statement::new(format!(
            "SELECT CAST(p.meta_value AS DECIMAL(20)) AS product_id, s.currency AS currency, {REVENUE} AS revenue {} \
             WHERE p.meta_value IN (?*) GROUP BY p.meta_value, s.currency ORDER BY product_id, currency",
            lines.from()
        )))
        .bind_list(sellers.iter().map(|seller| seller.product_id.to_string()));
    for row in snapshot.rows(&statement).await?.iter() {
        let id = row.opt_i64("product_id")?.unwrap_or(0);
        let amount = row.opt_text("revenue")?.and_then(|amount| shop.money(&amount));
        let currency = row.opt_text("currency")?.unwrap_or_else(|| shop.currency.clone());
        for seller in sellers.iter_mut().filter(|seller| seller.product_id == id) {
            seller.net_revenue.extend(amount.clone().map(|amount| (currency.clone(), amount)));
        }
    }
    Ok(())
}

/// Today's names; a product that is gone keeps the name of its line.
async fn names(snapshot: &Snapshot, sellers: &mut [Seller]) -> Result<(), ToolError> {
    let statement = Statement::new("SELECT ID, post_title FROM {posts} WHERE ID IN (?*) ORDER BY ID")
        .bind_list(sellers.iter().map(|seller| seller.product_id));
    for row in snapshot.rows(&statement).await?.iter() {
        let (id, title) = (row.i64("ID")?, row.opt_text("post_title")?.unwrap_or_default());
        for seller in sellers.iter_mut().filter(|seller| seller.product_id == id) {
            seller.name = text::decode(&title).into_owned();
        }
    }
    Ok(())
}

/// Categories by the pieces sold in them.
pub(super) async fn categories(
    snapshot: &Snapshot,
    shop: &Shop,
    lines: &Lines,
) -> Result<Vec<Bucket>, ToolError> {
    let statement = lines
        .bind(Statement::new(format!(
            "SELECT c.term_id AS id, c.name AS k, s.currency AS currency, \
             COUNT(DISTINCT CASE WHEN CAST(q.meta_value AS DECIMAL(26,8)) > 0 THEN s.id END) AS n, \
             {QUANTITY} AS quantity, {REVENUE} AS amount {} \
             LEFT JOIN (SELECT r.object_id, w.term_id, w.name FROM {{term_relationships}} r \
              JOIN {{term_taxonomy}} tt ON tt.term_taxonomy_id = r.term_taxonomy_id AND tt.taxonomy = 'product_cat' \
              JOIN {{terms}} w ON w.term_id = tt.term_id) c ON c.object_id = CAST(p.meta_value AS DECIMAL(20)) \
             GROUP BY c.term_id, c.name, s.currency ORDER BY quantity DESC, k, currency LIMIT ?",
            lines.from()
        )))
        .bind(MOST_GROUPS);
    buckets(snapshot, shop, &statement, true).await
}

/// Coupons by the orders they were used in.
pub(super) async fn coupons(
    snapshot: &Snapshot,
    shop: &Shop,
    lines: &Lines,
) -> Result<Vec<Bucket>, ToolError> {
    let statement = lines
        .orders
        .bind(Statement::new(format!(
            "SELECT NULL AS id, LOWER(i.order_item_name) AS k, s.currency AS currency, COUNT(DISTINCT s.id) AS n, NULL AS quantity, \
             SUM(CAST(t.meta_value AS DECIMAL(26,8))) AS amount FROM ({}) s \
             JOIN {{woocommerce_order_items}} i ON i.order_id = s.id AND i.order_item_type = 'coupon' \
             LEFT JOIN {{woocommerce_order_itemmeta}} t ON t.order_item_id = i.order_item_id \
              AND t.meta_key = 'discount_amount' \
             GROUP BY LOWER(i.order_item_name), s.currency ORDER BY n DESC, k, currency LIMIT ?",
            lines.orders.text()
        )))
        .bind(MOST_GROUPS);
    buckets(snapshot, shop, &statement, false).await
}

async fn buckets(
    snapshot: &Snapshot,
    shop: &Shop,
    statement: &Statement,
    pieces: bool,
) -> Result<Vec<Bucket>, ToolError> {
    let mut found: Vec<(Bucket, Decimal)> = Vec::new();
    for row in snapshot.rows(statement).await?.iter() {
        let key = text::decode(&row.opt_text("k")?.unwrap_or_default()).into_owned();
        let currency = row.opt_text("currency")?.unwrap_or_else(|| shop.currency.clone());
        let amount = row.opt_text("amount")?.and_then(|amount| shop.money(&amount)).unwrap_or_default();
        let quantity = row.opt_text("quantity")?.and_then(|text| decimal(&text)).unwrap_or_default();
        let (id, orders) = (row.opt_i64("id")?, row.i64("n")?);
        let same = |bucket: &Bucket| bucket.id == id && bucket.key == key;
        if let Some((bucket, sum)) = found.iter_mut().find(|(bucket, _)| same(bucket)) {
            bucket.orders += orders;
            *sum += quantity;
            bucket.amounts.insert(currency, amount);
        } else {
            let amounts = BTreeMap::from([(currency, amount)]);
            found.push((Bucket { id, key, orders, quantity: Value::Null, amounts }, quantity));
        }
    }
    Ok(found
        .into_iter()
        .map(|(mut bucket, sum)| {
            if pieces {
                bucket.quantity = quantity_json(Some(&sum.to_string()));
            }
            bucket
        })
        .collect())
}
