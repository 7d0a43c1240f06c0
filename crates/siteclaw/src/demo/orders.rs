//! Orders before they are written: 400 over twelve months, with lines, discounts, tax, payment and refunds.
//!
//! Prices are net. Every sum is whole cents, and the total of an order is the sum of what is on it.

use std::collections::BTreeSet;

use super::{
    checkout,
    clock::{DAY, HOUR},
    coupons::Coupon,
    money,
    people::Person,
    products::Product,
    seed::Rng,
    shop::{Method, RATES},
    users::User,
    world::World,
};

/// How many orders have which status, and among the newest how many they are drawn from.
const STATUSES: &[(usize, Status, usize)] = &[
    (20, Status::CheckoutDraft, 170),
    (16, Status::Pending, 170),
    (18, Status::OnHold, 170),
    (62, Status::Processing, 130),
    (14, Status::Refunded, 400),
    (8, Status::Failed, 400),
    (26, Status::Cancelled, 400),
    (14, Status::Trash, 400),
];
/// Failed payments of one night from one address: somebody tries stolen cards.
pub(crate) const CARD_TESTS: usize = 8;
/// Orders in pounds.
pub(crate) const IN_POUNDS: usize = 9;
/// Partial refunds, by sum and by line; every order in status refunded has a full one besides.
pub(crate) const REFUNDS_BY_SUM: usize = 12;
pub(crate) const REFUNDS_BY_LINE: usize = 10;
/// All orders.
pub(crate) const ORDERS: usize = 400;

/// The statuses of WooCommerce, and the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Processing,
    Completed,
    OnHold,
    Pending,
    Cancelled,
    Refunded,
    Failed,
    CheckoutDraft,
    Trash,
}

impl Status {
    /// As stored with the order.
    pub(crate) fn stored(self) -> &'static str {
        match self {
            Status::Processing => "wc-processing",
            Status::Completed => "wc-completed",
            Status::OnHold => "wc-on-hold",
            Status::Pending => "wc-pending",
            Status::Cancelled => "wc-cancelled",
            Status::Refunded => "wc-refunded",
            Status::Failed => "wc-failed",
            Status::CheckoutDraft => "wc-checkout-draft",
            Status::Trash => "trash",
        }
    }

    /// As people read it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Status::Processing => "Processing",
            Status::Completed => "Completed",
            Status::OnHold => "On hold",
            Status::Refunded => "Refunded",
            Status::Cancelled => "Cancelled",
            Status::Failed => "Failed",
            _ => "Pending payment",
        }
    }

    /// Whether money came in.
    pub(crate) fn paid(self) -> bool {
        matches!(self, Status::Processing | Status::Completed | Status::Refunded)
    }

    /// Whether stock was taken and the sale counted.
    pub(crate) fn counts(self) -> bool {
        self.paid() || self == Status::OnHold
    }
}

/// An order.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) status: Status,
    /// 0 for a guest.
    pub(crate) user: i64,
    pub(crate) person: Person,
    pub(crate) currency: &'static str,
    pub(crate) lines: Vec<Line>,
    pub(crate) shipping: Option<Method>,
    /// Place in [`RATES`].
    pub(crate) shipping_rate: Option<usize>,
    /// Net, in cents, and the place of its rate.
    pub(crate) fee: Option<(i64, Option<usize>)>,
    /// Place among the coupons.
    pub(crate) coupon: Option<usize>,
    /// Id and title.
    pub(crate) method: (&'static str, &'static str),
    pub(crate) paid: Option<i64>,
    pub(crate) completed: Option<i64>,
    pub(crate) ip: String,
    pub(crate) agent: String,
    pub(crate) note: String,
    pub(crate) transaction: String,
    pub(crate) key: String,
    pub(crate) via: &'static str,
    pub(crate) refunds: Vec<Refund>,
}

/// A line of an order. Sums are net cents for all pieces.
#[derive(Debug)]
pub(crate) struct Line {
    /// Place among the products, and among its variations.
    pub(crate) product: usize,
    pub(crate) variation: Option<usize>,
    pub(crate) quantity: i64,
    pub(crate) subtotal: i64,
    pub(crate) total: i64,
    pub(crate) rate: Option<usize>,
}

