//! Sales among the posts, whose amounts are rows of meta.

use siteclaw_db::{Engine, Param};

use super::{CUSTOMER, Key, Kind, Moment, Sales, Select, Statuses};
use crate::wordpress::condition::Condition;

/// A value of a post's meta.
fn meta(post: &str, name: &str) -> String {
    format!(
        "(SELECT m.meta_value FROM {{postmeta}} m WHERE m.post_id = {post}.ID AND m.meta_key = '{name}' \
         ORDER BY m.meta_id LIMIT 1)"
    )
}

/// All values of one key at once, read by the key and not by the order: an index finds an order's meta only all
/// together, thirty rows and more. The texts are short, because the server keeps only small tables in memory.
fn all_meta(alias: &str, name: &str) -> String {
    format!(
        "LEFT JOIN (SELECT post_id, MIN({}) AS v FROM {{postmeta}} WHERE meta_key = '{name}' GROUP BY post_id) {alias} \
         ON {alias}.post_id = o.ID",
        short("meta_value", name)
    )
}

/// A value as the short text that it is, so that those of Analytics' orders and of the others are alike.
fn short(value: &str, name: &str) -> String {
    let length = match name {
        "_billing_country" => 2,
        "_order_currency" => 10,
        _ => 20,
    };
    format!("CAST({value} AS CHAR({length}))")
}

