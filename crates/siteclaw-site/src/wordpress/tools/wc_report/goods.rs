//! What of the goods was sold: best sellers, categories and coupons, from the lines of the counted orders.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use super::figures::decimal;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::woo::sales::{Kind, Rows, Sales, Statuses};
use crate::wordpress::woo::{Shop, quantity_json};

/// The most categories or coupons that are listed.
const MOST_GROUPS: i64 = 200;

/// A best seller.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Seller {
    product_id: i64,
    /// Its name; null for one that is gone.
    name: Option<String>,
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
    both: Rows,
    orders: Rows,
    many: bool,
}

/// What is wanted of a line.
const META: &str = "m.meta_key IN ('_product_id', '_qty', '_line_total')";

impl Lines {
    /// `currency` is that of all orders, where they share one.
    pub(super) fn of(sales: &Sales<'_>, statuses: Statuses<'_>, currency: Option<&str>) -> Self {
        Self {
            both: sales.ids(&[Kind::Orders, Kind::Refunds], statuses, currency),
            orders: sales.ids(&[Kind::Orders], statuses, currency),
            many: sales.many,
        }
    }

    /// The lines as `x`: `order_id, currency, product_id, quantity, revenue, name`. Of very many orders, those
    /// that Analytics knows come from its table.
    fn from(&self) -> String {
        let ids = self.both.text();
        let value = |name: &str| format!("MAX(CASE WHEN m.meta_key = '{name}' THEN m.meta_value END)");
        let (unknown, condition) = if self.many {
            ("LEFT JOIN {wc_order_stats} a ON a.order_id = s.id", "WHERE a.order_id IS NULL")
        } else {
            ("", "")
        };
        let own = format!(
            "SELECT s.id AS order_id, s.currency AS currency, CAST({} AS DECIMAL(20)) AS product_id, \
             CAST({} AS DECIMAL(26,8)) AS quantity, CAST({} AS DECIMAL(26,8)) AS revenue, i.order_item_name AS name \
             FROM ({ids}) s {unknown} \
             JOIN {{woocommerce_order_items}} i ON i.order_id = s.id AND i.order_item_type = 'line_item' \
             JOIN {{woocommerce_order_itemmeta}} m ON m.order_item_id = i.order_item_id AND {META} {condition} \
             GROUP BY s.id, s.currency, i.order_item_id, i.order_item_name",
            value("_product_id"),
            value("_qty"),
            value("_line_total"),
        );
        if !self.many {
            return format!("({own}) x");
        }
        format!(
            "(SELECT s.id AS order_id, s.currency AS currency, l.product_id AS product_id, l.product_qty AS quantity, \
             l.product_net_revenue AS revenue, NULL AS name FROM ({ids}) s \
             JOIN {{wc_order_stats}} a ON a.order_id = s.id \
             JOIN {{wc_order_product_lookup}} l ON l.order_id = s.id UNION ALL {own}) x"
        )
    }

    fn bind(&self, statement: Statement) -> Statement {
        let statement = self.both.bind(statement);
        if self.many { self.both.bind(statement) } else { statement }
    }
}

/// How many products were sold, and the best of them by pieces, in two statements.
pub(super) async fn best(
    snapshot: &Snapshot,
    shop: &Shop,
    lines: &Lines,
    top: u64,
) -> Result<(i64, Vec<Seller>), ToolError> {
    let statement = lines.bind(Statement::new(format!(
        "SELECT x.product_id AS product_id, x.currency AS currency, SUM(x.quantity) AS quantity, \
         SUM(x.revenue) AS revenue, SUM(CASE WHEN x.quantity > 0 THEN 1 ELSE 0 END) AS sold, MAX(x.name) AS name \
         FROM {} GROUP BY x.product_id, x.currency ORDER BY quantity DESC, product_id, currency",
        lines.from()
    )));
    let mut products: BTreeMap<i64, Sold> = BTreeMap::new();
    for row in snapshot.rows(&statement).await?.iter() {
        let product = products.entry(row.opt_i64("product_id")?.unwrap_or(0)).or_default();
        product.quantity += row.opt_text("quantity")?.and_then(|text| decimal(&text)).unwrap_or_default();
        product.was_sold |= row.i64("sold")? > 0;
        product.name = product.name.take().or(row.opt_text("name")?);
        let currency = row.opt_text("currency")?.unwrap_or_else(|| shop.currency.clone());
        let revenue = row.opt_text("revenue")?.and_then(|amount| shop.money(&amount));
        product.revenue.extend(revenue.map(|amount| (currency, amount)));
    }
    let unique = products.values().filter(|product| product.was_sold).count();
    let mut best: Vec<(i64, Sold)> =
        products.into_iter().filter(|(_, product)| product.quantity > Decimal::ZERO).collect();
    best.sort_by(|(a, left), (b, right)| right.quantity.cmp(&left.quantity).then(a.cmp(b)));
    best.truncate(usize::try_from(top).unwrap_or(usize::MAX));
    let titles = titles(snapshot, best.iter().map(|(id, _)| *id).collect()).await?;
    let sellers = best
        .into_iter()
        .map(|(product_id, product)| Seller {
            product_id,
            name: titles
                .get(&product_id)
                .or(product.name.as_ref())
                .map(|name| text::decode(name).into_owned()),
            quantity_sold: quantity_json(Some(&product.quantity.to_string())),
            net_revenue: product.revenue,
        })
        .collect();
    Ok((i64::try_from(unique).unwrap_or(i64::MAX), sellers))
}

/// What was sold of a product.
#[derive(Default)]
struct Sold {
    quantity: Decimal,
    revenue: BTreeMap<String, String>,
    was_sold: bool,
    name: Option<String>,
}

/// Today's names.
async fn titles(snapshot: &Snapshot, products: Vec<i64>) -> Result<BTreeMap<i64, String>, ToolError> {
    let mut titles = BTreeMap::new();
    if products.is_empty() {
        return Ok(titles);
    }
    let statement =
        Statement::new("SELECT ID, post_title FROM {posts} WHERE ID IN (?*) ORDER BY ID").bind_list(products);
    for row in snapshot.rows(&statement).await?.iter() {
        titles.insert(row.i64("ID")?, row.opt_text("post_title")?.unwrap_or_default());
    }
    Ok(titles)
}

/// Categories by the pieces sold in them.
pub(super) async fn categories(
    snapshot: &Snapshot,
    shop: &Shop,
    lines: &Lines,
) -> Result<Vec<Bucket>, ToolError> {
    let statement = lines
        .bind(Statement::new(format!(
            "SELECT c.term_id AS id, c.name AS k, x.currency AS currency, \
             COUNT(DISTINCT CASE WHEN x.quantity > 0 THEN x.order_id END) AS n, \
             SUM(x.quantity) AS quantity, SUM(x.revenue) AS amount FROM {} \
             LEFT JOIN (SELECT r.object_id, w.term_id, w.name FROM {{term_relationships}} r \
              JOIN {{term_taxonomy}} tt ON tt.term_taxonomy_id = r.term_taxonomy_id AND tt.taxonomy = 'product_cat' \
              JOIN {{terms}} w ON w.term_id = tt.term_id) c ON c.object_id = x.product_id \
             GROUP BY c.term_id, c.name, x.currency ORDER BY quantity DESC, k, id, currency LIMIT ?",
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
            "SELECT NULL AS id, LOWER(i.order_item_name) AS k, s.currency AS currency, COUNT(DISTINCT s.id) AS n, \
             NULL AS quantity, SUM(CAST(t.meta_value AS DECIMAL(26,8))) AS amount FROM ({}) s \
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