/// Money given back. `amount` is gross.
#[derive(Debug)]
pub(crate) struct Refund {
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) amount: i64,
    pub(crate) reason: &'static str,
    pub(crate) full: bool,
    /// One piece of a line: place of the line, net, tax.
    pub(crate) piece: Option<(usize, i64, i64)>,
}

/// The tax on a sum at the rate of that place; nothing without a rate.
pub(crate) fn taxed(cents: i64, rate: Option<usize>) -> i64 {
    rate.and_then(|place| RATES.get(place)).map_or(0, |r| money::tax(cents, r.rate))
}

impl Order {
    pub(crate) fn pieces(&self) -> i64 {
        self.lines.iter().map(|l| l.quantity).sum()
    }

    pub(crate) fn shipping_net(&self) -> i64 {
        self.shipping.map_or(0, |(_, _, _, cents)| cents)
    }

    pub(crate) fn shipping_tax(&self) -> i64 {
        taxed(self.shipping_net(), self.shipping_rate)
    }

    pub(crate) fn fee_tax(&self) -> i64 {
        self.fee.map_or(0, |(cents, rate)| taxed(cents, rate))
    }

    /// Tax on lines and fee.
    pub(crate) fn cart_tax(&self) -> i64 {
        self.lines.iter().map(|l| taxed(l.total, l.rate)).sum::<i64>() + self.fee_tax()
    }

    pub(crate) fn discount(&self) -> i64 {
        self.lines.iter().map(|l| l.subtotal - l.total).sum()
    }

    pub(crate) fn discount_tax(&self) -> i64 {
        self.lines.iter().map(|l| taxed(l.subtotal, l.rate) - taxed(l.total, l.rate)).sum()
    }

    /// What the customer pays.
    pub(crate) fn total(&self) -> i64 {
        self.lines.iter().map(|l| l.total).sum::<i64>()
            + self.fee.map_or(0, |(cents, _)| cents)
            + self.shipping_net()
            + self.cart_tax()
            + self.shipping_tax()
    }

    /// The id that stock and sales of a line go by: the variation's, else the product's.
    pub(crate) fn product_of(&self, line: &Line, products: &[Product]) -> i64 {
        let Some(product) = products.get(line.product) else { return 0 };
        line.variation.and_then(|v| product.variations.get(v)).map_or(product.id, |v| v.id)
    }

    /// The moment of the last change.
    pub(crate) fn updated(&self) -> i64 {
        let refunds = self.refunds.iter().map(|r| r.at);
        [self.paid, self.completed].into_iter().flatten().chain(refunds).fold(self.at, i64::max)
    }
}

/// Makes up the orders, oldest first, counts their sales in `products` and their uses in `coupons`.
pub(crate) fn plan(
    world: &mut World,
    users: &[User],
    products: &mut [Product],
    coupons: &mut [Coupon],
) -> Vec<Order> {
    let mut rng = world.rng("orders");
    let mut checkout = checkout::Checkout::new(&mut rng, users, products);
    let mut orders: Vec<Order> = schedule(world, &mut rng)
        .into_iter()
        .enumerate()
        .map(|(number, (at, status, test))| {
            let id = world.post_id();
            checkout.order(world, &mut rng, coupons, products, (number, id, at, status, test))
        })
        .collect();
    refund(world, &mut rng, &mut orders);
    for order in orders.iter().filter(|o| o.status.counts()) {
        for line in &order.lines {
            if let Some(product) = products.get_mut(line.product) {
                product.sold += line.quantity;
            }
        }
        if let Some(coupon) = order.coupon.and_then(|c| coupons.get_mut(c)) {
            let who = if order.user == 0 { order.person.email.clone() } else { order.user.to_string() };
            coupon.used_by.push(who);
        }
    }
    orders
}

