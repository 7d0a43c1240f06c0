//! The tables that WooCommerce's reports read, derived from the orders.

use std::collections::BTreeMap;

use super::{
    clock::Clock,
    money::real,
    order_rows::{ItemIds, share, taxes},
    orders::{Order, Refund, Status, taxed},
    products::Product,
    store::{Money, Row, Value, row},
    users::User,
    world::World,
};

/// Statuses whose orders do not make somebody a returning customer.
const NOT_BOUGHT: &[Status] =
    &[Status::Pending, Status::Failed, Status::Cancelled, Status::Trash, Status::CheckoutDraft];

/// Numbers customers: registered ones first, then guests by mail address in the order of their first order.
fn customers(orders: &[Order], users: &[User]) -> BTreeMap<(i64, String), i64> {
    let registered = users.iter().filter(|u| u.is("customer")).map(|u| (u.id, String::new()));
    let mut ids = BTreeMap::new();
    for key in registered.chain(orders.iter().map(who)) {
        let next = ids.len() as i64 + 1;
        ids.entry(key).or_insert(next);
    }
    ids
}

fn who(order: &Order) -> (i64, String) {
    (order.user, if order.user == 0 { order.person.email.clone() } else { String::new() })
}

/// Adds the lookup tables.
pub(crate) fn add(
    world: &mut World,
    orders: &[Order],
    items: &[ItemIds],
    products: &[Product],
    users: &[User],
    coupons: &[super::coupons::Coupon],
) {
    let ids = customers(orders, users);
    add_customers(world, orders, users, &ids);
    let clock = world.clock.clone();
    let mut bought: Vec<i64> = Vec::new();
    for (order, item) in orders.iter().zip(items) {
        let customer = ids.get(&who(order)).copied().unwrap_or_default();
        let returning = bought.contains(&customer);
        if !NOT_BOUGHT.contains(&order.status) {
            bought.push(customer);
        }
        let tax = order.cart_tax() + order.shipping_tax();
        world.tables.add(
            "wc_order_stats",
            row! {
                "order_id" => order.id, "parent_id" => 0, "date_created" => clock.local(order.at),
                "date_created_gmt" => clock.gmt(order.at),
                "date_paid" => order.paid.map(|at| clock.local(at)),
                "date_completed" => order.completed.map(|at| clock.local(at)),
                "num_items_sold" => order.pieces(), "total_sales" => Money(order.total()),
                "tax_total" => Money(tax), "shipping_total" => Money(order.shipping_net()),
                "net_total" => Money(order.total() - tax - order.shipping_net()),
                "returning_customer" => returning, "status" => stats_status(order),
                "customer_id" => customer,
            },
        );
        for (line, item) in (0..order.lines.len()).zip(&item.lines) {
            if let Some(row) = product_row(&clock, order, line, *item, products, customer) {
                world.tables.add("wc_order_product_lookup", row);
            }
        }
        for (place, cart, shipping) in taxes(order) {
            world.tables.add(
                "wc_order_tax_lookup",
                row! {
                    "order_id" => order.id, "tax_rate_id" => place as i64 + 1,
                    "date_created" => clock.local(order.at), "shipping_tax" => Money(shipping),
                    "order_tax" => Money(cart), "total_tax" => Money(cart + shipping),
                },
            );
        }
        if let Some(coupon) = order.coupon.and_then(|c| coupons.get(c)) {
            world.tables.add(
                "wc_order_coupon_lookup",
                row! {
                    "order_id" => order.id, "coupon_id" => coupon.id, "date_created" => clock.local(order.at),
                    "discount_amount" => Money(order.discount()),
                },
            );
        }
        for (refund, refunded) in order.refunds.iter().zip(&item.refunds) {
            add_refund(world, &clock, order, refund, item, *refunded, products, customer);
        }
    }
}

fn stats_status(order: &Order) -> &'static str {
    // Analytics prefix even the trash.
    if order.status == Status::Trash { "wc-trash" } else { order.status.stored() }
}

fn product_row(
    clock: &Clock,
    order: &Order,
    line: usize,
    item: i64,
    products: &[Product],
    customer: i64,
) -> Option<Row> {
    let line = order.lines.get(line)?;
    let product = products.get(line.product)?;
    let variation = line.variation.and_then(|v| product.variations.get(v)).map_or(0, |v| v.id);
    let tax = taxed(line.total, line.rate);
    let shipping = share(order.shipping_net(), line.quantity, order.pieces());
    let shipping_tax = share(order.shipping_tax(), line.quantity, order.pieces());
    Some(row! {
        "order_item_id" => item, "order_id" => order.id, "product_id" => product.id,
        "variation_id" => variation, "customer_id" => customer, "date_created" => clock.local(order.at),
        "product_qty" => line.quantity, "product_net_revenue" => Money(line.total),
        "product_gross_revenue" => real(line.total + tax) + shipping + shipping_tax,
        "coupon_amount" => Money(line.subtotal - line.total), "tax_amount" => Money(tax),
        "shipping_amount" => shipping, "shipping_tax_amount" => shipping_tax,
    })
}