impl Sales<'_> {
    /// Orders by their meta; where there are many, those that Analytics does not know yet.
    pub(super) fn post_orders(&self, key: Key) -> Select {
        let mut filter = self.with_status(Statuses::Any);
        filter.plain("o.post_type = 'shop_order'");
        let (moment, dated) = self.post_moment(&mut filter);
        // The meta of an order is read once, whatever is wanted of it.
        let value = |name: &str| {
            format!("MAX(CASE WHEN m.meta_key = '{name}' THEN {} END)", short("m.meta_value", name))
        };
        let title =
            "MAX(CASE WHEN m.meta_key = '_payment_method_title' THEN CAST(m.meta_value AS CHAR(100)) END)";
        let amount = |name: &str| {
            format!(
                "COALESCE(MAX(CASE WHEN m.meta_key = '{name}' THEN CAST(m.meta_value AS DECIMAL(26,8)) END), 0)"
            )
        };
        let needs_row = self.many || key == Key::Customer;
        let join = if needs_row { "LEFT JOIN {wc_order_stats} a ON a.order_id = o.ID" } else { "" };
        if self.many {
            filter.plain("a.order_id IS NULL");
        }
        let (k, label, values) = match key {
            Key::Country => (value("_billing_country"), "NULL".to_owned(), Vec::new()),
            Key::PaymentMethod => (value("_payment_method"), title.to_owned(), Vec::new()),
            Key::Customer => (format!("MAX({CUSTOMER})"), "NULL".to_owned(), Vec::new()),
            key => {
                let (k, values) = self.time_key(key, &moment);
                (format!("MAX({k})"), "NULL".to_owned(), values)
            }
        };
        let text = format!(
            "SELECT {k} AS k, {label} AS label, o.post_status AS status, {} AS currency, {} AS total, \
             {} + {} AS tax, {} AS shipping, {} AS discount FROM {{posts}} o {dated} {join} \
             LEFT JOIN {{postmeta}} m ON m.post_id = o.ID AND m.meta_key IN ('_order_currency', '_order_total', \
             '_order_tax', '_order_shipping_tax', '_order_shipping', '_cart_discount', '_billing_country', \
             '_payment_method', '_payment_method_title')",
            value("_order_currency"),
            amount("_order_total"),
            amount("_order_tax"),
            amount("_order_shipping_tax"),
            amount("_order_shipping"),
            amount("_cart_discount"),
        );
        Select { text, values, filter, tail: "GROUP BY o.ID, o.post_status" }
    }

    /// Orders that Analytics knows, with its amounts.
    pub(super) fn known_post_orders(&self, key: Key) -> Select {
        let mut filter = self.with_status(Statuses::Any);
        filter.plain("o.post_type = 'shop_order'");
        let paid = match self.moment {
            Moment::Created => None,
            Moment::Paid => Some("a.date_paid"),
            Moment::Completed => Some("a.date_completed"),
        };
        match paid {
            None => self.within("o.post_date_gmt", &mut filter),
            Some(column) => self.within_local(column, &mut filter),
        }
        let (k, join, values) = match (key, paid) {
            (Key::Country, _) => ("k.v".to_owned(), all_meta("k", "_billing_country"), Vec::new()),
            (Key::PaymentMethod, _) => ("k.v".to_owned(), all_meta("k", "_payment_method"), Vec::new()),
            (Key::Customer, _) => (CUSTOMER.to_owned(), String::new(), Vec::new()),
            // Analytics keeps these on the shop's clock.
            (Key::Day, Some(column)) => {
                (format!("SUBSTR(CAST({column} AS CHAR), 1, 10)"), String::new(), Vec::new())
            }
            (Key::Month, Some(column)) => {
                (format!("SUBSTR(CAST({column} AS CHAR), 1, 7)"), String::new(), Vec::new())
            }
            (key, _) => {
                let (k, values) = self.time_key(key, "o.post_date_gmt");
                (k, String::new(), values)
            }
        };
        let text = format!(
            "SELECT {k} AS k, NULL AS label, o.post_status AS status, c.v AS currency, a.total_sales AS total, \
             a.tax_total AS tax, a.shipping_total AS shipping, COALESCE(n.v, 0) AS discount \
             FROM {{posts}} o JOIN {{wc_order_stats}} a ON a.order_id = o.ID {} {join} \
             LEFT JOIN (SELECT order_id, SUM(discount_amount) AS v FROM {{wc_order_coupon_lookup}} \
              GROUP BY order_id) n ON n.order_id = o.ID",
            all_meta("c", "_order_currency"),
        );
        Select { text, values, filter, tail: "" }
    }

    pub(super) fn post_refunds(&self, key: Key) -> Select {
        let mut filter = self.with_status(Statuses::Any);
        filter.plain("r.post_type = 'shop_order_refund' AND o.post_type = 'shop_order'");
        self.within("r.post_date_gmt", &mut filter);
        let amount =
            |post: &str, name: &str| format!("COALESCE(CAST({} AS DECIMAL(26,8)), 0)", meta(post, name));
        let (k, label, join, values) = match key {
            Key::Country => (meta("o", "_billing_country"), "NULL".to_owned(), "", Vec::new()),
            Key::PaymentMethod => {
                (meta("o", "_payment_method"), meta("o", "_payment_method_title"), "", Vec::new())
            }
            Key::Customer => (
                CUSTOMER.to_owned(),
                "NULL".to_owned(),
                "LEFT JOIN {wc_order_stats} a ON a.order_id = o.ID",
                Vec::new(),
            ),
            key => {
                let (k, values) = self.time_key(key, "r.post_date_gmt");
                (k, "NULL".to_owned(), "", values)
            }
        };
        let whole = format!(
            "{} = 0 AND {} = 0 AND {} = 0 AND {} = {}",
            amount("r", "_order_tax"),
            amount("r", "_order_shipping_tax"),
            amount("r", "_order_shipping"),
            amount("r", "_refund_amount"),
            amount("o", "_order_total"),
        );
        let text = format!(
            "SELECT {k} AS k, {label} AS label, o.post_status AS status, COALESCE({}, {}) AS currency, \
             -{} AS total, CASE WHEN {whole} THEN -{} - {} ELSE {} + {} END AS tax, \
             CASE WHEN {whole} THEN -{} ELSE {} END AS shipping, 0 AS discount \
             FROM {{posts}} r JOIN {{posts}} o ON o.ID = r.post_parent {join}",
            meta("r", "_order_currency"),
            meta("o", "_order_currency"),
            amount("r", "_refund_amount"),
            amount("o", "_order_tax"),
            amount("o", "_order_shipping_tax"),
            amount("r", "_order_tax"),
            amount("r", "_order_shipping_tax"),
            amount("o", "_order_shipping"),
            amount("r", "_order_shipping"),
        );
        Select { text, values, filter, tail: "" }
    }

    pub(super) fn post_ids(&self, kind: Kind, statuses: Statuses<'_>, currency: Option<&str>) -> Select {
        let mut filter = self.with_status(statuses);
        let mut values: Vec<Param> = Vec::new();
        let mut code = |stored: String| match currency {
            Some(code) => {
                values.push(code.into());
                "?".to_owned()
            }
            None => stored,
        };
        let text = match kind {
            Kind::Orders => {
                filter.plain("o.post_type = 'shop_order'");
                let currency = code(meta("o", "_order_currency"));
                let (_, dated) = self.post_moment(&mut filter);
                format!("SELECT o.ID AS id, {currency} AS currency FROM {{posts}} o {dated}")
            }
            Kind::Refunds => {
                filter.plain("r.post_type = 'shop_order_refund' AND o.post_type = 'shop_order'");
                self.within("r.post_date_gmt", &mut filter);
                let currency = code(format!(
                    "COALESCE({}, {})",
                    meta("r", "_order_currency"),
                    meta("o", "_order_currency")
                ));
                format!(
                    "SELECT r.ID AS id, {currency} AS currency FROM {{posts}} r JOIN {{posts}} o ON o.ID = r.post_parent"
                )
            }
        };
        Select { text, values, filter, tail: "" }
    }

    /// The expression for the time of an order, and what must be joined for it: two of the times are kept in
    /// seconds as meta.
    fn post_moment(&self, filter: &mut Condition) -> (String, String) {
        let name = match self.moment {
            Moment::Created => {
                self.within("o.post_date_gmt", filter);
                return ("o.post_date_gmt".to_owned(), String::new());
            }
            Moment::Paid => "_date_paid",
            Moment::Completed => "_date_completed",
        };
        filter.plain("t.meta_value <> ''");
        let seconds = "CAST(t.meta_value AS DECIMAL(20))";
        if let Some(from) = self.span.from {
            filter.one(&format!("{seconds} >= ?"), from.as_second());
        }
        filter.one(&format!("{seconds} < ?"), self.span.to.as_second());
        let moment = match self.engine {
            Engine::Sqlite => "datetime(CAST(t.meta_value AS INTEGER), 'unixepoch')".to_owned(),
            _ => "DATE_ADD('1970-01-01 00:00:00', INTERVAL CAST(t.meta_value AS SIGNED) SECOND)".to_owned(),
        };
        let join = format!("JOIN {{postmeta}} t ON t.post_id = o.ID AND t.meta_key = '{name}'");
        (moment, join)
    }
}
