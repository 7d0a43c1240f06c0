//! One visit to the till: who buys, what lies in the cart, how it is sent and paid.

use super::{
    clock::{DAY, HOUR},
    coupons::{Coupon, Off},
    money,
    orders::{IN_POUNDS, Line, ORDERS, Order, Status},
    people::{self, Person},
    products::{Kind, Product},
    seed::Rng,
    shop::{self, Method, rate_for},
    users::User,
    words,
    world::World,
};

/// Number, id, moment, status, whether it is a card test.
type Slot = (usize, i64, i64, Status, bool);

/// The till: customers, guests seen so far, and goods by popularity.
pub(crate) struct Checkout {
    customers: Vec<User>,
    guests: Vec<Person>,
    britons: Vec<Person>,
    /// Place of the product and of its variation, best sellers first.
    goods: Vec<(usize, Option<usize>)>,
    tester: String,
}

impl Checkout {
    /// Opens the till.
    pub(crate) fn new(rng: &mut Rng, users: &[User], products: &[Product]) -> Self {
        let mut goods = Vec::new();
        for (i, product) in products.iter().enumerate().filter(|(_, p)| p.sellable()) {
            if product.kind == Kind::Variable {
                goods.extend(
                    product
                        .variations
                        .iter()
                        .enumerate()
                        .filter(|(_, v)| v.enabled)
                        .map(|(v, _)| (i, Some(v))),
                );
            } else {
                goods.push((i, None));
            }
        }
        rng.shuffle(&mut goods);
        Checkout {
            customers: users.iter().filter(|u| u.is("customer")).cloned().collect(),
            guests: Vec::new(),
            britons: Vec::new(),
            goods,
            tester: "203.0.113.66".to_owned(),
        }
    }

    /// Rings up one order.
    pub(crate) fn order(
        &mut self,
        world: &mut World,
        rng: &mut Rng,
        coupons: &[Coupon],
        products: &[Product],
        (number, id, at, status, test): Slot,
    ) -> Order {
        // Evenly spread over all but the newest orders, where the card tests are.
        let every = ORDERS * 8 / 10 / IN_POUNDS;
        let pounds = !test && number % every == every / 2 && number / every < IN_POUNDS;
        let (user, person) = self.buyer(world, rng, at, pounds, test);
        let country = person.country;
        let recent = world.clock.end() - at < 20 * DAY;
        let mut lines = Vec::new();
        let wanted = if test { 1 } else { rng.weighted(&[(34, 1), (32, 2), (20, 3), (14, 4)]).unwrap_or(1) };
        while lines.len() < wanted {
            let Some((place, variation)) = self.good(rng) else { break };
            let Some(product) = products.get(place) else { break };
            if lines.iter().any(|l: &Line| l.product == place) {
                continue;
            }
            let price = match variation.and_then(|v| product.variations.get(v)) {
                Some(v) if recent => v.asking(),
                Some(v) => v.price,
                None if recent => product.asking().unwrap_or_default(),
                None => product.price.unwrap_or_default(),
            };
            let price = if pounds { money::divide(price * 86, 100) } else { price };
            let quantity = match product.shelf.category {
                _ if test => 1,
                "cups-glasses" => rng.range(1, 6),
                _ if product.shelf.reduced => rng.range(1, 3),
                _ => rng.weighted(&[(85, 1), (15, 2)]).unwrap_or(1),
            };
            let subtotal = price * quantity;
            let rate = rate_for(country, product.shelf.reduced);
            lines.push(Line { product: place, variation, quantity, subtotal, total: subtotal, rate });
        }
        let coupon = if test { None } else { choose_coupon(rng, coupons, number, at) };
        if let Some(coupon) = coupon.and_then(|c| coupons.get(c)) {
            discount(&mut lines, coupon.off);
        }
        let tangible = lines.iter().any(|l| products.get(l.product).is_some_and(|p| !p.is_virtual()));
        let net: i64 = lines.iter().map(|l| l.total).sum();
        let shipping = tangible.then(|| send(rng, country, net));
        // Shipping follows the goods: the standard rate as soon as one of them has it.
        let all_reduced = lines.iter().all(|l| products.get(l.product).is_some_and(|p| p.shelf.reduced));
        let method = pay(rng, country, status, test);
        let (paid, completed) = settle(rng, world.clock.end(), at, status, method.0);
        let online = method.0.starts_with("stripe");
        Order {
            id,
            at,
            status,
            user,
            person,
            currency: if pounds { "GBP" } else { "EUR" },
            shipping_rate: rate_for(country, all_reduced),
            fee: (!test && tangible && rng.chance(5)).then(|| (250, rate_for(country, false))),
            lines,
            shipping,
            coupon,
            method,
            ip: if test { self.tester.clone() } else { people::address(rng) },
            agent: people::browser(rng),
            note: if !test && rng.chance(11) { words::sentence(rng) } else { String::new() },
            transaction: if paid.is_some() && online {
                format!("pi_3{}", rng.alnum(23))
            } else {
                String::new()
            },
            key: format!("wc_order_{}", rng.alnum(13)),
            via: if status == Status::CheckoutDraft || rng.chance(70) { "store-api" } else { "checkout" },
            paid,
            completed,
            refunds: Vec::new(),
        }
    }

