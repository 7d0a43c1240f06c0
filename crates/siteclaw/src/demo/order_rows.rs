//! Orders as rows of the order tables (high-performance order storage, without synchronisation to posts).

use super::{
    clock::DAY,
    money::{self, exact_tax, text},
    orders::{Line, Order, Refund, Status, taxed},
    products::Product,
    seed::Rng,
    serialize::{Php, assoc},
    shop::RATES,
    store::{Money, Value, row},
    world::{Post, World},
};

const VERSION: &str = "11.0.1";

/// Ids of the rows in `woocommerce_order_items` that analytics go by.
#[derive(Debug, Default)]
pub(crate) struct ItemIds {
    /// One an order line.
    pub(crate) lines: Vec<i64>,
    /// One a refund; 0 when it names no line.
    pub(crate) refunds: Vec<i64>,
}

/// Writes items of orders and numbers them.
struct Items {
    last: i64,
}

impl Items {
    fn add(
        &mut self,
        world: &mut World,
        order: i64,
        kind: &str,
        name: &str,
        meta: Vec<(&str, Value)>,
    ) -> i64 {
        self.last += 1;
        world.tables.add(
            "woocommerce_order_items",
            row! {
                "order_item_id" => self.last, "order_item_name" => name, "order_item_type" => kind,
                "order_id" => order,
            },
        );
        world.tables.metas("woocommerce_order_itemmeta", self.last, meta);
        self.last
    }
}

/// Adds all orders and their refunds; gives the item ids by order.
pub(crate) fn add(
    world: &mut World,
    orders: &[Order],
    products: &[Product],
    coupons: &[super::coupons::Coupon],
) -> Vec<ItemIds> {
    let mut rng = world.rng("order rows");
    let mut items = Items { last: 0 };
    let mut ids: Vec<ItemIds> = Vec::new();
    for order in orders {
        add_order(world, &mut rng, order);
        let mut of_order = ItemIds::default();
        for line in &order.lines {
            of_order.lines.push(add_line(world, &mut items, order, line, products));
        }
        if let Some((cents, rate)) = order.fee {
            items.add(
                world,
                order.id,
                "fee",
                "Gift wrapping",
                vec![
                    ("_fee_amount", Value::from(text(cents))),
                    ("_tax_class", Value::from("")),
                    ("_tax_status", Value::from("taxable")),
                    ("_line_total", Value::from(text(cents))),
                    ("_line_tax", Value::from(text(taxed(cents, rate)))),
                    ("_line_tax_data", Value::from(assoc! { "total" => by_rate(cents, rate) })),
                ],
            );
        }
        if let Some((method, instance, title, cents)) = order.shipping {
            items.add(
                world,
                order.id,
                "shipping",
                title,
                vec![
                    ("method_id", Value::from(method)),
                    ("instance_id", Value::from(instance.to_string())),
                    ("cost", Value::from(text(cents))),
                    ("total_tax", Value::from(text(order.shipping_tax()))),
                    ("taxes", Value::from(assoc! { "total" => by_rate(cents, order.shipping_rate) })),
                ],
            );
        }
        for (place, cart, shipping) in taxes(order) {
            add_tax(world, &mut items, order.id, place, cart, shipping);
        }
        if let Some(coupon) = order.coupon.and_then(|c| coupons.get(c)) {
            let (kind, amount) = match coupon.off {
                super::coupons::Off::Percent(n) => ("percent", n.to_string()),
                super::coupons::Off::Cart(cents) => ("fixed_cart", text(cents)),
            };
            items.add(
                world,
                order.id,
                "coupon",
                coupon.code,
                vec![
                    ("discount_amount", Value::from(text(order.discount()))),
                    ("discount_amount_tax", Value::from(text(order.discount_tax()))),
                    (
                        "coupon_info",
                        Value::from(format!("[{},\"{}\",\"{kind}\",{amount}]", coupon.id, coupon.code)),
                    ),
                ],
            );
        }
        ids.push(of_order);
    }
    // Refunds came later, so their items have the higher ids.
    for (order, of_order) in orders.iter().zip(&mut ids) {
        for refund in &order.refunds {
            of_order.refunds.push(add_refund(world, &mut items, order, refund, products, &of_order.lines));
        }
    }
    ids
}

/// The taxes of an order by rate: place, on the cart, on shipping.
pub(crate) fn taxes(order: &Order) -> Vec<(usize, i64, i64)> {
    let cart: Vec<(i64, Option<usize>)> =
        order.lines.iter().map(|l| (l.total, l.rate)).chain(order.fee).collect();
    (0..RATES.len())
        .filter(|place| {
            cart.iter().any(|(_, rate)| *rate == Some(*place))
                || (order.shipping.is_some() && order.shipping_rate == Some(*place))
        })
        .map(|place| {
            let on_cart = cart.iter().filter(|(_, r)| *r == Some(place)).map(|(c, r)| taxed(*c, *r)).sum();
            (place, on_cart, if order.shipping_rate == Some(place) { order.shipping_tax() } else { 0 })
        })
        .collect()
}