/// When the orders came in, and what became of them. The flag marks the card tests.
fn schedule(world: &World, rng: &mut Rng) -> Vec<(i64, Status, bool)> {
    let end = world.clock.end();
    let night = world.clock.on_day(end - 11 * DAY, 2, 5);
    let mut dates: Vec<(i64, bool)> =
        (0..CARD_TESTS as i64).map(|n| (night + n * 240 + rng.range(0, 90), true)).collect();
    // Around local midnight at the end of a month: another month in local time than in UTC.
    dates.extend((0..6).map(|months| (world.clock.month_end(months) - rng.range(60, 2400), false)));
    // The last day is not over, but it has begun.
    dates.extend(
        [7, 9, 10, 13, 15, 17].map(|hour| (world.clock.on_day(end, hour, rng.range(0, 59) as i8), false)),
    );
    while dates.len() < ORDERS {
        // Two thirds evenly, the rest more and more often: a shop that grows.
        let days = rng.range(0, 364);
        let days = if rng.chance(35) { days * days / 365 } else { days };
        let hour =
            rng.weighted(&[(1, 7), (3, 9), (4, 11), (4, 13), (4, 16), (6, 19), (8, 20), (5, 21), (2, 22)]);
        let at = world.clock.on_day(end - days * DAY, hour.unwrap_or(12), rng.range(0, 59) as i8)
            + rng.range(0, 59);
        if at < end - HOUR {
            dates.push((at, false));
        }
    }
    dates.sort_unstable();
    let mut free: BTreeSet<usize> =
        dates.iter().enumerate().filter(|(_, (_, test))| !test).map(|(i, _)| i).collect();
    let mut statuses = vec![Status::Completed; dates.len()];
    for (count, status, newest) in STATUSES {
        let mut candidates: Vec<usize> = free.iter().copied().filter(|i| *i >= ORDERS - newest).collect();
        if *status == Status::Refunded {
            // Goods come back after they have been sent.
            candidates.retain(|i| dates.get(*i).is_some_and(|(at, _)| end - at > 14 * DAY));
        }
        rng.shuffle(&mut candidates);
        for i in candidates.into_iter().take(*count) {
            free.remove(&i);
            if let Some(slot) = statuses.get_mut(i) {
                *slot = *status;
            }
        }
    }
    dates
        .into_iter()
        .zip(statuses)
        .map(|((at, test), status)| (at, if test { Status::Failed } else { status }, test))
        .collect()
}

fn refund(world: &mut World, rng: &mut Rng, orders: &mut [Order]) {
    const REASONS: &[&str] = &["Damaged in transit", "Wrong size", "Arrived too late", "Changed my mind", ""];
    let end = world.clock.end();
    let mut partly: Vec<usize> = orders
        .iter()
        .enumerate()
        .filter(|(_, o)| o.status == Status::Completed && end - o.at > 12 * DAY && o.lines.len() > 1)
        .map(|(i, _)| i)
        .collect();
    rng.shuffle(&mut partly);
    partly.truncate(REFUNDS_BY_SUM + REFUNDS_BY_LINE);
    let by_line: BTreeSet<usize> = partly.iter().copied().skip(REFUNDS_BY_SUM).collect();
    let partly: BTreeSet<usize> = partly.into_iter().collect();
    for (i, order) in orders.iter_mut().enumerate() {
        let full = order.status == Status::Refunded;
        if !full && !partly.contains(&i) {
            continue;
        }
        let at = order.completed.or(order.paid).unwrap_or(order.at)
            + rng.range(2, 20) * DAY
            + rng.range(0, 6) * HOUR;
        let piece = by_line.contains(&i).then(|| order.lines.first()).flatten().map(|line| {
            let net = money::divide(line.total, line.quantity);
            (0, net, taxed(net, line.rate))
        });
        let amount = match piece {
            Some((_, net, tax)) => net + tax,
            None if full => order.total(),
            None => money::divide(order.total() * rng.range(10, 40), 100),
        };
        let reason = if full { "Order fully refunded." } else { rng.word(REASONS) };
        order.refunds.push(Refund {
            id: world.post_id(),
            at: at.min(end - HOUR),
            amount,
            reason,
            full,
            piece,
        });
    }
}

/// How many orders a user placed, and what was paid for them in euro cents; `None` for somebody who never
/// paid.
pub(crate) fn spent(orders: &[Order], user: i64) -> Option<(i64, i64)> {
    let mine = || orders.iter().filter(|o| o.user == user && o.status != Status::Trash);
    let paid: i64 =
        mine().filter(|o| matches!(o.status, Status::Processing | Status::Completed)).map(Order::total).sum();
    (paid > 0).then(|| (mine().count() as i64, paid))
}
