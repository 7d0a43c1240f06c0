//! Sales in WooCommerce's own tables of orders.

use siteclaw_db::Param;

use super::{CUSTOMER, Key, Kind, Moment, Sales, Select, Statuses};

/// Orders and refunds, each with its status as `o` and its amounts as `r` and `d`.
const ORDERS: &str = "FROM {wc_orders} o LEFT JOIN {wc_order_operational_data} d ON d.order_id = o.id";
const REFUNDS: &str = "FROM {wc_orders} r JOIN {wc_orders} o ON o.id = r.parent_order_id \
    LEFT JOIN {wc_order_operational_data} d ON d.order_id = r.id \
    LEFT JOIN {wc_order_operational_data} p ON p.order_id = o.id";
/// A refund of as much as the order cost, of which no line, tax or delivery is named.
const WHOLE: &str = "COALESCE(r.tax_amount, 0) = 0 AND COALESCE(d.shipping_tax_amount, 0) = 0 \
    AND COALESCE(d.shipping_total_amount, 0) = 0 AND r.total_amount = -o.total_amount";

impl Sales<'_> {
    pub(super) fn own_orders(&self, key: Key) -> Select {
        let moment = self.own_moment();
        let mut filter = self.with_status(Statuses::Any);
        filter.plain("o.type = 'shop_order'");
        self.within(moment, &mut filter);
        let (k, label, join, values) = self.own_key(key, moment);
        let text = format!(
            "SELECT {k} AS k, {label} AS label, o.status AS status, o.currency AS currency, \
             COALESCE(o.total_amount, 0) AS total, \
             COALESCE(o.tax_amount, 0) + COALESCE(d.shipping_tax_amount, 0) AS tax, \
             COALESCE(d.shipping_total_amount, 0) AS shipping, COALESCE(d.discount_total_amount, 0) AS discount \
             {ORDERS} {join}"
        );
        Select { text, values, filter, tail: "" }
    }

    pub(super) fn own_refunds(&self, key: Key) -> Select {
        let moment = "r.date_created_gmt";
        let mut filter = self.with_status(Statuses::Any);
        filter.plain("r.type = 'shop_order_refund' AND o.type = 'shop_order'");
        self.within(moment, &mut filter);
        let (k, label, join, values) = self.own_key(key, moment);
        let text = format!(
            "SELECT {k} AS k, {label} AS label, o.status AS status, COALESCE(r.currency, o.currency) AS currency, \
             COALESCE(r.total_amount, 0) AS total, \
             CASE WHEN {WHOLE} THEN -COALESCE(o.tax_amount, 0) - COALESCE(p.shipping_tax_amount, 0) \
              ELSE COALESCE(r.tax_amount, 0) + COALESCE(d.shipping_tax_amount, 0) END AS tax, \
             CASE WHEN {WHOLE} THEN -COALESCE(p.shipping_total_amount, 0) \
              ELSE COALESCE(d.shipping_total_amount, 0) END AS shipping, 0 AS discount {REFUNDS} {join}"
        );
        Select { text, values, filter, tail: "" }
    }

    pub(super) fn own_ids(&self, kind: Kind, statuses: Statuses<'_>) -> Select {
        let mut filter = self.with_status(statuses);
        let text = match kind {
            Kind::Orders => {
                filter.plain("o.type = 'shop_order'");
                let moment = self.own_moment();
                self.within(moment, &mut filter);
                let from = if self.moment == Moment::Created { "FROM {wc_orders} o" } else { ORDERS };
                format!("SELECT o.id AS id, o.currency AS currency {from}")
            }
            Kind::Refunds => {
                filter.plain("r.type = 'shop_order_refund' AND o.type = 'shop_order'");
                self.within("r.date_created_gmt", &mut filter);
                "SELECT r.id AS id, COALESCE(r.currency, o.currency) AS currency \
                 FROM {wc_orders} r JOIN {wc_orders} o ON o.id = r.parent_order_id"
                    .to_owned()
            }
        };
        Select { text, values: Vec::new(), filter, tail: "" }
    }

    const fn own_moment(&self) -> &'static str {
        match self.moment {
            Moment::Created => "o.date_created_gmt",
            Moment::Paid => "d.date_paid_gmt",
            Moment::Completed => "d.date_completed_gmt",
        }
    }

    /// The key's expression, its label, what it needs to be joined, and its values.
    fn own_key(&self, key: Key, moment: &str) -> (String, &'static str, &'static str, Vec<Param>) {
        let (k, label, join) = match key {
            Key::Country => (
                "b.country",
                "NULL",
                "LEFT JOIN {wc_order_addresses} b ON b.order_id = o.id AND b.address_type = 'billing'",
            ),
            Key::PaymentMethod => ("o.payment_method", "o.payment_method_title", ""),
            Key::Customer => (CUSTOMER, "NULL", "LEFT JOIN {wc_order_stats} a ON a.order_id = o.id"),
            key => {
                let (k, values) = self.time_key(key, moment);
                return (k, "NULL", "", values);
            }
        };
        (k.to_owned(), label, join, Vec::new())
    }
}
