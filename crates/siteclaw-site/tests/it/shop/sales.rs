//! The shop's orders, as WooCommerce keeps them in its own tables and as it kept them among the posts.
//!
//! Berlin is one hour ahead: 501 was placed on the last evening of October and 502 an hour later, in November.

/// Where the orders live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Own,
    Posts,
}

struct Order {
    id: i64,
    status: &'static str,
    currency: &'static str,
    total: &'static str,
    customer: i64,
    email: &'static str,
    created: (&'static str, &'static str),
    paid: Option<(&'static str, i64)>,
    method: (&'static str, &'static str),
    who: (&'static str, &'static str, &'static str),
    place: (&'static str, &'static str),
}

/// What is in a total besides the goods.
struct Extras {
    tax: &'static str,
    shipping_tax: &'static str,
    shipping: &'static str,
    discount: &'static str,
}

impl Order {
    const fn extras(&self) -> Extras {
        match self.id {
            501 => Extras { tax: "0", shipping_tax: "0", shipping: "5", discount: "0" },
            502 => Extras { tax: "5.70", shipping_tax: "0.68", shipping: "3.62", discount: "2.50" },
            _ => Extras { tax: "0", shipping_tax: "0", shipping: "0", discount: "0" },
        }
    }
}

const CARD: (&str, &str) = ("stripe", "Card");
const BERT: (&str, &str, &str) = ("Bert", "Berg", "Berg & Sons");
const GUEST: (&str, &str, &str) = ("Gina", "Guest", "");

/// `created` and the first of `paid` are UTC; the local time follows, and the seconds.
const ORDERS: [Order; 9] = [
    Order {
        id: 501,
        status: "wc-completed",
        currency: "EUR",
        total: "25.00000000",
        customer: 2,
        email: "bert@mail.example",
        created: ("2026-10-31 22:30:00", "2026-10-31 23:30:00"),
        paid: Some(("2026-10-31 22:31:00", 1_793_485_860)),
        method: CARD,
        who: BERT,
        place: ("Kiel", "DE"),
    },
    Order {
        id: 502,
        status: "wc-completed",
        currency: "EUR",
        total: "40.00000000",
        customer: 2,
        email: "bert@mail.example",
        created: ("2026-10-31 23:30:00", "2026-11-01 00:30:00"),
        paid: Some(("2026-11-02 08:00:00", 1_793_606_400)),
        method: ("bacs", "Bank transfer"),
        who: BERT,
        place: ("Kiel", "DE"),
    },
    Order {
        id: 503,
        status: "wc-processing",
        currency: "EUR",
        total: "12.50000000",
        customer: 0,
        email: "guest@mail.example",
        created: ("2026-11-10 12:00:00", "2026-11-10 13:00:00"),
        paid: Some(("2026-11-10 12:01:00", 1_794_312_060)),
        method: CARD,
        who: GUEST,
        place: ("Wien", "AT"),
    },
    Order {
        id: 504,
        status: "wc-on-hold",
        currency: "CHF",
        total: "30.00000000",
        customer: 2,
        email: "bert@mail.example",
        created: ("2026-11-11 12:00:00", "2026-11-11 13:00:00"),
        paid: None,
        method: ("bacs", "Bank transfer"),
        who: BERT,
        place: ("Basel", "CH"),
    },
    Order {
        id: 505,
        status: "wc-cancelled",
        currency: "EUR",
        total: "90.00000000",
        customer: 0,
        email: "guest@mail.example",
        created: ("2026-11-12 12:00:00", "2026-11-12 13:00:00"),
        paid: None,
        method: CARD,
        who: GUEST,
        place: ("Wien", "AT"),
    },
    Order {
        id: 506,
        status: "trash",
        currency: "EUR",
        total: "77.00000000",
        customer: 0,
        email: "guest@mail.example",
        created: ("2026-11-13 12:00:00", "2026-11-13 13:00:00"),
        paid: None,
        method: CARD,
        who: GUEST,
        place: ("Wien", "AT"),
    },
    Order {
        id: 507,
        status: "wc-checkout-draft",
        currency: "EUR",
        total: "10.00000000",
        customer: 0,
        email: "",
        created: ("2026-11-14 12:00:00", "2026-11-14 13:00:00"),
        paid: None,
        method: ("", ""),
        who: ("", "", ""),
        place: ("", ""),
    },
    Order {
        id: 508,
        status: "auto-draft",
        currency: "EUR",
        total: "0.00000000",
        customer: 0,
        email: "",
        created: ("2026-11-15 12:00:00", "2026-11-15 13:00:00"),
        paid: None,
        method: ("", ""),
        who: ("", "", ""),
        place: ("", ""),
    },
    Order {
        id: 509,
        status: "wc-packed",
        currency: "EUR",
        total: "5.00000000",
        customer: 3,
        email: "cleo@shop.example",
        created: ("2026-11-16 12:00:00", "2026-11-16 13:00:00"),
        paid: Some(("2026-11-16 12:05:00", 1_794_830_700)),
        method: CARD,
        who: ("Cleo", "Clark", ""),
        place: ("Kiel", "DE"),
    },
];

/// (order, name, kind, quantity, total, product, variation).
const LINES: [(i64, &str, &str, &str, &str, i64, i64); 7] = [
    (501, "Mug", "line_item", "2", "20", 10, 0),
    (501, "Sticker &amp; more", "line_item", "1", "0", 15, 0),
    (501, "Parcel", "shipping", "", "5", 0, 0),
    (502, "T-Shirt - Red", "line_item", "2", "30", 11, 12),
    (503, "Mug", "line_item", "1.5", "12.5", 10, 0),
    (505, "Vase", "line_item", "9", "90", 18, 0),
    (601, "Mug", "line_item", "-1", "-10", 10, 0),
];

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// The statements that fill the shop's orders, their lines and the one refund.
pub(crate) fn statements(store: Store) -> String {
    let mut sql = String::from(match store {
        Store::Own => {
            "INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('woocommerce_custom_orders_table_enabled', 'yes', 'on');"
        }
        Store::Posts => {
            "INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('woocommerce_custom_orders_table_enabled', 'no', 'on');"
        }
    });
    for order in &ORDERS {
        match store {
            Store::Own => own(&mut sql, order),
            Store::Posts => post(&mut sql, order),
        }
    }
    match store {
        Store::Own => sql.push_str(
            "INSERT INTO {p}wc_orders VALUES (601, 'wc-completed', 'EUR', 'shop_order_refund', -10, NULL, NULL, '2026-11-03 10:00:00', 501, NULL, NULL, NULL, NULL, 0);\
             INSERT INTO {p}wc_order_operational_data VALUES (601, 601, '', NULL, NULL, 0, 0, 0);",
        ),
        Store::Posts => sql.push_str(
            "INSERT INTO {p}posts VALUES (601, 1, '2026-11-03 11:00:00', '2026-11-03 10:00:00', '', 'Refund', '', 'wc-completed', '', 'refund', '2026-11-03 11:00:00', 501, 0, 'shop_order_refund', 0);\
             INSERT INTO {p}postmeta (post_id, meta_key, meta_value) VALUES (601, '_refund_amount', '10.00'), (601, '_order_total', '-10.00'), (601, '_order_currency', 'EUR');",
        ),
    }
    for (number, (order, name, kind, quantity, total, product, variation)) in (1..).zip(LINES) {
        sql.push_str(&format!(
            "INSERT INTO {{p}}woocommerce_order_items VALUES ({number}, {}, '{kind}', {order});\
             INSERT INTO {{p}}woocommerce_order_itemmeta (order_item_id, meta_key, meta_value) VALUES ({number}, '_qty', '{quantity}'), ({number}, '_line_total', '{total}'), ({number}, '_product_id', '{product}'), ({number}, '_variation_id', '{variation}');",
            text(name)
        ));
    }
    sql.push_str(
        "INSERT INTO {p}woocommerce_order_items VALUES (90, 'Summer', 'coupon', 502);\
         INSERT INTO {p}woocommerce_order_itemmeta (order_item_id, meta_key, meta_value) VALUES (90, 'discount_amount', '2.5');\
         INSERT INTO {p}wc_order_stats (order_id, returning_customer) VALUES (501, 0), (502, 1);",
    );
    sql
}

fn own(sql: &mut String, order: &Order) {
    let Order { id, status, currency, total, customer, email, created, paid, method, who, place } = order;
    let paid = paid.map_or("NULL".to_owned(), |(gmt, _)| text(gmt));
    let completed = if *status == "wc-completed" { paid.clone() } else { "NULL".to_owned() };
    let extras = order.extras();
    sql.push_str(&format!(
        "INSERT INTO {{p}}posts VALUES ({id}, 0, '{local}', '{gmt}', '', '', '', 'draft', '', '', '{local}', 0, 0, 'shop_order_placehold', 0);\
         INSERT INTO {{p}}wc_orders VALUES ({id}, '{status}', '{currency}', 'shop_order', {total}, {customer}, {}, '{gmt}', 0, {}, {}, 'PLANTED-transaction', '203.0.113.5', {});\
         INSERT INTO {{p}}wc_order_operational_data VALUES ({id}, {id}, 'PLANTED-order-key', {paid}, {completed}, {}, {}, {});",
        text(email),
        text(method.0),
        text(method.1),
        extras.tax,
        extras.shipping_tax,
        extras.shipping,
        extras.discount,
        gmt = created.0,
        local = created.1,
    ));
    for (row, kind) in [(id * 2, "billing"), (id * 2 + 1, "shipping")] {
        sql.push_str(&format!(
            "INSERT INTO {{p}}wc_order_addresses VALUES ({row}, {id}, '{kind}', {}, {}, {}, {}, {}, {}, '+49 431 1');",
            text(who.0),
            text(who.1),
            text(who.2),
            text(place.0),
            text(place.1),
            text(email),
        ));
    }
}

fn post(sql: &mut String, order: &Order) {
    let Order { id, status, currency, total, customer, email, created, paid, method, who, place } = order;
    let seconds = paid.map_or(String::new(), |(_, seconds)| seconds.to_string());
    let completed = if *status == "wc-completed" { seconds.clone() } else { String::new() };
    let customer = customer.to_string();
    let extras = order.extras();
    let total = total.trim_end_matches("000000");
    sql.push_str(&format!(
        "INSERT INTO {{p}}posts VALUES ({id}, 1, '{}', '{}', '', 'Order', '', '{status}', 'PLANTED-order-key', 'order-{id}', '{}', 0, 0, 'shop_order', 1);",
        created.1, created.0, created.1
    ));
    for (key, value) in [
        ("_order_total", total),
        ("_order_tax", extras.tax),
        ("_order_shipping_tax", extras.shipping_tax),
        ("_order_shipping", extras.shipping),
        ("_cart_discount", extras.discount),
        ("_order_currency", *currency),
        ("_customer_user", customer.as_str()),
        ("_billing_email", *email),
        ("_date_paid", seconds.as_str()),
        ("_date_completed", completed.as_str()),
        ("_payment_method", method.0),
        ("_payment_method_title", method.1),
        ("_billing_first_name", who.0),
        ("_billing_last_name", who.1),
        ("_billing_company", who.2),
        ("_billing_city", place.0),
        ("_billing_country", place.1),
        ("_billing_phone", "+49 431 1"),
        ("_shipping_first_name", who.0),
        ("_shipping_last_name", who.1),
        ("_shipping_company", who.2),
        ("_shipping_city", place.0),
        ("_shipping_country", place.1),
        ("_customer_ip_address", "203.0.113.5"),
        ("_order_key", "PLANTED-order-key"),
        ("_transaction_id", "PLANTED-transaction"),
        ("_stripe_source_id", "PLANTED-stripe"),
    ] {
        sql.push_str(&format!(
            "INSERT INTO {{p}}postmeta (post_id, meta_key, meta_value) VALUES ({id}, '{key}', {});",
            text(value)
        ));
    }
}
