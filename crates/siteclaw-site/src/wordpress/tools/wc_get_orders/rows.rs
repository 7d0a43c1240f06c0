//! The rows of a page of orders, with their lines and refunds.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};
use siteclaw_core::ToolError;
use siteclaw_db::{Row as DbRow, Rows, Statement};

use super::Plan;
use crate::wordpress::modes::Row;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::woo::orders::{Field, Store};
use crate::wordpress::woo::{Shop, quantity_json};

/// Column → the field it shows, and whether it is a time.
const FIELDS: [(&str, Field); 16] = [
    ("status", Field::Status),
    ("total", Field::Total),
    ("currency", Field::Currency),
    ("customer_id", Field::Customer),
    ("date_created", Field::Created),
    ("date_paid", Field::Paid),
    ("date_completed", Field::Completed),
    ("payment_method", Field::PaymentMethod),
    ("payment_method_title", Field::PaymentTitle),
    ("billing_email", Field::BillingEmail),
    ("billing_phone", Field::BillingPhone),
    ("billing_city", Field::BillingCity),
    ("billing_country", Field::BillingCountry),
    ("shipping_city", Field::ShippingCity),
    ("shipping_country", Field::ShippingCountry),
    ("customer_ip", Field::CustomerIp),
];

/// The SELECT list for the requested columns; the id always stands first.
pub(super) fn selected(store: Store, columns: &[&'static str]) -> String {
    let mut list = format!("{} AS id", store.field(Field::Id));
    for (column, field) in FIELDS {
        if columns.contains(&column) {
            let expression = store.field(field);
            let expression = match field {
                Field::Created | Field::Paid | Field::Completed => format!("CAST({expression} AS CHAR)"),
                _ => expression,
            };
            list.push_str(&format!(", {expression} AS {column}"));
        }
    }
    list
}

/// The requested columns of each order.
pub(super) async fn shown(
    snapshot: &Snapshot,
    shop: &Shop,
    plan: &Plan,
    found: &Rows,
) -> Result<Vec<Row>, ToolError> {
    let ids = found.iter().map(|row| row.i64("id")).collect::<Result<Vec<_>, _>>()?;
    let refunds = if plan.wants("refunded") { refunds(snapshot, shop, &ids).await? } else { BTreeMap::new() };
    let lines = if plan.own.items || plan.wants("item_count") {
        lines(snapshot, &ids).await?
    } else {
        BTreeMap::new()
    };
    let mut orders = Vec::with_capacity(found.len());
    for row in found.iter() {
        let id = row.i64("id")?;
        let own = lines.get(&id).map(Vec::as_slice).unwrap_or_default();
        let mut out = Row::new();
        for &column in &plan.columns {
            let value = match column {
                "id" => json!(id),
                "status" => {
                    let status = row.text("status")?;
                    json!(status.strip_prefix("wc-").unwrap_or(&status))
                }
                "total" => json!(row.opt_decimal("total")?.and_then(|amount| shop.money(&amount))),
                "customer_id" => json!(row.opt_i64("customer_id")?.unwrap_or(0)),
                "date_created" | "date_paid" | "date_completed" => local(row, column, shop)?,
                "refunded" => json!(refunds.get(&id).cloned().or_else(|| shop.money("0"))),
                "item_count" => quantity_json(Some(&count(own))),
                column => json!(row.opt_text(column)?),
            };
            out.insert(column.to_owned(), value);
        }
        if plan.own.items {
            out.insert("items".to_owned(), own.iter().map(|line| line.shown(shop)).collect());
        }
        orders.push(out);
    }
    Ok(orders)
}

/// A time on the shop's clock; an empty text where there is none.
fn local(row: &DbRow, column: &str, shop: &Shop) -> Result<Value, ToolError> {
    let stored = row.opt_text(column)?.unwrap_or_default();
    let local = match stored.trim().parse::<i64>() {
        // The older store keeps seconds.
        Ok(seconds) => Timestamp::from_second(seconds).ok().map(|moment| shop.zone.local(moment)),
        Err(_) => shop.zone.local_of_gmt(&stored),
    };
    Ok(json!(local.unwrap_or_default()))
}

/// What was paid back, by order.
async fn refunds(snapshot: &Snapshot, shop: &Shop, ids: &[i64]) -> Result<BTreeMap<i64, String>, ToolError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let statement = Statement::new(Store::of(shop).refunds()).bind_list(ids.iter().copied());
    let mut refunds = BTreeMap::new();
    for row in snapshot.rows(&statement).await?.iter() {
        if let Some(amount) = row.opt_decimal("refunded")?.and_then(|amount| shop.money(&amount)) {
            refunds.insert(row.i64("order_id")?, amount);
        }
    }
    Ok(refunds)
}