fn by_rate(cents: i64, rate: Option<usize>) -> Php {
    Php::map(rate.and_then(|place| RATES.get(place).map(|r| (place as i64 + 1, exact_tax(cents, r.rate)))))
}

fn add_order(world: &mut World, rng: &mut Rng, order: &Order) {
    let (clock, p) = (world.clock.clone(), &order.person);
    let gmt = |at: Option<i64>| at.map(|at| clock.gmt(at));
    let shipping_tax = order.shipping_tax();
    world.add_post(Post {
        status: "draft",
        parent: 0,
        ..Post::new("shop_order_placehold", order.id, order.at)
    });
    world.tables.add(
        "wc_orders",
        row! {
            "id" => order.id, "status" => order.status.stored(), "currency" => order.currency,
            "type" => "shop_order", "tax_amount" => Money(order.cart_tax()),
            "total_amount" => Money(order.total()), "customer_id" => order.user,
            "billing_email" => &p.email, "date_created_gmt" => clock.gmt(order.at),
            "date_updated_gmt" => clock.gmt(order.updated()), "parent_order_id" => 0,
            "payment_method" => order.method.0, "payment_method_title" => order.method.1,
            "transaction_id" => &order.transaction, "ip_address" => &order.ip, "user_agent" => &order.agent,
            "customer_note" => &order.note,
        },
    );
    for kind in ["billing", "shipping"] {
        world.tables.add(
            "wc_order_addresses",
            row! {
                "order_id" => order.id, "address_type" => kind, "first_name" => p.first,
                "last_name" => p.last, "company" => (!p.company.is_empty()).then_some(p.company),
                "address_1" => &p.street, "city" => p.city,
                "state" => (!p.state.is_empty()).then_some(p.state), "postcode" => &p.postcode,
                "country" => p.country, "email" => (kind == "billing").then(|| p.email.clone()),
                "phone" => &p.phone,
            },
        );
    }
    let counts = order.status.counts();
    world.tables.add(
        "wc_order_operational_data",
        row! {
            "order_id" => order.id, "created_via" => order.via, "woocommerce_version" => VERSION,
            "prices_include_tax" => false, "coupon_usages_are_counted" => counts,
            "download_permission_granted" => order.status.paid(), "cart_hash" => rng.hex(32),
            "new_order_email_sent" => counts, "order_key" => &order.key, "order_stock_reduced" => counts,
            "date_paid_gmt" => gmt(order.paid), "date_completed_gmt" => gmt(order.completed),
            "shipping_tax_amount" => Money(shipping_tax),
            "shipping_total_amount" => Money(order.shipping_net()),
            "discount_tax_amount" => Money(order.discount_tax()),
            "discount_total_amount" => Money(order.discount()), "recorded_sales" => counts,
        },
    );
    let street = format!(
        "{} {} {} {}  {} {} {} {}",
        p.first, p.last, p.company, p.street, p.city, p.state, p.postcode, p.country
    );
    let source =
        rng.weighted(&[(5, ("organic", "google")), (3, ("typein", "(direct)")), (2, ("utm", "newsletter"))]);
    let (source, medium) = source.unwrap_or(("typein", "(direct)"));
    let mut meta = vec![
        ("_wc_order_attribution_source_type", Value::from(source)),
        ("_wc_order_attribution_utm_source", Value::from(medium)),
        ("_wc_order_attribution_device_type", Value::from(rng.word(&["Desktop", "Mobile"]))),
        ("_billing_address_index", Value::from(format!("{street} {} {}", p.email, p.phone))),
        ("_shipping_address_index", Value::from(format!("{street} {}", p.phone))),
    ];
    if !order.transaction.is_empty() {
        meta.push(("_stripe_customer_id", Value::from(format!("cus_{}", rng.alnum(14)))));
        meta.push(("_stripe_source_id", Value::from(format!("pm_1{}", rng.alnum(23)))));
    }
    if order.status == Status::Trash {
        meta.push(("_wp_trash_meta_status", Value::from("wc-pending")));
        meta.push(("_wp_trash_meta_time", Value::from((order.at + DAY).min(clock.end()).to_string())));
    }
    world.tables.metas("wc_orders_meta", order.id, meta);
}