    fn buyer(
        &mut self,
        world: &mut World,
        rng: &mut Rng,
        at: i64,
        pounds: bool,
        test: bool,
    ) -> (i64, Person) {
        if pounds {
            if self.britons.len() < 6 {
                let person = world.people.in_country("GB");
                self.britons.push(person.clone());
                return (0, person);
            }
            return (0, rng.pick(&self.britons).cloned().unwrap_or_default());
        }
        if test {
            return (0, world.people.in_country("US"));
        }
        if rng.chance(58) {
            // The lower of two draws favours the head of the list: a few customers order often.
            let n = self.customers.len();
            let place = rng.below(n).min(rng.below(n));
            if let Some(user) = self.customers.get(place).filter(|u| u.registered < at) {
                return (user.id, user.person.clone());
            }
        }
        if !self.guests.is_empty() && rng.chance(28) {
            return (0, rng.pick(&self.guests).cloned().unwrap_or_default());
        }
        let person = world.people.next();
        self.guests.push(person.clone());
        (0, person)
    }

    fn good(&self, rng: &mut Rng) -> Option<(usize, Option<usize>)> {
        let n = self.goods.len();
        let (a, b) = (rng.below(n), rng.below(n));
        self.goods.get(a.min(b)).copied()
    }
}

fn choose_coupon(rng: &mut Rng, coupons: &[Coupon], number: usize, at: i64) -> Option<usize> {
    // Some early orders take the coupons that end used up, so that each of these has uses.
    let forced = coupons.iter().enumerate().filter(|(_, c)| c.used_up()).map(|(i, _)| i).nth(number % 3);
    if (40..52).contains(&number) {
        return forced;
    }
    if !rng.chance(18) {
        return None;
    }
    let valid: Vec<usize> =
        coupons.iter().enumerate().filter(|(_, c)| c.valid(at) && !c.used_up()).map(|(i, _)| i).collect();
    rng.pick(&valid).copied()
}

fn discount(lines: &mut [Line], off: Off) {
    let whole: i64 = lines.iter().map(|l| l.subtotal).sum();
    match off {
        Off::Percent(percent) => {
            for line in lines {
                line.total = line.subtotal - money::divide(line.subtotal * percent, 100);
            }
        }
        Off::Cart(cents) => {
            let mut left = cents.min(whole);
            let (sum, count) = (left, lines.len());
            for (i, line) in lines.iter_mut().enumerate() {
                // The last line takes what rounding left over.
                let share =
                    if i + 1 == count { left } else { money::divide(line.subtotal * sum, whole.max(1)) };
                let share = share.min(line.subtotal).min(left);
                line.total = line.subtotal - share;
                left -= share;
            }
        }
    }
}

fn send(rng: &mut Rng, country: &str, net: i64) -> Method {
    match country {
        "NL" if rng.chance(9) => shop::PICKUP,
        "NL" if net >= shop::FREE_FROM => shop::FREE,
        "NL" => shop::PARCEL,
        "BE" | "DE" | "FR" => shop::NEIGHBOURS,
        "GB" => shop::BRITAIN,
        _ => shop::WORLD,
    }
}

fn pay(rng: &mut Rng, country: &str, status: Status, test: bool) -> (&'static str, &'static str) {
    const CARD: (&str, &str) = ("stripe", "Credit card (Stripe)");
    match status {
        _ if test => CARD,
        Status::CheckoutDraft => ("", ""),
        Status::OnHold => ("bacs", "Bank transfer"),
        _ if country == "NL" && rng.chance(70) => ("stripe_ideal", "iDEAL"),
        _ if rng.chance(12) => ("bacs", "Bank transfer"),
        _ => CARD,
    }
}

/// When it was paid and when it was finished.
fn settle(rng: &mut Rng, end: i64, at: i64, status: Status, method: &str) -> (Option<i64>, Option<i64>) {
    let last = end - 600;
    let wait = if method == "bacs" { rng.range(20, 60) * HOUR } else { rng.range(40, 700) };
    let pack = rng.range(18, 90) * HOUR;
    let paid = status.paid().then(|| (at + wait).min(last));
    let completed = paid.filter(|_| status == Status::Completed).map(|p| (p + pack).min(last));
    (paid, completed)
}
