//! What was sold and what was paid back, as rows that either of the two stores of orders gives alike.
//!
//! The order store is the source, not the tables of Analytics: WooCommerce fills those up to twelve hours late,
//! and they do not know the currency. A row is an order or a refund with its amounts, the refund's below zero.
//!
//! Facts: `OrdersTableDataStore::$order_column_mapping` (`tax_amount` is the tax of the goods,
//! `shipping_tax_amount` that of the delivery), `Admin/API/Reports/Orders/Stats/DataStore::update()` (a refund of
//! a whole order that names no lines takes back the order's own tax and delivery).

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use siteclaw_db::{Engine, Param, Statement};

use super::orders::{CHECKOUT_DRAFT, NEVER, Store};
use super::period::Days;
use crate::wordpress::condition::Condition;
use crate::wordpress::zone::Zone;

/// Orders or refunds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Orders,
    Refunds,
}

/// Which of an order's times decides whether it belongs to a period. A refund has but the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Created,
    Paid,
    Completed,
}

impl Moment {
    /// The name that the shop's own setting (`woocommerce_date_type`) gives it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Created => "date_created",
            Self::Paid => "date_paid",
            Self::Completed => "date_completed",
        }
    }

    const fn meta(self) -> &'static str {
        match self {
            Self::Completed => "_date_completed",
            _ => "_date_paid",
        }
    }
}

/// Which statuses an order may have, named without the `wc-` in front. Orders that are nobody's (in the bin,
/// unfinished) are never among them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Statuses<'a> {
    Any,
    Only(&'a [String]),
    Except(&'a [String]),
}

/// What rows are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// Nothing: all in one.
    Whole,
    /// The day on the shop's clock.
    Day,
    /// The month on the shop's clock.
    Month,
    /// The country that the order is billed to.
    Country,
    /// The way of payment.
    PaymentMethod,
    /// Whether Analytics knows an earlier order of the same customer.
    Customer,
}

/// A stretch of time, its end not included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    from: Option<Timestamp>,
    to: Timestamp,
}

impl Span {
    /// The days on the shop's clock; all time up to now where none are given.
    pub(crate) fn of(days: Option<Days>, zone: &Zone, now: Timestamp) -> Self {
        let start = |day: Date| zone.zone().to_timestamp(day.at(0, 0, 0, 0)).ok();
        match days {
            Some(days) => Self {
                from: start(days.from),
                to: days.to.tomorrow().ok().and_then(start).unwrap_or(Timestamp::MAX),
            },
            // A clock that runs a little ahead on the site's machine loses no order.
            None => Self { from: None, to: now.checked_add(24.hours()).unwrap_or(Timestamp::MAX) },
        }
    }
}

/// A sub-query of orders or refunds: `id, k, label, status, currency, total, tax, shipping, discount`.
pub(crate) struct Rows {
    text: String,
    selected: Vec<Param>,
    filter: Condition,
}

impl Rows {
    /// The sub-query's text; its values are bound by [`bind`](Self::bind) in its place.
    pub(crate) fn text(&self) -> String {
        self.text.replace("%FILTER%", self.filter.text())
    }

    /// Binds the values of the sub-query.
    pub(crate) fn bind(&self, statement: Statement) -> Statement {
        self.filter.bind(statement.binds(self.selected.iter().cloned()))
    }
}

/// What is asked of the orders.
#[derive(Clone, Copy)]
pub(crate) struct Sales<'a> {
    pub(crate) store: Store,
    pub(crate) engine: Engine,
    pub(crate) zone: &'a Zone,
    pub(crate) span: Span,
    /// Which time of an order counts.
    pub(crate) moment: Moment,
}