fn add_line(world: &mut World, items: &mut Items, order: &Order, line: &Line, products: &[Product]) -> i64 {
    let Some(product) = products.get(line.product) else { return 0 };
    let variation = line.variation.and_then(|v| product.variations.get(v));
    let mut name = product.name.clone();
    if let Some(variation) = variation {
        let choices: Vec<&str> = variation.attributes.iter().map(|(_, _, name)| *name).collect();
        name = format!("{name} - {}", choices.join(", "));
    }
    let mut meta = vec![
        ("_product_id", Value::from(product.id.to_string())),
        ("_variation_id", Value::from(variation.map_or(0, |v| v.id).to_string())),
        ("_qty", Value::from(line.quantity.to_string())),
        ("_tax_class", Value::from(if product.shelf.reduced { "reduced-rate" } else { "" })),
        ("_line_subtotal", Value::from(text(line.subtotal))),
        ("_line_subtotal_tax", Value::from(text(taxed(line.subtotal, line.rate)))),
        ("_line_total", Value::from(text(line.total))),
        ("_line_tax", Value::from(text(taxed(line.total, line.rate)))),
        (
            "_line_tax_data",
            Value::from(assoc! {
                "total" => by_rate(line.total, line.rate), "subtotal" => by_rate(line.subtotal, line.rate),
            }),
        ),
    ];
    if let Some(variation) = variation {
        meta.extend(variation.attributes.iter().map(|(taxonomy, slug, _)| (*taxonomy, Value::from(slug))));
    }
    if order.status.counts() && (variation.is_some() || product.stock.quantity.is_some()) {
        meta.push(("_reduced_stock", Value::from(line.quantity.to_string())));
    }
    items.add(world, order.id, "line_item", &name, meta)
}

fn add_tax(world: &mut World, items: &mut Items, order: i64, place: usize, cart: i64, shipping: i64) {
    let Some(rate) = RATES.get(place) else { return };
    let percent = text(rate.rate);
    items.add(
        world,
        order,
        "tax",
        &format!("{}-{}-1", rate.country, rate.name.to_uppercase()),
        vec![
            ("rate_id", Value::from((place + 1).to_string())),
            ("label", Value::from(rate.name)),
            ("compound", Value::from("")),
            ("tax_amount", Value::from(text(cart))),
            ("shipping_tax_amount", Value::from(text(shipping))),
            ("rate_percent", Value::from(percent.trim_end_matches('0').trim_end_matches('.'))),
        ],
    );
}

fn add_refund(
    world: &mut World,
    items: &mut Items,
    order: &Order,
    refund: &Refund,
    products: &[Product],
    line_ids: &[i64],
) -> i64 {
    let tax = refund.piece.map_or(0, |(_, _, tax)| tax);
    world.add_post(Post {
        status: "draft",
        parent: order.id,
        ..Post::new("shop_order_placehold", refund.id, refund.at)
    });
    let at = world.clock.gmt(refund.at);
    world.tables.add(
        "wc_orders",
        row! {
            "id" => refund.id, "status" => "wc-completed", "currency" => order.currency,
            "type" => "shop_order_refund", "tax_amount" => Money(-tax),
            "total_amount" => Money(-refund.amount), "customer_id" => Value::Null,
            "date_created_gmt" => at.clone(), "date_updated_gmt" => at, "parent_order_id" => order.id,
        },
    );
    world.tables.add(
        "wc_order_operational_data",
        row! {
            "order_id" => refund.id, "woocommerce_version" => VERSION, "prices_include_tax" => false,
            "shipping_tax_amount" => Money(0), "shipping_total_amount" => Money(0),
            "discount_tax_amount" => Money(0), "discount_total_amount" => Money(0),
        },
    );
    world.tables.metas(
        "wc_orders_meta",
        refund.id,
        [
            ("_refund_amount", Value::from(text(refund.amount))),
            ("_refunded_by", Value::from("1")),
            ("_refunded_payment", Value::from(if order.transaction.is_empty() { "" } else { "1" })),
            ("_refund_reason", Value::from(refund.reason)),
            ("_refund_type", Value::from(if refund.full { "full" } else { "partial" })),
        ],
    );
    let Some((place, net, tax)) = refund.piece else { return 0 };
    let (Some(line), Some(parent)) = (order.lines.get(place), line_ids.get(place)) else { return 0 };
    let Some(product) = products.get(line.product) else { return 0 };
    let variation = line.variation.and_then(|v| product.variations.get(v)).map_or(0, |v| v.id);
    let data = || line.rate.map(|r| (r as i64 + 1, text(-tax)));
    let item = items.add(
        world,
        refund.id,
        "line_item",
        &product.name,
        vec![
            ("_product_id", Value::from(product.id.to_string())),
            ("_variation_id", Value::from(variation.to_string())),
            ("_qty", Value::from("-1")),
            ("_tax_class", Value::from(if product.shelf.reduced { "reduced-rate" } else { "" })),
            ("_line_subtotal", Value::from(text(-net))),
            ("_line_subtotal_tax", Value::from(text(-tax))),
            ("_line_total", Value::from(text(-net))),
            ("_line_tax", Value::from(text(-tax))),
            (
                "_line_tax_data",
                Value::from(assoc! { "total" => Php::map(data()), "subtotal" => Php::map(data()) }),
            ),
            ("_refunded_item_id", Value::from(parent.to_string())),
        ],
    );
    if let Some(rate) = line.rate {
        add_tax(world, items, refund.id, rate, -tax, 0);
    }
    item
}

/// How much of a sum falls on `part` of `whole` pieces, as analytics spread shipping.
pub(crate) fn share(cents: i64, part: i64, whole: i64) -> f64 {
    money::real(cents * part) / (whole.max(1) as f64)
}