/// A line of an order.
struct Line {
    name: String,
    quantity: String,
    total: String,
    product: i64,
    variation: i64,
    sku: Option<String>,
}

impl Line {
    fn shown(&self, shop: &Shop) -> Value {
        json!({
            "name": text::decode(&self.name),
            "sku": self.sku,
            "quantity": quantity_json(Some(&self.quantity)),
            "total_ex_tax": shop.money(&self.total),
            "product_id": self.product,
            "variation_id": if self.variation == 0 { Value::Null } else { json!(self.variation) },
        })
    }
}

fn count(lines: &[Line]) -> String {
    let sum: rust_decimal::Decimal =
        lines.iter().filter_map(|line| line.quantity.trim().parse::<rust_decimal::Decimal>().ok()).sum();
    sum.to_string()
}

/// The lines of a page of orders, and their SKUs, in two statements.
async fn lines(snapshot: &Snapshot, ids: &[i64]) -> Result<BTreeMap<i64, Vec<Line>>, ToolError> {
    let mut lines: BTreeMap<i64, Vec<Line>> = BTreeMap::new();
    if ids.is_empty() {
        return Ok(lines);
    }
    let value = |key: &str, alias: &str| {
        format!("MAX(CASE WHEN m.meta_key = '{key}' THEN m.meta_value END) AS {alias}")
    };
    let statement = Statement::new(format!(
        "SELECT i.order_id, i.order_item_id, i.order_item_name, {}, {}, {}, {} FROM {{woocommerce_order_items}} i \
         LEFT JOIN {{woocommerce_order_itemmeta}} m ON m.order_item_id = i.order_item_id \
         AND m.meta_key IN ('_qty', '_line_total', '_product_id', '_variation_id') \
         WHERE i.order_item_type = 'line_item' AND i.order_id IN (?*) \
         GROUP BY i.order_id, i.order_item_id, i.order_item_name ORDER BY i.order_id, i.order_item_id",
        value("_qty", "quantity"),
        value("_line_total", "total"),
        value("_product_id", "product_id"),
        value("_variation_id", "variation_id"),
    ))
    .bind_list(ids.iter().copied());
    let id_of = |text: Option<String>| text.and_then(|text| text.trim().parse::<i64>().ok()).unwrap_or(0);
    let mut sold = Vec::new();
    for row in snapshot.rows(&statement).await?.iter() {
        let line = Line {
            name: row.opt_text("order_item_name")?.unwrap_or_default(),
            quantity: row.opt_text("quantity")?.unwrap_or_default(),
            total: row.opt_text("total")?.unwrap_or_default(),
            product: id_of(row.opt_text("product_id")?),
            variation: id_of(row.opt_text("variation_id")?),
            sku: None,
        };
        sold.extend([line.product, line.variation].into_iter().filter(|id| *id > 0));
        lines.entry(row.i64("order_id")?).or_default().push(line);
    }
    sold.sort_unstable();
    sold.dedup();
    if sold.is_empty() {
        return Ok(lines);
    }
    let statement = Statement::new(
        "SELECT product_id, sku FROM {wc_product_meta_lookup} WHERE product_id IN (?*) ORDER BY product_id",
    )
    .bind_list(sold);
    let mut skus: BTreeMap<i64, String> = BTreeMap::new();
    for row in snapshot.rows(&statement).await?.iter() {
        if let Some(sku) = row.opt_text("sku")?.filter(|sku| !sku.is_empty()) {
            skus.insert(row.i64("product_id")?, sku);
        }
    }
    for line in lines.values_mut().flatten() {
        line.sku = skus.get(&line.variation).or_else(|| skus.get(&line.product)).cloned();
    }
    Ok(lines)
}
