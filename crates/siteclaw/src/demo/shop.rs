//! How the shop is set up: tax rates, shipping zones, and the tables around orders (keys, sessions, tokens,
//! webhooks).

use super::{
    clock::DAY,
    orders::{Order, Status},
    products::Product,
    seed::Rng,
    serialize::{Php, assoc},
    store::{Value, row},
    world::World,
};

/// A rate of tax. Its id is its place in [`RATES`], counted from one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TaxRate {
    pub(crate) country: &'static str,
    /// Hundredths of a percent.
    pub(crate) rate: i64,
    pub(crate) name: &'static str,
    pub(crate) class: &'static str,
}

const fn rate(country: &'static str, rate: i64, name: &'static str, class: &'static str) -> TaxRate {
    TaxRate { country, rate, name, class }
}

/// All rates. The one of Spain applies to some postcodes only, the last one to every country in its class.
pub(crate) const RATES: &[TaxRate] = &[
    rate("NL", 2100, "BTW", ""),
    rate("NL", 900, "BTW laag", "reduced-rate"),
    rate("BE", 2100, "TVA", ""),
    rate("BE", 600, "TVA laag", "reduced-rate"),
    rate("DE", 1900, "MwSt", ""),
    rate("DE", 700, "MwSt erm.", "reduced-rate"),
    rate("FR", 2000, "TVA FR", ""),
    rate("FR", 550, "TVA FR 5.5", "reduced-rate"),
    rate("ES", 0, "Canarias", ""),
    rate("", 0, "Export", "zero-rate"),
];

/// The place of the rate that applies in a country, if there is one.
pub(crate) fn rate_for(country: &str, reduced: bool) -> Option<usize> {
    let class = if reduced { "reduced-rate" } else { "" };
    RATES.iter().position(|r| r.country == country && r.class == class && r.country != "ES")
}

/// Method id, instance id, title, net cost in cents.
pub(crate) type Method = (&'static str, i64, &'static str, i64);
pub(crate) const PARCEL: Method = ("flat_rate", 1, "Parcel service", 450);
pub(crate) const FREE: Method = ("free_shipping", 2, "Free from 60", 0);
pub(crate) const PICKUP: Method = ("local_pickup", 3, "Pick up at the roastery", 0);
pub(crate) const NEIGHBOURS: Method = ("flat_rate", 4, "EU parcel", 850);
pub(crate) const BRITAIN: Method = ("flat_rate", 5, "UK tracked", 1450);
pub(crate) const WORLD: Method = ("flat_rate", 6, "World parcel", 2400);
/// The net sum, in cents, from which shipping in the country is free.
pub(crate) const FREE_FROM: i64 = 6000;