impl Sales<'_> {
    /// The rows of the period.
    pub(crate) fn rows(&self, kind: Kind, key: Key, statuses: Statuses<'_>) -> Rows {
        let mut filter = Condition::default();
        let status = match self.store {
            Store::Own => "o.status",
            Store::Posts => "o.post_status",
        };
        let stored = |name: &String| format!("wc-{name}");
        let none = NEVER.into_iter().chain([CHECKOUT_DRAFT]).map(str::to_owned);
        match statuses {
            Statuses::Any => filter.list(&format!("{status} NOT IN (?*)"), none),
            Statuses::Only(names) => filter.list(&format!("{status} IN (?*)"), names.iter().map(stored)),
            Statuses::Except(names) => {
                filter.list(&format!("{status} NOT IN (?*)"), none.chain(names.iter().map(stored)));
            }
        }
        let (text, selected) = match (self.store, kind) {
            (Store::Own, Kind::Orders) => self.own_orders(key, &mut filter),
            (Store::Own, Kind::Refunds) => self.own_refunds(key, &mut filter),
            (Store::Posts, Kind::Orders) => self.post_orders(key, &mut filter),
            (Store::Posts, Kind::Refunds) => self.post_refunds(key, &mut filter),
        };
        Rows { text, selected, filter }
    }

    fn own_orders(&self, key: Key, filter: &mut Condition) -> (String, Vec<Param>) {
        let moment = match self.moment {
            Moment::Created => "o.date_created_gmt",
            Moment::Paid => "d.date_paid_gmt",
            Moment::Completed => "d.date_completed_gmt",
        };
        filter.plain("o.type = 'shop_order'");
        self.within(moment, filter);
        let (k, label, join, selected) = self.own_key(key, moment);
        let text = format!(
            "SELECT o.id AS id, {k} AS k, {label} AS label, o.status AS status, o.currency AS currency, \
             COALESCE(o.total_amount, 0) AS total, \
             COALESCE(o.tax_amount, 0) + COALESCE(d.shipping_tax_amount, 0) AS tax, \
             COALESCE(d.shipping_total_amount, 0) AS shipping, COALESCE(d.discount_total_amount, 0) AS discount \
             FROM {{wc_orders}} o LEFT JOIN {{wc_order_operational_data}} d ON d.order_id = o.id {join} WHERE %FILTER%"
        );
        (text, selected)
    }

    fn own_refunds(&self, key: Key, filter: &mut Condition) -> (String, Vec<Param>) {
        filter.plain("r.type = 'shop_order_refund' AND o.type = 'shop_order'");
        self.within("r.date_created_gmt", filter);
        let (k, label, join, selected) = self.own_key(key, "r.date_created_gmt");
        let whole = "COALESCE(r.tax_amount, 0) = 0 AND COALESCE(d.shipping_tax_amount, 0) = 0 \
                     AND COALESCE(d.shipping_total_amount, 0) = 0 AND r.total_amount = -o.total_amount";
        let text = format!(
            "SELECT r.id AS id, {k} AS k, {label} AS label, o.status AS status, COALESCE(r.currency, o.currency) AS currency, \
             COALESCE(r.total_amount, 0) AS total, \
             CASE WHEN {whole} THEN -COALESCE(o.tax_amount, 0) - COALESCE(p.shipping_tax_amount, 0) \
              ELSE COALESCE(r.tax_amount, 0) + COALESCE(d.shipping_tax_amount, 0) END AS tax, \
             CASE WHEN {whole} THEN -COALESCE(p.shipping_total_amount, 0) \
              ELSE COALESCE(d.shipping_total_amount, 0) END AS shipping, 0 AS discount \
             FROM {{wc_orders}} r JOIN {{wc_orders}} o ON o.id = r.parent_order_id \
             LEFT JOIN {{wc_order_operational_data}} d ON d.order_id = r.id \
             LEFT JOIN {{wc_order_operational_data}} p ON p.order_id = o.id {join} WHERE %FILTER%"
        );
        (text, selected)
    }

    /// The key's expression, its label, what it needs to be joined, and its values.
    fn own_key(&self, key: Key, moment: &str) -> (String, &'static str, &'static str, Vec<Param>) {
        match key {
            Key::Country => (
                "b.country".to_owned(),
                "NULL",
                "LEFT JOIN {wc_order_addresses} b ON b.order_id = o.id AND b.address_type = 'billing'",
                Vec::new(),
            ),
            Key::PaymentMethod => ("o.payment_method".to_owned(), "o.payment_method_title", "", Vec::new()),
            key => self.any_key(key, moment, "o.id"),
        }
    }

    fn post_orders(&self, key: Key, filter: &mut Condition) -> (String, Vec<Param>) {
        filter.plain("o.post_type = 'shop_order'");
        let (moment, dated) = self.post_moment(filter);
        // The meta of an order is read once, whatever is wanted of it.
        let meta = |name: &str| format!("MAX(CASE WHEN m.meta_key = '{name}' THEN m.meta_value END)");
        let amount = |name: &str| {
            format!(
                "COALESCE(MAX(CASE WHEN m.meta_key = '{name}' THEN CAST(m.meta_value AS DECIMAL(26,8)) END), 0)"
            )
        };
        let (k, label, join, selected) = match key {
            Key::Country => (meta("_billing_country"), "NULL".to_owned(), "", Vec::new()),
            Key::PaymentMethod => (meta("_payment_method"), meta("_payment_method_title"), "", Vec::new()),
            key => {
                let (k, label, join, selected) = self.any_key(key, &moment, "o.ID");
                (format!("MAX({k})"), label.to_owned(), join, selected)
            }
        };
        let text = format!(
            "SELECT o.ID AS id, {k} AS k, {label} AS label, o.post_status AS status, {} AS currency, {} AS total, \
             {} + {} AS tax, {} AS shipping, {} AS discount FROM {{posts}} o {dated} {join} \
             LEFT JOIN {{postmeta}} m ON m.post_id = o.ID AND m.meta_key IN ('_order_currency', '_order_total', \
             '_order_tax', '_order_shipping_tax', '_order_shipping', '_cart_discount', '_billing_country', \
             '_payment_method', '_payment_method_title') WHERE %FILTER% GROUP BY o.ID, o.post_status",
            meta("_order_currency"),
            amount("_order_total"),
            amount("_order_tax"),
            amount("_order_shipping_tax"),
            amount("_order_shipping"),
            amount("_cart_discount"),
        );
        (text, selected)
    }

    fn post_refunds(&self, key: Key, filter: &mut Condition) -> (String, Vec<Param>) {
        filter.plain("r.post_type = 'shop_order_refund' AND o.post_type = 'shop_order'");
        self.within("r.post_date_gmt", filter);
        let of = |post: &str, name: &str| {
            format!(
                "(SELECT m.meta_value FROM {{postmeta}} m WHERE m.post_id = {post}.ID AND m.meta_key = '{name}' \
                 ORDER BY m.meta_id LIMIT 1)"
            )
        };
        let amount =
            |post: &str, name: &str| format!("COALESCE(CAST({} AS DECIMAL(26,8)), 0)", of(post, name));
        let (k, label, join, selected) = match key {
            Key::Country => (of("o", "_billing_country"), "NULL".to_owned(), "", Vec::new()),
            Key::PaymentMethod => {
                (of("o", "_payment_method"), of("o", "_payment_method_title"), "", Vec::new())
            }
            key => {
                let (k, label, join, selected) = self.any_key(key, "r.post_date_gmt", "o.ID");
                (k, label.to_owned(), join, selected)
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
            "SELECT r.ID AS id, {k} AS k, {label} AS label, o.post_status AS status, COALESCE({}, {}) AS currency, \
             -{} AS total, CASE WHEN {whole} THEN -{} - {} ELSE {} + {} END AS tax, \
             CASE WHEN {whole} THEN -{} ELSE {} END AS shipping, 0 AS discount \
             FROM {{posts}} r JOIN {{posts}} o ON o.ID = r.post_parent {join} WHERE %FILTER%",
            of("r", "_order_currency"),
            of("o", "_order_currency"),
            amount("r", "_refund_amount"),
            amount("o", "_order_tax"),
            amount("o", "_order_shipping_tax"),
            amount("r", "_order_tax"),
            amount("r", "_order_shipping_tax"),
            amount("o", "_order_shipping"),
            amount("r", "_order_shipping"),
        );
        (text, selected)
    }

    /// The expression for the time of an order among the posts, and what must be joined for it: two of the
    /// times are kept in seconds as meta.
    fn post_moment(&self, filter: &mut Condition) -> (String, String) {
        if self.moment == Moment::Created {
            self.within("o.post_date_gmt", filter);
            return ("o.post_date_gmt".to_owned(), String::new());
        }
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
        let join =
            format!("JOIN {{postmeta}} t ON t.post_id = o.ID AND t.meta_key = '{}'", self.moment.meta());
        (moment, join)
    }

    fn any_key(
        &self,
        key: Key,
        moment: &str,
        order: &str,
    ) -> (String, &'static str, &'static str, Vec<Param>) {
        match key {
            Key::Day | Key::Month => {
                let (local, values) = self.zone.clock(self.engine, moment, self.span.from, self.span.to);
                let length = if key == Key::Day { 10 } else { 7 };
                (format!("SUBSTR({local}, 1, {length})"), "NULL", "", values)
            }
            Key::Customer => {
                let join = if order == "o.id" {
                    "LEFT JOIN {wc_order_stats} a ON a.order_id = o.id"
                } else {
                    "LEFT JOIN {wc_order_stats} a ON a.order_id = o.ID"
                };
                let known =
                    "CASE a.returning_customer WHEN 1 THEN 'returning' WHEN 0 THEN 'new' ELSE 'unknown' END";
                (known.to_owned(), "NULL", join, Vec::new())
            }
            _ => ("''".to_owned(), "NULL", "", Vec::new()),
        }
    }

    fn within(&self, moment: &str, filter: &mut Condition) {
        if let Some(from) = self.span.from {
            filter.one(&format!("{moment} >= ?"), Zone::gmt(from));
        }
        filter.one(&format!("{moment} < ?"), Zone::gmt(self.span.to));
    }
}