#[allow(clippy::too_many_arguments, reason = "one row needs all of an order's facts")]
fn add_refund(
    world: &mut World,
    clock: &Clock,
    order: &Order,
    refund: &Refund,
    items: &ItemIds,
    item: i64,
    products: &[Product],
    customer: i64,
) {
    // A full refund without lines takes back everything the order had; a sum without lines counts as net.
    let (tax, shipping, pieces) = match (refund.full, refund.piece) {
        (true, _) => (order.cart_tax() + order.shipping_tax(), order.shipping_net(), order.pieces()),
        (false, Some((_, _, tax))) => (tax, 0, 1),
        (false, None) => (0, 0, 0),
    };
    let at = clock.local(refund.at);
    world.tables.add(
        "wc_order_stats",
        row! {
            "order_id" => refund.id, "parent_id" => order.id, "date_created" => at.clone(),
            "date_created_gmt" => clock.gmt(refund.at), "date_paid" => at.clone(),
            "date_completed" => at.clone(), "num_items_sold" => -pieces,
            "total_sales" => Money(-refund.amount), "tax_total" => Money(-tax),
            "shipping_total" => Money(-shipping), "net_total" => Money(-(refund.amount - tax - shipping)),
            "returning_customer" => Value::Null, "status" => stats_status(order), "customer_id" => customer,
        },
    );
    if refund.full {
        for (line, item) in (0..order.lines.len()).zip(&items.lines) {
            let Some(row) = product_row(clock, order, line, *item, products, customer) else { continue };
            world.tables.add("wc_order_product_lookup", take_back(row, refund.id, &at));
        }
    } else if let Some((place, net, tax)) = refund.piece
        && let Some(line) = order.lines.get(place)
        && let Some(product) = products.get(line.product)
    {
        let variation = line.variation.and_then(|v| product.variations.get(v)).map_or(0, |v| v.id);
        world.tables.add(
            "wc_order_product_lookup",
            row! {
                "order_item_id" => item, "order_id" => refund.id, "product_id" => product.id,
                "variation_id" => variation, "customer_id" => customer, "date_created" => at.clone(),
                "product_qty" => -1, "product_net_revenue" => Money(-net),
                "product_gross_revenue" => Money(-(net + tax)), "tax_amount" => Money(-tax),
            },
        );
        if let Some(rate) = line.rate {
            world.tables.add(
                "wc_order_tax_lookup",
                row! {
                    "order_id" => refund.id, "tax_rate_id" => rate as i64 + 1, "date_created" => at,
                    "order_tax" => Money(-tax), "total_tax" => Money(-tax),
                },
            );
        }
    }
}

/// Turns an order's row into the one that takes it back.
fn take_back(row: Row, refund: i64, at: &str) -> Row {
    row.into_iter()
        .map(|(column, value)| match (column, value) {
            ("order_id", _) => (column, Value::from(refund)),
            ("date_created", _) => (column, Value::from(at)),
            ("product_qty", Value::Int(n)) => (column, Value::from(-n)),
            // Minus zero would read as a number of its own.
            (_, Value::Real(d)) if d != 0.0 => (column, Value::from(-d)),
            other => other,
        })
        .collect()
}

fn add_customers(world: &mut World, orders: &[Order], users: &[User], ids: &BTreeMap<(i64, String), i64>) {
    let mut by_id: Vec<_> = ids.iter().map(|((user, mail), id)| (*id, *user, mail)).collect();
    by_id.sort_unstable();
    for (id, user, mail) in by_id {
        let last = orders.iter().filter(|o| who(o) == (user, mail.clone())).map(|o| o.at).max();
        let account = users.iter().find(|u| u.id == user);
        let person = account
            .map(|u| &u.person)
            .or_else(|| orders.iter().find(|o| o.user == 0 && o.person.email == *mail).map(|o| &o.person));
        let Some(p) = person else { continue };
        let active = last.or(account.map(|u| u.registered));
        world.tables.add(
            "wc_customer_lookup",
            row! {
                "customer_id" => id, "user_id" => (user != 0).then_some(user),
                "username" => account.map_or(String::new(), |u| u.login.clone()), "first_name" => p.first,
                "last_name" => p.last, "email" => &p.email,
                "date_last_active" => active.map(|at| world.clock.gmt(at)),
                "date_registered" => account.map(|u| world.clock.gmt(u.registered)), "country" => p.country,
                "postcode" => &p.postcode, "city" => p.city, "state" => p.state,
            },
        );
    }
}