/// Zone id, name, countries, methods (method, instance, enabled).
type Zone = (i64, &'static str, &'static [&'static str], &'static [(&'static str, i64, bool)]);
const ZONES: &[Zone] = &[
    (
        1,
        "Netherlands",
        &["NL"],
        &[("flat_rate", 1, true), ("free_shipping", 2, true), ("local_pickup", 3, true)],
    ),
    (2, "Neighbours", &["BE", "DE", "FR", "LU"], &[("flat_rate", 4, true), ("free_shipping", 7, false)]),
    (3, "United Kingdom", &["GB"], &[("flat_rate", 5, true)]),
    // The rest of the world: zone 0 has methods but no row of its own.
    (0, "", &[], &[("flat_rate", 6, true)]),
];

/// Adds tax rates and shipping zones; the methods' settings are options.
pub(crate) fn add_setup(world: &mut World) {
    for (r, id) in RATES.iter().zip(1_i64..) {
        world.tables.add(
            "woocommerce_tax_rates",
            row! {
                "tax_rate_id" => id, "tax_rate_country" => r.country,
                "tax_rate" => format!("{}.{:04}", r.rate / 100, r.rate % 100 * 100),
                "tax_rate_name" => r.name, "tax_rate_priority" => 1, "tax_rate_compound" => 0,
                "tax_rate_shipping" => 1, "tax_rate_order" => id - 1, "tax_rate_class" => r.class,
            },
        );
        if r.country == "ES" {
            for postcode in ["35*", "38*"] {
                world.tables.add(
                    "woocommerce_tax_rate_locations",
                    row! { "location_code" => postcode, "tax_rate_id" => id, "location_type" => "postcode" },
                );
            }
        }
    }
    for (name, slug) in [("Reduced rate", "reduced-rate"), ("Zero rate", "zero-rate")] {
        world.tables.add("wc_tax_rate_classes", row! { "name" => name, "slug" => slug });
    }
    for (zone, name, countries, methods) in ZONES {
        if *zone != 0 {
            world.tables.add(
                "woocommerce_shipping_zones",
                row! { "zone_id" => *zone, "zone_name" => *name, "zone_order" => *zone - 1 },
            );
        }
        for country in *countries {
            world.tables.add(
                "woocommerce_shipping_zone_locations",
                row! { "zone_id" => *zone, "location_code" => *country, "location_type" => "country" },
            );
        }
        for ((method, instance, enabled), order) in methods.iter().zip(1_i64..) {
            world.tables.add(
                "woocommerce_shipping_zone_methods",
                row! {
                    "zone_id" => *zone, "instance_id" => *instance, "method_id" => *method,
                    "method_order" => order, "is_enabled" => *enabled,
                },
            );
        }
    }
    let attributes =
        [("colour", "Colour", "menu_order"), ("size", "Size", "menu_order"), ("grind", "Grind", "name")];
    for (name, label, sort) in attributes {
        world.tables.add(
            "woocommerce_attribute_taxonomies",
            row! {
                "attribute_name" => name, "attribute_label" => label, "attribute_type" => "select",
                "attribute_orderby" => sort, "attribute_public" => 0,
            },
        );
    }
}

/// Settings of the shipping methods, by option name.
pub(crate) fn method_settings() -> Vec<(String, Php)> {
    let flat = |(method, instance, title, cents): Method| {
        let cost = super::money::text(cents);
        (
            format!("woocommerce_{method}_{instance}_settings"),
            assoc! { "title" => title, "tax_status" => "taxable", "cost" => cost },
        )
    };
    let bulky = assoc! {
        "title" => WORLD.2, "tax_status" => "taxable", "cost" => "24.00", "no_class_cost" => "0", "type" => "class",
    };
    vec![
        flat(PARCEL),
        (
            "woocommerce_free_shipping_2_settings".to_owned(),
            assoc! {
                "title" => FREE.2, "requires" => "min_amount", "min_amount" => "60", "ignore_discounts" => "no",
            },
        ),
        flat(PICKUP),
        flat(NEIGHBOURS),
        flat(BRITAIN),
        ("woocommerce_flat_rate_6_settings".to_owned(), bulky),
    ]
}

/// Adds what a running shop collects: API keys, webhooks, payment tokens, carts, reserved stock, download
/// rights.
pub(crate) fn add_traffic(world: &mut World, orders: &[Order], products: &[Product]) {
    let mut rng = world.rng("traffic");
    add_access(world, &mut rng, orders);
    add_carts(world, &mut rng, orders, products);
    add_claims(world, orders, products);
}

fn add_access(world: &mut World, rng: &mut Rng, orders: &[Order]) {
    let end = world.clock.end();
    for (name, rights, user) in
        [("Bookkeeping", "read", 1_i64), ("Warehouse", "read_write", 1), ("Old app", "write", 2)]
    {
        let secret = format!("cs_{}", rng.hex(40));
        let tail = rng.hex(7);
        world.tables.add(
            "woocommerce_api_keys",
            row! {
                "user_id" => user, "description" => name, "permissions" => rights,
                "consumer_key" => rng.hex(64), "consumer_secret" => secret, "truncated_key" => tail,
                "last_access" => (name != "Old app").then(|| world.clock.gmt(end - 3 * 3600)),
            },
        );
    }
    for (name, status, topic, failures) in [
        ("Order to bookkeeping", "active", "order.created", 0),
        ("Stock to warehouse", "active", "product.updated", 2),
        ("Old newsletter", "disabled", "customer.created", 6),
    ] {
        let at = end - rng.range(60, 500) * DAY;
        world.tables.add(
            "wc_webhooks",
            row! {
                "status" => status, "name" => name, "user_id" => 1,
                "delivery_url" => format!("https://hooks.example/{}", rng.hex(12)),
                "secret" => rng.alnum(50), "topic" => topic, "date_created" => world.clock.local(at),
                "date_created_gmt" => world.clock.gmt(at), "date_modified" => world.clock.local(at),
                "date_modified_gmt" => world.clock.gmt(at), "api_version" => 3, "failure_count" => failures,
            },
        );
    }
    let mut buyers: Vec<i64> =
        orders.iter().filter(|o| o.user != 0 && o.method.0 == "stripe").map(|o| o.user).collect();
    buyers.sort_unstable();
    buyers.dedup();
    for (user, token) in buyers.into_iter().take(12).zip(1_i64..) {
        world.tables.add(
            "woocommerce_payment_tokens",
            row! {
                "token_id" => token, "gateway_id" => "stripe", "token" => format!("pm_{}", rng.alnum(24)),
                "user_id" => user, "type" => "CC", "is_default" => true,
            },
        );
        world.tables.metas(
            "woocommerce_payment_tokenmeta",
            token,
            [
                ("card_type", Value::from(rng.word(&["visa", "mastercard"]))),
                ("last4", Value::from(format!("{:04}", rng.range(0, 9999)))),
                ("expiry_month", Value::from(format!("{:02}", rng.range(1, 12)))),
                ("expiry_year", Value::from(world.clock.utc(end + 700 * DAY, "%Y"))),
            ],
        );
    }
}

fn add_carts(world: &mut World, rng: &mut Rng, orders: &[Order], products: &[Product]) {
    let end = world.clock.end();
    let simple: Vec<&Product> = products.iter().filter(|p| p.sellable() && p.price.is_some()).collect();
    for n in 0..18 {
        let guest = n % 3 != 0;
        let buyer = orders.iter().filter(|o| o.user != 0).nth(n * 3);
        let user = buyer.map_or(0, |o| o.user);
        let key = if guest { format!("t_{}", rng.hex(30)) } else { user.to_string() };
        if world
            .tables
            .rows("woocommerce_sessions")
            .iter()
            .any(|r| r.contains(&("session_key", Value::from(&key))))
        {
            continue;
        }
        let Some(product) = rng.pick(&simple) else { continue };
        let price = super::money::real(product.asking().unwrap_or_default());
        let line = rng.hex(32);
        let cart = Php::map([(
            line.clone(),
            assoc! {
                "key" => line, "product_id" => product.id, "variation_id" => 0, "variation" => assoc! {},
                "quantity" => 1, "data_hash" => rng.hex(32), "line_subtotal" => price, "line_total" => price,
            },
        )]);
        let mail = buyer.filter(|_| !guest).map_or(String::new(), |o| o.person.email.clone());
        let customer = assoc! { "id" => user.to_string(), "email" => mail, "country" => "NL" };
        // Carts are serialised inside the serialised session.
        let value = assoc! { "cart" => cart.to_string(), "customer" => customer.to_string() };
        world.tables.add(
            "woocommerce_sessions",
            row! {
                "session_key" => key, "session_value" => value,
                "session_expiry" => end + rng.range(-20, 40) * 3600,
            },
        );
    }
}

fn add_claims(world: &mut World, orders: &[Order], products: &[Product]) {
    let end = world.clock.end();
    let waiting = orders.iter().rev().filter(|o| matches!(o.status, Status::Pending | Status::CheckoutDraft));
    // The newest five still hold their stock; three older ones let it go.
    for (order, n) in waiting.take(8).zip(0_i64..) {
        for line in &order.lines {
            let id = order.product_of(line, products);
            let counted = world.tables.rows("wc_reserved_stock").iter().any(|r| {
                r.contains(&("order_id", Value::from(order.id)))
                    && r.contains(&("product_id", Value::from(id)))
            });
            if !counted {
                world.tables.add(
                    "wc_reserved_stock",
                    row! {
                        "order_id" => order.id, "product_id" => id, "stock_quantity" => line.quantity as f64,
                        "timestamp" => world.clock.gmt(order.at),
                        "expires" => world.clock.gmt(if n < 5 { end + 3600 } else { order.at + 3600 }),
                    },
                );
            }
        }
    }
    for order in orders.iter().filter(|o| o.status == Status::Completed) {
        for line in &order.lines {
            let Some(product) = products.get(line.product) else { continue };
            if let Some((download, _)) = &product.download {
                world.tables.add(
                    "woocommerce_downloadable_product_permissions",
                    row! {
                        "download_id" => download, "product_id" => product.id, "order_id" => order.id,
                        "order_key" => &order.key, "user_email" => &order.person.email,
                        "user_id" => order.user, "downloads_remaining" => "",
                        "access_granted" => world.clock.gmt(order.at), "download_count" => order.id % 4,
                    },
                );
            }
        }
    }
}
