//! What was sold and what was paid back, as rows that either of the two stores of orders gives alike.
//!
//! The order store is the source, not the tables of Analytics: WooCommerce fills those up to twelve hours late,
//! and they do not know the currency. A row is an order or a refund with its amounts, the refund's below zero.
//! Only where a period holds very many orders are amounts that are spread over rows of meta taken from Analytics,
//! for the orders that it knows: 200,000 orders among the posts take half a minute to put together from meta.
//!
//! Facts: `OrdersTableDataStore::$order_column_mapping` (`tax_amount` is the tax of the goods,
//! `shipping_tax_amount` that of the delivery), `Admin/API/Reports/Orders/Stats/DataStore::update()` (a refund of
//! a whole order that names no lines takes back the order's own tax and delivery).

mod own;
mod posts;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use siteclaw_core::ToolError;
use siteclaw_db::{Engine, Param, Statement};

use super::Shop;
use super::orders::{CHECKOUT_DRAFT, NEVER, Store};
use super::period::Days;
use crate::wordpress::condition::Condition;
use crate::wordpress::site::Snapshot;
use crate::wordpress::zone::{Zone, wall};

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

/// Selects of the same columns, put one after the other.
#[derive(Default)]
pub(crate) struct Rows(Vec<Select>);

/// A SELECT up to its WHERE, the values in it, its condition, and what follows.
struct Select {
    text: String,
    values: Vec<Param>,
    filter: Condition,
    tail: &'static str,
}

impl Rows {
    /// The sub-query's text; its values are bound by [`bind`](Self::bind) in its place.
    pub(crate) fn text(&self) -> String {
        let selects =
            self.0.iter().map(|one| format!("{} WHERE {} {}", one.text, one.filter.text(), one.tail));
        selects.collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// Binds the values of the sub-query.
    pub(crate) fn bind(&self, statement: Statement) -> Statement {
        self.0
            .iter()
            .fold(statement, |statement, one| one.filter.bind(statement.binds(one.values.iter().cloned())))
    }
}

/// What is asked of the orders.
#[derive(Clone, Copy)]
pub(crate) struct Sales<'a> {
    store: Store,
    engine: Engine,
    zone: &'a Zone,
    span: Span,
    moment: Moment,
    /// Whether there are so many orders that what Analytics knows of them is taken from there.
    pub(crate) many: bool,
}

/// From this many orders of a period on, Analytics' tables are asked for what they know.
const MANY: i64 = 20_000;
/// The tables of Analytics that stand in for meta.
const ANALYTICS: [&str; 3] = ["wc_order_stats", "wc_order_product_lookup", "wc_order_coupon_lookup"];

impl<'a> Sales<'a> {
    /// The orders of a span of time, counted first: how many there are decides what is read.
    pub(crate) async fn of(
        snapshot: &Snapshot,
        shop: &'a Shop,
        span: Span,
        moment: Moment,
    ) -> Result<Self, ToolError> {
        let engine = snapshot.database()?.engine();
        let sales = Self { store: Store::of(shop), engine, zone: &shop.zone, span, moment, many: false };
        let ids = sales.by_creation().ids(&[Kind::Orders], Statuses::Any, Some(""));
        let count = ids.bind(Statement::new(format!("SELECT COUNT(*) FROM ({}) x", ids.text())));
        let mut many = snapshot.database()?.scalar_i64(snapshot.prefixes(), &count).await? > MANY;
        for table in ANALYTICS {
            many = many && snapshot.has_table(table).await?;
        }
        Ok(Self { many, ..sales })
    }

    /// The same of another span, read in the same way.
    pub(crate) const fn during(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// The same by the day on which orders were placed.
    pub(crate) const fn by_creation(self) -> Self {
        Self { moment: Moment::Created, ..self }
    }

    /// The rows of the period: `k, label, status, currency, total, tax, shipping, discount`.
    pub(crate) fn rows(&self, kind: Kind, key: Key) -> Rows {
        let mut rows = Rows::default();
        match (self.store, kind) {
            (Store::Own, Kind::Orders) => rows.0.push(self.own_orders(key)),
            (Store::Own, Kind::Refunds) => rows.0.push(self.own_refunds(key)),
            (Store::Posts, Kind::Orders) => {
                if self.many {
                    rows.0.push(self.known_post_orders(key));
                }
                rows.0.push(self.post_orders(key));
            }
            (Store::Posts, Kind::Refunds) => rows.0.push(self.post_refunds(key)),
        }
        rows
    }

    /// The orders and refunds themselves: `id, currency`. Where all are in one currency, it is handed in.
    pub(crate) fn ids(&self, kinds: &[Kind], statuses: Statuses<'_>, currency: Option<&str>) -> Rows {
        let select = |kind: &Kind| match self.store {
            Store::Own => self.own_ids(*kind, statuses),
            Store::Posts => self.post_ids(*kind, statuses, currency),
        };
        Rows(kinds.iter().map(select).collect())
    }

    /// Which statuses an order may have.
    fn with_status(&self, statuses: Statuses<'_>) -> Condition {
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
        filter
    }

    /// The span as a condition on a GMT column.
    fn within(&self, moment: &str, filter: &mut Condition) {
        if let Some(from) = self.span.from {
            filter.one(&format!("{moment} >= ?"), Zone::gmt(from));
        }
        filter.one(&format!("{moment} < ?"), Zone::gmt(self.span.to));
    }

    /// The span as a condition on a column of the shop's clock.
    fn within_local(&self, moment: &str, filter: &mut Condition) {
        let local = |moment: Timestamp| wall(moment.to_zoned_datetime(self.zone.zone().clone()).datetime());
        if let Some(from) = self.span.from {
            filter.one(&format!("{moment} >= ?"), local(from));
        }
        filter.one(&format!("{moment} < ?"), local(self.span.to));
    }

    /// The key by a GMT column: a day or month on the shop's clock, else nothing; and its values.
    fn time_key(&self, key: Key, moment: &str) -> (String, Vec<Param>) {
        let length = match key {
            Key::Day => 10,
            Key::Month => 7,
            _ => return ("''".to_owned(), Vec::new()),
        };
        let (local, values) = self.zone.clock(self.engine, moment, self.span.from, self.span.to);
        (format!("SUBSTR({local}, 1, {length})"), values)
    }
}

/// New or returning, by the row `a` of Analytics.
const CUSTOMER: &str =
    "CASE a.returning_customer WHEN 1 THEN 'returning' WHEN 0 THEN 'new' ELSE 'unknown' END";
