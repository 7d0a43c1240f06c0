//! Orders in either of WooCommerce's two stores.
//!
//! HPOS keeps them in tables of its own, the older store among the posts with their fields as meta. The
//! option `woocommerce_custom_orders_table_enabled` says which one counts; the two are never mixed, because
//! after a switch stale copies stay behind.

use siteclaw_db::Param;

use super::Shop;
use crate::wordpress::condition::Condition;

/// A store of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// `wc_orders` and its companions.
    Own,
    /// Posts of the type `shop_order`.
    Posts,
}

/// Rows that are no orders of anybody: never listed.
pub(super) const NEVER: [&str; 3] = ["trash", "auto-draft", "draft"];
/// An abandoned block checkout: listed only on request.
pub(super) const CHECKOUT_DRAFT: &str = "wc-checkout-draft";

impl Store {
    pub(crate) const fn of(shop: &Shop) -> Self {
        if shop.own_tables { Self::Own } else { Self::Posts }
    }

    /// FROM, with the order as `o`.
    pub(crate) const fn from(self) -> &'static str {
        match self {
            Self::Own => {
                "FROM {wc_orders} o LEFT JOIN {wc_order_operational_data} d ON d.order_id = o.id \
                 LEFT JOIN {wc_order_addresses} b ON b.order_id = o.id AND b.address_type = 'billing' \
                 LEFT JOIN {wc_order_addresses} s ON s.order_id = o.id AND s.address_type = 'shipping'"
            }
            Self::Posts => "FROM {posts} o",
        }
    }

    /// The expression for a field.
    pub(crate) fn field(self, field: Field) -> String {
        match self {
            Self::Own => field.own().to_owned(),
            Self::Posts => match field.post() {
                Place::Column(column) => column.to_owned(),
                Place::Meta(key) => format!(
                    "(SELECT m.meta_value FROM {{postmeta}} m WHERE m.post_id = o.ID AND m.meta_key = '{key}' \
                     ORDER BY m.meta_id LIMIT 1)"
                ),
            },
        }
    }

    /// The expression for a field that is compared or sorted as an amount.
    pub(crate) fn amount(self, field: Field) -> String {
        format!("CAST({} AS DECIMAL(26,8))", self.field(field))
    }

    /// Orders, without what is none; one status, all statuses but unfinished checkouts, or with those.
    pub(crate) fn orders(self, status: Option<&str>) -> Condition {
        let mut condition = Condition::default();
        condition.plain(match self {
            Self::Own => "o.type = 'shop_order'",
            Self::Posts => "o.post_type = 'shop_order'",
        });
        let field = self.field(Field::Status);
        match status {
            Some(status) => condition.one(&format!("{field} = ?"), format!("wc-{status}")),
            None => {
                condition.list(&format!("{field} NOT IN (?*)"), NEVER.iter().copied().chain([CHECKOUT_DRAFT]))
            }
        }
        condition
    }

    /// Adds a condition on a moment. `gmt` is its text; the older store keeps two of the times in seconds.
    pub(crate) fn moment(
        self,
        condition: &mut Condition,
        field: Field,
        operator: &str,
        gmt: &str,
        seconds: i64,
    ) {
        match (self, field) {
            (Self::Posts, Field::Paid | Field::Completed) => {
                // Without the time there is an empty text, which is no moment before all others.
                let stored = format!("NULLIF({}, '')", self.field(field));
                condition.one(&format!("CAST({stored} AS DECIMAL(20)) {operator} ?"), seconds)
            }
            _ => condition.one(&format!("{} {operator} ?", self.field(field)), gmt),
        }
    }

    /// Adds the search for an order's number, e-mail, name or company.
    pub(crate) fn search(self, condition: &mut Condition, text: &str, pattern: &str) {
        let id: i64 = text.trim().trim_start_matches('#').parse().unwrap_or(0);
        let like: Param = pattern.into();
        match self {
            Self::Own => condition.all(
                "(o.id = ? OR o.billing_email LIKE ? ESCAPE '!' OR EXISTS (SELECT 1 FROM {wc_order_addresses} a \
                 WHERE a.order_id = o.id AND (a.email LIKE ? ESCAPE '!' OR a.company LIKE ? ESCAPE '!' \
                 OR a.last_name LIKE ? ESCAPE '!' OR a.first_name LIKE ? ESCAPE '!')))",
                std::iter::once(id.into()).chain(std::iter::repeat_n(like, 5)),
            ),
            Self::Posts => condition.all(
                "(o.ID = ? OR EXISTS (SELECT 1 FROM {postmeta} a WHERE a.post_id = o.ID AND a.meta_key IN \
                 ('_billing_email', '_billing_first_name', '_billing_last_name', '_billing_company', \
                 '_shipping_first_name', '_shipping_last_name', '_shipping_company') \
                 AND a.meta_value LIKE ? ESCAPE '!'))",
                [id.into(), like],
            ),
        }
    }

    /// Adds the condition that the order has a line of this product or variation.
    pub(crate) fn with_product(self, condition: &mut Condition, product: i64) {
        let id = self.field(Field::Id);
        condition.one(
            &format!(
                "EXISTS (SELECT 1 FROM {{woocommerce_order_items}} i JOIN {{woocommerce_order_itemmeta}} m \
                 ON m.order_item_id = i.order_item_id AND m.meta_key IN ('_product_id', '_variation_id') \
                 WHERE i.order_id = {id} AND i.order_item_type = 'line_item' AND m.meta_value = ?)"
            ),
            product.to_string(),
        );
    }

    /// The amounts that were paid back, by order: marks for the orders' ids are left open.
    pub(crate) const fn refunds(self) -> &'static str {
        match self {
            Self::Own => {
                "SELECT r.parent_order_id AS order_id, -SUM(r.total_amount) AS refunded FROM {wc_orders} r \
                 WHERE r.type = 'shop_order_refund' AND r.parent_order_id IN (?*) \
                 GROUP BY r.parent_order_id ORDER BY r.parent_order_id"
            }
            Self::Posts => {
                "SELECT r.post_parent AS order_id, SUM(CAST(m.meta_value AS DECIMAL(26,8))) AS refunded FROM {posts} r \
                 JOIN {postmeta} m ON m.post_id = r.ID AND m.meta_key = '_refund_amount' \
                 WHERE r.post_type = 'shop_order_refund' AND r.post_parent IN (?*) \
                 GROUP BY r.post_parent ORDER BY r.post_parent"
            }
        }
    }
}

