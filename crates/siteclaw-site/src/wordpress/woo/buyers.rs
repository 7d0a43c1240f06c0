//! Who bought: orders put together by customer, guests by their e-mail.
//!
//! Counted as `WC_Customer` does: orders of any status that is WooCommerce's, money of those that are paid, refunds
//! not taken off.

use siteclaw_db::Statement;

use super::Shop;
use super::orders::{CHECKOUT_DRAFT, NEVER, Store};
use crate::wordpress::condition::Condition;

/// Statuses in which an order is paid (`wc_get_is_paid_statuses()`).
pub(crate) const PAID: &str = "('wc-completed', 'wc-processing')";

/// A sub-query of orders: `user, mail, status, currency, total, created`, of guests with user 0 and of members
/// without mail, so that the two tell customers apart.
pub(crate) struct Orders {
    text: &'static str,
    filter: Condition,
    tail: &'static str,
}

impl Orders {
    /// Orders of anybody but those of nobody, such as unfinished checkouts. Among the posts `known` says that the
    /// customers are taken from Analytics, because there are very many orders.
    pub(crate) fn of(shop: &Shop, known: bool) -> Self {
        let mut filter = Condition::default();
        let none = || NEVER.into_iter().chain([CHECKOUT_DRAFT]);
        let (text, tail) = match (Store::of(shop), known) {
            (Store::Own, _) => {
                filter.plain("o.type = 'shop_order'");
                filter.list("o.status NOT IN (?*)", none());
                let text = "SELECT COALESCE(o.customer_id, 0) AS user, CASE WHEN o.customer_id > 0 THEN '' \
                     ELSE LOWER(COALESCE(o.billing_email, '')) END AS mail, o.status AS status, o.currency AS currency, \
                     COALESCE(o.total_amount, 0) AS total, o.date_created_gmt AS created FROM {wc_orders} o";
                (text, "")
            }
            (Store::Posts, false) => {
                filter.plain("o.post_type = 'shop_order'");
                filter.list("o.post_status NOT IN (?*)", none());
                let text = "SELECT COALESCE(MAX(CASE WHEN m.meta_key = '_customer_user' \
                      THEN CAST(NULLIF(m.meta_value, '') AS DECIMAL(20)) END), 0) AS user, \
                     CASE WHEN COALESCE(MAX(CASE WHEN m.meta_key = '_customer_user' \
                       THEN CAST(NULLIF(m.meta_value, '') AS DECIMAL(20)) END), 0) > 0 THEN '' \
                      ELSE LOWER(COALESCE(MAX(CASE WHEN m.meta_key = '_billing_email' THEN m.meta_value END), '')) END AS mail, \
                     o.post_status AS status, MAX(CASE WHEN m.meta_key = '_order_currency' THEN m.meta_value END) AS currency, \
                     COALESCE(MAX(CASE WHEN m.meta_key = '_order_total' THEN CAST(m.meta_value AS DECIMAL(26,8)) END), 0) AS total, \
                     o.post_date_gmt AS created FROM {posts} o LEFT JOIN {postmeta} m ON m.post_id = o.ID AND m.meta_key IN \
                     ('_customer_user', '_billing_email', '_order_currency', '_order_total')";
                (text, "GROUP BY o.ID, o.post_status, o.post_date_gmt")
            }
            (Store::Posts, true) => {
                filter.plain("o.post_type = 'shop_order'");
                filter.list("o.post_status NOT IN (?*)", none());
                let text = "SELECT COALESCE(u.user_id, 0) AS user, CASE WHEN u.user_id > 0 THEN '' \
                     ELSE LOWER(COALESCE(u.email, '')) END AS mail, o.post_status AS status, c.v AS currency, \
                     a.total_sales AS total, o.post_date_gmt AS created FROM {posts} o \
                     JOIN {wc_order_stats} a ON a.order_id = o.ID \
                     JOIN {wc_customer_lookup} u ON u.customer_id = a.customer_id \
                     LEFT JOIN (SELECT post_id, MIN(CAST(meta_value AS CHAR(10))) AS v FROM {postmeta} \
                      WHERE meta_key = '_order_currency' GROUP BY post_id) c ON c.post_id = o.ID";
                (text, "")
            }
        };
        Self { text, filter, tail }
    }

    /// Only orders of the user; known before the orders are put together.
    pub(crate) fn of_user(mut self, shop: &Shop, user: i64) -> Self {
        match Store::of(shop) {
            Store::Own => self.filter.one("o.customer_id = ?", user),
            Store::Posts => self.filter.one(
                "EXISTS (SELECT 1 FROM {postmeta} w WHERE w.post_id = o.ID AND w.meta_key = '_customer_user' \
                 AND w.meta_value = ?)",
                user.to_string(),
            ),
        }
        self
    }

    /// The sub-query's text; its values are bound by [`bind`](Self::bind) in its place.
    pub(crate) fn text(&self) -> String {
        format!("{} WHERE {} {}", self.text, self.filter.text(), self.tail)
    }

    /// Binds the values of the sub-query.
    pub(crate) fn bind(&self, statement: Statement) -> Statement {
        self.filter.bind(statement)
    }
}
