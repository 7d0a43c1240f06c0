//! Orders and refunds added up, each currency for itself.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;
use siteclaw_core::ToolError;
use siteclaw_db::{Row, Statement};

use super::input::Basis;
use crate::wordpress::site::Snapshot;
use crate::wordpress::woo::Shop;
use crate::wordpress::woo::sales::{Key, Kind, Sales};

/// Sums of orders and of refunds. Refunds stand below zero, as they are stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) orders: i64,
    charged: Decimal,
    order_tax: Decimal,
    order_shipping: Decimal,
    discount: Decimal,
    refunds: i64,
    refunded: Decimal,
    refund_tax: Decimal,
    refund_shipping: Decimal,
}

impl Sums {
    fn take(&mut self, kind: Kind, row: &Row) -> Result<(), ToolError> {
        let amount = |column: &str| -> Result<Decimal, ToolError> {
            Ok(row.opt_decimal(column)?.and_then(|text| decimal(&text)).unwrap_or_default())
        };
        let (count, total, tax, shipping) =
            (row.i64("n")?, amount("total")?, amount("tax")?, amount("shipping")?);
        match kind {
            Kind::Orders => {
                self.orders += count;
                self.charged += total;
                self.order_tax += tax;
                self.order_shipping += shipping;
                self.discount += amount("discount")?;
            }
            Kind::Refunds => {
                self.refunds += count;
                self.refunded += total;
                self.refund_tax += tax;
                self.refund_shipping += shipping;
            }
        }
        Ok(())
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.orders += other.orders;
        self.charged += other.charged;
        self.order_tax += other.order_tax;
        self.order_shipping += other.order_shipping;
        self.discount += other.discount;
        self.refunds += other.refunds;
        self.refunded += other.refunded;
        self.refund_tax += other.refund_tax;
        self.refund_shipping += other.refund_shipping;
    }

    /// What customers paid and did not get back.
    pub(super) fn total_sales(&self) -> Decimal {
        self.charged + self.refunded
    }

    fn taxes(&self) -> Decimal {
        self.order_tax + self.refund_tax
    }

    fn shipping(&self) -> Decimal {
        self.order_shipping + self.refund_shipping
    }

    /// What is left for the goods.
    pub(super) fn net_sales(&self) -> Decimal {
        self.total_sales() - self.taxes() - self.shipping()
    }

    /// The goods before coupons and refunds, without tax and delivery.
    fn gross_sales(&self) -> Decimal {
        self.charged - self.order_tax - self.order_shipping + self.discount
    }

    /// The worth of an order before refunds; in Analytics that of its goods alone.
    pub(super) fn average(&self, basis: Basis) -> Decimal {
        let worth = match basis {
            Basis::PaidStatuses => self.charged,
            Basis::Analytics => self.charged - self.order_tax - self.order_shipping,
        };
        if self.orders == 0 { Decimal::ZERO } else { worth / Decimal::from(self.orders) }
    }

    pub(super) fn shown(&self, currency: &str, shop: &Shop, basis: Basis) -> Figures {
        let money = |amount: Decimal| shop.money(&amount.to_string()).unwrap_or_default();
        Figures {
            currency: currency.to_owned(),
            orders: self.orders,
            charged: money(self.charged),
            refunds: self.refunds,
            refunded: money(-self.refunded),
            total_sales: money(self.total_sales()),
            taxes: money(self.taxes()),
            shipping: money(self.shipping()),
            net_sales: money(self.net_sales()),
            discounts: money(self.discount),
            gross_sales: money(self.gross_sales()),
            average_order: money(self.average(basis)),
        }
    }
}

/// An amount as the database writes it, to the places that WooCommerce stores: SQLite sums in floating point.
pub(super) fn decimal(text: &str) -> Option<Decimal> {
    let text = text.trim();
    let amount: Decimal = text.parse().ok().or_else(|| Decimal::from_scientific(text).ok())?;
    Some(amount.round_dp(8))
}

/// The figures of one currency. Amounts are decimal texts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Figures {
    currency: String,
    /// Orders, without refunds.
    orders: i64,
    /// Sum of the orders' totals: goods, tax and delivery, after coupons.
    charged: String,
    /// How often money was given back.
    refunds: i64,
    /// How much of it.
    refunded: String,
    /// charged less refunded.
    total_sales: String,
    /// Tax in total_sales.
    taxes: String,
    /// Delivery in total_sales, without its tax.
    shipping: String,
    /// total_sales less taxes and shipping.
    net_sales: String,
    /// What coupons took off, without tax.
    discounts: String,
    /// Goods before coupons and refunds, without tax and delivery.
    gross_sales: String,
    /// Worth of an order, before refunds.
    average_order: String,
}

/// The sums of one group in one status and currency.
pub(super) struct Part {
    pub(super) key: String,
    pub(super) label: Option<String>,
    pub(super) status: String,
    pub(super) currency: String,
    pub(super) sums: Sums,
}

/// Reads the sums of a period by key, status and currency, in two statements.
pub(super) async fn read(
    snapshot: &Snapshot,
    shop: &Shop,
    sales: &Sales<'_>,
    key: Key,
) -> Result<Vec<Part>, ToolError> {
    let mut parts: BTreeMap<(String, String, String), Part> = BTreeMap::new();
    for kind in [Kind::Orders, Kind::Refunds] {
        let rows = sales.rows(kind, key);
        let statement = rows.bind(Statement::new(format!(
            "SELECT x.k AS k, MAX(x.label) AS label, x.status AS status, x.currency AS currency, COUNT(*) AS n, \
             SUM(x.total) AS total, SUM(x.tax) AS tax, SUM(x.shipping) AS shipping, SUM(x.discount) AS discount \
             FROM ({}) x GROUP BY x.k, x.status, x.currency ORDER BY x.k, x.status, x.currency",
            rows.text()
        )));
        for row in snapshot.rows(&statement).await?.iter() {
            let status = row.opt_text("status")?.unwrap_or_default();
            let status = status.strip_prefix("wc-").unwrap_or(&status).to_owned();
            let currency = row.opt_text("currency")?.filter(|code| !code.is_empty());
            let currency = currency.unwrap_or_else(|| shop.currency.clone());
            let key = row.opt_text("k")?.unwrap_or_default();
            let part = parts.entry((key.clone(), status.clone(), currency.clone())).or_insert_with(|| Part {
                key,
                label: None,
                status,
                currency,
                sums: Sums::default(),
            });
            part.label = part.label.take().or(row.opt_text("label")?);
            part.sums.take(kind, row)?;
        }
    }
    Ok(parts.into_values().collect())
}