/// Something that an order says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Id,
    Status,
    Total,
    Currency,
    Customer,
    Created,
    Paid,
    Completed,
    PaymentMethod,
    PaymentTitle,
    BillingEmail,
    BillingPhone,
    BillingCity,
    BillingCountry,
    ShippingCity,
    ShippingCountry,
    CustomerIp,
}

enum Place {
    Column(&'static str),
    Meta(&'static str),
}

impl Field {
    const fn own(self) -> &'static str {
        match self {
            Self::Id => "o.id",
            Self::Status => "o.status",
            Self::Total => "o.total_amount",
            Self::Currency => "o.currency",
            Self::Customer => "o.customer_id",
            Self::Created => "o.date_created_gmt",
            Self::Paid => "d.date_paid_gmt",
            Self::Completed => "d.date_completed_gmt",
            Self::PaymentMethod => "o.payment_method",
            Self::PaymentTitle => "o.payment_method_title",
            Self::BillingEmail => "o.billing_email",
            Self::BillingPhone => "b.phone",
            Self::BillingCity => "b.city",
            Self::BillingCountry => "b.country",
            Self::ShippingCity => "s.city",
            Self::ShippingCountry => "s.country",
            Self::CustomerIp => "o.ip_address",
        }
    }

    const fn post(self) -> Place {
        match self {
            Self::Id => Place::Column("o.ID"),
            Self::Status => Place::Column("o.post_status"),
            Self::Created => Place::Column("o.post_date_gmt"),
            Self::Total => Place::Meta("_order_total"),
            Self::Currency => Place::Meta("_order_currency"),
            Self::Customer => Place::Meta("_customer_user"),
            Self::Paid => Place::Meta("_date_paid"),
            Self::Completed => Place::Meta("_date_completed"),
            Self::PaymentMethod => Place::Meta("_payment_method"),
            Self::PaymentTitle => Place::Meta("_payment_method_title"),
            Self::BillingEmail => Place::Meta("_billing_email"),
            Self::BillingPhone => Place::Meta("_billing_phone"),
            Self::BillingCity => Place::Meta("_billing_city"),
            Self::BillingCountry => Place::Meta("_billing_country"),
            Self::ShippingCity => Place::Meta("_shipping_city"),
            Self::ShippingCountry => Place::Meta("_shipping_country"),
            Self::CustomerIp => Place::Meta("_customer_ip_address"),
        }
    }
}
