//! What a demo shop holds, counted.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    DemoOptions,
    store::{Row, Value},
    world::{URL, World},
};

/// A demo shop that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The site's root folder.
    pub dir: PathBuf,
    /// Whether it was there before.
    pub reused: bool,
    /// The shop's address; no such host exists.
    pub url: String,
    /// The seed it was made from.
    pub seed: u64,
    /// The moment its data ends, RFC 3339 in UTC: what "now" should be for questions like "this week".
    pub now: String,
    /// How many there are of each kind, in the order to show them.
    pub counts: Vec<Count>,
}

/// How many there are of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// In the plural: `posts`, `orders` …
    pub kind: String,
    /// How many.
    pub count: u64,
}

impl Summary {
    pub(crate) fn of(dir: &Path, options: &DemoOptions, world: &World) -> Self {
        let rows = |table: &str| world.tables.rows(table).len();
        let of = |table: &str, column: &str, value: &str| {
            world.tables.rows(table).iter().filter(|row| holds(row, column, value)).count()
        };
        let reviews = of("comments", "comment_type", "review");
        let notes = of("comments", "comment_type", "order_note");
        let counts = [
            ("posts", of("posts", "post_type", "post")),
            ("pages", of("posts", "post_type", "page")),
            ("revisions", of("posts", "post_type", "revision")),
            ("media files", of("posts", "post_type", "attachment")),
            ("menu items", of("posts", "post_type", "nav_menu_item")),
            ("comments", rows("comments") - reviews - notes),
            ("users", rows("users")),
            ("products", of("posts", "post_type", "product")),
            ("product variations", of("posts", "post_type", "product_variation")),
            ("product reviews", reviews),
            ("coupons", of("posts", "post_type", "shop_coupon")),
            ("orders", of("wc_orders", "type", "shop_order")),
            ("refunds", of("wc_orders", "type", "shop_order_refund")),
            ("customers", rows("wc_customer_lookup")),
            ("shipping zones", rows("woocommerce_shipping_zones")),
            ("tax rates", rows("woocommerce_tax_rates")),
            ("scheduled actions", rows("actionscheduler_actions")),
            ("options", rows("options")),
            ("plugins", super::plugins::ALL.len()),
            ("files", world.files.len()),
        ];
        Summary {
            dir: dir.to_owned(),
            reused: false,
            url: URL.to_owned(),
            seed: options.seed,
            now: world.clock.utc(world.clock.end(), "%Y-%m-%dT%H:%M:%SZ"),
            counts: counts.map(|(kind, count)| Count { kind: kind.to_owned(), count: count as u64 }).into(),
        }
    }

    /// The number of one kind, 0 for a kind that is not counted.
    #[must_use]
    pub fn count(&self, kind: &str) -> u64 {
        self.counts.iter().find(|c| c.kind == kind).map_or(0, |c| c.count)
    }
}

fn holds(row: &Row, column: &str, value: &str) -> bool {
    row.iter().any(|(name, v)| *name == column && matches!(v, Value::Text(text) if text == value))
}
